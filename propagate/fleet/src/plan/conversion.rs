//! Objects of v1beta1 as v1beta2: what conversion webhooks do, so that two versions can be compared.

mod mismatch;
mod rewrite;
mod seconds;
mod tables;
#[cfg(test)]
mod vectors;

use std::borrow::Cow;

use metadata_propagation::cluster_api::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP};
use serde_json::Value;

pub(crate) use self::mismatch::version_mismatches;
use self::rewrite::Rewrite;
use self::tables::{CONVERSIONS, KindConversion};
use crate::object::{FleetObject, ObjectId};

/// The version to which objects are converted.
const NEWEST: &str = "v1beta2";

/// Two objects of one kind in one version, and the version; `None` if they cannot be compared.
pub(super) fn in_one_version<'v>(
    id: &ObjectId,
    [old_version, new_version]: [&'v str; 2],
    [old, new]: [&'v Value; 2],
) -> Option<(&'v str, [Cow<'v, Value>; 2])> {
    if old_version == new_version {
        return Some((new_version, [Cow::Borrowed(old), Cow::Borrowed(new)]));
    }
    let converted = |version: &str, object: &Value| {
        let mut object = object.clone();
        convert(id, version, &mut object).then_some(Cow::Owned(object))
    };
    Some((NEWEST, [converted(old_version, old)?, converted(new_version, new)?]))
}

/// The same for objects of a fleet; `None` if they are in one version already, or cannot be compared.
pub(super) fn of_objects([old, new]: [&FleetObject; 2], values: [&Value; 2]) -> Option<[(FleetObject, Value); 2]> {
    if old.version == new.version {
        return None;
    }
    let (version, [was, is]) = in_one_version(&new.id, [&old.version, &new.version], values)?;
    let converted = |object: &FleetObject, value: Cow<'_, Value>| {
        let (version, json) = (version.to_owned(), value.to_string().into());
        (FleetObject { version, json, ..object.clone() }, value.into_owned())
    };
    Some([converted(old, was), converted(new, is)])
}

/// An object of v1beta1 with fields whose defaults its webhook takes from deprecated ones.
pub(super) fn with_defaults<'v>(id: &ObjectId, version: &str, object: &'v Value) -> Cow<'v, Value> {
    let sections = conversion(id).filter(|_| version == "v1beta1").map_or(&[][..], |conversion| conversion.sections);
    let defaults = sections.iter().flat_map(|(base, rewrites)| {
        rewrites
            .iter()
            .copied()
            .flatten()
            .filter(|rewrite| matches!(rewrite, Rewrite::Default(..)))
            .map(move |it| (base, it))
    });
    defaults.fold(Cow::Borrowed(object), |mut object, (base, rewrite)| {
        rewrite::each_at(object.to_mut(), base, &mut |section| rewrite::one(section, rewrite));
        object
    })
}

/// Whether objects of a kind are converted.
pub(crate) fn is_converted(id: &ObjectId) -> bool {
    conversion(id).is_some()
}

fn conversion(id: &ObjectId) -> Option<&'static KindConversion> {
    let is_known_group = [CORE_GROUP, BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP].contains(&&*id.group);
    CONVERSIONS.iter().find(|conversion| is_known_group && conversion.kind == id.kind)
}

/// Converts an object from v1beta1, or v1alpha1 if its kind has that, if it is not in v1beta2. Returns whether it is now.
pub(super) fn convert(id: &ObjectId, version: &str, object: &mut Value) -> bool {
    match (version, conversion(id)) {
        (NEWEST, Some(_)) => true,
        ("v1beta1" | "v1alpha1", Some(conversion)) if version == "v1beta1" || !conversion.alpha.is_empty() => {
            if version == "v1alpha1" {
                rewrite::all(object, conversion.alpha);
            }
            for (base, rewrites) in conversion.sections {
                rewrite::each_at(object, base, &mut |section| {
                    rewrites.iter().for_each(|rewrites| rewrite::all(section, rewrites));
                });
            }
            if let Some(api_version) = object.get_mut("apiVersion") {
                *api_version = Value::String(format!("{}/{NEWEST}", id.group));
            }
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::plan::bare::bare;

    /// Converts the `spec` of an object. What Cluster API's own functions answer is in `vectors`.
    fn converted(group: &str, kind: &str, spec: Value) -> Value {
        let id = ObjectId::new(group, kind, "fleet", "o");
        let mut object = json!({ "apiVersion": format!("{}/v1beta1", id.group), "kind": kind, "spec": spec });
        assert!(convert(&id, "v1beta1", &mut object), "{kind}");
        assert_eq!(object["apiVersion"], format!("{}/v1beta2", id.group));
        bare(&object["spec"]).unwrap_or_default()
    }

    /// No vector has fields that are `false`, nor these of an entry of a topology.
    #[test]
    fn what_no_vector_has() {
        let class = |schema: Value| json!({ "variables": [{ "name": "v", "schema": { "openAPIV3Schema": schema } }] });
        let etcd = |arguments: Value| json!({ "template": { "spec": { "kubeadmConfigSpec": { "clusterConfiguration": { "etcd": { "local": { "extraArgs": arguments } } } } } } });
        let workers = |entry: Value| json!({ "topology": { "workers": { "machineDeployments": [entry] } } });
        for (group, kind, old, new) in [
            (CORE_GROUP, "Cluster", json!({ "paused": false }), json!({})),
            (CORE_GROUP, "MachineDeployment", json!({ "paused": false }), json!({})),
            (
                CORE_GROUP,
                "Cluster",
                workers(json!({ "strategy": { "remediation": { "maxInFlight": 2 } },
                    "variables": { "overrides": [{ "name": "v", "definitionFrom": "p" }] } })),
                workers(
                    json!({ "healthCheck": { "remediation": { "maxInFlight": 2 } }, "variables": { "overrides": [{ "name": "v" }] } }),
                ),
            ),
            (
                CORE_GROUP,
                "ClusterClass",
                class(json!({ "type": "string", "uniqueItems": false })),
                class(json!({ "type": "string" })),
            ),
            (
                BOOTSTRAP_GROUP,
                "KubeadmConfig",
                json!({ "clusterConfiguration": { "apiServer": { "extraVolumes": [{ "name": "v", "readOnly": false }] } },
                    "files": [{ "path": "/f", "append": false }, { "path": "/g", "append": true }] }),
                json!({ "clusterConfiguration": { "apiServer": { "extraVolumes": [{ "name": "v" }] } },
                    "files": [{ "path": "/f" }, { "path": "/g", "append": true }] }),
            ),
            (
                CONTROL_PLANE_GROUP,
                "KubeadmControlPlaneTemplate",
                etcd(json!({ "b": "2", "a": "1" })),
                etcd(json!([{ "name": "a", "value": "1" }, { "name": "b", "value": "2" }])),
            ),
        ] {
            assert_eq!(converted(group, kind, old), bare(&new).unwrap_or_default(), "{kind}");
        }
    }

    #[test]
    fn control_planes_of_other_providers() {
        let reference = |version: &str| json!({ "apiVersion": format!("infrastructure.cluster.x-k8s.io/{version}"), "kind": "T", "name": "t" });
        let new_machine = json!({ "metadata": { "labels": { "a": "b" } }, "spec": {
            "deletion": { "nodeDrainTimeoutSeconds": 60, "nodeDeletionTimeoutSeconds": 10 },
            "infrastructureRef": { "apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "T", "name": "t" } } });
        let old = json!({ "version": "v1.34.2+rke2r1", "infrastructureRef": reference("v1beta1"), "nodeDrainTimeout": "1m",
            "machineTemplate": { "metadata": { "labels": { "a": "b" } }, "nodeDeletionTimeout": "10s" },
            "agentConfig": { "format": "cloud-config" } });
        assert_eq!(
            converted(CONTROL_PLANE_GROUP, "RKE2ControlPlane", old.clone()),
            json!({ "version": "v1.34.2+rke2r1", "machineTemplate": new_machine, "agentConfig": { "format": "cloud-config" } })
        );
        let mut both = old.clone();
        both["machineTemplate"]["infrastructureRef"] = json!({ "apiVersion": "g/v1", "kind": "T", "name": "other" });
        assert_eq!(
            converted(CONTROL_PLANE_GROUP, "RKE2ControlPlane", both)["machineTemplate"]["spec"]["infrastructureRef"],
            json!({ "apiGroup": "g", "kind": "T", "name": "other" })
        );
        assert_eq!(
            converted(CONTROL_PLANE_GROUP, "RKE2ControlPlaneTemplate", json!({ "template": { "spec": old } })),
            json!({ "template": { "spec": { "agentConfig": { "format": "cloud-config" },
                "machineTemplate": { "metadata": { "labels": { "a": "b" } }, "spec": { "deletion": { "nodeDeletionTimeoutSeconds": 10 } } } } } })
        );
        let same = || json!({ "template": { "spec": { "agentConfig": { "nodeLabels": ["a=b"] } } } });
        assert_eq!(converted(BOOTSTRAP_GROUP, "RKE2ConfigTemplate", same()), same());
        let alpha = json!({ "agentConfig": { "version": "v1.34.2+rke2r1", "format": "cloud-config" }, "infrastructureRef": reference("v1beta1") });
        let id = ObjectId::new(CONTROL_PLANE_GROUP, "RKE2ControlPlane", "", "");
        let mut object = json!({ "spec": alpha });
        assert!(
            convert(&id, "v1alpha1", &mut object)
                && !convert(
                    &ObjectId { kind: "KubeadmControlPlane".to_owned(), ..id.clone() },
                    "v1alpha1",
                    &mut object.clone()
                )
        );
        assert_eq!(
            bare(&object["spec"]),
            Some(json!({ "version": "v1.34.2+rke2r1", "agentConfig": { "format": "cloud-config" },
                "machineTemplate": { "spec": { "infrastructureRef": { "apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "T", "name": "t" } } } }))
        );
        let old = json!({ "spec": { "infrastructureRef": reference("v1beta1") } });
        let new = json!({ "spec": { "infrastructureRef": reference("v1beta1"), "machineTemplate": { "infrastructureRef": reference("v1beta1") } } });
        assert_eq!(with_defaults(&id, "v1beta1", &old), with_defaults(&id, "v1beta1", &new));
        let k3s = |is_disabled: bool| {
            json!({ "version": "v1.34.2+k3s1", "infrastructureTemplate": reference("v1beta1"), "nodeDrainTimeout": "1m",
                "upgradeAfter": "2026-01-01T00:00:00Z",
                "kthreesConfigSpec": { "serverConfig": { "disableExternalCloudProvider": is_disabled } } })
        };
        let new_k3s = |server: Value| {
            json!({ "version": "v1.34.2+k3s1", "rolloutAfter": "2026-01-01T00:00:00Z",
                "machineTemplate": { "nodeDrainTimeout": "1m", "infrastructureRef": reference("v1beta1") },
                "kthreesConfigSpec": { "serverConfig": server } })
        };
        let off =
            json!({ "disableExternalCloudProvider": true, "cloudProviderName": "", "disableCloudController": false });
        assert_eq!(converted(CONTROL_PLANE_GROUP, "KThreesControlPlane", k3s(true)), new_k3s(off));
        let on = json!({ "disableExternalCloudProvider": false });
        assert_eq!(converted(CONTROL_PLANE_GROUP, "KThreesControlPlane", k3s(false)), new_k3s(on));
    }
}
