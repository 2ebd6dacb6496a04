//! An object of a topology that a change makes another one.

use serde_json::Value;
use topology::{PartDifference, TopologyOwner};

use crate::object::ObjectId;

/// One object of a topology that differs.
pub(super) struct ChangedPart {
    pub(super) difference: PartDifference,
    /// The object before.
    pub(super) object: Value,
    /// Whether its owner replaces Machines only when they are deleted.
    pub(super) is_on_delete: bool,
}

impl ChangedPart {
    pub(super) fn owner(&self) -> &TopologyOwner {
        &self.difference.owner
    }

    /// Whether an edit of an object may be why it differs: of a template only what is made from it.
    pub(super) fn is_of(&self, id: &ObjectId) -> bool {
        let annotation = |key: &str| {
            let annotations = self.object.pointer("/metadata/annotations");
            annotations.and_then(|annotations| annotations.get(key)?.as_str()).unwrap_or_default()
        };
        !id.kind.ends_with("Template")
            || annotation("cluster.x-k8s.io/cloned-from-name") == id.name
                && annotation("cluster.x-k8s.io/cloned-from-groupkind") == format!("{}.{}", id.kind, id.group)
    }
}
