//! What a check finds in an object as it would be stored: guard rails, and edits that replace Machines.

use serde::Serialize;

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

/// What a finding leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// Nothing: it is not even looked for.
    Ignore,
    /// A warning; the request passes.
    Warn,
    /// The request is refused.
    Reject,
}
