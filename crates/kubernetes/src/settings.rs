//! What settings consist of: texts of a certain format, patterns, users, reactions; and how settings are read so that every
//! problem is found, each with its path.
//!
//! The settings of a product are in the product's crate.

pub mod object;
pub mod parsed_text;
pub mod pattern;
pub mod problems;
pub mod read;
pub mod stance;
pub mod users;

pub use self::parsed_text::{ApiVersion, FieldPath, KeyOrDomain, KindAndGroup, LabelKey, NonEmpty};
pub use self::pattern::{Pattern, PatternError};
pub use self::problems::{SettingProblem, SettingsError, listed};
pub use self::stance::{Mode, Reaction, Stance};
pub use self::users::Users;
