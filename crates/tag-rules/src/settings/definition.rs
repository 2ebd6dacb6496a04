//! What a label registry says about a key, the same in `cloudTags.definitions` and in a LabelRegistry object; and
//! `cloudTags.registry`.

use std::collections::BTreeMap;
use std::slice;

use super::composites::not_empty;
use super::sources::LabelSource;
use crate::texts::RegistryName;
use kubernetes::names;
use kubernetes::settings::SettingProblem;
use kubernetes::settings::object::ObjectOnly;
use kubernetes::settings::read::read;
use serde::{Deserialize, Serialize};

/// What the registry says about one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Definition {
    /// Whose definition it is.
    pub scope: Scope,
    /// Whether labels of this key become cloud tags. Nothing does by itself.
    #[serde(default)]
    pub cloud_tag_propagation: bool,
    /// The only object whose labels of this key become tags, so that the author of a composite cannot set them; all of
    /// `cloudTags.sources` if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<LabelSource>,
}

names! {
    /// Whose definition it is. Labels of all three are tags alike. Of two definitions of one key the wider one counts.
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    Scope {
        /// A platform operator's.
        Platform = "platform";
        /// A domain owner's.
        Domain = "domain";
        /// A project owner's.
        Project = "project";
    }
}

/// The definitions that every installation has: with scope platform, immutable, and never opted in.
pub const SEEDED: [&str; 3] = ["platform/origin", "platform/mesh-ip", "platform/domain"];

/// Reads one definition.
///
/// # Errors
/// When it does not have the required structure, its key is empty, or it changes a seeded one: every problem, below the
/// key.
pub fn read_definition(key: &str, text: &str) -> Result<Definition, Vec<SettingProblem>> {
    let (definition, mut problems) = read(text);
    let definition = definition.map(|ObjectOnly(definition): ObjectOnly<Definition>| definition);
    let objection = definition.and_then(|definition| definition.objection(key));
    problems.extend(objection.map(|problem| SettingProblem::new("", problem)));
    match definition {
        Some(definition) if problems.is_empty() => Ok(definition),
        _ => Err(problems.into_iter().map(|problem| problem.below(&step(key))).collect()),
    }
}

/// What cannot be defined for some keys.
pub(super) fn objections(definitions: &BTreeMap<String, Definition>) -> Vec<SettingProblem> {
    let judged = [""].into_iter().chain(SEEDED);
    let objection = |key: &str| Some(SettingProblem::new(step(key), definitions.get(key)?.objection(key)?));
    judged.filter_map(objection).collect()
}

impl Definition {
    /// Why a key cannot have this definition.
    fn objection(self, key: &str) -> Option<&'static str> {
        let is_as_seeded = self.scope == Scope::Platform && !self.cloud_tag_propagation;
        match key {
            "" => Some("the key is empty"),
            _ if SEEDED.contains(&key) && !is_as_seeded => {
                Some("a seeded definition must have scope `platform` and cannot be opted in")
            }
            _ => None,
        }
    }
}

fn step(key: &str) -> String {
    format!("[{key}]")
}

/// The label registry as one LabelRegistry object or as several.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum RegistryReference {
    /// Name of the one LabelRegistry object.
    Name(RegistryName),
    /// Names of LabelRegistry objects. Where two define a key, the wider scope wins, and of one scope the first.
    Names(
        #[serde(deserialize_with = "not_empty")]
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        Vec<RegistryName>,
    ),
    /// Each scope has a LabelRegistry object whose name follows from it: `platform`, `domain.DOMAIN`,
    /// `project.DOMAIN.PROJECT`. The keys of labels say which of them are read. Needs `cloudTags.belongsTo`.
    ByScope(#[cfg_attr(feature = "schema", schemars(extend("const" = true)))] bool),
}

impl RegistryReference {
    /// The names of the objects that are listed, by descending precedence.
    pub fn names(&self) -> &[RegistryName] {
        match self {
            RegistryReference::Name(name) => slice::from_ref(name),
            RegistryReference::Names(names) => names,
            RegistryReference::ByScope(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_settings::Settings;

    fn problems(key: &str, text: &str) -> String {
        let problems = read_definition(key, text).unwrap_err();
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_definition_does_not_propagate_unless_it_says_so() {
        for (text, cloud_tag_propagation) in [
            (r#"{"scope":"domain"}"#, false),
            (r#"{"scope":"domain","cloudTagPropagation":true}"#, true),
            (r#"{"scope":"domain","cloudTagPropagation":false}"#, false),
            (r#"{"scope":"domain","cloudTagPropagation":null}"#, false),
        ] {
            let expected = Definition { scope: Scope::Domain, cloud_tag_propagation, from: None };
            assert_eq!(read_definition(" \u{7}ä:/", text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn seeded_definitions_may_be_repeated_but_not_changed() {
        for key in SEEDED {
            assert!(read_definition(key, r#"{"scope":"platform","cloudTagPropagation":false}"#).is_ok());
            for text in [r#"{"scope":"platform","cloudTagPropagation":true}"#, r#"{"scope":"domain"}"#] {
                let changed = "a seeded definition must have scope `platform` and cannot be opted in";
                assert_eq!(problems(key, text), format!("[{key}]: {changed}"));
            }
        }
    }

    #[test]
    fn a_registry_is_one_object_or_several() {
        let names = |registry: &str| {
            let settings = Settings::from_json(&format!(r#"{{"cloudTags":{{"registry":{registry}}}}}"#));
            let registry = settings.unwrap().cloud_tags.registry.unwrap();
            registry.names().iter().map(|name| name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(r#"{"name":"default"}"#), ["default"]);
        assert_eq!(names(r#"{"name":null,"names":["b","a"]}"#), ["b", "a"]);
    }
}
