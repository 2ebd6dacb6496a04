//! What the report says about the tags of a composite or of an infrastructure cluster.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::report::change::Value;
use crate::settings::Scope;

/// The tags of one composite or infrastructure cluster, and the labels that are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TagReport {
    /// The provider, as the settings find it; absent where they find none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The profile that was asked.
    pub profile: &'static str,
    /// The tags that the object has to carry for its own labels, or for those of its Cluster.
    pub tags: BTreeMap<String, String>,
    /// Tags under the policy's prefix that no label of the composite makes: the Composition of the composite above it
    /// forwards them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub forwarded: BTreeMap<String, Value>,
    /// What the cloud's own interface says to each tag that the object has, its own or another's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cloud: BTreeMap<String, CloudVerdict>,
    /// How many more tags of labels there is room for.
    pub headroom: usize,
    /// Required tags that the composite does not have, and why: `no-label`, or as in `not_propagating` or `skipped`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, &'static str>,
    /// Labels that propagate and are no tags.
    pub skipped: Vec<SkippedLabel>,
    /// Labels that are not meant to be tags, and why: `not-defined` in the registry, `not-opted-in` by their definition,
    /// `seeded`, which nobody can opt in, or `not-a-string`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_propagating: BTreeMap<String, &'static str>,
    /// Definitions of its labels that do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored_definitions: Vec<IgnoredDefinition>,
}

/// A definition in a LabelRegistry object that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IgnoredDefinition {
    /// The key that it defines.
    pub qualified_key: String,
    /// The object that has it.
    pub registry: String,
    /// Its scope.
    pub scope: Scope,
    /// Why it does not count.
    pub reason: IgnoredReason,
    /// The object whose definition counts instead, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<String>,
}

/// Why a definition does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoredReason {
    /// Its scope is not that of its object.
    AnotherScope,
    /// Another object defines the key with a wider scope.
    WiderScope,
    /// Another object defines the key with the same scope, and is listed first.
    ListedFirst,
}

impl IgnoredReason {
    /// The stable name, for log and report.
    ///
    /// ```
    /// use metadata_propagation::tags::IgnoredReason;
    ///
    /// assert_eq!(IgnoredReason::WiderScope.as_str(), "wider-scope");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            IgnoredReason::AnotherScope => "another-scope",
            IgnoredReason::WiderScope => "wider-scope",
            IgnoredReason::ListedFirst => "listed-first",
        }
    }
}

impl Serialize for IgnoredReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What a cloud's own interface says to a tag, as far as its table knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudVerdict {
    /// It takes the tag.
    Accepted,
    /// It does not, and possibly the whole resource with it.
    Refused(TagSkipReason),
    /// The provider has no row, or the value is not a string.
    Unknown,
}

impl Serialize for CloudVerdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            CloudVerdict::Accepted => serializer.serialize_str("accepted"),
            CloudVerdict::Refused(reason) => serializer.collect_str(&format_args!("refused: {}", reason.as_str())),
            CloudVerdict::Unknown => serializer.serialize_str("unknown"),
        }
    }
}

/// One label that is no tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedLabel {
    /// The label's key in the registry.
    pub qualified_key: String,
    /// The key that its tag would have.
    pub tag_key: String,
    /// The profile that refused it, or the kind whose webhook does not take it, such as `AWSCluster`.
    pub provider: &'static str,
    /// Why.
    pub reason: TagSkipReason,
}

/// Why a label is no tag, or a cloud does not take one: the specification's five in the order in which they are asked, then
/// those that strict profiles and clouds have besides.
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
    /// The value begins as the provider's own do.
    ReservedValue,
    /// The value has a character that the provider does not take.
    ValueCharacterClass,
    /// A lower key has the same tag key.
    KeyCollision,
}

impl TagSkipReason {
    /// The specification's five, in the order in which they are asked.
    pub const ALL: [TagSkipReason; 5] = [
        TagSkipReason::ReservedPrefix,
        TagSkipReason::KeyTooLong,
        TagSkipReason::ValueTooLong,
        TagSkipReason::KeyCharacterClass,
        TagSkipReason::CountCap,
    ];

    /// Those that strict profiles have besides.
    pub const STRICT: [TagSkipReason; 3] =
        [TagSkipReason::ReservedValue, TagSkipReason::ValueCharacterClass, TagSkipReason::KeyCollision];

    /// The stable name, for log and report.
    ///
    /// ```
    /// use metadata_propagation::tags::TagSkipReason;
    ///
    /// assert_eq!(TagSkipReason::CountCap.as_str(), "count-cap");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            TagSkipReason::ReservedPrefix => "reserved-prefix",
            TagSkipReason::KeyTooLong => "key-too-long",
            TagSkipReason::ValueTooLong => "value-too-long",
            TagSkipReason::KeyCharacterClass => "key-character-class",
            TagSkipReason::CountCap => "count-cap",
            TagSkipReason::ReservedValue => "reserved-value",
            TagSkipReason::ValueCharacterClass => "value-character-class",
            TagSkipReason::KeyCollision => "key-collision",
        }
    }
}

impl Serialize for TagSkipReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
