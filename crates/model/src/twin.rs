//! The same events in a world with the policy and in all worlds without it, and the properties that must hold.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};

use stateright::{Model, Property};

use crate::action::{CommonState, FixedInputs, ModelEvent, PossibleEvents};
use crate::defect::Defect;
use crate::known::KnownDifference;
use crate::manifest::ClusterManifest;
use crate::policy::PolicyUnderTest;
use crate::server::OwnedEntry;
use crate::spot::{EntryKey, FieldManager, ModelKind, ModelValue, Slot, Spot};
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
pub struct TwinState {
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

impl PartialEq for TwinState {
    fn eq(&self, other: &TwinState) -> bool {
        (&self.shared, &self.with, &self.without, &self.flaw)
            == (&other.shared, &other.with, &other.without, &other.flaw)
    }
}

impl Hash for TwinState {
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
pub struct Twins {
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
    pub differ: Vec<Spot>,
    /// See [`ENDS`].
    pub is_restless: bool,
    /// Entries that should have been removed, see [`DROPPED`].
    pub stay: Vec<Spot>,
}

impl Twins {
    /// A model with all events.
    #[must_use]
    pub fn new(defect: Option<Defect>, lists_controllers: bool, alphabet: PossibleEvents, events: usize) -> Twins {
        let cluster = ClusterManifest { topology: [Some(ModelValue::Red), None], paused: false };
        let argo_at = Spot { kind: ModelKind::Machine, slot: Slot::Own, key: EntryKey::Team };
        Twins {
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
    #[must_use]
    pub fn beginning(&self) -> TwinState {
        let world = World::settled(&self.cluster);
        let shared = CommonState { cluster: self.cluster, argo: None };
        let without = self.without.only(world.as_stored());
        TwinState { shared, with: world, without, flaw: None, left: self.events }
    }

    /// The state after an event, and its writes in the world with the policy.
    #[must_use]
    pub fn after(&self, state: &TwinState, action: ModelEvent) -> (TwinState, Vec<(ReceivedWrite, WriteOutcome)>) {
        let (mut next, journal) = self.with_policy(state, action);
        if !matches!(action, ModelEvent::Reconcile(_) | ModelEvent::Expire) {
            next.without = self.without.after(&state.without, action, next.shared, &self.fixed);
        }
        (next, journal)
    }

    /// The same, without updating the worlds without the policy.
    fn with_policy(&self, state: &TwinState, action: ModelEvent) -> (TwinState, Vec<(ReceivedWrite, WriteOutcome)>) {
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
    #[must_use]
    pub fn closed(&self, state: &TwinState) -> Option<TwinState> {
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
    fn settled(&self, mut state: TwinState) -> Option<TwinState> {
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
    #[must_use]
    pub fn verdict(&self, state: &TwinState) -> StateVerdict {
        if state.flaw.is_some() {
            return StateVerdict { flaw: state.flaw.clone(), ..StateVerdict::default() };
        }
        let Some(closed) = self.closed(state) else {
            return StateVerdict { is_restless: true, ..StateVerdict::default() };
        };
        let differ = |world: &World| self.spots(&closed, |spot| entry(&closed.with, spot) != entry(world, spot));
        StateVerdict {
            differ: closed.without.iter().map(differ).min_by_key(Vec::len).unwrap_or_default(),
            stay: self.spots(&closed, |spot| stays(&closed, spot)),
            flaw: closed.flaw,
            is_restless: false,
        }
    }

    /// The entries that are wrong, except known differences.
    fn spots(&self, closed: &TwinState, is_wrong: impl Fn(Spot) -> bool) -> Vec<Spot> {
        let is_known = |spot: &Spot| self.tolerated.iter().any(|known| known.explains(&closed.with, *spot));
        Spot::all().filter(|spot| is_wrong(*spot) && !is_known(spot)).collect()
    }
}

/// Value and owners.
fn entry(world: &World, spot: Spot) -> Option<(Option<ModelValue>, crate::spot::Managers)> {
    world.object(spot.kind).map(|object| {
        let OwnedEntry { value, owners, .. } = *object.at(spot.slot, spot.key);
        (value, owners)
    })
}

/// Whether an entry exists that its source does not have, and that none of its owners wrote.
fn stays(closed: &TwinState, spot: Spot) -> bool {
    let Some(object) = closed.with.object(spot.kind) else { return false };
    let entry = object.at(spot.slot, spot.key);
    let asked = entry.owners.in_both(entry.writers).without(FieldManager::Backfill);
    entry.value.is_some() && closed.with.source(spot, closed.shared.cluster) != entry.value && asked.is_empty()
}

thread_local! {
    /// The last verdict, cached because every property needs it.
    static LAST: RefCell<Option<(TwinState, StateVerdict)>> = const { RefCell::new(None) };
}

fn asked(twins: &Twins, state: &TwinState, is_right: impl Fn(&StateVerdict) -> bool) -> bool {
    LAST.with_borrow_mut(|last| match last {
        Some((known, verdict)) if known == state => is_right(verdict),
        _ => {
            let verdict = twins.verdict(state);
            let answer = is_right(&verdict);
            *last = Some((state.clone(), verdict));
            answer
        }
    })
}

impl Model for Twins {
    type State = TwinState;
    type Action = ModelEvent;

    fn init_states(&self) -> Vec<TwinState> {
        vec![self.beginning()]
    }

    fn actions(&self, state: &TwinState, actions: &mut Vec<ModelEvent>) {
        if state.flaw.is_none() && state.left > 0 {
            self.alphabet.actions(&state.shared, &state.with, actions);
        }
    }

    fn next_state(&self, state: &TwinState, action: ModelEvent) -> Option<TwinState> {
        let mut next = self.after(state, action).0;
        next.left = state.left.saturating_sub(1);
        Some(next).filter(|next| next != state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ACCEPTED, |twins, state| asked(twins, state, |verdict| verdict.flaw.is_none())),
            Property::always(ALIKE, |twins, state| asked(twins, state, |verdict| verdict.differ.is_empty())),
            Property::always(ENDS, |twins, state| asked(twins, state, |verdict| !verdict.is_restless)),
            Property::always(DROPPED, |twins, state| asked(twins, state, |verdict| verdict.stay.is_empty())),
        ]
    }
}
