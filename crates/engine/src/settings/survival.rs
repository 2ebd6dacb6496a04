//! `cloudTags`, as far as the survival checks read it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::Stance;

/// What a CompositeResourceDefinition that loses `spec.cloudTags` leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnXrd {
    /// Nothing: it is not even looked at.
    Ignore,
    /// A warning.
    #[default]
    Warn,
    /// The request is refused.
    Reject,
    /// The missing declaration is written, a warning where that cannot be done. In verify mode the request is refused.
    Declare,
}

/// `cloudTags` as it is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RawCloudTags {
    /// Which objects are composites.
    pub composites: Vec<RawComposite>,
    /// A CompositeResourceDefinition of a composite does not keep `spec.cloudTags`.
    pub xrds: OnXrd,
    /// A Composition of a composite does not carry `spec.cloudTags` to the tags of its resources.
    pub compositions: Stance,
}

/// One entry of `cloudTags.composites` as it is written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RawComposite {
    /// API groups of composites.
    pub api_groups: Vec<String>,
    /// Where the provider is found.
    pub provider: BTreeMap<String, String>,
}

impl Default for RawCloudTags {
    fn default() -> Self {
        RawCloudTags { composites: Vec::new(), xrds: OnXrd::default(), compositions: Stance::Warn }
    }
}

/// What becomes of definitions and Compositions that lose `spec.cloudTags`.
#[derive(Debug, Clone)]
pub struct Survival {
    /// API groups of composites; what belongs to none of them is not looked at.
    pub groups: Vec<String>,
    /// For CompositeResourceDefinitions.
    pub xrds: OnXrd,
    /// For Compositions.
    pub compositions: Stance,
}

impl From<RawCloudTags> for Survival {
    fn from(raw: RawCloudTags) -> Self {
        let groups = raw.composites.into_iter().flat_map(|composite| composite.api_groups).collect();
        Survival { groups, xrds: raw.xrds, compositions: raw.compositions }
    }
}
