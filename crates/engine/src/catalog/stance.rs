//! What a finding leads to.

use serde::{Deserialize, Serialize};

/// What a finding leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// Not checked.
    Ignore,
    /// A warning; the request passes.
    Warn,
    /// The request is refused.
    Reject,
}
