//! Why nothing is compared.

use std::fmt;

use serde::ser::{Serialize, Serializer};

use super::datum::Datum;
use crate::json::Malformed;
use crate::names;

/// Why nothing is done, and which object is the reason.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct NotApplicable {
    /// The kind of reason.
    pub reason: NotApplicableReason,
    /// The object, user or kind that is the reason, or what is wrong with it; empty for the object under review.
    #[serde(skip_serializing_if = "InvolvedObject::is_empty")]
    pub because: InvolvedObject,
}

names! {
    /// The reasons for which nothing is done, each with the end of a sentence about the object under review. `{}` is the
    /// object that is the reason, or the one under review.
    #[derive(serde::Serialize)]
    #[serde(rename_all = "kebab-case")]
    NotApplicableReason {
        /// The version of the object is neither v1beta1 nor v1beta2.
        UnknownApiVersion = "its API version is neither v1beta1 nor v1beta2";
        /// The object is being deleted.
        Deleting = "it is being deleted";
        /// The object, its parent or its Cluster is paused.
        Paused = "{} is paused";
        /// The topology controller compares the desired object with the stored one.
        TopologyDryRun = "the request is a dry run of the topology controller";
        /// No owner propagates anything to the object.
        NoOwner = "no owner propagates anything to it";
        /// The owner is of a kind that the policy may not read.
        UnknownOwnerKind = "{} is of a kind that the policy does not read";
        /// The parent does not exist.
        ParentMissing = "{} was not found";
        /// The parent could not be read.
        LookupFailed = "{} could not be read";
        /// The parent has the name of the owner, but is another object.
        ParentOfAnotherUid = "the UID of {} differs from the one in the ownerReference";
        /// The parent is being deleted.
        ParentDeleting = "{} is being deleted";
        /// The Cluster has no topology.
        NoTopology = "{} has no topology";
        /// The Cluster's control plane is another object.
        AnotherControlPlane = "{} refers to a different control plane";
        /// The Machine refers to another object as its infrastructure or bootstrap configuration.
        AnotherMachinePart = "{} does not refer to it";
        /// The Cluster refers to another object as its infrastructure, or to none.
        AnotherInfrastructure = "{} does not refer to it";
        /// The Machine that the Node names has another Node.
        AnotherNode = "{} refers to a different Node";
        /// The Machine that the Node names has no Node yet.
        NoNodeYet = "{} has no Node yet";
        /// The Machine that the Node names belongs to another Cluster than the Node.
        AnotherCluster = "{} belongs to a different Cluster than the one in the Node's annotation";
        /// The Cluster's topology has no such entry.
        TopologyEntryMissing = "{} has no entry `{entry}`";
        /// The ClusterClass has no such entry.
        ClassEntryMissing = "{} has no entry `{entry}`";
        /// A claim: its composite is stamped instead.
        Claim = "it is a claim: its composite gets the tags";
        /// The composite, or the Cluster of an infrastructure cluster, was adopted, not provisioned.
        Adopted = "{} was adopted, not provisioned";
        /// The assignments of the composite or of the Cluster cannot be used, and are stored as they are.
        UnusableAssignments = "annotation `labels.plexsphere.com/assignments` is not a valid map of assignments";
        /// The field of cloud tags cannot be used, and is stored as it is.
        UnusableTags = "its cloud tags are not a map";
        /// The label registry does not exist or could not be read.
        RegistryUnavailable = "{} could not be read";
    }
}

/// The end of a sentence about the object under review, such as `Cluster fleet/c1 is paused`.
impl fmt::Display for NotApplicable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InvolvedObject { object, entry, .. } = &self.because;
        let object = if object.is_empty() { "it" } else { object };
        let entry = entry.as_deref().unwrap_or_default();
        f.write_str(&self.reason.as_str().replace("{entry}", entry).replace("{}", object))
    }
}

/// The object that is the reason, and the entry of it that is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InvolvedObject {
    /// Kind, namespace and name, or how it was asked for; empty for the object under review.
    pub object: String,
    /// The name of an entry that it does not have.
    pub entry: Option<String>,
    /// What is wrong with it.
    pub malformed: Option<Malformed>,
}

impl InvolvedObject {
    fn is_empty(&self) -> bool {
        self.object.is_empty() && self.malformed.is_none()
    }
}

impl Datum for InvolvedObject {
    fn names(&self) -> Vec<&str> {
        self.malformed.iter().flat_map(Datum::names).collect()
    }
}

/// What is wrong with the object under review.
impl From<Malformed> for InvolvedObject {
    fn from(malformed: Malformed) -> InvolvedObject {
        InvolvedObject { malformed: Some(malformed), ..InvolvedObject::default() }
    }
}

impl From<String> for InvolvedObject {
    fn from(object: String) -> InvolvedObject {
        InvolvedObject { object, ..InvolvedObject::default() }
    }
}

impl From<&str> for InvolvedObject {
    fn from(object: &str) -> InvolvedObject {
        object.to_owned().into()
    }
}

/// As the report has it: `Cluster fleet/c1: md0`.
impl fmt::Display for InvolvedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.object)?;
        if let Some(entry) = &self.entry {
            write!(f, ": {entry}")?;
        }
        match &self.malformed {
            None => Ok(()),
            Some(malformed) if self.object.is_empty() => malformed.fmt(f),
            Some(malformed) => write!(f, ": {malformed}"),
        }
    }
}

impl Serialize for InvolvedObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_the_end_of_a_sentence_and_names_its_object() {
        for (reason, because, expected) in [
            (NotApplicableReason::UnknownApiVersion, "", "its API version is neither v1beta1 nor v1beta2"),
            (NotApplicableReason::Deleting, "", "it is being deleted"),
            (NotApplicableReason::Paused, "", "it is paused"),
            (NotApplicableReason::Paused, "Cluster a/b", "Cluster a/b is paused"),
            (NotApplicableReason::TopologyDryRun, "", "the request is a dry run of the topology controller"),
            (NotApplicableReason::NoOwner, "", "no owner propagates anything to it"),
            (NotApplicableReason::UnknownOwnerKind, "Other b", "Other b is of a kind that the policy does not read"),
            (NotApplicableReason::ParentMissing, "v1 A b", "v1 A b was not found"),
            (NotApplicableReason::LookupFailed, "v1 A b", "v1 A b could not be read"),
            (NotApplicableReason::RegistryUnavailable, "v1 A b", "v1 A b could not be read"),
            (
                NotApplicableReason::ParentOfAnotherUid,
                "A b",
                "the UID of A b differs from the one in the ownerReference",
            ),
            (NotApplicableReason::ParentDeleting, "A b", "A b is being deleted"),
            (NotApplicableReason::NoTopology, "Cluster b", "Cluster b has no topology"),
            (NotApplicableReason::AnotherControlPlane, "Cluster b", "Cluster b refers to a different control plane"),
            (NotApplicableReason::AnotherMachinePart, "Machine b", "Machine b does not refer to it"),
            (NotApplicableReason::AnotherNode, "Machine b", "Machine b refers to a different Node"),
            (NotApplicableReason::NoNodeYet, "Machine b", "Machine b has no Node yet"),
            (
                NotApplicableReason::AnotherCluster,
                "Machine b",
                "Machine b belongs to a different Cluster than the one in the Node's annotation",
            ),
            (NotApplicableReason::Claim, "", "it is a claim: its composite gets the tags"),
            (
                NotApplicableReason::UnusableAssignments,
                "",
                "annotation `labels.plexsphere.com/assignments` is not a valid map of assignments",
            ),
            (NotApplicableReason::Adopted, "", "it was adopted, not provisioned"),
            (NotApplicableReason::Adopted, "Cluster a/b", "Cluster a/b was adopted, not provisioned"),
        ] {
            assert_eq!(NotApplicable { reason, because: because.into() }.to_string(), expected);
        }
    }

    #[test]
    fn a_missing_entry_is_named_with_its_object() {
        let because = InvolvedObject { object: "Cluster b".to_owned(), entry: Some("md".to_owned()), malformed: None };
        for reason in [NotApplicableReason::TopologyEntryMissing, NotApplicableReason::ClassEntryMissing] {
            let missing = NotApplicable { reason, because: because.clone() };
            assert_eq!(missing.to_string(), "Cluster b has no entry `md`");
            assert_eq!(missing.because.to_string(), "Cluster b: md");
        }
    }
}
