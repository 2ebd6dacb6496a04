//! What a decision says: a fact of a product, or what was done about an entry. `Display` of a fact is its sentence.

use cloud_tags::fact::CloudTagFact;
use cluster_api::fact::ClusterApiFact;
use kubernetes::{ChangeReason, LookupCause, Mentioned, NamedEntry, Sentence, facts};
use tag_delivery::tag_finding::{TagDelivery, TagFinding};

facts! {
    /// What a decision says.
    Fact {
        /// About objects of Cluster API.
        ClusterApi { fact: ClusterApiFact } "{}" with fact.without_advice();
        /// About cloud tags and the label registry.
        CloudTags { fact: CloudTagFact } "{}" with fact.without_advice();
        /// About a definition or a Composition of cloud tags.
        TagDelivery { fault: TagFinding } "{fault}";
    }

    /// An entry was missing.
    EntryAdded { entry: NamedEntry, reason: ChangeReason } "entry-added"
        "{entry} added: {reason}";
    /// An entry had another value.
    EntryCorrected { entry: NamedEntry, reason: ChangeReason } "entry-corrected"
        "{entry} corrected: {reason}";
    /// The request changed or removed a correct entry.
    EntryRestored { entry: NamedEntry, reason: ChangeReason } "entry-restored"
        "{entry} restored: {reason}";
    /// The same, and the settings leave the edit.
    EntryEdited { entry: NamedEntry, reason: ChangeReason } "entry-edited"
        "{entry} edited but not restored: {reason}";
    /// The same, and restoring it could make the user its owner.
    EntryLeftToClusterApi { entry: NamedEntry } "entry-left-to-cluster-api"
        "{entry} not restored by this policy: no readable managedFields; Cluster API restores it";
    /// The policy had added the entry.
    EntryRemoved { entry: NamedEntry, reason: ChangeReason } "entry-removed"
        "{entry} removed: {reason}";
    /// An account that is not listed writes as Cluster API's own controllers do.
    UnlistedController { account: Mentioned, manager: Mentioned } "unlisted-controller"
        "`{account}` (field manager `{manager}`) is not listed in `clusterApi.controllers`";
    /// An object that is needed could not be read.
    Unread { object: String, cause: LookupCause } "unread"
        "cannot read {object}: {cause}";
}

/// What one check found.
pub type Finding = kubernetes::Finding<Fact>;

impl Fact {
    /// What happens to the tags of the resource that it is about.
    pub fn delivery(&self) -> Option<TagDelivery> {
        match self {
            Fact::TagDelivery { fault } => fault.verdict,
            _ => None,
        }
    }
}

impl From<ClusterApiFact> for Fact {
    fn from(fact: ClusterApiFact) -> Fact {
        Fact::ClusterApi { fact }
    }
}

impl From<CloudTagFact> for Fact {
    fn from(fact: CloudTagFact) -> Fact {
        Fact::CloudTags { fact }
    }
}

impl From<TagFinding> for Fact {
    fn from(fault: TagFinding) -> Fact {
        Fact::TagDelivery { fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cluster_api::fact::EntryCount;

    #[test]
    fn what_could_not_be_read_is_named_with_its_cause() {
        for (cause, expected) in [
            (LookupCause::NotFound, "not found"),
            (LookupCause::NotServed, "not served by the API server in this version"),
            (LookupCause::NotGranted, "not listed in the policy's `contextAwareResources`"),
            (LookupCause::NoCapability, "capability `kubernetes/get_resource` is not granted"),
            (LookupCause::Forbidden, "forbidden for the PolicyServer's ServiceAccount"),
            (LookupCause::Unavailable, "the Kubernetes API could not be queried"),
            (LookupCause::Unreadable, "not of the expected shape"),
            (LookupCause::TooManyReads, "too many reads"),
        ] {
            let fact = Fact::Unread { object: "v1 Kind a/b".to_owned(), cause };
            assert_eq!(fact.to_string(), format!("cannot read v1 Kind a/b: {expected}"));
        }
    }

    #[test]
    fn entries_are_counted_in_words() {
        let of = |count| ClusterApiFact::AnnotationsTooLarge { entries: EntryCount(count) }.to_string();
        let rest = "not propagated: annotations of an object are limited to 256 KiB in total";
        assert_eq!([of(1), of(2)], [format!("1 entry {rest}"), format!("2 entries {rest}")]);
    }

    #[test]
    fn every_code_has_one_meaning() {
        let mut codes =
            [Fact::REASONS, ClusterApiFact::REASONS, CloudTagFact::REASONS, tag_delivery::fault::TagFault::REASONS]
                .concat();
        codes.sort_unstable();
        let all = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), all);
    }
}
