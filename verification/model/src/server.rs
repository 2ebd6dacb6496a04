//! The part of the API server that the world needs: maps whose entries have owners.
//!
//! Source: sigs.k8s.io/structured-merge-diff/v6/merge/update.go, `Update`, `Apply` and `prune`;
//! k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager. Compared with a real API server by `make conformance-model`.

use crate::location::{EntryKey, EntryLocation, FieldManager, Managers, ModelKind, ModelValue, Slot};

/// One entry of one map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct OwnedEntry {
    /// `None` if absent.
    pub value: Option<ModelValue>,
    /// The field managers that own it.
    pub owners: Managers,
    /// The field managers whose last write set this value. The API server does not know it: only the properties use it.
    pub writers: Managers,
    /// The co-owners of this value, besides Cluster API, when the policy restored it. Only the properties use it.
    pub kept: Managers,
    /// Such a co-owner then removed the value as its last owner. Only the properties use it.
    pub is_kept_removed: bool,
    /// The manager that removed this value without naming itself, and that owns it again because the policy restored
    /// it. Only the properties use it.
    pub returned: Managers,
}

/// The values of an object: by slot, by key.
pub type Values = [[Option<ModelValue>; 2]; 2];

/// One object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ModelObject {
    entries: [[OwnedEntry; 2]; 2],
    /// The owners of its constant part: the labels that Cluster API forces, one annotation, `spec`.
    pub fixed: Managers,
    /// The managers whose entries the policy began, and that have not applied since.
    pub begun: Managers,
    /// It has a deletion timestamp: a finalizer holds it.
    pub deleting: bool,
}

/// A conflict: why a server-side apply without force is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict;

impl ModelObject {
    /// One entry.
    pub fn at(&self, slot: Slot, key: EntryKey) -> &OwnedEntry {
        &self.entries[slot as usize][key as usize]
    }

    /// Mutable access to one entry.
    pub fn at_mut(&mut self, slot: Slot, key: EntryKey) -> &mut OwnedEntry {
        &mut self.entries[slot as usize][key as usize]
    }

    /// The values alone.
    pub fn values(&self) -> Values {
        self.entries.map(|entries| entries.map(|entry| entry.value))
    }

    /// As the API server knows it, without the fields that only the properties use.
    pub fn known(mut self) -> ModelObject {
        for entry in self.entries.iter_mut().flatten() {
            *entry = OwnedEntry { value: entry.value, owners: entry.owners, ..OwnedEntry::default() };
        }
        self
    }

    /// A new object created by one manager, which owns everything.
    pub fn created(kind: ModelKind, manager: FieldManager, values: &Values) -> ModelObject {
        let mut object = ModelObject { fixed: Managers::only(manager), ..ModelObject::default() };
        for EntryLocation { slot, key, .. } in kind.locations() {
            object.set(slot, key, value(values, slot, key), manager);
        }
        object
    }

    /// An update that changes one entry, or with `None` removes it.
    pub fn updated(
        mut self,
        manager: FieldManager,
        slot: Slot,
        key: EntryKey,
        value: Option<ModelValue>,
    ) -> ModelObject {
        if self.at(slot, key).value == value {
            // An update owns only what it changes.
            self.at_mut(slot, key).writers = self.at(slot, key).writers.and(manager);
        } else {
            self.set(slot, key, value, manager);
        }
        self
    }

    /// An update that changes every entry to these values, and removes those that are not among them.
    pub fn replaced(self, kind: ModelKind, manager: FieldManager, values: &Values) -> ModelObject {
        let changed = kind.locations().filter(|it| self.at(it.slot, it.key).value != value(values, it.slot, it.key));
        changed.fold(self, |object, EntryLocation { slot, key, .. }| {
            object.updated(manager, slot, key, value(values, slot, key))
        })
    }

    /// A server-side apply: the manager owns the values that it applies, and a value that it applied before and omits
    /// now is removed, unless another manager owns it.
    ///
    /// # Errors
    /// When it would change a value that another manager owns, without force.
    pub fn applied(
        mut self,
        kind: ModelKind,
        manager: FieldManager,
        values: &Values,
        is_whole: bool,
        force: bool,
    ) -> Result<ModelObject, Conflict> {
        for EntryLocation { slot, key, .. } in kind.locations() {
            let entry = *self.at(slot, key);
            match value(values, slot, key) {
                Some(wanted) if entry.value == Some(wanted) => {
                    let entry = self.at_mut(slot, key);
                    entry.owners = entry.owners.and(manager);
                    entry.writers = entry.writers.and(manager);
                    entry.kept = entry.kept.without(manager);
                    entry.returned = entry.returned.without(manager);
                }
                Some(_) if !force && !entry.owners.without(manager).is_empty() => return Err(Conflict),
                Some(wanted) => self.set(slot, key, Some(wanted), manager),
                None => {
                    let entry = self.at_mut(slot, key);
                    let is_kept_removed = entry.kept.has(manager);
                    let was_owner = entry.owners.has(manager);
                    entry.owners = entry.owners.without(manager);
                    entry.writers = entry.writers.without(manager);
                    entry.kept = entry.kept.without(manager);
                    entry.returned = entry.returned.without(manager);
                    if was_owner && entry.owners.is_empty() {
                        *entry = OwnedEntry { is_kept_removed, ..OwnedEntry::default() };
                    }
                }
            }
        }
        if is_whole {
            self.fixed = self.fixed.and(manager);
        }
        self.begun = self.begun.without(manager);
        Ok(self)
    }

    /// Sets another value: its writer becomes the only owner.
    fn set(&mut self, slot: Slot, key: EntryKey, value: Option<ModelValue>, manager: FieldManager) {
        let owners = value.map_or(Managers::NOBODY, |_| Managers::only(manager));
        *self.at_mut(slot, key) = OwnedEntry { value, owners, writers: owners, ..OwnedEntry::default() };
    }
}

/// One value.
pub fn value(values: &Values, slot: Slot, key: EntryKey) -> Option<ModelValue> {
    values[slot as usize][key as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Values = [[Some(ModelValue::Red), None], [None, None]];
    const BLUE: Values = [[Some(ModelValue::Blue), None], [None, None]];
    const NOTHING: Values = [[None; 2]; 2];

    fn team(object: ModelObject) -> (Option<ModelValue>, String) {
        let entry = object.at(Slot::Own, EntryKey::Team);
        (entry.value, entry.owners.to_string())
    }

    fn machine() -> ModelObject {
        ModelObject::created(ModelKind::Machine, FieldManager::Set, &RED)
    }

    fn applied(object: ModelObject, manager: FieldManager, values: &Values) -> ModelObject {
        object.applied(ModelKind::Machine, manager, values, manager.is_controller(), true).unwrap()
    }

    #[test]
    fn who_changes_a_value_owns_it_alone() {
        let edited = machine().updated(FieldManager::Alice, Slot::Own, EntryKey::Team, Some(ModelValue::Blue));
        assert_eq!(team(edited), (Some(ModelValue::Blue), "kubectl-edit".to_owned()));
        let forced = applied(edited, FieldManager::Set, &RED);
        assert_eq!(team(forced), (Some(ModelValue::Red), "capi-machineset".to_owned()));
        let same = machine().updated(FieldManager::Alice, Slot::Own, EntryKey::Team, Some(ModelValue::Red));
        assert_eq!(team(same), (Some(ModelValue::Red), "capi-machineset".to_owned()));
    }

    #[test]
    fn who_applies_the_same_value_shares_it() {
        let shared = applied(machine(), FieldManager::Argo, &RED);
        assert_eq!(team(shared), (Some(ModelValue::Red), "capi-machineset and argocd-controller".to_owned()));
        let dropped = applied(shared, FieldManager::Set, &NOTHING);
        assert_eq!(team(dropped), (Some(ModelValue::Red), "argocd-controller".to_owned()));
        assert_eq!(team(applied(dropped, FieldManager::Argo, &NOTHING)), (None, "nobody".to_owned()));
    }

    #[test]
    fn without_force_a_value_of_others_is_a_conflict() {
        let apply =
            |object: ModelObject, values| object.applied(ModelKind::Machine, FieldManager::Argo, values, false, false);
        assert_eq!(apply(machine(), &BLUE), Err(Conflict));
        assert!(apply(machine(), &RED).is_ok());
        let unowned = machine().updated(FieldManager::Alice, Slot::Own, EntryKey::Team, None);
        assert!(apply(unowned, &BLUE).is_ok());
    }

    #[test]
    fn what_nobody_owns_is_removed_by_nobodys_apply() {
        let mut object = machine();
        object.at_mut(Slot::Own, EntryKey::Team).owners = Managers::NOBODY;
        assert_eq!(team(applied(object, FieldManager::Set, &NOTHING)), (Some(ModelValue::Red), "nobody".to_owned()));
    }
}
