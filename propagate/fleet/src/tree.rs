//! A YAML document as a tree of nodes with their positions.

mod indented;
mod placeholders;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Tag};

pub(crate) use self::placeholders::braced;
use crate::problem::messages;
use crate::scalar::{Scalar, plain};

/// One document.
#[derive(Debug, Default)]
pub(crate) struct Tree<'t> {
    nodes: Vec<TreeNode<'t>>,
    root: Option<Id>,
}

/// A node of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id(usize);

#[derive(Debug)]
pub(crate) struct TreeNode<'t> {
    /// In bytes of the document.
    pub(crate) span: Range<usize>,
    pub(crate) kind: NodeContent<'t>,
}

#[derive(Debug)]
pub(crate) enum NodeContent<'t> {
    Scalar(Scalar<'t>),
    List(Vec<Id>),
    /// Keys and values as written, before merges.
    Map(Vec<(Id, Id)>),
    Alias(Id),
}

/// An entry of a mapping, including merged ones.
#[derive(Debug, Clone)]
pub(crate) struct MappingEntry<'f> {
    pub(crate) name: Cow<'f, str>,
    pub(crate) key: Id,
    pub(crate) value: Id,
}

/// Why a document cannot be converted to JSON, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TreeFault {
    pub(crate) message: String,
    /// In bytes of the document.
    pub(crate) at: usize,
}

/// A key that occurs twice in a mapping.
pub(crate) struct Twice {
    pub(crate) key: String,
    pub(crate) at: usize,
}

struct Open<'t> {
    node: TreeNode<'t>,
    anchor: usize,
    /// In a mapping, the key whose value comes next.
    key: Option<Id>,
}

impl<'t> Tree<'t> {
    /// Reads a text that contains at most one document. Without a document there is no root.
    pub(crate) fn read(text: &'t str) -> Result<Tree<'t>, TreeFault> {
        Tree::strict(text).or_else(|(fault, is_indentation)| {
            let indented = is_indentation.then(|| indented::read(text, fault.at)).flatten();
            indented.or_else(|| placeholders::read(text)).ok_or(fault)
        })
    }

    /// The same, without texts that are not indented; whether one is the fault is in the error.
    fn strict(text: &'t str) -> Result<Tree<'t>, (TreeFault, bool)> {
        let mut tree = Tree::default();
        let mut anchors: BTreeMap<usize, Id> = BTreeMap::new();
        let mut open: Vec<Open<'t>> = Vec::new();
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| {
                let at = error.marker().byte_offset().unwrap_or_default();
                let is_indentation = *error.kind() == ErrorKind::InvalidQuotedScalarIndent;
                (TreeFault { message: messages::not_yaml(&error.info()), at }, is_indentation)
            })?;
            let begin = span.start.byte_offset().unwrap_or_default();
            let end = span.end.byte_offset().unwrap_or(begin);
            let (node, anchor) = match event {
                Event::Scalar(text, style, anchor, tag) => (
                    TreeNode { span: begin..end, kind: NodeContent::Scalar(scalar(text, style, tag.as_deref())) },
                    anchor,
                ),
                Event::Alias(anchor) => {
                    let Some(target) = anchors.get(&anchor) else {
                        return Err((TreeFault { message: messages::ALIAS_OF_ITSELF.to_owned(), at: begin }, false));
                    };
                    (TreeNode { span: begin..end, kind: NodeContent::Alias(*target) }, 0)
                }
                Event::SequenceStart(_, anchor, _) => {
                    let node = TreeNode { span: begin..end, kind: NodeContent::List(Vec::new()) };
                    open.push(Open { node, anchor, key: None });
                    continue;
                }
                Event::MappingStart(_, anchor, _) => {
                    let node = TreeNode { span: begin..end, kind: NodeContent::Map(Vec::new()) };
                    open.push(Open { node, anchor, key: None });
                    continue;
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    let Some(closed) = open.pop() else { continue };
                    let mut node = closed.node;
                    node.span.end = node.span.end.max(end);
                    (node, closed.anchor)
                }
                _ => continue,
            };
            let id = tree.add(node);
            if anchor > 0 {
                anchors.insert(anchor, id);
            }
            match open.last_mut() {
                Some(Open { node: TreeNode { kind: NodeContent::List(elements), .. }, .. }) => elements.push(id),
                Some(Open { node: TreeNode { kind: NodeContent::Map(entries), .. }, key, .. }) => match key.take() {
                    Some(key) => entries.push((key, id)),
                    None => *key = Some(id),
                },
                _ => tree.root = Some(id),
            }
        }
        Ok(tree)
    }

    /// The document's value.
    pub(crate) fn root(&self) -> Option<Id> {
        self.root
    }

    fn add(&mut self, node: TreeNode<'t>) -> Id {
        self.nodes.push(node);
        Id(self.nodes.len() - 1)
    }

    /// A node as written.
    pub(crate) fn written(&self, id: Id) -> Option<&TreeNode<'t>> {
        self.nodes.get(id.0)
    }

    /// A node, or the node that it is an alias of.
    pub(crate) fn node(&self, mut id: Id) -> Option<&TreeNode<'t>> {
        loop {
            let node = self.nodes.get(id.0)?;
            match node.kind {
                // An alias is always after its anchor.
                NodeContent::Alias(target) => id = target,
                _ => return Some(node),
            }
        }
    }

    /// The entries of a mapping, or none if it is not a mapping. Of duplicate keys the last counts, and is added to
    /// `twice`. Merged entries are last, and never replace the mapping's own.
    ///
    /// # Errors
    /// When a key is not a text, something merged is not a mapping, or merges multiply beyond `work`.
    pub(crate) fn fields(
        &self,
        map: Id,
        twice: &mut Vec<Twice>,
        work: &mut usize,
    ) -> Result<Vec<MappingEntry<'_>>, TreeFault> {
        let mut fields = MappingEntries::default();
        let Some(TreeNode { kind: NodeContent::Map(entries), span }) = self.node(map) else { return Ok(fields.all) };
        *work = work.checked_sub(entries.len()).ok_or(TreeFault { message: messages::too_large(), at: span.start })?;
        let mut merged = Vec::new();
        for &(key, value) in entries {
            let at = self.written(key).map_or(0, |key| key.span.start);
            let Some(name) = self.name(key) else {
                return Err(TreeFault { message: messages::KEY_NO_TEXT.to_owned(), at });
            };
            if name == "<<" {
                merged.push((value, at));
            } else if fields.set(MappingEntry { name: name.clone(), key, value }) {
                twice.push(Twice { key: name.into_owned(), at });
            }
        }
        for (value, at) in merged {
            let maps: &[Id] = match self.node(value).map(|node| &node.kind) {
                Some(NodeContent::Map(_)) => &[value],
                Some(NodeContent::List(maps)) => maps,
                _ => return Err(TreeFault { message: messages::MERGE_OF_NO_MAP.to_owned(), at }),
            };
            for &map in maps {
                for field in self.fields(map, &mut Vec::new(), work)? {
                    fields.add(field);
                }
            }
        }
        Ok(fields.all)
    }

    /// The text of a key; `None` if it is not a text.
    fn name(&self, key: Id) -> Option<Cow<'_, str>> {
        match &self.node(key)?.kind {
            NodeContent::Scalar(Scalar::Text(text)) => Some(Cow::Borrowed(text)),
            NodeContent::Scalar(Scalar::Number(number)) => Some(Cow::Borrowed(number)),
            NodeContent::Scalar(Scalar::Bool(value)) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            _ => None,
        }
    }
}

/// The entries of one mapping while they are collected.
#[derive(Default)]
struct MappingEntries<'f> {
    all: Vec<MappingEntry<'f>>,
    /// Positions of names, once there are many.
    places: BTreeMap<Cow<'f, str>, usize>,
}

/// Up to this number of names are searched linearly.
const FEW: usize = 16;

impl<'f> MappingEntries<'f> {
    fn place(&mut self, name: &str) -> Option<usize> {
        if self.all.len() <= FEW {
            return self.all.iter().position(|field| field.name == name);
        }
        for (place, field) in self.all.iter().enumerate().skip(self.places.len()) {
            self.places.insert(field.name.clone(), place);
        }
        self.places.get(name).copied()
    }

    /// Whether it replaces another.
    fn set(&mut self, field: MappingEntry<'f>) -> bool {
        match self.place(&field.name).and_then(|place| self.all.get_mut(place)) {
            Some(known) => {
                *known = field;
                true
            }
            None => {
                self.all.push(field);
                false
            }
        }
    }

    fn add(&mut self, field: MappingEntry<'f>) {
        if self.place(&field.name).is_none() {
            self.all.push(field);
        }
    }
}

fn scalar<'t>(text: Cow<'t, str>, style: ScalarStyle, tag: Option<&Tag>) -> Scalar<'t> {
    let is_typed = |tag: &Tag| ["int", "float", "bool", "null"].iter().any(|name| tag.is_yaml_core_schema_tag(name));
    match tag {
        Some(tag) if is_typed(tag) => plain(text),
        Some(_) => Scalar::Text(text),
        None if style == ScalarStyle::Plain => plain(text),
        None => Scalar::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (String, usize) {
        let fault = Tree::read(text).err().unwrap();
        (fault.message, fault.at)
    }

    #[test]
    fn a_text_that_is_no_yaml_is_a_fault_at_its_place() {
        let (message, at) = fault("a: 1\nb: [1, 2\nc: 3\n");
        assert!(message.starts_with("invalid YAML: "), "{message}");
        assert_eq!(at, 15);
    }

    #[test]
    fn an_alias_of_its_own_parent_is_a_fault() {
        assert_eq!(fault("a: &x [1, *x]\n"), (messages::ALIAS_OF_ITSELF.to_owned(), 10));
    }

    #[test]
    fn nodes_have_their_positions() {
        let text = "metadata:\n  labels: {team: red}\n";
        let tree = Tree::read(text).unwrap();
        let fields = |id| tree.fields(id, &mut Vec::new(), &mut 100).unwrap();
        let metadata = fields(tree.root().unwrap()).remove(0);
        let labels = fields(metadata.value).remove(0);
        let team = fields(labels.value).remove(0);
        let written = |id| &text[tree.written(id).unwrap().span.clone()];
        assert_eq!((written(labels.key), written(team.key), written(team.value)), ("labels", "team", "red"));
        assert_eq!(written(labels.value), "{team: red}");
    }

    #[test]
    fn quoted_texts_need_no_indentation() {
        let text = "a:\n  - b: 'one\n  it''s two\n  three'\n    c: \"x\n\n    \\\"y\"\n    d: e\n";
        let tree = Tree::read(text).unwrap();
        let texts = tree.nodes.iter().filter_map(|node| match &node.kind {
            NodeContent::Scalar(Scalar::Text(value)) => Some((&**value, &text[node.span.clone()])),
            _ => None,
        });
        assert_eq!(
            texts.collect::<Vec<_>>(),
            [
                ("a", "a"),
                ("b", "b"),
                ("one it's two three", "'one\n  it''s two\n  three'"),
                ("c", "c"),
                ("x\n\"y", "\"x\n\n    \\\"y\""),
                ("d", "d"),
                ("e", "e"),
            ]
        );
        assert_eq!(fault("a: 'b\nc'\nd: [\n").1, 6);
    }

    #[test]
    fn an_empty_document_has_no_root() {
        assert_eq!(Tree::read("# nothing\n").unwrap().root(), None);
    }
}
