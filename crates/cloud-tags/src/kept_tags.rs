//! Which of the policy's own entries that no label sets are kept: a parent's Composition forwards them to a nested composite,
//! or the definitions of their labels could not be read.

use std::collections::{BTreeMap, BTreeSet};

use super::crossplane::{AppliedEntries, Forwarding};
use super::field::{TagEntries, TagsField};
use super::registry::Definitions;
use crate::json::Json;
use kubernetes::{Action, Change, ChangeRule, StoredTags};
use tag_rules::TagRules;

/// What is known of the tags that a parent's Composition forwards.
pub(super) struct NestedTags<'e> {
    pub(super) forwarding: Forwarding,
    pub(super) applied: AppliedEntries<'e>,
    /// The tags that its own labels set before; `None` if the composite is not nested.
    pub(super) before: Option<BTreeMap<String, String>>,
}

/// The entries of one field that are kept.
pub(super) struct KeptTags<'c, 'a, 'e> {
    pub(super) field: &'c TagsField<'a, 'e>,
    pub(super) nested: &'c NestedTags<'e>,
    pub(super) unread: &'c UnreadTags,
}

impl<'e> KeptTags<'_, '_, 'e> {
    /// Whether an entry that no label sets is removed. Of a nested composite's entries only those are that its labels set
    /// before, and that the parent's Composition does not set. When that is applied, each goes that it does not set, such
    /// as the tag of a label that the Namespace had. Somebody else's write changes none of what is forwarded.
    pub(super) fn is_left_over(&self, key: &str, value: Json<'_>) -> bool {
        let is_stored = self.field.stored(key) == Some(value);
        match self.nested.forwarding {
            _ if self.unread.has(key) => !is_stored,
            Forwarding::Nothing => true,
            Forwarding::Stored => !is_stored || self.was_made(key, value),
            Forwarding::Written => is_stored && (self.was_made(key, value) || self.nested.applied.leaves_out(key)),
        }
    }

    /// The stored entries that this request removes or changes and that are written as they are stored.
    pub(super) fn restored(&self) -> TagEntries<'e> {
        let mut restored = match self.nested.forwarding {
            Forwarding::Stored => {
                self.field.own_edited().into_iter().filter(|(key, value)| !self.was_made(key, *value)).collect()
            }
            Forwarding::Nothing | Forwarding::Written => BTreeMap::new(),
        };
        self.unread.restore(self.field, &mut restored);
        restored
    }

    /// Whether a label of the composite itself set an entry before.
    fn was_made(&self, key: &str, value: Json<'_>) -> bool {
        let before = self.nested.before.as_ref().and_then(|before| before.get(key));
        before.is_some_and(|made| value.as_str() == Some(made)) && !self.nested.applied.has(key)
    }
}

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
