//! What may happen: the users' writes, the controllers' reconciliations, and time.

use crate::controllers::reconcile;
use crate::defect::Defect;
use crate::manifest::ClusterManifest;
use crate::server::Values;
use crate::spot::{EntryKey, FieldManager, ModelKind, ModelValue, Spot};
use crate::world::{ReceivedWrite, World, WriteContext, WriteOutcome, WriteVerb};

/// One event. In the world without the policy the same happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelEvent {
    /// Alice writes another value into the Cluster's topology, or removes it.
    Source(EntryKey, Option<ModelValue>),
    /// Alice pauses the Cluster, or ends that.
    Pause(bool),
    /// Alice edits an entry below, or removes it; the flag makes it a dry run.
    Edit(Spot, Option<ModelValue>, bool),
    /// An administrator completes an object, as `propagate backfill` prints it.
    Backfill(ModelKind),
    /// Alice deletes the Machine.
    Delete,
    /// Velero makes the Machine again as it was at the beginning.
    Restore,
    /// Argo CD applies one entry, or nothing any more; the flag is whether by force.
    Argo(Option<ModelValue>, bool),
    /// The host's cache forgets.
    Expire,
    /// The controller of a kind reconciles.
    Reconcile(ModelKind),
}

/// What both worlds have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommonState {
    /// The Cluster.
    pub cluster: ClusterManifest,
    /// What Argo CD wants; `None` is that it applies nothing.
    pub argo: Option<ModelValue>,
}

/// What does not change.
#[derive(Debug, Clone, Copy)]
pub struct FixedInputs {
    /// The values of the Machine in Velero's backup.
    pub backup: Values,
    /// Which entry Argo CD has an opinion on.
    pub argo_at: Spot,
    /// What is put back.
    pub defect: Option<Defect>,
}

impl ModelEvent {
    /// What both worlds have in common afterwards.
    #[must_use]
    pub fn shared(self, mut shared: CommonState) -> CommonState {
        match self {
            ModelEvent::Source(key, value) => shared.cluster.topology[key as usize] = value,
            ModelEvent::Pause(paused) => shared.cluster.paused = paused,
            ModelEvent::Argo(value, true) => shared.argo = value,
            _ => {}
        }
        shared
    }

    /// Lets it happen in one world, where `place` is as it is afterwards. The writes that it takes are added to
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
            ModelEvent::Edit(spot, value, dry_run) => {
                ReceivedWrite { dry_run, ..plain(spot.kind, FieldManager::Alice, WriteVerb::Edit(spot, value)) }
            }
            ModelEvent::Delete => plain(ModelKind::Machine, FieldManager::Alice, WriteVerb::Delete),
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
    let Spot { kind, slot, key } = fixed.argo_at;
    let mut values = Values::default();
    values[slot as usize][key as usize] = value;
    plain(kind, FieldManager::Argo, WriteVerb::Apply { values, is_whole: false, force })
}

/// What an object lacks of what its sources say.
fn lacking(world: &World, kind: ModelKind, cluster: ClusterManifest) -> Values {
    let mut values = world.wanted(kind, cluster);
    for Spot { slot, key, .. } in kind.spots() {
        let entry = world.object(kind).map(|object| *object.at(slot, key)).unwrap_or_default();
        if entry.value.is_some() && !entry.owners.has(FieldManager::Backfill) {
            values[slot as usize][key as usize] = None;
        }
    }
    values
}

/// What may happen at all: fewer events go deeper.
#[derive(Debug, Clone)]
pub struct PossibleEvents {
    /// The keys that the source has values for.
    pub keys: Vec<EntryKey>,
    /// The entries that Alice edits.
    pub edited: Vec<Spot>,
    /// The objects that are completed.
    pub backfilled: Vec<ModelKind>,
    /// Whether Argo CD acts.
    pub argo: bool,
    /// Whether the Cluster is paused and resumed.
    pub pauses: bool,
    /// Whether the Machine is deleted and restored.
    pub deletes: bool,
    /// Whether Alice tries edits as dry runs.
    pub tries: bool,
}

impl PossibleEvents {
    /// Everything.
    #[must_use]
    pub fn whole() -> PossibleEvents {
        PossibleEvents {
            keys: EntryKey::ALL.to_vec(),
            edited: Spot::all().collect(),
            backfilled: ModelKind::ALL.to_vec(),
            argo: true,
            pauses: true,
            deletes: true,
            tries: true,
        }
    }

    /// Everybody, and one label; no dry runs.
    #[must_use]
    pub fn of_label() -> PossibleEvents {
        let edited = Spot::all().filter(|spot| spot.key == EntryKey::Team).collect();
        PossibleEvents { keys: vec![EntryKey::Team], edited, tries: false, ..PossibleEvents::whole() }
    }

    /// Everybody, and one label, which is edited at the Machine only.
    #[must_use]
    pub fn at_machine() -> PossibleEvents {
        let PossibleEvents { keys, edited, backfilled, .. } = PossibleEvents::of(ModelKind::Machine);
        PossibleEvents { keys, edited, backfilled, ..PossibleEvents::of_label() }
    }

    /// One label, and edits of one object at both of its places; nothing is deleted.
    #[must_use]
    pub fn of(kind: ModelKind) -> PossibleEvents {
        PossibleEvents {
            keys: vec![EntryKey::Team],
            edited: kind.spots().filter(|spot| spot.key == EntryKey::Team).collect(),
            backfilled: vec![kind],
            argo: false,
            pauses: false,
            deletes: false,
            tries: false,
        }
    }

    /// The events that may be next, and that change something.
    pub fn actions(&self, shared: &CommonState, world: &World, actions: &mut Vec<ModelEvent>) {
        let values = [None, Some(ModelValue::Red), Some(ModelValue::Blue)];
        for key in &self.keys {
            let now = shared.cluster.topology[*key as usize];
            actions.extend(values.into_iter().filter(|it| *it != now).map(|value| ModelEvent::Source(*key, value)));
        }
        for spot in &self.edited {
            let Some(object) = world.object(spot.kind) else { continue };
            let now = object.at(spot.slot, spot.key).value;
            for value in values.into_iter().filter(|value| *value != now) {
                actions.push(ModelEvent::Edit(*spot, value, false));
                if self.tries {
                    actions.push(ModelEvent::Edit(*spot, value, true));
                }
            }
        }
        let exists = |kind: ModelKind| world.object(kind).is_some();
        actions.extend(self.backfilled.iter().filter(|kind| exists(**kind)).map(|kind| ModelEvent::Backfill(*kind)));
        if self.pauses {
            actions.push(ModelEvent::Pause(!shared.cluster.paused));
        }
        if self.deletes {
            actions.push(if exists(ModelKind::Machine) { ModelEvent::Delete } else { ModelEvent::Restore });
        }
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
