//! From labels to tags, and to reasons for the labels that are none.

use std::collections::BTreeMap;

use crate::catalog::profiles::Profile;
use crate::report::tags::{SkippedLabel, TagSkipReason};

/// What every tag key begins with: one name to find, and to keep apart from the tags of others.
pub const CLOUD_TAG_PREFIX: &str = "plexsphere:";

/// Qualified keys and their values.
pub type Labels = BTreeMap<String, String>;

/// What becomes of labels: each of them stands in one of the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transformed {
    /// Tag keys and values.
    pub tags: BTreeMap<String, String>,
    /// The labels that are no tags, by ascending qualified key.
    pub skipped: Vec<SkippedLabel>,
}

/// The tags that labels make under a profile. Nothing is shortened and nothing re-spelled.
///
/// A function of its arguments alone. Of more labels than a resource may have tags, those with the lowest qualified keys
/// in byte order stay: one label more never changes another's value.
#[must_use]
pub fn cloud_tags(profile: &'static Profile, labels: &Labels) -> Transformed {
    let mut made = Transformed { tags: BTreeMap::new(), skipped: Vec::new() };
    for (qualified_key, value) in labels {
        let tag_key = [CLOUD_TAG_PREFIX, qualified_key].concat();
        let over = || (made.tags.len() >= profile.tags).then_some(TagSkipReason::CountCap);
        match refusal(profile, qualified_key, &tag_key, value).or_else(over) {
            None => {
                made.tags.insert(tag_key, value.clone());
            }
            Some(reason) => {
                let qualified_key = qualified_key.clone();
                made.skipped.push(SkippedLabel { qualified_key, tag_key, provider: profile.name, reason });
            }
        }
    }
    made
}

fn refusal(profile: &Profile, qualified_key: &str, tag_key: &str, value: &str) -> Option<TagSkipReason> {
    if profile.reserved_prefix(qualified_key).is_some() {
        return Some(TagSkipReason::ReservedPrefix);
    }
    if profile.unit.length(tag_key) > profile.key {
        return Some(TagSkipReason::KeyTooLong);
    }
    if profile.unit.length(value) > profile.value {
        return Some(TagSkipReason::ValueTooLong);
    }
    (!profile.characters.admit(tag_key)).then_some(TagSkipReason::KeyCharacterClass)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why a label is no tag; `None` where it is one.
    fn reason(provider: &str, key: &str, value: &str) -> Option<TagSkipReason> {
        let labels = [(key.to_owned(), value.to_owned())].into();
        cloud_tags(Profile::of(provider), &labels).skipped.first().map(|skipped| skipped.reason)
    }

    #[test]
    fn no_labels_make_nothing() {
        let nothing = Transformed { tags: BTreeMap::new(), skipped: Vec::new() };
        assert_eq!(cloud_tags(Profile::of("aws"), &Labels::new()), nothing);
    }

    #[test]
    fn a_skipped_label_names_the_profile_that_refused_it() {
        let labels = [("a b".to_owned(), "1".to_owned())].into();
        let skipped = SkippedLabel {
            qualified_key: "a b".to_owned(),
            tag_key: "plexsphere:a b".to_owned(),
            provider: "generic",
            reason: TagSkipReason::KeyCharacterClass,
        };
        assert_eq!(cloud_tags(Profile::of("Unknown"), &labels).skipped, [skipped]);
    }

    #[test]
    fn reasons_come_in_the_order_of_the_table() {
        let (long_key, long_value) = ("ä\u{7}".repeat(200), "v".repeat(300));
        let reserved = format!("aws:{long_key}");
        assert_eq!(reason("aws", &reserved, &long_value), Some(TagSkipReason::ReservedPrefix));
        assert_eq!(reason("aws", &long_key, &long_value), Some(TagSkipReason::KeyTooLong));
        assert_eq!(reason("aws", "a\u{7}", &long_value), Some(TagSkipReason::ValueTooLong));
        assert_eq!(reason("aws", "a\u{7}", "v"), Some(TagSkipReason::KeyCharacterClass));
        assert_eq!(reason("aws", "a", "v"), None);
    }

    #[test]
    fn the_cap_is_over_the_survivors() {
        let mut labels: Labels = (0..33).map(|number| (format!("k{number:03}"), "v".to_owned())).collect();
        labels.insert("k000 refused".to_owned(), "v".to_owned());
        let made = cloud_tags(Profile::of("generic"), &labels);
        assert_eq!(made.tags.len(), 32);
        let skipped: Vec<_> = made.skipped.iter().map(|skip| (&*skip.qualified_key, skip.reason)).collect();
        assert_eq!(skipped, [("k000 refused", TagSkipReason::KeyCharacterClass), ("k032", TagSkipReason::CountCap)]);
    }
}
