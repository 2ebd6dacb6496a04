//! The annotations that a node group needs, as a command.

use std::collections::BTreeMap;

use fleet::{Hierarchy, ObjectId, WORKERS, WorkersKind};
use metadata_propagation::cluster_api::{CLUSTER_NAME, CORE_GROUP, TOPOLOGY_OWNED};
use serde_json::{Value, json};

use super::groups::NodeGroup;
use super::one_line;
use crate::shell::quoted;

/// A command for kubectl after lines of comments; `Err` says why there is none.
pub(crate) fn patch(
    hierarchy: &Hierarchy,
    group: &NodeGroup<'_>,
    values: &BTreeMap<&'static str, Option<String>>,
) -> Result<String, String> {
    let labels = group.object.pointer("/metadata/labels");
    let label = |key: &str| labels.and_then(|labels| labels.get(key)?.as_str());
    if label(TOPOLOGY_OWNED).is_some() {
        return of_topology(hierarchy, group, values);
    }
    let annotations = json!({ "metadata": { "annotations": values } });
    Ok(command(&group.member.id, "merge", &annotations))
}

/// The topology controller sets the annotations of the objects it owns from the Cluster, so they must be set there.
fn of_topology(
    hierarchy: &Hierarchy,
    group: &NodeGroup<'_>,
    values: &BTreeMap<&'static str, Option<String>>,
) -> Result<String, String> {
    let id = &group.member.id;
    let none = || format!("cannot print a patch: the topology entry of {id} is not among the objects");
    let WorkersKind { list, label, .. } =
        WORKERS.into_iter().find(|workers| workers.kind == id.kind).ok_or_else(none)?;
    let text = |path: &str, key: &str| group.object.pointer(path).and_then(|map| map.get(key)?.as_str());
    let entry_name = text("/metadata/labels", label).ok_or_else(none)?;
    let cluster_name = text("/spec", "clusterName").or_else(|| text("/metadata/labels", CLUSTER_NAME));
    let cluster = hierarchy.members().iter().find(|member| {
        let of = &member.id;
        (&*of.group, &*of.kind) == (CORE_GROUP, "Cluster")
            && of.namespace == id.namespace
            && cluster_name == Some(&*of.name)
    });
    let cluster = cluster.ok_or_else(none)?;
    let object = cluster.completed();
    let path = format!("/spec/topology/workers/{list}");
    let entries = object.pointer(&path).and_then(Value::as_array).ok_or_else(none)?;
    let is_meant = |entry: &Value| entry.get("name").is_some_and(|name| name == entry_name);
    let number = entries.iter().position(is_meant).ok_or_else(none)?;
    let entry = entries.get(number).ok_or_else(none)?;
    let path = format!("{path}/{number}");
    // Another entry may have been inserted before it in the meantime.
    let mut steps = vec![json!({ "op": "test", "path": format!("{path}/name"), "value": entry_name })];
    for parent in ["/metadata", "/metadata/annotations"] {
        if entry.pointer(parent).is_none() {
            steps.push(json!({ "op": "add", "path": format!("{path}{parent}"), "value": {} }));
        }
    }
    for (key, value) in values {
        let is_there = entry.pointer("/metadata/annotations").is_some_and(|annotations| annotations.get(key).is_some());
        let at = format!("{path}/metadata/annotations/{}", key.replace('~', "~0").replace('/', "~1"));
        match value {
            Some(value) => steps.push(json!({ "op": "add", "path": at, "value": value })),
            None if is_there => steps.push(json!({ "op": "remove", "path": at })),
            None => {
                return Err(format!(
                    "cannot print a patch: `{key}` of {id} is set in the ClusterClass or on the object itself"
                ));
            }
        }
    }
    let comment =
        format!("the topology controller sets the annotations of {id} from entry `{entry_name}` of its Cluster");
    Ok(format!("# {}\n{}", one_line(&comment), command(&cluster.id, "json", &json!(steps))))
}

fn command(id: &ObjectId, form: &str, patch: &Value) -> String {
    let ObjectId { group, kind, namespace, name, .. } = id;
    let namespace = if namespace.is_empty() { String::new() } else { format!(" -n {}", quoted(namespace)) };
    format!(
        "kubectl patch {kind}.{group} {}{namespace} --type={form} -p {}\n",
        quoted(name),
        quoted(&patch.to_string())
    )
}
