//! The searches that tests and `model explore` run.

use std::time::{Duration, Instant};

use stateright::{Checker, HasDiscoveries, Model};

use crate::action::{ModelEvent, PossibleEvents};
use crate::comparison::WorldComparison;
use crate::defect::Defect;
use crate::description::description;
use crate::known::KnownDifference;
use crate::location::{ModelKind, ModelValue};

/// One search: the possible events, and the length of their sequences.
pub struct Search {
    /// Its name.
    pub name: &'static str,
    /// The possible events.
    pub alphabet: fn() -> PossibleEvents,
    /// The sequence length in the bounded run.
    pub events: usize,
    /// The sequence length in `model explore`.
    pub most: usize,
}

/// All searches. Those with fewer actors go deeper, and are tried first when a defect is searched for.
#[rustfmt::skip]
pub const SEARCHES: &[Search] = &[
    Search { name: "Alice at the Machine",           alphabet: || PossibleEvents::of(ModelKind::Machine),    events: 5, most: 10 },
    Search { name: "Machine, label set before",      alphabet: || PossibleEvents::after_edits(Some(ModelValue::Blue)), events: 4, most: 6 },
    Search { name: "Machine, label removed before",  alphabet: || PossibleEvents::after_edits(None),         events: 3, most: 6 },
    Search { name: "everybody at the Machine",       alphabet: PossibleEvents::at_machine,              events: 4, most: 6 },
    Search { name: "Alice at the MachineSet",        alphabet: || PossibleEvents::of(ModelKind::Set),        events: 4, most: 7 },
    Search { name: "Alice at the MachineDeployment", alphabet: || PossibleEvents::of(ModelKind::Deployment), events: 4, most: 7 },
    Search { name: "everybody, both keys",           alphabet: PossibleEvents::whole,                   events: 2, most: 3 },
    Search { name: "everybody, the label",           alphabet: PossibleEvents::of_label,                events: 4, most: 5 },
];

/// What a search found.
pub struct SearchResult {
    /// The number of distinct states.
    pub states: usize,
    /// The number of steps between them.
    pub steps: usize,
    /// The number of engine evaluations.
    pub evaluations: usize,
    /// How long it took.
    pub time: Duration,
    /// The first counterexample: the property, and a shortest path to it.
    pub counterexample: Option<Counterexample>,
}

/// A property that does not hold.
pub struct Counterexample {
    /// The property.
    pub property: &'static str,
    /// The events.
    pub actions: Vec<ModelEvent>,
    /// The same as sentences.
    pub description: String,
}

/// Tries every sequence of events up to the model's limit. Single-threaded, so that each state is reached on a shortest
/// path.
pub fn search(comparison: WorldComparison) -> SearchResult {
    let begin = Instant::now();
    let checker = comparison.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let time = begin.elapsed();
    let comparison = checker.model();
    let shortest = checker
        .discoveries()
        .into_iter()
        .map(|(property, path)| (path.into_actions(), property))
        .min_by_key(|(actions, property)| (actions.len(), *property));
    let counterexample = shortest.map(|(actions, property)| Counterexample {
        property,
        description: description(comparison, &actions),
        actions,
    });
    SearchResult {
        states: checker.unique_state_count(),
        steps: checker.state_count(),
        evaluations: comparison.policy.evaluations(),
        time,
        counterexample,
    }
}

/// The shortest path that exposes a reintroduced defect.
pub fn find_defect(defect: Defect) -> Option<(&'static Search, SearchResult)> {
    let lists_controllers = !defect.needs_unlisted_controllers();
    shortest(|alphabet, events| WorldComparison::new(Some(defect), lists_controllers, alphabet, events))
}

/// The shortest path to a known difference, when it is not tolerated.
pub fn find_known(known: KnownDifference) -> Option<(&'static Search, SearchResult)> {
    shortest(|alphabet, events| {
        let mut comparison = WorldComparison::new(None, true, alphabet, events);
        comparison.tolerated.retain(|it| *it != known);
        comparison
    })
}

/// Runs all searches with one event, then with two, and so on.
fn shortest(comparison: impl Fn(PossibleEvents, usize) -> WorldComparison) -> Option<(&'static Search, SearchResult)> {
    let most = SEARCHES.iter().map(|of| of.events).max().unwrap_or_default();
    let searches =
        (1..=most).flat_map(|events| SEARCHES.iter().filter(move |of| of.events >= events).map(move |of| (of, events)));
    let mut found = searches.map(|(of, events)| (of, search(comparison((of.alphabet)(), events))));
    found.find(|(_, found)| found.counterexample.is_some())
}
