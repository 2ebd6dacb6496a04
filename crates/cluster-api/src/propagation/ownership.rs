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

use crate::catalog::appliers::is_of_cluster_api;
use crate::json::document::{Document, Json};
use crate::json::path::Step;
use crate::json::splice::{Edit, Write, splice};
use crate::propagation::owned_path::{OwnedChange, OwnedElement, OwnedPath};
use crate::subject::Subject;
use facts::change::{Action, Change};
use kubernetes::bookkeeping::same_but_bookkeeping;
use kubernetes::field_set::{NotASet, Transfer, below, has_itself};
use kubernetes::managed_fields::ManagedFieldsEntry;

/// The path of the object that has `managedFields`.
const METADATA: &[Step] = &[Step::Field(Cow::Borrowed("metadata"))];

/// The owners of one object's fields, as the request has them and as they are stored.
pub struct Ownership<'s, 'e> {
    subject: &'s Subject<'e>,
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

    /// Whether a manager has applied the stored object, so that it can own what is added.
    pub(crate) fn applies(&self, manager: &str) -> bool {
        let is_its = |entry: &ManagedFieldsEntry<'_>| entry.is_apply_of(manager);
        let has = |entries: &Option<Vec<ManagedFieldsEntry<'_>>>| entries.iter().flatten().any(is_its);
        self.subject.review.is_of_api_server && has(&self.requested) && has(&self.stored)
    }

    /// Whether owners can be restored at all: they are known, or there are none, as in files.
    pub(crate) fn can_be_returned(&self) -> bool {
        !self.subject.review.is_of_api_server || (self.requested.is_some() && self.stored.is_some())
    }

    /// Whether an edit may be undone: undoing it makes nobody an owner who was none, or it cannot wait for Cluster API.
    pub fn may_restore(&self, change: &OwnedChange) -> bool {
        let Some(owned) = change.owned.as_ref().filter(|owned| owned.can_wait) else { return true };
        let is_readable = |entry: &ManagedFieldsEntry<'_>| {
            let path = owned.steps(&change.key, entry.version);
            owned.is_known_to(entry) && path.is_none_or(|path| below(entry.fields, &path).is_ok())
        };
        self.can_be_returned() && self.requested.iter().chain(&self.stored).flatten().all(is_readable)
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
        let versions = self.versions();
        let moving = written.iter().map(|(change, owned)| self.moving(change, owned, &versions));
        let moving = moving.collect::<Result<Vec<_>, _>>().ok()?;
        // Each entry, with its set of fields if that is changed.
        let mut entries: Vec<(&ManagedFieldsEntry<'_>, Option<String>)> = Vec::new();
        let mut is_same = true;
        for entry in requested {
            let changed = self.transferred(Some(entry), self.stored_entry(entry), &moving).ok()?;
            is_same &= changed.is_none();
            if changed != Some(None) {
                entries.push((entry, changed.flatten()));
            }
        }
        for stored in self.stored.iter().flatten() {
            if requested.iter().any(|entry| entry.is_of_the_manager_of(stored)) {
                continue;
            }
            if let Some(Some(fields)) = self.transferred(None, Some(stored), &moving).ok()? {
                is_same = false;
                let at = entries.partition_point(|(entry, _)| entry.order(stored) != Ordering::Greater);
                entries.insert(at, (stored, Some(fields)));
            }
        }
        // To the API server an empty list means that there was never an apply: with the next apply, everything would be
        // shared with an unknown manager.
        if is_same || entries.is_empty() {
            return None;
        }
        let is_as_stored = written.iter().all(|(_, owned)| owned.is_as_stored);
        if is_as_stored && self.owns_as_stored(&entries) && self.leaves_what_is_stored(&written) {
            return self.subject.old().ok()?.map(|old| old.managed_fields.text().to_owned());
        }
        let texts: Option<Vec<Cow<'_, str>>> = entries.into_iter().map(|(entry, fields)| entry.with(fields)).collect();
        Some(["[", &texts?.join(","), "]"].concat())
    }

    /// Whether the managers are those of the stored object, and own the same.
    fn owns_as_stored(&self, entries: &[(&ManagedFieldsEntry<'_>, Option<String>)]) -> bool {
        let is_as_stored = |(entry, changed): &(&ManagedFieldsEntry<'_>, Option<String>)| {
            let fields = changed.as_deref().unwrap_or(entry.fields.text());
            self.stored_entry(entry).is_some_and(|stored| stored.fields.text() == fields)
        };
        self.stored.as_ref().is_some_and(|stored| stored.len() == entries.len()) && entries.iter().all(is_as_stored)
    }

    fn stored_entry(&self, entry: &ManagedFieldsEntry<'_>) -> Option<&ManagedFieldsEntry<'e>> {
        self.stored.iter().flatten().find(|stored| stored.is_of_the_manager_of(entry))
    }

    /// Whether the request changes nothing any more except what the API server maintains itself. Everything that is written
    /// is as it is stored.
    fn leaves_what_is_stored(&self, written: &[(&OwnedChange, &OwnedPath)]) -> bool {
        let Ok(Some(old)) = self.subject.old() else { return false };
        let writes: Vec<Write<'_>> = written.iter().map(|(change, _)| change.write()).collect();
        let Ok(text) = splice(self.subject.object.root, &writes) else { return false };
        same_but_bookkeeping(Document::new(text).root(), old.root)
    }

    /// The versions in which the object and its owners' fields are named.
    fn versions(&self) -> BTreeSet<&'e str> {
        let entries = self.requested.iter().chain(&self.stored).flatten();
        entries.map(|entry| entry.version).chain([self.subject.object.version]).collect()
    }

    /// The manager that applies what propagates to the place, if it has applied before.
    fn applier(&self, owned: &OwnedPath) -> Option<&'static str> {
        owned.manager.filter(|manager| self.applies(manager))
    }

    /// What determines the owners of a change.
    fn moving<'c>(
        &self,
        change: &Change,
        owned: &'c OwnedPath,
        versions: &BTreeSet<&'e str>,
    ) -> Result<Moving<'c, 'e>, NotASet> {
        let whole = [(&[][..], &[][..], owned.is_as_stored)];
        let element = |element: &'c OwnedElement| (&*element.steps, &*element.fields, element.is_as_stored);
        let elements = owned.elements.iter().map(element);
        let is_added = change.action == Action::Added;
        let has_elements = !owned.elements.is_empty() && (is_added || self.tells_elements_apart(change, owned)?);
        let parts: Vec<(&[String], &[String], bool)> = if has_elements { elements.collect() } else { whole.into() };
        let path = |version: &&'e str| Some((*version, owned.steps(&change.key, version)?));
        let paths = versions.iter().filter_map(path).collect();
        let restored = |(steps, fields, is_as_stored)| {
            // Who owned a value that is not as it is stored does not matter.
            let value = if is_as_stored { self.restored(&paths, steps)? } else { Restored::default() };
            Ok(WrittenPart { steps, fields, value })
        };
        let parts = parts.into_iter().map(restored).collect::<Result<_, NotASet>>()?;
        let absent = if is_added { Vec::new() } else { self.absent(change, owned) };
        Ok(Moving { applier: self.applier(owned), is_added, paths, parts, absent })
    }

    /// One manager's set of fields after the changes: `None` if it is not changed, else its text, unless nothing is
    /// left.
    fn transferred(
        &self,
        requested: Option<&ManagedFieldsEntry<'e>>,
        stored: Option<&ManagedFieldsEntry<'e>>,
        moving: &[Moving<'_, 'e>],
    ) -> Result<Option<Option<String>>, NotASet> {
        let Some(entry) = requested.or(stored) else { return Ok(None) };
        let requester = self.subject.review.field_manager.as_deref();
        let mut moved = Moved { requested, stored, requester, transfer: Transfer::default() };
        let (version, stored_version) = (entry.version, stored.map(|stored| stored.version));
        for Moving { applier, is_added, paths, parts, absent } in moving {
            let Some(path) = paths.get(version) else { continue };
            let stored_path = stored_version.and_then(|version| paths.get(version));
            let is_responsible = applier.is_some_and(|manager| entry.is_apply_of(manager));
            for WrittenPart { steps, fields, value } in parts {
                // The request lacks what is added, so nobody else owns it.
                if *is_added && !value.is_as_stored && !is_responsible {
                    continue;
                }
                let gets = is_responsible.then_some(*fields);
                let stored_path = stored_path.map(|path| inside(path, steps));
                moved.move_value(&inside(path, steps), stored_path.as_deref(), *value, gets)?;
            }
            if !absent.is_empty() && paths.get(self.subject.object.version) == Some(path) {
                for length in absent {
                    let container = |path: &'_ Vec<String>| path.get(..*length).unwrap_or_default().to_vec();
                    moved.move_container(&container(path), stored_path.map(container).as_deref())?;
                }
            }
        }
        if moved.transfer.is_empty() {
            return Ok(None);
        }
        let empty = Document::new("{}");
        let set = requested.map_or(empty.root(), |entry| entry.fields);
        moved.transfer.made_in(set).map(Some)
    }

    /// What determines the owners of a value that is as it is stored, or of what is at `steps` in it.
    fn restored(&self, paths: &Paths<'e>, steps: &[String]) -> Result<Restored, NotASet> {
        let owns = |entry: &ManagedFieldsEntry<'_>| {
            let path = paths.get(entry.version).map(|path| inside(path, steps));
            part(Some(entry), path.as_deref()).map(|part| part.is_some())
        };
        let mut is_dropped = true;
        for entry in self.requested.iter().flatten() {
            is_dropped &= !owns(entry)?;
        }
        let requester = self.subject.review.field_manager.as_deref();
        let (mut was_owned, mut is_released) = (false, is_dropped);
        for entry in self.stored.iter().flatten() {
            let is_owner = owns(entry)?;
            was_owned |= is_owner;
            is_released &= !is_owner || !entry.applies() && requester == Some(entry.manager);
        }
        Ok(Restored { is_as_stored: true, is_dropped, is_released: is_released && was_owned })
    }

    /// The lengths of the paths of the objects and the list that the request lacks and that are restored with the
    /// value.
    fn absent(&self, change: &Change, owned: &OwnedPath) -> Vec<usize> {
        let mut path: Vec<&str> = change.path.steps().iter().filter_map(Step::name).collect();
        if !owned.elements.is_empty() {
            path.push(&change.key);
        }
        let is_absent = |length: &usize| {
            let container = path.get(..*length).unwrap_or_default();
            self.subject.object.root.at(container).is_ok_and(Json::is_null)
        };
        (1..=path.len()).filter(is_absent).collect()
    }

    /// Whether the API server knows the owner of each element of a list: otherwise the list is one value.
    fn tells_elements_apart(&self, change: &Change, owned: &OwnedPath) -> Result<bool, NotASet> {
        for entry in self.requested.iter().chain(&self.stored).flatten() {
            let Some(path) = owned.steps(&change.key, entry.version) else { continue };
            let list = below(entry.fields, &path)?.and_then(Json::as_fields);
            if list.is_some_and(|mut steps| steps.any(|(step, _)| step.starts_with("k:"))) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The steps to a value in sets of fields, by the version of the object in them.
type Paths<'e> = BTreeMap<&'e str, Vec<String>>;

/// The steps to what is at `steps` in a value.
fn inside<'p>(path: &'p [String], steps: &[String]) -> Cow<'p, [String]> {
    if steps.is_empty() { Cow::Borrowed(path) } else { Cow::Owned([path, steps].concat()) }
}

/// A change whose owners are moved, and what determines them.
struct Moving<'c, 'e> {
    /// The manager that becomes an owner of what is not as it is stored.
    applier: Option<&'static str>,
    /// The request lacks the value.
    is_added: bool,
    paths: Paths<'e>,
    /// What is moved: the value as a whole, or elements of a list.
    parts: Vec<WrittenPart<'c>>,
    /// The lengths of the paths of the objects and the list that are restored with the value.
    absent: Vec<usize>,
}

/// A value or an element of a list.
struct WrittenPart<'c> {
    /// The steps to it in the value.
    steps: &'c [String],
    /// The fields of an element.
    fields: &'c [String],
    value: Restored,
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

/// What is moved into one manager's set of fields, and out of it.
struct Moved<'a, 'e> {
    requested: Option<&'a ManagedFieldsEntry<'e>>,
    stored: Option<&'a ManagedFieldsEntry<'e>>,
    /// The field manager of the request, if it is named.
    requester: Option<&'a str>,
    transfer: Transfer<'e>,
}

impl<'e> Moved<'_, 'e> {
    /// A value that was written, and everything in it; `None` if the stored set cannot have it. With `gets` the manager
    /// becomes an owner of a value that is not as it is stored, or whose only owner removed it; of an element, it owns
    /// these fields.
    fn move_value(
        &mut self,
        path: &[String],
        stored_path: Option<&[String]>,
        value: Restored,
        gets: Option<&[String]>,
    ) -> Result<(), NotASet> {
        let requested = part(self.requested, Some(path))?;
        let is_applied = |entry: &&ManagedFieldsEntry<'_>| entry.applies() && is_of_cluster_api(entry.manager);
        let part = match value.is_as_stored {
            true => part(self.stored.filter(|stored| !self.lets_go(stored, value)), stored_path)?,
            false => requested.filter(|_| self.requested.as_ref().is_some_and(is_applied)),
        };
        if let Some(fields) = gets.filter(|_| (!value.is_as_stored || value.is_released) && part.is_none()) {
            self.transfer.put_itself(path, true);
            for field in fields {
                self.transfer.put_itself(&[path, &[["f:", field].concat()]].concat(), true);
            }
        } else if requested.map(Json::text) != part.map(Json::text) {
            self.transfer.put(path, part);
        }
        Ok(())
    }

    /// Whether a manager removes what it had set itself. A manager that applies gives it up with its next apply; for an
    /// Update this is the only way, and a manager that got the value back would keep it when the source drops it.
    fn lets_go(&self, stored: &ManagedFieldsEntry<'_>, value: Restored) -> bool {
        value.is_dropped && !stored.applies() && self.requester == Some(stored.manager)
    }

    /// An object or a list that exists again because something in it was written.
    fn move_container(&mut self, path: &[String], stored_path: Option<&[String]>) -> Result<(), NotASet> {
        let requested = has_itself(part(self.requested, Some(path))?);
        let stored = has_itself(part(self.stored, stored_path)?);
        if requested != stored {
            self.transfer.put_itself(path, stored);
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
