//! The settings `cloudTags`, and `clusterApi.cloudTags`.

mod cloud_tags;
mod composites;
mod definition;
mod sources;

use crate::infrastructure::InfraCluster;
use crate::texts::InfraClusterKind;
use kubernetes::settings::Mode;
use serde::{Deserialize, Serialize};

pub use self::cloud_tags::{CloudTags, OnMissingTag, OnRefused, OnXrd, RequiredTag};
pub use self::composites::{Composites, Provider};
pub use self::definition::{Definition, RegistryReference, SEEDED, Scope, read_definition};
pub use self::sources::{BelongsTo, LabelSource, OwnerLabel, TagSourceSettings, Tenant, TenantName};

/// `cloudTags` and `mode`.
#[derive(Debug, Clone, Copy)]
pub struct TagSettings<'e> {
    /// Whether drift is corrected or refused.
    pub mode: Mode,
    /// Which labels become tags.
    pub cloud_tags: &'e CloudTags,
}

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
