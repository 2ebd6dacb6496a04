//! Why a label does not become a tag, and why a cloud rejects one.

use serde::Serialize;

use crate::clouds::Cloud;
use kubernetes::{Datum, names};

names! {
    /// Why a label does not become a tag, or a cloud rejects one: the specification's five in the order in which they are
    /// checked, then those that strict profiles and clouds have in addition. The sentences are about a cloud's API.
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    TagSkipReason {
        /// The qualified key has a prefix that the provider reserves.
        ReservedPrefix = "reserved-prefix": "the key has a reserved prefix";
        /// The tag key is longer than the provider allows.
        KeyTooLong = "key-too-long": "the key is too long";
        /// The value is longer than the provider allows, or both together are.
        ValueTooLong = "value-too-long": "the value is too long";
        /// The tag key has a character that the provider does not allow.
        KeyCharacterClass = "key-character-class": "the key has invalid characters";
        /// Labels with lower keys use up all the tags that a resource can have.
        CountCap = "count-cap": "there are too many tags";
        /// The value has a prefix that the provider reserves.
        ReservedValue = "reserved-value": "the value has a reserved prefix";
        /// The value has a character that the provider does not allow.
        ValueCharacterClass = "value-character-class": "the value has invalid characters";
        /// A label with a lower key has the same tag key.
        KeyCollision = "key-collision": "another key differs only in case";
    }
}

impl TagSkipReason {
    /// The specification's five, in the order in which they are checked.
    pub const ALL: [TagSkipReason; 5] = [
        TagSkipReason::ReservedPrefix,
        TagSkipReason::KeyTooLong,
        TagSkipReason::ValueTooLong,
        TagSkipReason::KeyCharacterClass,
        TagSkipReason::CountCap,
    ];

    /// Those that strict profiles have in addition.
    pub const STRICT: [TagSkipReason; 3] =
        [TagSkipReason::ReservedValue, TagSkipReason::ValueCharacterClass, TagSkipReason::KeyCollision];
}

impl Cloud {
    /// Why the cloud rejects a tag, considering this tag alone.
    pub fn refusal(&self, key: &str, value: &str) -> Option<TagSkipReason> {
        let is_too_long = || self.joined.is_some_and(|most| key.chars().count() + 1 + value.chars().count() > most);
        if self.reserves(key) {
            Some(TagSkipReason::ReservedPrefix)
        } else if self.reserves_values && self.reserves(value) {
            Some(TagSkipReason::ReservedValue)
        } else if !self.key.length.admits(key) {
            Some(TagSkipReason::KeyTooLong)
        } else if !self.value.length.admits(value) || is_too_long() {
            Some(TagSkipReason::ValueTooLong)
        } else if key.is_empty() || !self.key.form.admits(key) && !self.frees(key) {
            Some(TagSkipReason::KeyCharacterClass)
        } else if !self.value.form.admits(value) {
            Some(TagSkipReason::ValueCharacterClass)
        } else {
            None
        }
    }
}

impl Datum for TagSkipReason {}
