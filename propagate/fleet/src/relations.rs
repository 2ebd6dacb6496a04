//! What an object is created from, according to its references.

use metadata_propagation::cluster_api::{
    CLUSTER_NAME, CORE_GROUP, NODE_CLUSTER_NAMESPACE, NODE_MACHINE, TOPOLOGY_OWNED,
};
use serde::Deserialize;
use serde_json::Value;
use topology::{WORKERS, WorkersKind};

use crate::object::{ObjectId, group_and_version};

/// What an object is created from: the class of a Cluster, the Cluster of a topology, the owner of anything else, the
/// Machine of a Node.
pub(crate) fn parent(id: &ObjectId, object: &Value) -> Option<ObjectId> {
    let core = |kind, namespace, name| ObjectId::new(CORE_GROUP, kind, namespace, name);
    if id.group == CORE_GROUP && id.kind == "Cluster" {
        let (name, namespace) = class_of(object)?;
        return Some(core("ClusterClass", namespace.unwrap_or(&id.namespace), name));
    }
    if id.group.is_empty() && id.kind == "Node" {
        let annotation = |key: &str| object.get("metadata")?.get("annotations")?.get(key)?.as_str();
        let (namespace, name) = (annotation(NODE_CLUSTER_NAMESPACE)?, annotation(NODE_MACHINE)?);
        return Some(core("Machine", namespace, name));
    }
    if !id.group.ends_with(CORE_GROUP) {
        return None;
    }
    let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_controller = |owner: &&Value| owner.get("controller") == Some(&Value::Bool(true));
    let is_machine = |owner: &&Value| text(owner, "kind") == "Machine";
    let owner = owners.iter().find(is_machine).or_else(|| owners.iter().find(is_controller)).or(owners.first());
    if let Some(owner) = owner {
        return Some(referenced(owner, &id.namespace));
    }
    let cluster = object.pointer("/spec/clusterName").and_then(Value::as_str);
    let labels = object.pointer("/metadata/labels");
    let label = || labels?.get(CLUSTER_NAME)?.as_str();
    ["MachineDeployment", "MachinePool", "MachineSet", "Machine"]
        .contains(&&*id.kind)
        .then_some(cluster)
        .flatten()
        .or_else(label)
        .map(|name| core("Cluster", &id.namespace, name))
}

/// Whether a topology created an object.
pub(crate) fn is_of_topology(object: &Value) -> bool {
    let labels = object.pointer("/metadata/labels");
    labels.is_some_and(|labels| labels.get(TOPOLOGY_OWNED).is_some())
}

/// The parts of an object that its relations are read from: all except the status and the owners of fields.
pub(crate) fn related(json: &str) -> Value {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct RelatedMetadata {
        labels: Option<Value>,
        annotations: Option<Value>,
        owner_references: Option<Value>,
    }
    #[derive(Deserialize)]
    struct Related {
        metadata: RelatedMetadata,
        spec: Option<Value>,
    }
    let Ok(Related { metadata, spec }) = serde_json::from_str(json) else {
        return serde_json::from_str(json).unwrap_or_default();
    };
    let RelatedMetadata { labels, annotations, owner_references } = metadata;
    let object = |fields: Vec<(&str, Option<Value>)>| {
        let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(present.collect())
    };
    let metadata =
        object(vec![("labels", labels), ("annotations", annotations), ("ownerReferences", owner_references)]);
    object(vec![("metadata", Some(metadata)), ("spec", spec)])
}

/// The fields in which an object names its dependents, which need not name it.
const REFERENCES: &[(&str, &[&str])] = &[
    ("Cluster", &["/spec/controlPlaneRef", "/spec/infrastructureRef"]),
    ("Machine", &["/spec/infrastructureRef", "/spec/bootstrap/configRef"]),
    ("MachinePool", &["/spec/template/spec/infrastructureRef", "/spec/template/spec/bootstrap/configRef"]),
];

/// The dependents that an object names: the control plane and infrastructure of a Cluster, the parts of a Machine.
pub(crate) fn references(id: &ObjectId, object: &Value) -> Vec<ObjectId> {
    let paths =
        REFERENCES.iter().filter(|(kind, _)| id.group == CORE_GROUP && id.kind == *kind).flat_map(|(_, paths)| *paths);
    paths.filter_map(|path| Some(referenced(object.pointer(path)?, &id.namespace))).collect()
}

/// The object of a namespace that a reference names: its group is `apiGroup`, or else that of `apiVersion`.
pub fn referenced(reference: &Value, namespace: &str) -> ObjectId {
    let group = match text(reference, "apiGroup") {
        "" => group_and_version(text(reference, "apiVersion")).0,
        group => group,
    };
    ObjectId::new(group, text(reference, "kind"), namespace, text(reference, "name"))
}

/// The lists of a topology and the names in them whose objects an object is, or belongs to.
pub(crate) fn topology_entries(object: &Value) -> Vec<(&'static str, String)> {
    let labels = object.pointer("/metadata/labels");
    let entry = |kind: WorkersKind| Some((kind.list, labels?.get(kind.label)?.as_str()?.to_owned()));
    WORKERS.into_iter().filter_map(entry).collect()
}

/// Name and namespace of the class of a Cluster, in both versions; no namespace if it names none.
///
/// ```
/// use fleet::class_of;
/// use serde_json::json;
///
/// let cluster = json!({"spec": {"topology": {"classRef": {"name": "small", "namespace": "classes"}}}});
/// assert_eq!(class_of(&cluster), Some(("small", Some("classes"))));
/// assert_eq!(class_of(&json!({"spec": {}})), None);
/// ```
pub fn class_of(cluster: &Value) -> Option<(&str, Option<&str>)> {
    let topology = cluster.pointer("/spec/topology")?;
    let string = |path: &str| topology.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty());
    let name = string("/classRef/name").or_else(|| string("/class"))?;
    let namespace = string("/classRef/namespace").or_else(|| string("/classNamespace"));
    Some((name, namespace.filter(|namespace| !is_placeholder(namespace))))
}

/// Whether a namespace is a variable of a template, such as `${NAMESPACE}`: it is that of objects without one.
pub(crate) fn is_placeholder(namespace: &str) -> bool {
    namespace.starts_with("${") && namespace.ends_with('}')
}

/// Every text in a value.
pub(crate) fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(elements) => elements.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

pub(crate) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn relations_are_read_from_metadata_and_spec() {
        let read = related(
            r#"{"kind":"Machine","metadata":{"name":"m","labels":{"a":"b"},"managedFields":[{}]},"spec":{"clusterName":"c"},"status":{}}"#,
        );
        assert_eq!(read, json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "clusterName": "c" } }));
    }

    #[test]
    fn a_variable_of_a_template_is_no_namespace() {
        let class = |namespace: &str| json!({ "spec": { "topology": { "classRef": { "name": "c", "namespace": namespace } } } });
        assert_eq!(class_of(&class("${CLASSES:-${NAMESPACE}}")), Some(("c", None)));
        assert_eq!(class_of(&class("classes")), Some(("c", Some("classes"))));
    }

    #[test]
    fn of_a_field_that_is_written_twice_the_last_counts() {
        let read = related(r#"{"metadata":{"labels":{"a":"b"},"labels":{"c":"d"}}}"#);
        assert_eq!(read, json!({ "metadata": { "labels": { "c": "d" } } }));
    }
}
