//! What the report says about a composite's tags.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::tags::SkippedLabel;

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
    /// Labels that are not meant to be tags, and why: `not-defined` in the registry, `not-opted-in` by their definition,
    /// or `seeded`, which nobody can opt in.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_propagating: BTreeMap<String, String>,
}
