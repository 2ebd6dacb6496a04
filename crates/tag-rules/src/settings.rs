//! The settings `cloudTags`, and `clusterApi.cloudTags`.

mod cloud_tags;
mod cluster_cloud_tags;
mod composites;
mod definition;
mod registry_reference;
mod sources;
mod tag_settings;

pub use self::cloud_tags::{CloudTags, OnMissingTag, OnRefused, OnXrd, RequiredTag};
pub use self::cluster_cloud_tags::ClusterCloudTags;
pub use self::composites::{Composites, Provider};
pub use self::definition::{Definition, SEEDED, Scope, read_definition};
pub use self::registry_reference::RegistryReference;
pub use self::sources::{BelongsTo, LabelSource, OwnerLabel, TagSourceSettings, Tenant, TenantName};
pub use self::tag_settings::TagSettings;
