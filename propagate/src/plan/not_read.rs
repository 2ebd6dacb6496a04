//! What a plan does not compare.

use crate::output::report::Where;

/// A file, document or object that is not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotRead {
    pub(super) place: Where,
    /// One sentence: lower case, no final stop.
    pub(super) reason: String,
    pub(super) matters: Matters,
}

/// What it means for a plan that something is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Matters {
    /// It is named, and does not make the plan uncertain.
    No,
    /// The effects are not known: manifests are rendered from it, and it changes, or Machines are made from it.
    CannotTell,
    /// It cannot be read.
    Unreadable,
}
