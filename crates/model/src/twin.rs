//! The same events in a world with the policy and in all worlds without, and what has to hold.

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

/// Nobody's write is refused.
pub const ACCEPTED: &str = "nobody's write is refused that would pass without the policy";
/// Values and owners are those of the world without the policy.
pub const ALIKE: &str = "once nobody acts any more, values and owners are those without the policy";
/// Controllers finish.
pub const ENDS: &str = "nothing runs for ever";
/// What is there has a source, or somebody who wrote it.
pub const DROPPED: &str = "a key that its source dropped is gone";

/// A controller that still changes something after this number of rounds never ends: there are three hops.
const ROUNDS: usize = 10;

/// The world with the policy, and those without.
#[derive(Debug, Clone, Eq)]
pub struct TwinState {
    /// What all have in common.
    pub shared: CommonState,
    /// The world with the policy.
    pub with: World,
    /// Every world that the same events may lead to without the policy.
    pub without: Worlds,
    /// Set when the policy did what it must never do.
    pub flaw: Option<Flaw>,
    /// How many more events may follow. States are the same whatever it is: the search meets each first on a shortest
    /// path.
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

/// What the policy must never do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// It refused a write.
    Refused(String),
    /// It wrote what is none of its business.
    Strange(String),
}

/// The model: who may do what, and what is wrong on purpose.
pub struct Twins {
    /// The policy of the one world.
    pub policy: PolicyUnderTest,
    /// What does not change.
    pub fixed: FixedInputs,
    /// What may happen.
    pub alphabet: PossibleEvents,
    /// The Cluster at the beginning.
    pub cluster: ClusterManifest,
    /// How many events may follow each other.
    pub events: usize,
    /// What is known to differ and does not count.
    pub tolerated: Vec<KnownDifference>,
    /// What is known of worlds without the policy.
    without: Without,
}

/// What is wrong with a state, or with what becomes of it when nobody acts any more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateVerdict {
    /// See [`ACCEPTED`].
    pub flaw: Option<Flaw>,
    /// Entries that differ, see [`ALIKE`].
    pub differ: Vec<Spot>,
    /// See [`ENDS`].
    pub is_restless: bool,
    /// Entries that ought to be gone, see [`DROPPED`].
    pub stay: Vec<Spot>,
}

impl Twins {
    /// A model of everything.
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

    /// The state in which everything begins.
    #[must_use]
    pub fn beginning(&self) -> TwinState {
        let world = World::settled(&self.cluster);
        let shared = CommonState { cluster: self.cluster, argo: None };
        let without = self.without.only(world.as_stored());
        TwinState { shared, with: world, without, flaw: None, left: self.events }
    }

    /// The state after an event, and the writes that it took in the world with the policy.
    #[must_use]
    pub fn after(&self, state: &TwinState, action: ModelEvent) -> (TwinState, Vec<(ReceivedWrite, WriteOutcome)>) {
        let (mut next, journal) = self.with_policy(state, action);
        if !matches!(action, ModelEvent::Reconcile(_) | ModelEvent::Expire) {
            next.without = self.without.after(&state.without, action, next.shared, &self.fixed);
        }
        (next, journal)
    }

    /// The same, while the worlds without the policy stay as they are.
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

    /// What becomes of a state when nobody acts any more: the Cluster is resumed, controllers run until none of them
    /// changes anything, the host's cache forgets, Argo CD applies what it wants once more. `None` where that does not
    /// end.
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

    /// Runs the controllers until they are done.
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

    /// The entries of which something is wrong, without those that are known to differ.
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

/// Whether an entry is there that its source does not have, and that nobody who owns it ever asked for.
fn stays(closed: &TwinState, spot: Spot) -> bool {
    let Some(object) = closed.with.object(spot.kind) else { return false };
    let entry = object.at(spot.slot, spot.key);
    let asked = entry.owners.in_both(entry.writers).without(FieldManager::Backfill);
    entry.value.is_some() && closed.with.source(spot, closed.shared.cluster) != entry.value && asked.is_empty()
}

thread_local! {
    /// The last verdict: every property asks for the same one.
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
