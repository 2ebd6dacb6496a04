//! The limits that the webhook of an infrastructure cluster sets in addition to its profile's.

use tag_rules::{Cloud, InfraCluster, TagSkipReason};

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

    /// The kind whose webhook it is.
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
