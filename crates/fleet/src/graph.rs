//! Objects and what comes to them, as a picture: in every format the same.

mod dot;
mod lines;
mod mermaid;
mod svg;

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::NotApplicableReason;

use self::lines::{clipped, wrapped};
use crate::member::Member;
use crate::way::{Stand, State};
use crate::world::World;

/// Objects below one another, and what comes to each.
#[derive(Debug, Default)]
pub struct Graph {
    title: String,
    description: String,
    /// Each before what is below it.
    nodes: Vec<Node>,
}

/// An object, or several that look alike.
#[derive(Debug)]
struct Node {
    parent: Option<usize>,
    depth: usize,
    /// How many objects it stands for.
    count: usize,
    /// Whether something is missing, or has another value.
    lacks: bool,
    /// As the policy writes it, of the first.
    id: String,
    kind: String,
    name: String,
    notes: Vec<Note>,
    /// The objects that it comes from.
    sources: BTreeSet<String>,
    /// The rules that bring what is told of.
    rules: BTreeSet<String>,
    is_foretold: bool,
    flow: Flow,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Note {
    text: String,
    tone: Tone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Plain,
    Good,
    Bad,
}

/// What comes to an object from above.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Flow {
    #[default]
    Nothing,
    Travels,
    Stops,
}

/// What is told of an object.
#[derive(Debug, Default)]
struct Told {
    notes: Vec<Note>,
    lacks: bool,
    sources: BTreeSet<String>,
    rules: BTreeSet<String>,
    flow: Flow,
}

impl Graph {
    /// All objects that the rules connect, and how much comes to each. With a label or annotation, its way: where it is
    /// set, where it comes to, and where it stops and why; objects that it has nothing to do with are left out. Equal
    /// siblings are one.
    #[must_use]
    pub fn of(world: &World, key: Option<&str>) -> Graph {
        let mut told: BTreeMap<usize, Told> = match key {
            Some(key) => way(world, key),
            None => all(world),
        };
        let mut graph = Graph::default();
        // Below the first of equal siblings stands what is below all of them.
        let mut next = Vec::new();
        let looks = world.looks(&|number| told.get(&number).map(|told| format!("{:?}", told.notes)));
        let add = |siblings: &[usize], parent: Option<usize>, next: &mut Vec<_>| {
            let groups = world.alike(siblings, &looks);
            next.extend(groups.into_iter().rev().map(|group| (group, parent)));
        };
        add(&world.roots().collect::<Vec<_>>(), None, &mut next);
        while let Some((group, parent)) = next.pop() {
            let Some((first, member)) = group.first().and_then(|first| Some((*first, world.member(*first)?))) else {
                continue;
            };
            add(&member.children, Some(graph.nodes.len()), &mut next);
            let depth = parent.and_then(|parent| graph.nodes.get(parent)).map_or(0, |parent| parent.depth + 1);
            let mut node = Node::of(member, group.len(), parent, depth, told.remove(&first).unwrap_or_default());
            // What is below stands there once, and for all of them.
            node.count *= parent.and_then(|parent| graph.nodes.get(parent)).map_or(1, |parent| parent.count);
            graph.nodes.push(node);
        }
        graph.pass_on();
        graph.title = key.map_or(messages::TITLE.to_owned(), messages::title_of);
        graph.description = graph.described(key);
        graph
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// An SVG that stands alone: in light and dark, readable in print, with a title and a description.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::svg(self)
    }

    /// A flowchart for Mermaid.
    #[must_use]
    pub fn mermaid(&self) -> String {
        mermaid::mermaid(self)
    }

    /// A directed graph for Graphviz.
    #[must_use]
    pub fn dot(&self) -> String {
        dot::dot(self)
    }

    /// What comes to an object from far above passes those between.
    fn pass_on(&mut self) {
        let mut passed = BTreeSet::new();
        for node in &self.nodes {
            for source in &node.sources {
                let mut way = Vec::new();
                let mut next = node.parent;
                while let Some((index, above)) = next.and_then(|index| Some((index, self.nodes.get(index)?))) {
                    if above.id == *source {
                        passed.append(&mut way.into_iter().collect());
                        break;
                    }
                    way.push(index);
                    next = above.parent;
                }
            }
        }
        for (index, node) in self.nodes.iter_mut().enumerate() {
            if passed.contains(&index) {
                node.flow = Flow::Travels;
            }
        }
    }

    /// The picture in words.
    fn described(&self, key: Option<&str>) -> String {
        let count = |holds: &dyn Fn(&Node) -> bool| -> usize {
            self.nodes.iter().filter(|node| holds(node)).map(|node| node.count).sum()
        };
        let objects = count(&|_| true);
        let lacking = messages::lacking(count(&|node| node.lacks));
        let Some(key) = key else { return messages::objects(objects) + &lacking };
        let brought = count(&|node| !node.sources.is_empty());
        let mut description = messages::brought(key, brought, objects) + &lacking;
        for node in self.nodes.iter().filter(|node| node.flow == Flow::Stops) {
            for note in node.notes.iter().filter(|note| note.tone == Tone::Bad) {
                description += &format!(" {} {}: {}.", node.kind, node.name, note.text);
            }
        }
        description
    }
}

impl Node {
    fn of(member: &Member, count: usize, parent: Option<usize>, depth: usize, told: Told) -> Node {
        let id = member.id.to_string();
        let name = id.strip_prefix(&*member.id.kind).unwrap_or(&id).trim_start().to_owned();
        let name = if count > 1 { messages::alike(&name, count - 1) } else { name };
        let kind = member.id.kind.clone();
        let Told { notes, lacks, sources, rules, flow } = told;
        Node {
            parent,
            depth,
            count,
            lacks,
            id,
            kind,
            name,
            notes,
            sources,
            rules,
            is_foretold: member.origin.is_none(),
            flow,
        }
    }

    /// What stands in the picture: kind, name and notes, in lines of at most so many characters.
    fn lines(&self, width: usize) -> Vec<Note> {
        let head = [&*self.kind, &*self.name].into_iter().chain(self.is_foretold.then_some(messages::FORETOLD));
        let head = head.map(|text| Note { text: text.to_owned(), tone: Tone::Plain });
        let notes = head.chain(self.notes.iter().cloned());
        let of_note = |note: Note| {
            wrapped(&note.text, width).into_iter().map(move |text| Note { text, tone: note.tone }).collect::<Vec<_>>()
        };
        notes.flat_map(of_note).collect()
    }
}

/// What a key has to do with each object; objects that it has nothing to do with, and that lead to none, are left out.
fn way(world: &World, key: &str) -> BTreeMap<usize, Told> {
    let mut all: BTreeMap<usize, Told> = BTreeMap::new();
    let mut kept = BTreeSet::new();
    for number in world.in_order() {
        let stands = world.stands(number, key, &BTreeSet::new());
        let unknown = world.member(number).and_then(not_compared);
        let above = |number: usize| world.member(number).and_then(|member| member.parent);
        if !stands.is_empty() || (unknown.is_some() && above(number).is_some_and(|parent| kept.contains(&parent))) {
            let mut next = Some(number);
            while let Some(number) = next.filter(|number| kept.insert(*number)) {
                next = above(number);
            }
        }
        let mut told = Told { notes: notes_of(&stands), ..Told::default() };
        told.notes.extend(unknown);
        let carried = world.member(number).into_iter().flat_map(|member| &member.carried);
        told.sources.extend(carried.filter(|entry| entry.key == key).map(|entry| entry.source.clone()));
        told.rules.extend(stands.iter().filter(|stand| brings(&stand.state)).filter_map(|stand| stand.why.clone()));
        told.lacks = stands.iter().any(|stand| lacks(&stand.state));
        told.flow = match stands.iter().any(|stand| brings(&stand.state)) {
            true => Flow::Travels,
            false if stands.iter().any(|stand| stand.state == State::NotPropagated) => Flow::Stops,
            false => Flow::Nothing,
        };
        all.insert(number, told);
    }
    all.retain(|number, _| kept.contains(number));
    all
}

/// How much comes to each object; objects that the rules have nothing to do with are left out.
fn all(world: &World) -> BTreeMap<usize, Told> {
    let mut all = BTreeMap::new();
    for (number, member) in world.members().iter().enumerate() {
        let is_alone = member.parent.is_none() && member.children.is_empty();
        if is_alone && member.carried.is_empty() && member.report.cloud_tags.is_none() {
            continue;
        }
        let keys = |holds: &dyn Fn(&Stand) -> bool, entry: &str| {
            let entries = member.carried.iter().filter(|carried| carried.entry == entry);
            let keys = entries.filter(|carried| holds(&Stand::of(carried, member))).map(|carried| &carried.key);
            keys.collect::<BTreeSet<_>>().len()
        };
        let of_both =
            |holds: &dyn Fn(&Stand) -> bool| messages::entries(keys(holds, "label"), keys(holds, "annotation"));
        let mut notes = Vec::new();
        let mut note = |text: Option<String>, tone| notes.extend(text.map(|text| Note { text, tone }));
        note(of_both(&|_| true), Tone::Plain);
        note(of_both(&|stand| stand.state == State::Missing).map(messages::missing), Tone::Bad);
        note(of_both(&|stand| matches!(stand.state, State::Differs(_))).map(messages::different), Tone::Bad);
        if let Some(tags) = &member.report.cloud_tags {
            note(Some(messages::tags(tags.tags.len(), tags.profile)), Tone::Plain);
            note(Some(messages::no_tags(tags.skipped.len())).filter(|_| !tags.skipped.is_empty()), Tone::Bad);
        }
        notes.extend(not_compared(member));
        let rules = member.carried.iter().map(|entry| entry.rule.clone()).collect();
        let flow = if member.carried.is_empty() || member.parent.is_none() { Flow::Nothing } else { Flow::Travels };
        let sources = member.carried.iter().map(|entry| entry.source.clone()).collect();
        let lacks = member.carried.iter().any(|entry| lacks(&Stand::of(entry, member).state));
        all.insert(number, Told { notes, lacks, sources, rules, flow });
    }
    all
}

/// Why nothing is known of what comes to an object.
fn not_compared(member: &Member) -> Option<Note> {
    let reason = member.unknown.as_ref().filter(|reason| reason.reason != NotApplicableReason::NoOwner)?;
    Some(Note { text: messages::not_compared(&reason.to_string()), tone: Tone::Bad })
}

/// Whether the rules bring a key to a place.
fn brings(state: &State) -> bool {
    matches!(state, State::Present | State::Missing | State::Foretold | State::Differs(_))
}

/// Whether an object is to have what it has not.
fn lacks(state: &State) -> bool {
    matches!(state, State::Missing | State::Differs(_))
}

fn notes_of(stands: &[Stand]) -> Vec<Note> {
    let is_equal = |a: &Stand, b: &Stand| (&a.value, &a.state, &a.why) == (&b.value, &b.state, &b.why);
    stands.chunk_by(is_equal).filter_map(note_of).collect()
}

/// One line for all places with the same to say of them.
fn note_of(stands: &[Stand]) -> Option<Note> {
    let stand = stands.first()?;
    let tone = match stand.state {
        State::Set | State::Foretold => Tone::Plain,
        State::Present | State::Tag => Tone::Good,
        State::Missing | State::Differs(_) | State::NotPropagated | State::NoTag => Tone::Bad,
    };
    let places: Vec<&str> = stands.iter().map(|stand| &*stand.at).collect();
    let value = stand.value.as_ref().map(|value| if value.is_empty() { "\"\"".to_owned() } else { clipped(value) });
    let state = match &stand.state {
        State::Differs(found) => State::Differs(clipped(found)).told(),
        state => state.told(),
    };
    let words: Vec<String> = value.into_iter().chain(Some(state).filter(|state| !state.is_empty())).collect();
    let mut text = words.join(" ");
    if stand.state != State::NotPropagated {
        text = format!("{}: {text}", places.join(", "));
    }
    if let Some(why) = stand.why.as_ref().filter(|_| !brings(&stand.state)) {
        text = format!("{text}: {why}");
    }
    Some(Note { text, tone })
}

mod messages {
    pub(super) const TITLE: &str = "Objects, and the labels and annotations that come to them";
    pub(super) const FORETOLD: &str = "not among the files";

    pub(super) fn title_of(key: &str) -> String {
        format!("The way of {key}")
    }

    pub(super) fn alike(name: &str, others: usize) -> String {
        format!("{name} and {others} like it")
    }

    pub(super) fn objects(count: usize) -> String {
        format!("{}, each below the one that it is made from.", counted(count, "object"))
    }

    pub(super) fn brought(key: &str, brought: usize, objects: usize) -> String {
        format!("{key} comes to {brought} of {}.", counted(objects, "object"))
    }

    pub(super) fn lacking(count: usize) -> String {
        if count == 0 {
            String::new()
        } else {
            format!(" What comes is missing, or has another value, at {count} of them.")
        }
    }

    pub(super) fn entries(labels: usize, annotations: usize) -> Option<String> {
        let counts = [(labels, "label"), (annotations, "annotation")];
        let counts: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| counted(*n, what)).collect();
        (!counts.is_empty()).then(|| counts.join(", "))
    }

    pub(super) fn missing(entries: String) -> String {
        format!("{entries} missing")
    }

    pub(super) fn different(entries: String) -> String {
        format!("{entries} with another value")
    }

    pub(super) fn tags(count: usize, profile: &str) -> String {
        format!("{} (profile `{profile}`)", counted(count, "cloud tag"))
    }

    pub(super) fn no_tags(count: usize) -> String {
        format!("{} not added as a cloud tag", counted(count, "label"))
    }

    pub(super) fn not_compared(reason: &str) -> String {
        format!("not compared: {reason}")
    }

    fn counted(count: usize, what: &str) -> String {
        if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
    }
}
