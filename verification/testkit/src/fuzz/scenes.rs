//! One request for each kind of owner lookup; the lookups are then answered with arbitrary bytes.

use std::sync::OnceLock;

use serde_json::{Value, json};

/// A request.
#[derive(Debug)]
pub struct Scene {
    /// The AdmissionRequest's text.
    pub request: String,
    /// Group and kind under review.
    pub of: (&'static str, &'static str),
}

/// The settings of all scenes: failed lookups become warnings, and Nodes have expressions.
pub const SETTINGS: &str = r#"{"lookup":{"onMissing":"warn","onFailure":"warn"},"clusterApi":{"node":{"additionalLabels":["x"],"additionalAnnotations":["x"]}}}"#;

const CORE: &str = "cluster.x-k8s.io";
const CONTROL_PLANE: &str = "controlplane.cluster.x-k8s.io";

/// Group and kind under review, and of the owner.
type Way = (&'static str, &'static str, &'static str, &'static str);

const WAYS: &[Way] = &[
    (CORE, "Machine", CORE, "MachineSet"),
    (CORE, "Machine", CORE, "MachinePool"),
    (CORE, "Machine", CONTROL_PLANE, "KubeadmControlPlane"),
    (CORE, "Machine", CONTROL_PLANE, "RKE2ControlPlane"),
    (CORE, "MachineSet", CORE, "MachineDeployment"),
    (CORE, "MachineDeployment", CORE, "Cluster"),
    (CORE, "MachinePool", CORE, "Cluster"),
    (CONTROL_PLANE, "KubeadmControlPlane", CORE, "Cluster"),
    (CONTROL_PLANE, "RKE2ControlPlane", CORE, "Cluster"),
    ("infrastructure.cluster.x-k8s.io", "DevMachine", CORE, "Machine"),
    ("bootstrap.cluster.x-k8s.io", "KubeadmConfig", CORE, "MachineSet"),
    ("", "Node", "", ""),
];

/// Every lookup, for CREATE and UPDATE, in both versions.
pub fn scenes() -> &'static [Scene] {
    static SCENES: OnceLock<Vec<Scene>> = OnceLock::new();
    SCENES.get_or_init(|| {
        let ways = WAYS.iter().flat_map(|way| ["v1beta1", "v1beta2"].map(|version| (way, version)));
        ways.flat_map(|(way, version)| [false, true].map(|update| scene(way, version, update))).collect()
    })
}

fn scene(&(group, kind, owner_group, owner): &Way, version: &str, update: bool) -> Scene {
    let mut object = json!({
        "apiVersion": format!("{group}/{version}"),
        "kind": kind,
        "metadata": {
            "name": "it",
            "namespace": "fleet",
            "labels": {
                "cluster.x-k8s.io/cluster-name": "c1",
                "topology.cluster.x-k8s.io/owned": "",
                "topology.cluster.x-k8s.io/deployment-name": "w",
                "topology.cluster.x-k8s.io/pool-name": "w",
                "a": "mine",
            },
            "annotations": {
                "cluster.x-k8s.io/machine": "m",
                "cluster.x-k8s.io/cluster-name": "c1",
                "cluster.x-k8s.io/cluster-namespace": "fleet",
                "metadata-propagation.plexsphere.com/managed": r#"{"labels":["a"],"annotations":["b"],"fields":[]}"#,
            },
            "ownerReferences": [{
                "apiVersion": format!("{owner_group}/{version}"), "kind": owner, "name": "o", "uid": "1", "controller": true,
            }],
        },
        "spec": {},
        "status": { "nodeRef": { "name": "it" } },
    });
    let mut old = object.clone();
    if update {
        object["metadata"]["labels"]["a"] = json!("edited");
        object["metadata"]["managedFields"] = owned_by("kubectl-edit", "Update", version);
        old["metadata"]["managedFields"] = owned_by("capi-machineset", "Apply", version);
    }
    let mut request = json!({
        "operation": "CREATE",
        "kind": { "group": group, "version": version, "kind": kind },
        "name": "it",
        "namespace": "fleet",
        "userInfo": { "username": "alice" },
        "object": object,
    });
    if let Some(request) = request.as_object_mut().filter(|_| update) {
        request.insert("operation".to_owned(), json!("UPDATE"));
        request.insert("oldObject".to_owned(), old);
    }
    Scene { request: request.to_string(), of: (group, kind) }
}

/// The edited label has this owner.
fn owned_by(manager: &str, operation: &str, version: &str) -> Value {
    json!([{
        "manager": manager,
        "operation": operation,
        "apiVersion": format!("{CORE}/{version}"),
        "fieldsType": "FieldsV1",
        "fieldsV1": { "f:metadata": { "f:labels": { "f:a": {} } } },
    }])
}
