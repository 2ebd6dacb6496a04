//! What an object is made from, as its references say.

use serde_json::Value;

use crate::object::{ObjectId, group_and_version};

const CORE: &str = "cluster.x-k8s.io";

/// What an object is made from: the class of a Cluster, the Cluster of a topology, the owner of anything else, the Machine
/// of a Node.
pub(crate) fn parent(id: &ObjectId, object: &Value) -> Option<ObjectId> {
    let core = |kind: &str, namespace: &str, name: &str| ObjectId {
        group: CORE.to_owned(),
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    if id.group == CORE && id.kind == "Cluster" {
        let (name, namespace) = class_of(object)?;
        return Some(core("ClusterClass", namespace.unwrap_or(&id.namespace), name));
    }
    if id.group.is_empty() && id.kind == "Node" {
        let annotation = |key: &str| object.get("metadata")?.get("annotations")?.get(key)?.as_str();
        let (namespace, name) =
            (annotation("cluster.x-k8s.io/cluster-namespace")?, annotation("cluster.x-k8s.io/machine")?);
        return Some(core("Machine", namespace, name));
    }
    if !id.group.ends_with(CORE) {
        return None;
    }
    let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_controller = |owner: &&Value| owner.get("controller") == Some(&Value::Bool(true));
    let is_machine = |owner: &&Value| text(owner, "kind") == "Machine";
    let owner = owners.iter().find(is_machine).or_else(|| owners.iter().find(is_controller)).or(owners.first());
    if let Some(owner) = owner {
        return Some(ObjectId {
            group: group_and_version(text(owner, "apiVersion")).0.to_owned(),
            ..core(text(owner, "kind"), &id.namespace, text(owner, "name"))
        });
    }
    let cluster = object.pointer("/spec/clusterName").and_then(Value::as_str);
    let labels = object.pointer("/metadata/labels");
    let label = || labels?.get("cluster.x-k8s.io/cluster-name")?.as_str();
    ["MachineDeployment", "MachinePool", "MachineSet", "Machine"]
        .contains(&&*id.kind)
        .then_some(cluster)
        .flatten()
        .or_else(label)
        .map(|name| core("Cluster", &id.namespace, name))
}

/// Where an object names others that are made for it, and that need not name it.
const REFERENCES: &[(&str, &[&str])] = &[
    ("Cluster", &["/spec/controlPlaneRef", "/spec/infrastructureRef"]),
    ("Machine", &["/spec/infrastructureRef", "/spec/bootstrap/configRef"]),
    ("MachinePool", &["/spec/template/spec/infrastructureRef", "/spec/template/spec/bootstrap/configRef"]),
];

/// What an object names as made for it: the control plane and infrastructure of a Cluster, the parts of a Machine.
pub(crate) fn references(id: &ObjectId, object: &Value) -> Vec<ObjectId> {
    let paths =
        REFERENCES.iter().filter(|(kind, _)| id.group == CORE && id.kind == *kind).flat_map(|(_, paths)| *paths);
    let reference = |path: &&str| {
        let reference = object.pointer(path)?;
        let group = match text(reference, "apiGroup") {
            "" => group_and_version(text(reference, "apiVersion")).0,
            group => group,
        };
        let (group, kind, name) =
            (group.to_owned(), text(reference, "kind").to_owned(), text(reference, "name").to_owned());
        Some(ObjectId { group, kind, namespace: id.namespace.clone(), name })
    };
    paths.filter_map(reference).collect()
}

/// Name and namespace of the class of a Cluster, in both versions.
pub(crate) fn class_of(cluster: &Value) -> Option<(&str, Option<&str>)> {
    let topology = cluster.pointer("/spec/topology")?;
    let string = |path: &str| topology.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty());
    let name = string("/classRef/name").or_else(|| string("/class"))?;
    Some((name, string("/classRef/namespace").or_else(|| string("/classNamespace"))))
}

pub(crate) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}
