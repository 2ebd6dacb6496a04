//! Fields of control planes, MachineDeployments and MachinePools that come from the topology and the class.

use serde_json::{Map, Value, json};

use crate::fields::{get, set, set_some, text};
use crate::functions::{duration, whole_seconds};

/// From a field of the topology's entry or the class to a field of the object; the entry has precedence.
type Copies = &'static [(&'static [&'static str], &'static [&'static str])];

const DEPLOYMENTS: Copies = &[
    (&["failureDomain"], &["spec", "template", "spec", "failureDomain"]),
    (&["readinessGates"], &["spec", "template", "spec", "readinessGates"]),
];

const DEPLOYMENTS_V1BETA2: Copies = &[
    (&["rollout"], &["spec", "rollout"]),
    (&["healthCheck", "remediation", "maxInFlight"], &["spec", "remediation", "maxInFlight"]),
    (&["deletion", "order"], &["spec", "deletion", "order"]),
];

const DEPLOYMENTS_V1BETA1: Copies = &[(&["strategy"], &["spec", "strategy"])];

const POOLS: Copies = &[(&["failureDomains"], &["spec", "failureDomains"])];

const WORKERS: Copies = &[(&["taints"], &["spec", "template", "spec", "taints"])];

const WORKERS_V1BETA2: Copies = &[
    (&["minReadySeconds"], &["spec", "template", "spec", "minReadySeconds"]),
    (&["deletion", "nodeDrainTimeoutSeconds"], &["spec", "template", "spec", "deletion", "nodeDrainTimeoutSeconds"]),
    (
        &["deletion", "nodeVolumeDetachTimeoutSeconds"],
        &["spec", "template", "spec", "deletion", "nodeVolumeDetachTimeoutSeconds"],
    ),
    (
        &["deletion", "nodeDeletionTimeoutSeconds"],
        &["spec", "template", "spec", "deletion", "nodeDeletionTimeoutSeconds"],
    ),
];

const WORKERS_V1BETA1: Copies = &[
    (&["minReadySeconds"], &["spec", "minReadySeconds"]),
    (&["nodeDrainTimeout"], &["spec", "template", "spec", "nodeDrainTimeout"]),
    (&["nodeVolumeDetachTimeout"], &["spec", "template", "spec", "nodeVolumeDetachTimeout"]),
    (&["nodeDeletionTimeout"], &["spec", "template", "spec", "nodeDeletionTimeout"]),
];

/// Sets the fields of workers.
pub(crate) fn workers_fields(
    object: &mut Value,
    (cluster, namespace, name): (&str, &str, &str),
    (entry, class): (&Value, &Value),
    (mut labels, annotations): (Map<String, Value>, Map<String, Value>),
    (made, version): (&[&Value], &str),
) {
    labels.insert("cluster.x-k8s.io/cluster-name".to_owned(), json!(cluster));
    labels.insert("topology.cluster.x-k8s.io/owned".to_owned(), json!(""));
    let is_v1beta1 = text(object, &["apiVersion"]).ends_with("/v1beta1");
    set(object, &["metadata", "name"], json!(name));
    set(object, &["metadata", "namespace"], json!(namespace));
    for holder in [&["metadata"][..], &["spec", "template", "metadata"]] {
        set(object, &[holder, &["labels"]].concat(), json!(labels));
        if !annotations.is_empty() {
            set(object, &[holder, &["annotations"]].concat(), json!(annotations));
        }
    }
    if text(object, &["kind"]) == "MachineDeployment" {
        labels.retain(|key, _| {
            [
                "cluster.x-k8s.io/cluster-name",
                "topology.cluster.x-k8s.io/owned",
                "topology.cluster.x-k8s.io/deployment-name",
            ]
            .contains(&&**key)
        });
        set(object, &["spec", "selector", "matchLabels"], Value::Object(labels));
    }
    for path in [&["spec"][..], &["spec", "template", "spec"]] {
        set(object, &[path, &["clusterName"]].concat(), json!(cluster));
    }
    set(object, &["spec", "template", "spec", "version"], json!(version));
    set_some(object, &["spec", "replicas"], get(entry, &["replicas"]));
    for (made, path) in made.iter().zip([&["bootstrap", "configRef"][..], &["infrastructureRef"]]) {
        set(object, &[&["spec", "template", "spec"], path].concat(), reference(made, is_v1beta1));
    }
    let is_deployment = text(object, &["kind"]) == "MachineDeployment";
    let (of_all, of_deployments) = match is_v1beta1 {
        true => (WORKERS_V1BETA1, DEPLOYMENTS_V1BETA1),
        false => (WORKERS_V1BETA2, DEPLOYMENTS_V1BETA2),
    };
    let of_kind = if is_deployment { [DEPLOYMENTS, of_deployments] } else { [POOLS, &[]] };
    for (from, to) in [WORKERS, of_all].into_iter().chain(of_kind).flatten() {
        set_some(object, to, stored(entry, from).or(stored(class, from)));
    }
}

/// A field of an entry or a class as it is stored: no list there is empty.
fn stored<'v>(of: &'v Value, path: &[&str]) -> Option<&'v Value> {
    get(of, path).filter(|value| value.as_array().is_none_or(|elements| !elements.is_empty()))
}

/// Sets the fields of a control plane.
pub(crate) fn control_plane_fields(
    object: &mut Value,
    (entry, class): (&Value, &Value),
    machines: Option<&Value>,
    version: &str,
) {
    let is_v1beta1 = !follows_v1beta2(object);
    let holder: &[&str] = if is_v1beta1 { &["spec", "machineTemplate"] } else { &["spec", "machineTemplate", "spec"] };
    if let Some(machines) = machines {
        set(object, &[holder, &["infrastructureRef"]].concat(), reference(machines, is_v1beta1));
        for map in ["labels", "annotations"] {
            let path = ["spec", "machineTemplate", "metadata", map];
            let all = crate::fields::merged([get(entry, &["metadata", map]), get(class, &["metadata", map])]);
            let mut all = Value::Object(all);
            if map == "labels" {
                for key in ["cluster.x-k8s.io/cluster-name", "topology.cluster.x-k8s.io/owned"] {
                    set_some(&mut all, &[key], get(object, &["metadata", "labels", key]));
                }
            }
            let all = crate::fields::merged([Some(&all), get(object, &path)]);
            if !all.is_empty() {
                set(object, &path, Value::Object(all));
            }
        }
    }
    set_some(object, &["spec", "replicas"], get(entry, &["replicas"]));
    set_some(object, &["spec", "rollout", "after"], get(entry, &["rollout", "after"]));
    for field in ["readinessGates", "taints"] {
        set_some(object, &[holder, &[field]].concat(), stored(entry, &[field]).or(stored(class, &[field])));
    }
    for timeout in ["nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout"] {
        let in_seconds = format!("{timeout}Seconds");
        let written = |of: &Value| {
            let number = get(of, &["deletion", &in_seconds]).and_then(Value::as_u64);
            number.or_else(|| u64::try_from(whole_seconds(text(of, &[timeout]))?).ok())
        };
        let Some(number) = written(entry).or_else(|| written(class)) else { continue };
        match is_v1beta1 {
            true => set(object, &[holder, &[timeout]].concat(), json!(duration(number))),
            false => set(object, &[holder, &["deletion", &*in_seconds]].concat(), json!(number)),
        }
    }
    set(object, &["spec", "version"], json!(version));
}

/// Whether a control plane follows the contract v1beta2. The contract of a version is a label of the provider's definition,
/// and mostly has the name of the version.
///
/// Source: `GetContractVersionForVersion` in internal/contract/version.go of Cluster API.
fn follows_v1beta2(object: &Value) -> bool {
    text(object, &["apiVersion"]).ends_with("/v1beta2") && !V1BETA2_OF_V1BETA1.contains(&text(object, &["kind"]))
}

/// Control planes whose version v1beta2 follows the contract v1beta1.
///
/// Source: `cluster.x-k8s.io/v1beta1: v1beta1_v1beta2` in controlplane/config/crd/kustomization.yaml of Cluster API's provider
/// for K3s.
const V1BETA2_OF_V1BETA1: [&str; 1] = ["KThreesControlPlane"];

fn reference(object: &Value, is_v1beta1: bool) -> Value {
    let [api_version, kind] = ["apiVersion", "kind"].map(|field| text(object, &[field]));
    let [name, namespace] = ["name", "namespace"].map(|field| text(object, &["metadata", field]));
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    match is_v1beta1 {
        true => json!({"apiVersion": api_version, "kind": kind, "name": name, "namespace": namespace}),
        false => json!({"apiGroup": group, "kind": kind, "name": name}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_go_s() {
        let cases = [
            ("10s", 10, "10s"),
            ("10m", 600, "10m0s"),
            ("1h2m3s", 3723, "1h2m3s"),
            ("1.5h", 5400, "1h30m0s"),
            ("1500ms", 1, "1s"),
        ];
        for (text, number, printed) in cases {
            let seconds = whole_seconds(text).and_then(|seconds| u64::try_from(seconds).ok());
            assert_eq!((seconds, duration(number)), (Some(number), printed.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_control_plane_has_the_fields_of_its_contract() {
        let entry = json!({"deletion": {"nodeDrainTimeoutSeconds": 10}});
        let machines =
            json!({"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "T", "metadata": {"name": "t"}});
        let of_v1beta1 = json!({
            "metadata": {},
            "infrastructureRef": {
                "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "T", "name": "t", "namespace": ""},
            "nodeDrainTimeout": "10s"});
        let of_v1beta2 = json!({"metadata": {}, "spec": {
            "infrastructureRef": {"apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "T", "name": "t"},
            "deletion": {"nodeDrainTimeoutSeconds": 10}}});
        let cases = [
            ("v1beta1", "KubeadmControlPlane", &of_v1beta1),
            ("v1beta2", "KubeadmControlPlane", &of_v1beta2),
            ("v1beta2", "KThreesControlPlane", &of_v1beta1),
        ];
        for (version, kind, template) in cases {
            let mut object = json!({"apiVersion": format!("g/{version}"), "kind": kind,
                "spec": {"machineTemplate": {"metadata": {}}}});
            control_plane_fields(&mut object, (&entry, &json!({})), Some(&machines), "v1.36.0");
            assert_eq!(object["spec"], json!({"machineTemplate": template, "version": "v1.36.0"}), "{version} {kind}");
        }
    }
}
