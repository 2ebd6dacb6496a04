//! The definitions of several registry objects: which of them count.

use std::collections::BTreeMap;

use crate::report::{IgnoredDefinition, IgnoredReason};
use tag_rules::{Definition, Scope};

/// An object of the registry, and its position in the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListedRegistry<'n> {
    pub(super) index: usize,
    pub(super) name: &'n str,
}

/// The definitions of several objects. Of two for one key the wider scope counts, and with equal scope the object that
/// is listed first.
#[derive(Debug, Default)]
pub(super) struct Union<'n> {
    definitions: BTreeMap<String, Definition>,
    /// The object of each definition that counts, and its position in the list.
    owners: BTreeMap<String, ListedRegistry<'n>>,
    ignored: Vec<IgnoredDefinition>,
}

impl<'n> Union<'n> {
    /// Adds the definitions of an object at a position in the list, which is behind those that were added.
    pub(super) fn add(
        &mut self,
        registry: ListedRegistry<'n>,
        definitions: BTreeMap<String, Definition>,
        ignored: BTreeMap<String, (Scope, IgnoredReason)>,
    ) {
        for (key, (scope, reason)) in ignored {
            self.ignore(key, registry.name, scope, reason);
        }
        for (key, definition) in definitions {
            match self.definitions.get(&key).map(|known| known.scope) {
                Some(known) if known < definition.scope => {
                    self.ignore(key, registry.name, definition.scope, IgnoredReason::WiderScope);
                }
                Some(known) if known == definition.scope => {
                    self.ignore(key, registry.name, definition.scope, IgnoredReason::ListedFirst);
                }
                known => {
                    let owner = self.owners.insert(key.clone(), registry);
                    if let Some((owner, scope)) = owner.zip(known) {
                        self.ignore(key.clone(), owner.name, scope, IgnoredReason::WiderScope);
                    }
                    self.definitions.insert(key, definition);
                }
            }
        }
    }

    /// Whether a definition of the key would count that an object at this position had with this scope.
    pub(super) fn would_count(&self, key: &str, precedence: (Scope, usize)) -> bool {
        let known = self.definitions.get(key).zip(self.owners.get(key));
        known.is_none_or(|(definition, owner)| precedence < (definition.scope, owner.index))
    }

    /// Whether the definition of a key counts is not known: an object that has precedence was not read.
    pub(super) fn forget(&mut self, key: &str) {
        self.definitions.remove(key);
        self.owners.remove(key);
    }

    /// The definitions that count, and by ascending key those that do not.
    pub(super) fn finish(mut self) -> (BTreeMap<String, Definition>, Vec<IgnoredDefinition>) {
        for ignored in &mut self.ignored {
            ignored.counts = self.owners.get(&ignored.qualified_key).map(|owner| owner.name.to_owned());
        }
        self.ignored.sort_by(|one, other| one.qualified_key.cmp(&other.qualified_key));
        (self.definitions, self.ignored)
    }

    fn ignore(&mut self, qualified_key: String, registry: &str, scope: Scope, reason: IgnoredReason) {
        let registry = registry.to_owned();
        self.ignored.push(IgnoredDefinition { qualified_key, registry, scope, reason, counts: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_that_does_not_count_names_its_reason_and_the_object_that_does() {
        let of = |scope| {
            BTreeMap::from([("team".to_owned(), Definition { scope, cloud_tag_propagation: true, from: None })])
        };
        let mut union = Union::default();
        let listed = |index, name| ListedRegistry { index, name };
        union.add(
            listed(0, "b"),
            BTreeMap::new(),
            [("team".to_owned(), (Scope::Platform, IgnoredReason::AnotherScope))].into(),
        );
        union.add(listed(1, "project"), of(Scope::Project), BTreeMap::new());
        union.add(listed(2, "first"), of(Scope::Domain), BTreeMap::new());
        union.add(listed(3, "second"), of(Scope::Domain), BTreeMap::new());
        union.add(listed(4, "other"), of(Scope::Project), BTreeMap::new());
        let counts = |scope, index| union.would_count("team", (scope, index));
        assert_eq!(
            [counts(Scope::Platform, 9), counts(Scope::Domain, 1), counts(Scope::Domain, 3)],
            [true, true, false]
        );
        assert!(union.would_count("unknown", (Scope::Project, 9)));
        let (definitions, ignored) = union.finish();
        assert_eq!(definitions, of(Scope::Domain));
        let ignored: Vec<_> = ignored
            .iter()
            .map(|it| (&*it.qualified_key, &*it.registry, it.scope, it.reason, it.counts.as_deref()))
            .collect();
        assert_eq!(
            ignored,
            [
                ("team", "b", Scope::Platform, IgnoredReason::AnotherScope, Some("first")),
                ("team", "project", Scope::Project, IgnoredReason::WiderScope, Some("first")),
                ("team", "second", Scope::Domain, IgnoredReason::ListedFirst, Some("first")),
                ("team", "other", Scope::Project, IgnoredReason::WiderScope, Some("first")),
            ]
        );
    }
}
