//! Edits a document without changing the rest of it: comments, order and style are kept.

use std::collections::BTreeMap;
use std::ops::Range;

use metadata_propagation::{Change, Value as Written};
use serde_json::{Map, Value};

use crate::json::json;
use crate::locate::{fields, item_of, step};
use crate::scalar::{Scalar, plain};
use crate::tree::{Id, NodeContent, Tree};

/// A text that replaces a part of a document.
struct TextEdit {
    span: Range<usize>,
    text: String,
}

/// A document with changes in one of its objects: the object itself, or the item of a list.
///
/// `None` if the document is written in a format that cannot be edited in place, such as an alias that other objects
/// share: the result is read again, and must be `wanted`.
pub(crate) fn spliced(document: &str, item: Option<usize>, changes: &[Change], wanted: &Value) -> Option<String> {
    let tree = Tree::read(document).ok()?;
    let object = item_of(&tree, item)?;
    let mut edits = Vec::new();
    let mut additions: BTreeMap<Id, Map<String, Value>> = BTreeMap::new();
    for change in changes {
        let (map, missing) = deepest(&tree, object, &change.at)?;
        let known = fields(&tree, map).into_iter().find(|field| missing.is_empty() && field.name == change.key);
        match (known, change.to.as_ref()) {
            (Some(known), Some(value)) => {
                let span = tree.written(known.value)?.span.clone();
                edits.push(TextEdit { span, text: inline(&parsed(value)?, is_json(document)) });
            }
            (Some(known), None) => edits.push(removal(document, &tree, map, known.key, known.value)?),
            (None, Some(value)) => {
                let mut into = additions.entry(map).or_default();
                for name in missing.split('.').filter(|name| !name.is_empty()) {
                    into = into.entry(name).or_insert_with(|| Value::Object(Map::new())).as_object_mut()?;
                }
                into.insert(change.key.clone(), parsed(value)?);
            }
            (None, None) => return None,
        }
    }
    for (map, added) in additions {
        edits.push(addition(document, &tree, map, added)?);
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut text = String::with_capacity(document.len());
    let mut end = 0;
    for TextEdit { span, text: new } in edits {
        text += document.get(end..span.start)?;
        text += &new;
        end = span.end;
    }
    text += document.get(end..)?;
    is(&text, item, wanted).then_some(text)
}

fn is(text: &str, item: Option<usize>, wanted: &Value) -> bool {
    let read = || {
        let tree = Tree::read(text).ok()?;
        let json = json(&tree, item_of(&tree, item)?, text.len()).ok()?;
        serde_json::from_str::<Value>(&json.text).ok()
    };
    read().as_ref() == Some(wanted)
}

fn parsed(value: &Written) -> Option<Value> {
    serde_json::from_str(&value.as_json()).ok()
}

/// The deepest existing mapping on a path, and the rest of the path.
fn deepest<'p>(tree: &Tree<'_>, object: Id, path: &'p str) -> Option<(Id, &'p str)> {
    let (mut here, mut rest) = (object, path);
    while !rest.is_empty() {
        let Some((next, after)) = step(tree, here, rest) else { break };
        (here, rest) = (next.value, after);
    }
    let is_plain = rest.split('.').all(|name| !name.contains(['[', ']']));
    matches!(tree.written(here)?.kind, NodeContent::Map(_) | NodeContent::Scalar(Scalar::Null)).then_some(())?;
    is_plain.then_some((here, rest))
}

fn is_json(document: &str) -> bool {
    document.trim_ascii_start().starts_with(['{', '['])
}

/// Whether the lines of a document end with CRLF.
fn ends_with_crlf(document: &str) -> bool {
    document.find('\n').is_some_and(|at| document.get(..at).is_some_and(|line| line.ends_with('\r')))
}

fn is_flow(document: &str, tree: &Tree<'_>, map: Id) -> bool {
    let span = tree.written(map).map_or(0..0, |node| node.span.clone());
    document.get(span).is_some_and(|text| text.starts_with('{'))
}

/// New entries of a mapping: at its end in flow style, before its first entry in block style.
fn addition(document: &str, tree: &Tree<'_>, map: Id, added: Map<String, Value>) -> Option<TextEdit> {
    let node = tree.written(map)?;
    let entries = match &node.kind {
        NodeContent::Map(entries) => &entries[..],
        NodeContent::Scalar(Scalar::Null) => {
            let text = inline(&Value::Object(added), false);
            // Nothing may be between the key's colon and the end of the line.
            let text = if node.span.is_empty() { format!(" {text}") } else { text };
            return Some(TextEdit { span: node.span.clone(), text });
        }
        _ => return None,
    };
    if is_flow(document, tree, map) {
        let inner = inline(&Value::Object(added), is_json(document));
        let inner = inner.strip_prefix('{')?.strip_suffix('}')?;
        let at = match entries.last() {
            Some((_, last)) => tree.written(*last)?.span.end,
            None => node.span.start + 1,
        };
        let text = if entries.is_empty() { inner.to_owned() } else { format!(", {inner}") };
        return Some(TextEdit { span: at..at, text });
    }
    let first = tree.written(entries.first()?.0)?.span.start;
    let begin = document.get(..first)?.rfind('\n').map_or(0, |at| at + 1);
    let indent = " ".repeat(document.get(begin..first)?.chars().count());
    let mut text = String::new();
    block(&added, indent.len(), &mut text);
    if ends_with_crlf(document) {
        text = text.replace('\n', "\r\n");
    }
    // The first line replaces the start of the first entry, which moves to its own line.
    let text = format!("{}{indent}", text.strip_prefix(&indent)?);
    Some(TextEdit { span: first..first, text })
}

/// An entry is removed with its line, or in flow style with its comma.
fn removal(document: &str, tree: &Tree<'_>, map: Id, key: Id, value: Id) -> Option<TextEdit> {
    let (begin, end) = (tree.written(key)?.span.start, tree.written(value)?.span.end);
    if !is_flow(document, tree, map) {
        let begin = document.get(..begin)?.rfind('\n').map_or(0, |at| at + 1);
        let end = document.get(end..)?.find('\n').map_or(document.len(), |at| end + at + 1);
        return Some(TextEdit { span: begin..end, text: String::new() });
    }
    let after = document.get(end..)?;
    let rest = after.trim_ascii_start();
    if let Some(rest) = rest.strip_prefix(',') {
        let end = document.len() - rest.trim_ascii_start().len();
        return Some(TextEdit { span: begin..end, text: String::new() });
    }
    let before = document.get(..begin)?.trim_ascii_end();
    let begin = before.strip_suffix(',').map_or(begin, str::len);
    Some(TextEdit { span: begin..end, text: String::new() })
}

/// Entries in block style, each on its line.
pub(crate) fn block(entries: &Map<String, Value>, indent: usize, out: &mut String) {
    for (key, value) in entries {
        out.push_str(&" ".repeat(indent));
        out.push_str(&scalar(key));
        match value {
            Value::Object(below) if !below.is_empty() => {
                out.push_str(":\n");
                block(below, indent + 2, out);
            }
            value => {
                out.push_str(": ");
                out.push_str(&inline(value, false));
                out.push('\n');
            }
        }
    }
}

/// A value on one line; in JSON all texts are quoted.
fn inline(value: &Value, is_json: bool) -> String {
    let text = |text: &str| if is_json { Value::from(text).to_string() } else { scalar(text) };
    match value {
        Value::String(string) => text(string),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| format!("{}: {}", text(key), inline(value, is_json));
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(elements) if !is_json => {
            let elements: Vec<String> = elements.iter().map(|element| inline(element, is_json)).collect();
            format!("[{}]", elements.join(", "))
        }
        value => value.to_string(),
    }
}

/// A text, without quotes if it needs none.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || "._/-".contains(character))
        && matches!(plain(text.into()), Scalar::Text(_));
    if is_plain { text.to_owned() } else { Value::from(text).to_string() }
}
