//! Objects and what propagates to them, as a picture: the same in every format.

mod dot;
mod layout;
mod legend;
mod lines;
mod mermaid;
mod messages;
mod notes;
mod shapes;
mod sort;
mod svg;

use std::collections::{BTreeMap, BTreeSet};

use self::notes::NodePropagation;
use self::sort::Sort;
use crate::hierarchy::Hierarchy;
use crate::member::Member;

/// A tree of objects, and what propagates to each.
#[derive(Debug, Default)]
pub struct Graph {
    title: String,
    description: String,
    /// Each before its children.
    nodes: Vec<GraphNode>,
}

/// An object, or several that look the same.
#[derive(Debug)]
struct GraphNode {
    parent: Option<usize>,
    depth: usize,
    sort: Sort,
    /// How many objects it represents.
    count: usize,
    /// The kind, or the number of objects of the kind.
    head: String,
    name: String,
    is_predicted: bool,
    propagation: NodePropagation,
    /// The name as the policy prints it, of the first object.
    id: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Note {
    text: String,
    flow: Flow,
}

/// What happens to a key on the way to an object; also the type of a note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Flow {
    #[default]
    Nothing,
    /// It propagates, and the object has it or is created with it.
    Reaches,
    /// It propagates, and the object does not have it, or has another value.
    Lacks,
    /// It does not propagate.
    Stops,
    /// It is not known.
    Unknown,
}

impl Graph {
    /// All objects that the rules connect, and what propagates to each. With a label or annotation, its propagation
    /// path: where it is set, which objects it reaches, and where it stops and why; objects without the key are
    /// omitted. `within` selects the objects that are drawn, by number, with their sources and children; all if it is
    /// `None`. Equal siblings are one.
    pub fn of(hierarchy: &Hierarchy, key: Option<&str>, within: Option<&[usize]>) -> Graph {
        let mut propagation: BTreeMap<usize, NodePropagation> = match key {
            Some(key) => notes::of_key(hierarchy, key),
            None => notes::of_all(hierarchy),
        };
        if let Some(within) = within {
            let kept = around(hierarchy, within);
            propagation.retain(|number, _| kept.contains(number));
        }
        let mut graph = Graph::default();
        // Everything below equal siblings is put below the first.
        let mut next = Vec::new();
        let folding =
            hierarchy.folding(&|number| propagation.get(&number).map(|propagation| format!("{:?}", propagation.notes)));
        let add = |siblings: &[usize], parent: Option<usize>, next: &mut Vec<_>| {
            let groups = hierarchy.folded(siblings, &folding);
            next.extend(groups.into_iter().rev().map(|group| (group, parent)));
        };
        add(&hierarchy.roots().collect::<Vec<_>>(), None, &mut next);
        while let Some((group, parent)) = next.pop() {
            let Some((first, member)) = group.first().and_then(|first| Some((*first, hierarchy.member(*first)?)))
            else {
                continue;
            };
            add(&member.children, Some(graph.nodes.len()), &mut next);
            let above = parent.and_then(|parent| graph.nodes.get(parent));
            let depth = above.map_or(0, |above| above.depth + 1);
            // Objects below are there once for all siblings.
            let count = group.len() * above.map_or(1, |above| above.count);
            graph.nodes.push(GraphNode::of(
                member,
                count,
                parent,
                depth,
                propagation.remove(&first).unwrap_or_default(),
            ));
        }
        graph.pass_on();
        let names: Vec<String> = within
            .into_iter()
            .flatten()
            .filter_map(|number| hierarchy.member(*number))
            .map(|member| member.id.to_string())
            .collect();
        graph.title = messages::title(key, &names);
        graph.description = graph.described(key);
        graph
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many boxes it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A text description of the picture.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// A self-contained SVG: light and dark, readable in print, with a title and a description.
    pub fn svg(&self) -> String {
        svg::svg(self)
    }

    /// A flowchart for Mermaid.
    pub fn mermaid(&self) -> String {
        mermaid::mermaid(self)
    }

    /// A directed graph for Graphviz.
    pub fn dot(&self) -> String {
        dot::dot(self)
    }

    /// What propagates to an object from a distant source passes those between.
    fn pass_on(&mut self) {
        let mut passed = BTreeSet::new();
        for node in &self.nodes {
            for source in &node.propagation.sources {
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
            if passed.contains(&index) && node.propagation.flow == Flow::Nothing {
                node.propagation.flow = Flow::Reaches;
            }
        }
    }

    /// A text description of the picture.
    fn described(&self, key: Option<&str>) -> String {
        let count = |holds: &dyn Fn(&GraphNode) -> bool| -> usize {
            self.nodes.iter().filter(|node| holds(node)).map(|node| node.count).sum()
        };
        let objects = count(&|_| true);
        let lacking = messages::lacking(count(&|node| node.propagation.flow == Flow::Lacks));
        let Some(key) = key else { return messages::objects(objects) + &lacking };
        let has_tag = |node: &GraphNode| node.propagation.notes.iter().any(|note| note.flow == Flow::Reaches);
        let reached = count(&|node| !node.propagation.sources.is_empty() || has_tag(node));
        let mut description = messages::reached(key, reached, objects) + &lacking;
        for node in self.nodes.iter().filter(|node| node.propagation.flow == Flow::Stops) {
            for note in node.propagation.notes.iter().filter(|note| note.flow == Flow::Stops) {
                description += &format!(" {} {}: {}.", node.head, node.name, note.text);
            }
        }
        description
    }
}

impl GraphNode {
    fn of(
        member: &Member,
        count: usize,
        parent: Option<usize>,
        depth: usize,
        propagation: NodePropagation,
    ) -> GraphNode {
        let id = member.id.to_string();
        let name = id.strip_prefix(&*member.id.kind).unwrap_or(&id).trim_start().to_owned();
        let (head, name) = match count {
            0 | 1 => (member.id.kind.clone(), name),
            _ => messages::alike(&member.id.kind, count, &name),
        };
        let sort = Sort::of(&member.id, member.report.cloud_tags.is_some());
        GraphNode { parent, depth, sort, count, head, name, is_predicted: member.origin.is_none(), propagation, id }
    }

    /// The text of a box: kind, name and notes, in lines of limited length.
    fn lines(&self, width: usize) -> Vec<Note> {
        let head = [&*self.head, &*self.name].into_iter();
        let head = head.map(|text| Note { text: text.to_owned(), flow: Flow::Nothing });
        let notes = head.chain(self.propagation.notes.iter().cloned());
        let of_note = |note: Note| {
            lines::wrapped(&note.text, width)
                .into_iter()
                .map(move |text| Note { text, flow: note.flow })
                .collect::<Vec<_>>()
        };
        notes.flat_map(of_note).collect()
    }

    /// The same for formats without dashed boxes for predicted objects.
    fn lines_in_words(&self, width: usize) -> Vec<String> {
        let mut lines: Vec<String> = self.lines(width).into_iter().map(|line| line.text).collect();
        if self.is_predicted {
            lines.insert(
                lines::wrapped(&self.head, width).len().saturating_add(1).min(lines.len()),
                messages::PREDICTED.to_owned(),
            );
        }
        lines
    }
}

/// Objects with everything above and below them.
fn around(hierarchy: &Hierarchy, within: &[usize]) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    let mut next: Vec<usize> = within.to_vec();
    while let Some(number) = next.pop() {
        if kept.insert(number) {
            next.extend(hierarchy.member(number).into_iter().flat_map(|member| member.children.iter().copied()));
        }
    }
    for number in within {
        let mut above = hierarchy.member(*number).and_then(|member| member.parent);
        while let Some(number) = above.filter(|number| kept.insert(*number)) {
            above = hierarchy.member(number).and_then(|member| member.parent);
        }
    }
    kept
}
