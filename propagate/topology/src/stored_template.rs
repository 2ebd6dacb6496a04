//! Objects that a stored template has although its manifest does not: the webhook of its provider or the schema sets them, or
//! the webhook writes the whole object, in which fields that are structs are never absent; and what it does not have although
//! its manifest does.

use serde_json::Value;

use crate::fields::text;

/// Paths, and what is stored there.
type StoredObjects = &'static [(&'static str, &'static str)];

const SPEC: &str = "/spec/template/spec";

/// Kind, version, the path of an object, and those below it as JSON, outer ones first.
///
/// Source: `SetDefaults_AWSClusterSpec` in api/v1beta2/defaults.go of Cluster API's provider for AWS, and its types; the types
/// in bootstrap/api/v1beta1 and controlplane/api/v1beta1 of the one for RKE2; those in api/bootstrap/kubeadm/v1beta1 and
/// api/controlplane/kubeadm/v1beta1 of Cluster API v1.14.
#[rustfmt::skip]
const STORED: &[(&str, &str, &str, StoredObjects)] = &[
    ("AWSClusterTemplate", "v1beta2", SPEC, &[
        ("/bastion",                         r#"{"enabled":false}"#),
        ("/controlPlaneLoadBalancer",        r#"{"loadBalancerType":"classic","scheme":"internet-facing"}"#),
        ("/identityRef",                     r#"{"kind":"AWSClusterControllerIdentity","name":"default"}"#),
        ("/network",                         "{}"),
        ("/network/cni",                     "{}"),
        ("/network/vpc",                     r#"{"availabilityZoneSelection":"Ordered","availabilityZoneUsageLimit":3}"#),
    ]),
    ("KubeadmConfigTemplate", "v1beta1", "/spec/template", &[("/metadata", "{}"), ("/spec", "{}")]),
    ("KubeadmConfigTemplate", "v1beta1", SPEC, KUBEADM),
    ("KubeadmControlPlaneTemplate", "v1beta1", "/spec/template", &[("/metadata", "{}"), ("/spec", "{}")]),
    ("KubeadmControlPlaneTemplate", "v1beta1", SPEC, &[
        ("/kubeadmConfigSpec",               "{}"),
        ("/machineTemplate",                 "{}"),
        ("/machineTemplate/metadata",        "{}"),
    ]),
    ("KubeadmControlPlaneTemplate", "v1beta1", "/spec/template/spec/kubeadmConfigSpec", KUBEADM),
    ("RKE2ConfigTemplate", "v1beta1", SPEC, &[
        ("/agentConfig",                     "{}"),
        ("/privateRegistriesConfig",         "{}"),
    ]),
    ("RKE2ControlPlaneTemplate", "v1beta1", SPEC, &[
        ("/agentConfig",                     "{}"),
        ("/privateRegistriesConfig",         "{}"),
        ("/serverConfig",                    "{}"),
        ("/serverConfig/disableComponents",  "{}"),
        ("/serverConfig/etcd",               "{}"),
    ]),
];

/// Structs that are never absent where the object around them is there.
#[rustfmt::skip]
const KUBEADM: StoredObjects = &[
    ("/clusterConfiguration/apiServer",                     "{}"),
    ("/clusterConfiguration/controllerManager",             "{}"),
    ("/clusterConfiguration/dns",                           "{}"),
    ("/clusterConfiguration/etcd",                          "{}"),
    ("/clusterConfiguration/networking",                    "{}"),
    ("/clusterConfiguration/scheduler",                     "{}"),
    ("/initConfiguration/localAPIEndpoint",                 "{}"),
    ("/initConfiguration/nodeRegistration",                 "{}"),
    ("/joinConfiguration/controlPlane/localAPIEndpoint",    "{}"),
    ("/joinConfiguration/discovery",                        "{}"),
    ("/joinConfiguration/nodeRegistration",                 "{}"),
];

/// Adds those of them that a patch of this path writes, or writes into.
pub(crate) fn complete(template: &mut Value, path: &str) {
    let kind = text(template, &["kind"]).to_owned();
    let version = version(template).to_owned();
    let of_kind = STORED.iter().filter(|(of, in_version, ..)| *of == kind && *in_version == version);
    for (holder, object, stored) in
        of_kind.flat_map(|(_, _, at, objects)| objects.iter().map(move |it| (at, it.0, it.1)))
    {
        let rest = path.strip_prefix(holder).and_then(|below| below.strip_prefix(object));
        let is_written = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let (above, field) = object.rsplit_once('/').unwrap_or_default();
        let above = template.pointer_mut(&format!("{holder}{above}")).and_then(Value::as_object_mut);
        if let Some(above) = above.filter(|_| is_written) {
            above.entry(field).or_insert_with(|| serde_json::from_str(stored).unwrap_or_default());
        }
    }
}

fn version(object: &Value) -> &str {
    text(object, &["apiVersion"]).rsplit_once('/').map_or("", |(_, version)| version)
}

/// Fields that are maps; other objects are structs.
const MAPS: [&str; 5] = ["annotations", "extraArgs", "featureGates", "kubeletExtraArgs", "labels"];

/// What is stored although it is empty, false or 0: fields without `omitempty`, and pointers where an absent value means
/// something else.
#[rustfmt::skip]
const KEPT: [&str; 32] = [
    "caFile", "certFile", "certificatesExpiryDays", "command", "conditionType", "device", "effect", "enabled", "endpoints", "filesystem",
    "hostPath", "imagePullSerial", "inactive", "key", "keyFile", "kubeConfigPath", "kubeadmConfigSpec", "layout", "lockPassword", "machineTemplate",
    "maxRetry", "maxSurge", "mountPath", "name", "optional", "overwrite", "path", "replicas", "taints", "value", "verbosity", "version",
];

/// Whether an object of kubeadm is in v1beta1, but stored in v1beta2.
pub(crate) fn is_dropping(object: &Value) -> bool {
    version(object) == "v1beta1" && spec(object).is_some()
}

/// An object of kubeadm in v1beta1 without what it does not have where it is stored: empty lists, maps and structs, empty
/// texts, false and 0.
///
/// Source: `KubeadmConfigSpec` in api/bootstrap/kubeadm/v1beta1 of Cluster API v1.14, and the conversions in
/// bootstrap/kubeadm/webhooks/conversion.
pub(crate) fn stored(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(spec) = spec(&object).filter(|_| is_dropping(&object)) {
        object.pointer_mut(spec).into_iter().for_each(drop_empty_in);
    }
    object
}

/// Where the configuration is in an object of kubeadm.
fn spec(object: &Value) -> Option<&'static str> {
    match text(object, &["kind"]) {
        "KubeadmConfigTemplate" | "KubeadmControlPlaneTemplate" => Some(SPEC),
        "KubeadmConfig" | "KubeadmControlPlane" => Some("/spec"),
        _ => None,
    }
}

fn drop_empty_in(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.iter_mut().filter(|(name, _)| !MAPS.contains(&&***name)).for_each(|(_, value)| drop_empty_in(value));
            fields.retain(|name, value| KEPT.contains(&&**name) || !is_empty(value));
        }
        Value::Array(elements) => elements.iter_mut().for_each(drop_empty_in),
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Bool(is) => !is,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Null => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_may_write_into_what_the_webhook_sets() {
        let template = |kind: &str, spec: Value| {
            let api_version = "controlplane.cluster.x-k8s.io/v1beta1";
            json!({ "apiVersion": api_version, "kind": kind, "spec": { "template": { "spec": spec } } })
        };
        for (kind, path, expected) in [
            ("RKE2ControlPlaneTemplate", "/serverConfig/etcd/customConfig", json!({ "serverConfig": { "etcd": {} } })),
            ("RKE2ControlPlaneTemplate", "/serverConfig", json!({ "serverConfig": {} })),
            ("RKE2ControlPlaneTemplate", "/serverConfigs", json!({})),
            ("RKE2ControlPlaneTemplate", "/other/configs", json!({})),
            ("RKE2ConfigTemplate", "/privateRegistriesConfig/configs", json!({ "privateRegistriesConfig": {} })),
            ("KubeadmConfigTemplate", "/agentConfig/a", json!({})),
            ("KubeadmConfigTemplate", "/initConfiguration/nodeRegistration/name", json!({})),
            (
                "KubeadmControlPlaneTemplate",
                "/machineTemplate/metadata/labels",
                json!({ "machineTemplate": { "metadata": {} } }),
            ),
        ] {
            let mut completed = template(kind, json!({}));
            complete(&mut completed, &format!("/spec/template/spec{path}"));
            assert_eq!(completed, template(kind, expected), "{kind} {path}");
        }
    }

    #[test]
    fn what_is_empty_is_not_stored_in_v1beta1() {
        let template = |version: &str, spec: Value| {
            let api_version = format!("bootstrap.cluster.x-k8s.io/{version}");
            json!({ "apiVersion": api_version, "kind": "KubeadmConfigTemplate", "spec": { "template": { "spec": spec } } })
        };
        let registration = json!({ "kubeletExtraArgs": {}, "taints": [], "ignorePreflightErrors": [] });
        let written = json!({
            "files": [{ "path": "/a", "append": false, "content": "" }], "users": [], "diskSetup": { "filesystems": [] },
            "clusterConfiguration": { "apiServer": { "extraArgs": { "v": "" } } }, "ntp": { "enabled": false, "servers": [] },
            "joinConfiguration": { "nodeRegistration": registration, "discovery": {} }, "verbosity": 0, "useExperimentalRetryJoin": false,
        });
        let dropped = json!({
            "files": [{ "path": "/a" }], "clusterConfiguration": { "apiServer": { "extraArgs": { "v": "" } } },
            "joinConfiguration": { "nodeRegistration": { "taints": [] } }, "ntp": { "enabled": false }, "verbosity": 0,
        });
        for (version, expected) in [("v1beta1", &dropped), ("v1beta2", &written)] {
            assert_eq!(stored(&template(version, written.clone())), template(version, expected.clone()));
        }
    }

    #[test]
    fn what_is_stored_is_an_object() {
        let all = STORED.iter().flat_map(|(.., objects)| *objects);
        let wrong = all.filter(|(_, stored)| !serde_json::from_str::<Value>(stored).is_ok_and(|it| it.is_object()));
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
    }
}
