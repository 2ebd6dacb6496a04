//! How the policy reacts.

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

/// What a lookup without an answer does to the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reaction {
    /// Leave the object as it is.
    Accept,
    /// Leave the object as it is, with a warning.
    Warn,
    /// Refuse the request.
    Reject,
}

/// Whether drift is corrected or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Write what is missing.
    #[default]
    Mutate,
    /// Refuse what is missing, write nothing.
    Verify,
}
