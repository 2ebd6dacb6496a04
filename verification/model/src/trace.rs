//! Random traces as requests to a real API server, with the state that the model predicts after each event.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value as Json, json};

use crate::action::{ModelEvent, PossibleEvents};
use crate::comparison::{ComparedWorlds, WorldComparison};
use crate::description::sentence;
use crate::location::{EntryLocation, ModelKind, Slot};
use crate::manifest;
use crate::policy::settings;
use crate::server::ModelObject;
use crate::world::{ReceivedWrite, World, WriteOutcome, WriteVerb};

/// How many random events a trace has.
const EVENTS: usize = 14;

/// Traces by settings, as `verification/conformance/model` reads them. The same seed gives the same traces.
pub fn traces(seed: u64, count: usize) -> Json {
    let mut random = SmallRng::seed_from_u64(seed);
    let of = |lists_controllers: bool, count: usize, random: &mut SmallRng| {
        let comparison = WorldComparison::new(None, lists_controllers, PossibleEvents::whole(), 0);
        let traces: Vec<Json> = (0..count).map(|_| trace(&comparison, random)).collect();
        let settings: Json = serde_json::from_str(settings(lists_controllers)).unwrap_or_default();
        json!({ "settings": settings, "traces": traces })
    };
    let listed = of(true, count.div_ceil(2), &mut random);
    json!([listed, of(false, count / 2, &mut random)])
}

/// The initial writes, random events, and the final reconciliations.
fn trace(comparison: &WorldComparison, random: &mut SmallRng) -> Json {
    let mut state = comparison.beginning();
    // If controllers are not listed, the policy also reads for the first writes, so the cache is expired first.
    let mut events = vec![beginning(&state), event(comparison, &mut state, ModelEvent::Expire)];
    for _ in 0..EVENTS {
        let action = any(comparison, &state, random);
        events.push(event(comparison, &mut state, action));
    }
    if state.shared.cluster.paused {
        events.push(event(comparison, &mut state, ModelEvent::Pause(false)));
    }
    for _ in 0..2 {
        events.extend(ModelKind::ALL.map(|kind| event(comparison, &mut state, ModelEvent::Reconcile(kind))));
    }
    json!(events)
}

/// A random possible next event; each sort of event has the same probability.
fn any(comparison: &WorldComparison, state: &ComparedWorlds, random: &mut SmallRng) -> ModelEvent {
    let mut actions = Vec::new();
    comparison.alphabet.actions(&state.shared, &state.with, &mut actions);
    let sort = |action: &ModelEvent| match action {
        ModelEvent::Source(..) => 0,
        ModelEvent::Edit(.., false) => 1,
        ModelEvent::Edit(.., true) => 2,
        ModelEvent::Argo(..) => 3,
        ModelEvent::Pause(_) | ModelEvent::Delete(_) | ModelEvent::Release | ModelEvent::Restore => 4,
        ModelEvent::Backfill(_) | ModelEvent::Expire => 5,
        ModelEvent::Update(_) => 6,
        ModelEvent::Reconcile(kind) => 7 + *kind as usize,
    };
    let sorts: Vec<usize> = (0..10).filter(|it| actions.iter().any(|action| sort(action) == *it)).collect();
    let chosen = sorts.choose(random).copied();
    actions.retain(|action| Some(sort(action)) == chosen);
    match actions.choose(random).copied() {
        Some(ModelEvent::Argo(value, _)) => ModelEvent::Argo(value, random.random_bool(0.7)),
        Some(action) => action,
        None => ModelEvent::Expire,
    }
}

fn event(comparison: &WorldComparison, state: &mut ComparedWorlds, action: ModelEvent) -> Json {
    let (next, journal) = comparison.after(state, action);
    *state = next;
    let mut writes: Vec<Json> = journal.iter().map(|(write, written)| request(write, written)).collect();
    if let ModelEvent::Source(..) | ModelEvent::Pause(_) = action {
        writes.push(json!({
            "verb": "patch", "user": "alice", "manager": "kubectl-edit", "force": false, "dryRun": false,
            "object": manifest::cluster(&state.shared.cluster), "answer": "stored",
        }));
    }
    json!({
        "description": sentence(action, comparison),
        "expires": action == ModelEvent::Expire,
        "writes": writes,
        "after": stored(&state.with),
    })
}

/// The initial writes: the class, the Cluster, and the objects that the controllers apply.
fn beginning(state: &ComparedWorlds) -> Json {
    let create = |object: Json| {
        json!({
            "verb": "create", "user": "alice", "manager": "kubectl-edit", "force": false, "dryRun": false,
            "object": object, "answer": "stored",
        })
    };
    let mut writes = vec![create(manifest::class()), create(manifest::cluster(&state.shared.cluster))];
    for kind in ModelKind::ALL {
        let values = state.with.wanted(kind, state.shared.cluster);
        let verb = WriteVerb::Apply { values, is_whole: true, force: true };
        let write = ReceivedWrite { kind, manager: kind.controller(), verb, dry_run: false, compares: false };
        writes.push(request(&write, &WriteOutcome::Stored(state.with.object(kind).copied())));
    }
    json!({ "description": "the beginning", "expires": false, "writes": writes, "after": stored(&state.with) })
}

/// A write as it is sent, and the expected answer.
fn request(write: &ReceivedWrite, written: &WriteOutcome) -> Json {
    let ReceivedWrite { kind, manager, verb, dry_run, compares } = *write;
    let (name, force, mut object) = match verb {
        WriteVerb::Create(values) => ("create", false, manifest::written(kind, &values)),
        WriteVerb::Edit(location, value) => {
            ("patch", false, manifest::configuration(kind, [(location, value)].into_iter()))
        }
        WriteVerb::Touch => ("patch", false, manifest::configuration(kind, std::iter::empty())),
        WriteVerb::Replace(values) => ("update", false, manifest::written(kind, &values)),
        WriteVerb::Release => {
            let mut object = manifest::configuration(kind, std::iter::empty());
            manifest::released(&mut object);
            ("patch", false, object)
        }
        WriteVerb::Delete => ("delete", false, manifest::configuration(kind, std::iter::empty())),
        WriteVerb::Apply { values, is_whole: true, force } => ("apply", force, manifest::written(kind, &values)),
        WriteVerb::Apply { values, is_whole: false, force } => {
            let named =
                kind.locations().map(|location| (location, values[location.slot as usize][location.key as usize]));
            ("apply", force, manifest::configuration(kind, named.filter(|(_, value)| value.is_some())))
        }
    };
    if compares {
        manifest::compared(&mut object);
    }
    let answer = match written {
        WriteOutcome::Stored(_) => "stored",
        WriteOutcome::Conflict => "conflict",
        WriteOutcome::Impossible => "impossible",
        WriteOutcome::Refused(_) => "refused",
        WriteOutcome::Strange(_) => "strange",
    };
    let answered = match written {
        WriteOutcome::Stored(Some(object)) => entries(kind, object),
        _ => json!(null),
    };
    json!({
        "verb": name, "user": manager.user(), "userAgent": if manager.is_named() { "" } else { manager.text() },
        "manager": if manager.is_named() { manager.text() } else { "" }, "force": force, "dryRun": dry_run,
        "object": object, "answer": answer, "answered": answered,
    })
}

/// The stored entries of each object; null if it does not exist.
fn stored(world: &World) -> Json {
    let of = |kind: ModelKind| {
        (kind.text().to_owned(), world.object(kind).map_or(json!(null), |object| entries(kind, object)))
    };
    Json::Object(ModelKind::ALL.into_iter().map(of).collect())
}

/// Every entry with its path, value and owners.
fn entries(kind: ModelKind, object: &ModelObject) -> Json {
    let entry = |location: EntryLocation| {
        let entry = object.at(location.slot, location.key);
        let place: &[&str] = if location.slot == Slot::Own { &["metadata"] } else { &["spec", "template", "metadata"] };
        let path = [place, &[location.key.map(), location.key.text()]].concat();
        let mut owners: Vec<&str> = entry.owners.each().map(|manager| manager.text()).collect();
        owners.sort_unstable();
        json!({ "path": path, "value": entry.value.map(|value| value.text()).unwrap_or_default(), "owners": owners })
    };
    let mut fixed: Vec<&str> = object.fixed.each().map(|manager| manager.text()).collect();
    fixed.sort_unstable();
    let mut entries: Vec<Json> = kind.locations().map(entry).collect();
    entries.push(json!({ "path": ["spec", "clusterName"], "value": "c1", "owners": fixed }));
    json!(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_traces() {
        assert_eq!(traces(1, 2), traces(1, 2));
        assert_ne!(traces(1, 2), traces(2, 2));
    }
}
