//! API groups.

/// Cluster API's own core group.
pub(crate) const CORE: &str = "cluster.x-k8s.io";
/// Where control planes live, Cluster API's own and others'.
pub(crate) const CONTROL_PLANE: &str = "controlplane.cluster.x-k8s.io";
/// Where bootstrap configurations live.
pub(crate) const BOOTSTRAP: &str = "bootstrap.cluster.x-k8s.io";
/// Where infrastructure lives.
pub(crate) const INFRASTRUCTURE: &str = "infrastructure.cluster.x-k8s.io";
