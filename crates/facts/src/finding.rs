//! What a check finds in an object as it would be stored: guard rails, and edits that replace Machines.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::fact::Fact;
use kubernetes::settings::stance::Stance;

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The setting that decides how the policy reacts, such as `guards.selectorLabels`.
    pub check: &'static str,
    /// Where in the object, such as `spec.template.spec.version`.
    pub at: String,
    /// What was found: its sentence, and its code in the report.
    pub message: Fact,
    /// How the policy reacts. [`Stance::Ignore`] for what cannot be known: only in the report.
    pub stance: Stance,
    /// What happens to cloud tags, if the finding is about a resource of a Composition.
    pub verdict: Option<TagDelivery>,
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut finding = serializer.serialize_struct("Finding", 6)?;
        finding.serialize_field("check", self.check)?;
        finding.serialize_field("reason", self.message.reason())?;
        finding.serialize_field("at", &self.at)?;
        finding.serialize_field("message", &self.message.to_string())?;
        finding.serialize_field("stance", &self.stance)?;
        if let Some(verdict) = &self.verdict {
            finding.serialize_field("verdict", verdict)?;
        }
        finding.end()
    }
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
