//! What settings consist of: texts of a certain format, patterns, users, reactions; and how settings are read so that every
//! problem is found, each with its path.
//!
//! The settings of a product are in the product's crate.

pub mod object;
pub mod parsed_text;
pub mod pattern;
pub mod problems;
pub mod read;
pub mod users;

use serde::{Deserialize, Serialize};

pub use self::parsed_text::{ApiVersion, FieldPath, KeyOrDomain, KindAndGroup, LabelKey, NonEmpty};
pub use self::pattern::{Pattern, PatternError};
pub use self::problems::{SettingProblem, SettingsError, listed};
pub use self::users::Users;

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
