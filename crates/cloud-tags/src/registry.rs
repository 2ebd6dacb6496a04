//! The label registry as objects in the cluster: one or several, which are combined.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::union::Union;
use crate::json::document::Json;
use crate::report::IgnoredDefinition;
use facts::stop::Stop;
use kube::lookup::Lookups;
use kube::masks;
use kube::masks::Masks;
use kube::object::Object;
use kube::query::{ObjectName, ObjectQuery};
use setting_types::{SettingProblem, listed};
use tag_rules::keys::LABELS;
use tag_rules::{CloudTags, Definition, Scope, read_definition};

/// The kind of the registry as an object.
pub const REGISTRY: &str = "LabelRegistry";

/// Fields that are read of a registry.
pub const REGISTRY_MASKS: Masks = masks!["spec.definitions", "spec.scope"];
/// The path of its definitions.
const DEFINITIONS: &str = "spec.definitions";
/// The path of its scope.
const SCOPE: &str = "spec.scope";

/// The definitions that count, and those that do not.
#[derive(Debug, Default)]
pub(super) struct Definitions<'e> {
    pub(super) counting: Cow<'e, BTreeMap<String, Definition>>,
    /// By ascending key.
    pub(super) ignored: Vec<IgnoredDefinition>,
}

/// The definitions in the settings, or those of the assigned keys in the objects that they name.
///
/// # Errors
/// When a registry object cannot be read, or a definition that counts cannot be used.
pub(super) fn definitions_of<'e>(
    settings: &'e CloudTags,
    lookups: &Lookups<'e>,
    is_assigned: impl Fn(&str) -> bool,
) -> Result<Definitions<'e>, Stop> {
    let Some(reference) = &settings.registry else {
        return Ok(Definitions { counting: Cow::Borrowed(&settings.definitions), ignored: Vec::new() });
    };
    let (mut union, mut unusable) = (Union::default(), Vec::new());
    for name in reference.names() {
        let registry = lookups.parent(&query(name)).map_err(|failure| Stop::from(failure).of_registry())?;
        let read = Registry::read(&registry.object, &is_assigned)
            .map_err(|problem| Stop::unusable_registry(registry.name.to_string(), &problem))?;
        union.add(name, read.definitions, read.of_another_scope);
        unusable.extend(read.unusable.into_iter().map(|(key, problems)| (key, registry.name.to_string(), problems)));
    }
    // A definition that cannot be used has no effect if another object defines the key.
    match unusable.into_iter().find(|(key, ..)| !union.defines(key)) {
        Some((_, name, problems)) => Err(Stop::unusable_registry(name, &listed(&problems))),
        None => {
            let (definitions, ignored) = union.finish();
            Ok(Definitions { counting: Cow::Owned(definitions), ignored })
        }
    }
}

/// The query for a registry object.
pub(super) fn query(name: &str) -> ObjectQuery<'_> {
    ObjectQuery {
        group: LABELS,
        version: None,
        object: ObjectName { kind: REGISTRY, namespace: "", name },
        uid: "",
        masks: REGISTRY_MASKS,
    }
}

/// The requested part of one registry object.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Registry {
    /// Its scope; `None` if it has definitions of every scope.
    pub(super) scope: Option<Scope>,
    /// The definitions that count.
    pub(super) definitions: BTreeMap<String, Definition>,
    /// Those of another scope than the object's.
    pub(super) of_another_scope: BTreeMap<String, Scope>,
    /// Those that cannot be used, and why.
    pub(super) unusable: BTreeMap<String, Vec<SettingProblem>>,
}

impl Registry {
    /// Reads the definitions of the requested keys. Errors in others are reported when they are written.
    ///
    /// # Errors
    /// When there is no map of definitions, or the scope is invalid.
    pub(super) fn read(object: &Object<'_>, is_wanted: impl Fn(&str) -> bool) -> Result<Self, SettingProblem> {
        let scope = object.spec.get("scope").ok().and_then(Json::present);
        let scope =
            scope.map(|scope| serde_json::from_str(scope.text()).map_err(|error| SettingProblem::new(SCOPE, error)));
        let written = object.spec.get("definitions").and_then(|written| written.fields());
        let written = written.map_err(|malformed| SettingProblem::new(malformed.path, "expected an object"))?;
        // Of several definitions of one key the last counts.
        let written: BTreeMap<_, _> = written.filter(|(key, _)| is_wanted(key)).collect();
        let mut registry = Registry { scope: scope.transpose()?, ..Registry::default() };
        for (key, written) in written {
            let key = key.to_owned();
            match read_definition(&key, written.text()) {
                Ok(definition) if registry.scope.is_some_and(|scope| scope != definition.scope) => {
                    registry.of_another_scope.insert(key, definition.scope);
                }
                Ok(definition) => {
                    registry.definitions.insert(key, definition);
                }
                Err(found) => {
                    let found = found.into_iter().map(|problem| problem.below(DEFINITIONS));
                    registry.unusable.insert(key, found.collect());
                }
            }
        }
        Ok(registry)
    }

    /// Definitions that cannot be used, by ascending key.
    pub(super) fn problems(&self) -> Vec<SettingProblem> {
        self.unusable.values().flatten().cloned().collect()
    }

    /// The keys whose labels become tags.
    pub(super) fn opted_in(&self) -> BTreeSet<&str> {
        let opted_in = self.definitions.iter().filter(|(_, definition)| definition.cloud_tag_propagation);
        opted_in.map(|(key, _)| key.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document::Document;

    fn problems(spec: &str) -> String {
        let document = Document::new(format!(r#"{{"spec":{spec}}}"#));
        let object = Object::read(&document).unwrap();
        match Registry::read(&object, |_| true) {
            Ok(registry) => listed(&registry.problems()),
            Err(problem) => problem.to_string(),
        }
    }

    #[test]
    fn no_definitions_are_no_problem() {
        for spec in ["null", "{}", r#"{"definitions":null}"#, r#"{"definitions":{}}"#] {
            assert_eq!(problems(spec), "", "{spec}");
        }
    }

    #[test]
    fn only_wanted_definitions_are_read() {
        let document =
            Document::new(r#"{"spec":{"definitions":{"a":{"scope":"domain"},"b":7,"c":{"scope":"project"}}}}"#);
        let registry = Registry::read(&Object::read(&document).unwrap(), |key| key != "b").unwrap();
        assert_eq!(registry.definitions.keys().collect::<Vec<_>>(), ["a", "c"]);
        assert!(registry.unusable.is_empty());
    }

    #[test]
    fn definitions_of_another_scope_do_not_count() {
        let text = r#"{"spec":{"scope":"domain","definitions":{"a":{"scope":"domain"},"b":{"scope":"platform"}}}}"#;
        let document = Document::new(text);
        let registry = Registry::read(&Object::read(&document).unwrap(), |_| true).unwrap();
        assert_eq!(registry.scope, Some(Scope::Domain));
        assert_eq!(registry.definitions.keys().collect::<Vec<_>>(), ["a"]);
        assert_eq!(registry.of_another_scope, [("b".to_owned(), Scope::Platform)].into());
        let unknown =
            "spec.scope: unknown variant `team`, expected one of `platform`, `domain`, `project` at line 1 column 6";
        assert_eq!(problems(r#"{"scope":"team"}"#), unknown);
    }

    #[test]
    fn the_last_of_two_definitions_of_one_key_counts() {
        assert_eq!(problems(r#"{"definitions":{"a":7,"a":{"scope":"domain"}}}"#), "");
        let twice = r#"{"definitions":{"a":{"scope":"domain"},"a":7}}"#;
        assert_eq!(problems(twice), "spec.definitions[a]: expected an object, found a number");
        assert_eq!(problems(r#"{"definitions":7,"definitions":{}}"#), "");
    }

    #[test]
    fn every_problem_is_named_with_its_path() {
        assert_eq!(problems(r#"{"definitions":[]}"#), "spec.definitions: expected an object");
        assert_eq!(
            problems(r#"{"definitions":{"a/b":{"scope":"team"},"":{"scope":"domain"},"c":null}}"#),
            "spec.definitions[]: the key is empty; \
             spec.definitions[a/b].scope: unknown value `team`, expected one of `platform`, `domain`, `project`; \
             spec.definitions[c]: expected an object, found null"
        );
    }
}
