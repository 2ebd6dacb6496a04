//! Which of the policy's own entries that no label sets are kept: a parent's Composition forwards them to a nested composite.

use std::collections::BTreeMap;

use super::crossplane::{AppliedEntries, Forwarding};
use super::field::{TagEntries, TagsField};
use super::unread::UnreadTags;
use crate::json::Json;

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
