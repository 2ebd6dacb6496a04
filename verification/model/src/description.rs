//! A path through the model as sentences: who wrote what, and who owned it afterwards.

use crate::action::ModelEvent;
use crate::comparison::{ComparedWorlds, Flaw, StateVerdict, WorldComparison};
use crate::location::{EntryLocation, FieldManager, ModelKind, ModelValue};
use crate::server::OwnedEntry;
use crate::world::{ReceivedWrite, World, WriteOutcome, WriteVerb};

/// The events of a path, their results, and how these differ from the results without the policy.
pub fn description(comparison: &WorldComparison, actions: &[ModelEvent]) -> String {
    let mut state = comparison.beginning();
    let mut lines = match comparison.alphabet.before.as_slice() {
        [] => vec!["at the beginning every object has what the topology says, owned by its controller:".to_owned()],
        before => {
            let events = before.iter().map(|event| format!("  - {}", sentence(*event, comparison)));
            let mut lines = vec!["before the policy is installed:".to_owned()];
            lines.extend(events);
            lines.push("when it is installed:".to_owned());
            lines
        }
    };
    lines.extend(
        EntryLocation::all().filter_map(|location| described(&state.with, location)).map(|line| format!("     {line}")),
    );
    for (number, action) in actions.iter().enumerate() {
        let (next, journal) = comparison.after(&state, *action);
        lines.push(format!("{:>2}. {}", number + 1, sentence(*action, comparison)));
        lines.extend(journal.iter().filter_map(|(write, written)| outcome(write, written)));
        lines.extend(changed(&state.with, &next.with));
        state = next;
    }
    lines.extend(end(comparison, &state));
    lines.join("\n") + "\n"
}

/// An event as one sentence.
pub(crate) fn sentence(action: ModelEvent, comparison: &WorldComparison) -> String {
    let set = |value: Option<ModelValue>| {
        value.map_or("removes it".to_owned(), |value| format!("sets it to {}", value.text()))
    };
    match action {
        ModelEvent::Source(key, value) => {
            format!("Alice changes {} {} of the Cluster's topology: {}", entry_name(key.map()), key.text(), set(value))
        }
        ModelEvent::Pause(true) => "Alice pauses the Cluster".to_owned(),
        ModelEvent::Pause(false) => "Alice resumes the Cluster".to_owned(),
        ModelEvent::Edit(location, value, dry_run) => {
            let how = if dry_run { " as a dry run" } else { "" };
            format!("Alice edits {location}{how}: {}", set(value))
        }
        ModelEvent::Backfill(kind) => {
            format!("an administrator completes the {} with `propagate backfill`", kind.text())
        }
        ModelEvent::Update(value) => {
            let what = value.map_or("without the label team".to_owned(), |value| format!("with team={}", value.text()));
            format!("a Go client updates the Machine to its own content, {what}")
        }
        ModelEvent::Delete(kind) => format!("Alice deletes the {}, and its finalizer holds it", kind.text()),
        ModelEvent::Release => "the finalizer of the Machine is removed".to_owned(),
        ModelEvent::Restore => "Velero restores the Machine from a backup of the beginning".to_owned(),
        ModelEvent::Argo(value, force) => {
            let what = value.map_or("a configuration without it".to_owned(), |value| value.text().to_owned());
            let how = if force { "by force" } else { "without force" };
            format!("Argo CD applies {what} for {} {how}", comparison.fixed.argo_at)
        }
        ModelEvent::Expire => "the host's cache forgets what it has read".to_owned(),
        ModelEvent::Reconcile(kind) => format!("{} reconciles the {}", kind.controller().text(), kind.text()),
    }
}

fn entry_name(map: &str) -> &str {
    map.trim_end_matches('s')
}

/// The result of a write, if the stored state does not show it.
fn outcome(write: &ReceivedWrite, written: &WriteOutcome) -> Option<String> {
    let who = write.manager.text();
    Some(match written {
        WriteOutcome::Stored(_) if write.dry_run && write.manager == FieldManager::Topology => {
            let WriteVerb::Apply { values, .. } = write.verb else { return None };
            let WriteOutcome::Stored(Some(object)) = written else { return None };
            let applied: Vec<String> =
                values_of(write.kind, |location| values[location.slot as usize][location.key as usize]);
            let answered = values_of(write.kind, |location| object.at(location.slot, location.key).value);
            let is_same = if applied == answered { "the same".to_owned() } else { answered.join(", ") };
            format!("     it tries {}, and is answered {is_same}", applied.join(", "))
        }
        WriteOutcome::Stored(_) => return None,
        WriteOutcome::Conflict => format!("     {who} gets a conflict"),
        WriteOutcome::Impossible => {
            format!("     {who} cannot write: the {} is not there, or is already", write.kind.text())
        }
        WriteOutcome::Refused(message) => format!("     the policy refuses: {message}"),
        WriteOutcome::Strange(what) => format!("     the policy wrote what is not its own: {what}"),
    })
}

fn values_of(kind: ModelKind, value: impl Fn(EntryLocation) -> Option<ModelValue>) -> Vec<String> {
    let named = kind.locations().filter_map(|location| Some((location, value(location)?)));
    let texts: Vec<String> = named
        .map(|(location, value)| format!("{}={}", location.to_string().replace(", ", " "), value.text()))
        .collect();
    if texts.is_empty() { vec!["nothing".to_owned()] } else { texts }
}

/// The entries whose stored state changed.
fn changed(before: &World, after: &World) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in ModelKind::ALL {
        let deleting = |world: &World| world.object(kind).map(|object| object.deleting);
        match (deleting(before), deleting(after)) {
            (Some(_), None) => lines.push(format!("     {} is gone", kind.text())),
            (Some(false), Some(true)) => lines.push(format!("     {} has a deletion timestamp", kind.text())),
            _ => {}
        }
    }
    let differs = |location: &EntryLocation| {
        let known =
            |world: &World| world.object(location.kind).map(|object| *object.known().at(location.slot, location.key));
        known(before) != known(after) && after.object(location.kind).is_some()
    };
    for location in EntryLocation::all().filter(differs) {
        lines.push(format!("     {}", described(after, location).unwrap_or_else(|| format!("{location}: gone"))));
    }
    if lines.is_empty() { vec!["     nothing is stored otherwise".to_owned()] } else { lines }
}

/// Such as `Machine, label team: red, owned by capi-machineset`.
fn described(world: &World, location: EntryLocation) -> Option<String> {
    let OwnedEntry { value, owners, .. } = *world.object(location.kind)?.at(location.slot, location.key);
    value.map(|value| format!("{location}: {}, owned by {owners}", value.text()))
}

fn end(comparison: &WorldComparison, state: &ComparedWorlds) -> Vec<String> {
    let StateVerdict { flaw, differ, is_restless, stay } = comparison.verdict(state);
    match flaw {
        Some(Flaw::Refused(message)) => return vec![format!("the policy refused a write: {message}")],
        Some(Flaw::Strange(what)) => return vec![format!("the policy wrote what is not its own: {what}")],
        None if is_restless => return vec!["then the controllers write for ever".to_owned()],
        None => {}
    }
    let Some(closed) = comparison.closed(state) else { return Vec::new() };
    let mut lines = vec!["then nobody acts any more, and the controllers run until they are done:".to_owned()];
    let told = |world: &World, location| described(world, location).unwrap_or_else(|| format!("{location}: gone"));
    let mut wrong = differ.clone();
    wrong.extend(stay.iter().filter(|location| !differ.contains(location)));
    for location in wrong {
        lines.push(format!("     with the policy:    {}", told(&closed.with, location)));
        let mut without: Vec<String> = closed.without.iter().map(|world| told(world, location)).collect();
        without.dedup();
        lines.push(format!("     without the policy: {}", without.join("; or ")));
    }
    lines
}
