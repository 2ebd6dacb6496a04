//! How the policy reacts to a finding.

use serde::{Deserialize, Serialize};

/// How the policy reacts to a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// Not checked.
    Ignore,
    /// A warning; the request is accepted.
    Warn,
    /// The request is refused.
    Reject,
}
