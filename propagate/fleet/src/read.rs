//! From a document to the objects in it.

mod encrypted;

use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use self::encrypted::{decrypted, is_encrypted};
use crate::json::{DocumentJson, json};
use crate::object::{FleetObject, Head, Origin, group_and_version};
use crate::problem::{Problem, Severity, messages};
use crate::source::{Lines, Position, Source};
use crate::tree::{Tree, TreeFault};

/// The contents of one document.
#[derive(Debug, Default)]
pub struct Reading {
    pub(crate) objects: Vec<FleetObject>,
    pub(crate) problems: Vec<Problem>,
}

impl Reading {
    /// Whether there are objects in the document.
    pub fn has_objects(&self) -> bool {
        !self.objects.is_empty()
    }
}

/// Reads one document of the text with the number `number`: an object, a list of objects, or several objects in JSON.
///
/// Errors are in the result.
pub fn read_document(source: &Source, number: usize, document: Range<usize>) -> Reading {
    let mut reader = DocumentReader { number, document, reading: Reading::default() };
    let text = source.text.get(reader.document.clone()).unwrap_or_default();
    let is_json = text.trim_start_matches('\u{feff}').trim_ascii_start().starts_with(['{', '[']);
    match is_json.then(|| values(text)).flatten() {
        Some(values) => values.into_iter().for_each(|value| reader.json(text, value)),
        None => {
            if let Err(TreeFault { message, at }) = reader.yaml(text) {
                if is_template(text) {
                    reader.problem(Severity::Note, messages::HELM_TEMPLATE.to_owned(), at);
                } else {
                    reader.problem(Severity::Error, messages::unreadable(&message), at);
                }
            }
        }
    }
    reader.reading
}

/// Whether a text contains Helm actions, by their syntax.
fn is_template(text: &str) -> bool {
    text.contains("{{") && text.contains("}}")
}

/// The values of a text that contains only JSON.
fn values(text: &str) -> Option<Vec<&RawValue>> {
    let values = serde_json::Deserializer::from_str(text.trim_start_matches('\u{feff}')).into_iter::<&RawValue>();
    values.collect::<Result<_, _>>().ok()
}

struct DocumentReader {
    number: usize,
    document: Range<usize>,
    reading: Reading,
}

impl DocumentReader {
    fn yaml(&mut self, text: &str) -> Result<(), TreeFault> {
        let tree = Tree::read(text)?;
        let Some(root) = tree.root() else { return Ok(()) };
        let json = json(&tree, root, text.len())?;
        for twice in json.twice {
            self.problem(Severity::Warning, messages::twice(&twice.key), twice.at);
        }
        let at = tree.written(root).map_or(0, |root| root.span.start);
        if let Some((items, of)) = list(&json.text) {
            for (index, item) in items.into_iter().enumerate() {
                let origin = Origin { source: self.number, document: self.document.clone(), item: Some(index) };
                self.object(item.get(), &of, origin, at);
            }
        } else if json.text != "null" {
            let origin = Origin { source: self.number, document: self.document.clone(), item: None };
            self.object(&json.text, &ListOf::default(), origin, at);
        }
        Ok(())
    }

    fn json(&mut self, text: &str, value: &RawValue) {
        let value = value.get();
        let begin = offset(text, value);
        let origin = |at: usize, value: &str| {
            let begin = self.document.start + at;
            Origin { source: self.number, document: begin..begin + value.len(), item: None }
        };
        match list(value) {
            Some((items, of)) => {
                let items: Vec<(usize, &str)> =
                    items.iter().map(|item| (offset(text, item.get()), item.get())).collect();
                let origins: Vec<Origin> = items.iter().map(|(at, item)| origin(*at, item)).collect();
                for ((at, item), origin) in items.into_iter().zip(origins) {
                    self.object(item, &of, origin, at);
                }
            }
            None => {
                let origin = origin(begin, value);
                self.object(value, &ListOf::default(), origin, begin);
            }
        }
    }

    fn object(&mut self, json: &str, of: &ListOf, origin: Origin, at: usize) {
        // A list in a list, as kubectl reads it.
        if let Some((items, of)) = list(json) {
            return items.into_iter().for_each(|item| self.object(item.get(), &of, origin.clone(), at));
        }
        let Ok(head) = serde_json::from_str::<Head<'_>>(json) else {
            // A list of two is a struct of two fields to the reader.
            let is_meant = json.starts_with('{') && serde_json::from_str::<Meant>(json).is_ok();
            let is_patch = serde_json::from_str::<Vec<JsonPatch>>(json).is_ok_and(|patch| !patch.is_empty());
            let (severity, message) = match is_patch {
                true => (Severity::Note, messages::JSON_PATCH),
                false if is_meant => (Severity::Error, messages::NOT_STRINGS),
                false => (Severity::Note, messages::NO_OBJECT),
            };
            return self.problem(severity, message.to_owned(), at);
        };
        let api_version = head.api_version.as_deref().filter(|text| !text.is_empty());
        let kind = head.kind.as_deref().filter(|text| !text.is_empty());
        let is_typed = api_version.is_some() && kind.is_some();
        let (Some(api_version), Some(kind)) = (api_version.or(of.api_version()), kind.or(of.kind())) else {
            return self.problem(Severity::Note, messages::NO_OBJECT.to_owned(), at);
        };
        if group_and_version(api_version).0 == KUSTOMIZE {
            return self.problem(Severity::Note, messages::KUSTOMIZATION.to_owned(), at);
        }
        let id = head.metadata.unwrap_or_default().id(api_version, kind);
        if [&id.kind, &id.namespace, &id.name].into_iter().any(|text| is_encrypted(text)) {
            return self.problem(Severity::Note, messages::ENCRYPTED.to_owned(), at);
        }
        if [&id.kind, &id.namespace, &id.name].into_iter().any(|text| is_template(text)) {
            return self.problem(Severity::Note, messages::HELM_TEMPLATE.to_owned(), at);
        }
        if id.name.is_empty() {
            return self.problem(Severity::Note, messages::no_name(kind), at);
        }
        // Objects in the list of one kind do not repeat it.
        let json: Arc<str> = match (is_typed, json.strip_prefix('{')) {
            (false, Some(rest)) => {
                let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
                format!("{{\"apiVersion\":{},\"kind\":{},{rest}", quoted(api_version), quoted(kind)).into()
            }
            _ => json.into(),
        };
        let version = group_and_version(api_version).1.to_owned();
        self.reading.objects.push(FleetObject { id, version, json: decrypted(json), origin });
    }

    fn problem(&mut self, severity: Severity, message: String, at: usize) {
        let at = self.document.start + at;
        let skips = usize::from(severity == Severity::Note);
        let is_rendered = [messages::ENCRYPTED, messages::HELM_TEMPLATE, messages::KUSTOMIZATION, messages::JSON_PATCH]
            .contains(&&*message);
        self.reading.problems.push(Problem { severity, skips, is_rendered, message, source: self.number, at });
    }
}

/// The group of Kustomize's configuration.
const KUSTOMIZE: &str = "kustomize.config.k8s.io";

/// One operation of a JSON patch (RFC 6902).
#[derive(Deserialize)]
struct JsonPatch {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    #[serde(rename = "path")]
    _path: IgnoredAny,
}

/// A document that should be a Kubernetes object.
#[derive(Deserialize)]
struct Meant {
    #[serde(rename = "apiVersion")]
    _api_version: IgnoredAny,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
}

/// What a list says about its items.
#[derive(Default)]
struct ListOf {
    api_version: String,
    kind: String,
}

impl ListOf {
    fn api_version(&self) -> Option<&str> {
        Some(&*self.api_version).filter(|text| !text.is_empty())
    }

    fn kind(&self) -> Option<&str> {
        Some(&*self.kind).filter(|text| !text.is_empty())
    }
}

/// The items of a list of Kubernetes objects: `List`, or a kind with that suffix.
fn list(json: &str) -> Option<(Vec<&RawValue>, ListOf)> {
    // Most objects are no list, and to read them takes time.
    let head: Head<'_> = serde_json::from_str(Some(json).filter(|json| json.contains("\"items\""))?).ok()?;
    let kind = head.kind.as_deref()?.strip_suffix("List")?.to_owned();
    let api_version = if kind.is_empty() { String::new() } else { head.api_version.unwrap_or_default().into_owned() };
    Some((head.items?, ListOf { api_version, kind }))
}

/// The offset of a part of a text in it.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// The value of one document, as Kubernetes reads it: of two equal keys the last one counts.
pub(crate) fn value_of(text: &str) -> Result<Value, String> {
    let read = || {
        let tree = Tree::read(text)?;
        tree.root().map_or_else(|| Ok("null".to_owned()), |root| Ok(json(&tree, root, text.len())?.text))
    };
    let text = read().map_err(|TreeFault { message, .. }| message)?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// A text that is one YAML or JSON document, as JSON; `null` where it is empty.
///
/// # Errors
/// When it is not YAML, more than one document, or has a key twice in the same mapping: a sentence, and the position.
///
/// ```
/// use fleet::{Position, Source, to_json};
///
/// let source = |text: &str| Source { name: "settings.yaml".into(), text: text.into() };
/// assert_eq!(to_json(&source("mode: verify\n")), Ok(r#"{"mode":"verify"}"#.to_owned()));
/// let fault = to_json(&source("mode: verify\nmode: mutate\n")).map_err(|(_, position)| position);
/// assert_eq!(fault, Err(Position { line: 2, column: 1 }));
/// ```
pub fn to_json(source: &Source) -> Result<String, (String, Position)> {
    let text = &source.text;
    let fault = |message: String, at: usize| (message, Lines::of(text).position(text, at));
    let documents = source.documents();
    if let Some(second) = documents.get(1) {
        return Err(fault(messages::MORE_DOCUMENTS.to_owned(), second.start));
    }
    let read = || {
        let tree = Tree::read(text)?;
        let Some(root) = tree.root() else { return Ok("null".to_owned()) };
        let DocumentJson { text, twice } = json(&tree, root, text.len())?;
        match twice.into_iter().next() {
            Some(twice) => Err(TreeFault { message: messages::key_twice(&twice.key), at: twice.at }),
            None => Ok(text),
        }
    };
    read().map_err(|TreeFault { message, at }| fault(messages::unreadable(&message), at))
}
