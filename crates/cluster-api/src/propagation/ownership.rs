//! Who owns what the policy writes.
//!
//! The API server computes `metadata.managedFields` before it calls webhooks: an edit that the policy undoes has
//! already made its user the owner. Cluster API's next apply of the old value makes it a second owner, so when the
//! source drops the key, it is never removed. So the owners are set together with the value: if the stored object has
//! the value that is written, they are those of the stored object; otherwise only what Cluster API's own controllers
//! applied counts. The manager that applies what propagates to the place becomes an owner, if it has applied before:
//! its next apply removes the value if the source dropped it meanwhile.
//!
//! Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers, create.go, update.go and patch.go: the field manager
//! runs before admission; fieldmanager/admission.go: managedFields that a webhook returns are kept if they can be
//! parsed.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::is_of_cluster_api;
use crate::json::{Document, Edit, Step, Write, splice};
use crate::propagation::moved_fields::{HeldParts, MovedFields};
use crate::propagation::owned_path::{OwnedChange, OwnedPath, VERSIONS, version_index};
use crate::subject::Subject;
use kubernetes::field_set::NotASet;
use kubernetes::managed_fields::{self, ManagedFieldsEntry};
use kubernetes::{Action, PathTree, same_but_bookkeeping};

/// The path of the object that has `managedFields`.
const METADATA: &[Step] = &[Step::Field(Cow::Borrowed("metadata"))];

/// The owners of one object's fields, as the request has them and as they are stored.
pub struct Ownership<'s, 'e> {
    pub(super) subject: &'s Subject<'e>,
    /// `None` if they cannot be read, or if there are none.
    requested: Option<Vec<ManagedFieldsEntry<'e>>>,
    /// The same for the stored object.
    stored: Option<Vec<ManagedFieldsEntry<'e>>>,
}

impl<'s, 'e> Ownership<'s, 'e> {
    /// The owners of an object's fields.
    pub fn of(subject: &'s Subject<'e>) -> Self {
        let entries = |managed_fields| ManagedFieldsEntry::all(managed_fields).filter(|entries| !entries.is_empty());
        let old = subject.old().ok().flatten();
        Ownership {
            subject,
            requested: entries(subject.object.managed_fields),
            stored: old.and_then(|old| entries(old.managed_fields)),
        }
    }

    /// Whether a manager has applied the stored object, so that it can own what is added, or its entry was begun.
    pub(crate) fn applies(&self, manager: &str) -> bool {
        let is_its = |entry: &&ManagedFieldsEntry<'_>| entry.is_apply_of(manager);
        let of_request = self.requested.iter().flatten().find(is_its);
        let is_stored = || self.stored.iter().flatten().any(|entry| is_its(&entry));
        self.subject.review.is_of_api_server && of_request.is_some_and(|entry| entry.is_begun() || is_stored())
    }

    /// Whether the entry of a manager can be begun: no manager of Cluster API has applied the object, not even one of an
    /// edition that the settings do not name, which would then share what it should own alone.
    pub(super) fn can_begin(&self) -> bool {
        let is_applied = |entry: &ManagedFieldsEntry<'_>| entry.applies() && is_of_cluster_api(entry.manager);
        self.subject.review.is_of_api_server && self.requested.is_some() && !self.entries().any(is_applied)
    }

    /// The keys of one map that the request has only in the entry of a manager, if that was begun and is stored.
    pub(super) fn begun_alone(&self, manager: &str, map: &OwnedPath) -> BTreeSet<&'e str> {
        let entries = self.requested.iter().flatten();
        let (begun, others): (Vec<&ManagedFieldsEntry<'e>>, Vec<_>) =
            entries.partition(|entry| entry.is_apply_of(manager));
        let is_stored = || self.stored.iter().flatten().any(|entry| entry.is_apply_of(manager));
        if !begun.iter().all(|entry| entry.is_begun()) || !is_stored() {
            return BTreeSet::new();
        }
        let keys = |entries: Vec<&ManagedFieldsEntry<'e>>| -> Option<BTreeSet<&'e str>> {
            let sets = entries.into_iter().map(|entry| map.keys(entry)).collect::<Result<Vec<_>, NotASet>>();
            Some(sets.ok()?.into_iter().flatten().collect())
        };
        let (Some(begun), Some(others)) = (keys(begun), keys(others)) else { return BTreeSet::new() };
        begun.difference(&others).copied().collect()
    }

    /// Whether owners can be restored at all: they are known, or there are none, as in files.
    pub(crate) fn can_be_returned(&self) -> bool {
        !self.subject.review.is_of_api_server || (self.requested.is_some() && self.stored.is_some())
    }

    /// The entries of the request, and of the stored object.
    pub(super) fn entries(&self) -> impl Iterator<Item = &ManagedFieldsEntry<'e>> {
        self.requested.iter().chain(&self.stored).flatten()
    }

    /// The indices of the edits that are not undone: that would make somebody an owner who was none, and they can wait for
    /// Cluster API.
    pub fn left_to_cluster_api(&self, changes: &[OwnedChange]) -> BTreeSet<usize> {
        let can_wait = |(index, change): (usize, &'_ OwnedChange)| {
            (change.action == Action::Restored && change.owned.as_ref()?.can_wait).then_some(index)
        };
        let waiting: BTreeSet<usize> = changes.iter().enumerate().filter_map(can_wait).collect();
        if waiting.is_empty() || !self.can_be_returned() {
            return waiting;
        }
        let mut left = BTreeSet::new();
        let mut trees: [PathTree; VERSIONS.len()] = Default::default();
        for index in waiting {
            let Some((change, owned)) = changes.get(index).and_then(|it| Some((it, it.owned.as_ref()?))) else {
                continue;
            };
            if !owned.is_known_to_all(self.entries()) {
                left.insert(index);
            }
            for (version, tree) in VERSIONS.iter().zip(&mut trees) {
                owned.steps(&change.key, version).into_iter().for_each(|path| tree.insert(&path, index));
            }
        }
        for entry in self.entries() {
            trees.get_mut(version_index(entry.version)).into_iter().for_each(|tree| tree.check(entry.fields));
        }
        left.extend(trees.iter().flat_map(PathTree::unreadable));
        left
    }

    /// The write of `metadata.managedFields` that belongs to the changes; `None` if it is not changed.
    pub fn write(&self, written: &[OwnedChange]) -> Option<Write<'static>> {
        let text = self.returned(written)?;
        Some(Write { object: METADATA, field: "managedFields", edit: Edit::Set(text.into()) })
    }

    /// `metadata.managedFields` with the owners of what is written; `None` if it is not changed.
    pub(super) fn returned(&self, written: &[OwnedChange]) -> Option<String> {
        let requested = self.requested.as_ref().filter(|_| self.subject.review.is_of_api_server)?;
        let written: Vec<(&OwnedChange, &OwnedPath)> =
            written.iter().filter_map(|change| Some((change, change.owned.as_ref()?))).collect();
        let mut moved = MovedFields::of(self, &written).ok().filter(|moved| !moved.is_all_without_owners())?;
        let requested = moved.held(requested).ok()?;
        let stored = moved.held(self.stored.as_deref().unwrap_or_default()).ok()?;
        moved.decide(&requested, &stored);
        // Of several entries of one manager, the first counts.
        let mut by_manager = BTreeMap::new();
        for held in &stored {
            by_manager.entry(held.entry.manager_identity()).or_insert(held);
        }
        // Each entry, with its set of fields if that is changed.
        let mut entries: Vec<(&ManagedFieldsEntry<'_>, Option<String>)> = Vec::new();
        let (mut is_same, mut managers) = (true, BTreeSet::new());
        for held in &requested {
            let manager = held.entry.manager_identity();
            let is_first = managers.insert(manager);
            let changed = moved.transferred(Some(held), by_manager.get(&manager).copied(), is_first).ok()?;
            is_same &= changed.is_none();
            if changed != Some(None) {
                entries.push((held.entry, changed.flatten()));
            }
        }
        let begun = moved.begun().map(|manager| {
            let api_version = self.subject.object.root.string(&["apiVersion"]).ok().flatten().unwrap_or_default();
            let others = self.requested.as_deref().unwrap_or_default();
            Document::new(managed_fields::begun(manager, api_version, others))
        });
        let begun = begun.as_ref().and_then(|begun| ManagedFieldsEntry::all(begun.root())).unwrap_or_default();
        let begun = moved.held(&begun).ok()?;
        let mut restored = Vec::new();
        for held in &begun {
            if let Some(Some(fields)) = moved.transferred(Some(held), None, true).ok()? {
                restored.push((held.entry, Some(fields)));
            }
        }
        for held in stored.iter().filter(|held| !managers.contains(&held.entry.manager_identity())) {
            if let Some(Some(fields)) = moved.transferred(None, Some(held), true).ok()? {
                restored.push((held.entry, Some(fields)));
            }
        }
        is_same &= restored.is_empty();
        entries = merged(entries, restored);
        // An entry that was begun stays when nothing else is left in it, as the controllers' own do.
        // To the API server an empty list means that there was never an apply: with the next apply, everything would be
        // shared with an unknown manager.
        if is_same || entries.is_empty() {
            return None;
        }
        let is_as_stored = written.iter().all(|(_, owned)| owned.is_as_stored);
        if is_as_stored && self.owns_as_stored(&entries, &by_manager) && self.leaves_what_is_stored(&written) {
            return self.subject.old().ok()?.map(|old| old.managed_fields.text().to_owned());
        }
        let texts: Option<Vec<Cow<'_, str>>> = entries.into_iter().map(|(entry, fields)| entry.with(fields)).collect();
        Some(["[", &texts?.join(","), "]"].concat())
    }

    /// Whether the managers are those of the stored object, and own the same.
    fn owns_as_stored<'a>(
        &self,
        entries: &[ChangedEntry<'_, 'a>],
        by_manager: &BTreeMap<[&'a str; 4], &HeldParts<'_, 'a>>,
    ) -> bool {
        let is_as_stored = |(entry, changed): &ChangedEntry<'_, 'a>| {
            let fields = changed.as_deref().unwrap_or(entry.fields.text());
            by_manager.get(&entry.manager_identity()).is_some_and(|stored| stored.entry.fields.text() == fields)
        };
        self.stored.as_ref().is_some_and(|stored| stored.len() == entries.len()) && entries.iter().all(is_as_stored)
    }

    /// Whether the request changes nothing any more except what the API server maintains itself. Everything that is written
    /// is as it is stored.
    fn leaves_what_is_stored(&self, written: &[(&OwnedChange, &OwnedPath)]) -> bool {
        let Ok(Some(old)) = self.subject.old() else { return false };
        let writes: Vec<Write<'_>> = written.iter().map(|(change, _)| change.write()).collect();
        let Ok(text) = splice(self.subject.object.root, &writes) else { return false };
        same_but_bookkeeping(Document::new(text).root(), old.root)
    }
}

/// An entry, with its set of fields if that is changed.
type ChangedEntry<'h, 'e> = (&'h ManagedFieldsEntry<'e>, Option<String>);

/// Entries in the order in which the API server lists them, and more, each after those of the same order.
fn merged<'h, 'e>(
    entries: Vec<ChangedEntry<'h, 'e>>,
    mut more: Vec<ChangedEntry<'h, 'e>>,
) -> Vec<ChangedEntry<'h, 'e>> {
    more.sort_by(|(entry, _), (other, _)| entry.order(other));
    let mut merged = Vec::with_capacity(entries.len() + more.len());
    let mut entries = entries.into_iter().peekable();
    for (entry, fields) in more {
        while let Some(before) = entries.next_if(|(before, _)| before.order(entry) != Ordering::Greater) {
            merged.push(before);
        }
        merged.push((entry, fields));
    }
    merged.extend(entries);
    merged
}
