//! The objects that Cluster API makes for a Cluster with a topology.

use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;
use topology::{
    Before, Desired, DesiredPart, Gap, Inputs, Obstacle, PartRole, TopologyRefusal, desired, endpoint_refusal,
    schema_refusal, stored_defaults,
};

use crate::fleet::Fleet;
use crate::object::{ObjectId, group_and_version};
use crate::plan::topology::resolved;
use crate::read::to_json;
use crate::refusal::{Refusal, of_pool};
use crate::relations::{class_of, text};
use crate::source::Source;

impl Fleet {
    /// The objects that Cluster API makes for a Cluster from its class and the templates of the class; `None` if it has no
    /// topology.
    pub fn made(&self, cluster: &ObjectId) -> Option<Result<Desired, Obstacle>> {
        self.made_since(&Fleet::default(), cluster)
    }

    /// What Cluster API refuses when it makes the objects of a new Cluster, as far as that is known.
    pub fn topology_refusal(&self, cluster: &ObjectId) -> Option<String> {
        refusal_of_made(self, cluster).map(|refusal| refusal.to_string())
    }

    /// The same if the objects of another fleet were applied before: a Cluster keeps the defaults that it stored then, and
    /// workers whose upgrade is deferred their version.
    pub fn made_since(&self, before: &Fleet, cluster: &ObjectId) -> Option<Result<Desired, Obstacle>> {
        let written = value(self, cluster)?;
        let id = class(&written, cluster)?;
        let Some(of_class) = value(self, &id) else { return Some(Err(Gap::NoClass.into())) };
        let templates = |reference: &Value| value(self, &template(&id.namespace, reference));
        let was = value(before, cluster);
        let class_before = was.as_ref().and_then(|was| value(before, &class(was, cluster)?));
        let stored = was.as_ref().zip(class_before.as_ref()).map(|(was, class)| stored_defaults(was, class));
        Some(desired(Inputs {
            cluster: &written,
            class: &of_class,
            templates: &templates,
            stored: &stored.unwrap_or_default(),
            before: Before { cluster: was.as_ref(), class: class_before.as_ref(), versions: None },
            yaml,
        }))
    }
}

/// What is refused of a new Cluster's topology: a patch that fails, or an object that the API server or a webhook does not
/// accept. None if that is not known.
pub(crate) fn refusal_of_made(fleet: &Fleet, cluster: &ObjectId) -> Option<TopologyRefusal> {
    let written = value(fleet, cluster)?;
    let obstacle = match fleet.made(cluster)? {
        Ok(made) => made.parts.iter().find_map(refusal_of_part)?.into(),
        Err(obstacle) => obstacle,
    };
    resolved(&written, obstacle)
}

/// What the API server or a webhook refuses in a new object; `None` for kinds of which that is not known.
pub(crate) fn refusal_of_part(part: &DesiredPart) -> Option<TopologyRefusal> {
    if part.gap().is_some() {
        return None;
    }
    let by_webhook = || {
        let is_pool = text(&part.object, "kind") == "MachinePool";
        let Refusal { at, message, .. } = of_pool(&part.object).into_iter().next().filter(|_| is_pool)?;
        Some(TopologyRefusal::Object { kind: "MachinePool".to_owned(), path: at.to_string(), reason: message })
    };
    match part.role {
        PartRole::InfrastructureCluster => endpoint_refusal(&part.object),
        _ => schema_refusal(&part.object).or_else(by_webhook),
    }
}

fn value(fleet: &Fleet, id: &ObjectId) -> Option<Value> {
    Some(fleet.find(id)?.value())
}

/// The class of a Cluster.
pub(crate) fn class(cluster: &Value, id: &ObjectId) -> Option<ObjectId> {
    let (name, namespace) = class_of(cluster)?;
    Some(ObjectId::new(CORE_GROUP, "ClusterClass", namespace.unwrap_or(&id.namespace), name))
}

/// The template that a reference of a class in a namespace names.
pub(crate) fn template(namespace: &str, reference: &Value) -> ObjectId {
    let (group, _) = group_and_version(text(reference, "apiVersion"));
    ObjectId::new(group, text(reference, "kind"), namespace, text(reference, "name"))
}

/// A text as YAML.
pub(crate) fn yaml(text: &str) -> Option<Value> {
    let json = to_json(&Source { name: String::new(), text: text.to_owned() }).ok()?;
    serde_json::from_str(&json).ok()
}
