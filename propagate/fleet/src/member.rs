//! One object of a hierarchy.

use metadata_propagation::cluster_api::{CLASS_MASKS, CORE_GROUP};
use metadata_propagation::{Get, NotApplicable, Propagated, Report};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::masks::masked;
use crate::object::{ObjectId, Origin};
use crate::shared::Shared;
use crate::written::ObjectText;

/// Placeholder for what a controller appends to a name.
pub(crate) const SUFFIX: &str = "*";

/// The same in what others read: a name with it is a valid label value.
const READ_SUFFIX: &str = "x";

/// The same in a value that is printed.
const PRINTED_SUFFIX: &str = "…";

/// The value of an entry as it is printed: in one that is the name of a predicted object, a placeholder for what a
/// controller appends to it.
pub(crate) fn printed(entry: &Propagated) -> String {
    let value = entry.value.plain();
    let is_predicted =
        |stem: &&str| entry.source.rsplit([' ', '/']).next().and_then(|name| name.strip_suffix(SUFFIX)) == Some(*stem);
    // Cluster API sets the names of objects itself: they are from no map.
    match value.strip_suffix(READ_SUFFIX).filter(|stem| entry.place.is_none() && is_predicted(stem)) {
        Some(stem) => format!("{stem}{PRINTED_SUFFIX}"),
        None => value.to_owned(),
    }
}

/// One object of a [`Hierarchy`](crate::Hierarchy).
#[derive(Debug)]
pub struct Member {
    /// The object's name.
    pub id: ObjectId,
    /// Its position; `None` if it is predicted.
    pub origin: Option<Origin>,
    /// The objects that it is created from, by number.
    pub parent: Option<usize>,
    /// The objects that are created from it, by number.
    pub children: Vec<usize>,
    /// The object as written.
    pub written: ObjectText,
    /// What it must carry, as far as it is known.
    pub carried: Shared<Vec<Propagated>>,
    /// Why that is not known.
    pub unknown: Option<NotApplicable>,
    /// The rest of the policy's report: what it changes, what does not propagate, and the cloud tags of a composite.
    pub report: Shared<Report>,
    /// The lists and names of the topology's entries that it is created for.
    pub(crate) topology_entries: Vec<(&'static str, String)>,
    pub(crate) version: String,
    /// Why the policy refuses it, if it does.
    pub rejection: Option<String>,
    /// The object as it is stored after the policy has completed it, if that changes it.
    pub(crate) completed: Option<String>,
    /// What was asked for to complete it, and the hash of each answer.
    pub(crate) reads: Vec<(Get, u64)>,
    /// The object as others read it, if that differs.
    pub(crate) read: Option<String>,
    /// For a Machine: the name of its predicted Node.
    pub(crate) node: Option<String>,
}

impl Member {
    /// How many Machines an object requests; 1 if it does not say. `None` for kinds that have none.
    pub(crate) fn replicas(&self) -> Option<u64> {
        let has_replicas = match &*self.id.group {
            CORE_GROUP => matches!(&*self.id.kind, "MachineDeployment" | "MachineSet" | "MachinePool"),
            _ => self.id.has_machines(),
        };
        has_replicas.then(|| self.written.pointer("/spec/replicas").and_then(Value::as_u64).unwrap_or(1))
    }

    /// Whether it requests Machines, and how many is written as something that is not a number, such as a variable, or is
    /// left to cluster-autoscaler or the infrastructure.
    pub(crate) fn has_unknown_replicas(&self) -> bool {
        let number = self.written.pointer("/spec/replicas").filter(|value| !value.is_null());
        let is_managed = || self.written.pointer("/metadata/annotations").is_some_and(has_managed_replicas);
        let is_unknown = match number {
            _ if self.id.kind == "MachinePool" && is_managed() => true,
            Some(number) => number.as_u64().is_none(),
            // A predicted object has annotations only once it is completed.
            None => {
                self.replicas().is_some()
                    && self.completed().pointer("/metadata/annotations").is_some_and(is_autoscaled)
            }
        };
        self.replicas().is_some() && is_unknown
    }

    /// The version of its kind, such as `v1beta2`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The text of the object as it is stored after the policy has completed it.
    pub(crate) fn json(&self) -> &str {
        self.completed.as_deref().unwrap_or_else(|| self.written.text())
    }

    /// The text of the object as others read it.
    pub(crate) fn text_for_others(&self) -> &str {
        self.read.as_deref().unwrap_or_else(|| self.json())
    }

    /// The object as it is stored after the policy has completed it.
    pub fn completed(&self) -> Value {
        serde_json::from_str(self.json()).unwrap_or_default()
    }

    /// The object as others read it, if that is not how it is stored. A Machine contains the name of its predicted
    /// Node. A predicted name is a valid label value, because what a controller appends to it is, too. Of a class, which is
    /// read for every object of its Clusters, only what is read of it.
    pub(crate) fn as_read(&self) -> Option<String> {
        if self.id.group == CORE_GROUP && self.id.kind == "ClusterClass" {
            return Some(masked(&self.completed(), &CLASS_MASKS).to_string());
        }
        // Nothing reads what nothing is created from.
        let name = self.id.name.strip_suffix(SUFFIX).filter(|_| self.origin.is_none() && !self.children.is_empty());
        if name.is_none() && self.node.is_none() {
            return None;
        }
        if let (None, Some(node)) = (name, &self.node) {
            match (status(self.json()), self.json().strip_suffix('}')) {
                (Status::Without, Some(object)) => {
                    return Some(format!("{object},\"status\":{}}}", json!({ "nodeRef": { "name": node } })));
                }
                (Status::With(Some(reference)), _) if reference == json!({ "name": node }) => return None,
                _ => {}
            }
        }
        let mut object = self.completed();
        if let (Some(name), Some(metadata)) = (name, object.get_mut("metadata").and_then(Value::as_object_mut)) {
            metadata.insert("name".to_owned(), json!(format!("{name}{READ_SUFFIX}")));
        }
        if let (Some(node), Some(fields)) = (&self.node, object.as_object_mut()) {
            let status = fields.entry("status").or_insert_with(|| json!({}));
            if let Some(status) = status.as_object_mut() {
                status.insert("nodeRef".to_owned(), json!({ "name": node }));
            }
        }
        if self.origin.is_none() && self.id.group == CORE_GROUP && self.id.kind == "Machine" {
            without_names_of_parts(&mut object);
        }
        Some(object.to_string())
    }
}

/// Removes the names that a predicted Machine refers to: those are names of templates, and what is created from them has
/// others.
fn without_names_of_parts(machine: &mut Value) {
    for path in ["/spec/infrastructureRef", "/spec/bootstrap/configRef"] {
        if let Some(reference) = machine.pointer_mut(path).and_then(Value::as_object_mut) {
            reference.remove("name");
        }
    }
}

/// Whether cluster-autoscaler decides about the number of replicas of an object with these annotations.
pub(crate) fn is_autoscaled(annotations: &Value) -> bool {
    AUTOSCALER.iter().any(|key| annotations.get(key).is_some())
}

/// Whether annotations leave the number of replicas of a MachinePool to its infrastructure.
///
/// Source: `ReplicasManagedByAnnotation` in api/core/v1beta2/common_types.go of Cluster API v1.14.
pub(crate) fn has_managed_replicas(annotations: &Value) -> bool {
    annotations.get("cluster.x-k8s.io/replicas-managed-by").is_some_and(|by| by.as_str() != Some("false"))
}

/// The annotations between whose values cluster-autoscaler sets replicas.
pub(crate) const AUTOSCALER: [&str; 2] = [
    "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size",
    "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size",
];

/// The status of an object; of one that cannot be read, nothing is known.
#[derive(Debug, PartialEq)]
enum Status {
    Without,
    /// The reference to its Node.
    With(Option<Value>),
    Unknown,
}

fn status(json: &str) -> Status {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct MemberStatus {
        node_ref: Option<Value>,
    }
    #[derive(Deserialize)]
    struct MemberHead {
        status: Option<MemberStatus>,
    }
    match serde_json::from_str::<MemberHead>(json) {
        Ok(MemberHead { status: Some(status) }) => Status::With(status.node_ref),
        Ok(MemberHead { status: None }) if !json.contains("\"status\"") => Status::Without,
        _ => Status::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use metadata_propagation::Settings;

    use super::*;
    use crate::fleet::Fleet;
    use crate::hierarchy::Hierarchy;
    use crate::source::Source;

    #[test]
    fn the_name_of_a_predicted_object_is_printed_with_a_placeholder() {
        let text = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: md-0}, spec: {clusterName: c, \
             template: {metadata: {labels: {team: md-0-x}}}}}";
        let fleet = Fleet::read(vec![Source { name: "cluster.yaml".into(), text: text.into() }]);
        let hierarchy = Hierarchy::of(&fleet, &Settings::default());
        let machine = hierarchy.members().iter().find(|member| member.id.kind == "Machine").unwrap();
        let value = |key: &str| machine.carried.iter().find(|entry| entry.key == key).map(printed).unwrap_or_default();
        let values = ["cluster.x-k8s.io/set-name", "cluster.x-k8s.io/deployment-name", "team"].map(value);
        assert_eq!(values, ["md-0-…", "md-0", "md-0-x"]);
    }

    #[test]
    fn the_status_of_what_cannot_be_read_is_not_known() {
        for (json, expected) in [
            ("{}", Status::Without),
            (r#"{"status":{}}"#, Status::With(None)),
            (r#"{"status":{"nodeRef":{"name":"n"}}}"#, Status::With(Some(json!({ "name": "n" })))),
            (r#"{"status":null}"#, Status::Unknown),
            (r#"{"status":1}"#, Status::Unknown),
            ("[", Status::Unknown),
        ] {
            assert_eq!(status(json), expected, "{json}");
        }
    }
}
