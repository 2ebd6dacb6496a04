//! Objects that a stored template has although its manifest does not: the webhook of its provider or the schema sets them, or
//! the webhook writes the whole object, in which fields that are structs are never absent.

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
    fn what_is_stored_is_an_object() {
        let all = STORED.iter().flat_map(|(_, _, objects)| *objects);
        let wrong = all.filter(|(_, stored)| !serde_json::from_str::<Value>(stored).is_ok_and(|it| it.is_object()));
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
    }
}
