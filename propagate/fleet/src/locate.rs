//! Finds the value at a path of the engine in the texts.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::object::Origin;
use crate::scalar::Scalar;
use crate::source::{Lines, Position, Source};
use crate::tree::{Id, MappingEntry, NodeContent, Tree};

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpan {
    /// The number of the text.
    pub source: usize,
    /// In bytes.
    pub span: Range<usize>,
    /// Where it begins.
    pub position: Position,
    /// Whether it is the requested entry, and not only what it would be in.
    pub is_exact: bool,
}

/// Finds positions in texts; keeps the document that it read last.
pub struct Locator<'f> {
    sources: &'f [Source],
    lines: BTreeMap<usize, Lines>,
    last: Option<(usize, Range<usize>, Tree<'f>)>,
}

impl<'f> Locator<'f> {
    /// For the texts of a [`Fleet`](crate::Fleet).
    pub fn new(sources: &'f [Source]) -> Self {
        Locator { sources, lines: BTreeMap::new(), last: None }
    }

    /// The first of the entries `keys` that is at the path `at` of an object, else what they would be in.
    pub fn locate(&mut self, origin: &Origin, at: &str, keys: &[String]) -> SourceSpan {
        let found = self.tree(origin).and_then(|tree| {
            let mut entries = keys.iter().filter_map(|key| find(tree, origin.item, at, Some(key)));
            entries.find(|(_, is_exact)| *is_exact).or_else(|| {
                let (span, is_exact) = find(tree, origin.item, at, None)?;
                Some((span, is_exact && keys.is_empty()))
            })
        });
        let (span, is_exact) = found.unwrap_or((0..0, false));
        let begin = origin.document.start;
        let span = begin + span.start..begin + span.end;
        SourceSpan { source: origin.source, position: self.position(origin.source, span.start), span, is_exact }
    }

    /// Line and column of a byte of a text.
    ///
    /// ```
    /// use fleet::{Locator, Position, Source};
    ///
    /// let sources = [Source { name: "cluster.yaml".into(), text: "kind: Cluster\nmetadata: {}\n".into() }];
    /// assert_eq!(Locator::new(&sources).position(0, 24), Position { line: 2, column: 11 });
    /// ```
    pub fn position(&mut self, source: usize, at: usize) -> Position {
        let text = self.sources.get(source).map_or("", |source| &source.text);
        self.lines.entry(source).or_insert_with(|| Lines::of(text)).position(text, at)
    }

    /// The document that contains an object. A text that was read as JSON may not be YAML.
    fn tree(&mut self, origin: &Origin) -> Option<&Tree<'f>> {
        let is_known = self
            .last
            .as_ref()
            .is_some_and(|(source, document, _)| (source, document) == (&origin.source, &origin.document));
        if !is_known {
            let text = self.sources.get(origin.source)?.text.get(origin.document.clone())?;
            self.last = Some((origin.source, origin.document.clone(), Tree::read(text).ok()?));
        }
        self.last.as_ref().map(|(_, _, tree)| tree)
    }
}

/// The span of an entry, and whether it is the requested one.
pub(crate) fn find(tree: &Tree<'_>, item: Option<usize>, at: &str, key: Option<&str>) -> Option<(Range<usize>, bool)> {
    let object = item_of(tree, item)?;
    let mut here = Here { key: None, value: object };
    let mut rest = at;
    let mut last_is_element = false;
    while !rest.is_empty() {
        let Some((next, after)) = step(tree, here.value, rest) else { break };
        last_is_element = next.key.is_none();
        here = Here { key: next.key.or(here.key), value: next.value };
        rest = after;
    }
    let mut is_exact = rest.is_empty();
    if let Some(key) = key.filter(|_| is_exact) {
        match fields(tree, here.value).into_iter().find(|field| field.name == key) {
            Some(field) => {
                let is_scalar = matches!(tree.written(field.value)?.kind, NodeContent::Scalar(_));
                let shown = if is_scalar { field.value } else { field.key };
                return Some((visible(tree, field.key, shown)?, true));
            }
            None => is_exact = false,
        }
    }
    let Some(key) = here.key else {
        // The object itself: its name distinguishes it from others.
        let name = step(tree, object, "metadata.name").and_then(|(next, rest)| step(tree, next.value, rest));
        let shown = name.map_or(object, |(name, _)| name.value);
        let span = tree.written(shown)?.span.clone();
        return Some((
            if name_is_scalar(tree, shown) { span } else { span.start..span.start },
            is_exact && at.is_empty(),
        ));
    };
    if let Some(name) = last_is_element.then(|| naming(tree, here.value)).flatten() {
        return Some((visible(tree, name.key, name.value)?, is_exact));
    }
    let is_scalar = matches!(tree.written(here.value)?.kind, NodeContent::Scalar(_));
    Some((visible(tree, key, if is_scalar { here.value } else { key })?, is_exact))
}

/// The object that a document is, or an item of its list.
pub(crate) fn item_of(tree: &Tree<'_>, item: Option<usize>) -> Option<Id> {
    let root = tree.root()?;
    let Some(item) = item else { return Some(root) };
    let items = fields(tree, root).into_iter().find(|field| field.name == "items")?.value;
    match &tree.node(items)?.kind {
        NodeContent::List(items) => items.get(item).copied(),
        _ => None,
    }
}

fn name_is_scalar(tree: &Tree<'_>, id: Id) -> bool {
    tree.written(id).is_some_and(|node| matches!(node.kind, NodeContent::Scalar(_)))
}

/// The span to print; that of the key if the value is empty or has several lines.
fn visible(tree: &Tree<'_>, key: Id, shown: Id) -> Option<Range<usize>> {
    let span = &tree.written(shown)?.span;
    if !span.is_empty() {
        return Some(span.clone());
    }
    Some(tree.written(key)?.span.clone())
}

pub(crate) struct Here {
    key: Option<Id>,
    pub(crate) value: Id,
}

/// One step of a path, and the rest of it. A key may contain dots: the longest match counts.
pub(crate) fn step<'p>(tree: &Tree<'_>, from: Id, path: &'p str) -> Option<(Here, &'p str)> {
    if let Some(index) = path.strip_prefix('[') {
        let (index, rest) = index.split_once(']')?;
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        let NodeContent::List(elements) = &tree.node(from)?.kind else {
            let field = fields(tree, from).into_iter().find(|field| field.name == index)?;
            return Some((Here { key: Some(field.key), value: field.value }, rest));
        };
        let value = match index.parse::<usize>() {
            Ok(index) => *elements.get(index)?,
            Err(_) => *elements.iter().find(|element| is_named(tree, **element, index))?,
        };
        return Some((Here { key: None, value }, rest));
    }
    let mut best: Option<(MappingEntry<'_>, &str)> = None;
    for field in fields(tree, from) {
        let Some(rest) = path.strip_prefix(&*field.name) else { continue };
        let is_whole = rest.is_empty() || rest.starts_with(['.', '[']);
        if is_whole && best.as_ref().is_none_or(|(known, _)| known.name.len() < field.name.len()) {
            best = Some((field, rest.strip_prefix('.').unwrap_or(rest)));
        }
    }
    best.map(|(field, rest)| (Here { key: Some(field.key), value: field.value }, rest))
}

/// Whether an element of a list has this name.
fn is_named(tree: &Tree<'_>, element: Id, name: &str) -> bool {
    fields(tree, element).iter().any(|field| is_name(tree, field, |text| text == name))
}

/// The field that distinguishes an element of a list from the others, else its first one.
fn naming<'t>(tree: &'t Tree<'_>, element: Id) -> Option<MappingEntry<'t>> {
    let mut fields = fields(tree, element);
    let named = fields.iter().position(|field| is_name(tree, field, |_| true));
    (!fields.is_empty()).then(|| fields.swap_remove(named.unwrap_or_default()))
}

fn is_name(tree: &Tree<'_>, field: &MappingEntry<'_>, is_meant: impl Fn(&str) -> bool) -> bool {
    let value = tree.node(field.value).map(|node| &node.kind);
    ["name", "class", "key", "type"].contains(&&*field.name)
        && matches!(value, Some(NodeContent::Scalar(Scalar::Text(text))) if is_meant(text))
}

pub(crate) fn fields<'t>(tree: &'t Tree<'_>, id: Id) -> Vec<MappingEntry<'t>> {
    // A document that cannot be read was reported when it was read.
    tree.fields(id, &mut Vec::new(), &mut usize::MAX.clone()).unwrap_or_default()
}
