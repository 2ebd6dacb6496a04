//! What may happen: the users' writes, the controllers' reconciliations, and time.

use crate::controllers::reconcile;
use crate::defect::Defect;
use crate::manifest::Cluster;
use crate::server::Values;
use crate::spot::{Key, Manager, ModelKind, ModelValue, Spot};
use crate::world::{Verb, World, Write, WriteContext, WriteOutcome};

/// One event. In the world without the policy the same happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Alice writes another value into the Cluster's topology, or removes it.
    Source(Key, Option<ModelValue>),
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
pub struct Shared {
    /// The Cluster.
    pub cluster: Cluster,
    /// What Argo CD wants; `None` is that it applies nothing.
    pub argo: Option<ModelValue>,
}

/// What does not change.
#[derive(Debug, Clone, Copy)]
pub struct Fixed {
    /// The values of the Machine in Velero's backup.
    pub backup: Values,
    /// Which entry Argo CD has an opinion on.
    pub argo_at: Spot,
    /// What is put back.
    pub defect: Option<Defect>,
}

impl Action {
    /// What both worlds have in common afterwards.
    #[must_use]
    pub fn shared(self, mut shared: Shared) -> Shared {
        match self {
            Action::Source(key, value) => shared.cluster.topology[key as usize] = value,
            Action::Pause(paused) => shared.cluster.paused = paused,
            Action::Argo(value, true) => shared.argo = value,
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
        fixed: &Fixed,
        journal: &mut Vec<(Write, WriteOutcome)>,
    ) {
        let write = match self {
            Action::Source(..) | Action::Pause(_) => return,
            Action::Expire => return world.expire(),
            Action::Reconcile(kind) => return reconcile(world, place, kind, journal),
            Action::Edit(spot, value, dry_run) => {
                Write { dry_run, ..plain(spot.kind, Manager::Alice, Verb::Edit(spot, value)) }
            }
            Action::Delete => plain(ModelKind::Machine, Manager::Alice, Verb::Delete),
            Action::Restore => plain(ModelKind::Machine, Manager::Velero, Verb::Create(fixed.backup)),
            Action::Argo(value, force) => argo(fixed, value, force),
            Action::Backfill(kind) => match (fixed.defect, place.policy) {
                (Some(Defect::OwningBackfill), Some(_)) => {
                    let values = lacking(world, kind, place.cluster);
                    plain(kind, Manager::Backfill, Verb::Apply { values, is_whole: false, force: false })
                }
                _ => plain(kind, Manager::Patch, Verb::Touch),
            },
        };
        let written = world.write(place, &write);
        journal.push((write, written));
    }
}

fn plain(kind: ModelKind, manager: Manager, verb: Verb) -> Write {
    Write { kind, manager, verb, dry_run: false, compares: false }
}

fn argo(fixed: &Fixed, value: Option<ModelValue>, force: bool) -> Write {
    let Spot { kind, slot, key } = fixed.argo_at;
    let mut values = Values::default();
    values[slot as usize][key as usize] = value;
    plain(kind, Manager::Argo, Verb::Apply { values, is_whole: false, force })
}

/// What an object lacks of what its sources say.
fn lacking(world: &World, kind: ModelKind, cluster: Cluster) -> Values {
    let mut values = world.wanted(kind, cluster);
    for Spot { slot, key, .. } in kind.spots() {
        let entry = world.object(kind).map(|object| *object.at(slot, key)).unwrap_or_default();
        if entry.value.is_some() && !entry.owners.has(Manager::Backfill) {
            values[slot as usize][key as usize] = None;
        }
    }
    values
}

/// What may happen at all: fewer events go deeper.
#[derive(Debug, Clone)]
pub struct Alphabet {
    /// The keys that the source has values for.
    pub keys: Vec<Key>,
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

impl Alphabet {
    /// Everything.
    #[must_use]
    pub fn whole() -> Alphabet {
        Alphabet {
            keys: Key::ALL.to_vec(),
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
    pub fn of_label() -> Alphabet {
        let edited = Spot::all().filter(|spot| spot.key == Key::Team).collect();
        Alphabet { keys: vec![Key::Team], edited, tries: false, ..Alphabet::whole() }
    }

    /// Everybody, and one label, which is edited at the Machine only.
    #[must_use]
    pub fn at_machine() -> Alphabet {
        let Alphabet { keys, edited, backfilled, .. } = Alphabet::of(ModelKind::Machine);
        Alphabet { keys, edited, backfilled, ..Alphabet::of_label() }
    }

    /// One label, and edits of one object at both of its places; nothing is deleted.
    #[must_use]
    pub fn of(kind: ModelKind) -> Alphabet {
        Alphabet {
            keys: vec![Key::Team],
            edited: kind.spots().filter(|spot| spot.key == Key::Team).collect(),
            backfilled: vec![kind],
            argo: false,
            pauses: false,
            deletes: false,
            tries: false,
        }
    }

    /// The events that may be next, and that change something.
    pub fn actions(&self, shared: &Shared, world: &World, actions: &mut Vec<Action>) {
        let values = [None, Some(ModelValue::Red), Some(ModelValue::Blue)];
        for key in &self.keys {
            let now = shared.cluster.topology[*key as usize];
            actions.extend(values.into_iter().filter(|it| *it != now).map(|value| Action::Source(*key, value)));
        }
        for spot in &self.edited {
            let Some(object) = world.object(spot.kind) else { continue };
            let now = object.at(spot.slot, spot.key).value;
            for value in values.into_iter().filter(|value| *value != now) {
                actions.push(Action::Edit(*spot, value, false));
                if self.tries {
                    actions.push(Action::Edit(*spot, value, true));
                }
            }
        }
        let exists = |kind: ModelKind| world.object(kind).is_some();
        actions.extend(self.backfilled.iter().filter(|kind| exists(**kind)).map(|kind| Action::Backfill(*kind)));
        if self.pauses {
            actions.push(Action::Pause(!shared.cluster.paused));
        }
        if self.deletes {
            actions.push(if exists(ModelKind::Machine) { Action::Delete } else { Action::Restore });
        }
        if self.argo && exists(ModelKind::Machine) {
            actions.extend(values.map(|value| Action::Argo(value, true)));
        }
        if world.has_cached() {
            actions.push(Action::Expire);
        }
        if !shared.cluster.paused {
            actions.extend(ModelKind::ALL.map(Action::Reconcile));
        }
    }
}
