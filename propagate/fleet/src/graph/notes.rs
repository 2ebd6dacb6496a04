//! The text in the box of each object.

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::{FORCED, NotApplicableReason, Propagated};

use super::lines::clipped;
use super::{Flow, Note, messages};
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::propagation_path::{Placement, State};

/// The note of an object.
#[derive(Debug, Default)]
pub(super) struct NodePropagation {
    pub(super) notes: Vec<Note>,
    /// The objects that are sources for it.
    pub(super) sources: BTreeSet<String>,
    /// The rules by which it propagates.
    pub(super) rules: BTreeSet<String>,
    /// On the line to it.
    pub(super) flow: Flow,
}

/// What each object does with a key; objects without the key that do not lead to one with it are omitted.
pub(super) fn of_key(hierarchy: &Hierarchy, key: &str) -> BTreeMap<usize, NodePropagation> {
    let mut all: BTreeMap<usize, NodePropagation> = BTreeMap::new();
    let mut kept = BTreeSet::new();
    for number in hierarchy.in_order() {
        let placements = hierarchy.placements(number, key, &BTreeSet::new());
        let unknown = hierarchy.member(number).and_then(not_compared);
        let above = |number: usize| hierarchy.member(number).and_then(|member| member.parent);
        if !placements.is_empty() || (unknown.is_some() && above(number).is_some_and(|parent| kept.contains(&parent))) {
            let mut next = Some(number);
            while let Some(number) = next.filter(|number| kept.insert(*number)) {
                next = above(number);
            }
        }
        let brought: Vec<&Placement> = placements.iter().filter(|placement| is_brought(&placement.state)).collect();
        let flow = match brought.as_slice() {
            [] if placements.iter().any(|placement| placement.state == State::NotPropagated) => Flow::Stops,
            [] if unknown.is_some() => Flow::Unknown,
            [] => Flow::Nothing,
            brought if brought.iter().any(|placement| is_lacking(&placement.state)) => Flow::Lacks,
            _ => Flow::Reaches,
        };
        let mut notes = notes_of(&placements, !brought.is_empty());
        notes.extend(unknown);
        let carried = hierarchy.member(number).into_iter().flat_map(|member| &member.carried);
        let sources = carried.filter(|entry| entry.key == key).map(|entry| entry.source.clone()).collect();
        let rules = brought.iter().filter_map(|placement| placement.why.clone()).collect();
        all.insert(number, NodePropagation { notes, sources, rules, flow });
    }
    all.retain(|number, _| kept.contains(number));
    all
}

/// Which keys propagate to each object; objects that the rules do not handle are omitted.
pub(super) fn of_all(hierarchy: &Hierarchy) -> BTreeMap<usize, NodePropagation> {
    let mut all = BTreeMap::new();
    for (number, member) in hierarchy.members().iter().enumerate() {
        let is_alone = member.parent.is_none() && member.children.is_empty();
        if is_alone && member.carried.is_empty() && member.report.cloud_tags.is_none() {
            continue;
        }
        let mut notes = keys(member);
        let lacks = notes.iter().any(|note| note.flow == Flow::Lacks);
        if let Some(tags) = &member.report.cloud_tags {
            let made: Vec<&str> = tags.tags.keys().map(|key| &**key).collect();
            let skipped: Vec<&str> = tags.skipped.iter().map(|label| &*label.qualified_key).collect();
            let mut note = |keys: &[&str], text, flow| notes.extend((!keys.is_empty()).then_some(Note { text, flow }));
            note(&made, messages::tags(&made, tags.profile), Flow::Reaches);
            note(&skipped, messages::no_tags(&skipped), Flow::Stops);
        }
        let unknown = not_compared(member);
        let flow = match member.parent {
            None => Flow::Nothing,
            Some(_) if lacks => Flow::Lacks,
            Some(_) if !member.carried.is_empty() => Flow::Reaches,
            Some(_) if unknown.is_some() => Flow::Unknown,
            Some(_) => Flow::Nothing,
        };
        notes.extend(unknown);
        let rules = member.carried.iter().map(|entry| entry.rule.clone()).collect();
        let sources = member.carried.iter().map(|entry| entry.source.clone()).collect();
        all.insert(number, NodePropagation { notes, sources, rules, flow });
    }
    all
}

/// The keys that propagate to an object. Of those that Cluster API sets itself, only errors are listed.
fn keys(member: &Member) -> Vec<Note> {
    // A key may be missing in only one map: the most severe state counts.
    let mut states: BTreeMap<&str, (State, bool)> = BTreeMap::new();
    let grave = |state: &State| match state {
        State::Missing => 2,
        State::Differs(_) => 1,
        _ => 0,
    };
    for entry in &member.carried {
        let (state, is_users) = (Placement::of(entry, member).state, is_users(entry));
        match states.get_mut(&*entry.key) {
            Some(known) if grave(&known.0) >= grave(&state) => known.1 |= is_users,
            Some(known) => *known = (state, known.1 || is_users),
            None => {
                states.insert(&entry.key, (state, is_users));
            }
        }
    }
    let of = |holds: &dyn Fn(&State, bool) -> bool| -> Vec<&str> {
        let held = states.iter().filter(|(_, (state, is_users))| holds(state, *is_users));
        // First what users set.
        let mut keys: Vec<(bool, &str)> = held.map(|(key, (_, is_users))| (!is_users, *key)).collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, key)| key).collect()
    };
    let here = of(&|state, is_users| is_users && !is_lacking(state));
    let missing = of(&|state, _| *state == State::Missing);
    let different = of(&|state, _| matches!(state, State::Differs(_)));
    let mut notes = Vec::new();
    let mut note = |keys: &[&str], text, flow| notes.extend((!keys.is_empty()).then_some(Note { text, flow }));
    note(&here, messages::listed(&here), Flow::Reaches);
    note(&missing, messages::missing(&missing), Flow::Lacks);
    note(&different, messages::different(&different), Flow::Lacks);
    if notes.is_empty() && !states.is_empty() {
        notes.push(Note { text: messages::ONLY_CLUSTER_API.to_owned(), flow: Flow::Reaches });
    }
    notes
}

/// Whether a user set an entry, and not Cluster API.
fn is_users(entry: &Propagated) -> bool {
    entry.place.is_some() && !FORCED.iter().any(|forced| forced.key == entry.key)
}

/// Why it is not known what propagates to an object.
fn not_compared(member: &Member) -> Option<Note> {
    let reason = member.unknown.as_ref().filter(|reason| reason.reason != NotApplicableReason::NoOwner)?;
    Some(Note { text: messages::not_compared(&reason.to_string()), flow: Flow::Unknown })
}

/// Whether a key propagates to a place.
fn is_brought(state: &State) -> bool {
    matches!(state, State::Present | State::Missing | State::Predicted | State::Differs(_))
}

/// Whether an object lacks something that it must have.
fn is_lacking(state: &State) -> bool {
    matches!(state, State::Missing | State::Differs(_))
}

fn notes_of(placements: &[Placement], is_reached: bool) -> Vec<Note> {
    let is_equal = |a: &Placement, b: &Placement| (&a.value, &a.state, &a.why) == (&b.value, &b.state, &b.why);
    placements.chunk_by(is_equal).filter_map(|placements| note_of(placements, is_reached)).collect()
}

/// One line for all places with the same text.
fn note_of(placements: &[Placement], is_reached: bool) -> Option<Note> {
    let placement = placements.first()?;
    let flow = match placement.state {
        State::Set => Flow::Nothing,
        State::Present | State::Predicted | State::Tag => Flow::Reaches,
        State::Missing | State::Differs(_) => Flow::Lacks,
        // Another value of the key reaches the object.
        State::NotPropagated if is_reached => Flow::Nothing,
        State::NotPropagated | State::NoTag => Flow::Stops,
    };
    let places: Vec<&str> = placements.iter().map(|placement| &*placement.at).collect();
    let value = placement.value.as_ref().map(|value| if value.is_empty() { "\"\"".to_owned() } else { clipped(value) });
    let state = match &placement.state {
        State::Differs(found) => State::Differs(clipped(found)).in_words(),
        state => state.in_words(),
    };
    let words: Vec<String> = value.into_iter().chain(Some(state).filter(|state| !state.is_empty())).collect();
    let mut text = words.join(" ");
    if placement.state != State::NotPropagated {
        text = format!("{}: {text}", places.join(", "));
    }
    if let Some(why) = placement.why.as_ref().filter(|_| !is_brought(&placement.state)) {
        text = format!("{text}: {why}");
    }
    Some(Note { text, flow })
}
