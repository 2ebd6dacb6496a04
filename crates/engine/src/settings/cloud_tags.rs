//! `cloudTags`: as it is written, and as it is meant.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Problem, Reaction};
use crate::json::Json;
use crate::tags::{Definition, definition};

/// Crossplane's side.
#[derive(Debug, Clone)]
pub struct CloudTags {
    /// Which objects are composites; nothing is stamped where there are none.
    pub composites: Vec<Composites>,
    /// Where label definitions are found.
    pub registry: Registry,
    /// When a registry object cannot be read, or does not exist.
    pub on_registry_failure: Reaction,
}

/// Composites that say in the same way who their provider is.
#[derive(Debug, Clone)]
pub struct Composites {
    /// Their API groups.
    pub api_groups: Vec<String>,
    /// Where their provider is found.
    pub provider: Provider,
    /// Kinds of these groups that are claims: their composite is stamped, they are not.
    pub claim_kinds: Vec<String>,
}

/// Where the provider of a composite is found.
#[derive(Debug, Clone)]
pub enum Provider {
    /// In this field of the composite.
    Path(Vec<String>),
    /// Here.
    Fixed(String),
    /// Here, by the composite's kind.
    ByKind(BTreeMap<String, String>),
}

/// Where label definitions are found.
#[derive(Debug, Clone)]
pub enum Registry {
    /// In the settings.
    Inline(BTreeMap<String, Definition>),
    /// In the LabelRegistry object of this name.
    Object(String),
}

/// `cloudTags` as it is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RawCloudTags {
    /// Which objects are Crossplane composites, and where their provider is found. None: no tags are stamped.
    pub composites: Vec<RawComposites>,
    /// The label registry: definitions by qualified key. Not together with `registry`.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Definition>"))]
    pub definitions: BTreeMap<String, Box<RawValue>>,
    /// The label registry as an object of the cluster, instead of `definitions`.
    pub registry: Option<RawRegistry>,
    /// The registry object cannot be read, or does not exist.
    pub on_registry_failure: Reaction,
}

/// One entry of `cloudTags.composites` as it is written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RawComposites {
    /// API groups of the composites, such as `blueprints.plexsphere.com`.
    pub api_groups: Vec<String>,
    /// Where the provider is found: exactly one of the three. An unknown or absent provider gets the generic profile.
    pub provider: RawProvider,
    /// Kinds of these groups that are claims, which are never stamped.
    pub claim_kinds: Vec<String>,
}

/// `provider` of an entry of `cloudTags.composites` as it is written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("minProperties" = 1, "maxProperties" = 1)))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RawProvider {
    /// Dotted path of a field of the composite, such as `spec.parameters.provider`.
    pub path: Option<String>,
    /// The provider of all.
    pub fixed: Option<String>,
    /// The provider of each kind.
    pub by_kind: Option<BTreeMap<String, String>>,
}

/// `cloudTags.registry` as it is written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct RawRegistry {
    /// Name of a LabelRegistry object.
    pub name: String,
}

impl Default for RawCloudTags {
    fn default() -> Self {
        RawCloudTags {
            composites: Vec::new(),
            definitions: BTreeMap::new(),
            registry: None,
            on_registry_failure: Reaction::Reject,
        }
    }
}

impl RawCloudTags {
    /// The defaults with one of everything that a user may list.
    pub(super) fn shape() -> Self {
        RawCloudTags {
            composites: vec![RawComposites::default()],
            registry: Some(RawRegistry::default()),
            ..RawCloudTags::default()
        }
    }

    /// What it means. What makes no sense is told to `problems`.
    pub(super) fn read(self, problems: &mut Vec<Problem>) -> CloudTags {
        let mut composites: Vec<Composites> = Vec::new();
        for (index, raw) in self.composites.into_iter().enumerate() {
            let path = format!("cloudTags.composites[{index}]");
            if raw.api_groups.is_empty() {
                problems.push(Problem::new(format!("{path}.apiGroups"), "names no group"));
            }
            for (index, group) in raw.api_groups.iter().enumerate() {
                let problem = if composites.iter().any(|other| other.api_groups.contains(group)) {
                    "stands in another entry too"
                } else if !is_group_of_composites(group) {
                    "is not a group of composites, such as `blueprints.plexsphere.com`"
                } else {
                    continue;
                };
                problems.push(Problem::new(format!("{path}.apiGroups[{index}]"), format!("`{group}` {problem}")));
            }
            let provider = raw.provider.read(&path, problems);
            composites.push(Composites { api_groups: raw.api_groups, provider, claim_kinds: raw.claim_kinds });
        }
        let mut definitions = BTreeMap::new();
        for (key, written) in &self.definitions {
            match definition(key, &Json::new(written.get(), format!("cloudTags.definitions[`{key}`]"))) {
                Ok(definition) => drop(definitions.insert(key.clone(), definition)),
                Err(malformed) => problems.push(Problem::new(malformed.path, malformed.problem)),
            }
        }
        let registry = match self.registry {
            None => Registry::Inline(definitions),
            Some(RawRegistry { name }) => {
                if name.is_empty() {
                    problems.push(Problem::new("cloudTags.registry.name", "is empty"));
                }
                if !self.definitions.is_empty() {
                    problems
                        .push(Problem::new("cloudTags.registry", "stands beside `definitions`: there is one registry"));
                }
                Registry::Object(name)
            }
        };
        CloudTags { composites, registry, on_registry_failure: self.on_registry_failure }
    }
}

impl RawProvider {
    fn read(self, path: &str, problems: &mut Vec<Problem>) -> Provider {
        let RawProvider { path: field, fixed, by_kind } = self;
        match (field, fixed, by_kind) {
            (Some(field), None, None) => {
                let steps: Vec<String> = field.split('.').map(str::to_owned).collect();
                if steps.iter().any(String::is_empty) {
                    let problem = format!("`{field}` is not a path such as `spec.parameters.provider`");
                    problems.push(Problem::new(format!("{path}.provider.path"), problem));
                }
                Provider::Path(steps)
            }
            (None, Some(provider), None) => Provider::Fixed(provider),
            (None, None, Some(by_kind)) => Provider::ByKind(by_kind),
            _ => {
                problems.push(Problem::new(format!("{path}.provider"), "has to be one of `path`, `fixed`, `byKind`"));
                Provider::Fixed(String::new())
            }
        }
    }
}

/// A group with a domain of its own that neither Cluster API, nor Crossplane's own definitions, nor the registry are in.
fn is_group_of_composites(group: &str) -> bool {
    const OTHERS: [&str; 3] = ["cluster.x-k8s.io", "apiextensions.crossplane.io", "labels.plexsphere.com"];
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    let others =
        OTHERS.iter().any(|other| group.strip_suffix(other).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    group.contains('.') && group.split('.').all(is_part) && !others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[track_caller]
    fn refused(cloud_tags: &str) -> String {
        Settings::validate(&format!(r#"{{"cloudTags":{cloud_tags}}}"#)).unwrap_err().to_string()
    }

    #[test]
    fn nothing_is_a_composite_by_default() {
        let settings = Settings::from_json("{}").unwrap().cloud_tags;
        assert!(settings.composites.is_empty());
        assert!(matches!(settings.registry, Registry::Inline(definitions) if definitions.is_empty()));
        assert_eq!(settings.on_registry_failure, Reaction::Reject);
    }

    #[test]
    fn every_kind_of_provider_is_read() {
        let read = |provider: &str| {
            let text = format!(r#"{{"cloudTags":{{"composites":[{{"apiGroups":["a.b"],"provider":{provider}}}]}}}}"#);
            Settings::validate(&text).unwrap();
            Settings::from_json(&text).unwrap().cloud_tags.composites.pop().unwrap().provider
        };
        assert!(matches!(read(r#"{"path":"spec.a"}"#), Provider::Path(steps) if steps == ["spec", "a"]));
        assert!(matches!(read(r#"{"fixed":"aws"}"#), Provider::Fixed(provider) if provider == "aws"));
        assert!(matches!(read(r#"{"byKind":{"X":"aws"}}"#), Provider::ByKind(kinds) if kinds.len() == 1));
    }

    #[test]
    fn every_problem_of_shape_is_named_with_its_path() {
        assert_eq!(
            refused(
                r#"{"composites":[{"apiGroups":["a.b"],"provider":{"pth":"a","fixed":7}},{"apiGroup":"a"},3],
                    "registry":{"nam":"x"},"onRegistryFailure":"ignore"}"#
            ),
            "cloudTags.composites[0].provider.pth: unknown field, expected one of `path`, `fixed`, `byKind`; \
             cloudTags.composites[0].provider.fixed: invalid type: integer `7`, expected a string; \
             cloudTags.composites[1].apiGroup: unknown field, expected one of `apiGroups`, `provider`, `claimKinds`; \
             cloudTags.composites[2]: expected an object; \
             cloudTags.registry.nam: unknown field, expected one of `name`; \
             cloudTags.onRegistryFailure: unknown variant `ignore`, expected one of `accept`, `warn`, `reject`"
        );
    }

    #[test]
    fn every_senseless_value_is_named_with_its_path() {
        assert_eq!(
            refused(
                r#"{"composites":[{"apiGroups":["a.b","*"],"provider":{"path":"spec..a"}},
                    {"apiGroups":["a.b","infrastructure.cluster.x-k8s.io"],"provider":{"fixed":"aws","path":"a"}},{}],
                    "definitions":{"":{"scope":"domain"},"a":{"scope":"team"},"platform/origin":{"scope":"platform","cloudTagPropagation":true}},
                    "registry":{"name":""}}"#
            ),
            "cloudTags.composites[0].apiGroups[1]: `*` is not a group of composites, such as `blueprints.plexsphere.com`; \
             cloudTags.composites[0].provider.path: `spec..a` is not a path such as `spec.parameters.provider`; \
             cloudTags.composites[1].apiGroups[0]: `a.b` stands in another entry too; \
             cloudTags.composites[1].apiGroups[1]: `infrastructure.cluster.x-k8s.io` is not a group of composites, such as `blueprints.plexsphere.com`; \
             cloudTags.composites[1].provider: has to be one of `path`, `fixed`, `byKind`; \
             cloudTags.composites[2].apiGroups: names no group; \
             cloudTags.composites[2].provider: has to be one of `path`, `fixed`, `byKind`; \
             cloudTags.definitions[``]: has an empty key; \
             cloudTags.definitions[`a`].scope: is not `platform`, `domain` or `project`; \
             cloudTags.definitions[`platform/origin`]: is seeded: its scope is `platform`, and it cannot be opted in; \
             cloudTags.registry.name: is empty; \
             cloudTags.registry: stands beside `definitions`: there is one registry"
        );
    }

    #[test]
    fn groups_of_others_are_no_groups_of_composites() {
        for (group, expected) in [
            ("blueprints.plexsphere.com", true),
            ("my-cluster.x-k8s.io", true),
            ("cluster.x-k8s.io", false),
            ("bootstrap.cluster.x-k8s.io", false),
            ("apiextensions.crossplane.io", false),
            ("labels.plexsphere.com", false),
            ("apps", false),
            ("A.b", false),
            ("a..b", false),
            ("", false),
        ] {
            assert_eq!(is_group_of_composites(group), expected, "{group}");
        }
    }
}
