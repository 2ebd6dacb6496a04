//! The settings `clusterApi` and `guards`.

mod cluster_api;

pub use self::cluster_api::{ClusterApi, NodeSync, OnConflict, OptIn};
pub use crate::catalog::guards::Guards;

/// The settings about objects of Cluster API.
#[derive(Debug, Clone, Copy)]
pub struct ClusterApiSettings<'e> {
    /// Which rules hold, and for whom.
    pub cluster_api: &'e ClusterApi,
    /// How the policy reacts to what guards find.
    pub guards: &'e Guards,
}
