//! Raw JSON read in place: every level of a text is scanned once, on first use, and remembered.
//!
//! No tree is built: unused parts are skipped and keep their bytes. A value is cheap to copy and does not store its
//! path: the path is computed from its position in the text, and only for messages.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::level::{Below, Key, Node, Span};
use super::path::{Malformed, Path, Step};

/// A JSON text, and the parts of it that were read.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    text: Cow<'a, str>,
    /// The name of the text before a path into it, such as `oldObject`; empty for the object under review.
    name: &'static str,
    root: Node,
}

impl<'a> Document<'a> {
    /// The text of an object.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Document::named("", text)
    }

    /// A text with the given `name` in paths into it.
    pub fn named(name: &'static str, text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        let begin = text.len() - text.trim_ascii_start().len();
        let end = begin + text.trim_ascii().len();
        Document { text, name, root: Node::new(Span { begin, end }) }
    }

    pub fn root(&self) -> Json<'_> {
        Json { document: self, node: Some(&self.root) }
    }

    /// A part of this document that was read, as a separate document with the given `name`; it is taken out of this
    /// one.
    pub fn take(&mut self, path: &[&str], name: &'static str) -> Option<Document<'a>> {
        let Cow::Borrowed(text) = self.text else { return None };
        let mut node = &mut self.root;
        for step in path {
            node = &mut node.below.get_mut()?.fields_mut()?.iter_mut().rfind(|(key, _)| key.plain(text) == *step)?.1;
        }
        let root = std::mem::replace(node, Node::new(Span { begin: 0, end: 0 }));
        Some(Document { text: Cow::Borrowed(text), name, root })
    }

    fn slice(&self, span: Span) -> &str {
        self.text.get(span.begin..span.end).unwrap_or_default()
    }
}

/// One value of a document. An absent value and null are the same, and empty as an object or a list.
#[derive(Debug, Clone, Copy)]
pub struct Json<'a> {
    document: &'a Document<'a>,
    /// `None` if the value is absent.
    node: Option<&'a Node>,
}

impl<'a> Json<'a> {
    /// An absent value of the same document.
    pub fn absent(self) -> Self {
        Json { node: None, ..self }
    }

    /// The byte offset of the value in its document; 0 if it is absent.
    pub(super) fn begin(self) -> usize {
        self.node.map_or(0, |node| node.span.begin)
    }

    /// The value as written; `null` if it is absent.
    pub fn text(self) -> &'a str {
        self.node.map_or("null", |node| self.document.slice(node.span))
    }

    /// The value as written in `text`, which must be that of the document.
    pub fn text_in(self, text: &str) -> &str {
        self.node.and_then(|node| text.get(node.span.begin..node.span.end)).unwrap_or("null")
    }

    /// Whether the value is absent or null.
    pub fn is_null(self) -> bool {
        self.text() == "null"
    }

    pub fn is_true(self) -> bool {
        self.text() == "true"
    }

    /// The value, unless it is absent or null.
    pub fn present(self) -> Option<Self> {
        (!self.is_null()).then_some(self)
    }

    /// The value of a field; of several with the same name the last counts, as in every JSON parser of a Kubernetes
    /// cluster.
    pub fn get(self, name: &str) -> Result<Self, Malformed> {
        let below = self.below();
        if below.fields().is_none() && !self.is_null() {
            return Err(self.malformed("is not an object"));
        }
        Ok(Json { node: below.find(&self.document.text, name), ..self })
    }

    /// The value of a field of this object, which may be null; `None` if it has no such field.
    pub fn field(self, name: &str) -> Option<Self> {
        let node = self.below().find(&self.document.text, name)?;
        Some(Json { node: Some(node), ..self })
    }

    /// The value under a path of fields.
    ///
    /// # Errors
    /// When a step leads through something that is not an object.
    pub fn at(self, path: &[&str]) -> Result<Self, Malformed> {
        path.iter().try_fold(self, |here, name| here.get(name))
    }

    /// The element of this list whose field `key` is `value`; absent if there is none.
    ///
    /// # Errors
    /// When this is not a list of objects, or the field of one of them is not a string.
    pub fn element(self, key: &str, value: &str) -> Result<Self, Malformed> {
        for element in self.elements()? {
            if element.string(&[key])? == Some(value) {
                return Ok(element);
            }
        }
        Ok(self.absent())
    }

    /// The elements of this list by their field `key`, without those in which it is absent or empty; of several with one
    /// value the first counts.
    ///
    /// # Errors
    /// When this is not a list of objects, or the field of one of them is not a string.
    pub fn by_name(self, key: &str) -> Result<BTreeMap<&'a str, Self>, Malformed> {
        let mut named = BTreeMap::new();
        for element in self.elements()? {
            if let Some(name) = element.string(&[key])? {
                named.entry(name).or_insert(element);
            }
        }
        Ok(named)
    }

    /// The fields of this object in the order of the text.
    pub fn fields(self) -> Result<impl DoubleEndedIterator<Item = (&'a str, Self)> + ExactSizeIterator, Malformed> {
        self.as_fields().ok_or_else(|| self.malformed("is not an object"))
    }

    /// Like [`Json::fields`]; `None` if the value is not an object.
    pub fn as_fields(self) -> Option<impl DoubleEndedIterator<Item = (&'a str, Self)> + ExactSizeIterator> {
        let fields = match self.below().fields() {
            Some(fields) => fields,
            None if self.is_null() => &[],
            None => return None,
        };
        let of =
            move |(key, node): &'a (Key, Node)| (key.plain(&self.document.text), Json { node: Some(node), ..self });
        Some(fields.iter().map(of))
    }

    pub fn elements(self) -> Result<impl ExactSizeIterator<Item = Self>, Malformed> {
        self.as_elements().ok_or_else(|| self.malformed("is not a list"))
    }

    /// Like [`Json::elements`]; `None` if the value is not a list.
    pub fn as_elements(self) -> Option<impl ExactSizeIterator<Item = Self>> {
        let elements: &[_] = match self.below() {
            Below::Elements(elements) => elements,
            _ if self.is_null() => &[],
            _ => return None,
        };
        Some(elements.iter().map(move |node| Json { node: Some(node), ..self }))
    }

    pub fn as_string(self) -> Result<&'a str, Malformed> {
        self.as_str().ok_or_else(|| self.malformed("is not a string"))
    }

    /// Like [`Json::as_string`]; `None` if the value is not a string.
    pub fn as_str(self) -> Option<&'a str> {
        self.node?.string(&self.document.text)
    }

    /// The string under a path of fields; `None` if it is absent or empty.
    ///
    /// # Errors
    /// Like [`Json::at`], and when the value is not a string.
    pub fn string(self, path: &[&str]) -> Result<Option<&'a str>, Malformed> {
        let found = self.at(path)?.present().map(Json::as_string).transpose()?;
        Ok(found.filter(|text| !text.is_empty()))
    }

    /// The path of the value; the root if it is absent.
    pub fn path(self) -> Path {
        let (document, mut here) = (self.document, &self.document.root);
        let mut path = Path::default();
        let Some(wanted) = self.node.map(|node| node.span.begin) else { return path };
        // The contents of a value begin after its start, and the values on the path to it were read.
        while here.span.begin != wanted {
            let begins = |node: &Node| node.span.begin <= wanted;
            let below = here.below(&document.text);
            let next = match (below.fields(), below) {
                (Some(fields), _) => {
                    let index = fields.partition_point(|(_, node)| begins(node)).saturating_sub(1);
                    fields
                        .get(index)
                        .map(|(key, node)| (Step::Field(key.plain(&document.text).to_owned().into()), node))
                }
                (None, Below::Elements(elements)) => {
                    let index = elements.partition_point(begins).saturating_sub(1);
                    elements.get(index).map(|node| (Step::Element(index), node))
                }
                (None, _) => None,
            };
            let Some((step, next)) = next else { break };
            path.push(step);
            here = next;
        }
        path
    }

    /// An error about this value; `problem` is the end of a sentence that begins with its path.
    pub fn malformed(self, problem: impl Into<String>) -> Malformed {
        let (name, path) = (self.document.name, self.path().to_string());
        let path = match (name, &*path) {
            ("", "") => "object".to_owned(),
            ("", _) => path,
            (_, "") => name.to_owned(),
            (_, path) if path.starts_with('[') => [name, path].concat(),
            (_, path) => [name, ".", path].concat(),
        };
        Malformed { path, problem: problem.into() }
    }

    fn below(self) -> &'a Below {
        self.node.map_or(&Below::Nothing, |node| node.below(&self.document.text))
    }
}

/// Two values are equal if their texts are.
impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Json<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: &str = r#" {"metadata":{"labels":{"a":"1","b\"c":"x\ny"},"annotations":null},
        "spec":{"list":[{"name":"one","n":1},{"name":"two", "n" : [1, {"c": "x"}, null]}],"flag":true,"empty":""}} "#;

    #[test]
    fn keys_and_strings_are_unescaped() {
        let object = Document::new(OBJECT);
        let labels = object.root().at(&["metadata", "labels"]).unwrap().fields().unwrap();
        let labels: Vec<(&str, &str)> = labels.map(|(key, value)| (key, value.as_string().unwrap())).collect();
        assert_eq!(labels, [("a", "1"), ("b\"c", "x\ny")]);
        assert_eq!(Document::new(r#""\q""#).root().as_str(), None);
    }

    #[test]
    fn absent_and_null_are_the_same_and_empty() {
        let object = Document::new(OBJECT);
        for path in [&["metadata", "annotations"][..], &["nothing", "here"]] {
            let value = object.root().at(path).unwrap();
            assert!(value.is_null() && value.present().is_none());
            assert_eq!((value.fields().unwrap().len(), value.elements().unwrap().len()), (0, 0));
            assert_eq!(value.string(&[]).unwrap(), None);
        }
        assert_eq!(object.root().string(&["spec", "empty"]).unwrap(), None);
    }

    #[test]
    fn an_element_is_found_by_the_value_of_a_field() {
        let object = Document::new(OBJECT);
        let list = object.root().at(&["spec", "list"]).unwrap();
        assert_eq!(list.element("name", "two").unwrap().path().to_string(), "spec.list[1]");
        assert!(list.element("name", "three").unwrap().is_null());
    }

    #[test]
    fn an_element_is_found_among_all_by_name() {
        let list = Document::new(r#"[{"name":"b","n":1},{"name":""},{"n":2},{"name":"a","n":3},{"name":"b","n":4}]"#);
        let named = list.root().by_name("name").unwrap();
        let numbers = named.into_iter().map(|(name, element)| (name, element.get("n").unwrap().text()));
        assert_eq!(numbers.collect::<Vec<_>>(), [("a", "3"), ("b", "1")]);
        assert!(Document::new(r#"[{"name":7}]"#).root().by_name("name").is_err());
    }

    /// An object with many fields is sorted when it was searched some times.
    #[test]
    fn a_field_is_found_among_many_however_often_it_is_searched() {
        let fields: String = (0..100).rev().map(|number| format!(r#""k{number}":{number},"#)).collect();
        let object = Document::new(format!(r#"{{{fields}"k7":"last","null":null}}"#));
        for _ in 0..10 {
            let text = |name: &str| object.root().get(name).unwrap().text();
            assert_eq!([text("k7"), text("k99"), text("k0"), text("none")], ["\"last\"", "99", "0", "null"]);
            let has = |name: &str| object.root().field(name).is_some();
            assert_eq!([has("null"), has("none"), has("a"), has("z")], [true, false, false, false]);
        }
    }

    #[test]
    fn the_last_of_two_fields_of_one_name_counts() {
        let object = Document::new(r#"{"a":"1","a":"2","b":"3","b":null}"#);
        assert_eq!(object.root().string(&["a"]).unwrap(), Some("2"));
        assert_eq!(object.root().string(&["b"]).unwrap(), None);
    }

    #[test]
    fn a_value_is_located_by_its_place() {
        let object = Document::new(OBJECT);
        let two = object.root().at(&["spec", "list"]).unwrap().elements().unwrap().nth(1).unwrap();
        let deep = two.get("n").unwrap().elements().unwrap().nth(1).unwrap().get("c").unwrap();
        assert_eq!((deep.text(), deep.path().to_string()), ("\"x\"", "spec.list[1].n[1].c".to_owned()));
        assert_eq!(object.root().path(), Path::default());
    }

    #[test]
    fn a_part_is_a_document_of_its_own() {
        let mut payload = Document::new(r#"{"request": {"object": {"a": [7]}, "oldObject": null}}"#);
        assert!(payload.root().get("request").unwrap().fields().is_ok());
        let object = payload.take(&["request", "object"], "").unwrap();
        let seven = object.root().get("a").unwrap().elements().unwrap().next().unwrap();
        assert_eq!((object.root().text(), seven.path().to_string()), (r#"{"a": [7]}"#, "a[0]".to_owned()));
        assert_eq!(payload.take(&["request", "oldObject"], "oldObject").unwrap().root().text(), "null");
        assert!(payload.take(&["settings"], "").is_none());
    }

    #[test]
    fn every_wrong_shape_names_path_and_culprit() {
        let object = Document::new(OBJECT);
        let at = |path: &[&str]| object.root().at(path).unwrap();
        assert_eq!(at(&["spec"]).as_string().unwrap_err().to_string(), "`spec` is not a string");
        assert_eq!(at(&["metadata"]).elements().map(drop).unwrap_err().to_string(), "`metadata` is not a list");
        assert_eq!(
            object.root().at(&["spec", "flag", "deep"]).unwrap_err().to_string(),
            "`spec.flag` is not an object"
        );
        for (name, expected) in [("", "`object` is not an object"), ("oldObject", "`oldObject` is not an object")] {
            for text in ["[]", "{} x", "", "{", r#"{"a":1,}"#, "{a:1}"] {
                assert_eq!(Document::named(name, text).root().get("a").unwrap_err().to_string(), expected, "{text}");
            }
        }
        let named = Document::named("oldObject", r#"{"a":1}"#);
        assert_eq!(named.root().at(&["a", "b"]).unwrap_err().to_string(), "`oldObject.a` is not an object");
    }
}
