//! The settings `cloudTags`, and the tables of what each provider admits in a tag: shared by what sets cloud tags and by
//! what checks that they are delivered.

mod admits;
mod ascii;
pub mod clouds;
mod crossplane;
pub mod infrastructure;
pub mod keys;
pub mod profiles;
pub mod refusal;
mod rules;
pub mod settings;
pub mod strict;
#[cfg(test)]
mod test_settings;
pub mod text_limits;
mod texts;

pub use self::rules::TagRules;
pub use self::settings::{
    BelongsTo, CloudTags, ClusterCloudTags, Composites, Definition, LabelSource, OnMissingTag, OnRefused, OnXrd,
    OwnerLabel, Provider, RegistryReference, RequiredTag, SEEDED, Scope, TagSettings, TagSourceSettings, Tenant,
    TenantName, read_definition,
};
pub use self::texts::{CompositeGroup, InfraClusterKind, ProfileName, RegistryName, TagPrefix};

use raw_json as json;
