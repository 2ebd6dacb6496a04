//! `clusterApi.cloudTags`.

use serde::{Deserialize, Serialize};

use crate::infrastructure::InfraCluster;
use crate::texts::InfraClusterKind;

/// Which infrastructure clusters get tags. Registry and profiles are those of `cloudTags`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ClusterCloudTags {
    /// Kinds of infrastructure clusters whose tags follow the labels of their Cluster.
    pub kinds: Vec<InfraClusterKind>,
}

impl ClusterCloudTags {
    /// The row of a kind, if its objects get tags.
    pub fn of(&self, group: &str, kind: &str) -> Option<&'static InfraCluster> {
        if self.kinds.iter().any(|known| **known == *kind) { InfraCluster::of(group, kind) } else { None }
    }
}
