//! What the report says about a composite's tags.

use std::collections::BTreeMap;

use serde::Serialize;

use super::transform::SkippedLabel;

/// The tags of one composite, and the labels that are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TagReport {
    /// The provider, as the settings find it; absent where they find none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The profile that was asked.
    pub profile: &'static str,
    /// The tags that the composite has to carry.
    pub tags: BTreeMap<String, String>,
    /// Labels that propagate and are no tags.
    pub skipped: Vec<SkippedLabel>,
    /// Labels that are not meant to be tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_propagating: Vec<NotPropagating>,
}

/// One label that is not meant to be a tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotPropagating {
    /// The label's key.
    pub key: String,
    /// Why.
    pub reason: WhyNot,
}

/// Why a label is not meant to be a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyNot {
    /// The registry has no definition of it.
    NotDefined,
    /// Its definition does not opt it in.
    NotOptedIn,
    /// It is one of the seeded definitions, which nobody can opt in.
    Seeded,
}
