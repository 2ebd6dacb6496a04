//! The label registry as objects in the cluster: one or several, which are combined.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use super::owner::{Belonging, RegistryOwner, is_reserved};
use super::registry_object::Registry;
use super::union::{ListedRegistry, Union};
use crate::fact::{CloudTagFact, Finding};
use crate::messages;
use crate::report::{IgnoredDefinition, IgnoredReason};
use crate::tag_reason::NoTagReason;
use kubernetes::settings::{Reaction, Stance, listed};
use kubernetes::{LookupCause, LookupError, LookupFailed, Lookups, Masks, MentionedKeys, Stop, masks};
use tag_rules::{CloudTags, Definition, RegistryName, RegistryReference, SEEDED, Scope};

/// The kind of the registry as an object.
pub const REGISTRY: &str = "LabelRegistry";

/// Fields that are read of a registry.
pub const REGISTRY_MASKS: Masks = masks!["spec": "definitions", "domain", "project", "scope"];

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
    name: String,
    failed: LookupFailed,
    /// The keys that it may define, and whose definitions no other object has with precedence.
    pub(super) keys: BTreeSet<String>,
}

impl Definitions<'_> {
    /// The keys that may be defined, as far as is known.
    pub(super) fn unread_keys(&self) -> BTreeSet<&str> {
        self.unread.iter().flat_map(|unread| &unread.keys).map(String::as_str).collect()
    }

    /// Gives labels that may be defined where nothing was read the reason for which they are no tags.
    pub(super) fn explain(&self, not_propagating: &mut BTreeMap<String, NoTagReason>) {
        for key in self.unread_keys() {
            not_propagating.entry(key.to_owned()).and_modify(|reason| *reason = NoTagReason::RegistryUnread);
        }
    }

    /// The findings about registry objects that cannot be read, and about seeded definitions that they change.
    pub(super) fn findings(&self, settings: &CloudTags) -> Vec<Finding> {
        let stance = match settings.on_registry_failure {
            Reaction::Accept => Stance::Ignore,
            Reaction::Warn => Stance::Warn,
            Reaction::Reject => Stance::Reject,
        };
        let finding = |UnreadDefinitions { name, failed, keys }: &UnreadDefinitions| {
            let keys = MentionedKeys(keys.iter().cloned().collect());
            let message =
                CloudTagFact::RegistryUnread { registry: name.as_str().into(), cause: failed.error.cause, keys };
            Finding { check: "cloudTags.onRegistryFailure", at: "metadata.labels".to_owned(), message, stance }
        };
        let changes_seeded = |ignored: &&IgnoredDefinition| ignored.reason == IgnoredReason::Seeded;
        let of_seeded = |IgnoredDefinition { qualified_key, registry, .. }: &IgnoredDefinition| Finding {
            check: "cloudTags.registry",
            at: "metadata.labels".to_owned(),
            message: CloudTagFact::SeededDefinition {
                key: qualified_key.as_str().into(),
                registry: registry.as_str().into(),
            },
            stance: Stance::Warn,
        };
        let seeded = self.ignored.iter().filter(changes_seeded).map(of_seeded);
        self.unread.iter().map(finding).chain(seeded).collect()
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
    keys: &AssignedKeys<'_>,
    belonging: &Belonging<'_>,
) -> Result<Definitions<'e>, Stop> {
    let mut found = ReadRegistries::default();
    match &settings.registry {
        None => return Ok(Definitions { counting: Cow::Borrowed(&settings.definitions), ..Definitions::default() }),
        Some(RegistryReference::ByScope(_)) => found.read_of_keys(lookups, &keys.all, belonging)?,
        Some(reference) => found.read_listed(reference.names(), lookups, keys, belonging)?,
    }
    found.finish(settings)
}

/// The keys whose definitions matter to an object.
pub(super) struct AssignedKeys<'k> {
    pub(super) all: BTreeSet<&'k str>,
    /// Whether the stored object has the tag of a key.
    pub(super) is_tagged: &'k dyn Fn(&str) -> bool,
}

/// What was found of the registry.
#[derive(Default)]
struct ReadRegistries<'e> {
    union: Union<'e>,
    /// Definitions that cannot be used, if no other object defines the key with precedence.
    unusable: Vec<UnusableDefinition<'e>>,
    unread: Vec<UnreadDefinitions>,
    /// Whether an object could be read.
    is_read: bool,
}

/// A definition that cannot be used.
struct UnusableDefinition<'e> {
    key: String,
    registry: &'e str,
    precedence: (Scope, usize),
    failed: LookupFailed,
}

/// An object that the settings list, and that cannot be read.
struct UnreadRegistry<'e> {
    name: &'e str,
    index: usize,
    failed: LookupFailed,
    /// The part of it that says whose it is, if at least that can be read.
    identity: Option<Registry>,
}

impl UnreadRegistry<'_> {
    /// Whether it may define a key of an object, as far as is known whose registry it is.
    fn may_define(&self, key: &str, belonging: &Belonging<'_>) -> bool {
        let Some(identity) = &self.identity else { return true };
        identity.may_define(key) && identity.owner().is_none_or(|owner| belonging.is_below(owner))
    }

    /// The highest precedence that one of its definitions may have.
    fn precedence(&self) -> (Scope, usize) {
        let scope = self.identity.as_ref().and_then(|identity| identity.scope);
        (scope.unwrap_or(Scope::Platform), self.index)
    }
}

impl<'e> ReadRegistries<'e> {
    /// Reads the objects that the settings list. No name says whose object it is: one that cannot be read may define
    /// every key, with every scope, and has precedence over what others define below that.
    fn read_listed(
        &mut self,
        names: &'e [RegistryName],
        lookups: &Lookups<'e>,
        keys: &AssignedKeys<'_>,
        belonging: &Belonging<'_>,
    ) -> Result<(), Stop> {
        let mut failures = Vec::new();
        for (index, name) in names.iter().enumerate() {
            match Registry::find(name, lookups, |key| keys.all.contains(key)) {
                Ok(registry) => self.add(ListedRegistry { index, name }, registry, belonging),
                Err(Stop::RegistryFailed(failed)) => {
                    let is_over = failed.error.cause == LookupCause::TooManyReads;
                    let identity = Registry::identity(name, lookups);
                    failures.push(UnreadRegistry { name, index, failed, identity });
                    // The same is true of all that follow, and the first of them has precedence.
                    if is_over {
                        break;
                    }
                }
                Err(stop) => return Err(stop),
            }
        }
        // Keys that Kubernetes and Crossplane set on nearly every object are no tags, unless one says otherwise.
        let is_known =
            |key: &str| SEEDED.contains(&key) || (names.len() > 1 && is_reserved(key) && !(keys.is_tagged)(key));
        for unread in failures {
            let is_unknown = |key: &&&str| {
                !is_known(key) && unread.may_define(key, belonging) && self.union.would_count(key, unread.precedence())
            };
            let keys = keys.all.iter().filter(is_unknown).map(|key| (*key).to_owned()).collect();
            self.unread.push(UnreadDefinitions { name: unread.name.to_owned(), failed: unread.failed, keys });
        }
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
        let owners = owners.into_iter().filter_map(|(owner, keys)| Some(((owner, keys), owner.registry_name()?)));
        let (owners, names): (Vec<_>, Vec<String>) = owners.unzip();
        for ((owner, keys), name) in owners.into_iter().zip(lookups.names(names)) {
            match Registry::find(name, lookups, |key| keys.contains(key)) {
                Ok(registry) if registry.owner() == Some(owner) => {
                    self.add(ListedRegistry { index: 0, name }, registry, belonging)
                }
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

    fn add(&mut self, listed_one: ListedRegistry<'e>, mut registry: Registry, belonging: &Belonging<'_>) {
        let ListedRegistry { index, name } = listed_one;
        self.is_read = true;
        if registry.owner().is_some_and(|owner| !belonging.is_below(owner)) {
            registry.unusable.clear();
            let definitions = std::mem::take(&mut registry.definitions);
            let ignored = definitions.into_iter().map(|(key, it)| (key, (it.scope, IgnoredReason::AnotherOwner)));
            registry.ignored.extend(ignored);
        }
        let precedence = (registry.scope.unwrap_or(Scope::Platform), index);
        // A registry with a scope does not define keys of another form, usable or not. What a seeded key means is known
        // without the object.
        let may_matter = |key: &str| registry.may_define(key) && !SEEDED.contains(&key);
        let unusable_ones = registry.unusable.iter().filter(|(key, _)| may_matter(key));
        self.unusable.extend(unusable_ones.map(|(key, problems)| {
            let failed = unusable(name, &listed(problems));
            UnusableDefinition { key: key.clone(), registry: name, precedence, failed }
        }));
        self.union.add(listed_one, registry.definitions, registry.ignored);
    }

    /// What counts.
    ///
    /// # Errors
    /// When the settings refuse what is not known, or nothing is known.
    fn finish(mut self, settings: &CloudTags) -> Result<Definitions<'e>, Stop> {
        for UnusableDefinition { key, registry, precedence, failed } in self.unusable {
            // A definition that cannot be used has no effect if another one has precedence.
            if self.union.would_count(&key, precedence) {
                self.unread.push(UnreadDefinitions { name: registry.to_owned(), failed, keys: [key].into() });
            }
        }
        self.unread.retain(|unread| !unread.keys.is_empty());
        let stops = settings.on_registry_failure == Reaction::Reject || !self.is_read;
        let first = if stops && !self.unread.is_empty() { Some(self.unread.remove(0)) } else { None };
        match first {
            Some(first) => Err(Stop::RegistryFailed(first.failed)),
            None => {
                self.unread.iter().flat_map(|unread| &unread.keys).for_each(|key| self.union.forget(key));
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
