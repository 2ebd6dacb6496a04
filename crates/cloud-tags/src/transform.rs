//! From labels to tags, and to reasons for the labels that are none.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::SkippedLabel;
use tag_rules::{CLOUD_TAG_PREFIX, Cloud, Definition, InfraCluster, Scope, TagRules, TagSkipReason};

/// How the qualified keys of the platform begin.
const PLATFORM_KEYS: &str = "platform/";

/// Qualified keys and their values.
pub type Labels = BTreeMap<String, String>;

/// What labels become: each of them is in one of the two.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transformed {
    /// Tag keys and values.
    pub tags: BTreeMap<String, String>,
    /// The same tag keys, and the qualified keys that they come from.
    pub labels: BTreeMap<String, String>,
    /// The labels that do not become tags, by ascending qualified key.
    pub skipped: Vec<SkippedLabel>,
}

/// The tags for labels by some rules. Nothing is truncated, and only strict profiles change the spelling.
///
/// A function of only its arguments. If there are more labels than a resource can have tags, those with the lowest
/// qualified keys in byte order are kept, and so is the lowest of several labels with one tag key. With the
/// specification's profiles an additional label never changes another's value.
pub fn cloud_tags(rules: impl Into<TagRules>, labels: &Labels) -> Transformed {
    cloud_tags_that_pass(CLOUD_TAG_PREFIX, None, rules.into(), labels, &BTreeMap::new(), &BTreeSet::new())
}

/// Like [`cloud_tags`], with another prefix, if a webhook must accept the tags as well, and together with the tags of
/// others that count. A label takes precedence over a tag of another owner with the same key, which its parent's
/// Composition forwards. With strict profiles the labels of a wider scope come first, and no label of a domain or a project
/// has a tag key that a label of the platform may have: whoever defines such labels does not replace, displace or imitate
/// the platform's.
pub(super) fn cloud_tags_that_pass(
    prefix: &str,
    webhook: Option<Webhook>,
    rules: TagRules,
    labels: &Labels,
    definitions: &BTreeMap<String, Definition>,
    others: &BTreeSet<&str>,
) -> Transformed {
    let (mut tags, mut made_of, mut skipped) = (Vec::with_capacity(labels.len()), Vec::new(), Vec::new());
    let mut taken: BTreeSet<String> = others.iter().filter_map(|key| rules.identity(key)).collect();
    // The tags of others that a label replaced.
    let mut replaced = BTreeSet::new();
    let mut room = rules.most().saturating_sub(others.len());
    let by_profile = |reason| (rules.name(), reason);
    let mut ordered: Vec<_> = labels.iter().collect();
    if rules.is_strict() {
        ordered.sort_by_key(|(qualified_key, _)| definitions.get(*qualified_key).map(|definition| definition.scope));
    }
    for (qualified_key, value) in ordered {
        let tag_key = rules.tag_key_below(prefix, qualified_key);
        let of_webhook = || webhook.and_then(|webhook| Some((webhook.kind(), webhook.refusal(&tag_key, value)?)));
        let identity = rules.identity(&tag_key);
        let replaces = others.contains(&*tag_key) && !replaced.contains(&tag_key);
        let is_of_platform = || {
            let is_defined_there = |definition: &Definition| definition.scope == Scope::Platform;
            qualified_key.starts_with(PLATFORM_KEYS) || definitions.get(qualified_key).is_none_or(is_defined_there)
        };
        let imitates = |identity: &str| {
            let platform = rules.identity(&rules.tag_key_below(prefix, PLATFORM_KEYS));
            platform.is_some_and(|platform| identity.starts_with(&platform)) && !is_of_platform()
        };
        let is_taken = || {
            let identity = identity.as_ref()?;
            let is_taken = (taken.contains(identity) && !replaces) || imitates(identity);
            is_taken.then(|| by_profile(TagSkipReason::KeyCollision))
        };
        let is_over = || (room == 0 && !replaces).then(|| by_profile(TagSkipReason::CountCap));
        let is_full = || {
            let full = webhook.filter(|webhook| tags.len() >= webhook.most());
            full.map(|webhook| (webhook.kind(), TagSkipReason::CountCap))
        };
        let refusal = rules.refusal(qualified_key, &tag_key, value).map(by_profile);
        match refusal.or_else(of_webhook).or_else(is_taken).or_else(is_over).or_else(is_full) {
            None => {
                taken.extend(identity);
                room -= usize::from(!replaces);
                replaced.extend(replaces.then(|| tag_key.clone()));
                made_of.push((tag_key.clone(), qualified_key.clone()));
                tags.push((tag_key, value.clone()));
            }
            Some((provider, reason)) => {
                let qualified_key = qualified_key.clone();
                let reserve = rules.reserve();
                skipped.push(SkippedLabel { qualified_key, tag_key, provider, reason, reserve });
            }
        }
    }
    skipped.sort_by(|one, other| one.qualified_key.cmp(&other.qualified_key));
    Transformed { tags: tags.into_iter().collect(), labels: made_of.into_iter().collect(), skipped }
}

/// The webhook of a kind, and the entries in the field besides the policy's tags.
#[derive(Debug, Clone, Copy)]
pub(super) struct Webhook {
    kind: &'static str,
    takes: &'static Cloud,
    /// How many entries of the field belong to others.
    others: usize,
}

impl Webhook {
    /// The webhook of a kind; `None` if it allows every tag.
    pub(super) fn of(row: &InfraCluster, others: usize) -> Option<Self> {
        row.webhook.map(|takes| Webhook { kind: row.kind, takes, others })
    }

    pub(super) fn kind(self) -> &'static str {
        self.kind
    }

    /// Why it rejects a tag, considering this tag alone.
    pub(super) fn refusal(self, tag_key: &str, value: &str) -> Option<TagSkipReason> {
        self.takes.refusal(tag_key, value)
    }

    /// The maximum number of the policy's tags that it allows.
    pub(super) fn most(self) -> usize {
        self.takes.tags.map_or(usize::MAX, |most| most.saturating_sub(self.others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tag_rules::{Profile, StrictProfile};

    /// Why a label is no tag; `None` where it is one.
    fn reason(provider: &str, key: &str, value: &str) -> Option<TagSkipReason> {
        let labels = [(key.to_owned(), value.to_owned())].into();
        cloud_tags(Profile::of(provider), &labels).skipped.first().map(|skipped| skipped.reason)
    }

    #[test]
    fn no_labels_make_nothing() {
        assert_eq!(cloud_tags(Profile::of("aws"), &Labels::new()), Transformed::default());
    }

    #[test]
    fn a_skipped_label_names_the_profile_that_refused_it() {
        let labels = [("a b".to_owned(), "1".to_owned())].into();
        let skipped = SkippedLabel {
            qualified_key: "a b".to_owned(),
            tag_key: "plexsphere:a b".to_owned(),
            provider: "generic",
            reason: TagSkipReason::KeyCharacterClass,
            reserve: 0,
        };
        assert_eq!(cloud_tags(Profile::of("Unknown"), &labels).skipped, [skipped]);
    }

    #[test]
    fn reasons_are_in_the_order_of_the_table() {
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

    fn strict(profile: &str, reserve: usize, labels: &[(&str, &str)]) -> Transformed {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        cloud_tags(TagRules::Strict { profile: StrictProfile::named(profile).unwrap(), reserve }, &labels)
    }

    fn skips(made: &Transformed) -> Vec<(&str, TagSkipReason)> {
        made.skipped.iter().map(|skip| (&*skip.qualified_key, skip.reason)).collect()
    }

    #[test]
    fn the_lowest_of_several_labels_with_one_tag_key_stays() {
        let made = strict("openstack-strict", 0, &[("a.b", "1"), ("a/b", "2"), ("b/c", "3")]);
        let tags =
            [("plexsphere-a.b", "1"), ("plexsphere-b.c", "3")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!((made.tags.clone(), skips(&made)), (tags.into(), vec![("a/b", TagSkipReason::KeyCollision)]));
        for (profile, expected) in [
            ("azure", vec![("team", TagSkipReason::KeyCollision)]),
            ("aws-strict", vec![("team", TagSkipReason::KeyCollision)]),
            ("oci", vec![]),
        ] {
            assert_eq!(skips(&strict(profile, 0, &[("Team", "1"), ("team", "2")])), expected, "{profile}");
        }
    }

    #[test]
    fn a_label_that_is_refused_leaves_its_tag_key_to_the_next() {
        let made = strict("gcp", 0, &[("a/b", "UPPER"), ("a_b", "lower")]);
        assert_eq!(skips(&made), [("a/b", TagSkipReason::ValueCharacterClass)]);
        assert_eq!(made.labels, [("plexsphere_a_b".to_owned(), "a_b".to_owned())].into());
    }

    #[test]
    fn what_is_reserved_for_others_is_not_admitted() {
        let labels: Vec<String> = (0..11).map(|number| format!("k{number:02}")).collect();
        let labels: Vec<(&str, &str)> = labels.iter().map(|key| (key.as_str(), "v")).collect();
        assert_eq!(strict("oci", 0, &labels).tags.len(), 10);
        let made = strict("oci", 8, &labels);
        assert_eq!((made.tags.len(), skips(&made)[0]), (2, ("k02", TagSkipReason::CountCap)));
    }
}
