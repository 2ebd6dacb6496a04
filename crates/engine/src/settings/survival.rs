//! `cloudTags.xrds`.

use serde::Serialize;

/// What a CompositeResourceDefinition that loses `spec.cloudTags` leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
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
