//! What a check finds in an object as it would be stored: guard rails, and edits that replace Machines.

use serde::Serialize;

use crate::settings::Stance;

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The setting that decides what follows, such as `guards.selectorLabels`.
    pub check: &'static str,
    /// Where in the object, such as `spec.template.spec.version`.
    pub at: String,
    /// One sentence: lower case, no final stop, input in backticks.
    pub message: String,
    /// What follows. [`Stance::Ignore`] for what cannot be told: only the report has it.
    pub stance: Stance,
}
