//! The effects of a write of a registry object on the composites of the cluster.

use std::collections::BTreeMap;

use super::owner::{RegistryOwner, form, keys_of_another_form};
use super::registry::REGISTRY;
use super::registry_object::Registry;
use crate::fact::CloudTagFact;
use crate::messages;
use crate::report::IgnoredReason;
use kubernetes::settings::SettingProblem;
use kubernetes::{
    EXEMPT, LookupCause, LookupFailed, Lookups, MentionedKeys, Object, ObjectName, Operation, Review, ReviewedObject,
    Stop,
};
use tag_rules::keys::LABELS;
use tag_rules::{CloudTags, Definition, LabelSource, RegistryReference, Scope};

/// What is reported about a write of a registry object.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RegistryWrite {
    /// Why it is refused: definitions that composites could not use, and that would be ignored from now on.
    pub problems: Vec<SettingProblem>,
    pub effects: Vec<CloudTagFact>,
}

impl RegistryWrite {
    /// The effects of a write of a registry object.
    ///
    /// # Errors
    /// When another object of the registry cannot be read.
    pub fn of<'e>(subject: &ReviewedObject<'e>, settings: &'e CloudTags, lookups: &Lookups<'e>) -> Result<Self, Stop> {
        let mut write = RegistryWrite::default();
        let stored = subject.old().ok().flatten();
        // It counts until it is gone, and whoever writes its labels or removes its finalizers may not be able to mend it.
        if stored.map_or(subject.object.deleting, |stored| stored.spec == subject.object.spec) {
            return Ok(write);
        }
        let now = match Registry::read(&subject.object, |_| true) {
            Ok(now) => now,
            Err(problem) => return Ok(RegistryWrite { problems: vec![problem], ..write }),
        };
        let read = |old| Registry::read(old, |_| true).or_else(|_| Registry::of_owner(old)).ok();
        let old = stored.and_then(read).unwrap_or_default();
        write.problems = now.problems(&old);
        if let Some(scope) = old.scope.filter(|scope| now.scope != Some(*scope)) {
            write.problems.push(SettingProblem::new("spec.scope", messages::scope_stays(scope)));
        }
        let is_found_by_scope = matches!(settings.registry, Some(RegistryReference::ByScope(_)));
        write.problems.extend(problems_of_owner(&now, &old, subject.name(), is_found_by_scope));
        write.judge_ignored(&now, &old);
        if now.scope.is_none() {
            write.effects.extend(new_keys_of_another_form(&now, &old));
        }
        let named = settings.registry.as_ref().map(RegistryReference::names).unwrap_or_default();
        let own = named.iter().position(|name| **name == *subject.name());
        let Some(own) = own.or(is_found_by_scope.then_some(0)) else { return Ok(write) };
        write.judge_sources(&now, &old, settings);
        let mut others = BTreeMap::new();
        // Of registries that are found by their scope, no two define one key.
        for (index, name) in named.iter().enumerate().filter(|(index, _)| *index != own) {
            match others_definitions(name, &now, &old, lookups) {
                Ok(found) => {
                    for (key, definition) in found {
                        others.entry(key).or_insert((index, &**name, definition));
                    }
                }
                Err(Stop::RegistryFailed(LookupFailed { query, error, .. }))
                    if error.cause == LookupCause::Unreadable =>
                {
                    write.effects.push(CloudTagFact::RegistriesNotCompared { query, cause: error.cause });
                }
                Err(stop) => return Err(stop),
            }
        }
        write.judge_clashes(&now, &old, own, &others);
        write.compare(&now, &old, own, &others);
        Ok(write)
    }

    /// Definitions that are ignored because they are of another scope, domain or project are refused, if this write
    /// introduces them.
    fn judge_ignored(&mut self, now: &Registry, old: &Registry) {
        let is_new = |key: &str| old.ignored.get(key) != now.ignored.get(key);
        for (key, (scope, reason)) in now.ignored.iter().filter(|(key, _)| is_new(key)) {
            let problem = match reason {
                IgnoredReason::AnotherScope => messages::of_another_scope(*scope),
                IgnoredReason::AnotherForm => messages::key_of_another_owner(form(*scope)),
                _ => continue,
            };
            self.problems.push(SettingProblem::new(format!("spec.definitions[{key}]"), problem));
        }
    }

    /// Definitions are refused whose values come from where nobody looks, if this write introduces them.
    fn judge_sources(&mut self, now: &Registry, old: &Registry, settings: &CloudTags) {
        let is_new = |key: &str, it: &Definition| old.definitions.get(key).is_none_or(|old| old.from != it.from);
        let sources = now.definitions.iter().filter(|(key, it)| is_new(key, it));
        let unused = sources.filter_map(|(key, it)| Some((key, it.from.filter(|from| !settings.sources.has(*from))?)));
        let problem = |(key, from): (&String, LabelSource)| {
            SettingProblem::new(format!("spec.definitions[{key}].from"), from.unused())
        };
        self.problems.extend(unused.map(problem));
    }

    /// The labels that begin to become tags, and those that no longer do.
    fn compare(&mut self, now: &Registry, old: &Registry, own: usize, others: &Others<'_>) {
        let wins = |key: &&str| {
            let definition = now.definitions.get(*key).or_else(|| old.definitions.get(*key));
            let other = others.get(*key);
            definition.zip(other).is_none_or(|(own_one, other)| counts(own_one, own, other))
        };
        let (opted_in, was) = (now.opted_in(), old.opted_in());
        let begin = opted_in.difference(&was).copied().filter(wins);
        let stop = was.difference(&opted_in).copied().filter(wins);
        self.effects.extend(MentionedKeys::some(begin).map(|keys| CloudTagFact::LabelsBeginToPropagate { keys }));
        self.effects.extend(MentionedKeys::some(stop).map(|keys| CloudTagFact::LabelsStopPropagating { keys }));
    }

    /// Refuses a definition that another object's takes precedence over, and warns about one that takes precedence, if
    /// this write introduces it.
    fn judge_clashes(&mut self, now: &Registry, old: &Registry, own: usize, others: &Others<'_>) {
        for (key, definition) in &now.definitions {
            let Some(other) = others.get(key) else { continue };
            let is_stored = old.definitions.get(key).is_some_and(|stored| stored.scope == definition.scope);
            if is_stored {
                continue;
            }
            let (_, name, other_one) = other;
            match counts(definition, own, other) {
                true => {
                    let (key, registry) = (key.as_str().into(), (*name).into());
                    self.effects.push(CloudTagFact::DefinitionOverridden { key, registry });
                }
                false => {
                    let problem = messages::already_defined(name, other_one.scope);
                    self.problems.push(SettingProblem::new(format!("spec.definitions[{key}]"), problem));
                }
            }
        }
    }
}

/// Whether a registry object says whose it is, and keeps that. What is stored is not refused for it.
fn problems_of_owner(now: &Registry, old: &Registry, name: &str, is_found_by_scope: bool) -> Vec<SettingProblem> {
    let mut problems = Vec::new();
    let is_stored =
        old.scope.is_some() && (old.scope, &old.domain, &old.project) == (now.scope, &now.domain, &now.project);
    for (path, now, old) in [("spec.domain", &now.domain, &old.domain), ("spec.project", &now.project, &old.project)] {
        if let Some(old) = old.as_ref().filter(|old| now.as_ref() != Some(*old)) {
            problems.push(SettingProblem::new(path, messages::owner_stays(old)));
        }
    }
    let fields: &[_] = match now.scope {
        _ if is_stored => &[],
        None | Some(Scope::Platform) => &[],
        Some(Scope::Domain) => &[("spec.domain", &now.domain)],
        Some(Scope::Project) => &[("spec.domain", &now.domain), ("spec.project", &now.project)],
    };
    if let Some(scope) = now.scope {
        let missing = fields.iter().filter(|(_, value)| value.is_none());
        problems.extend(missing.map(|(path, _)| SettingProblem::new(*path, messages::owner_missing(scope))));
    }
    if is_found_by_scope {
        match now.owner().map(RegistryOwner::registry_name) {
            None if now.scope.is_none() => problems.push(SettingProblem::new("spec.scope", messages::SCOPE_MISSING)),
            Some(Some(expected)) if expected != name => {
                problems.push(SettingProblem::new("metadata.name", messages::name_follows(&expected)));
            }
            _ => {}
        }
    }
    problems
}

/// The warnings about new definitions whose keys have another form than those of their scope.
fn new_keys_of_another_form(now: &Registry, old: &Registry) -> Vec<CloudTagFact> {
    let is_stored = |key: &str, scope| old.definitions.get(key).is_some_and(|stored| stored.scope == scope);
    keys_of_another_form(now.definitions.iter().filter(|(key, it)| !is_stored(key, it.scope)))
}

/// Definitions of other objects: which one of the settings, its name, and what it says.
type Others<'n> = BTreeMap<String, (usize, &'n str, Definition)>;

/// Whether a definition in the object of index `own` wins over another's: the wider scope does, and of one scope the first.
fn counts(definition: &Definition, own: usize, other: &(usize, &str, Definition)) -> bool {
    let (index, _, other) = other;
    (definition.scope, own) < (other.scope, *index)
}

/// The definitions of another object of the registry, of the same keys. One that does not exist defines nothing.
fn others_definitions<'e>(
    name: &'e str,
    now: &Registry,
    old: &Registry,
    lookups: &Lookups<'e>,
) -> Result<BTreeMap<String, Definition>, Stop> {
    let is_wanted = |key: &str| now.definitions.contains_key(key) || old.definitions.contains_key(key);
    match Registry::find(name, lookups, is_wanted) {
        Err(Stop::RegistryFailed(failed)) if failed.error.cause == LookupCause::NotFound => Ok(BTreeMap::new()),
        found => found.map(|found| found.definitions),
    }
}

/// The sentence that refuses to delete a registry object that the settings name, unless it is exempt.
pub fn refused_deletion(review: &Review<'_>, stored: Option<&Object<'_>>, settings: &CloudTags) -> Option<String> {
    let is_registry = review.kind.group == LABELS && review.kind.kind == REGISTRY && review.sub_resource.is_empty();
    if review.operation != Operation::Delete || !is_registry {
        return None;
    }
    // The deletion of a collection names none.
    let name = Some(&*review.name).filter(|name| !name.is_empty()).or(stored.map(|stored| stored.name));
    let name = name.unwrap_or_default();
    let is_named = |name: &str| match &settings.registry {
        Some(RegistryReference::ByScope(_)) => {
            let read = stored.and_then(|stored| Registry::of_owner(stored).ok());
            read.and_then(|read| read.owner().and_then(RegistryOwner::registry_name))
                .is_some_and(|expected| expected == name)
        }
        reference => reference.iter().flat_map(RegistryReference::names).any(|it| **it == *name),
    };
    let reason = stored.and_then(|stored| stored.annotations.get(EXEMPT));
    let is_exempt = reason.is_some_and(|reason| !reason.trim().is_empty());
    let title = ObjectName { kind: REGISTRY, namespace: "", name };
    (is_named(name) && !is_exempt).then(|| messages::refused_deletion(&title.to_string(), EXEMPT))
}
