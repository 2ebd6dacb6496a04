//! The worlds without the policy that the same events may lead to.
//!
//! Controllers take their time. Without the policy an edit may be reverted at once, or still exist when its source
//! changes, and both are right. So there is not one world without the policy but the set of those that the events may
//! lead to, whenever the controllers run.

use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use crate::action::{CommonState, FixedInputs, ModelEvent};
use crate::location::ModelKind;
use crate::world::{World, WriteContext};

/// A set of worlds. Sets from one [`Without`] are compared by their index.
#[derive(Debug, Clone)]
pub struct Worlds {
    number: usize,
    worlds: Arc<BTreeSet<World>>,
}

impl Worlds {
    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &World> {
        self.worlds.iter()
    }
}

impl PartialEq for Worlds {
    fn eq(&self, other: &Worlds) -> bool {
        self.number == other.number
    }
}

impl Eq for Worlds {}

impl Hash for Worlds {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.number.hash(hasher);
    }
}

/// A cache of the worlds without the policy.
#[derive(Default)]
pub struct Without {
    known: Mutex<RememberedKeys>,
}

#[derive(Default)]
struct RememberedKeys {
    numbers: HashMap<Arc<BTreeSet<World>>, usize>,
    /// The set after an event; `None` means that no further event happens.
    after: HashMap<(usize, Option<ModelEvent>, CommonState), Worlds>,
}

impl Without {
    /// A set with one world.
    pub fn only(&self, world: World) -> Worlds {
        self.set(BTreeSet::from([world]))
    }

    /// The worlds that an event, and any reconciliations after it, lead to.
    pub fn after(&self, worlds: &Worlds, action: ModelEvent, shared: CommonState, fixed: &FixedInputs) -> Worlds {
        self.once(worlds, Some(action), shared, || {
            let mut new: Vec<World> = worlds.iter().map(|world| step(world, action, shared, fixed)).collect();
            let mut reached = BTreeSet::new();
            while let Some(world) = new.pop() {
                if reached.insert(world.clone()) {
                    new.extend(ModelKind::ALL.map(|kind| step(&world, ModelEvent::Reconcile(kind), shared, fixed)));
                }
            }
            reached
        })
    }

    /// The worlds in which no controller changes anything any more.
    pub fn done(&self, worlds: &Worlds, shared: CommonState, fixed: &FixedInputs) -> Worlds {
        self.once(worlds, None, shared, || {
            let stays =
                |world: &World, kind: ModelKind| step(world, ModelEvent::Reconcile(kind), shared, fixed) == *world;
            worlds.iter().filter(|world| ModelKind::ALL.iter().all(|kind| stays(world, *kind))).cloned().collect()
        })
    }

    fn once(
        &self,
        worlds: &Worlds,
        action: Option<ModelEvent>,
        shared: CommonState,
        make: impl FnOnce() -> BTreeSet<World>,
    ) -> Worlds {
        let question = (worlds.number, action, shared);
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).after.get(&question).cloned();
        known.unwrap_or_else(|| {
            let made = self.set(make());
            self.known.lock().unwrap_or_else(PoisonError::into_inner).after.insert(question, made.clone());
            made
        })
    }

    fn set(&self, worlds: BTreeSet<World>) -> Worlds {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let next = known.numbers.len();
        if let Some((worlds, number)) = known.numbers.get_key_value(&worlds) {
            return Worlds { number: *number, worlds: Arc::clone(worlds) };
        }
        let worlds = Arc::new(worlds);
        known.numbers.insert(Arc::clone(&worlds), next);
        Worlds { number: next, worlds }
    }
}

fn step(world: &World, action: ModelEvent, shared: CommonState, fixed: &FixedInputs) -> World {
    let mut world = world.clone();
    action.happen(&mut world, WriteContext { cluster: shared.cluster, policy: None }, fixed, &mut Vec::new());
    world.as_stored()
}
