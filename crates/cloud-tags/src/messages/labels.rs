//! Labels that do not become tags, tags that a cloud does not accept, and required tags that are missing.

use crate::report::{NoTagReason, TagSkipReason};
use facts::messages::SettingValue;
use tag_rules::profiles::{KeyCharacters, Unit};
use tag_rules::text_limits::Length;

/// Logged for each label that does not become a tag; its attributes say which, and why.
pub const LABEL_NOT_ADDED: &str = "label not added as a cloud tag";

/// The warning about a label that does not become a tag. The reason is one of the five below.
pub(crate) fn not_added(label: &str, reason: &str, profile: &str) -> String {
    format!("label `{label}` not added as a cloud tag: {reason} (profile `{profile}`)")
}

/// The same about a label whose tag the webhook of a kind rejects.
pub(crate) fn not_taken(label: &str, reason: &str, kind: &str) -> String {
    format!("label `{label}` not added as a cloud tag: {reason} (webhook of {kind})")
}

/// The label has a prefix that the provider reserves.
pub(crate) fn reserved_prefix(prefix: &str) -> String {
    format!("keys starting with `{prefix}` are reserved")
}

/// The tag key, including its prefix, is longer than the provider allows.
pub(crate) fn key_too_long(limit: usize, unit: Unit) -> String {
    format!("tag key longer than {limit} {}", plural(unit))
}

/// The value is longer than the provider allows.
pub(crate) fn value_too_long(limit: usize, unit: Unit) -> String {
    format!("value longer than {limit} {}", plural(unit))
}

/// The tag key has a character that the provider does not allow.
pub(crate) fn key_characters(admitted: KeyCharacters) -> String {
    match admitted {
        KeyCharacters::LettersDigitsAnd(others) => format!("only letters, digits and `{others}` are allowed"),
        KeyCharacters::NonControlBut("") => "control characters are not allowed".to_owned(),
        KeyCharacters::NonControlBut(others) => format!("control characters and `{others}` are not allowed"),
    }
}

/// The same, if the characters do not fit.
pub(crate) const CHARACTERS_NOT_ALLOWED: &str = "key has invalid characters";

/// Labels with lower keys use up all the tags that a resource can have.
pub(crate) fn limit_reached(limit: usize) -> String {
    format!("limit of {limit} tags reached")
}

/// The value has a prefix that the provider reserves.
pub(crate) const RESERVED_VALUE: &str = "value has a reserved prefix";

/// The value has a character that the provider does not allow.
pub(crate) const VALUE_CHARACTERS: &str = "value has invalid characters";

/// The tag key, or key and value together, are longer than the cloud allows.
pub(crate) fn longer_than(what: &str, limit: Length) -> String {
    match limit {
        Length::Runes(most) | Length::Prefixed { name: most, .. } => format!("{what} longer than {most} characters"),
        Length::Bytes(most) => format!("{what} longer than {most} bytes"),
    }
}

/// A label with a lower key has the same tag key, or a tag of another owner has.
pub(crate) fn key_taken(tag_key: &str) -> String {
    format!("tag key `{tag_key}` is already taken")
}

/// Labels with lower keys use up all the tags that a strict profile allows.
pub(crate) const ALL_TAKEN: &str = "tag limit of the profile reached";

/// The rule by which a cloud's API rejects a tag.
pub(crate) const fn rule(reason: TagSkipReason) -> &'static str {
    match reason {
        TagSkipReason::ReservedPrefix => "the key has a reserved prefix",
        TagSkipReason::KeyTooLong => "the key is too long",
        TagSkipReason::ValueTooLong => "the value is too long",
        TagSkipReason::KeyCharacterClass => "the key has invalid characters",
        TagSkipReason::CountCap => "there are too many tags",
        TagSkipReason::ReservedValue => "the value has a reserved prefix",
        TagSkipReason::ValueCharacterClass => "the value has invalid characters",
        TagSkipReason::KeyCollision => "another key differs only in case",
    }
}

/// The warning about tags that the cloud's API rejects: how many, and one of them with the rule.
pub(crate) fn refused_by_cloud(cloud: &str, count: usize, tag: &str, rule: &str) -> String {
    match count {
        1 => format!("the API of `{cloud}` does not accept cloud tag `{tag}`: {rule}"),
        _ => format!("the API of `{cloud}` does not accept {count} cloud tags, such as `{tag}`: {rule}"),
    }
}

/// The warning, and with the composite's name the log line, about a required tag that a composite does not have.
pub fn missing(key: &str, reason: NoTagReason) -> String {
    let reason = match reason {
        NoTagReason::NoLabel => "the label is not set",
        NoTagReason::NotDefined => "the label registry does not define it",
        NoTagReason::NotOptedIn => "its definition does not opt it in",
        NoTagReason::Seeded => "a seeded label cannot be opted in",
        NoTagReason::NotAString => "its value is not a string",
        NoTagReason::AnotherSource => "its definition takes it from another object, which does not have it",
        NoTagReason::RegistryUnread => "the registry that may define it cannot be read",
        NoTagReason::Skipped(skipped) => &format!("its label is skipped (`{}`)", skipped.as_str()),
    };
    format!("required cloud tag of label `{key}` is missing: {reason}")
}

/// A composite without a required tag is refused; follows its name.
pub fn refused_without(key: &str, reason: NoTagReason, setting: SettingValue<'_>) -> String {
    format!("{} ({setting})", missing(key, reason))
}

const fn plural(unit: Unit) -> &'static str {
    match unit {
        Unit::Runes => "characters",
        Unit::Bytes => "bytes",
    }
}
