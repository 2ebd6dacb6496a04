//! Every order of events up to a depth, and every reintroduced defect.

use model::comparison::{ALIKE, WorldComparison};
use model::defect::Defect;
use model::known::KnownDifference;
use model::search::{SEARCHES, SearchResult, find_defect, find_known, search};

/// The descriptions of the known differences.
fn ends_otherwise(lists_controllers: bool) -> Vec<String> {
    let searched = SEARCHES.iter().filter_map(|of| {
        let comparison = WorldComparison::new(None, lists_controllers, (of.alphabet)(), of.events);
        let it = search(comparison).counterexample?;
        Some(format!("{}: does not hold: {}\n\n{}", of.name, it.property, it.description))
    });
    searched.collect()
}

#[test]
fn with_listed_controllers_no_order_of_events_ends_otherwise_than_without_the_policy() {
    assert_eq!(ends_otherwise(true), Vec::<String>::new());
}

#[test]
fn with_unlisted_controllers_no_order_of_events_ends_otherwise_than_without_the_policy() {
    assert_eq!(ends_otherwise(false), Vec::<String>::new());
}

/// The property that does not hold, and the number of events of a shortest path.
fn shown(found: Option<(&'static model::search::Search, SearchResult)>) -> Option<(&'static str, usize)> {
    let it = found?.1.counterexample?;
    Some((it.property, it.actions.len()))
}

#[test]
fn each_defect_is_found() {
    let found = Defect::ALL.map(|defect| (defect, shown(find_defect(defect))));
    assert_eq!(
        found,
        [
            (Defect::ForgottenOwners, Some((ALIKE, 1))),
            (Defect::OwningBackfill, Some((ALIKE, 2))),
            (Defect::AnsweredDryRuns, Some((ALIKE, 1))),
            (Defect::CachedWrites, Some((ALIKE, 3))),
            (Defect::UnseenDeletion, Some((ALIKE, 2))),
            (Defect::UnseenOwnerDeletion, Some((ALIKE, 2))),
            (Defect::UnreadManager, Some((ALIKE, 2))),
        ]
    );
}

#[test]
fn what_is_known_to_differ_does_differ() {
    let found = KnownDifference::ALL.map(|known| (known, shown(find_known(known))));
    assert_eq!(
        found,
        [(KnownDifference::SharesKept, Some((ALIKE, 2))), (KnownDifference::UnnamedRemover, Some((ALIKE, 3))),]
    );
}

#[test]
fn a_description_names_writers_and_owners() {
    let (_, found) = find_defect(Defect::ForgottenOwners).unwrap();
    let description = found.counterexample.unwrap().description;
    assert_eq!(
        description,
        "at the beginning every object has what the topology says, owned by its controller:
     MachineDeployment, label team: red, owned by capi-topology
     MachineDeployment's template, label team: red, owned by capi-topology
     MachineSet, label team: red, owned by capi-machinedeployment
     MachineSet's template, label team: red, owned by capi-machinedeployment
     Machine, label team: red, owned by capi-machineset
 1. Alice edits Machine, label team: sets it to blue
     Machine, label team: red, owned by kubectl-edit
then nobody acts any more, and the controllers run until they are done:
     with the policy:    Machine, label team: red, owned by capi-machineset and kubectl-edit
     without the policy: Machine, label team: red, owned by capi-machineset
"
    );
}
