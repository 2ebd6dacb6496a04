//! Why a label does not become a cloud tag.

use std::fmt;

use serde::{Serialize, Serializer};

use kubernetes::Datum;
use tag_rules::TagSkipReason;

/// Why a label has no tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoTagReason {
    /// The label is not set.
    NoLabel,
    /// The label registry does not define it.
    NotDefined,
    /// Its definition does not opt it in.
    NotOptedIn,
    /// It is a seeded label, which cannot be opted in.
    Seeded,
    /// Its value is not a string.
    NotAString,
    /// Its definition takes it from another object.
    AnotherSource,
    /// The registry that may define it cannot be read.
    RegistryUnread,
    /// It propagates and is skipped.
    Skipped(TagSkipReason),
}

impl NoTagReason {
    /// The stable name, for the report.
    pub const fn as_str(self) -> &'static str {
        match self {
            NoTagReason::NoLabel => "no-label",
            NoTagReason::NotDefined => "not-defined",
            NoTagReason::NotOptedIn => "not-opted-in",
            NoTagReason::Seeded => "seeded",
            NoTagReason::NotAString => "not-a-string",
            NoTagReason::AnotherSource => "another-source",
            NoTagReason::RegistryUnread => "registry-unread",
            NoTagReason::Skipped(reason) => reason.as_str(),
        }
    }
}

impl Serialize for NoTagReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The end of a sentence about a required tag.
impl fmt::Display for NoTagReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoTagReason::NoLabel => "the label is not set",
            NoTagReason::NotDefined => "the label registry does not define it",
            NoTagReason::NotOptedIn => "its definition does not opt it in",
            NoTagReason::Seeded => "a seeded label cannot be opted in",
            NoTagReason::NotAString => "its value is not a string",
            NoTagReason::AnotherSource => "its definition takes it from another object, which does not have it",
            NoTagReason::RegistryUnread => "the registry that may define it cannot be read",
            NoTagReason::Skipped(skipped) => return write!(f, "its label is skipped (`{}`)", skipped.as_str()),
        })
    }
}

/// A skip reason with what is wrong, for the sentence of a skip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelProblem {
    /// It has a prefix that the provider reserves.
    ReservedPrefix(String),
    /// The value has a prefix that the provider reserves.
    ReservedValue,
    /// The tag key, including its prefix, the value, or both together, are longer than the provider allows.
    TooLong {
        /// What is too long.
        what: &'static str,
        /// The limit.
        most: usize,
        /// Its unit.
        unit: &'static str,
    },
    /// The tag key has another character than letters, digits and these.
    OnlyLettersDigitsAnd(&'static str),
    /// The tag key has a control character.
    ControlCharacters,
    /// … or one of these.
    ControlCharactersAnd(&'static str),
    /// The tag key has a character that the provider does not allow.
    KeyCharacters,
    /// The value has a character that the provider does not allow.
    ValueCharacters,
    /// A label with a lower key has the same tag key, or a tag of another owner has.
    KeyTaken(String),
    /// Labels with lower keys use up all the tags that a resource can have.
    LimitReached {
        /// The limit of the resource.
        limit: usize,
        /// How many of them are left to others.
        reserve: usize,
    },
    /// … that a strict profile allows.
    ProfileLimitReached,
}

impl fmt::Display for LabelProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabelProblem::ReservedPrefix(prefix) => write!(f, "keys starting with `{prefix}` are reserved"),
            LabelProblem::ReservedValue => f.write_str("value has a reserved prefix"),
            LabelProblem::TooLong { what, most, unit } => write!(f, "{what} longer than {most} {unit}"),
            LabelProblem::OnlyLettersDigitsAnd(others) => {
                write!(f, "only letters, digits and `{others}` are allowed")
            }
            LabelProblem::ControlCharacters => f.write_str("control characters are not allowed"),
            LabelProblem::ControlCharactersAnd(others) => {
                write!(f, "control characters and `{others}` are not allowed")
            }
            LabelProblem::KeyCharacters => f.write_str("key has invalid characters"),
            LabelProblem::ValueCharacters => f.write_str("value has invalid characters"),
            LabelProblem::KeyTaken(tag_key) => write!(f, "tag key `{tag_key}` is already taken"),
            LabelProblem::LimitReached { limit, reserve: 0 } => write!(f, "limit of {limit} tags reached"),
            LabelProblem::LimitReached { limit, reserve } => {
                let left = limit.saturating_sub(*reserve);
                write!(f, "limit of {left} tags reached: {limit} less the {reserve} of `cloudTags.reserve`")
            }
            LabelProblem::ProfileLimitReached => f.write_str("tag limit of the profile reached"),
        }
    }
}

/// Whose limits a tag exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSource {
    /// A profile's.
    Profile(&'static str),
    /// Those of a kind's own webhook.
    Webhook(&'static str),
}

impl fmt::Display for LimitSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitSource::Profile(name) => write!(f, "profile `{name}`"),
            LimitSource::Webhook(kind) => write!(f, "webhook of {kind}"),
        }
    }
}

impl Datum for LabelProblem {}
impl Datum for NoTagReason {}
impl Datum for LimitSource {}
