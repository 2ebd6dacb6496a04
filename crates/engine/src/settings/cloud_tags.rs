//! `cloudTags`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::composites::Composites;
use super::definition::Definition;
use super::definition::objections;
use super::lookup::Reaction;
use super::object;
use super::problems::Problem;
use super::text::NonEmpty;
use crate::catalog::stance::Stance;

/// Which labels of Crossplane composites become tags of their cloud resources.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct CloudTags {
    /// Which objects are Crossplane composites, and where their provider is found. If empty, no tags are added.
    #[serde(deserialize_with = "object::list")]
    pub composites: Vec<Composites>,
    /// The label registry: definitions by qualified key. Not together with `registry`.
    #[serde(deserialize_with = "object::map")]
    pub definitions: BTreeMap<String, Definition>,
    /// The label registry as an object of the cluster, instead of `definitions`.
    #[serde(deserialize_with = "object::option")]
    pub registry: Option<RegistryReference>,
    /// The registry object cannot be read, or does not exist.
    pub on_registry_failure: Reaction,
    /// A CompositeResourceDefinition of a composite does not keep `spec.cloudTags`.
    pub xrds: OnXrd,
    /// A Composition of a composite does not carry `spec.cloudTags` to the tags of its resources.
    pub compositions: Stance,
}

impl Default for CloudTags {
    fn default() -> Self {
        CloudTags {
            composites: Vec::new(),
            definitions: BTreeMap::new(),
            registry: None,
            on_registry_failure: Reaction::Reject,
            xrds: OnXrd::Warn,
            compositions: Stance::Warn,
        }
    }
}

/// A LabelRegistry object.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RegistryReference {
    /// Name of a LabelRegistry object.
    pub name: NonEmpty,
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

impl CloudTags {
    /// Whether the composites of an API group are stamped.
    pub(crate) fn has_group(&self, group: &str) -> bool {
        self.of_group(group).is_some()
    }

    /// What is said about the composites of an API group, if they are stamped.
    pub(crate) fn of_group(&self, group: &str) -> Option<&Composites> {
        self.composites.iter().find(|composites| composites.api_groups.iter().any(|known| **known == *group))
    }

    /// What does not go together.
    pub(super) fn contradictions(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut seen = BTreeSet::new();
        for group in self.composites.iter().flat_map(|composites| &composites.api_groups) {
            if !seen.insert(group) {
                problems
                    .push(Problem::new("cloudTags.composites", format!("API group `{}` is listed twice", &**group)));
            }
        }
        if self.registry.is_some() && !self.definitions.is_empty() {
            problems.push(Problem::new("cloudTags.registry", "there are `definitions` as well: there is one registry"));
        }
        let of_definitions = objections(&self.definitions).into_iter();
        problems.extend(of_definitions.map(|problem| problem.below("cloudTags.definitions")));
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Scope, Settings};

    #[track_caller]
    fn read(cloud_tags: &str) -> CloudTags {
        Settings::from_json(&format!(r#"{{"cloudTags":{cloud_tags}}}"#)).unwrap().cloud_tags
    }

    #[track_caller]
    fn refused(cloud_tags: &str) -> String {
        Settings::from_json(&format!(r#"{{"cloudTags":{cloud_tags}}}"#)).unwrap_err().to_string()
    }

    #[test]
    fn nothing_is_a_composite_by_default() {
        let settings = read("{}");
        assert!(settings.composites.is_empty() && settings.definitions.is_empty() && settings.registry.is_none());
        assert_eq!(settings.on_registry_failure, Reaction::Reject);
        assert_eq!((settings.xrds, settings.compositions), (OnXrd::Warn, Stance::Warn));
    }

    #[test]
    fn definitions_are_read_by_key() {
        let definitions = read(r#"{"definitions":{"a/b":{"scope":"project","cloudTagPropagation":true}}}"#).definitions;
        let expected = Definition { scope: Scope::Project, cloud_tag_propagation: true };
        assert_eq!(definitions, BTreeMap::from([("a/b".to_owned(), expected)]));
        let twice = read(r#"{"definitions":{"b":{"scope":"domain"},"a":{"scope":"domain"},"b":{"scope":"project"}}}"#);
        assert_eq!(twice.definitions["b"].scope, Scope::Project);
        assert_eq!(&*read(r#"{"registry":{"name":"default"},"definitions":{}}"#).registry.unwrap().name, "default");
    }

    #[test]
    fn every_problem_of_shape_is_named_with_its_path() {
        assert_eq!(refused("[]"), "cloudTags: expected an object, found a list");
        assert_eq!(
            refused(
                r#"{"composites":[{"apiGroups":["a.b"],"provider":{"pth":"a","fixed":7}},3,
                    {"apiGroup":"a","apiGroups":["c.d",7],"claimKinds":"X","provider":{"byKind":{"X":7}}},[],
                    {"apiGroups":[7],"provider":{"path":null}},{"apiGroups":[],"provider":"aws"},
                    {"apiGroups":["e.f"],"provider":{"fixed":"a","path":"b","pth":"c"}}],
                    "registry":{"nam":"x"},"onRegistryFailure":"ignore","xrds":"declares","compositions":"declare"}"#
            ),
            "cloudTags.composites[0].provider.pth: unknown field, expected one of `path`, `fixed`, `byKind`; \
             cloudTags.composites[0].provider.fixed: expected a string, found a number; \
             cloudTags.composites[1]: expected an object, found a number; \
             cloudTags.composites[2].apiGroup: unknown field, expected one of `apiGroups`, `provider`, `claimKinds`; \
             cloudTags.composites[2].apiGroups[1]: expected a string, found a number; \
             cloudTags.composites[2].claimKinds: expected a list, found a string; \
             cloudTags.composites[2].provider.byKind[X]: expected a string, found a number; \
             cloudTags.composites[3]: expected an object, found a list; \
             cloudTags.composites[4].apiGroups[0]: expected a string, found a number; \
             cloudTags.composites[4].provider: expected exactly one of `path`, `fixed`, `byKind`; \
             cloudTags.composites[5].apiGroups: expected at least one element; \
             cloudTags.composites[5].provider: unknown variant `aws`, expected one of `path`, `fixed`, `byKind`; \
             cloudTags.composites[6].provider.pth: unknown field, expected one of `path`, `fixed`, `byKind`; \
             cloudTags.composites[6].provider: expected exactly one of `path`, `fixed`, `byKind`; \
             cloudTags.compositions: unknown variant `declare`, expected one of `ignore`, `warn`, `reject`; \
             cloudTags.onRegistryFailure: unknown variant `ignore`, expected one of `accept`, `warn`, `reject`; \
             cloudTags.registry.nam: unknown field, expected `name`; \
             cloudTags.registry.name: is missing; \
             cloudTags.xrds: unknown variant `declares`, expected one of `ignore`, `warn`, `reject`, `declare`"
        );
    }

    #[test]
    fn every_senseless_value_is_named_with_its_path() {
        assert_eq!(
            refused(
                r#"{"composites":[{"apiGroups":["a.b","*"],"provider":{"path":"spec..a"}},
                    {"apiGroups":["a.b","infrastructure.cluster.x-k8s.io"],"provider":{"fixed":"aws","path":"a"}},{},
                    {"apiGroups":["c.d","c.d"],"provider":{"fixed":"aws"}}],
                    "definitions":{"b":{"scope":"domain"}},"registry":{"name":""}}"#
            ),
            "cloudTags.composites[0].apiGroups[1]: expected an API group of composites such as `blueprints.plexsphere.com`, \
             found `*`; \
             cloudTags.composites[0].provider.path: expected a path such as `spec.parameters.provider`, found `spec..a`; \
             cloudTags.composites[1].apiGroups[1]: expected an API group of composites such as \
             `blueprints.plexsphere.com`, found `infrastructure.cluster.x-k8s.io`; \
             cloudTags.composites[1].provider: expected exactly one of `path`, `fixed`, `byKind`; \
             cloudTags.composites[2].apiGroups: is missing; \
             cloudTags.registry.name: expected a text that is not empty, found ``; \
             cloudTags.composites: API group `c.d` is listed twice"
        );
    }

    #[test]
    fn there_is_one_registry_and_an_api_group_is_in_one_entry() {
        assert_eq!(
            refused(
                r#"{"composites":[{"apiGroups":["a.b"],"provider":{"fixed":"a"}},{"apiGroups":["a.b"],"provider":{"fixed":"b"}}],
                    "definitions":{"b":{"scope":"domain"}},"registry":{"name":"default"}}"#
            ),
            "cloudTags.composites: API group `a.b` is listed twice; \
             cloudTags.registry: there are `definitions` as well: there is one registry"
        );
    }

    #[test]
    fn every_definition_is_judged() {
        assert_eq!(refused(r#"{"definitions":[]}"#), "cloudTags.definitions: expected an object, found a list");
        assert_eq!(
            refused(
                r#"{"definitions":{"":{"scope":"domain"},"a":{"scope":"team"},"b":{"scope":"domain"},
                    "platform/origin":{"scope":"platform","cloudTagPropagation":true}}}"#
            ),
            "cloudTags.definitions[a].scope: unknown variant `team`, expected one of `platform`, `domain`, `project`; \
             cloudTags.definitions[]: the key is empty; \
             cloudTags.definitions[platform/origin]: a seeded definition has the scope `platform`, and cannot be opted in"
        );
    }
}
