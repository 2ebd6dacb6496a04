//! Objects that a stored template has although its manifest does not: the webhook of its provider or the schema sets them, or
//! the webhook writes the whole object, in which fields that are structs are never absent; and what it does not have although
//! its manifest does.

use serde_json::Value;

/// Paths, and what is stored there.
type StoredObjects = &'static [(&'static str, &'static str)];

/// Kind, version, and the objects below `/spec/template/spec` as JSON, outer ones first.
///
/// Source: `SetDefaults_AWSClusterSpec` in api/v1beta2/defaults.go of Cluster API's provider for AWS, and its types; the types
/// in bootstrap/api/v1beta1 and controlplane/api/v1beta1 of the one for RKE2.
#[rustfmt::skip]
const STORED: &[(&str, &str, StoredObjects)] = &[
    ("AWSClusterTemplate", "v1beta2", &[
        ("/bastion",                         r#"{"enabled":false}"#),
        ("/controlPlaneLoadBalancer",        r#"{"loadBalancerType":"classic","scheme":"internet-facing"}"#),
        ("/identityRef",                     r#"{"kind":"AWSClusterControllerIdentity","name":"default"}"#),
        ("/network",                         "{}"),
        ("/network/cni",                     "{}"),
        ("/network/vpc",                     r#"{"availabilityZoneSelection":"Ordered","availabilityZoneUsageLimit":3}"#),
    ]),
    ("RKE2ConfigTemplate", "v1beta1", &[
        ("/agentConfig",                     "{}"),
        ("/privateRegistriesConfig",         "{}"),
    ]),
    ("RKE2ControlPlaneTemplate", "v1beta1", &[
        ("/agentConfig",                     "{}"),
        ("/privateRegistriesConfig",         "{}"),
        ("/serverConfig",                    "{}"),
        ("/serverConfig/disableComponents",  "{}"),
        ("/serverConfig/etcd",               "{}"),
    ]),
];

/// Adds those of them that a patch of this path writes, or writes into.
pub(crate) fn complete(template: &mut Value, path: &str) {
    const SPEC: &str = "/spec/template/spec";
    let is_of = |kind: &str, version: &str| {
        let api_version = template.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        template.get("kind").is_some_and(|it| it == kind) && api_version.ends_with(&format!("/{version}"))
    };
    let Some((_, _, objects)) = STORED.iter().find(|(kind, version, _)| is_of(kind, version)) else { return };
    for (object, stored) in *objects {
        let rest = path.strip_prefix(SPEC).and_then(|below| below.strip_prefix(object));
        let is_written = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let (above, field) = object.rsplit_once('/').unwrap_or_default();
        let above = template.pointer_mut(&format!("{SPEC}{above}")).and_then(Value::as_object_mut);
        if let Some(above) = above.filter(|_| is_written) {
            above.entry(field).or_insert_with(|| serde_json::from_str(stored).unwrap_or_default());
        }
    }
}

/// Lists that are stored although they are empty: they have no `omitempty`, or an empty one means something.
const KEPT: [&str; 2] = ["endpoints", "taints"];

/// Fields that are maps; other objects are structs.
const MAPS: [&str; 5] = ["annotations", "extraArgs", "featureGates", "kubeletExtraArgs", "labels"];

/// Removes the empty lists and maps of a template of kubeadm in v1beta1, which is stored in v1beta2.
///
/// Source: `KubeadmConfigSpec` in api/bootstrap/kubeadm/v1beta1 of Cluster API v1.14, and the conversions there.
pub(crate) fn drop_empty(template: &mut Value) {
    let is_kind = |kind: &&str| ["KubeadmConfigTemplate", "KubeadmControlPlaneTemplate"].contains(kind);
    let is_kubeadm = template.get("kind").and_then(Value::as_str).as_ref().is_some_and(is_kind);
    let version = template.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    if is_kubeadm && version.ends_with("/v1beta1") {
        template.pointer_mut("/spec/template").into_iter().for_each(drop_empty_in);
    }
}

fn drop_empty_in(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| match value {
                Value::Array(elements) => !elements.is_empty() || KEPT.contains(&&**name),
                Value::Object(entries) => !entries.is_empty() || !MAPS.contains(&&**name),
                _ => true,
            });
            fields.values_mut().for_each(drop_empty_in);
        }
        Value::Array(elements) => elements.iter_mut().for_each(drop_empty_in),
        _ => {}
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
        ] {
            let mut completed = template(kind, json!({}));
            complete(&mut completed, &format!("/spec/template/spec{path}"));
            assert_eq!(completed, template(kind, expected), "{kind} {path}");
        }
    }

    #[test]
    fn empty_lists_and_maps_of_kubeadm_are_not_stored_in_v1beta1() {
        let template = |version: &str, spec: Value| {
            let api_version = format!("bootstrap.cluster.x-k8s.io/{version}");
            json!({ "apiVersion": api_version, "kind": "KubeadmConfigTemplate", "spec": { "template": { "spec": spec } } })
        };
        let written = json!({ "files": [], "joinConfiguration": { "nodeRegistration": { "kubeletExtraArgs": {}, "taints": [] } } });
        let stored = json!({ "joinConfiguration": { "nodeRegistration": { "taints": [] } } });
        for (version, expected) in [("v1beta1", &stored), ("v1beta2", &written)] {
            let mut template_of = template(version, written.clone());
            drop_empty(&mut template_of);
            assert_eq!(template_of, template(version, expected.clone()));
        }
    }

    #[test]
    fn what_is_stored_is_an_object() {
        let all = STORED.iter().flat_map(|(_, _, objects)| *objects);
        let wrong = all.filter(|(_, stored)| !serde_json::from_str::<Value>(stored).is_ok_and(|it| it.is_object()));
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
    }
}
