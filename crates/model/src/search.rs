//! The searches that tests and `make explore` run.

use std::time::{Duration, Instant};

use stateright::{Checker, HasDiscoveries, Model};

use crate::action::{ModelEvent, PossibleEvents};
use crate::defect::Defect;
use crate::known::KnownDifference;
use crate::spot::ModelKind;
use crate::story::story;
use crate::twin::Twins;

/// One search: who may do what, and how many events in a row.
pub struct Search {
    /// What it is about.
    pub name: &'static str,
    /// Who may do what.
    pub alphabet: fn() -> PossibleEvents,
    /// How many events in a row the bounded run tries.
    pub events: usize,
    /// How many `make explore` tries.
    pub most: usize,
}

/// All of them. Fewer actors go deeper.
#[rustfmt::skip]
pub const SEARCHES: &[Search] = &[
    Search { name: "everybody, both keys",           alphabet: PossibleEvents::whole,                   events: 2, most: 3 },
    Search { name: "everybody, the label",           alphabet: PossibleEvents::of_label,                events: 4, most: 5 },
    Search { name: "everybody at the Machine",       alphabet: PossibleEvents::at_machine,              events: 5, most: 7 },
    Search { name: "Alice at the Machine",           alphabet: || PossibleEvents::of(ModelKind::Machine),    events: 7, most: 10 },
    Search { name: "Alice at the MachineSet",        alphabet: || PossibleEvents::of(ModelKind::Set),        events: 5, most: 7 },
    Search { name: "Alice at the MachineDeployment", alphabet: || PossibleEvents::of(ModelKind::Deployment), events: 5, most: 7 },
];

/// What a search found.
pub struct SearchResult {
    /// Different states.
    pub states: usize,
    /// Steps between them.
    pub steps: usize,
    /// Questions that the engine was asked.
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
    /// The same as a story.
    pub story: String,
}

/// Tries every order of as many events as the model allows. One thread, so that each state is met on a shortest path.
#[must_use]
pub fn search(twins: Twins) -> SearchResult {
    let begin = Instant::now();
    let checker = twins.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let time = begin.elapsed();
    let twins = checker.model();
    let shortest = checker
        .discoveries()
        .into_iter()
        .map(|(property, path)| (path.into_actions(), property))
        .min_by_key(|(actions, property)| (actions.len(), *property));
    let counterexample =
        shortest.map(|(actions, property)| Counterexample { property, story: story(twins, &actions), actions });
    SearchResult {
        states: checker.unique_state_count(),
        steps: checker.state_count(),
        evaluations: twins.policy.evaluations(),
        time,
        counterexample,
    }
}

/// The shortest way to a defect that is put back.
#[must_use]
pub fn find_defect(defect: Defect) -> Option<(&'static Search, SearchResult)> {
    let lists_controllers = !defect.needs_unlisted_controllers();
    shortest(|alphabet, events| Twins::new(Some(defect), lists_controllers, alphabet, events))
}

/// The shortest way to what is known to differ, where it counts.
#[must_use]
pub fn find_known(known: KnownDifference) -> Option<(&'static Search, SearchResult)> {
    shortest(|alphabet, events| {
        let mut twins = Twins::new(None, true, alphabet, events);
        twins.tolerated.retain(|it| *it != known);
        twins
    })
}

/// All searches with one event, then with two, and so on.
fn shortest(twins: impl Fn(PossibleEvents, usize) -> Twins) -> Option<(&'static Search, SearchResult)> {
    let most = SEARCHES.iter().map(|of| of.events).max().unwrap_or_default();
    let searches =
        (1..=most).flat_map(|events| SEARCHES.iter().filter(move |of| of.events >= events).map(move |of| (of, events)));
    let mut found = searches.map(|(of, events)| (of, search(twins((of.alphabet)(), events))));
    found.find(|(_, found)| found.counterexample.is_some())
}
