//! What the report contains about the tags of a composite or of an infrastructure cluster.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::tag_reason::NoTagReason;
use kubernetes::{Value, names};
use tag_rules::{Scope, TagSkipReason};

/// The tags of one composite or infrastructure cluster, and the labels that do not become tags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TagReport {
    /// The provider that the settings lead to, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The profile that was used.
    pub profile: &'static str,
    /// The tags that the object must carry for its own labels, or for those of its Cluster.
    pub tags: BTreeMap<String, String>,
    /// Tags with the policy's prefix that no label of the composite becomes: the Composition of the parent composite
    /// forwards them, or the definition of their label could not be read.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub forwarded: BTreeMap<String, Value>,
    /// Whether the cloud's API accepts each tag that the object has, the policy's and others.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cloud: BTreeMap<String, CloudVerdict>,
    /// How many more labels could become tags.
    pub headroom: usize,
    /// Required tags that the composite does not have, and why: `no-label`, or as in `not_propagating` or `skipped`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, NoTagReason>,
    /// Labels that propagate and do not become tags.
    pub skipped: Vec<SkippedLabel>,
    /// Labels that are not meant to become tags, and why: `not-defined` in the registry, `not-opted-in` by their
    /// definition, `seeded`, which cannot be opted in, `not-a-string`, `another-source`, where the definition takes the label
    /// from another object, or `registry-unread`, where the registry that may define it could not be read.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_propagating: BTreeMap<String, NoTagReason>,
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
    /// The object whose definition counts instead, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<String>,
}

names! {
    /// Why a definition does not count.
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    IgnoredReason {
        /// Its scope is not that of its object.
        AnotherScope = "another-scope";
        /// Another object defines the key with a wider scope.
        WiderScope = "wider-scope";
        /// Another object that is listed earlier defines the key with the same scope.
        ListedFirst = "listed-first";
        /// Its key does not have the form of the object's domain or project.
        AnotherForm = "another-form";
        /// The object has a scope, and does not say which domain or project it is of.
        OwnerUnknown = "owner-unknown";
        /// The composite belongs to another domain or project.
        AnotherOwner = "another-owner";
        /// It changes a definition that every installation has.
        Seeded = "seeded";
    }
}

/// Whether a cloud's API accepts a tag, as far as its row in the table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudVerdict {
    /// It accepts the tag.
    Accepted,
    /// It rejects the tag, and possibly the whole resource.
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

/// One label that does not become a tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedLabel {
    /// The label's key in the registry.
    pub qualified_key: String,
    /// The key that its tag would have.
    pub tag_key: String,
    /// The profile that rejected it, or the kind whose webhook does, such as `AWSCluster`.
    pub provider: &'static str,
    /// Why.
    pub reason: TagSkipReason,
    /// How many of the tags that the profile allows are left to others.
    #[serde(skip)]
    pub reserve: usize,
}
