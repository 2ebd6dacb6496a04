//! The settings `cloudTags`, and the tables of what each provider admits in a tag: shared by what sets cloud tags and by
//! what checks that they are delivered.

#![allow(missing_docs, reason = "an inner crate of the policy: a name that says enough has no comment")]

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

/// The part of the settings that tests of this crate read.
#[cfg(test)]
mod test_settings {
    use kubernetes::settings::object::{self, ObjectOnly};
    use kubernetes::settings::{SettingsError, read};
    use serde::Deserialize;

    use crate::settings::CloudTags;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields, rename_all = "camelCase")]
    pub(crate) struct Settings {
        #[serde(deserialize_with = "object::field")]
        pub(crate) cloud_tags: CloudTags,
    }

    impl Settings {
        pub(crate) fn from_json(text: &str) -> Result<Settings, SettingsError> {
            let (settings, mut problems) = read::read(text);
            let settings = settings.map(|ObjectOnly(settings): ObjectOnly<Settings>| settings).unwrap_or_default();
            problems.extend(settings.cloud_tags.contradictions());
            SettingsError::unless_empty(problems)?;
            Ok(settings)
        }
    }
}
