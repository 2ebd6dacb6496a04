//! What a plan does not compare, and what it says about what is applied.

use crate::output::report::Where;

/// A file, document or object that is not compared, or is applied in another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotRead {
    pub(super) place: Where,
    /// One sentence: lower case, no final stop.
    pub(super) reason: String,
    pub(super) matters: Matters,
    pub(super) about: About,
}

/// What something that a plan says is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// What applies objects, and no longer does.
    Applied,
    /// This many objects of groups that may make Machines.
    Objects(usize),
    /// A file or document that is not compared.
    File,
}

/// What it means for a plan that something is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Matters {
    /// It is named, and does not make the plan uncertain.
    No,
    /// Something changes, but only later.
    Waits,
    /// The effects are not known: manifests are rendered from it, and it changes, or Machines are made from it.
    CannotTell,
    /// It cannot be read.
    Unreadable,
}

impl NotRead {
    /// A file or document that is not compared.
    pub(super) fn file(place: Where, reason: String, matters: Matters) -> NotRead {
        NotRead { place, reason, matters, about: About::File }
    }
}
