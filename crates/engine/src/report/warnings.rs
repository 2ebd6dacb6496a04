//! Warnings for the person at kubectl: one fact each, short, the most important first.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::clouds::Cloud;
use crate::catalog::infrastructure::InfraCluster;
use crate::catalog::profiles::Profile;
use crate::catalog::strict::StrictProfile;
use crate::catalog::text_limits::Length;
use crate::report::change::{Action, Change, Value};
use crate::report::messages::propagation as messages;
use crate::report::messages::{EntryName, Location, and_more, cloud_tags};
use crate::report::outcome::{LogLevel, LogLine};
use crate::report::shortening::{first_that_elides, first_that_fits, short};
use crate::report::source::{SourceObject, SourcePath};
use crate::report::tags::{CloudVerdict, SkippedLabel, TagSkipReason};

/// The maximum number of warnings for one request; the report in the audit annotation has all.
const MOST: usize = 20;

/// What is done about a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is written.
    Written,
    /// The settings leave it as it is.
    Left,
    /// It is left to Cluster API: its owners cannot be restored.
    LeftToClusterApi,
}

/// The warning for one difference. The policy's own record needs none.
///
/// The path is shortened first, then the name of the source object.
pub(crate) fn of_change(change: &Change, fate: Fate) -> Option<String> {
    let what_happened = match change.action {
        Action::Recorded => return None,
        _ if fate == Fate::LeftToClusterApi => {
            let sentence =
                messages::changed(change.entry(), messages::LEFT_TO_CLUSTER_API, messages::NO_MANAGED_FIELDS);
            return Some(short(sentence));
        }
        _ if fate == Fate::Left => messages::NOT_RESTORED,
        Action::Added => messages::ADDED,
        Action::Changed => messages::CORRECTED,
        Action::Restored => messages::RESTORED,
        Action::Removed => messages::REMOVED,
    };
    let wordings = Detail::ALL.into_iter().map(|detail| {
        let reason = change.reason(detail);
        messages::changed(change.entry(), what_happened, &reason)
    });
    Some(short(first_that_fits(wordings)))
}

/// The warning for a tag that this request writes and that is removed or replaced. One that it omits is restored
/// without a warning: a client that writes whole objects does not have it.
pub(crate) fn of_undone_tag(change: &Change) -> Option<String> {
    match change.action {
        Action::Restored => Some(short(match &*change.rule {
            cloud_tags::FORWARDED => cloud_tags::restored_forwarded(&change.key),
            rule @ (cloud_tags::ADOPTED_STAYS
            | cloud_tags::ADOPTED_CLUSTER
            | cloud_tags::UNUSABLE
            | cloud_tags::UNREAD) => cloud_tags::restored_for(&change.key, rule),
            _ => cloud_tags::restored(&change.key),
        })),
        Action::Removed => Some(short(cloud_tags::removed(&change.key, &change.rule))),
        Action::Added | Action::Changed | Action::Recorded => None,
    }
}

/// The warning for tags that the cloud's API rejects; `None` if it accepts all.
pub(crate) fn of_refused_tags(cloud: &str, verdicts: &BTreeMap<String, CloudVerdict>) -> Option<String> {
    let mut refused = verdicts.iter().filter_map(|(key, verdict)| match verdict {
        CloudVerdict::Refused(reason) => Some((key, cloud_tags::rule(*reason))),
        CloudVerdict::Accepted | CloudVerdict::Unknown => None,
    });
    let (key, rule) = refused.next()?;
    Some(short(cloud_tags::refused_by_cloud(cloud, 1 + refused.count(), key, rule)))
}

/// The warning for a label that does not become a cloud tag, if a number of tags is reserved for others.
pub(crate) fn of_skipped_label(label: &SkippedLabel, reserve: usize) -> String {
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

/// Restored before changed, removed and added.
pub(crate) fn rank(change: &Change) -> u8 {
    match change.action {
        Action::Restored => 0,
        Action::Changed => 1,
        Action::Removed => 2,
        Action::Added => 3,
        Action::Recorded => 4,
    }
}

/// Differences as parts of one refusal: the first few, each with a value of limited length. The report has all.
pub(crate) fn differences(changes: &[Change]) -> String {
    const MOST: usize = 10;
    let mut parts: Vec<String> = changes.iter().take(MOST).map(Change::difference).collect();
    if changes.len() > MOST {
        parts.push(and_more(changes.len() - MOST));
    }
    parts.join("; ")
}

/// A limited number of warnings without duplicates; the last says how many more there are.
pub(crate) fn capped(all: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut warnings: Vec<String> = all.into_iter().filter(|warning| seen.insert(warning.clone())).collect();
    if warnings.len() > MOST {
        let more = warnings.len() - (MOST - 1);
        warnings.truncate(MOST - 1);
        warnings.push(and_more(more));
    }
    warnings
}

/// A limited number of lines; the last says how many more there are.
pub(crate) fn capped_lines(mut lines: Vec<LogLine>) -> Vec<LogLine> {
    if lines.len() > MOST {
        let message = and_more(lines.len() - (MOST - 1));
        lines.truncate(MOST - 1);
        lines.push(LogLine { level: LogLevel::Warning, message, attributes: Vec::new() });
    }
    lines
}

/// How exactly the source of a change is named.
#[derive(Debug, Clone, Copy)]
pub(super) enum Detail {
    Path,
    Object,
    Kind,
}

impl Detail {
    /// The most exact first.
    pub(super) const ALL: [Detail; 3] = [Detail::Path, Detail::Object, Detail::Kind];

    /// An object, and a path in it if there is one.
    pub(super) fn location<'a>(self, object: &'a SourceObject, path: Option<&'a str>) -> Location<'a> {
        match (self, path) {
            (Detail::Path, Some(path)) => Location::InObject { object: object.as_str(), path },
            (Detail::Path | Detail::Object, _) => Location::Object(object.as_str()),
            (Detail::Kind, _) => Location::Kind(object.kind()),
        }
    }
}

impl Change {
    fn entry(&self) -> EntryName<'_> {
        EntryName { noun: self.entry.as_str(), key: &self.key }
    }

    /// The reason: where the entry is set, or the rule if that is no other object.
    fn reason(&self, detail: Detail) -> String {
        let Some(object) = &self.source else { return self.rule.to_string() };
        let source = detail.location(object, self.place.as_ref().map(SourcePath::as_str));
        match (self.action, &self.place) {
            (Action::Removed, _) => messages::no_longer_set_on(source),
            (_, None) => messages::managed_by_cluster_api(source),
            (_, Some(_)) => messages::set_on(source),
        }
    }

    /// The entry, its path, its value and the reason, as in a refusal; a long value is truncated.
    #[must_use]
    pub fn difference(&self) -> String {
        const LONGEST_VALUE: usize = 63;
        let reason = self.reason(Detail::Path);
        match self.to.as_ref().map(Value::plain) {
            Some(value) if value.chars().count() > LONGEST_VALUE => {
                let beginning: String = value.chars().take(LONGEST_VALUE).chain(['…']).collect();
                messages::must_be(self.entry(), &self.at, &beginning, &reason)
            }
            Some(value) => messages::must_be(self.entry(), &self.at, value, &reason),
            None => messages::must_be_removed(self.entry(), &self.at, &reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::catalog::profiles::PROFILES;
    use crate::report::change::EntryNoun;
    use crate::report::shortening::{LONGEST, SHORTEST_KEY};

    const PATH: &str = ".spec.template.metadata.labels";

    fn added(key: &str, value: &str) -> Change {
        Change {
            at: "metadata.labels".into(),
            key: key.to_owned(),
            action: Action::Added,
            from: None,
            to: Some(Value::string(value)),
            rule: "a rule".into(),
            source: Some(SourceObject::new("MachineSet", &"fleet/ms")),
            path: crate::json::path::Path::fields(&["metadata", "labels"]).into(),
            entry: EntryNoun::Label,
            place: Some(SourcePath::of_field(PATH)),
            owned: None,
        }
    }

    fn warning(change: &Change) -> String {
        of_change(change, Fate::Written).unwrap()
    }

    #[test]
    fn every_action_has_its_warning() {
        let change = |action| Change { action, ..added("team", "red") };
        for (action, fate, expected) in [
            (
                Action::Added,
                Fate::Written,
                Some("label `team` added: set on MachineSet fleet/ms (.spec.template.metadata.labels)"),
            ),
            (
                Action::Changed,
                Fate::Written,
                Some("label `team` corrected: set on MachineSet fleet/ms (.spec.template.metadata.labels)"),
            ),
            (
                Action::Restored,
                Fate::Written,
                Some("label `team` restored: set on MachineSet fleet/ms (.spec.template.metadata.labels)"),
            ),
            (
                Action::Restored,
                Fate::Left,
                Some(
                    "label `team` edited but not restored: set on MachineSet fleet/ms (.spec.template.metadata.labels)",
                ),
            ),
            (
                Action::Restored,
                Fate::LeftToClusterApi,
                Some("label `team` not restored by this policy: no readable managedFields; Cluster API restores it"),
            ),
            (
                Action::Removed,
                Fate::Written,
                Some("label `team` removed: no longer set on MachineSet fleet/ms (.spec.template.metadata.labels)"),
            ),
            (Action::Recorded, Fate::Written, None),
        ] {
            assert_eq!(of_change(&change(action), fate).as_deref(), expected, "{action:?}");
        }
    }

    #[test]
    fn a_forced_label_names_the_object_that_it_follows_from() {
        let forced = Change { place: None, ..added("cluster.x-k8s.io/set-name", "ms") };
        assert_eq!(
            warning(&forced),
            "label `cluster.x-k8s.io/set-name` added: set by Cluster API from MachineSet fleet/ms"
        );
    }

    #[test]
    fn a_change_without_source_names_its_rule() {
        let own = Change { action: Action::Removed, source: None, place: None, ..added("team", "red") };
        assert_eq!(warning(&own), "label `team` removed: a rule");
    }

    #[test]
    fn the_path_gives_way_first_then_the_object_then_the_middle_of_the_key() {
        let of = |length: usize| warning(&added(&"k".repeat(length), ""));
        let key = |length: usize| "k".repeat(length);
        for (length, expected) in [
            (45, format!("label `{}` added: set on MachineSet fleet/ms ({PATH})", key(45))),
            (46, format!("label `{}` added: set on MachineSet fleet/ms", key(46))),
            (78, format!("label `{}` added: set on MachineSet fleet/ms", key(78))),
            (79, format!("label `{}` added: set on the MachineSet", key(79))),
            (83, format!("label `{}` added: set on the MachineSet", key(83))),
            (84, format!("label `{}…{}` added: set on the MachineSet", key(41), key(41))),
            (316, format!("label `{}…{}` added: set on the MachineSet", key(41), key(41))),
        ] {
            assert_eq!(of(length), expected, "{length}");
        }
    }

    proptest! {
        #[test]
        fn no_warning_is_longer_than_120_characters_or_loses_its_key(
            key in "[a-zä./`-]{0,320}", kind in "[A-Z][a-z]{0,60}", name in "[a-z/-]{0,320}", path in "\\.[a-z.]{0,200}",
            forced in any::<bool>(),
            fate in prop::sample::select(vec![Fate::Written, Fate::Left, Fate::LeftToClusterApi]),
        ) {
            let change = Change {
                source: Some(SourceObject::new(&kind, &name)),
                place: (!forced).then(|| SourcePath::of_field(&path)),
                action: Action::Restored,
                ..added(&key, "red")
            };
            let warning = of_change(&change, fate).unwrap();
            prop_assert!(warning.chars().count() <= LONGEST, "{}", warning);
            let whole = format!("label `{key}` ");
            let beginning: String = key.chars().take(SHORTEST_KEY / 2).collect();
            prop_assert!(warning.starts_with(&format!("label `{beginning}")), "{}", warning);
            prop_assert!(key.chars().count() > SHORTEST_KEY || warning.starts_with(&whole), "{}", warning);
        }

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

    #[test]
    fn many_warnings_end_in_a_count() {
        let warnings = capped((0..25).map(|number| number.to_string()).collect());
        assert_eq!(warnings.len(), MOST);
        assert_eq!(warnings.last().unwrap(), "and 6 more: see the audit annotation `report`");
        assert_eq!(capped(vec!["one".to_owned()]), ["one"]);
    }

    #[test]
    fn many_log_lines_end_in_a_count() {
        let line =
            |number: usize| LogLine { level: LogLevel::Warning, message: number.to_string(), attributes: Vec::new() };
        let lines = capped_lines((0..25).map(line).collect());
        assert_eq!(lines.len(), MOST);
        assert_eq!(lines.last().unwrap().message, "and 6 more: see the audit annotation `report`");
        assert_eq!(capped_lines((0..MOST).map(line).collect()).last().unwrap().message, "19");
    }

    #[test]
    fn as_many_warnings_as_anybody_reads_stay_whole() {
        let warnings: Vec<String> = (0..MOST).map(|number| number.to_string()).collect();
        assert_eq!(capped(warnings.clone()), warnings);
    }

    #[test]
    fn a_value_as_long_as_a_label_may_be_stays_whole() {
        let value = "v".repeat(63);
        let must_be = |value: &str| {
            format!("label `a` in `metadata.labels` must be `{value}`: set on MachineSet fleet/ms ({PATH})")
        };
        assert_eq!(differences(&[added("a", &value)]), must_be(&value));
        assert_eq!(differences(&[added("a", &format!("{value}v"))]), must_be(&format!("{value}…")));
    }

    #[test]
    fn a_refusal_lists_ten_differences_and_counts_the_others() {
        let surplus = Change { to: None, source: None, ..added("a", "") };
        let one = "label `a` in `metadata.labels` must be removed: a rule";
        assert_eq!(differences(&vec![surplus.clone(); 10]), [one; 10].join("; "));
        let eleven = format!("{}; and 1 more: see the audit annotation `report`", [one; 10].join("; "));
        assert_eq!(differences(&vec![surplus; 11]), eleven);
    }
}
