//! What labels make, how an object differs from it, and which required tags it lacks.

use std::collections::{BTreeMap, BTreeSet};

use super::field::{Held, TagsField};
use super::labels::Assigned;
use super::provider::UnknownProvider;
use super::transform::Webhook;
use super::transform::{Transformed, cloud_tags_that_pass};
use crate::fact::{CloudTagFact, Finding};
use crate::report::TagReport;
use crate::report::verdicts;
use crate::tag_reason::NoTagReason;
use kubernetes::{Change, Value};
use tag_rules::{CloudTags, Definition, OnMissingTag, RequiredTag, TagRules, TagSkipReason};

/// What differs from the labels of a composite or of a Cluster, and what they make.
#[derive(Default)]
pub struct Tagged {
    /// Differences, to be written or reported.
    pub changes: Vec<Change>,
    /// The keys of those changes that undo what this request writes.
    pub undone: BTreeSet<String>,
    /// Reported only if the request can be its cause.
    pub unknown_provider: Option<UnknownProvider>,
    /// Required tags that the composite does not have.
    pub missing: Vec<Missing>,
    /// Whether the request leaves what tags are made from as it is stored.
    pub leaves_sources: bool,
    /// Whether the request, or the policy, writes tags or what they are made from.
    pub touches_tags: bool,
    /// Labels that are opted in and whose values cannot be decoded.
    pub undecoded: Vec<UndecodedLabel>,
    /// What is found of assignments.
    pub findings: Vec<Finding>,
    /// The provider whose own interface the tags were checked against.
    pub cloud: Option<&'static str>,
    /// What the report says of tags.
    pub tags: TagReport,
}

/// A label whose value cannot be decoded: an error in the registry's data, and no skip.
pub struct UndecodedLabel {
    /// Its key in the registry.
    pub qualified_key: String,
    /// The key that its tag would have.
    pub tag_key: String,
    /// What its value is instead of a text.
    pub found: &'static str,
}

impl UndecodedLabel {
    /// Those of an object.
    pub(super) fn all(
        assigned: &Assigned,
        definitions: &BTreeMap<String, Definition>,
        prefix: &str,
        rules: TagRules,
    ) -> Vec<UndecodedLabel> {
        let undecoded = assigned.undecoded(definitions);
        let of = |(key, found): (&str, &'static str)| UndecodedLabel {
            qualified_key: key.to_owned(),
            tag_key: rules.tag_key_below(prefix, key),
            found,
        };
        undecoded.map(of).collect()
    }
}

/// What labels make.
pub(super) struct Made {
    pub(super) rules: TagRules,
    pub(super) transformed: Transformed,
    /// The labels that are not meant to be tags, and why.
    pub(super) not_propagating: BTreeMap<String, NoTagReason>,
    /// The most tags that there may be.
    most: usize,
}

impl Made {
    /// What the labels make that their definitions let become tags, beside the tags of others that count.
    pub(super) fn of(
        assigned: &Assigned,
        definitions: &BTreeMap<String, Definition>,
        prefix: &str,
        rules: TagRules,
        webhook: Option<Webhook>,
        others: &BTreeSet<&str>,
    ) -> Self {
        let (labels, not_propagating) = assigned.propagating(definitions);
        let transformed = cloud_tags_that_pass(prefix, webhook, rules, &labels, definitions, others);
        let beside = others.iter().filter(|key| !transformed.tags.contains_key(**key)).count();
        let most = webhook.map_or(usize::MAX, Webhook::most).min(rules.most().saturating_sub(beside));
        Made { rules, transformed, not_propagating, most }
    }

    /// What the report says of it, and of the field as it would be stored.
    pub(super) fn report<'e>(
        self,
        provider: Option<&str>,
        field: &TagsField<'_, 'e>,
        held: &Held<'e>,
        missing: &[Missing],
    ) -> TagReport {
        let Made { rules, transformed, not_propagating, most } = self;
        let cloud = rules.cloud(provider.unwrap_or_default());
        TagReport {
            provider: provider.map(str::to_owned),
            profile: rules.name(),
            cloud: verdicts(cloud, &field.as_written(&transformed.tags, &held.kept)),
            headroom: most.saturating_sub(transformed.tags.len()),
            tags: transformed.tags,
            forwarded: held.kept.iter().map(|(key, value)| ((*key).to_owned(), Value::json(value.text()))).collect(),
            missing: missing.iter().map(|missing| (missing.key.clone(), missing.reason)).collect(),
            skipped: transformed.skipped,
            not_propagating,
            ignored_definitions: Vec::new(),
        }
    }
}

/// A required tag that a composite does not have.
pub struct Missing {
    pub key: String,
    pub reason: NoTagReason,
    /// The setting that decides how the policy reacts.
    pub setting: String,
    pub on_missing: OnMissingTag,
}

impl Missing {
    /// What is said about it.
    pub fn fact(&self) -> CloudTagFact {
        CloudTagFact::RequiredTagMissing { label: self.key.as_str().into(), reason: self.reason }
    }
}

/// The required tags that neither a label makes nor the composite has otherwise, in the order of the settings.
pub(super) fn missing(
    settings: &CloudTags,
    rules: TagRules,
    made: &Transformed,
    has: impl Fn(&str) -> bool,
    not_propagating: &BTreeMap<String, NoTagReason>,
) -> Vec<Missing> {
    if settings.required.is_empty() {
        return Vec::new();
    }
    let labels: BTreeSet<&str> = made.labels.values().map(String::as_str).collect();
    let skipped: BTreeMap<&str, TagSkipReason> =
        made.skipped.iter().rev().map(|skip| (skip.qualified_key.as_str(), skip.reason)).collect();
    let of = |(index, required): (usize, &RequiredTag)| {
        let key = &*required.key;
        if labels.contains(key) || has(&rules.tag_key_below(&settings.prefix, key)) {
            return None;
        }
        let skipped = skipped.get(key).map(|reason| NoTagReason::Skipped(*reason));
        let reason = skipped.or_else(|| not_propagating.get(key).copied()).unwrap_or(NoTagReason::NoLabel);
        let setting = format!("cloudTags.required[{index}].onMissing");
        Some(Missing { key: key.to_owned(), reason, setting, on_missing: required.on_missing })
    };
    settings.required.iter().enumerate().filter_map(of).collect()
}
