//! What is moved into the managers' sets of fields, and out of them, when values are written.
//!
//! Each set is searched once for all that is written, and each manager only gets what concerns it: an object may have
//! thousands of managers, and thousands of values may be written.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::is_of_cluster_api;
use crate::json::{Document, Json, Step};
use crate::propagation::owned_path::{OwnedChange, OwnedElement, OwnedPath, VERSIONS, version_index};
use crate::propagation::ownership::Ownership;
use kubernetes::field_set::{NotASet, Transfer, below, has_itself};
use kubernetes::managed_fields::ManagedFieldsEntry;
use kubernetes::{Action, Change, PathTree};

/// The steps to a value in sets of fields, by the index of the object's version in them.
type Paths = [Option<Vec<String>>; VERSIONS.len()];

/// What is written, as far as its owners matter.
pub(super) struct MovedFields<'c> {
    items: Vec<MovedItem<'c>>,
    /// The items by their paths, for each version.
    trees: [PathTree; VERSIONS.len()],
    /// Objects and lists that the request lacks and that are restored with values.
    containers: BTreeSet<Container>,
    /// The managers that become owners of what is not as it is stored.
    appliers: BTreeSet<&'static str>,
    /// The one whose entry is begun.
    begun: Option<&'static str>,
    /// The field manager of the request, if it is named.
    requester: Option<&'c str>,
}

/// A value that is written, or an element of a list.
struct MovedItem<'c> {
    paths: Paths,
    fields: &'c [String],
    /// The manager that becomes an owner of what is not as it is stored.
    applier: Option<&'static str>,
    /// The request lacks the value.
    is_added: bool,
    /// The value goes, with its owners.
    is_removed: bool,
    value: Restored,
}

impl MovedItem<'_> {
    /// Whether it gets no owner: the request lacks what is added, so only the manager that applies it can be one.
    fn is_without_owner(&self) -> bool {
        self.is_added && !self.value.is_as_stored && self.applier.is_none()
    }
}

/// An object or a list that something is written in.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Container {
    paths: Paths,
    /// Whether what is written has the same path in a version as in the version of the object.
    is_same: [bool; VERSIONS.len()],
}

/// A value that was written.
#[derive(Clone, Copy, Default)]
struct Restored {
    /// The stored object has the same.
    is_as_stored: bool,
    /// It has no owner in the request: it was removed, and its value there is a default.
    is_dropped: bool,
    /// It was removed by its only owner.
    is_released: bool,
}

/// An entry, and what it owns of what is written, by the index of the item.
pub(super) struct HeldParts<'h, 'e> {
    pub(super) entry: &'h ManagedFieldsEntry<'e>,
    parts: BTreeMap<usize, Json<'e>>,
}

impl<'c> MovedFields<'c> {
    /// What determines the owners of changes.
    pub(super) fn of(
        ownership: &'c Ownership<'_, '_>,
        written: &[(&'c OwnedChange, &'c OwnedPath)],
    ) -> Result<Self, NotASet> {
        let version = version_index(ownership.subject.object.version);
        let mut used = [false; VERSIONS.len()];
        for version in ownership.entries().map(|entry| version_index(entry.version)).chain([version]) {
            used.get_mut(version).into_iter().for_each(|used| *used = true);
        }
        let mut moved = MovedFields {
            items: Vec::with_capacity(written.len()),
            trees: Default::default(),
            containers: BTreeSet::new(),
            appliers: BTreeSet::new(),
            begun: None,
            requester: ownership.subject.review.field_manager.as_deref(),
        };
        // Few managers are responsible for many values.
        let mut applies = BTreeMap::new();
        let can_begin = ownership.can_begin();
        for (change, owned) in written.iter().copied() {
            let mut versions = VERSIONS.iter().zip(used).map(|(version, is_used)| is_used.then_some(*version));
            let paths: Paths = std::array::from_fn(|_| owned.steps(&change.key, versions.next()??));
            let begun = owned.manager.filter(|_| owned.begins && can_begin);
            let applies = |it: &&'static str| *applies.entry(*it).or_insert_with(|| ownership.applies(it));
            let applier = begun.or(owned.manager.filter(applies));
            moved.begun = moved.begun.or(begun);
            let (is_added, is_removed) = (change.action == Action::Added, change.action == Action::Removed);
            for (steps, fields, is_as_stored) in parts_of(ownership, change, owned)? {
                let value = Restored { is_as_stored, ..Restored::default() };
                let paths = paths.clone().map(|path| Some([path?, steps.to_vec()].concat()));
                moved.add(MovedItem { paths, fields, applier, is_added, is_removed, value });
            }
            if !is_added && !is_removed {
                moved.restore_containers(&paths, version, &absent(ownership, change, owned));
            }
        }
        Ok(moved)
    }

    /// Whether nobody owns what is written: the request lacks all of it, and no manager is responsible for it.
    pub(super) fn is_all_without_owners(&self) -> bool {
        self.containers.is_empty() && self.items.iter().all(MovedItem::is_without_owner)
    }

    /// The manager whose entry is begun, because it becomes an owner and has not applied yet.
    pub(super) fn begun(&self) -> Option<&'static str> {
        self.begun
    }

    fn add(&mut self, item: MovedItem<'c>) {
        for (path, tree) in item.paths.iter().zip(&mut self.trees) {
            path.iter().for_each(|path| tree.insert(path, self.items.len()));
        }
        self.appliers.extend(item.applier);
        self.items.push(item);
    }

    fn restore_containers(&mut self, paths: &Paths, version: usize, lengths: &[usize]) {
        let own = paths.get(version);
        for length in lengths {
            let path = |path: &Option<Vec<String>>| path.as_ref().and_then(|path| Some(path.get(..*length)?.to_vec()));
            let is_same = paths.each_ref().map(|path| path.is_some() && Some(path) == own);
            self.containers.insert(Container { paths: paths.each_ref().map(path), is_same });
        }
    }

    /// What entries own of what is written.
    pub(super) fn held<'h, 'e>(
        &self,
        entries: &'h [ManagedFieldsEntry<'e>],
    ) -> Result<Vec<HeldParts<'h, 'e>>, NotASet> {
        let held = |entry: &'h ManagedFieldsEntry<'e>| {
            let tree = self.trees.get(version_index(entry.version));
            Ok(HeldParts { entry, parts: tree.map(|tree| tree.parts(entry.fields)).transpose()?.unwrap_or_default() })
        };
        entries.iter().map(held).collect()
    }

    /// Finds out what determines the owners of values that are as they are stored.
    pub(super) fn decide(&mut self, requested: &[HeldParts<'_, '_>], stored: &[HeldParts<'_, '_>]) {
        let count = self.items.len();
        let (mut is_owned, mut was_owned, mut is_kept) = (vec![false; count], vec![false; count], vec![false; count]);
        let set = |list: &mut Vec<bool>, at: usize| list.get_mut(at).into_iter().for_each(|it| *it = true);
        requested.iter().flat_map(|held| held.parts.keys()).for_each(|item| set(&mut is_owned, *item));
        for HeldParts { entry, parts } in stored {
            let gives_up = !entry.applies() && self.requester == Some(entry.manager);
            for item in parts.keys() {
                set(&mut was_owned, *item);
                if !gives_up {
                    set(&mut is_kept, *item);
                }
            }
        }
        let owners = is_owned.into_iter().zip(was_owned).zip(is_kept);
        for (item, ((is_owned, was_owned), is_kept)) in self.items.iter_mut().zip(owners) {
            // Who owned a value that is not as it is stored does not matter.
            if item.value.is_as_stored {
                item.value.is_dropped = !is_owned;
                item.value.is_released = !is_owned && was_owned && !is_kept;
            }
        }
    }

    /// One manager's set of fields after the changes: `None` if it is not changed, else its text, unless nothing is
    /// left. Only the first entry of a manager becomes an owner.
    pub(super) fn transferred<'e>(
        &self,
        requested: Option<&HeldParts<'_, 'e>>,
        stored: Option<&HeldParts<'_, 'e>>,
        is_first: bool,
    ) -> Result<Option<Option<String>>, NotASet> {
        let Some(entry) = requested.or(stored).map(|held| held.entry) else { return Ok(None) };
        let is_applier = |manager: &&str| is_first && entry.is_apply_of(manager);
        let mut concerned: BTreeSet<usize> =
            [requested, stored].into_iter().flatten().flat_map(|it| it.parts.keys().copied()).collect();
        if self.appliers.iter().any(is_applier) {
            concerned.extend(0..self.items.len());
        }
        let version = version_index(entry.version);
        let mut transfer = Transfer::default();
        for index in concerned {
            let Some(item) = self.items.get(index) else { continue };
            let Some(Some(path)) = item.paths.get(version) else { continue };
            let is_responsible = item.applier.as_ref().is_some_and(is_applier);
            if item.is_added && !item.value.is_as_stored && !is_responsible {
                continue;
            }
            let part = |held: Option<&HeldParts<'_, 'e>>| held.and_then(|held| held.parts.get(&index)).copied();
            let now = part(requested);
            if item.is_removed {
                now.iter().for_each(|_| transfer.put(path, None));
                continue;
            }
            let is_applied = || requested.is_some_and(|it| it.entry.applies() && is_of_cluster_api(it.entry.manager));
            let part = match item.value.is_as_stored {
                true => part(stored.filter(|stored| !self.lets_go(stored.entry, item.value))),
                false => now.filter(|_| is_applied()),
            };
            let gets = is_responsible && (!item.value.is_as_stored || item.value.is_released) && part.is_none();
            if gets {
                transfer.put_itself(path, true);
                for field in item.fields {
                    transfer.put_itself(&[path.as_slice(), &[["f:", field].concat()]].concat(), true);
                }
            } else if now.map(Json::text) != part.map(Json::text) {
                transfer.put(path, part);
            }
        }
        self.move_containers(requested, stored, &mut transfer)?;
        if transfer.is_empty() {
            return Ok(None);
        }
        let empty = Document::new("{}");
        let set = requested.map_or(empty.root(), |held| held.entry.fields);
        transfer.made_in(set).map(Some)
    }

    /// Whether a manager removes what it had set itself. A manager that applies gives it up with its next apply; for an
    /// Update this is the only way, and a manager that got the value back would keep it when the source drops it.
    fn lets_go(&self, stored: &ManagedFieldsEntry<'_>, value: Restored) -> bool {
        value.is_dropped && !stored.applies() && self.requester == Some(stored.manager)
    }

    /// Objects and lists that exist again because something in them was written.
    fn move_containers<'e>(
        &self,
        requested: Option<&HeldParts<'_, 'e>>,
        stored: Option<&HeldParts<'_, 'e>>,
        transfer: &mut Transfer<'e>,
    ) -> Result<(), NotASet> {
        let [requested, stored] = [requested, stored].map(|held| held.map(|held| held.entry));
        let Some(version) = requested.or(stored).map(|entry| version_index(entry.version)) else { return Ok(()) };
        for Container { paths, is_same } in &self.containers {
            let (Some(Some(path)), Some(true)) = (paths.get(version), is_same.get(version)) else { continue };
            let stored_path = stored.and_then(|entry| paths.get(version_index(entry.version))?.as_deref());
            let is_in = has_itself(part(requested, Some(path))?);
            let was_in = has_itself(part(stored, stored_path)?);
            if is_in != was_in {
                transfer.put_itself(path, was_in);
            }
        }
        Ok(())
    }
}

fn part<'e>(entry: Option<&ManagedFieldsEntry<'e>>, path: Option<&[String]>) -> Result<Option<Json<'e>>, NotASet> {
    match (entry, path) {
        (Some(entry), Some(path)) => below(entry.fields, path),
        _ => Ok(None),
    }
}

/// The steps to a part of a value in it, the fields of an element, and whether the stored object has the same.
type WrittenPart<'c> = (&'c [String], &'c [String], bool);

/// What is moved of a value: the whole, or elements of a list.
fn parts_of<'c>(
    ownership: &Ownership<'_, '_>,
    change: &Change,
    owned: &'c OwnedPath,
) -> Result<Vec<WrittenPart<'c>>, NotASet> {
    let element = |element: &'c OwnedElement| (&*element.steps, &*element.fields, element.is_as_stored);
    let are_apart = || -> Result<bool, NotASet> {
        Ok(change.action == Action::Added || tells_elements_apart(ownership, change, owned)?)
    };
    if !owned.elements.is_empty() && are_apart()? {
        return Ok(owned.elements.iter().map(element).collect());
    }
    let whole: WrittenPart<'c> = (&[], &[], owned.is_as_stored);
    Ok(vec![whole])
}

/// Whether the API server knows the owner of each element of a list: otherwise the list is one value.
fn tells_elements_apart(ownership: &Ownership<'_, '_>, change: &Change, owned: &OwnedPath) -> Result<bool, NotASet> {
    for entry in ownership.entries() {
        let Some(path) = owned.steps(&change.key, entry.version) else { continue };
        let list = below(entry.fields, &path)?.and_then(Json::as_fields);
        if list.is_some_and(|mut steps| steps.any(|(step, _)| step.starts_with("k:"))) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The lengths of the paths of the objects and the list that the request lacks and that are restored with the value.
fn absent(ownership: &Ownership<'_, '_>, change: &Change, owned: &OwnedPath) -> Vec<usize> {
    let mut path: Vec<&str> = change.path.steps().iter().filter_map(Step::name).collect();
    if !owned.elements.is_empty() {
        path.push(&change.key);
    }
    let is_absent = |length: &usize| {
        let container = path.get(..*length).unwrap_or_default();
        ownership.subject.object.root.at(container).is_ok_and(Json::is_null)
    };
    (1..=path.len()).filter(is_absent).collect()
}
