//! Settings: what can be set, the defaults, and how they are read.
//!
//! A setting is one field of one type. serde reads it, schemars describes it (its doc comment is the description in
//! `docs/settings.schema.json`), and an invalid value is rejected where it is read, so later code can trust the types.

use std::collections::BTreeMap;

use crate::fact::Fact;
use crate::grants::GRANTS;
use crate::report::{LogLevel, LogLine};
use cloud_tags::keys_of_another_form;
use cluster_api::parents::is_cluster_apis_own;
use cluster_api::settings::{ClusterApi, ClusterApiSettings, Guards};
use kubernetes::settings::object::ObjectOnly;
use kubernetes::settings::parsed_text::{ApiVersion, KindAndGroup};
use kubernetes::settings::{Mode, Reaction, SettingProblem, SettingsError, object, read};
use kubernetes::{Readable, about};
use serde::{Deserialize, Serialize};
use tag_rules::{CloudTags, TagSettings};

/// The settings of the policy.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "metadata-propagation-policy settings"))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// `mutate`: write what is missing. `verify`: refuse it and write nothing.
    pub mode: Mode,
    /// How other objects are read.
    #[serde(deserialize_with = "object::field")]
    pub lookup: Lookup,
    /// Which rules of Cluster API hold, and for whom.
    #[serde(deserialize_with = "object::field")]
    pub cluster_api: ClusterApi,
    /// How the policy reacts to edits that destroy Machines, and to keys that do harm or never propagate.
    #[serde(deserialize_with = "object::field")]
    pub guards: Guards,
    /// Which labels of Crossplane composites become tags of their cloud resources.
    #[serde(deserialize_with = "object::field")]
    pub cloud_tags: CloudTags,
}

impl Settings {
    /// Reads settings; null and `{}` mean the defaults, and a field that is null is absent.
    ///
    /// # Errors
    /// When the text is not an object of known fields with valid values: every problem, each with its path.
    pub fn from_json(text: &str) -> Result<Settings, SettingsError> {
        let text = if text.trim_ascii() == "null" { "{}" } else { text };
        let (settings, mut problems) = read::read(text);
        let settings = settings.map(|ObjectOnly(settings): ObjectOnly<Settings>| settings).unwrap_or_default();
        problems.extend(settings.cluster_api.contradictions());
        problems.extend(settings.cloud_tags.contradictions());
        SettingsError::unless_empty(problems)?;
        Ok(settings)
    }

    /// Validates settings more thoroughly than an evaluation needs: expressions are compiled, and settings that never do
    /// what they say are found.
    ///
    /// # Errors
    /// Like [`Settings::from_json`], and when an expression does not compile or a setting never does what it says.
    pub fn validate(text: &str) -> Result<(), SettingsError> {
        let Settings { lookup, cluster_api, cloud_tags, .. } = Settings::from_json(text)?;
        let mut problems = lookup.useless();
        problems.extend(cluster_api.useless());
        problems.extend(cloud_tags.useless(&cluster_api.cloud_tags));
        SettingsError::unless_empty(problems)
    }
}

impl Settings {
    /// What decides about objects of Cluster API.
    pub(crate) fn of_cluster_api(&self) -> ClusterApiSettings<'_> {
        ClusterApiSettings { cluster_api: &self.cluster_api, guards: &self.guards }
    }

    /// What is logged about settings that are valid and may be mistakes.
    pub fn warnings(&self) -> Vec<LogLine> {
        let line = |fact: Fact| LogLine {
            level: LogLevel::Warning,
            message: about("`cloudTags.definitions`", &fact.to_string()),
            attributes: [("setting", "cloudTags.definitions".to_owned())].into(),
        };
        self.keys_of_another_form().into_iter().map(line).collect()
    }

    /// What may be a mistake in `cloudTags.definitions`, as in a LabelRegistry.
    pub fn keys_of_another_form(&self) -> Vec<Fact> {
        keys_of_another_form(&self.cloud_tags.definitions).into_iter().map(Fact::from).collect()
    }

    /// What decides about cloud tags.
    pub(crate) fn of_tags(&self) -> TagSettings<'_> {
        TagSettings { mode: self.mode, cloud_tags: &self.cloud_tags }
    }
}

/// How other objects are read.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Lookup {
    /// The parent does not exist.
    pub on_missing: Reaction,
    /// A read failed: permission, grant, network.
    pub on_failure: Reaction,
    /// Versions of kinds beyond the shipped grants: `Kind.group` to version, such as
    /// `RKE2ControlPlane.controlplane.cluster.x-k8s.io: v1beta1`. A kind of composites that compose others is listed so that
    /// their tags are only forwarded while the parent exists.
    pub api_versions: BTreeMap<KindAndGroup, ApiVersion>,
}

impl Default for Lookup {
    fn default() -> Self {
        Lookup { on_missing: Reaction::Accept, on_failure: Reaction::Warn, api_versions: BTreeMap::new() }
    }
}

impl Lookup {
    /// Versions of Cluster API's own kinds in which the policy does not know where anything is.
    fn useless(&self) -> Vec<SettingProblem> {
        let problem = |(listed, version): (&KindAndGroup, &ApiVersion)| {
            let (kind, group) = listed.split_once('.').filter(|(kind, group)| is_cluster_apis_own(group, kind))?;
            let grant = GRANTS.iter().find(|grant| grant.kind == kind && grant.group == group)?;
            let known = grant.versions.join("` or `");
            (!grant.versions.contains(&&**version)).then(|| {
                let problem = format!("expected `{known}`, found `{}`", &**version);
                SettingProblem::new(format!("lookup.apiVersions[{}]", &**listed), problem)
            })
        };
        self.api_versions.iter().filter_map(problem).collect()
    }
}

/// The versions in the settings precede those that the policy brings.
impl Readable for Settings {
    fn versions<'s>(&'s self, group: &str, kind: &str) -> Vec<&'s str> {
        let shipped = GRANTS.iter().find(|grant| grant.kind == kind && grant.group == group);
        let mut versions: Vec<&str> = shipped.map_or(Vec::new(), |grant| grant.versions.to_vec());
        let configured = &self.lookup.api_versions;
        if !configured.is_empty()
            && let Some(version) = configured.get(&*[kind, ".", group].concat())
        {
            versions.retain(|known| **known != **version);
            versions.insert(0, version);
        }
        if let Some(tenant) = &self.cloud_tags.sources.tenant
            && tenant.kind.split_once('.') == Some((kind, group))
        {
            versions.insert(0, &tenant.version);
        }
        versions
    }

    fn share_a_version(&self, group: &str, kind: &str) -> bool {
        is_cluster_apis_own(group, kind)
    }
}

#[cfg(test)]
mod tests {
    use kubernetes::settings::Reaction;

    use super::*;
    use cluster_api::catalog::Version;

    #[test]
    fn nothing_and_an_empty_object_are_the_defaults() {
        let defaults = serde_json::to_value(Settings::default()).unwrap();
        for text in [
            "null",
            " null\n",
            "{}",
            r#"{"lookup":{},"clusterApi":{"node":{}},"guards":{},"cloudTags":{}}"#,
            r#"{"mode":null,"clusterApi":null,"lookup":{"onMissing":null},"cloudTags":{"registry":null,"composites":null}}"#,
        ] {
            assert_eq!(serde_json::to_value(Settings::from_json(text).unwrap()).unwrap(), defaults, "{text}");
        }
        assert_eq!(Settings::from_json("").unwrap_err().to_string(), "settings: EOF while parsing a value");
        let settings = Settings::default();
        assert_eq!(settings.mode, Mode::Mutate);
        assert_eq!((settings.lookup.on_missing, settings.lookup.on_failure), (Reaction::Accept, Reaction::Warn));
        assert_eq!(settings.cluster_api.version, Version::NEWEST);
    }

    #[test]
    fn of_a_repeated_field_the_last_one_counts() {
        assert_eq!(Settings::from_json(r#"{"mode":7,"mode":"verify"}"#).unwrap().mode, Mode::Verify);
    }

    #[test]
    fn two_hundred_problems_are_reported() {
        let wrong: Vec<String> = (0..200).map(|number| format!(r#""key-{number:03}":{{"scope":{number}}}"#)).collect();
        let text = format!(r#"{{"cloudTags":{{"definitions":{{{}}}}}}}"#, wrong.join(","));
        let problems = Settings::from_json(&text).unwrap_err().problems;
        assert_eq!(problems.len(), 200);
        assert_eq!(problems[199].path, "cloudTags.definitions[key-199].scope");
    }

    #[test]
    fn versions_are_found_by_kind_and_group() {
        let text = r#"{"lookup":{"apiVersions":{"RKE2ControlPlane.controlplane.cluster.x-k8s.io":"v1beta1"}}}"#;
        let versions = Settings::from_json(text).unwrap().lookup.api_versions;
        let version = versions.get("RKE2ControlPlane.controlplane.cluster.x-k8s.io");
        assert_eq!(version.map(|version| &**version), Some("v1beta1"));
    }
}
