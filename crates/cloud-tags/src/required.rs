//! Tags that the settings require.

use crate::fact::CloudTagFact;
use std::collections::{BTreeMap, BTreeSet};

use super::tag_reason::NoTagReason;
use super::transform::Transformed;
use tag_rules::{CloudTags, OnMissingTag, RequiredTag, TagRules, TagSkipReason};

/// A required tag that a composite does not have.
pub struct Missing {
    /// The label's key.
    pub key: String,
    /// Why there is no tag.
    pub reason: NoTagReason,
    /// The setting that decides how the policy reacts.
    pub setting: String,
    /// How the policy reacts.
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
