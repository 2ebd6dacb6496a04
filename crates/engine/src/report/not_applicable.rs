//! Why nothing is compared.

use serde::Serialize;

/// Why nothing is done, and which object is the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotApplicable {
    /// The kind of reason.
    pub reason: NotApplicableReason,
    /// The object, user or kind that is the reason, or what is wrong with it; empty for the object under review.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub because: String,
}

/// The reasons for which nothing is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotApplicableReason {
    /// The version of the object is neither v1beta1 nor v1beta2.
    UnknownApiVersion,
    /// The object is being deleted.
    Deleting,
    /// The object, its parent or its Cluster is paused.
    Paused,
    /// The topology controller compares what it wants with what is stored.
    TopologyDryRun,
    /// No owner propagates anything to the object.
    NoOwner,
    /// The owner is of a kind that the policy may not read.
    UnknownOwnerKind,
    /// The parent does not exist.
    ParentMissing,
    /// The parent could not be read.
    LookupFailed,
    /// The parent has the name of the owner, but is another object.
    ParentOfAnotherUid,
    /// The parent is being deleted.
    ParentDeleting,
    /// The Cluster has no topology.
    NoTopology,
    /// The Cluster's control plane is another object.
    AnotherControlPlane,
    /// The Machine that the Node names has another Node.
    AnotherNode,
    /// The Cluster's topology has no such entry.
    TopologyEntryMissing,
    /// The ClusterClass has no such entry.
    ClassEntryMissing,
    /// A claim: its composite is stamped instead.
    Claim,
    /// The composite was adopted, not provisioned.
    Adopted,
    /// The composite's assignments cannot be used, and are stored as they are.
    UnusableAssignments,
    /// The label registry does not exist or could not be read.
    RegistryUnavailable,
}
