//! An object whose labels set no tags: it was adopted, or something that its tags are made from cannot be used or read.

use std::collections::{BTreeMap, BTreeSet};

use super::field::TagsField;
use super::labels::Assigned;
use super::tagged::{Made, Tagged};
use crate::fact::Finding;
use kubernetes::{ChangeRule, NotApplicableReason, ReviewedObject, Stop, StoredTags};
use tag_rules::{CloudTags, TagRules};

/// Why an object whose labels were not compared keeps its tags: `adopted` if it was adopted. `None` if it does not
/// differ for this reason.
pub(super) fn reason(stop: &Stop, adopted: StoredTags) -> Option<StoredTags> {
    match stop {
        Stop::RegistryFailed(_) => Some(StoredTags::RegistryUnread),
        Stop::SourceFailed(_) => Some(StoredTags::SourceUnread),
        Stop::NotApplicable(it) => match it.reason {
            NotApplicableReason::Adopted => Some(adopted),
            NotApplicableReason::Claim => Some(StoredTags::Claim),
            NotApplicableReason::UnusableAssignments => Some(StoredTags::UnusableSource),
            _ => None,
        },
        Stop::LookupFailed(_) | Stop::Malformed(_) => None,
    }
}

/// The differences of an object whose labels set no tags: of the policy's own entries it keeps those that are stored or
/// in `copied`, and nothing is added. `None` if there are none, or if the review is not about a write.
pub(super) fn as_stored(
    subject: &ReviewedObject<'_>,
    settings: &CloudTags,
    field: &'static str,
    provider: Option<&str>,
    reason: StoredTags,
    copied: &BTreeMap<String, String>,
    findings: Vec<Finding>,
) -> Option<Tagged> {
    let rules = TagRules::of(settings, provider.unwrap_or_default());
    let is_joined = rules.joins(provider.unwrap_or_default());
    let field = TagsField::read(subject, field, settings, is_joined).ok();
    let field = field.filter(|_| !subject.review.username.is_empty())?;
    let (assigned, definitions) = (Assigned::default(), BTreeMap::new());
    let made = Made::of(&assigned, &definitions, &settings.prefix, rules, None, &BTreeSet::new());
    let edited = field.own_edited().into_iter();
    let restores = edited.filter(|(key, _)| !reason.allows_removal() || field.has(key)).collect();
    let mut held = field.held_to(&made.transformed, &restores, |key, value| {
        field.stored(key) != Some(value) && copied.get(key).is_none_or(|tag| value.as_str() != Some(tag))
    });
    for change in &mut held.changes {
        change.rule = ChangeRule::AsStored(reason);
    }
    let is_changed = !held.changes.is_empty();
    is_changed.then(|| Tagged {
        leaves_sources: true,
        findings,
        touches_tags: true,
        tags: made.report(provider, &field, &held, &[]),
        changes: held.changes,
        undone: held.undone,
        ..Tagged::default()
    })
}
