//! Warnings about tags: labels that do not become tags, tags that a cloud refuses, and edits that are undone.

use std::collections::BTreeMap;

use crate::fact::CloudTagFact;
use crate::tag_reason::{LabelProblem, LimitSource};
use kubernetes::{Action, Change, ChangeRule};
use tag_rules::{Cloud, InfraCluster, KeyCharacters, Length, Profile, StrictProfile, TagSkipReason, Unit};

use crate::report::{CloudVerdict, SkippedLabel};

/// The warning about a tag that this request writes and that is removed or replaced. One that it omits is restored
/// silently: a client that writes whole objects does not have it.
pub fn of_undone_tag(change: &Change) -> Option<CloudTagFact> {
    let tag = change.key.as_str().into();
    match (change.action, &change.rule) {
        (Action::Restored, ChangeRule::Forwarded) => Some(CloudTagFact::ForwardedTagRestored { tag }),
        (Action::Restored, ChangeRule::AsStored(reason)) => {
            Some(CloudTagFact::StoredTagRestored { tag, reason: *reason })
        }
        (Action::Restored, _) => Some(CloudTagFact::TagRestored { tag }),
        (Action::Removed, rule) => Some(CloudTagFact::TagRemoved { tag, rule: rule.clone() }),
        (Action::Added | Action::Changed | Action::Recorded, _) => None,
    }
}

/// The warning about tags that the cloud's API rejects; `None` if it accepts all.
pub fn of_refused_tags(cloud: &'static str, verdicts: &BTreeMap<String, CloudVerdict>) -> Option<CloudTagFact> {
    let mut refused = verdicts.iter().filter_map(|(key, verdict)| match verdict {
        CloudVerdict::Refused(reason) => Some((key.as_str(), *reason)),
        CloudVerdict::Accepted | CloudVerdict::Unknown => None,
    });
    let (key, problem) = refused.next()?;
    let tag = key.into();
    Some(match 1 + refused.count() {
        1 => CloudTagFact::TagRefused { cloud, tag, problem },
        count => CloudTagFact::TagsRefused { cloud, count, tag, problem },
    })
}

impl SkippedLabel {
    pub fn fact(&self) -> CloudTagFact {
        self.not_added(match self.interface() {
            Some(cloud) => self.problem_at(cloud),
            None => self.problem_in(Profile::of(self.provider)),
        })
    }

    fn not_added(&self, problem: LabelProblem) -> CloudTagFact {
        let limits = match InfraCluster::named(self.provider) {
            Some(_) => LimitSource::Webhook(self.provider),
            None => LimitSource::Profile(self.provider),
        };
        CloudTagFact::LabelNotAdded { label: self.qualified_key.as_str().into(), problem, limits }
    }

    /// The API whose limits count: that of a strict profile, or a kind's own webhook.
    fn interface(&self) -> Option<&'static Cloud> {
        let strict = StrictProfile::named(self.provider).map(|profile| profile.cloud);
        strict.or_else(|| InfraCluster::named(self.provider).and_then(|row| row.webhook))
    }

    fn problem_at(&self, cloud: &Cloud) -> LabelProblem {
        match self.reason {
            TagSkipReason::ReservedPrefix => LabelProblem::ReservedPrefix(cloud.reserved.join(", ")),
            TagSkipReason::ReservedValue => LabelProblem::ReservedValue,
            TagSkipReason::KeyTooLong => too_long("tag key", cloud.key.length),
            TagSkipReason::ValueTooLong => match cloud.joined {
                Some(most) => too_long("key and value", Length::Runes(most)),
                None => too_long("value", cloud.value.length),
            },
            TagSkipReason::KeyCharacterClass => LabelProblem::KeyCharacters,
            TagSkipReason::ValueCharacterClass => LabelProblem::ValueCharacters,
            TagSkipReason::KeyCollision => LabelProblem::KeyTaken(self.tag_key.clone()),
            TagSkipReason::CountCap => match (StrictProfile::named(self.provider), cloud.tags) {
                (None, Some(limit)) => LabelProblem::LimitReached { limit, reserve: 0 },
                _ => LabelProblem::ProfileLimitReached,
            },
        }
    }

    fn problem_in(&self, profile: &Profile) -> LabelProblem {
        let length = |most| match profile.unit {
            Unit::Runes => Length::Runes(most),
            Unit::Bytes => Length::Bytes(most),
        };
        match self.reason {
            TagSkipReason::ReservedValue => LabelProblem::ReservedValue,
            TagSkipReason::ValueCharacterClass => LabelProblem::ValueCharacters,
            TagSkipReason::KeyCollision => LabelProblem::KeyTaken(self.tag_key.clone()),
            TagSkipReason::ReservedPrefix => {
                let prefix = profile.reserved_prefix(&self.qualified_key).unwrap_or_default();
                LabelProblem::ReservedPrefix(prefix.to_owned())
            }
            TagSkipReason::KeyTooLong => too_long("tag key", length(profile.key)),
            TagSkipReason::ValueTooLong => too_long("value", length(profile.value)),
            TagSkipReason::KeyCharacterClass => match profile.characters {
                KeyCharacters::LettersDigitsAnd(others) => LabelProblem::OnlyLettersDigitsAnd(others),
                KeyCharacters::NonControlBut("") => LabelProblem::ControlCharacters,
                KeyCharacters::NonControlBut(others) => LabelProblem::ControlCharactersAnd(others),
            },
            TagSkipReason::CountCap => LabelProblem::LimitReached { limit: profile.tags, reserve: self.reserve },
        }
    }
}

fn too_long(what: &'static str, limit: Length) -> LabelProblem {
    match limit {
        Length::Runes(most) | Length::Prefixed { name: most, .. } => {
            LabelProblem::TooLong { what, most, unit: "characters" }
        }
        Length::Bytes(most) => LabelProblem::TooLong { what, most, unit: "bytes" },
    }
}
