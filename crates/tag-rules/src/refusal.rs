//! Why a cloud rejects a tag.

use std::fmt;

use crate::clouds::Cloud;
use kubernetes::decision::datum::Datum;

/// Why a cloud rejects a tag, considering this tag alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagRefusal {
    /// The key begins with what the cloud reserves.
    ReservedPrefix,
    /// The value does.
    ReservedValue,
    /// The key is too long.
    KeyTooLong,
    /// The value is, or both together are.
    ValueTooLong,
    /// The key has other characters than the cloud accepts.
    KeyCharacters,
    /// The value has.
    ValueCharacters,
}

impl Cloud {
    /// Why the cloud rejects a tag, if it does.
    #[must_use]
    pub fn refusal(&self, key: &str, value: &str) -> Option<TagRefusal> {
        let is_too_long = || self.joined.is_some_and(|most| key.chars().count() + 1 + value.chars().count() > most);
        if self.reserves(key) {
            Some(TagRefusal::ReservedPrefix)
        } else if self.reserves_values && self.reserves(value) {
            Some(TagRefusal::ReservedValue)
        } else if !self.key.length.admits(key) {
            Some(TagRefusal::KeyTooLong)
        } else if !self.value.length.admits(value) || is_too_long() {
            Some(TagRefusal::ValueTooLong)
        } else if key.is_empty() || !self.key.form.admits(key) {
            Some(TagRefusal::KeyCharacters)
        } else if !self.value.form.admits(value) {
            Some(TagRefusal::ValueCharacters)
        } else {
            None
        }
    }
}

/// The end of a sentence.
impl fmt::Display for TagRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TagRefusal::ReservedPrefix => "the key has a reserved prefix",
            TagRefusal::ReservedValue => "the value has a reserved prefix",
            TagRefusal::KeyTooLong => "the key is too long",
            TagRefusal::ValueTooLong => "the value is too long",
            TagRefusal::KeyCharacters => "the key has invalid characters",
            TagRefusal::ValueCharacters => "the value has invalid characters",
        })
    }
}

impl Datum for TagRefusal {}
