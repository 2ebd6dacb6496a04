//! What the webhook of an infrastructure cluster takes besides what its profile admits.

use super::verdicts::refused_by;
use crate::catalog::clouds::Cloud;
use crate::catalog::infrastructure::InfraCluster;
use crate::report::tags::TagSkipReason;

/// The webhook of a kind, and what it finds in the field beside the policy's tags.
#[derive(Debug, Clone, Copy)]
pub(super) struct Webhook {
    kind: &'static str,
    takes: &'static Cloud,
    /// How many entries of the field are others'.
    others: usize,
}

impl Webhook {
    /// The webhook of a kind; `None` where it takes every tag.
    pub(super) fn of(row: &InfraCluster, others: usize) -> Option<Self> {
        row.webhook.map(|takes| Webhook { kind: row.kind, takes, others })
    }

    /// The kind whose webhook it is.
    pub(super) fn kind(self) -> &'static str {
        self.kind
    }

    /// Why it does not take a tag, considering this tag alone.
    pub(super) fn refusal(self, tag_key: &str, value: &str) -> Option<TagSkipReason> {
        refused_by(self.takes, tag_key, value)
    }

    /// The most tags that it takes of the policy.
    pub(super) fn most(self) -> usize {
        self.takes.tags.map_or(usize::MAX, |most| most.saturating_sub(self.others))
    }
}
