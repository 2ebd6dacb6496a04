//! What a check finds in an object as it would be stored: guard rails, and edits that replace Machines.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::fact::Sentence;
use crate::settings::Stance;

/// What one check found; `F` is a product's facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<F> {
    /// The setting that decides how the policy reacts, such as `guards.selectorLabels`.
    pub check: &'static str,
    /// Where in the object, such as `spec.template.spec.version`.
    pub at: String,
    /// What was found: its sentence, and its code in the report.
    pub message: F,
    /// How the policy reacts. [`Stance::Ignore`] for what cannot be known: only in the report.
    pub stance: Stance,
}

impl<F> Finding<F> {
    /// The same, of the facts of several products.
    pub fn widen<W: From<F>>(self) -> Finding<W> {
        let Finding { check, at, message, stance } = self;
        Finding { check, at, message: message.into(), stance }
    }
}

impl<F: Sentence> Serialize for Finding<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut finding = serializer.serialize_struct("Finding", 6)?;
        finding.serialize_field("check", self.check)?;
        finding.serialize_field("reason", self.message.reason())?;
        finding.serialize_field("at", &self.at)?;
        finding.serialize_field("message", &self.message.to_string())?;
        finding.serialize_field("stance", &self.stance)?;
        if let Some(verdict) = self.message.verdict() {
            finding.serialize_field("verdict", verdict)?;
        }
        finding.end()
    }
}
