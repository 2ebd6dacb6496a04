//! Why nothing is compared, and why an entry is not propagated: the end of a sentence about an object or an entry.

/// Version of the object.
pub(crate) const UNKNOWN_API_VERSION: &str = "its API version is neither v1beta1 nor v1beta2";
/// Deletion timestamp of the object.
pub(crate) const DELETING: &str = "it is being deleted";
/// Annotation of the object.
pub(crate) const PAUSED: &str = "it is paused";
/// Dry run of the topology controller.
pub(crate) const TOPOLOGY_DRY_RUN: &str = "the request is a dry run of the topology controller";
/// No ownerReference that the rules know, and no topology.
pub(crate) const NO_OWNER: &str = "no owner propagates anything to it";
/// A claim.
pub(crate) const CLAIM: &str = "it is a claim: its composite gets the tags";
/// Assignments that are not a map of strings.
pub(crate) const UNUSABLE_ASSIGNMENTS: &str =
    "annotation `labels.plexsphere.com/assignments` is not a valid map of assignments";
/// The field of cloud tags is not a map.
pub(crate) const UNUSABLE_TAGS: &str = "its cloud tags are not a map";
/// An adopted composite.
pub(crate) const ADOPTED: &str = "it was adopted, not provisioned";

/// An adopted Cluster.
pub(crate) fn was_adopted(object: &str) -> String {
    format!("{object} was adopted, not provisioned")
}

/// Another object is paused.
pub(crate) fn is_paused(object: &str) -> String {
    format!("{object} is paused")
}

/// Another object is being deleted.
pub(crate) fn is_deleting(object: &str) -> String {
    format!("{object} is being deleted")
}

/// The owner is of a kind that may not be read.
pub(crate) fn is_not_read(object: &str) -> String {
    format!("{object} is of a kind that the policy does not read")
}

/// There is no such object.
pub(crate) fn was_not_found(object: &str) -> String {
    format!("{object} was not found")
}

/// The object could not be read.
pub(crate) fn could_not_be_read(object: &str) -> String {
    format!("{object} could not be read")
}

/// The owner was deleted and created again.
pub(crate) fn has_another_uid(object: &str) -> String {
    format!("the UID of {object} differs from the one in the ownerReference")
}

/// A Cluster without a topology.
pub(crate) fn has_no_topology(object: &str) -> String {
    format!("{object} has no topology")
}

/// A Cluster with another control plane.
pub(crate) fn has_another_control_plane(object: &str) -> String {
    format!("{object} refers to a different control plane")
}

/// A Machine with another Node.
pub(crate) fn has_another_node(object: &str) -> String {
    format!("{object} refers to a different Node")
}

/// A Machine without a Node.
pub(crate) fn has_no_node(object: &str) -> String {
    format!("{object} has no Node yet")
}

/// A Machine of another Cluster.
pub(crate) fn is_of_another_cluster(object: &str) -> String {
    format!("{object} belongs to a different Cluster than the one in the Node's annotation")
}

/// A Cluster or ClusterClass without the entry for the object.
pub(crate) fn has_no_such_entry(object: &str, entry: &str) -> String {
    format!("{object} has no entry `{entry}`")
}

/// Nothing propagates from this place to this kind.
pub(crate) const NOT_PROPAGATED: &str = "not propagated from there";
/// A source with higher precedence has another value.
pub(crate) const OVERRIDDEN: &str = "overridden by a source with higher precedence";
/// A label of Cluster API's own.
pub(crate) const FORCED: &str = "Cluster API sets this label itself";
/// Bookkeeping.
pub(crate) const CONTROLLER_OWNED: &str = "the key belongs to a controller, a client or this policy";
/// Holds of an upgrade.
pub(crate) const UPGRADE_HOLD: &str =
    "the annotation defers upgrades of the topology and has no meaning on this object";
/// Criteria of Nodes.
pub(crate) const NODE_CRITERIA: &str = "the key meets none of the criteria for syncing to Nodes";
/// Patches of a class.
pub(crate) const CLASS_PATCHES: &str = "a patch of the ClusterClass may set a different value";
/// The gate for taints.
pub(crate) const TAINTS_GATE: &str = "the object has no taints yet, and `clusterApi.taints` is off";
/// A label that a kubelet may not set.
pub(crate) const NODE_RESTRICTION: &str = "NodeRestriction forbids a kubelet to set this label";
/// The syntax of keys.
pub(crate) const ILLEGAL_KEY: &str = "the API server does not accept this key";
/// The syntax of label values, the limits of fields.
pub(crate) const ILLEGAL_VALUE: &str = "the API server does not accept this value";
/// The longest list.
pub(crate) const TOO_MANY_ELEMENTS: &str = "the API server does not accept this many elements";
/// The size of all annotations together.
pub(crate) const ANNOTATIONS_TOO_LARGE: &str = "annotations of an object are limited to 256 KiB in total";
