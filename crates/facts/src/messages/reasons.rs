//! Why nothing is compared, and why an entry is not propagated: the end of a sentence about an object or an entry.

/// Version of the object.
pub const UNKNOWN_API_VERSION: &str = "its API version is neither v1beta1 nor v1beta2";
/// Deletion timestamp of the object.
pub const DELETING: &str = "it is being deleted";
/// Annotation of the object.
pub const PAUSED: &str = "it is paused";
/// Dry run of the topology controller.
pub const TOPOLOGY_DRY_RUN: &str = "the request is a dry run of the topology controller";
/// No ownerReference that the rules know, and no topology.
pub const NO_OWNER: &str = "no owner propagates anything to it";
/// A claim.
pub const CLAIM: &str = "it is a claim: its composite gets the tags";
/// Assignments that are not a map of strings.
pub const UNUSABLE_ASSIGNMENTS: &str =
    "annotation `labels.plexsphere.com/assignments` is not a valid map of assignments";
/// The field of cloud tags is not a map.
pub const UNUSABLE_TAGS: &str = "its cloud tags are not a map";
/// An adopted composite.
pub const ADOPTED: &str = "it was adopted, not provisioned";

/// An adopted Cluster.
pub fn was_adopted(object: &str) -> String {
    format!("{object} was adopted, not provisioned")
}

/// Another object is paused.
pub fn is_paused(object: &str) -> String {
    format!("{object} is paused")
}

/// Another object is being deleted.
pub fn is_deleting(object: &str) -> String {
    format!("{object} is being deleted")
}

/// The owner is of a kind that may not be read.
pub fn is_not_read(object: &str) -> String {
    format!("{object} is of a kind that the policy does not read")
}

/// There is no such object.
pub fn was_not_found(object: &str) -> String {
    format!("{object} was not found")
}

/// The object could not be read.
pub fn could_not_be_read(object: &str) -> String {
    format!("{object} could not be read")
}

/// The owner was deleted and created again.
pub fn has_another_uid(object: &str) -> String {
    format!("the UID of {object} differs from the one in the ownerReference")
}

/// A Cluster without a topology.
pub fn has_no_topology(object: &str) -> String {
    format!("{object} has no topology")
}

/// A Cluster with another control plane.
pub fn has_another_control_plane(object: &str) -> String {
    format!("{object} refers to a different control plane")
}

/// A Machine with another infrastructure or bootstrap configuration.
pub fn does_not_refer_to_it(object: &str) -> String {
    format!("{object} does not refer to it")
}

/// A Machine with another Node.
pub fn has_another_node(object: &str) -> String {
    format!("{object} refers to a different Node")
}

/// A Machine without a Node.
pub fn has_no_node(object: &str) -> String {
    format!("{object} has no Node yet")
}

/// A Machine of another Cluster.
pub fn is_of_another_cluster(object: &str) -> String {
    format!("{object} belongs to a different Cluster than the one in the Node's annotation")
}

/// A Cluster or ClusterClass without the entry for the object.
pub fn has_no_such_entry(object: &str, entry: &str) -> String {
    format!("{object} has no entry `{entry}`")
}

/// Nothing propagates from this place to this kind.
pub const NOT_PROPAGATED: &str = "not propagated from there";
/// A source with higher precedence has another value.
pub const OVERRIDDEN: &str = "overridden by a source with higher precedence";
/// A label of Cluster API's own.
pub const FORCED: &str = "Cluster API sets this label itself";
/// Bookkeeping.
pub const CONTROLLER_OWNED: &str = "the key belongs to a controller, a client or this policy";
/// Holds of an upgrade.
pub const UPGRADE_HOLD: &str = "the annotation defers upgrades of the topology and has no meaning on this object";
/// Criteria of Nodes.
pub const NODE_CRITERIA: &str = "the key meets none of the criteria for syncing to Nodes";
/// Patches of a class.
pub const CLASS_PATCHES: &str = "a patch of the ClusterClass may set a different value";
/// A class without machine infrastructure for its control plane.
pub const NO_MACHINE_INFRASTRUCTURE: &str =
    "not set in `spec.machineTemplate`: the ClusterClass has no `spec.controlPlane.machineInfrastructure`";
/// The gate for taints.
pub const TAINTS_GATE: &str = "the object has no taints yet, and `clusterApi.taints` is off";
/// A label that a kubelet may not set.
pub const NODE_RESTRICTION: &str = "NodeRestriction forbids a kubelet to set this label";
/// The syntax of keys.
pub const ILLEGAL_KEY: &str = "the API server does not accept this key";
/// The syntax of label values, the limits of fields.
pub const ILLEGAL_VALUE: &str = "the API server does not accept this value";
/// The longest list.
pub const TOO_MANY_ELEMENTS: &str = "the API server does not accept this many elements";
/// The size of all annotations together.
pub const ANNOTATIONS_TOO_LARGE: &str = "annotations of an object are limited to 256 KiB in total";
