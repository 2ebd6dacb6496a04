//! API groups.

/// Cluster API's own core group.
pub const CORE_GROUP: &str = "cluster.x-k8s.io";
/// The group of control planes, Cluster API's own and others.
pub const CONTROL_PLANE_GROUP: &str = "controlplane.cluster.x-k8s.io";
/// The group of bootstrap configurations.
pub const BOOTSTRAP_GROUP: &str = "bootstrap.cluster.x-k8s.io";
/// The group of infrastructure.
pub const INFRASTRUCTURE_GROUP: &str = "infrastructure.cluster.x-k8s.io";
