//! The label registry as objects in the cluster: one or several, which are combined.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use super::owner::{Belonging, RegistryOwner, is_reserved};
use super::union::Union;
use crate::json::document::Json;
use crate::messages;
use crate::report::{IgnoredDefinition, IgnoredReason};
use facts::datum::MentionedKeys;
use facts::fact::Fact;
use facts::finding::Finding;
use facts::stop::Stop;
use kubernetes::cluster::{LookupCause, LookupError};
use kubernetes::lookup::Lookups;
use kubernetes::masks;
use kubernetes::masks::Masks;
use kubernetes::object::Object;
use kubernetes::query::{ObjectName, ObjectQuery};
use kubernetes::read_failure::LookupFailed;
use kubernetes::settings::{NonEmpty, Reaction, SettingProblem, Stance, listed};
use tag_rules::keys::LABELS;
use tag_rules::{CloudTags, Definition, RegistryReference, SEEDED, Scope, read_definition};

/// The kind of the registry as an object.
pub const REGISTRY: &str = "LabelRegistry";

/// Fields that are read of a registry.
pub const REGISTRY_MASKS: Masks = masks!["spec.definitions", "spec.domain", "spec.project", "spec.scope"];
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
    /// What is not known.
    pub(super) unread: Vec<UnreadDefinitions>,
}

/// A registry object that cannot be read or used.
#[derive(Debug)]
pub(super) struct UnreadDefinitions {
    /// Its name.
    name: String,
    failed: LookupFailed,
    /// The keys that it may define, and that no other object does.
    pub(super) keys: BTreeSet<String>,
}

impl Definitions<'_> {
    /// The keys that may be defined, as far as is known.
    pub(super) fn unread_keys(&self) -> BTreeSet<&str> {
        self.unread.iter().flat_map(|unread| &unread.keys).map(String::as_str).collect()
    }

    /// The findings about registry objects that cannot be read.
    pub(super) fn findings(&self, settings: &CloudTags) -> Vec<Finding> {
        let stance = match settings.on_registry_failure {
            Reaction::Accept => Stance::Ignore,
            Reaction::Warn => Stance::Warn,
            Reaction::Reject => Stance::Reject,
        };
        let finding = |UnreadDefinitions { name, failed, keys }: &UnreadDefinitions| {
            let keys = MentionedKeys(keys.iter().cloned().collect());
            let message = Fact::RegistryUnread { registry: name.as_str().into(), cause: failed.error.cause, keys };
            Finding {
                check: "cloudTags.onRegistryFailure",
                at: "metadata.labels".to_owned(),
                message,
                stance,
                verdict: None,
            }
        };
        self.unread.iter().map(finding).collect()
    }
}

/// The definitions in the settings, or those of the assigned keys in the objects that the settings or the keys name.
///
/// A registry object that cannot be read only matters to the keys that it may define.
///
/// # Errors
/// When such keys refuse the request, or no registry object can be read.
pub(super) fn definitions_of<'e>(
    settings: &'e CloudTags,
    lookups: &Lookups<'e>,
    keys: &BTreeSet<&str>,
    belonging: &Belonging<'_>,
) -> Result<Definitions<'e>, Stop> {
    let mut found = ReadRegistries::default();
    match &settings.registry {
        None => return Ok(Definitions { counting: Cow::Borrowed(&settings.definitions), ..Definitions::default() }),
        Some(RegistryReference::ByScope(_)) => found.read_of_keys(lookups, keys, belonging)?,
        Some(reference) => found.read_listed(reference.names(), lookups, keys, belonging)?,
    }
    found.finish(settings)
}

/// What was found of the registry.
#[derive(Default)]
struct ReadRegistries<'e> {
    union: Union<'e>,
    /// Definitions that cannot be used, if no other object defines the key.
    unusable: Vec<(String, &'e str, LookupFailed)>,
    unread: Vec<UnreadDefinitions>,
    /// Whether an object could be read.
    is_read: bool,
}

impl<'e> ReadRegistries<'e> {
    /// Reads the objects that the settings list.
    fn read_listed(
        &mut self,
        names: &'e [NonEmpty],
        lookups: &Lookups<'e>,
        keys: &BTreeSet<&str>,
        belonging: &Belonging<'_>,
    ) -> Result<(), Stop> {
        let (mut failures, mut owners) = (Vec::new(), BTreeSet::new());
        for name in names {
            let registry = match Registry::find(name, lookups, |key| keys.contains(key)) {
                Ok(registry) => registry,
                Err(Stop::RegistryFailed(failed)) => {
                    let is_over = failed.error.cause == LookupCause::TooManyReads;
                    failures.push((name.to_string(), failed));
                    // The same is true of all that follow.
                    if is_over {
                        break;
                    }
                    continue;
                }
                Err(stop) => return Err(stop),
            };
            owners.extend(registry.owner().and_then(RegistryOwner::registry_name));
            self.add(name, registry, belonging);
        }
        // Nobody else defines the keys of an owner whose object was read, nor those of Kubernetes and Crossplane.
        let is_certain = |key: &str| {
            let owner = RegistryOwner::of_key(key).and_then(RegistryOwner::registry_name);
            owner.is_some_and(|owner| owners.contains(&owner)) || (names.len() > 1 && is_reserved(key))
        };
        let is_unknown = |key: &&&str| !self.union.defines(key) && !is_certain(key) && !SEEDED.contains(*key);
        let unknown: BTreeSet<String> = keys.iter().filter(is_unknown).map(|key| (*key).to_owned()).collect();
        let unread = |(name, failed)| UnreadDefinitions { name, failed, keys: unknown.clone() };
        self.unread.extend(failures.into_iter().map(unread));
        Ok(())
    }

    /// Reads the objects that the keys name, of the domain and the project that the composite belongs to.
    fn read_of_keys(
        &mut self,
        lookups: &Lookups<'e>,
        keys: &BTreeSet<&str>,
        belonging: &Belonging<'_>,
    ) -> Result<(), Stop> {
        let mut owners = BTreeMap::<RegistryOwner<'_>, BTreeSet<String>>::new();
        for key in keys.iter().filter(|key| !SEEDED.contains(*key)) {
            if let Some(owner) = RegistryOwner::of_key(key).filter(|owner| belonging.is_below(*owner)) {
                owners.entry(owner).or_default().insert((*key).to_owned());
            }
        }
        for (owner, keys) in owners {
            let Some(name) = owner.registry_name().map(|name| lookups.name(name)) else { continue };
            match Registry::find(name, lookups, |key| keys.contains(key)) {
                Ok(registry) if registry.owner() == Some(owner) => self.add(name, registry, belonging),
                Ok(_) => {
                    let failed = unusable(name, &messages::of_another_owner(owner.scope()));
                    self.unread.push(UnreadDefinitions { name: name.to_owned(), failed, keys });
                }
                Err(Stop::RegistryFailed(failed)) => {
                    self.unread.push(UnreadDefinitions { name: name.to_owned(), failed, keys });
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(())
    }

    fn add(&mut self, name: &'e str, mut registry: Registry, belonging: &Belonging<'_>) {
        self.is_read = true;
        if registry.owner().is_some_and(|owner| !belonging.is_below(owner)) {
            registry.unusable.clear();
            let definitions = std::mem::take(&mut registry.definitions);
            let ignored = definitions.into_iter().map(|(key, it)| (key, (it.scope, IgnoredReason::AnotherOwner)));
            registry.ignored.extend(ignored);
        }
        self.union.add(name, registry.definitions, registry.ignored);
        let unusable = registry.unusable.into_iter().map(|(key, it)| (key, name, unusable(name, &listed(&it))));
        self.unusable.extend(unusable);
    }

    /// What counts.
    ///
    /// # Errors
    /// When the settings refuse what is not known, or nothing is known.
    fn finish(mut self, settings: &CloudTags) -> Result<Definitions<'e>, Stop> {
        for (key, name, failed) in self.unusable {
            // A definition that cannot be used has no effect if another object defines the key.
            if !self.union.defines(&key) {
                self.unread.push(UnreadDefinitions { name: name.to_owned(), failed, keys: [key].into() });
            }
        }
        self.unread.retain(|unread| !unread.keys.is_empty());
        let stops = settings.on_registry_failure == Reaction::Reject || !self.is_read;
        let first = if stops && !self.unread.is_empty() { Some(self.unread.remove(0)) } else { None };
        match first {
            Some(first) => Err(Stop::RegistryFailed(first.failed)),
            None => {
                let (definitions, ignored) = self.union.finish();
                Ok(Definitions { counting: Cow::Owned(definitions), ignored, unread: self.unread })
            }
        }
    }
}

fn unusable(name: &str, problem: &dyn Display) -> LookupFailed {
    let error = LookupError { cause: LookupCause::Unreadable, detail: problem.to_string() };
    LookupFailed { query: format!("{REGISTRY} {name}"), error, problem: None }
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
    fn find<'e>(name: &'e str, lookups: &Lookups<'e>, is_wanted: impl Fn(&str) -> bool) -> Result<Self, Stop> {
        let registry = lookups.parent(&query(name)).map_err(|failure| Stop::from(failure).of_registry())?;
        Registry::read(&registry.object, is_wanted)
            .map_err(|problem| Stop::unusable_registry(registry.name.to_string(), &problem))
    }

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
        let named = |field: &str| object.spec.string(&[field]).ok().flatten().map(str::to_owned);
        let (domain, project) = (named("domain"), named("project"));
        let mut registry = Registry { scope: scope.transpose()?, domain, project, ..Registry::default() };
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

    /// Why a definition does not count: a registry with a scope defines keys of its own form only.
    fn objection(&self, key: &str, definition: Definition) -> Option<IgnoredReason> {
        let scope = self.scope?;
        if scope != definition.scope {
            return Some(IgnoredReason::AnotherScope);
        }
        let Some(owner) = self.owner() else { return Some(IgnoredReason::OwnerUnknown) };
        (RegistryOwner::of_key(key) != Some(owner)).then_some(IgnoredReason::AnotherForm)
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
