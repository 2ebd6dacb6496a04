//! The objects of the world, the host's cache, what controllers remember, and how a write changes them.

use crate::location::{EntryLocation, EntrySource, FieldManager, Managers, ModelKind, ModelValue};
use crate::manifest::ClusterManifest;
use crate::policy::{ModelRequest, PolicyAnswer, PolicyUnderTest, ReadableObjects};
use crate::server::{Conflict, ModelObject, OwnedEntry, Values};

/// All state except the Cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct World {
    objects: [Option<ModelObject>; 3],
    /// The contents of the policy host's cache.
    cache: ReadableObjects,
    /// What each controller applied last, until the object changes: it does not apply the same again.
    ///
    /// Source: internal/util/ssa/patch.go, `Patch`, whose cache has the resourceVersion after the apply in its key.
    remembered: [Option<Values>; 3],
}

/// The context of a write.
#[derive(Clone, Copy)]
pub struct WriteContext<'p> {
    /// The Cluster as it is stored.
    pub cluster: ClusterManifest,
    /// `None` in the world without the policy.
    pub policy: Option<&'p PolicyUnderTest>,
}

/// A write as the API server receives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceivedWrite {
    /// The object's kind.
    pub kind: ModelKind,
    /// The writer.
    pub manager: FieldManager,
    /// The kind of write.
    pub verb: WriteVerb,
    /// A dry run: nothing is stored.
    pub dry_run: bool,
    /// Has the annotation of the topology controller's dry runs.
    pub compares: bool,
}

/// How an object is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteVerb {
    /// Created, with these values.
    Create(Values),
    /// A patch that changes one entry.
    Edit(EntryLocation, Option<ModelValue>),
    /// A patch that changes nothing.
    Touch,
    /// An Update (PUT) with the whole object: entries that are not among these values are removed.
    Replace(Values),
    /// A patch that removes the finalizer of an object with a deletion timestamp.
    Release,
    /// Server-side apply.
    Apply {
        /// What is applied.
        values: Values,
        /// Includes everything else that the object's controller applies.
        is_whole: bool,
        /// Takes over values owned by other managers.
        force: bool,
    },
    /// Deleted: the API server sets the deletion timestamp, and the finalizer holds the object.
    Delete,
}

/// The result of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The stored object, or the dry run's answer; `None` for requests that return no object.
    Stored(Option<ModelObject>),
    /// The API server found a conflict.
    Conflict,
    /// The object does not exist, or already exists.
    Impossible,
    /// The policy refused the write.
    Refused(String),
    /// The policy wrote something outside its scope.
    Strange(String),
}

impl World {
    /// The initial world: the controllers have applied the Cluster's topology.
    pub fn settled(cluster: &ClusterManifest) -> World {
        let values = [cluster.topology; 2];
        let object = |kind: ModelKind| Some(ModelObject::created(kind, kind.controller(), &values));
        World { objects: ModelKind::ALL.map(object), cache: ReadableObjects::default(), remembered: [None; 3] }
    }

    /// One object.
    pub fn object(&self, kind: ModelKind) -> Option<&ModelObject> {
        self.objects[kind as usize].as_ref()
    }

    /// What the controller of a kind applied last, if it would not apply it again.
    pub fn remembered(&self, kind: ModelKind) -> Option<Values> {
        self.remembered[kind as usize]
    }

    /// Remembers what the controller of a kind applied.
    pub fn remember(&mut self, kind: ModelKind, values: Values) {
        self.remembered[kind as usize] = Some(values);
    }

    /// Empties the host's cache.
    pub fn expire(&mut self) {
        self.cache = ReadableObjects::default();
    }

    /// Whether the host's cache is not empty.
    pub fn has_cached(&self) -> bool {
        self.cache != ReadableObjects::default()
    }

    /// A copy without the state that has no effect without a policy: applying the same values again changes nothing
    /// and the host's cache is not used.
    pub fn as_stored(&self) -> World {
        let objects = self.objects.map(|object| object.map(ModelObject::known));
        World { objects, cache: ReadableObjects::default(), remembered: [None; 3] }
    }

    /// Performs a write: the API server computes the owners, calls the policy, and stores the result.
    pub fn write(&mut self, place: WriteContext<'_>, write: &ReceivedWrite) -> WriteOutcome {
        let ReceivedWrite { kind, manager, verb, dry_run, compares } = *write;
        let before = self.objects[kind as usize];
        let after = match (verb, before) {
            (WriteVerb::Create(values), None) => ModelObject::created(kind, manager, &values),
            (WriteVerb::Apply { values, is_whole: true, .. }, None) => ModelObject::created(kind, manager, &values),
            (WriteVerb::Edit(location, value), Some(before)) => {
                before.updated(manager, location.slot, location.key, value)
            }
            (WriteVerb::Touch, Some(before)) => before,
            (WriteVerb::Release, Some(before)) if before.deleting => before,
            (WriteVerb::Replace(values), Some(before)) => before.replaced(kind, manager, &values),
            (WriteVerb::Apply { values, is_whole, force }, Some(before)) => {
                match before.applied(kind, manager, &values, is_whole, force) {
                    Ok(after) => after,
                    Err(Conflict) => return WriteOutcome::Conflict,
                }
            }
            (WriteVerb::Delete, Some(mut before)) => {
                before.deleting = true;
                if !dry_run {
                    self.store(kind, Some(before));
                }
                return WriteOutcome::Stored(None);
            }
            _ => return WriteOutcome::Impossible,
        };
        let answered = match place.policy {
            None => after,
            Some(policy) => {
                let request = ModelRequest {
                    kind,
                    manager,
                    before: before.map(ModelObject::known),
                    after: after.known(),
                    dry_run,
                    compares,
                };
                let stored = self.readable(place.cluster);
                match policy.decide(&request, &stored, &mut self.cache) {
                    PolicyAnswer::Accepted(answered) => self.remarked(write, &after, answered),
                    PolicyAnswer::Refused(message) => return WriteOutcome::Refused(message),
                    PolicyAnswer::Strange(what) => return WriteOutcome::Strange(what),
                }
            }
        };
        let answered = Some(answered).filter(|_| verb != WriteVerb::Release);
        if !dry_run {
            self.store(kind, answered);
        }
        WriteOutcome::Stored(answered)
    }

    fn store(&mut self, kind: ModelKind, object: Option<ModelObject>) {
        let before = self.objects[kind as usize];
        if before.map(ModelObject::known) != object.map(ModelObject::known) {
            self.remembered[kind as usize] = None;
        }
        self.objects[kind as usize] = object;
    }

    fn readable(&self, cluster: ClusterManifest) -> ReadableObjects {
        let values = |kind: ModelKind| self.object(kind).map(ModelObject::values);
        ReadableObjects {
            cluster: Some(cluster),
            deployment: values(ModelKind::Deployment),
            set: values(ModelKind::Set),
            is_set_deleting: self.object(ModelKind::Set).is_some_and(|set| set.deleting),
        }
    }

    /// The policy's answer, with the fields that only the properties use.
    fn remarked(&self, write: &ReceivedWrite, after: &ModelObject, mut answered: ModelObject) -> ModelObject {
        let before = self.objects[write.kind as usize];
        for location in write.kind.locations() {
            let entry = *answered.at(location.slot, location.key);
            let requested = after.at(location.slot, location.key);
            let stored =
                before.map(|before| *before.at(location.slot, location.key)).filter(|it| it.value == entry.value);
            let remarked = answered.at_mut(location.slot, location.key);
            if entry.value == requested.value {
                *remarked = OwnedEntry { owners: entry.owners, ..*requested };
            } else if let Some(stored) = stored {
                *remarked = OwnedEntry { owners: entry.owners, ..stored };
                remarked.writers = stored.writers.without(write.manager);
                let shares = entry.owners.in_both(stored.owners).without(write.kind.controller());
                remarked.kept = shares;
                // An Update that removes the writer's own value gives it up.
                if requested.value.is_none() && !write.manager.applies() {
                    remarked.kept = shares.without(write.manager);
                    if !write.manager.is_named() {
                        remarked.returned = shares.in_both(Managers::only(write.manager));
                    }
                }
            }
        }
        answered
    }

    /// The value of an entry's source.
    pub fn source(&self, location: EntryLocation, cluster: ClusterManifest) -> Option<ModelValue> {
        match location.source() {
            EntrySource::Topology => cluster.topology[location.key as usize],
            EntrySource::Owner(above) => self.object(above.kind)?.at(above.slot, above.key).value,
        }
    }

    /// The values of an object's sources.
    pub fn wanted(&self, kind: ModelKind, cluster: ClusterManifest) -> Values {
        let mut values = Values::default();
        for location in kind.locations() {
            values[location.slot as usize][location.key as usize] = self.source(location, cluster);
        }
        values
    }
}
