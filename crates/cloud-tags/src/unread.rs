//! The tags of labels whose definitions could not be read: they are left as they are stored.

use std::collections::BTreeSet;

use super::field::{TagEntries, TagsField};
use super::registry::Definitions;
use kubernetes::{Action, Change, ChangeRule, StoredTags};
use tag_rules::TagRules;

/// The keys of these tags.
pub(super) struct UnreadTags(BTreeSet<String>);

impl UnreadTags {
    pub(super) fn of(definitions: &Definitions<'_>, prefix: &str, rules: TagRules) -> Self {
        UnreadTags(definitions.unread_keys().into_iter().map(|key| rules.tag_key_below(prefix, key)).collect())
    }

    pub(super) fn has(&self, tag_key: &str) -> bool {
        self.0.contains(tag_key)
    }

    /// Adds those that this request removes or changes.
    pub(super) fn restore<'e>(&self, field: &TagsField<'_, 'e>, restores: &mut TagEntries<'e>) {
        if !self.0.is_empty() {
            restores.extend(field.own_edited().into_iter().filter(|(key, _)| self.has(key)));
        }
    }

    /// Names the rule of the differences that they have.
    pub(super) fn explain(&self, changes: &mut [Change]) {
        for change in changes.iter_mut().filter(|change| self.has(&change.key)) {
            if matches!(change.action, Action::Restored | Action::Removed) {
                change.rule = ChangeRule::AsStored(StoredTags::DefinitionUnread);
            }
        }
    }
}
