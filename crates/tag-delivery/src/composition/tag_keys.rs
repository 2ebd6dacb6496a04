//! How the keys of the tags that a Composition copies are spelled.

use std::collections::BTreeSet;

use crate::json::{Json, Malformed};
use kubernetes::group_and_version;
use tag_rules::{CloudTags, Profile, Provider, TagRules};

/// Qualified keys of a platform and of a project, which have all separators.
const SAMPLES: [&str; 2] = ["platform/env", "acme:checkout/owner"];

/// The provider of the composites that a Composition is for, as far as the settings say.
#[derive(Clone, Copy)]
pub(super) struct TagKeys<'s> {
    settings: &'s CloudTags,
    provider: Option<&'s str>,
}

impl<'s> TagKeys<'s> {
    pub(super) fn of(spec: Json<'_>, settings: &'s CloudTags) -> Result<Self, Malformed> {
        let api_version = spec.string(&["compositeTypeRef", "apiVersion"])?.unwrap_or_default();
        let kind = spec.string(&["compositeTypeRef", "kind"])?.unwrap_or_default();
        let entry = settings.of_group(group_and_version(api_version).0);
        let provider = entry.and_then(|entry| match &entry.provider {
            Provider::Fixed(provider) => Some(provider.as_str()),
            Provider::ByKind(kinds) => kinds.get(kind).map(String::as_str),
            Provider::Path(_) => None,
        });
        Ok(TagKeys { settings, provider })
    }

    /// Keys as they may be on a resource of a cloud: of every profile, if neither the composites' provider nor the
    /// cloud is known.
    pub(super) fn samples(&self, cloud: Option<&str>) -> BTreeSet<String> {
        let rules = |provider: &str| TagRules::of(self.settings, provider);
        let profiles: Vec<TagRules> = match self.provider.or(cloud) {
            Some(provider) => vec![rules(provider)],
            None => self
                .settings
                .profiles
                .keys()
                .map(|provider| rules(provider))
                .chain([TagRules::from(Profile::of(""))])
                .collect(),
        };
        let keys = |rules: TagRules| SAMPLES.map(|key| rules.tag_key_below(&self.settings.prefix, key));
        profiles.into_iter().flat_map(keys).collect()
    }
}
