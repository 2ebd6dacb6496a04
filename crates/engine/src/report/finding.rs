//! What a check finds in an object as it would be stored: guard rails, and edits that replace Machines.

use serde::Serialize;

use crate::settings::Stance;

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The setting that decides how the policy reacts, such as `guards.selectorLabels`.
    pub check: &'static str,
    /// Where in the object, such as `spec.template.spec.version`.
    pub at: String,
    /// One sentence: lower case, no final stop, input in backticks.
    pub message: String,
    /// How the policy reacts. [`Stance::Ignore`] for what cannot be known: only in the report.
    pub stance: Stance,
    /// What happens to cloud tags, if the finding is about a resource of a Composition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<TagDelivery>,
}

/// What happens to cloud tags on the way to one resource, by Crossplane's rules. There is no finding if they are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TagDelivery {
    /// The resource is created without them, or others are lost because of them.
    Lost,
    /// The resource, or all of them, is never created, and the composite does not become Synced.
    Fails,
    /// It depends on something that is not evaluated.
    CannotTell,
}
