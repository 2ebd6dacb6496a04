//! `cloudTags`.

mod contradictions;
mod impossible;
mod useless;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::{Deserialize, Serialize};

use super::composites::Composites;
use super::definition::Definition;
use super::definition::RegistryReference;
use super::sources::{BelongsTo, LabelSource, OwnerLabel, TagSourceSettings, Tenant, TenantName};
use crate::strict::StrictProfile;
use crate::texts::{ProfileName, TagPrefix};
use kubernetes::settings::NonEmpty;
use kubernetes::settings::Reaction;
use kubernetes::settings::Stance;
use kubernetes::settings::Users;
use kubernetes::settings::object;

/// The service accounts that Crossplane's core runs as. `cloudTags.crossplane` lists them all by default. Providers and
/// functions are not among them: they write no composites.
///
/// Source: the chart's serviceaccount.yaml and its helper `crossplane.serviceAccountName`; the namespace is the one that
/// each project's instructions install it in.
const CROSSPLANE: &[&str] = &[
    "system:serviceaccount:crossplane-system:crossplane",
    // Upbound's distribution, UXP.
    "system:serviceaccount:upbound-system:crossplane",
];

/// Which labels of Crossplane composites become tags of their cloud resources.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct CloudTags {
    /// Which objects are Crossplane composites, and where their provider is found. If empty, no tags are added.
    #[serde(deserialize_with = "object::list")]
    pub composites: Vec<Composites>,
    /// User names or groups of Crossplane's core, compared exactly. Only they forward tags from a composite to those that it
    /// composes.
    pub crossplane: Users,
    /// The label registry: definitions by qualified key. Not together with `registry`.
    #[serde(deserialize_with = "object::map")]
    pub definitions: BTreeMap<String, Definition>,
    /// The label registry as objects of the cluster, instead of `definitions`.
    pub registry: Option<RegistryReference>,
    /// What every tag key begins with, a text that ends in `:` and that no cloud reserves: `plexsphere:`, as the specification says,
    /// unless somebody else adds the tags. Keys that begin so, in upper or lower case, are the policy's to remove. Strict profiles spell
    /// it as they spell keys.
    pub prefix: TagPrefix,
    /// A registry object cannot be read, or does not exist. Where others are read, only the labels count that it may define.
    pub on_registry_failure: Reaction,
    /// Whose labels become tags: those of the composite, of its Namespace, of its tenant.
    #[serde(deserialize_with = "object::field")]
    pub sources: TagSourceSettings,
    /// The domain and the project that a composite belongs to, whose registries count for it.
    #[serde(deserialize_with = "object::field")]
    pub belongs_to: BelongsTo,
    /// The profile of a provider: one of the specification's, or a strict one, which has the limits of the cloud's API.
    pub profiles: BTreeMap<String, ProfileName>,
    /// How many tags of a resource are left to others, such as the provider's controller.
    #[serde(deserialize_with = "count")]
    pub reserve: u16,
    /// The profile admits tags that the cloud's own interface does not take.
    pub refused: OnRefused,
    /// Tags that every composite has to have.
    #[serde(deserialize_with = "object::list")]
    pub required: Vec<RequiredTag>,
    /// A request newly says that a composite was adopted, which waives its tags.
    pub adopted: Stance,
    /// A request newly gives `platform/origin` another value than `provisioned` and `adopted`. It counts as `provisioned`.
    pub unknown_origin: Stance,
    /// A CompositeResourceDefinition of a composite does not keep `spec.cloudTags`.
    pub xrds: OnXrd,
    /// A Composition of a composite does not carry `spec.cloudTags` to the tags of its resources.
    pub compositions: Stance,
}

impl Default for CloudTags {
    fn default() -> Self {
        CloudTags {
            composites: Vec::new(),
            crossplane: Users::of(CROSSPLANE),
            definitions: BTreeMap::new(),
            registry: None,
            prefix: TagPrefix::default(),
            on_registry_failure: Reaction::Reject,
            sources: TagSourceSettings::default(),
            belongs_to: BelongsTo::default(),
            profiles: BTreeMap::new(),
            reserve: 0,
            refused: OnRefused::Warn,
            required: Vec::new(),
            adopted: Stance::Warn,
            unknown_origin: Stance::Warn,
            xrds: OnXrd::Warn,
            compositions: Stance::Warn,
        }
    }
}

/// What tags lead to that a profile admits and the cloud's own interface does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnRefused {
    /// Only the report has it.
    Ignore,
    /// A warning.
    Warn,
}

/// A tag that every composite has to have.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RequiredTag {
    /// Qualified key of the label.
    pub key: NonEmpty,
    /// A composite has no such tag.
    #[serde(default)]
    pub on_missing: OnMissingTag,
}

/// What a composite leads to that lacks a required tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnMissingTag {
    /// A warning.
    #[default]
    Warn,
    /// The request is refused, unless it leaves what tags are made from as it is stored.
    Reject,
}

/// What a CompositeResourceDefinition that loses `spec.cloudTags` leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnXrd {
    /// Not checked.
    Ignore,
    /// A warning.
    Warn,
    /// The request is refused.
    Reject,
    /// The missing declaration is written, a warning where that cannot be done. In verify mode the request is refused.
    Declare,
}

/// A number of things.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    struct Count;

    impl Visitor<'_> for Count {
        type Value = u16;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number from 0 to 65535")
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<u16, E> {
            number.try_into().map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
        }
    }

    deserializer.deserialize_u16(Count)
}

impl CloudTags {
    /// Whether the composites of an API group get tags.
    pub fn has_group(&self, group: &str) -> bool {
        self.of_group(group).is_some()
    }

    /// The entry of the settings about the composites of an API group, if they get tags.
    pub fn of_group(&self, group: &str) -> Option<&Composites> {
        self.composites.iter().find(|composites| composites.api_groups.iter().any(|known| **known == *group))
    }

    /// Whether the Namespaces of composites are read.
    pub fn reads_namespaces(&self) -> bool {
        let names_tenant = |tenant: &Tenant| matches!(tenant.name, TenantName::NamespaceLabel(_));
        let owners = [&self.belongs_to.domain, &self.belongs_to.project];
        self.sources.has(LabelSource::Namespace)
            || self.sources.tenant.as_ref().is_some_and(names_tenant)
            || (self.registry.is_some() && owners.into_iter().flatten().any(OwnerLabel::is_of_namespace))
    }

    /// The profile that the settings assign to a provider, ignoring case.
    pub fn profile_of(&self, provider: &str) -> Option<&str> {
        self.profiles.iter().find(|(known, _)| known.eq_ignore_ascii_case(provider)).map(|(_, profile)| &**profile)
    }

    /// The strict profiles that the settings assign to providers, each once.
    pub fn strict_profiles(&self) -> impl Iterator<Item = &'static StrictProfile> {
        let names: BTreeSet<&str> = self.profiles.values().map(|profile| &**profile).collect();
        names.into_iter().filter_map(StrictProfile::named)
    }

    /// The prefixes of the keys of the policy's own tags: those of the specification's spelling, and of the strict
    /// profiles that the settings name. So switching to one leaves no tags behind.
    pub fn prefixes(&self) -> Vec<Cow<'_, str>> {
        let own = &*self.prefix;
        let strict = self.strict_profiles().map(|profile| profile.spelling.prefix(own));
        let mut prefixes = vec![Cow::Borrowed(own)];
        prefixes.extend(strict.filter(|prefix| prefix != own).map(Cow::Owned));
        prefixes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scope;
    use crate::test_settings::Settings;

    #[track_caller]
    fn read(cloud_tags: &str) -> CloudTags {
        Settings::from_json(&format!(r#"{{"cloudTags":{cloud_tags}}}"#)).unwrap().cloud_tags
    }

    #[test]
    fn nothing_is_a_composite_by_default() {
        let settings = read("{}");
        assert!(settings.composites.is_empty() && settings.definitions.is_empty() && settings.registry.is_none());
        assert_eq!(settings.on_registry_failure, Reaction::Reject);
        assert_eq!((settings.xrds, settings.compositions), (OnXrd::Warn, Stance::Warn));
    }

    #[test]
    fn namespaces_are_read_for_their_labels_only() {
        let of_namespace = r#"{"domain":{"namespaceLabel":"d"},"project":{"label":"p"}}"#;
        let tenant = |name: &str| {
            let kind = r#""kind":"Tenant.acme.org","version":"v1""#;
            format!(r#"{{"sources":{{"precedence":["tenant"],"tenant":{{{kind},"name":{{{name}}}}}}}}}"#)
        };
        for (settings, expected) in [
            ("{}".to_owned(), false),
            (r#"{"sources":{"precedence":["namespace","composite"]}}"#.to_owned(), true),
            (tenant(r#""namespaceLabel":"t""#), true),
            (tenant(r#""label":"t""#), false),
            (format!(r#"{{"belongsTo":{of_namespace}}}"#), false),
            (format!(r#"{{"registry":{{"byScope":true}},"belongsTo":{of_namespace}}}"#), true),
        ] {
            assert_eq!(read(&settings).reads_namespaces(), expected, "{settings}");
        }
    }

    #[test]
    fn definitions_are_read_by_key() {
        let definitions = read(r#"{"definitions":{"a/b":{"scope":"project","cloudTagPropagation":true}}}"#).definitions;
        let expected = Definition { scope: Scope::Project, cloud_tag_propagation: true, from: None };
        assert_eq!(definitions, BTreeMap::from([("a/b".to_owned(), expected)]));
        let twice = read(r#"{"definitions":{"b":{"scope":"domain"},"a":{"scope":"domain"},"b":{"scope":"project"}}}"#);
        assert_eq!(twice.definitions["b"].scope, Scope::Project);
        assert_eq!(
            &*read(r#"{"registry":{"names":["default"]},"definitions":{}}"#).registry.unwrap().names()[0],
            "default"
        );
    }

    #[test]
    fn a_prefix_is_spelled_as_each_profile_spells_keys() {
        assert_eq!(&*read("{}").prefix, "plexsphere:");
        let settings =
            read(r#"{"prefix":"acme:","profiles":{"hetzner":"hetzner-strict","gcp":"gcp","aws":"aws-strict"}}"#);
        assert_eq!(settings.prefixes(), ["acme:", "acme_", "acme/"]);
    }

    #[test]
    fn profiles_and_required_tags_are_read() {
        let settings = read(
            r#"{"profiles":{"Hetzner":"hetzner-strict","hcloud":"hetzner"},"reserve":5,"refused":"ignore","registry":{"name":"a"},
                "required":[{"key":"a"},{"key":"b","onMissing":"reject"}]}"#,
        );
        assert_eq!((settings.profile_of("hetzner"), settings.profile_of("aws")), (Some("hetzner-strict"), None));
        assert_eq!(settings.strict_profiles().map(|profile| profile.name).collect::<Vec<_>>(), ["hetzner-strict"]);
        assert_eq!((settings.reserve, settings.refused), (5, OnRefused::Ignore));
        let required: Vec<_> = settings.required.iter().map(|it| (&*it.key, it.on_missing)).collect();
        assert_eq!(required, [("a", OnMissingTag::Warn), ("b", OnMissingTag::Reject)]);
    }
}
