//! What is said about tags: labels that do not become tags, tags that a cloud refuses, and edits that are undone.

use std::collections::BTreeMap;

use facts::change::{Action, Change};
use facts::shortening::{first_that_elides, short};
use tag_rules::clouds::Cloud;
use tag_rules::infrastructure::InfraCluster;
use tag_rules::profiles::Profile;
use tag_rules::strict::StrictProfile;
use tag_rules::text_limits::Length;

use crate::messages as cloud_tags;
use crate::report::{CloudVerdict, SkippedLabel, TagSkipReason};

/// The warning for a tag that this request writes and that is removed or replaced. One that it omits is restored
/// without a warning: a client that writes whole objects does not have it.
pub fn of_undone_tag(change: &Change) -> Option<String> {
    match change.action {
        Action::Restored => Some(short(match &*change.rule {
            cloud_tags::FORWARDED => cloud_tags::restored_forwarded(&change.key),
            rule if cloud_tags::WITHOUT_LABELS.contains(&rule) => cloud_tags::restored_for(&change.key, rule),
            _ => cloud_tags::restored(&change.key),
        })),
        Action::Removed => Some(short(cloud_tags::removed(&change.key, &change.rule))),
        Action::Added | Action::Changed | Action::Recorded => None,
    }
}

/// The warning for tags that the cloud's API rejects; `None` if it accepts all.
pub fn of_refused_tags(cloud: &str, verdicts: &BTreeMap<String, CloudVerdict>) -> Option<String> {
    let mut refused = verdicts.iter().filter_map(|(key, verdict)| match verdict {
        CloudVerdict::Refused(reason) => Some((key, cloud_tags::rule(*reason))),
        CloudVerdict::Accepted | CloudVerdict::Unknown => None,
    });
    let (key, rule) = refused.next()?;
    Some(short(cloud_tags::refused_by_cloud(cloud, 1 + refused.count(), key, rule)))
}

/// The warning for a label that does not become a cloud tag, if a number of tags is reserved for others.
pub fn of_skipped_label(label: &SkippedLabel, reserve: usize) -> String {
    if label.interface().is_some() {
        return short(label.sentence());
    }
    let reason = match label.reason {
        TagSkipReason::CountCap => cloud_tags::limit_reached(Profile::of(label.provider).tags.saturating_sub(reserve)),
        _ => label.why(),
    };
    let brief = match label.reason {
        TagSkipReason::KeyCharacterClass => cloud_tags::CHARACTERS_NOT_ALLOWED,
        _ => &reason,
    };
    first_that_elides(
        [&*reason, brief].map(|reason| cloud_tags::not_added(&label.qualified_key, reason, label.provider)),
    )
}

impl SkippedLabel {
    /// The sentence that says why the label does not become a tag.
    #[must_use]
    pub fn sentence(&self) -> String {
        let sentence = match InfraCluster::named(self.provider) {
            Some(_) => cloud_tags::not_taken,
            None => cloud_tags::not_added,
        };
        sentence(&self.qualified_key, &self.why(), self.provider)
    }

    fn why(&self) -> String {
        match self.interface() {
            Some(cloud) => self.why_at(cloud),
            None => self.why_in(Profile::of(self.provider)),
        }
    }

    /// The API whose limits count: that of a strict profile, or a kind's own webhook.
    fn interface(&self) -> Option<&'static Cloud> {
        let strict = StrictProfile::named(self.provider).map(|profile| profile.cloud);
        strict.or_else(|| InfraCluster::named(self.provider).and_then(|row| row.webhook))
    }

    fn why_at(&self, cloud: &Cloud) -> String {
        match self.reason {
            TagSkipReason::ReservedPrefix => cloud_tags::reserved_prefix(&cloud.reserved.join(", ")),
            TagSkipReason::ReservedValue => cloud_tags::RESERVED_VALUE.to_owned(),
            TagSkipReason::KeyTooLong => cloud_tags::longer_than("tag key", cloud.key.length),
            TagSkipReason::ValueTooLong => match cloud.joined {
                Some(most) => cloud_tags::longer_than("key and value", Length::Runes(most)),
                None => cloud_tags::longer_than("value", cloud.value.length),
            },
            TagSkipReason::KeyCharacterClass => cloud_tags::CHARACTERS_NOT_ALLOWED.to_owned(),
            TagSkipReason::ValueCharacterClass => cloud_tags::VALUE_CHARACTERS.to_owned(),
            TagSkipReason::KeyCollision => cloud_tags::key_taken(&self.tag_key),
            TagSkipReason::CountCap => match (StrictProfile::named(self.provider), cloud.tags) {
                (None, Some(most)) => cloud_tags::limit_reached(most),
                _ => cloud_tags::ALL_TAKEN.to_owned(),
            },
        }
    }

    fn why_in(&self, profile: &Profile) -> String {
        let key = &self.qualified_key;
        match self.reason {
            TagSkipReason::ReservedValue => cloud_tags::RESERVED_VALUE.to_owned(),
            TagSkipReason::ValueCharacterClass => cloud_tags::VALUE_CHARACTERS.to_owned(),
            TagSkipReason::KeyCollision => cloud_tags::key_taken(&self.tag_key),
            TagSkipReason::ReservedPrefix => {
                cloud_tags::reserved_prefix(profile.reserved_prefix(key).unwrap_or_default())
            }
            TagSkipReason::KeyTooLong => cloud_tags::key_too_long(profile.key, profile.unit),
            TagSkipReason::ValueTooLong => cloud_tags::value_too_long(profile.value, profile.unit),
            TagSkipReason::KeyCharacterClass => cloud_tags::key_characters(profile.characters),
            TagSkipReason::CountCap => cloud_tags::limit_reached(profile.tags),
        }
    }
}

#[cfg(test)]
mod tests {
    use facts::shortening::LONGEST;
    use proptest::prelude::*;
    use tag_rules::profiles::PROFILES;

    use super::*;

    proptest! {
        #[test]
        fn a_skipped_label_has_a_warning_of_120_characters(key in "[a-zä./-]{0,400}") {
            for (provider, reason) in PROFILES.iter().flat_map(|row| TagSkipReason::ALL.map(|reason| (row.name, reason))) {
                let (qualified_key, tag_key) = (key.clone(), String::new());
                let warning = of_skipped_label(&SkippedLabel { qualified_key, tag_key, provider, reason }, 0);
                prop_assert!(warning.chars().count() <= LONGEST, "{}", warning);
                prop_assert!(warning.ends_with(&format!("(profile `{provider}`)")), "{}", warning);
            }
        }
    }

    #[test]
    fn a_skipped_label_names_the_limit_that_it_meets() {
        let warning = |reason, provider| {
            let (qualified_key, tag_key) = ("aws:cost".to_owned(), "plexsphere:aws:cost".to_owned());
            of_skipped_label(&SkippedLabel { qualified_key, tag_key, provider, reason }, 0)
        };
        for (reason, provider, expected) in [
            (TagSkipReason::ReservedPrefix, "aws", "keys starting with `aws:` are reserved (profile `aws`)"),
            (TagSkipReason::KeyTooLong, "openstack", "tag key longer than 255 bytes (profile `openstack`)"),
            (TagSkipReason::ValueTooLong, "hetzner", "value longer than 63 characters (profile `hetzner`)"),
            (
                TagSkipReason::KeyCharacterClass,
                "aws",
                "only letters, digits and ` +-=._:/@` are allowed (profile `aws`)",
            ),
            (TagSkipReason::CountCap, "generic", "limit of 32 tags reached (profile `generic`)"),
        ] {
            let expected = format!("label `aws:cost` not added as a cloud tag: {expected}");
            assert_eq!(warning(reason, provider), expected);
        }
    }
}
