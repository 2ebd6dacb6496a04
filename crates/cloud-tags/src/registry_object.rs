//! One object of the label registry, as far as it is read.

use std::collections::{BTreeMap, BTreeSet};

use super::owner::RegistryOwner;
use super::registry::{REGISTRY, REGISTRY_MASKS};
use crate::json::Json;
use crate::report::IgnoredReason;
use kubernetes::settings::SettingProblem;
use kubernetes::{Lookups, Object, ObjectName, ObjectQuery, Stop};
use tag_rules::keys::LABELS;
use tag_rules::{Definition, SEEDED, Scope, read_definition};

const DEFINITIONS: &str = "spec.definitions";
const SCOPE: &str = "spec.scope";

fn query(name: &str) -> ObjectQuery<'_> {
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
    /// The domain that it is of, if it says so.
    pub(super) domain: Option<String>,
    /// The project that it is of, if it says so.
    pub(super) project: Option<String>,
    /// The definitions that count.
    pub(super) definitions: BTreeMap<String, Definition>,
    /// Those that do not, each with its scope.
    pub(super) ignored: BTreeMap<String, (Scope, IgnoredReason)>,
    /// Those that cannot be used, and why.
    pub(super) unusable: BTreeMap<String, Vec<SettingProblem>>,
}

impl Registry {
    /// Reads the object of this name.
    ///
    /// # Errors
    /// When it cannot be read, or is no registry.
    pub(super) fn find<'e>(
        name: &'e str,
        lookups: &Lookups<'e>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Self, Stop> {
        let registry = lookups.parent(&query(name)).map_err(|failure| Stop::from(failure).of_registry())?;
        Registry::read(&registry.object, is_wanted)
            .map_err(|problem| Stop::unusable_registry(registry.name.to_string(), &problem))
    }

    /// Whose object it is, although its definitions cannot be read; `None` if that cannot be read either.
    pub(super) fn identity<'e>(name: &'e str, lookups: &Lookups<'e>) -> Option<Self> {
        Registry::of_owner(&lookups.parent(&query(name)).ok()?.object).ok()
    }

    /// Reads whose object it is.
    pub(super) fn of_owner(object: &Object<'_>) -> Result<Self, SettingProblem> {
        let scope = object.spec.get("scope").ok().and_then(Json::present);
        let unknown = "expected one of `platform`, `domain`, `project`";
        let scope =
            scope.map(|scope| serde_json::from_str(scope.text()).map_err(|_| SettingProblem::new(SCOPE, unknown)));
        let named = |field: &str| object.spec.string(&[field]).ok().flatten().map(str::to_owned);
        let (domain, project) = (named("domain"), named("project"));
        Ok(Registry { scope: scope.transpose()?, domain, project, ..Registry::default() })
    }

    /// Reads the definitions of the requested keys. Errors in others are reported when they are written.
    ///
    /// # Errors
    /// When there is no map of definitions, or the scope is invalid.
    pub(super) fn read(object: &Object<'_>, is_wanted: impl Fn(&str) -> bool) -> Result<Self, SettingProblem> {
        let written = object.spec.get("definitions").and_then(|written| written.fields());
        let written = written.map_err(|malformed| SettingProblem::new(malformed.path, "expected an object"))?;
        // Of several definitions of one key the last counts.
        let written: BTreeMap<_, _> = written.filter(|(key, _)| is_wanted(key)).collect();
        let mut registry = Registry::of_owner(object)?;
        for (key, written) in written {
            let key = key.to_owned();
            match read_definition(&key, written.text()) {
                Ok(definition) => match registry.objection(&key, definition) {
                    Some(reason) => {
                        registry.ignored.insert(key, (definition.scope, reason));
                    }
                    None => {
                        registry.definitions.insert(key, definition);
                    }
                },
                Err(found) => {
                    if SEEDED.contains(&key.as_str()) {
                        let scope = written.get("scope").ok().and_then(|scope| serde_json::from_str(scope.text()).ok());
                        registry.ignored.insert(key.clone(), (scope.unwrap_or(Scope::Platform), IgnoredReason::Seeded));
                    }
                    let found = found.into_iter().map(|problem| problem.below(DEFINITIONS));
                    registry.unusable.insert(key, found.collect());
                }
            }
        }
        Ok(registry)
    }

    /// Whose registry it is, if it has a scope and says so.
    pub(super) fn owner(&self) -> Option<RegistryOwner<'_>> {
        RegistryOwner::of_registry(self.scope?, self.domain.as_deref(), self.project.as_deref())
    }

    /// Whether a definition of a key can count: one with a scope defines keys of its own form only.
    pub(super) fn may_define(&self, key: &str) -> bool {
        self.scope.is_none() || self.owner().is_some_and(|owner| RegistryOwner::of_key(key) == Some(owner))
    }

    /// Why a definition does not count: a registry with a scope defines keys of its own form only.
    fn objection(&self, key: &str, definition: Definition) -> Option<IgnoredReason> {
        let scope = self.scope?;
        if scope != definition.scope {
            return Some(IgnoredReason::AnotherScope);
        }
        let Some(owner) = self.owner() else { return Some(IgnoredReason::OwnerUnknown) };
        (RegistryOwner::of_key(key) != Some(owner)).then_some(IgnoredReason::AnotherForm)
    }

    /// Definitions that cannot be used, by ascending key, except seeded ones that are stored already: those do not count.
    pub(super) fn problems(&self, stored: &Registry) -> Vec<SettingProblem> {
        let is_stored = |key: &str| self.ignored.contains_key(key) && self.ignored.get(key) == stored.ignored.get(key);
        let new = self.unusable.iter().filter(|(key, _)| !is_stored(key));
        new.flat_map(|(_, problems)| problems).cloned().collect()
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
    use crate::json::Document;
    use kubernetes::settings::listed;

    fn problems(spec: &str) -> String {
        let document = Document::new(format!(r#"{{"spec":{spec}}}"#));
        let object = Object::read(&document).unwrap();
        match Registry::read(&object, |_| true) {
            Ok(registry) => listed(&registry.problems(&Registry::default())),
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
        let text = r#"{"spec":{"scope":"domain","domain":"acme","definitions":{"acme/a":{"scope":"domain"},
            "b":{"scope":"platform"},"globex/c":{"scope":"domain"}}}}"#;
        let document = Document::new(text);
        let registry = Registry::read(&Object::read(&document).unwrap(), |_| true).unwrap();
        assert_eq!(registry.owner(), Some(RegistryOwner::Domain("acme")));
        assert_eq!(registry.definitions.keys().collect::<Vec<_>>(), ["acme/a"]);
        let ignored = [
            ("b".to_owned(), (Scope::Platform, IgnoredReason::AnotherScope)),
            ("globex/c".to_owned(), (Scope::Domain, IgnoredReason::AnotherForm)),
        ];
        assert_eq!(registry.ignored, ignored.into());
        for scope in [r#"{"scope":"team"}"#, r#"{"scope":[]}"#] {
            assert_eq!(problems(scope), "spec.scope: expected one of `platform`, `domain`, `project`");
        }
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
