//! The same events in a world with the policy and in all worlds without it, and the properties that must hold.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};

use stateright::{Model, Property};

use crate::action::{CommonState, FixedInputs, ModelEvent, PossibleEvents};
use crate::defect::Defect;
use crate::known::KnownDifference;
use crate::location::{EntryKey, EntryLocation, FieldManager, ModelKind, ModelValue, Slot};
use crate::manifest::ClusterManifest;
use crate::policy::PolicyUnderTest;
use crate::server::OwnedEntry;
use crate::without::{Without, Worlds};
use crate::world::{ReceivedWrite, World, WriteContext, WriteOutcome};

/// No write is refused.
pub const ACCEPTED: &str = "nobody's write is refused that would pass without the policy";
/// Values and owners are those of the world without the policy.
pub const ALIKE: &str = "once nobody acts any more, values and owners are those without the policy";
/// Reconciliation terminates.
pub const ENDS: &str = "nothing runs for ever";
/// Every value has a source, or a manager that wrote it.
pub const DROPPED: &str = "a key that its source dropped is gone";

/// Controllers that still change something after this number of rounds never settle: there are three hops.
const ROUNDS: usize = 10;

/// The world with the policy, and those without.
#[derive(Debug, Clone, Eq)]
pub struct ComparedWorlds {
    /// The state shared by all worlds.
    pub shared: CommonState,
    /// The world with the policy.
    pub with: World,
    /// Every world that may result from the same events without the policy.
    pub without: Worlds,
    /// Set when the policy violated its contract.
    pub flaw: Option<Flaw>,
    /// How many more events may follow. It is not part of a state's identity: the search reaches each state first on a
    /// shortest path.
    pub left: usize,
}

impl PartialEq for ComparedWorlds {
    fn eq(&self, other: &ComparedWorlds) -> bool {
        (&self.shared, &self.with, &self.without, &self.flaw)
            == (&other.shared, &other.with, &other.without, &other.flaw)
    }
}

impl Hash for ComparedWorlds {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (&self.shared, &self.with, &self.without, &self.flaw).hash(hasher);
    }
}

/// A violation of the policy's contract.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// It refused a write.
    Refused(String),
    /// It wrote something outside its scope.
    Strange(String),
}

/// The model: the possible events, and the intentional defects.
pub struct WorldComparison {
    /// The policy in the world that has one.
    pub policy: PolicyUnderTest,
    /// The inputs that do not change.
    pub fixed: FixedInputs,
    /// The possible events.
    pub alphabet: PossibleEvents,
    /// The initial Cluster.
    pub cluster: ClusterManifest,
    /// The maximum number of events.
    pub events: usize,
    /// Known differences that are tolerated.
    pub tolerated: Vec<KnownDifference>,
    /// The cache of the worlds without the policy.
    without: Without,
}

/// What is wrong with a state, or with the state in which it settles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateVerdict {
    /// See [`ACCEPTED`].
    pub flaw: Option<Flaw>,
    /// Entries that differ, see [`ALIKE`].
    pub differ: Vec<EntryLocation>,
    /// See [`ENDS`].
    pub is_restless: bool,
    /// Entries that should have been removed, see [`DROPPED`].
    pub stay: Vec<EntryLocation>,
}

impl WorldComparison {
    /// A model with all events.
    pub fn new(
        defect: Option<Defect>,
        lists_controllers: bool,
        alphabet: PossibleEvents,
        events: usize,
    ) -> WorldComparison {
        let cluster = ClusterManifest { topology: [Some(ModelValue::Red), None], paused: false };
        let argo_at = EntryLocation { kind: ModelKind::Machine, slot: Slot::Own, key: EntryKey::Team };
        WorldComparison {
            policy: PolicyUnderTest::new(defect, lists_controllers),
            fixed: FixedInputs { backup: [cluster.topology; 2], argo_at, defect },
            alphabet,
            cluster,
            events,
            tolerated: KnownDifference::ALL.to_vec(),
            without: Without::default(),
        }
    }

    /// The initial state.
    pub fn beginning(&self) -> ComparedWorlds {
        let mut world = World::settled(&self.cluster);
        let shared = CommonState { cluster: self.cluster, argo: None };
        let mut without = self.without.only(world.as_stored());
        let place = WriteContext { cluster: self.cluster, policy: None };
        for event in &self.alphabet.before {
            event.happen(&mut world, place, &self.fixed, &mut Vec::new());
            without = self.without.after(&without, *event, shared, &self.fixed);
        }
        ComparedWorlds { shared, with: world, without, flaw: None, left: self.events }
    }

    /// The state after an event, and its writes in the world with the policy.
    pub fn after(
        &self,
        state: &ComparedWorlds,
        action: ModelEvent,
    ) -> (ComparedWorlds, Vec<(ReceivedWrite, WriteOutcome)>) {
        let (mut next, journal) = self.with_policy(state, action);
        if !matches!(action, ModelEvent::Reconcile(_) | ModelEvent::Expire) {
            next.without = self.without.after(&state.without, action, next.shared, &self.fixed);
        }
        (next, journal)
    }

    /// The same, without updating the worlds without the policy.
    fn with_policy(
        &self,
        state: &ComparedWorlds,
        action: ModelEvent,
    ) -> (ComparedWorlds, Vec<(ReceivedWrite, WriteOutcome)>) {
        let mut state = state.clone();
        let mut journal = Vec::new();
        state.shared = action.shared(state.shared);
        let place = WriteContext { cluster: state.shared.cluster, policy: Some(&self.policy) };
        action.happen(&mut state.with, place, &self.fixed, &mut journal);
        let flaw = journal.iter().find_map(|(_, written)| match written {
            WriteOutcome::Refused(message) => Some(Flaw::Refused(message.clone())),
            WriteOutcome::Strange(what) => Some(Flaw::Strange(what.clone())),
            _ => None,
        });
        state.flaw = state.flaw.or(flaw);
        (state, journal)
    }

    /// The state that results without further events: the Cluster is resumed, controllers run until none of them
    /// changes anything, the host's cache expires, and Argo CD applies its value once more. `None` if this does not
    /// terminate.
    pub fn closed(&self, state: &ComparedWorlds) -> Option<ComparedWorlds> {
        let mut state = state.clone();
        if state.shared.cluster.paused {
            state = self.after(&state, ModelEvent::Pause(false)).0;
        }
        state = self.settled(state)?;
        state = self.settled(self.after(&state, ModelEvent::Expire).0)?;
        if let Some(wanted) = state.shared.argo {
            state = self.settled(self.after(&state, ModelEvent::Argo(Some(wanted), true)).0)?;
        }
        Some(state)
    }

    /// Runs the controllers until they change nothing more.
    fn settled(&self, mut state: ComparedWorlds) -> Option<ComparedWorlds> {
        for _ in 0..ROUNDS {
            let mut next = state.clone();
            for kind in ModelKind::ALL {
                next = self.with_policy(&next, ModelEvent::Reconcile(kind)).0;
            }
            if next == state {
                next.without = self.without.done(&next.without, next.shared, &self.fixed);
                return Some(next);
            }
            state = next;
        }
        None
    }

    /// What is wrong with a state.
    pub fn verdict(&self, state: &ComparedWorlds) -> StateVerdict {
        if state.flaw.is_some() {
            return StateVerdict { flaw: state.flaw.clone(), ..StateVerdict::default() };
        }
        let Some(closed) = self.closed(state) else {
            return StateVerdict { is_restless: true, ..StateVerdict::default() };
        };
        let differ =
            |world: &World| self.locations(&closed, |location| entry(&closed.with, location) != entry(world, location));
        StateVerdict {
            differ: closed.without.iter().map(differ).min_by_key(Vec::len).unwrap_or_default(),
            stay: self.locations(&closed, |location| stays(&closed, location)),
            flaw: closed.flaw,
            is_restless: false,
        }
    }

    /// The entries that are wrong, except known differences.
    fn locations(&self, closed: &ComparedWorlds, is_wrong: impl Fn(EntryLocation) -> bool) -> Vec<EntryLocation> {
        let is_known =
            |location: &EntryLocation| self.tolerated.iter().any(|known| known.explains(&closed.with, *location));
        EntryLocation::all().filter(|location| is_wrong(*location) && !is_known(location)).collect()
    }
}

/// Value and owners.
fn entry(world: &World, location: EntryLocation) -> Option<(Option<ModelValue>, crate::location::Managers)> {
    world.object(location.kind).map(|object| {
        let OwnedEntry { value, owners, .. } = *object.at(location.slot, location.key);
        (value, owners)
    })
}

/// Whether an entry exists that its source does not have, and that none of its owners wrote.
fn stays(closed: &ComparedWorlds, location: EntryLocation) -> bool {
    let Some(object) = closed.with.object(location.kind) else { return false };
    let entry = object.at(location.slot, location.key);
    let asked = entry.owners.in_both(entry.writers).without(FieldManager::Backfill);
    if object.deleting {
        return false;
    }
    entry.value.is_some() && closed.with.source(location, closed.shared.cluster) != entry.value && asked.is_empty()
}

thread_local! {
    /// The last verdict, cached because every property needs it.
    static LAST: RefCell<Option<(ComparedWorlds, StateVerdict)>> = const { RefCell::new(None) };
}

fn asked(comparison: &WorldComparison, state: &ComparedWorlds, is_right: impl Fn(&StateVerdict) -> bool) -> bool {
    LAST.with_borrow_mut(|last| match last {
        Some((known, verdict)) if known == state => is_right(verdict),
        _ => {
            let verdict = comparison.verdict(state);
            let answer = is_right(&verdict);
            *last = Some((state.clone(), verdict));
            answer
        }
    })
}

impl Model for WorldComparison {
    type State = ComparedWorlds;
    type Action = ModelEvent;

    fn init_states(&self) -> Vec<ComparedWorlds> {
        vec![self.beginning()]
    }

    fn actions(&self, state: &ComparedWorlds, actions: &mut Vec<ModelEvent>) {
        if state.flaw.is_none() && state.left > 0 {
            self.alphabet.actions(&state.shared, &state.with, actions);
        }
    }

    fn next_state(&self, state: &ComparedWorlds, action: ModelEvent) -> Option<ComparedWorlds> {
        let mut next = self.after(state, action).0;
        next.left = state.left.saturating_sub(1);
        Some(next).filter(|next| next != state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ACCEPTED, |comparison, state| asked(comparison, state, |verdict| verdict.flaw.is_none())),
            Property::always(ALIKE, |comparison, state| asked(comparison, state, |verdict| verdict.differ.is_empty())),
            Property::always(ENDS, |comparison, state| asked(comparison, state, |verdict| !verdict.is_restless)),
            Property::always(DROPPED, |comparison, state| asked(comparison, state, |verdict| verdict.stay.is_empty())),
        ]
    }
}
