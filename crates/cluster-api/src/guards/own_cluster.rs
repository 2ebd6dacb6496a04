//! The Cluster of the object under review, and whether it is paused.

use super::Guarded;
use crate::json::Malformed;
use crate::parents::{ClusterState, OwnCluster};
use facts::stop::Stop;
use kubernetes::cluster::LookupCause;

impl Guarded<'_, '_> {
    /// The Cluster of the object. It is read once, when a guard would otherwise find something.
    ///
    /// # Errors
    /// When the object does not have the structure of a Kubernetes object.
    pub(super) fn cluster(&self) -> Result<&OwnCluster, Malformed> {
        if let Some(cluster) = self.cluster.get() {
            return Ok(cluster);
        }
        let cluster = match self.subject.object.spec.string(&["clusterName"])? {
            None => OwnCluster::Unknown,
            Some(name) => match ClusterState::read(self.lookups, self.subject.namespace(), name) {
                Ok(state) => OwnCluster::Known(state),
                Err(Stop::LookupFailed(failed)) if failed.error.cause == LookupCause::NotFound => OwnCluster::Missing,
                Err(_) => OwnCluster::Unknown,
            },
        };
        Ok(self.cluster.get_or_init(|| cluster))
    }

    /// Whether the Cluster is paused: then changes of its objects are maintenance. A Cluster that cannot be read is
    /// assumed not to be paused.
    ///
    /// # Errors
    /// Like [`Guarded::cluster`].
    pub(super) fn is_cluster_paused(&self) -> Result<bool, Malformed> {
        Ok(matches!(self.cluster()?, OwnCluster::Known(state) if state.is_paused))
    }
}
