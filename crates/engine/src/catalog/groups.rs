//! API groups.

/// Cluster API's own core group.
pub const CORE_GROUP: &str = "cluster.x-k8s.io";
/// Where control planes live, Cluster API's own and others'.
pub const CONTROL_PLANE_GROUP: &str = "controlplane.cluster.x-k8s.io";
/// Where bootstrap configurations live.
pub const BOOTSTRAP_GROUP: &str = "bootstrap.cluster.x-k8s.io";
/// Where infrastructure lives.
pub const INFRASTRUCTURE_GROUP: &str = "infrastructure.cluster.x-k8s.io";
