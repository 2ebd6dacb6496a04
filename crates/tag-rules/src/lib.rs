//! The settings `cloudTags`, and the tables of what each provider admits in a tag: shared by what sets cloud tags and by
//! what checks that they are delivered.

#![allow(missing_docs, reason = "outside the policy these items are used through its engine, and names may say enough")]

mod admits;
mod ascii;
pub mod clouds;
mod infrastructure;
pub mod keys;
mod profiles;
mod refusal;
mod rules;
mod settings;
mod strict;
#[cfg(test)]
mod test_settings;
mod text_limits;
mod texts;

pub use self::clouds::{CLOUDS, Cloud, KeyCase, Text};
pub use self::infrastructure::{INFRA_CLUSTERS, InfraCluster};
pub use self::profiles::{CLOUD_TAG_PREFIX, KeyCharacters, PROFILES, Profile, Unit};
pub use self::refusal::TagSkipReason;
pub use self::rules::TagRules;
pub use self::settings::{
    BelongsTo, CloudTags, ClusterCloudTags, Composites, Definition, LabelSource, OnMissingTag, OnRefused, OnXrd,
    OwnerLabel, Provider, RegistryReference, RequiredTag, SEEDED, Scope, TagSettings, TagSourceSettings, Tenant,
    TenantName, read_definition,
};
pub use self::strict::{STRICT_PROFILES, StrictProfile};
pub use self::text_limits::{Form, Length};
pub use self::texts::{CompositeGroup, InfraClusterKind, ProfileName, RegistryName, TagPrefix};

use raw_json as json;
