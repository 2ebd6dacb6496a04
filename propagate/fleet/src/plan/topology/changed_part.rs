//! An object of a topology that a change makes another one.

use serde_json::Value;
use topology::{PartChange, PartDifference, TopologyOwner};

use crate::hierarchy::Hierarchy;
use crate::plan::impact::Sides;

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

    /// The objects among which its Machines are.
    pub(super) fn side<'p>(&self, around: Sides<'p>) -> &'p Hierarchy {
        if self.difference.happens == PartChange::Created { around.after } else { around.before }
    }
}
