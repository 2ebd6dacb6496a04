//! What the report says about a composite's tags.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::report::change::Value;

/// The tags of one composite, and the labels that are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TagReport {
    /// The provider, as the settings find it; absent where they find none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The profile that was asked.
    pub profile: &'static str,
    /// The tags that the composite has to carry for its own labels.
    pub tags: BTreeMap<String, String>,
    /// Tags under the policy's prefix that no label of the composite makes: the Composition of the composite above it
    /// forwards them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub forwarded: BTreeMap<String, Value>,
    /// Labels that propagate and are no tags.
    pub skipped: Vec<SkippedLabel>,
    /// Labels that are not meant to be tags, and why: `not-defined` in the registry, `not-opted-in` by their definition,
    /// `seeded`, which nobody can opt in, or `not-a-string`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_propagating: BTreeMap<String, String>,
}

/// One label that is no tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedLabel {
    /// The label's key in the registry.
    pub qualified_key: String,
    /// The key that its tag would have.
    pub tag_key: String,
    /// The profile that refused it.
    pub provider: &'static str,
    /// Why.
    pub reason: TagSkipReason,
}

/// Why a label is no tag; in the order in which it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TagSkipReason {
    /// The qualified key begins as the provider's own tags do.
    ReservedPrefix,
    /// The tag key is longer than the provider admits.
    KeyTooLong,
    /// The value is longer than the provider admits.
    ValueTooLong,
    /// The tag key has a character that the provider does not admit.
    KeyCharacterClass,
    /// Lower keys take all the tags that a resource may have.
    CountCap,
}

impl TagSkipReason {
    /// All five, in the order in which they are asked.
    pub const ALL: [TagSkipReason; 5] = [
        TagSkipReason::ReservedPrefix,
        TagSkipReason::KeyTooLong,
        TagSkipReason::ValueTooLong,
        TagSkipReason::KeyCharacterClass,
        TagSkipReason::CountCap,
    ];

    /// The stable name, for log and report.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            TagSkipReason::ReservedPrefix => "reserved-prefix",
            TagSkipReason::KeyTooLong => "key-too-long",
            TagSkipReason::ValueTooLong => "value-too-long",
            TagSkipReason::KeyCharacterClass => "key-character-class",
            TagSkipReason::CountCap => "count-cap",
        }
    }
}

impl Serialize for TagSkipReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
