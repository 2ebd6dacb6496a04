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

pub(crate) use self::mismatch::{VersionMismatch, version_mismatches};
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
pub(super) fn of_objects(old: &FleetObject, new: &FleetObject) -> Option<[FleetObject; 2]> {
    if old.version == new.version {
        return None;
    }
    let values = [old, new].map(|object| serde_json::from_str(&object.json).unwrap_or_default());
    let (version, [was, is]) = in_one_version(&new.id, [&old.version, &new.version], values.each_ref())?;
    let converted = |object: &FleetObject, value: &Value| {
        let (version, json) = (version.to_owned(), value.to_string().into());
        FleetObject { version, json, ..object.clone() }
    };
    Some([converted(old, &was), converted(new, &is)])
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

    /// Converts the `spec` of an object.
    fn converted(group: &str, kind: &str, spec: Value) -> Value {
        let (group, namespace, name) = (group.to_owned(), "fleet".to_owned(), "o".to_owned());
        let id = ObjectId { group, kind: kind.to_owned(), namespace, name, ..ObjectId::default() };
        let mut object = json!({ "apiVersion": format!("{}/v1beta1", id.group), "kind": kind, "spec": spec });
        assert!(convert(&id, "v1beta1", &mut object), "{kind}");
        assert_eq!(object["apiVersion"], format!("{}/v1beta2", id.group));
        bare(&object["spec"]).unwrap_or_default()
    }

    #[test]
    fn workers() {
        let machine = || {
            json!({ "clusterName": "c", "version": "v1.34.2", "nodeDrainTimeout": "1m30s", "nodeDeletionTimeout": "0s",
                "bootstrap": { "configRef": { "apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1", "kind": "KubeadmConfigTemplate", "name": "b", "namespace": "fleet" } },
                "infrastructureRef": { "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "DevMachineTemplate", "name": "i" } })
        };
        let expected = json!({ "clusterName": "c", "version": "v1.34.2",
            "deletion": { "nodeDrainTimeoutSeconds": 90, "nodeDeletionTimeoutSeconds": 0 },
            "bootstrap": { "configRef": { "apiGroup": "bootstrap.cluster.x-k8s.io", "kind": "KubeadmConfigTemplate", "name": "b" } },
            "infrastructureRef": { "apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "DevMachineTemplate", "name": "i" } });
        let mut ready = expected.clone();
        ready["minReadySeconds"] = json!(5);
        assert_eq!(converted(CORE_GROUP, "Machine", machine()), expected);
        assert_eq!(
            converted(
                CORE_GROUP,
                "MachineDeployment",
                json!({ "replicas": 2, "minReadySeconds": 5, "paused": false, "revisionHistoryLimit": 3, "progressDeadlineSeconds": 600,
                    "rolloutAfter": "2026-01-01T00:00:00Z", "machineNamingStrategy": { "template": "t" },
                    "strategy": { "type": "RollingUpdate", "remediation": { "maxInFlight": 1 },
                        "rollingUpdate": { "maxSurge": 1, "maxUnavailable": "0%", "deletePolicy": "Oldest" } },
                    "template": { "spec": machine() } })
            ),
            json!({ "replicas": 2, "machineNaming": { "template": "t" }, "deletion": { "order": "Oldest" },
                "remediation": { "maxInFlight": 1 },
                "rollout": { "after": "2026-01-01T00:00:00Z",
                    "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1, "maxUnavailable": "0%" } } },
                "template": { "spec": ready } })
        );
        assert_eq!(
            converted(
                CORE_GROUP,
                "MachineSet",
                json!({ "minReadySeconds": 5, "deletePolicy": "Random", "machineNamingStrategy": { "template": "t" },
                    "template": { "spec": machine() } })
            ),
            json!({ "deletion": { "order": "Random" }, "machineNaming": { "template": "t" }, "template": { "spec": ready } })
        );
        assert_eq!(
            converted(CORE_GROUP, "MachinePool", json!({ "minReadySeconds": 5, "template": { "spec": machine() } })),
            json!({ "template": { "spec": ready } })
        );
    }

    #[test]
    fn health_checks() {
        assert_eq!(
            converted(
                CORE_GROUP,
                "MachineHealthCheck",
                json!({ "clusterName": "c", "selector": { "matchLabels": { "a": "b" } }, "maxUnhealthy": "40%",
                    "unhealthyRange": "[1-3]", "nodeStartupTimeout": "10m",
                    "unhealthyConditions": [{ "type": "Ready", "status": "False", "timeout": "5m" }],
                    "remediationTemplate": { "apiVersion": "g/v1", "kind": "T", "name": "t", "namespace": "fleet" } })
            ),
            json!({ "clusterName": "c", "selector": { "matchLabels": { "a": "b" } },
                "checks": { "nodeStartupTimeoutSeconds": 600,
                    "unhealthyNodeConditions": [{ "type": "Ready", "status": "False", "timeoutSeconds": 300 }] },
                "remediation": { "triggerIf": { "unhealthyLessThanOrEqualTo": "40%", "unhealthyInRange": "[1-3]" },
                    "templateRef": { "apiVersion": "g/v1", "kind": "T", "name": "t" } } })
        );
    }

    #[test]
    fn control_planes() {
        let config = || {
            json!({ "useExperimentalRetryJoin": true,
                "clusterConfiguration": { "clusterName": "c", "kubernetesVersion": "v1", "networking": { "podSubnet": "p" },
                    "apiServer": { "timeoutForControlPlane": "20m0s", "extraArgs": { "b": "2", "a": "1" },
                        "extraVolumes": [{ "name": "v", "hostPath": "/v", "mountPath": "/v", "readOnly": false }] },
                    "etcd": { "local": { "extraArgs": { "e": "3" } } } },
                "initConfiguration": { "bootstrapTokens": [{ "token": "t", "ttl": "24h" }],
                    "nodeRegistration": { "kubeletExtraArgs": { "k": "4" } } },
                "joinConfiguration": { "discovery": { "timeout": "5m" }, "nodeRegistration": { "kubeletExtraArgs": { "k": "4" } } },
                "files": [{ "path": "/f", "append": false }, { "path": "/g", "append": true }] })
        };
        let args = |pairs: &[(&str, &str)]| -> Value {
            pairs.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
        };
        let expected = json!({
            "clusterConfiguration": {
                "apiServer": { "extraArgs": args(&[("a", "1"), ("b", "2")]),
                    "extraVolumes": [{ "name": "v", "hostPath": "/v", "mountPath": "/v" }] },
                "etcd": { "local": { "extraArgs": args(&[("e", "3")]) } } },
            "initConfiguration": { "bootstrapTokens": [{ "token": "t", "ttlSeconds": 86400 }],
                "nodeRegistration": { "kubeletExtraArgs": args(&[("k", "4")]) },
                "timeouts": { "controlPlaneComponentHealthCheckSeconds": 1200 } },
            "joinConfiguration": { "nodeRegistration": { "kubeletExtraArgs": args(&[("k", "4")]) },
                "timeouts": { "controlPlaneComponentHealthCheckSeconds": 1200, "tlsBootstrapSeconds": 300 } },
            "files": [{ "path": "/f" }, { "path": "/g", "append": true }] });
        let spec = |machine_template: Value| {
            json!({ "kubeadmConfigSpec": config(), "machineTemplate": machine_template,
                "rolloutBefore": { "certificatesExpiryDays": 20 }, "rolloutAfter": "2026-01-01T00:00:00Z",
                "rolloutStrategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1 } },
                "remediationStrategy": { "maxRetry": 3, "retryPeriod": "1m", "minHealthyPeriod": "1h" },
                "machineNamingStrategy": { "template": "t" } })
        };
        let new_spec = |machine_template: Value| {
            json!({ "kubeadmConfigSpec": expected, "machineTemplate": machine_template, "machineNaming": { "template": "t" },
                "rollout": { "before": { "certificatesExpiryDays": 20 }, "after": "2026-01-01T00:00:00Z",
                    "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1 } } },
                "remediation": { "maxRetry": 3, "retryPeriodSeconds": 60, "minHealthyPeriodSeconds": 3600 } })
        };
        assert_eq!(
            converted(
                CONTROL_PLANE_GROUP,
                "KubeadmControlPlane",
                spec(
                    json!({ "metadata": { "labels": { "a": "b" } }, "nodeDrainTimeout": "1m", "readinessGates": [{ "conditionType": "r" }],
                    "taints": [{ "key": "t", "effect": "NoSchedule", "propagation": "Always" }],
                    "infrastructureRef": { "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "T", "name": "i" } })
                )
            ),
            new_spec(json!({ "metadata": { "labels": { "a": "b" } }, "spec": {
                "deletion": { "nodeDrainTimeoutSeconds": 60 }, "readinessGates": [{ "conditionType": "r" }],
                "taints": [{ "key": "t", "effect": "NoSchedule", "propagation": "Always" }],
                "infrastructureRef": { "apiGroup": "infrastructure.cluster.x-k8s.io", "kind": "T", "name": "i" } } }))
        );
        assert_eq!(
            converted(
                CONTROL_PLANE_GROUP,
                "KubeadmControlPlaneTemplate",
                json!({ "template": { "spec": spec(json!({ "nodeVolumeDetachTimeout": "2m" })) } })
            ),
            json!({ "template": { "spec": new_spec(json!({ "spec": { "deletion": { "nodeVolumeDetachTimeoutSeconds": 120 } } })) } })
        );
        assert_eq!(converted(BOOTSTRAP_GROUP, "KubeadmConfig", config()), expected);
        assert_eq!(
            converted(BOOTSTRAP_GROUP, "KubeadmConfigTemplate", json!({ "template": { "spec": config() } })),
            json!({ "template": { "spec": expected } })
        );
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
        let id = ObjectId {
            group: CONTROL_PLANE_GROUP.to_owned(),
            kind: "RKE2ControlPlane".to_owned(),
            ..ObjectId::default()
        };
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

    #[test]
    fn clusters_and_classes() {
        let check = || json!({ "enable": true, "maxUnhealthy": 1, "unhealthyConditions": [{ "type": "Ready", "status": "Unknown", "timeout": "1m" }] });
        let new_check = || {
            json!({ "enabled": true, "remediation": { "triggerIf": { "unhealthyLessThanOrEqualTo": 1 } },
                "checks": { "unhealthyNodeConditions": [{ "type": "Ready", "status": "Unknown", "timeoutSeconds": 60 }] } })
        };
        let strategy = || json!({ "type": "OnDelete", "rollingUpdate": { "deletePolicy": "Newest" }, "remediation": { "maxInFlight": 2 } });
        let mut limited = new_check();
        limited["remediation"]["maxInFlight"] = json!(2);
        let deletion = || json!({ "nodeDrainTimeoutSeconds": 60 });
        let ordered = || json!({ "nodeDrainTimeoutSeconds": 60, "order": "Newest" });
        let rollout = || json!({ "strategy": { "type": "OnDelete" } });
        assert_eq!(
            converted(
                CORE_GROUP,
                "Cluster",
                json!({ "paused": false, "controlPlaneRef": { "apiVersion": "controlplane.cluster.x-k8s.io/v1beta1", "kind": "K", "name": "k" },
                    "topology": { "class": "small", "classNamespace": "classes", "version": "v1.34.2", "rolloutAfter": "2026-01-01T00:00:00Z",
                        "variables": [{ "name": "v", "value": 1, "definitionFrom": "" }],
                        "controlPlane": { "replicas": 3, "nodeDrainTimeout": "1m", "machineHealthCheck": check() },
                        "workers": {
                            "machineDeployments": [{ "class": "w", "name": "a", "nodeDrainTimeout": "1m", "strategy": strategy(),
                                "machineHealthCheck": check(), "variables": { "overrides": [{ "name": "v", "value": 2, "definitionFrom": "p" }] } }],
                            "machinePools": [{ "class": "p", "name": "b", "nodeDrainTimeout": "1m" }] } } })
            ),
            json!({ "controlPlaneRef": { "apiGroup": "controlplane.cluster.x-k8s.io", "kind": "K", "name": "k" },
                "topology": { "classRef": { "name": "small", "namespace": "classes" }, "version": "v1.34.2",
                    "variables": [{ "name": "v", "value": 1 }],
                    "controlPlane": { "replicas": 3, "deletion": deletion(), "healthCheck": new_check() },
                    "workers": {
                        "machineDeployments": [{ "class": "w", "name": "a", "deletion": ordered(), "rollout": rollout(),
                            "healthCheck": limited, "variables": { "overrides": [{ "name": "v", "value": 2 }] } }],
                        "machinePools": [{ "class": "p", "name": "b", "deletion": deletion() }] } } })
        );
        let template =
            |name: &str| json!({ "apiVersion": "g/v1beta1", "kind": "T", "name": name, "namespace": "fleet" });
        let new_template =
            |name: &str| json!({ "templateRef": { "apiVersion": "g/v1beta1", "kind": "T", "name": name } });
        let old_template = |name: &str| json!({ "ref": template(name) });
        let metadata = || json!({ "labels": { "a": "b" } });
        assert_eq!(
            converted(
                CORE_GROUP,
                "ClusterClass",
                json!({ "infrastructure": old_template("i"), "infrastructureNamingStrategy": { "template": "n" },
                    "controlPlane": { "ref": template("c"), "machineInfrastructure": old_template("m"), "metadata": metadata(),
                        "namingStrategy": { "template": "n" }, "nodeDrainTimeout": "1m" },
                    "patches": [{ "name": "p", "external": { "generateExtension": "g", "validateExtension": "v" } }],
                    "variables": [{ "name": "v", "required": false, "metadata": metadata(), "schema": { "openAPIV3Schema": { "type": "string", "uniqueItems": false } } }],
                    "workers": {
                        "machineDeployments": [{ "class": "w", "namingStrategy": { "template": "n" }, "strategy": strategy(), "nodeDrainTimeout": "1m",
                            "template": { "metadata": metadata(), "bootstrap": old_template("b"), "infrastructure": old_template("i") } }],
                        "machinePools": [{ "class": "p", "template": { "metadata": metadata(), "bootstrap": old_template("b"), "infrastructure": old_template("i") } }] } })
            ),
            json!({ "infrastructure": { "templateRef": template_without_namespace("i"), "naming": { "template": "n" } },
                "controlPlane": { "templateRef": template_without_namespace("c"), "machineInfrastructure": new_template("m"),
                    "metadata": metadata(), "naming": { "template": "n" }, "deletion": deletion() },
                "patches": [{ "name": "p", "external": { "generatePatchesExtension": "g", "validateTopologyExtension": "v" } }],
                "variables": [{ "name": "v", "required": false, "deprecatedV1Beta1Metadata": metadata(), "schema": { "openAPIV3Schema": { "type": "string" } } }],
                "workers": {
                    "machineDeployments": [{ "class": "w", "naming": { "template": "n" }, "rollout": rollout(), "deletion": ordered(),
                        "healthCheck": { "remediation": { "maxInFlight": 2 } }, "metadata": metadata(),
                        "bootstrap": new_template("b"), "infrastructure": new_template("i") }],
                    "machinePools": [{ "class": "p", "metadata": metadata(), "bootstrap": new_template("b"), "infrastructure": new_template("i") }] } })
        );
    }

    fn template_without_namespace(name: &str) -> Value {
        json!({ "apiVersion": "g/v1beta1", "kind": "T", "name": name })
    }
}
