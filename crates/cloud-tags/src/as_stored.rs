//! An object whose labels set no tags: it was adopted, or something that its tags are made from cannot be used or read.

use std::collections::{BTreeMap, BTreeSet};

use super::field::TagsField;
use super::labels::Assigned;
use super::rules::TagRules;
use super::tagged::{Made, Tagged};
use crate::messages;
use facts::finding::Finding;
use facts::not_applicable::NotApplicableReason;
use facts::stop::Stop;
use kube::subject::ReviewedObject;
use tag_rules::CloudTags;

/// The rule behind each difference of an object whose labels were not compared: `adopted` if that is why. `None` if the
/// object does not differ for this reason.
pub(super) fn rule(stop: &Stop, adopted: &'static str) -> Option<&'static str> {
    match stop {
        Stop::RegistryFailed(_) => Some(messages::REGISTRY_UNREAD),
        Stop::SourceFailed(_) => Some(messages::SOURCE_UNREAD),
        Stop::NotApplicable(it) => match it.reason {
            NotApplicableReason::Adopted => Some(adopted),
            NotApplicableReason::Claim => Some(messages::CLAIM_STAYS),
            NotApplicableReason::UnusableAssignments => Some(messages::UNUSABLE_SOURCE),
            _ => None,
        },
        Stop::LookupFailed(_) | Stop::Malformed(_) => None,
    }
}

/// The differences of an object whose labels set no tags: of the policy's own entries it keeps those that are stored,
/// and nothing is added. `None` if there are none, or if the review is not about a write.
pub(super) fn as_stored(
    subject: &ReviewedObject<'_>,
    settings: &CloudTags,
    field: &'static str,
    provider: Option<&str>,
    rule: &'static str,
    findings: Vec<Finding>,
) -> Option<Tagged> {
    let field = TagsField::read(subject, field, settings).ok().filter(|_| !subject.review.username.is_empty())?;
    let rules = TagRules::of(settings, provider.unwrap_or_default());
    let (assigned, definitions) = (Assigned::default(), BTreeMap::new());
    let made = Made::of(&assigned, &definitions, &settings.prefix, rules, None, &BTreeSet::new());
    let restores = field.own_edited().into_iter().filter(|(key, _)| field.has(key)).collect();
    let mut held = field.held_to(&made.transformed, &restores, |key, value| field.stored(key) != Some(value));
    for change in &mut held.changes {
        change.rule = rule.into();
    }
    let is_changed = !held.changes.is_empty();
    is_changed.then(|| Tagged {
        unknown_provider: None,
        missing: Vec::new(),
        leaves_sources: true,
        findings,
        touches_tags: true,
        cloud: None,
        tags: made.report(provider, &field, &held, &[]),
        changes: held.changes,
        undone: held.undone,
    })
}
