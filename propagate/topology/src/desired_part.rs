//! One object of a topology, with what patches made of it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::obstacle::Gap;
use crate::owner::{PartRole, TopologyOwner};
use crate::variables::Variables;

/// One object of a topology.
#[derive(Debug)]
pub struct DesiredPart {
    /// What it belongs to.
    pub owner: TopologyOwner,
    /// What it is for its owner.
    pub role: PartRole,
    /// The object.
    pub object: Value,
    /// Whether the upgrade of its owner is deferred: until then nothing of it changes.
    pub is_held: bool,
    pub(crate) variables: Variables,
    pub(crate) writes: Vec<PatchWrite>,
    pub(crate) gaps: Vec<(Gap, Value)>,
    pub(crate) preserved: Vec<FieldSteps>,
}

impl DesiredPart {
    /// Why fields of the object are not known.
    pub fn gap(&self) -> Option<&Gap> {
        self.gaps.first().map(|(gap, _)| gap)
    }

    /// Whether no patch changes a field.
    pub(crate) fn preserves(&self, steps: &[String]) -> bool {
        self.preserved.iter().any(|path| path.len() <= steps.len() && path.iter().zip(steps).all(|(a, b)| a == b))
    }
}

/// The names from an object to a field of it.
pub(crate) type FieldSteps = &'static [&'static str];

/// A field that a patch wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PatchWrite {
    pub(crate) patch: String,
    /// A JSON pointer in the template; to an element that was appended by its number.
    pub(crate) path: String,
    /// The variables that decide on the value.
    pub(crate) reads: BTreeSet<String>,
}
