//! What Cluster API's webhooks refuse in one object.

use std::collections::BTreeSet;

use metadata_propagation::{is_annotation_key, is_label_key, is_label_value};
use serde_json::Value;
use topology::{DEPLOYMENTS, NO_AMOUNT, early_startup, is_amount};

use super::kubeadm::{certificates, kubeadm};
use super::release::Release;
use super::selector::matches;
use super::{ObjectRule, Refusal, has_placeholder, path, refusal, rke2, taints, values, written};
use crate::relations::text;
use crate::workers::{all_workers, workers};

/// Mistakes that people write; not all that the webhooks check.
///
/// Sources, in Cluster API v1.14, the `validate` or `ValidateCreate` of each kind: core/webhooks/admission,
/// controlplane/kubeadm/webhooks/admission (`validateKubeadmControlPlaneSpec`); for autoscaler annotations
/// `validateAutoscalerAnnotationsForCluster` in core/webhooks/admission/cluster.go; for names that are there twice
/// internal/topology/check/compatibility.go; for taints internal/util/taints/validation.go; for metadata `ObjectMeta.Validate` in api/core/v1beta2/common_types.go. That
/// versions are strings and replicas numbers is in the definitions of the kinds, of which `definition` has the rest.
#[rustfmt::skip]
pub(super) const OBJECT_RULES: &[ObjectRule] = &[
    ObjectRule { kinds: &["MachineDeployment", "MachineSet"], finds: other_labels },
    ObjectRule { kinds: &["MachineDeployment", "MachineSet", "MachinePool"], finds: other_cluster },
    ObjectRule { kinds: &["Cluster", "ClusterClass", "MachineDeployment"], finds: strategies },
    ObjectRule { kinds: &["MachineDeployment", "MachineHealthCheck"], finds: remediations },
    ObjectRule { kinds: &["Cluster", "ClusterClass", "KubeadmControlPlane", "KubeadmControlPlaneTemplate", "Machine", "MachineDeployment", "MachineSet"], finds: taints::reserved },
    ObjectRule { kinds: &["MachinePool"], finds: taints::of_pool },
    ObjectRule { kinds: &["MachineHealthCheck"], finds: no_selector },
    ObjectRule { kinds: &["MachineHealthCheck"], finds: startup },
    ObjectRule { kinds: &["KubeadmControlPlane"], finds: control_plane_replicas },
    ObjectRule { kinds: &["KubeadmControlPlane"], finds: control_plane_surge },
    ObjectRule { kinds: &["KubeadmControlPlane"], finds: two_etcds },
    ObjectRule { kinds: &["KubeadmControlPlane"], finds: image_tags },
    ObjectRule { kinds: &["KubeadmControlPlane"], finds: certificates },
    ObjectRule { kinds: &["RKE2ControlPlane"], finds: rke2::control_plane },
    ObjectRule { kinds: &["KubeadmConfig", "KubeadmConfigTemplate", "KubeadmControlPlane", "KubeadmControlPlaneTemplate"], finds: kubeadm },
    ObjectRule { kinds: &["Cluster", "KubeadmControlPlane", "Machine", "MachineDeployment", "MachineSet", "MachinePool"], finds: no_version },
    ObjectRule { kinds: &["Cluster", "ClusterClass", "KubeadmConfigTemplate", "KubeadmControlPlane", "KubeadmControlPlaneTemplate", "MachineDeployment", "MachinePool", "MachineSet"], finds: invalid_metadata },
    ObjectRule { kinds: &["Cluster", "KubeadmControlPlane", "MachineDeployment", "MachinePool", "MachineSet"], finds: no_number },
    ObjectRule { kinds: &["Cluster"], finds: fixed_and_autoscaled },
    ObjectRule { kinds: &["Cluster"], finds: values::no_concurrency },
    ObjectRule { kinds: &["Cluster"], finds: values::no_ranges },
    ObjectRule { kinds: &["Cluster", "MachineDeployment"], finds: values::long_name },
    ObjectRule { kinds: &["Cluster"], finds: values::entry_names },
    ObjectRule { kinds: &["KubeadmControlPlane", "KubeadmControlPlaneTemplate", "MachineDeployment", "MachineSet"], finds: values::fixed_names },
    ObjectRule { kinds: &["Machine", "MachineDeployment", "MachinePool", "MachineSet"], finds: values::no_bootstrap },
    ObjectRule { kinds: &["MachineDeployment", "MachineSet"], finds: values::unknown_checks },
    ObjectRule { kinds: &["Cluster", "ClusterClass"], finds: same_names },
];

fn other_labels(object: &Value) -> Vec<Refusal> {
    let message = "`spec.selector` does not match the labels of `spec.template`";
    Vec::from_iter((!matches(object)).then(|| refusal("spec.selector", message)))
}

fn other_cluster(object: &Value) -> Vec<Refusal> {
    let names = written(object, "/spec/clusterName").zip(written(object, "/spec/template/spec/clusterName"));
    let differing = names.filter(|(own, template)| own != template);
    Vec::from_iter(differing.map(|(own, template)| {
        refusal("spec.clusterName", format!("`{own}` is not the Cluster of `spec.template`, which is `{template}`"))
    }))
}

/// Strategies of MachineDeployments, and of those that topologies and classes describe.
fn strategies(object: &Value) -> Vec<Refusal> {
    let of_topologies = workers(object, DEPLOYMENTS.list).map(|worker| (worker.at(), worker.value, None));
    // The webhook of MachineDeployments sets a `maxUnavailable` of 0 before it validates.
    let own = object.get("spec").map(|spec| ("spec".to_owned(), spec, Some(0)));
    let mut found = Vec::new();
    for (at, holder, default) in own.into_iter().chain(of_topologies) {
        for of in ["rollout/strategy/rollingUpdate", "strategy/rollingUpdate"] {
            let Some(strategy) = holder.pointer(&format!("/{of}")) else { continue };
            let at = format!("{at}.{}", path(of));
            found.extend(no_amounts(&at, strategy, &["maxSurge", "maxUnavailable"]));
            let surge = strategy.get("maxSurge").and_then(Value::as_u64);
            let unavailable = strategy.get("maxUnavailable").map_or(default, Value::as_u64);
            if [surge, unavailable] == [Some(0); 2] {
                found.push(refusal(at, "`maxSurge` and `maxUnavailable` cannot both be 0"));
            }
        }
    }
    found
}

fn remediations(object: &Value) -> Vec<Refusal> {
    let fields = ["remediation.maxInFlight", "remediation.triggerIf.unhealthyLessThanOrEqualTo", "maxUnhealthy"];
    object.get("spec").map(|spec| no_amounts("spec", spec, &fields)).unwrap_or_default()
}

/// The fields below a path that are set to something else than a number or a percentage.
fn no_amounts(at: &str, holder: &Value, fields: &[&str]) -> Vec<Refusal> {
    let wrong = fields.iter().filter_map(|field| {
        let value = holder.pointer(&format!("/{}", field.replace('.', "/")))?.as_str()?;
        let message = format!("`{value}` {NO_AMOUNT}");
        (!is_amount(value)).then(|| refusal(format!("{at}.{field}"), message))
    });
    wrong.collect()
}

fn no_selector(object: &Value) -> Vec<Refusal> {
    let is_empty = |field: &str| match object.pointer(&format!("/spec/selector/{field}")) {
        Some(Value::Object(labels)) => labels.is_empty(),
        Some(Value::Array(expressions)) => expressions.is_empty(),
        _ => true,
    };
    let is_refused = is_empty("matchLabels") && is_empty("matchExpressions");
    Vec::from_iter(is_refused.then(|| refusal("spec.selector", "the selector is empty")))
}

fn startup(object: &Value) -> Vec<Refusal> {
    let found = object.get("spec").and_then(early_startup);
    Vec::from_iter(found.map(|(path, reason)| Refusal { needs_path: true, ..refusal(format!("spec.{path}"), reason) }))
}

fn control_plane_replicas(object: &Value) -> Vec<Refusal> {
    let message = match object.pointer("/spec/replicas").and_then(Value::as_i64) {
        Some(..1) => "a control plane has at least one replica",
        Some(replicas) if replicas % 2 == 0 && etcd(object, "external").is_none() => {
            "the number of replicas is even, which stacked etcd does not allow"
        }
        _ => return Vec::new(),
    };
    vec![refusal("spec.replicas", message)]
}

fn control_plane_surge(object: &Value) -> Vec<Refusal> {
    // A number that is not in the files, such as `${REPLICAS}`, is not judged.
    let replicas = object.pointer("/spec/replicas").map_or(Some(1), Value::as_i64);
    let pointers = ["/spec/rollout/strategy/rollingUpdate/maxSurge", "/spec/rolloutStrategy/rollingUpdate/maxSurge"];
    let found = pointers.iter().filter_map(|pointer| Some((path(pointer), object.pointer(pointer)?.as_i64()?)));
    let message = |surge: i64| match (surge, replicas) {
        (0, Some(..3)) => Some("a `maxSurge` of 0 needs at least 3 replicas"),
        (0 | 1, _) => None,
        _ => Some("`maxSurge` is 0 or 1"),
    };
    found.filter_map(|(at, surge)| Some(refusal(at, message(surge)?))).collect()
}

fn two_etcds(object: &Value) -> Vec<Refusal> {
    let is_refused = etcd(object, "local").is_some() && etcd(object, "external").is_some();
    let at = "spec.kubeadmConfigSpec.clusterConfiguration.etcd";
    Vec::from_iter(is_refused.then(|| refusal(at, "etcd is either `local` or `external`")))
}

fn image_tags(object: &Value) -> Vec<Refusal> {
    // The tag of CoreDNS is its version.
    let images = [("dns", true), ("etcd/local", false)].into_iter();
    let pointer = |of| format!("/spec/kubeadmConfigSpec/clusterConfiguration/{of}/imageTag");
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || ['-', '.', '_'].contains(&letter);
    let tags = images.filter_map(|(of, is_version)| Some((pointer(of), is_version, written(object, &pointer(of))?)));
    let is_version = |tag: &str| {
        let core = tag.trim_start_matches('v').split(['-', '_']).next().unwrap_or_default();
        core.split('.').count() <= 3 && core.split('.').all(|number| number.parse::<u64>().is_ok())
    };
    let wrong = tags.filter(|(_, must_be, tag)| !tag.chars().all(is_allowed) || *must_be && !is_version(tag));
    wrong.map(|(pointer, _, tag)| refusal(path(&pointer), format!("`{tag}` is no tag of an image"))).collect()
}

/// The etcd of a control plane, if it is set.
pub(crate) fn etcd<'v>(object: &'v Value, which: &str) -> Option<&'v Value> {
    let etcd = object.pointer(&format!("/spec/kubeadmConfigSpec/clusterConfiguration/etcd/{which}"))?;
    etcd.as_object().filter(|fields| !fields.is_empty()).map(|_| etcd)
}

fn no_version(object: &Value) -> Vec<Refusal> {
    let message = |pointer: &str| match object.pointer(pointer)? {
        Value::Number(number) => {
            Some(format!("`{number}` is a number: write the version in quotes, such as `\"v1.34.2\"`"))
        }
        // Only a topology must have one.
        Value::Null if pointer == TOPOLOGY_VERSION => Some("the version is missing".to_owned()),
        Value::String(text) if text.is_empty() && pointer == TOPOLOGY_VERSION => {
            Some("the version is empty".to_owned())
        }
        _ => {
            let version = written(object, pointer).filter(|version| Release::read(version).is_none())?;
            Some(format!("`{version}` is not a full version: write it like `v1.34.2`"))
        }
    };
    let pointers = ["/spec/version", "/spec/template/spec/version", TOPOLOGY_VERSION];
    pointers.iter().filter_map(|pointer| Some(refusal(path(pointer), message(pointer)?))).collect()
}

const TOPOLOGY_VERSION: &str = "/spec/topology/version";

fn no_number(object: &Value) -> Vec<Refusal> {
    let workers = all_workers(object);
    let workers = workers.map(|worker| (format!("{}.replicas", worker.at()), worker.value.get("replicas")));
    let own = ["/spec/replicas", "/spec/topology/controlPlane/replicas"];
    let own = own.into_iter().map(|pointer| (path(pointer), object.pointer(pointer)));
    let wrong = own.chain(workers).filter_map(|(at, replicas)| {
        let text = replicas?.as_str().filter(|text| !has_placeholder(text))?;
        Some(refusal(at, format!("`{text}` is a string: the number of replicas is written without quotes")))
    });
    wrong.collect()
}

/// Labels and annotations that are validated although they are no metadata of the object itself.
fn invalid_metadata(object: &Value) -> Vec<Refusal> {
    let own = ["controlPlane", "machineTemplate", "template", "template/spec/machineTemplate", "topology/controlPlane"];
    let own = own.map(|of| format!("/spec/{of}/metadata"));
    let own = own.into_iter().map(|pointer| (path(&pointer), object.pointer(&pointer)));
    let workers = all_workers(object).flat_map(|worker| {
        ["metadata", "template/metadata"]
            .map(|of| (format!("{}.{}", worker.at(), path(of)), worker.value.pointer(&format!("/{of}"))))
    });
    let all = own.chain(workers).filter_map(|(at, metadata)| Some(invalid_entries(&at, metadata?)));
    all.flatten().collect()
}

pub(super) fn invalid_entries(at: &str, metadata: &Value) -> Vec<Refusal> {
    let entries = |map: &str| metadata.get(map).and_then(Value::as_object).into_iter().flatten();
    let labels = entries("labels").filter_map(|(key, value)| {
        let value = value.as_str().filter(|value| !has_placeholder(value)).unwrap_or_default();
        let message = match is_label_key(key) {
            false => format!("the key of label `{key}` is not valid"),
            true if is_label_value(value) => return None,
            true => format!("the value `{value}` of label `{key}` is not valid"),
        };
        Some(refusal(format!("{at}.labels.{key}"), message))
    });
    let annotations = entries("annotations").filter(|(key, _)| !is_annotation_key(key));
    let annotations = annotations.map(|(key, _)| {
        refusal(format!("{at}.annotations.{key}"), format!("the key of annotation `{key}` is not valid"))
    });
    labels.chain(annotations).filter(|refusal| !has_placeholder(&refusal.at.to_string())).collect()
}

pub(crate) const FIXED_AND_AUTOSCALED: &str = "`replicas` and annotations of cluster-autoscaler exclude each other";

fn fixed_and_autoscaled(object: &Value) -> Vec<Refusal> {
    let wrong = workers(object, DEPLOYMENTS.list).filter(|worker| worker.has_replicas() && worker.is_autoscaled());
    wrong.map(|worker| refusal(format!("{}.replicas", worker.at()), FIXED_AND_AUTOSCALED)).collect()
}

fn same_names(object: &Value) -> Vec<Refusal> {
    let variables = object.pointer("/spec/topology/variables").and_then(Value::as_array).into_iter().flatten();
    let variables = variables.map(|variable| text(variable, "name"));
    let variables = variables.map(|name| (format!("spec.topology.variables[{name}]"), name.to_owned()));
    let workers = all_workers(object).map(|worker| (worker.at(), worker.name.to_owned()));
    let mut known = BTreeSet::new();
    let named = workers.chain(variables).filter(|(_, name)| !name.is_empty());
    let again = named.filter(|(at, _)| !known.insert(at.clone()));
    again.map(|(at, name)| refusal(at, format!("`{name}` is defined twice"))).collect()
}
