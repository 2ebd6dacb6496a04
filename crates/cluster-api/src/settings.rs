//! The settings `clusterApi` and `guards`.

use crate::catalog::keys::is_never;
use crate::catalog::{CONTROLLERS, Version};
use kubernetes::is_annotation_key;
use kubernetes::settings::{KeyOrDomain, Pattern, SettingProblem, Stance, Users, object};
use serde::{Deserialize, Serialize};
use tag_rules::ClusterCloudTags;

pub use crate::catalog::guards::Guards;

/// The settings about objects of Cluster API.
#[derive(Debug, Clone, Copy)]
pub struct ClusterApiSettings<'e> {
    /// Which rules hold, and for whom.
    pub cluster_api: &'e ClusterApi,
    /// How the policy reacts to what guards find.
    pub guards: &'e Guards,
}

/// Which rules of Cluster API hold, and for whom.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ClusterApi {
    /// `v1.MINOR` or `v1.MINOR.PATCH`: which edition of the rules applies.
    pub version: Version,
    /// User names or groups, compared exactly, whose writes pass at once and unchanged.
    pub controllers: Users,
    /// Compare the controllers' writes with the rules; differences go to the audit annotation and the log.
    pub self_check: bool,
    /// Somebody edits a propagated value on a child object.
    pub on_conflict: OnConflict,
    /// Whether in-place mutable fields are propagated as well.
    pub fields: bool,
    /// Cluster API's feature gate `MachineTaintPropagation` is on: taints are also added where an object has none.
    pub taints: bool,
    /// Propagation beyond Cluster API, for selected keys; none by default.
    #[serde(deserialize_with = "object::field")]
    pub opt_in: OptIn,
    /// Labels of a Cluster become tags of its infrastructure cluster; of no kind by default.
    #[serde(deserialize_with = "object::field")]
    pub cloud_tags: ClusterCloudTags,
    /// An UPDATE would replace Machines.
    pub rollout: Stance,
    /// User names or groups, compared exactly, that may set the annotation `approve-rollout`; everybody where the list is
    /// empty.
    pub approve_rollout_by: Users,
    /// Keys, or domains of keys such as `example.com`, that are never reported as set at a place that nothing propagates
    /// from.
    pub ignore_misplaced: Vec<KeyOrDomain>,
    /// What the manager syncs from Machines to Nodes beyond the three criteria.
    #[serde(deserialize_with = "object::field")]
    pub node: NodeSync,
}

impl Default for ClusterApi {
    fn default() -> Self {
        ClusterApi {
            version: Version::NEWEST,
            controllers: Users::of(CONTROLLERS),
            self_check: false,
            on_conflict: OnConflict::default(),
            fields: true,
            taints: false,
            opt_in: OptIn::default(),
            cloud_tags: ClusterCloudTags::default(),
            rollout: Stance::Warn,
            approve_rollout_by: Users::default(),
            ignore_misplaced: Vec::new(),
            node: NodeSync::default(),
        }
    }
}

/// What an edit of a propagated value on a child leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnConflict {
    /// The value is written back, with a warning.
    #[default]
    Restore,
    /// The edit stays, with a warning.
    Warn,
    /// The request is refused.
    Reject,
}

/// What propagates beyond Cluster API.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct OptIn {
    /// Keys of a Cluster's own labels and annotations that are propagated to all of its topology.
    pub cluster_to_topology: Vec<String>,
    /// Keys of a standalone Machine's labels and annotations that are propagated to its infrastructure and bootstrap
    /// configuration.
    pub machine_to_infra: Vec<String>,
    /// The in-place mutable fields of a MachinePool are propagated to its Machines.
    pub pool_to_machine: bool,
}

impl OptIn {
    /// What is wrong with the listed keys, each with its path.
    fn problems_of_keys(&self, problem: impl Fn(&str) -> Option<String>) -> Vec<SettingProblem> {
        let lists =
            [("clusterToTopology", &self.cluster_to_topology), ("machineToInfra", &self.machine_to_infra)].into_iter();
        let keys = lists.flat_map(|(list, keys)| keys.iter().enumerate().map(move |(index, key)| (list, index, key)));
        let problem = |(list, index, key): (&str, usize, &String)| {
            Some(SettingProblem::new(format!("clusterApi.optIn.{list}[{index}]"), problem(key)?))
        };
        keys.filter_map(problem).collect()
    }
}

/// What the manager syncs from Machines to Nodes beyond the three criteria.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct NodeSync {
    /// The manager's `--additional-sync-machine-labels`: Go regular expressions, not anchored, on the key.
    pub additional_labels: Vec<Pattern>,
    /// The manager's `--additional-sync-machine-annotations`: Go regular expressions, not anchored, on the key.
    pub additional_annotations: Vec<Pattern>,
}

impl NodeSync {
    /// The expressions that do not compile.
    fn uncompilable(&self) -> Vec<SettingProblem> {
        let problems = self.lists().into_iter().flat_map(|(path, patterns)| {
            patterns.iter().enumerate().filter_map(move |(index, pattern)| {
                let error = pattern.check().err()?;
                Some(SettingProblem::new(format!("{path}[{index}]"), error))
            })
        });
        problems.collect()
    }

    /// Both lists, each with its path.
    fn lists(&self) -> [(&'static str, &[Pattern]); 2] {
        [
            ("clusterApi.node.additionalLabels", &self.additional_labels),
            ("clusterApi.node.additionalAnnotations", &self.additional_annotations),
        ]
    }
}

impl ClusterApi {
    /// Combinations of settings that are not allowed.
    pub fn contradictions(&self) -> Vec<SettingProblem> {
        let version = self.version;
        let since = [Version::NODE_LABEL_EXPRESSIONS, Version::NODE_ANNOTATIONS];
        let lists = self.node.lists().into_iter().zip(since);
        let early = lists.filter(|((_, patterns), since)| !patterns.is_empty() && !version.at_least(*since));
        let early = early.map(|((path, _), since)| SettingProblem::new(path, self.needs(since)));
        early
            .chain(self.opt_in.problems_of_keys(|key| {
                let is_key = is_annotation_key(key);
                (!is_key).then(|| format!("expected a key of labels or annotations, found `{key}`"))
            }))
            .collect()
    }

    fn needs(&self, since: Version) -> String {
        format!("needs Cluster API {since} or later, but `clusterApi.version` is {}", self.version)
    }

    /// Settings that an evaluation can do without: groups of everybody, expressions that do not compile, keys that never
    /// propagate, and what other settings prevent.
    pub fn useless(&self) -> Vec<SettingProblem> {
        const NO_FIELDS: &str = "has no effect: `clusterApi.fields` is false";
        let prevented = [
            ("clusterApi.taints", self.taints && !self.fields, NO_FIELDS),
            ("clusterApi.optIn.poolToMachine", self.opt_in.pool_to_machine && !self.fields, NO_FIELDS),
            (
                "clusterApi.selfCheck",
                self.self_check && self.controllers.is_empty(),
                "has no effect: `clusterApi.controllers` is empty",
            ),
        ];
        let prevented = prevented.into_iter().filter(|(_, is_prevented, _)| *is_prevented);
        let prevented = prevented.map(|(path, _, why)| SettingProblem::new(path, why));
        let early = self.taints && !self.version.at_least(Version::MACHINE_TAINTS);
        let early = early.then(|| SettingProblem::new("clusterApi.taints", self.needs(Version::MACHINE_TAINTS)));
        let never = |key: &str| is_never(key).then(|| format!("`{key}` is never propagated"));
        let everybody = self.controllers.problems_of_groups("clusterApi.controllers");
        let found = everybody.into_iter().chain(self.node.uncompilable()).chain(self.opt_in.problems_of_keys(never));
        found.chain(early).chain(prevented).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_settings::Settings;

    #[test]
    fn an_expression_that_does_not_compile_is_found_when_settings_are_validated() {
        let expression = format!("(({}){{1000}})", r"\\W".repeat(400));
        let settings = format!(r#"{{"clusterApi":{{"node":{{"additionalAnnotations":["a","{expression}"]}}}}}}"#);
        assert!(Settings::from_json(&settings).is_ok());
        assert_eq!(
            Settings::validate(&settings).unwrap_err().to_string(),
            format!(
                "clusterApi.node.additionalAnnotations[1]: `{}` compiles to more than 10485760 bytes: use smaller \
                 repetition counts",
                expression.replace(r"\\", r"\")
            )
        );
    }

    #[test]
    fn tags_are_for_the_kinds_of_the_table() {
        let read = |kinds: &str| {
            let text = format!(r#"{{"clusterApi":{{"cloudTags":{{"kinds":{kinds}}}}}}}"#);
            Settings::from_json(&text).unwrap().cluster_api.cloud_tags
        };
        let kind = |settings: &ClusterCloudTags, group, kind| settings.of(group, kind).map(|row| row.kind);
        let (group, aws) = ("infrastructure.cluster.x-k8s.io", read(r#"["AWSCluster"]"#));
        assert_eq!(kind(&aws, group, "AWSCluster"), Some("AWSCluster"));
        assert_eq!((kind(&aws, group, "AzureCluster"), kind(&aws, "a.b", "AWSCluster")), (None, None));
        assert!(read("[]").kinds.is_empty() && ClusterCloudTags::default().kinds.is_empty());
    }

    #[test]
    fn an_ignored_key_is_a_key_or_a_domain() {
        let read = r#"{"clusterApi":{"ignoreMisplaced":["team","example.com","example.com/chart"]}}"#;
        let ignored = Settings::from_json(read).unwrap().cluster_api.ignore_misplaced;
        assert_eq!(ignored.iter().map(|key| &**key).collect::<Vec<_>>(), ["team", "example.com", "example.com/chart"]);
    }

    #[test]
    fn controllers_are_listed_by_their_whole_name() {
        let controllers =
            Settings::from_json(r#"{"clusterApi":{"controllers":["b","a"]}}"#).unwrap().cluster_api.controllers;
        assert_eq!(controllers.iter().collect::<Vec<_>>(), ["b", "a"]);
        assert!(controllers.contains("a") && !controllers.contains("A") && !controllers.contains(""));
        assert_eq!(Users::of(CONTROLLERS).iter().collect::<Vec<_>>(), CONTROLLERS);
    }
}
