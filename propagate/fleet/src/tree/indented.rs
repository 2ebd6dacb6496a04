//! Quoted texts over several lines that are not indented: kubectl reads them, and YAML does not allow them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{NodeContent, Tree, TreeNode};
use crate::scalar::Scalar;

/// The maximum number of bytes that are read again, for all texts of a document together.
const MOST: usize = 256 << 20;

/// Reads a document whose quoted text at `fault` is not indented; `None` if something else is wrong, too.
///
/// Source: go.yaml.in/yaml/v2, `yaml_parser_scan_flow_scalar`, which does not compare indentations.
pub(super) fn read(text: &str, fault: usize) -> Option<Tree<'static>> {
    let mut indented = Indented { text, spaces: BTreeMap::new() };
    let mut at = fault;
    for _ in 0..=MOST.checked_div(text.len())? {
        if !indented.add(at) {
            return None;
        }
        match Tree::strict(&indented.written()) {
            Ok(tree) => return Some(indented.original(tree)),
            Err((fault, is_indentation)) if is_indentation => at = indented.offset(fault.at),
            Err(_) => return None,
        }
    }
    None
}

/// A text with further spaces.
struct Indented<'t> {
    text: &'t str,
    /// How many, by their place.
    spaces: BTreeMap<usize, usize>,
}

impl Indented<'_> {
    /// Indents the lines of the quoted text around an offset. Returns whether there is one that was not indented.
    fn add(&mut self, at: usize) -> bool {
        let known = self.spaces.len();
        let mut end = at;
        while let Some(before) = self.text.get(..end).and_then(|before| before.rfind('\n')) {
            let first = self.text.get(..before).and_then(|before| before.rfind('\n')).map_or(0, |line| line + 1);
            if let Some(spaces) = self.continued(first, at) {
                self.spaces.extend(spaces);
                break;
            }
            end = before;
        }
        self.spaces.len() > known
    }

    /// Where the lines of the quoted text begin that begins in a line and contains an offset, with the spaces that each needs.
    fn continued(&self, first: usize, at: usize) -> Option<Vec<(usize, usize)>> {
        let rest = self.text.get(first..)?;
        let line = rest.lines().next()?;
        let opens =
            |(at, _): &(usize, &str)| line.get(..*at).is_some_and(|before| before.trim_end().ends_with([':', '-']));
        let (begin, quote) = line.match_indices(['\'', '"']).find(opens)?;
        let indentation = line.len() - line.trim_start_matches([' ', '-']).len();
        let mut found = Vec::new();
        let begin = first + begin + 1;
        let mut characters = self.text.get(begin..)?.char_indices().peekable();
        while let Some((offset, character)) = characters.next() {
            match (character, quote) {
                ('\n', _) => found.push((begin + offset + 1, indentation + 1)),
                ('\\', "\"") => _ = characters.next_if(|(_, next)| *next != '\n'),
                ('\'', "'") if characters.peek().is_some_and(|(_, next)| *next == '\'') => _ = characters.next(),
                ('\'', "'") | ('"', "\"") => return (begin + offset >= at).then_some(found),
                _ => {}
            }
        }
        None
    }

    fn written(&self) -> String {
        let mut written = String::with_capacity(self.text.len());
        let mut done = 0;
        for (at, spaces) in &self.spaces {
            written += self.text.get(done..*at).unwrap_or_default();
            written.extend(std::iter::repeat_n(' ', *spaces));
            done = *at;
        }
        written + self.text.get(done..).unwrap_or_default()
    }

    /// What an offset of the written text is in the original.
    fn offset(&self, written: usize) -> usize {
        let mut added = 0;
        for (at, spaces) in &self.spaces {
            if written < at + added {
                break;
            }
            added += (*spaces).min(written - at - added);
        }
        written - added
    }

    /// The tree with the offsets of the original.
    fn original(&self, tree: Tree<'_>) -> Tree<'static> {
        let node = |TreeNode { span, kind }: TreeNode<'_>| TreeNode {
            span: self.offset(span.start)..self.offset(span.end),
            kind: owned(kind),
        };
        Tree { nodes: tree.nodes.into_iter().map(node).collect(), root: tree.root }
    }
}

/// A node that borrows nothing.
pub(super) fn owned(kind: NodeContent<'_>) -> NodeContent<'static> {
    match kind {
        NodeContent::Scalar(scalar) => NodeContent::Scalar(match scalar {
            Scalar::Text(text) => Scalar::Text(Cow::Owned(text.into_owned())),
            Scalar::Number(number) => Scalar::Number(number),
            Scalar::Bool(value) => Scalar::Bool(value),
            Scalar::Null => Scalar::Null,
            Scalar::NotFinite => Scalar::NotFinite,
        }),
        NodeContent::List(elements) => NodeContent::List(elements),
        NodeContent::Map(entries) => NodeContent::Map(entries),
        NodeContent::Alias(target) => NodeContent::Alias(target),
    }
}
