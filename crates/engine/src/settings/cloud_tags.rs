//! `cloudTags`: as it is written, and as it is meant.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::read::{fields, strings, strings_by_key, told, word};
use super::{OnXrd, Problem, Reaction};
use crate::json::Json;
use crate::json::document::Document;
use crate::settings::Stance;
use crate::tags::problems;

/// Crossplane's side.
#[derive(Debug, Clone)]
pub struct CloudTags {
    /// Which objects are composites; nothing is stamped where there are none.
    pub composites: Vec<Composites>,
    /// Where label definitions are found.
    pub registry: Registry,
    /// When a registry object cannot be read, or does not exist.
    pub on_registry_failure: Reaction,
    /// When a CompositeResourceDefinition of a composite does not keep `spec.cloudTags`.
    pub xrds: OnXrd,
    /// When a Composition of a composite does not carry `spec.cloudTags` to the tags of its resources.
    pub compositions: Stance,
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
    /// In the field of the composite to which these steps lead.
    Path(Vec<String>),
    /// Here.
    Fixed(String),
    /// Here, by the composite's kind.
    ByKind(BTreeMap<String, String>),
}

/// Where label definitions are found.
#[derive(Debug, Clone)]
pub enum Registry {
    /// Here: the text of a JSON object, by qualified key. [`Settings::validate`](super::Settings::validate) judges all of
    /// them, an evaluation reads those that it needs.
    Inline(String),
    /// In the LabelRegistry object of this name.
    Object(String),
}

/// `cloudTags` as it is written: text, for most requests are for objects that carry no tags.
///
/// Read by hand and not by serde, whose code for these shapes takes three times the room in the module.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct RawCloudTags(Box<RawValue>);

impl Default for RawCloudTags {
    fn default() -> Self {
        RawCloudTags(RawValue::from_string("{}".to_owned()).unwrap_or_default())
    }
}

impl CloudTags {
    /// Whether the composites of an API group are stamped.
    pub(crate) fn has_group(&self, group: &str) -> bool {
        self.of_group(group).is_some()
    }

    /// What is said about the composites of an API group, if they are stamped.
    pub(crate) fn of_group(&self, group: &str) -> Option<&Composites> {
        self.composites.iter().find(|composites| composites.api_groups.iter().any(|known| known == group))
    }

    /// What is wrong with the definitions.
    pub(super) fn problems(&self) -> Vec<Problem> {
        const PATH: &str = "cloudTags.definitions";
        let Registry::Inline(text) = &self.registry else { return Vec::new() };
        problems(PATH, Document::named(PATH, text).root()).into_iter().map(Problem::from).collect()
    }
}

impl RawCloudTags {
    pub(super) fn of(written: &Json<'_>) -> Self {
        RawCloudTags(RawValue::from_string(written.text().to_owned()).unwrap_or_default())
    }

    /// What it means. What makes no sense is told to `problems`.
    pub(super) fn read(&self, problems: &mut Vec<Problem>) -> CloudTags {
        read(&Json::new(self.0.get(), "cloudTags"), problems)
    }
}

/// Reads the section. What makes no sense is told to `problems`.
pub(super) fn read(written: &Json<'_>, problems: &mut Vec<Problem>) -> CloudTags {
    let [composites, definitions, registry, on_registry_failure, xrds, compositions] = fields(
        written,
        ["composites", "definitions", "registry", "onRegistryFailure", "xrds", "compositions"],
        problems,
    );
    let mut read = CloudTags {
        composites: Vec::new(),
        registry: Registry::Object(String::new()),
        on_registry_failure: Reaction::Reject,
        xrds: OnXrd::Warn,
        compositions: Stance::Warn,
    };
    for element in told(composites.map(|list| list.elements()), problems).unwrap_or_default() {
        let composites = read_composites(&element, &read.composites, problems);
        read.composites.push(composites);
    }
    read.registry = match registry {
        None => Registry::Inline(definitions.map_or("{}", |definitions| definitions.text()).to_owned()),
        Some(registry) => {
            let [name] = fields(&registry, ["name"], problems);
            let name = told(name.map(|name| name.as_string()), problems).unwrap_or_default();
            if name.is_empty() {
                problems.push(registry.malformed("names no LabelRegistry").into());
            }
            if definitions.is_some_and(|definitions| !definitions.fields().is_ok_and(|fields| fields.is_empty())) {
                problems.push(registry.malformed("stands beside `definitions`: there is one registry").into());
            }
            Registry::Object(name.into_owned())
        }
    };
    if let Some(reaction) = told(on_registry_failure.map(|written| word(&written)), problems) {
        read.on_registry_failure = reaction;
    }
    if let Some(on_xrd) = told(xrds.map(|written| word(&written)), problems) {
        read.xrds = on_xrd;
    }
    if let Some(stance) = told(compositions.map(|written| word(&written)), problems) {
        read.compositions = stance;
    }
    read
}

fn read_composites(written: &Json<'_>, before: &[Composites], problems: &mut Vec<Problem>) -> Composites {
    let [api_groups, provider, claim_kinds] = fields(written, ["apiGroups", "provider", "claimKinds"], problems);
    let api_groups = strings(api_groups, problems);
    for group in &api_groups {
        let problem = if before.iter().any(|other| other.api_groups.contains(group)) {
            "stands in another entry too"
        } else if !is_group_of_composites(group) {
            "is no group of composites, such as `blueprints.plexsphere.com`"
        } else {
            continue;
        };
        problems.push(written.malformed(&format!("`{group}` {problem}")).into());
    }
    if api_groups.is_empty() {
        problems.push(written.malformed("has no `apiGroups`").into());
    }
    let provider = match provider {
        Some(provider) => read_provider(&provider, problems),
        None => {
            problems.push(written.malformed("has no `provider`").into());
            Provider::Fixed(String::new())
        }
    };
    Composites { api_groups, provider, claim_kinds: strings(claim_kinds, problems) }
}

fn read_provider(written: &Json<'_>, problems: &mut Vec<Problem>) -> Provider {
    let [path, fixed, by_kind] = fields(written, ["path", "fixed", "byKind"], problems);
    match (path, fixed, by_kind) {
        (Some(path), None, None) => {
            let steps = told(Some(path.as_string()), problems).unwrap_or(Cow::Borrowed("-"));
            let steps: Vec<String> = steps.split('.').map(str::to_owned).collect();
            if steps.iter().any(String::is_empty) {
                problems.push(path.malformed("is not a path such as `spec.parameters.provider`").into());
            }
            Provider::Path(steps)
        }
        (None, Some(fixed), None) => {
            Provider::Fixed(told(Some(fixed.as_string()), problems).unwrap_or_default().into_owned())
        }
        (None, None, Some(by_kind)) => {
            Provider::ByKind(told(Some(strings_by_key(&by_kind)), problems).unwrap_or_default())
        }
        _ => {
            problems.push(written.malformed("has to be one of `path`, `fixed` and `byKind`").into());
            Provider::Fixed(String::new())
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
    use crate::settings::words::Word;

    #[track_caller]
    fn refused(cloud_tags: &str) -> String {
        Settings::validate(&format!(r#"{{"cloudTags":{cloud_tags}}}"#)).unwrap_err().to_string()
    }

    #[test]
    fn nothing_is_a_composite_by_default() {
        let settings = Settings::from_json("{}").unwrap().cloud_tags;
        assert!(settings.composites.is_empty());
        assert!(matches!(settings.registry, Registry::Inline(definitions) if definitions == "{}"));
        assert_eq!(settings.on_registry_failure, Reaction::Reject);
        assert_eq!((settings.xrds, settings.compositions), (OnXrd::Warn, Stance::Warn));
    }

    #[test]
    fn every_word_of_the_survival_checks_is_read() {
        for (text, on_xrd) in OnXrd::WORDS {
            let settings = Settings::from_json(&format!(r#"{{"cloudTags":{{"xrds":"{text}"}}}}"#)).unwrap();
            assert_eq!(settings.cloud_tags.xrds, *on_xrd);
        }
        for (text, stance) in Stance::WORDS {
            let settings = Settings::from_json(&format!(r#"{{"cloudTags":{{"compositions":"{text}"}}}}"#)).unwrap();
            assert_eq!(settings.cloud_tags.compositions, *stance);
        }
        assert_eq!(
            refused(r#"{"xrds":"declares","compositions":"declare"}"#),
            "cloudTags.xrds: unknown variant `declares`, expected one of `ignore`, `warn`, `reject`, `declare`; \
             cloudTags.compositions: unknown variant `declare`, expected one of `ignore`, `warn`, `reject`"
        );
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
    fn every_reaction_is_read() {
        for (text, reaction) in [("accept", Reaction::Accept), ("warn", Reaction::Warn), ("reject", Reaction::Reject)] {
            let settings =
                Settings::from_json(&format!(r#"{{"cloudTags":{{"onRegistryFailure":"{text}"}}}}"#)).unwrap();
            assert_eq!(settings.cloud_tags.on_registry_failure, reaction);
        }
    }

    #[test]
    fn every_problem_of_shape_is_named_with_its_path() {
        assert_eq!(refused("[]"), "cloudTags: is not an object");
        assert_eq!(
            refused(
                r#"{"composites":[{"apiGroups":["a.b"],"provider":{"pth":"a","fixed":7}},3,
                    {"apiGroup":"a","apiGroups":["c.d",7],"claimKinds":"X","provider":{"byKind":{"X":7}}}],
                    "registry":{"nam":"x"},"onRegistryFailure":"ignore"}"#
            ),
            "cloudTags.composites[0].provider.pth: unknown field, expected one of `path`, `fixed`, `byKind`; \
             cloudTags.composites[0].provider.fixed: is not a string; \
             cloudTags.composites[1]: is not an object; \
             cloudTags.composites[1]: has no `apiGroups`; \
             cloudTags.composites[1]: has no `provider`; \
             cloudTags.composites[2].apiGroup: unknown field, expected one of `apiGroups`, `provider`, `claimKinds`; \
             cloudTags.composites[2].apiGroups[1]: is not a string; \
             cloudTags.composites[2].provider.byKind: is not a map of strings: the value of `X` is not a string; \
             cloudTags.composites[2].claimKinds: is not a list; \
             cloudTags.registry.nam: unknown field, expected one of `name`; \
             cloudTags.registry: names no LabelRegistry; \
             cloudTags.onRegistryFailure: unknown variant `ignore`, expected one of `accept`, `warn`, `reject`"
        );
    }

    #[test]
    fn problems_of_other_sections_are_told_as_well() {
        assert_eq!(
            Settings::validate(r#"{"mode":7,"cloudTags":{"composites":7,"tags":{}}}"#).unwrap_err().to_string(),
            "mode: is not a string; \
             cloudTags.tags: unknown field, expected one of `composites`, `definitions`, `registry`, `onRegistryFailure`, \
             `xrds`, `compositions`; \
             cloudTags.composites: is not a list"
        );
    }

    #[test]
    fn every_senseless_value_is_named_with_its_path() {
        assert_eq!(
            refused(
                r#"{"composites":[{"apiGroups":["a.b","*"],"provider":{"path":"spec..a"}},
                    {"apiGroups":["a.b","infrastructure.cluster.x-k8s.io"],"provider":{"fixed":"aws","path":"a"}},{}],
                    "definitions":{"b":{"scope":"domain"}},"registry":{"name":""}}"#
            ),
            "cloudTags.composites[0]: `*` is no group of composites, such as `blueprints.plexsphere.com`; \
             cloudTags.composites[0].provider.path: is not a path such as `spec.parameters.provider`; \
             cloudTags.composites[1]: `a.b` stands in another entry too; \
             cloudTags.composites[1]: `infrastructure.cluster.x-k8s.io` is no group of composites, such as `blueprints.plexsphere.com`; \
             cloudTags.composites[1].provider: has to be one of `path`, `fixed` and `byKind`; \
             cloudTags.composites[2]: has no `apiGroups`; \
             cloudTags.composites[2]: has no `provider`; \
             cloudTags.registry: names no LabelRegistry; \
             cloudTags.registry: stands beside `definitions`: there is one registry"
        );
    }

    #[test]
    fn every_definition_is_judged_when_settings_are_validated() {
        assert_eq!(refused(r#"{"definitions":[]}"#), "cloudTags.definitions: is not an object");
        let definitions = r#"{"":{"scope":"domain"},"a":{"scope":"team"},"b":{"scope":"domain"},
            "platform/origin":{"scope":"platform","cloudTagPropagation":true}}"#;
        assert_eq!(
            refused(&format!(r#"{{"definitions":{definitions}}}"#)),
            "cloudTags.definitions[]: has an empty key; \
             cloudTags.definitions[a].scope: is not `platform`, `domain` or `project`; \
             cloudTags.definitions[platform/origin]: is seeded: its scope is `platform`, and it cannot be opted in"
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
