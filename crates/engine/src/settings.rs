//! Settings: as they are written, and as they are meant.

mod cloud_tags;
#[cfg(feature = "schema")]
mod cloud_tags_schema;
mod pattern;
mod problems;
mod raw;
mod read;
mod stance;
mod survival;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::IgnoredAny;

pub use self::cloud_tags::{CloudTags, Composites, Provider, RawCloudTags, Registry};
pub use self::pattern::{Pattern, PatternError};
pub use self::problems::{Problem, SettingsError};
pub use self::raw::{RawClusterApi, RawLookup, RawNodeSync, RawSettings};
pub use self::stance::Stance;
pub use self::survival::OnXrd;
use crate::catalog::version::Version;
use crate::json::Json;

/// What the settings mean.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whether drift is corrected or refused.
    pub mode: Mode,
    /// How other objects are read.
    pub lookup: Lookup,
    /// Cluster API's side.
    pub cluster_api: ClusterApi,
    /// What each guard rail leads to.
    pub guards: Guards,
    /// Crossplane's side.
    pub cloud_tags: CloudTags,
}

/// What each guard rail leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Guards {
    /// A label by which the owner finds a Machine or MachineSet, or the ownerReference to it, goes or changes.
    pub selector_labels: Stance,
    /// The selector of a MachineDeployment or MachineSet changes.
    pub selector_change: Stance,
    /// A Machine or MachineSet without controller gets labels that name an owner.
    pub adoption: Stance,
    /// A map that propagates gets a key that Cluster API or a client sets itself.
    pub reserved_keys: Stance,
    /// A template below a topology gets a key that comes neither from topology nor class.
    pub template_keys: Stance,
    /// A key looks meant for Nodes and misses the criteria.
    pub node_unreachable: Stance,
}

impl Default for Guards {
    fn default() -> Self {
        Guards {
            selector_labels: Stance::Reject,
            selector_change: Stance::Reject,
            adoption: Stance::Reject,
            reserved_keys: Stance::Warn,
            template_keys: Stance::Warn,
            node_unreachable: Stance::Warn,
        }
    }
}

/// Whether drift is corrected or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Write what is missing.
    #[default]
    Mutate,
    /// Refuse what is missing, write nothing.
    Verify,
}

/// How other objects are read.
#[derive(Debug, Clone)]
pub struct Lookup {
    /// Bypass the host's cache.
    pub fresh: bool,
    /// When the parent does not exist.
    pub on_missing: Reaction,
    /// When the cluster could not be asked.
    pub on_failure: Reaction,
    /// Versions of kinds beyond the shipped grants, by `Kind.group`.
    pub api_versions: BTreeMap<String, String>,
}

/// What a lookup without an answer does to the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reaction {
    /// Leave the object as it is.
    Accept,
    /// Leave the object as it is, and say so.
    Warn,
    /// Refuse the request.
    Reject,
}

/// Cluster API's side.
#[derive(Debug, Clone)]
pub struct ClusterApi {
    /// Whose rules hold.
    pub version: Version,
    /// User names whose writes pass at once.
    pub controllers: BTreeSet<String>,
    /// Compare the controllers' writes with the rules and report differences.
    pub self_check: bool,
    /// When somebody edits a propagated value on a child.
    pub on_conflict: OnConflict,
    /// Whether in-place mutable fields propagate as well.
    pub fields: bool,
    /// Whether the cluster's gate `MachineTaintPropagation` is on.
    pub taints: bool,
    /// What propagates beyond Cluster API.
    pub opt_in: OptIn,
    /// When an UPDATE would replace Machines.
    pub rollout: Stance,
    /// What the manager syncs to Nodes beyond the three criteria.
    pub node: NodeSync,
}

/// What propagates beyond Cluster API.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct OptIn {
    /// Keys of a Cluster's own labels and annotations that go to all of its topology.
    pub cluster_to_topology: Vec<String>,
    /// Keys of a standalone Machine's labels and annotations that go to its infrastructure and bootstrap configuration.
    pub machine_to_infra: Vec<String>,
    /// The in-place mutable fields of a MachinePool go to its Machines.
    pub pool_to_machine: bool,
}

/// What an edit of a propagated value on a child leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnConflict {
    /// The value is written back, with a warning.
    #[default]
    Restore,
    /// The edit stands, with a warning.
    Warn,
    /// The request is refused.
    Reject,
}

/// Expressions of the manager's `--additional-sync-machine-labels` and `--additional-sync-machine-annotations`.
#[derive(Debug, Clone, Default)]
pub struct NodeSync {
    /// Labels of a Machine that reach its Node.
    pub additional_labels: Vec<Pattern>,
    /// Annotations of a Machine that reach its Node.
    pub additional_annotations: Vec<Pattern>,
}

impl Settings {
    /// Reads settings; null and `{}` are the defaults.
    ///
    /// # Errors
    /// When the text is not an object of known fields with sensible values: every problem, each with its path.
    pub fn from_json(text: &str) -> Result<Settings, SettingsError> {
        match text.trim_start().chars().next() {
            Some('n') if text.trim() == "null" => return Settings::try_from(RawSettings::default()),
            Some('{') => {}
            _ => return Err(SettingsError { problems: vec![Problem::new("", "expected an object")] }),
        }
        if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
            // A line and column of settings that a host has re-written would point nowhere.
            let error = error.to_string();
            let problem = error.rsplit_once(" at line ").map_or(error.as_str(), |(problem, _)| problem);
            return Err(SettingsError { problems: vec![Problem::new("", problem)] });
        }
        let mut problems = Vec::new();
        let raw = read::read(&Json::new(text.trim(), ""), &mut problems);
        if !problems.is_empty() {
            // What else is wrong is told with it.
            raw.cloud_tags.read(&mut problems);
        }
        SettingsError::unless_empty(problems)?;
        Settings::try_from(raw)
    }

    /// Judges settings more thoroughly than an evaluation needs them: expressions are compiled, and label definitions
    /// read.
    ///
    /// # Errors
    /// As [`Settings::from_json`], and when an expression does not compile or a definition cannot be used.
    pub fn validate(text: &str) -> Result<(), SettingsError> {
        let settings = Settings::from_json(text)?;
        let node = &settings.cluster_api.node;
        let lists = [(LABELS, &node.additional_labels), (ANNOTATIONS, &node.additional_annotations)];
        let of_patterns = lists.into_iter().flat_map(|(path, patterns)| {
            let check = move |(index, pattern): (usize, &Pattern)| {
                pattern.check().err().map(|error| Problem::new(format!("{path}[{index}]"), error))
            };
            patterns.iter().enumerate().filter_map(check)
        });
        SettingsError::unless_empty(of_patterns.chain(settings.cloud_tags.problems()).collect())
    }
}

const LABELS: &str = "clusterApi.node.additionalLabels";
const ANNOTATIONS: &str = "clusterApi.node.additionalAnnotations";

impl TryFrom<RawSettings> for Settings {
    type Error = SettingsError;

    fn try_from(raw: RawSettings) -> Result<Self, SettingsError> {
        let RawSettings { mode, lookup, cluster_api, guards, cloud_tags } = raw;
        let mut problems = Vec::new();
        for (kind, version) in &lookup.api_versions {
            let path = || format!("lookup.apiVersions[`{kind}`]");
            if !is_qualified_kind(kind) {
                problems.push(Problem::new(
                    path(),
                    "is not `Kind.group`, such as `RKE2ControlPlane.controlplane.cluster.x-k8s.io`",
                ));
            }
            if !is_api_version(version) {
                problems.push(Problem::new(path(), format!("`{version}` is not a version such as `v1beta1`")));
            }
        }
        let version = cluster_api.version.parse().unwrap_or_else(|problem| {
            problems.push(Problem::new("clusterApi.version", format!("`{}` {problem}", cluster_api.version)));
            Version::NEWEST
        });
        for (index, controller) in cluster_api.controllers.iter().enumerate() {
            if controller.is_empty() {
                problems.push(Problem::new(format!("clusterApi.controllers[{index}]"), "is empty"));
            }
        }
        let mut patterns = |path: &str, sources: &[String]| {
            if !sources.is_empty() && !version.at_least(Version::NODE_EXPRESSIONS) {
                let needs = format!(
                    "needs Cluster API {} or later, `clusterApi.version` is {version}",
                    Version::NODE_EXPRESSIONS
                );
                problems.push(Problem::new(path, needs));
            }
            let mut parse = |(index, source): (usize, &String)| {
                Pattern::parse(source)
                    .map_err(|error| problems.push(Problem::new(format!("{path}[{index}]"), error)))
                    .ok()
            };
            sources.iter().enumerate().filter_map(&mut parse).collect()
        };
        let node = NodeSync {
            additional_labels: patterns(LABELS, &cluster_api.node.additional_labels),
            additional_annotations: patterns(ANNOTATIONS, &cluster_api.node.additional_annotations),
        };
        let cloud_tags = cloud_tags.read(&mut problems);
        SettingsError::unless_empty(problems)?;
        let RawLookup { fresh, on_missing, on_failure, api_versions } = lookup;
        Ok(Settings {
            mode,
            lookup: Lookup { fresh, on_missing, on_failure, api_versions },
            cluster_api: ClusterApi {
                version,
                controllers: cluster_api.controllers.into_iter().collect(),
                self_check: cluster_api.self_check,
                on_conflict: cluster_api.on_conflict,
                fields: cluster_api.fields,
                taints: cluster_api.taints,
                opt_in: cluster_api.opt_in,
                rollout: cluster_api.rollout,
                node,
            },
            guards,
            cloud_tags,
        })
    }
}

fn is_qualified_kind(text: &str) -> bool {
    text.split_once('.').is_some_and(|(kind, group)| {
        kind.starts_with(|first: char| first.is_ascii_uppercase())
            && kind.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && !group.is_empty()
            && group.split('.').all(|part| !part.is_empty())
    })
}

/// `v1`, `v1beta2`, `v2alpha1`.
fn is_api_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.strip_prefix('v').is_some_and(|rest| {
        let (major, minor) = rest.split_once("alpha").or_else(|| rest.split_once("beta")).unwrap_or((rest, "1"));
        is_number(major) && is_number(minor)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(settings: &str) -> String {
        Settings::validate(settings).unwrap_err().to_string()
    }

    #[test]
    fn nothing_and_an_empty_object_are_the_defaults() {
        for text in ["null", "{}", r#"{"lookup":{},"clusterApi":{"node":{}}}"#, r#"{"mode":null,"clusterApi":null}"#] {
            let settings = Settings::from_json(text).unwrap();
            assert_eq!(settings.mode, Mode::Mutate);
            assert_eq!(settings.lookup.on_missing, Reaction::Accept);
            assert_eq!(settings.lookup.on_failure, Reaction::Reject);
            assert!(!settings.lookup.fresh);
            assert_eq!(settings.cluster_api.version, Version::NEWEST);
            assert!(settings.cluster_api.controllers.contains("system:serviceaccount:capi-system:capi-manager"));
            assert_eq!(settings.cluster_api.controllers.len(), 3);
            assert!(!settings.cluster_api.self_check);
        }
    }

    #[test]
    fn every_problem_is_named_with_its_path() {
        assert_eq!(
            refused(
                r#"{"mode":"mutat","lokup":{},"lookup":{"fresh":"yes","apiVersions":{"a":1}},
                    "clusterApi":{"controllers":["ok",7],"node":{"labels":[]}}}"#
            ),
            "lokup: unknown field, expected one of `mode`, `lookup`, `clusterApi`, `guards`, `cloudTags`; \
             mode: unknown variant `mutat`, expected `mutate` or `verify`; \
             lookup.fresh: is not a boolean; \
             lookup.apiVersions: is not a map of strings: the value of `a` is not a string; \
             clusterApi.controllers[1]: is not a string; \
             clusterApi.node.labels: unknown field, expected one of `additionalLabels`, `additionalAnnotations`"
        );
    }

    #[test]
    fn every_senseless_value_is_named_with_its_path() {
        assert_eq!(
            refused(
                r#"{"lookup":{"apiVersions":{"rke2":"1"}},
                    "clusterApi":{"version":"1.14","controllers":[""],"node":{"additionalLabels":["ok","(?x)a"]}}}"#
            )
            .split("; ")
            .map(|problem| problem.split(": ").next().unwrap())
            .collect::<Vec<_>>(),
            [
                "lookup.apiVersions[`rke2`]",
                "lookup.apiVersions[`rke2`]",
                "clusterApi.version",
                "clusterApi.controllers[0]",
                "clusterApi.node.additionalLabels[1]",
            ]
        );
    }

    #[test]
    fn expressions_need_the_version_that_has_them() {
        assert_eq!(
            refused(r#"{"clusterApi":{"version":"v1.9.6","node":{"additionalAnnotations":["a"]}}}"#),
            "clusterApi.node.additionalAnnotations: needs Cluster API v1.10 or later, `clusterApi.version` is v1.9"
        );
    }

    #[test]
    fn settings_of_the_wrong_type_are_refused() {
        for (text, expected) in [
            ("[]", "settings: expected an object"),
            ("7", "settings: expected an object"),
            ("", "settings: expected an object"),
            ("{\"mode\":", "settings: EOF while parsing a value"),
            (r#"{"lookup":[]}"#, "lookup: is not an object"),
            (r#"{"clusterApi":{"node":[]}}"#, "clusterApi.node: is not an object"),
            (r#"{"":1}"#, "[``]: unknown field, expected one of `mode`, `lookup`, `clusterApi`, `guards`, `cloudTags`"),
            (r#"{"clusterApi":{"node":{"additionalLabels":"a"}}}"#, "clusterApi.node.additionalLabels: is not a list"),
        ] {
            assert_eq!(refused(text), expected, "{text}");
        }
    }

    #[test]
    fn kinds_and_versions_are_spelt_as_kubernetes_does() {
        for (text, expected) in
            [("RKE2ControlPlane.a.b", true), ("rke2.a", false), ("Kind", false), ("Kind.", false), ("Kind.a..b", false)]
        {
            assert_eq!(is_qualified_kind(text), expected, "{text}");
        }
        for (text, expected) in [
            ("v1", true),
            ("v1beta2", true),
            ("v2alpha1", true),
            ("1", false),
            ("v", false),
            ("v1beta", false),
            ("v1gamma1", false),
        ] {
            assert_eq!(is_api_version(text), expected, "{text}");
        }
    }
}
