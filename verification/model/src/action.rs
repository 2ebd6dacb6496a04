//! What may happen: the users' writes, the controllers' reconciliations, and time.

use crate::controllers::reconcile;
use crate::defect::Defect;
use crate::location::{EntryKey, EntryLocation, FieldManager, ModelKind, ModelValue};
use crate::manifest::ClusterManifest;
use crate::server::Values;
use crate::world::{ReceivedWrite, World, WriteContext, WriteOutcome, WriteVerb};

/// One event. The same event happens in the world without the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelEvent {
    /// Alice writes another value into the Cluster's topology, or removes it.
    Source(EntryKey, Option<ModelValue>),
    /// Alice pauses the Cluster, or resumes it.
    Pause(bool),
    /// Alice edits an entry of a child object, or removes it; the flag makes it a dry run.
    Edit(EntryLocation, Option<ModelValue>, bool),
    /// An administrator completes an object, as `propagate backfill` prints it.
    Backfill(ModelKind),
    /// A Go client reads the Machine and updates it (PUT) to its own content: the label `team` with a value or without
    /// it, and no annotation `note`. It sends the deletion timestamp that it has read.
    Update(Option<ModelValue>),
    /// Alice deletes an object, and its finalizer holds it.
    Delete(ModelKind),
    /// The finalizer of the deleted Machine is removed.
    Release,
    /// Velero recreates the Machine in its initial state.
    Restore,
    /// Argo CD applies one entry, or stops applying it; the flag is `force`.
    Argo(Option<ModelValue>, bool),
    /// The host's cache expires.
    Expire,
    /// The controller of a kind reconciles.
    Reconcile(ModelKind),
}

/// The state shared by both worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommonState {
    /// The Cluster.
    pub cluster: ClusterManifest,
    /// The value that Argo CD applies; `None` if it applies nothing.
    pub argo: Option<ModelValue>,
}

/// Inputs that do not change.
#[derive(Debug, Clone, Copy)]
pub struct FixedInputs {
    /// The values of the Machine in Velero's backup.
    pub backup: Values,
    /// The entry that Argo CD applies.
    pub argo_at: EntryLocation,
    /// The defect that is reintroduced.
    pub defect: Option<Defect>,
}

impl ModelEvent {
    /// The shared state after the event.
    pub fn shared(self, mut shared: CommonState) -> CommonState {
        match self {
            ModelEvent::Source(key, value) => shared.cluster.topology[key as usize] = value,
            ModelEvent::Pause(paused) => shared.cluster.paused = paused,
            ModelEvent::Argo(value, true) => shared.argo = value,
            _ => {}
        }
        shared
    }

    /// Applies the event to one world; `place` is the context after the event. The resulting writes are added to
    /// `journal`.
    pub fn happen(
        self,
        world: &mut World,
        place: WriteContext<'_>,
        fixed: &FixedInputs,
        journal: &mut Vec<(ReceivedWrite, WriteOutcome)>,
    ) {
        let write = match self {
            ModelEvent::Source(..) | ModelEvent::Pause(_) => return,
            ModelEvent::Expire => return world.expire(),
            ModelEvent::Reconcile(kind) => return reconcile(world, place, kind, journal),
            ModelEvent::Edit(location, value, dry_run) => {
                ReceivedWrite { dry_run, ..plain(location.kind, FieldManager::Alice, WriteVerb::Edit(location, value)) }
            }
            ModelEvent::Update(value) => {
                let values = [[value, None], [None; 2]];
                plain(ModelKind::Machine, FieldManager::GoClient, WriteVerb::Replace(values))
            }
            ModelEvent::Delete(kind) => plain(kind, FieldManager::Alice, WriteVerb::Delete),
            ModelEvent::Release => plain(ModelKind::Machine, FieldManager::Patch, WriteVerb::Release),
            ModelEvent::Restore => plain(ModelKind::Machine, FieldManager::Velero, WriteVerb::Create(fixed.backup)),
            ModelEvent::Argo(value, force) => argo(fixed, value, force),
            ModelEvent::Backfill(kind) => match (fixed.defect, place.policy) {
                (Some(Defect::OwningBackfill), Some(_)) => {
                    let values = lacking(world, kind, place.cluster);
                    plain(kind, FieldManager::Backfill, WriteVerb::Apply { values, is_whole: false, force: false })
                }
                _ => plain(kind, FieldManager::Patch, WriteVerb::Touch),
            },
        };
        let written = world.write(place, &write);
        journal.push((write, written));
    }
}

fn plain(kind: ModelKind, manager: FieldManager, verb: WriteVerb) -> ReceivedWrite {
    ReceivedWrite { kind, manager, verb, dry_run: false, compares: false }
}

fn argo(fixed: &FixedInputs, value: Option<ModelValue>, force: bool) -> ReceivedWrite {
    let EntryLocation { kind, slot, key } = fixed.argo_at;
    let mut values = Values::default();
    values[slot as usize][key as usize] = value;
    plain(kind, FieldManager::Argo, WriteVerb::Apply { values, is_whole: false, force })
}

/// The values of an object's sources that the object lacks.
fn lacking(world: &World, kind: ModelKind, cluster: ClusterManifest) -> Values {
    let mut values = world.wanted(kind, cluster);
    for EntryLocation { slot, key, .. } in kind.locations() {
        let entry = world.object(kind).map(|object| *object.at(slot, key)).unwrap_or_default();
        if entry.value.is_some() && !entry.owners.has(FieldManager::Backfill) {
            values[slot as usize][key as usize] = None;
        }
    }
    values
}

/// The possible events. With fewer kinds of events, the search goes deeper.
#[derive(Debug, Clone)]
pub struct PossibleEvents {
    /// What happened before the policy was installed: objects may be wrong at the beginning.
    pub before: Vec<ModelEvent>,
    /// The keys for which the source may have values.
    pub keys: Vec<EntryKey>,
    /// The entries that Alice edits.
    pub edited: Vec<EntryLocation>,
    /// The objects that are backfilled.
    pub backfilled: Vec<ModelKind>,
    /// Whether Argo CD acts.
    pub argo: bool,
    /// Whether the Cluster is paused and resumed.
    pub pauses: bool,
    /// The objects that are deleted. Only the Machine then loses its finalizer, and is restored.
    pub deleted: Vec<ModelKind>,
    /// Whether a Go client updates the Machine.
    pub updates: bool,
    /// Whether Alice also makes edits as dry runs.
    pub tries: bool,
}

impl PossibleEvents {
    /// All events.
    pub fn whole() -> PossibleEvents {
        PossibleEvents {
            before: Vec::new(),
            keys: EntryKey::ALL.to_vec(),
            edited: EntryLocation::all().collect(),
            backfilled: ModelKind::ALL.to_vec(),
            argo: true,
            pauses: true,
            deleted: vec![ModelKind::Set, ModelKind::Machine],
            updates: true,
            tries: true,
        }
    }

    /// All actors except the Go client, and one label; no dry runs, and nothing is deleted.
    pub fn of_label() -> PossibleEvents {
        let edited = EntryLocation::all().filter(|location| location.key == EntryKey::Team).collect();
        PossibleEvents {
            keys: vec![EntryKey::Team],
            edited,
            deleted: Vec::new(),
            updates: false,
            tries: false,
            ..PossibleEvents::whole()
        }
    }

    /// All actors and one label, which is edited only on the Machine.
    pub fn at_machine() -> PossibleEvents {
        let PossibleEvents { keys, edited, backfilled, .. } = PossibleEvents::of(ModelKind::Machine);
        let deleted = vec![ModelKind::Set, ModelKind::Machine];
        PossibleEvents { keys, edited, backfilled, deleted, updates: true, ..PossibleEvents::of_label() }
    }

    /// One label, and edits of one object in both of its label maps; nothing is deleted.
    pub fn of(kind: ModelKind) -> PossibleEvents {
        PossibleEvents {
            before: Vec::new(),
            keys: vec![EntryKey::Team],
            edited: kind.locations().filter(|location| location.key == EntryKey::Team).collect(),
            backfilled: vec![kind],
            argo: false,
            pauses: false,
            deleted: Vec::new(),
            updates: false,
            tries: false,
        }
    }

    /// Edits, Updates and the deletion of a Machine. Before the policy was installed, Alice had set the label of the
    /// MachineSet, of its template and of the Machine to `value`, or removed it.
    pub fn after_edits(value: Option<ModelValue>) -> PossibleEvents {
        let edits = [ModelKind::Set, ModelKind::Machine].into_iter().flat_map(ModelKind::locations);
        let edits = edits.filter(|location| location.key == EntryKey::Team);
        let before = edits.map(|location| ModelEvent::Edit(location, value, false)).collect();
        PossibleEvents {
            before,
            argo: false,
            pauses: false,
            deleted: vec![ModelKind::Machine],
            ..PossibleEvents::at_machine()
        }
    }

    /// Adds the possible next events that change something.
    pub fn actions(&self, shared: &CommonState, world: &World, actions: &mut Vec<ModelEvent>) {
        let values = [None, Some(ModelValue::Red), Some(ModelValue::Blue)];
        for key in &self.keys {
            let now = shared.cluster.topology[*key as usize];
            actions.extend(values.into_iter().filter(|it| *it != now).map(|value| ModelEvent::Source(*key, value)));
        }
        if self.updates && world.object(ModelKind::Machine).is_some() {
            actions.extend(values.map(ModelEvent::Update));
        }
        for location in &self.edited {
            let Some(object) = world.object(location.kind) else { continue };
            let now = object.at(location.slot, location.key).value;
            for value in values.into_iter().filter(|value| *value != now) {
                actions.push(ModelEvent::Edit(*location, value, false));
                if self.tries {
                    actions.push(ModelEvent::Edit(*location, value, true));
                }
            }
        }
        let exists = |kind: ModelKind| world.object(kind).is_some();
        actions.extend(self.backfilled.iter().filter(|kind| exists(**kind)).map(|kind| ModelEvent::Backfill(*kind)));
        if self.pauses {
            actions.push(ModelEvent::Pause(!shared.cluster.paused));
        }
        actions.extend(self.deleted.iter().filter_map(|kind| match (kind, world.object(*kind)) {
            (_, Some(object)) if !object.deleting => Some(ModelEvent::Delete(*kind)),
            (ModelKind::Machine, Some(_)) => Some(ModelEvent::Release),
            (ModelKind::Machine, None) => Some(ModelEvent::Restore),
            _ => None,
        }));
        if self.argo && exists(ModelKind::Machine) {
            actions.extend(values.map(|value| ModelEvent::Argo(value, true)));
        }
        if world.has_cached() {
            actions.push(ModelEvent::Expire);
        }
        if !shared.cluster.paused {
            actions.extend(ModelKind::ALL.map(ModelEvent::Reconcile));
        }
    }
}
