//! One level of a JSON text: where the keys and values of an object, or the elements of a list, are.

use std::cell::{Cell, OnceCell};

use super::scan::{StringEnd, container_end, string_end};
use super::string::string;

/// Start and end of a value in its text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// One value of a text, and the values directly in it once they were requested.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) below: OnceCell<Below>,
}

/// The values directly in a value.
#[derive(Debug, Clone)]
pub(super) enum Below {
    Fields(Fields),
    /// The fields of an object that has many.
    ManyFields(Box<ManyFields>),
    Elements(Box<[Node]>),
    /// It is a string without escapes.
    Plain,
    /// A string that has escapes, without them.
    Unescaped(Box<str>),
    /// It is a number, a boolean, null, or not JSON.
    Nothing,
}

/// The keys and values of an object.
type Fields = Box<[(Key, Node)]>;

/// An object with more fields than this is sorted if it is searched repeatedly.
const MANY: usize = 32;

/// How often an object with many fields is searched from end to end before it is sorted.
const SCANS: u8 = 4;

/// The keys and values of an object that has many.
#[derive(Debug, Clone)]
pub(super) struct ManyFields {
    fields: Fields,
    scans: Cell<u8>,
    /// The indices of the fields, by ascending key; those of one key in the order of the text.
    sorted: OnceCell<Box<[usize]>>,
}

impl ManyFields {
    /// The field with a name, or the last of several.
    fn find(&self, text: &str, name: &str) -> Option<&Node> {
        if self.scans.get() < SCANS {
            self.scans.set(self.scans.get() + 1);
            return last(&self.fields, text, name);
        }
        let key = |index: &usize| self.fields.get(*index).map_or("", |(key, _)| key.plain(text));
        let sorted = self.sorted.get_or_init(|| {
            let mut sorted: Box<[usize]> = (0..self.fields.len()).collect();
            sorted.sort_by_key(&key);
            sorted
        });
        let index = sorted.get(sorted.partition_point(|index| key(index) <= name).checked_sub(1)?)?;
        self.fields.get(*index).filter(|(key, _)| key.is(text, name)).map(|(_, node)| node)
    }
}

fn last<'f>(fields: &'f [(Key, Node)], text: &str, name: &str) -> Option<&'f Node> {
    fields.iter().rfind(|(key, _)| key.is(text, name)).map(|(_, node)| node)
}

impl Below {
    /// The fields of an object; `None` if it is something else.
    pub(super) fn fields(&self) -> Option<&[(Key, Node)]> {
        match self {
            Below::Fields(fields) => Some(&**fields),
            Below::ManyFields(many) => Some(&*many.fields),
            _ => None,
        }
    }

    /// The same, to take a part out.
    pub(super) fn fields_mut(&mut self) -> Option<&mut [(Key, Node)]> {
        match self {
            Below::Fields(fields) => Some(&mut **fields),
            Below::ManyFields(many) => Some(&mut *many.fields),
            _ => None,
        }
    }

    /// The field of an object with a name, the last of several.
    pub(super) fn find(&self, text: &str, name: &str) -> Option<&Node> {
        match self {
            Below::Fields(fields) => last(fields, text, name),
            Below::ManyFields(many) => many.find(text, name),
            _ => None,
        }
    }

    fn of(fields: Fields) -> Below {
        if fields.len() <= MANY {
            return Below::Fields(fields);
        }
        Below::ManyFields(Box::new(ManyFields { fields, scans: Cell::new(0), sorted: OnceCell::new() }))
    }
}

/// The key of a field.
#[derive(Debug, Clone)]
pub(super) enum Key {
    /// As written, between its quotes.
    AsWritten(Span),
    /// Without its escapes.
    Unescaped(Box<str>),
}

/// Whether an object under this key is read together with the object that it is in, because callers need it.
fn is_read_along(key: &str) -> bool {
    matches!(
        key,
        "annotations" | "kind" | "labels" | "metadata" | "object" | "oldObject" | "request" | "userInfo"
        // Of sets of fields in `managedFields`.
        | "fieldsV1" | "f:annotations" | "f:labels" | "f:metadata"
    )
}

/// How many levels are read together at most: those of `request.object.metadata.labels`, and the payload.
const MOST_LEVELS: u8 = 5;

impl Node {
    /// A value that was not read.
    pub(super) fn new(span: Span) -> Self {
        Node { span, below: OnceCell::new() }
    }

    pub(super) fn below(&self, text: &str) -> &Below {
        self.below.get_or_init(|| Below::read(text, self.span).unwrap_or(Below::Nothing))
    }

    /// The text of a string; `None` for any other value.
    pub(super) fn string<'t>(&'t self, text: &'t str) -> Option<&'t str> {
        match self.below(text) {
            Below::Plain => text.get(self.span.begin + 1..self.span.end - 1),
            Below::Unescaped(text) => Some(text),
            _ => None,
        }
    }
}

impl Below {
    /// `None` if the value is not an object, list or string.
    fn read(text: &str, span: Span) -> Option<Below> {
        let text = text.get(..span.end)?;
        let (below, end) = match text.as_bytes().get(span.begin)? {
            b'{' => {
                // If an object cannot be read, the one that it is in still can.
                let read = fields(text, span.begin, MOST_LEVELS).or_else(|| fields(text, span.begin, 1));
                read.map(|(fields, end)| (Below::of(fields), end))
            }
            b'[' => {
                let read = elements(text, span.begin, true).or_else(|| elements(text, span.begin, false));
                read.map(|(elements, end)| (Below::Elements(elements), end))
            }
            b'"' => {
                let StringEnd { quote, has_escapes } = string_end(text.as_bytes(), span.begin + 1)?;
                let below = match has_escapes {
                    true => Below::Unescaped(string(text.get(span.begin..=quote)?)?.into()),
                    false => Below::Plain,
                };
                Some((below, quote + 1))
            }
            _ => None,
        }?;
        (end == span.end).then_some(below)
    }
}

impl Key {
    pub(super) fn is(&self, text: &str, name: &str) -> bool {
        match self {
            Key::AsWritten(span) => text.as_bytes().get(span.begin..span.end) == Some(name.as_bytes()),
            Key::Unescaped(unescaped) => **unescaped == *name,
        }
    }

    pub(super) fn plain<'t>(&'t self, text: &'t str) -> &'t str {
        match self {
            Key::AsWritten(span) => text.get(span.begin..span.end).unwrap_or_default(),
            Key::Unescaped(unescaped) => unescaped,
        }
    }
}

/// The first byte at or after `at` that is not white space.
fn skip_space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|byte| *byte <= b' ') {
        at += 1;
    }
    at
}

/// The position after `byte` and the white space around it, if `byte` comes next.
fn behind(text: &[u8], at: usize, byte: u8) -> Option<usize> {
    // Hosts and the API server write no white space.
    if let Some([first, next, ..]) = text.get(at..)
        && *first == byte
        && *next > b' '
    {
        return Some(at + 1);
    }
    let at = skip_space(text, at);
    (text.get(at) == Some(&byte)).then(|| skip_space(text, at + 1))
}

/// The position after the bracket that comes next, if it is this one.
fn closed(text: &[u8], at: usize, bracket: u8) -> Option<usize> {
    let at = skip_space(text, at);
    (text.get(at) == Some(&bracket)).then_some(at + 1)
}

/// The fields of the object that begins at `begin`, in several levels, and its end.
fn fields(text: &str, begin: usize, levels: u8) -> Option<(Fields, usize)> {
    let bytes = text.as_bytes();
    if let Some(end) = closed(bytes, begin + 1, b'}') {
        return Some((Box::default(), end));
    }
    let mut at = skip_space(bytes, begin + 1);
    // Most objects have fewer fields; a slice gives back what is not used.
    let mut found = Vec::with_capacity(16);
    loop {
        (bytes.get(at) == Some(&b'"')).then_some(())?;
        let StringEnd { quote, has_escapes } = string_end(bytes, at + 1)?;
        let key = if has_escapes {
            Key::Unescaped(string(text.get(at..=quote)?)?.into())
        } else {
            Key::AsWritten(Span { begin: at + 1, end: quote })
        };
        at = behind(bytes, quote + 1, b':')?;
        let node = if bytes.get(at) == Some(&b'{') && levels > 1 && is_read_along(key.plain(text)) {
            object(text, at, levels - 1)?
        } else {
            value(bytes, at)?
        };
        let end = node.span.end;
        found.push((key, node));
        match behind(bytes, end, b',') {
            Some(next) => at = next,
            None => return Some((found.into(), closed(bytes, end, b'}')?)),
        }
    }
}

/// The object that begins at `begin`, read in several levels.
fn object(text: &str, begin: usize, levels: u8) -> Option<Node> {
    let (below, end) = fields(text, begin, levels)?;
    Some(Node { span: Span { begin, end }, below: OnceCell::from(Below::of(below)) })
}

/// The elements of the list that begins at `begin`, and its end. Objects in it may be read together with it, because
/// callers search a list by the fields of its elements.
fn elements(text: &str, begin: usize, reads_objects: bool) -> Option<(Box<[Node]>, usize)> {
    let bytes = text.as_bytes();
    if let Some(end) = closed(bytes, begin + 1, b']') {
        return Some((Box::default(), end));
    }
    let mut at = skip_space(bytes, begin + 1);
    let mut found = Vec::new();
    loop {
        let is_object = bytes.get(at) == Some(&b'{');
        let node = if is_object && reads_objects { object(text, at, MOST_LEVELS)? } else { value(bytes, at)? };
        let end = node.span.end;
        found.push(node);
        match behind(bytes, end, b',') {
            Some(next) => at = next,
            None => return Some((found.into(), closed(bytes, end, b']')?)),
        }
    }
}

/// The value that begins at `begin`, with nothing in it read yet.
fn value(text: &[u8], begin: usize) -> Option<Node> {
    let end = match text.get(begin)? {
        b'"' => {
            let StringEnd { quote, has_escapes } = string_end(text, begin + 1)?;
            let below = if has_escapes { OnceCell::new() } else { OnceCell::from(Below::Plain) };
            return Some(Node { span: Span { begin, end: quote + 1 }, below });
        }
        b'{' | b'[' => container_end(text, begin)?,
        _ => {
            let rest = text.get(begin..)?;
            let is_end = |byte: &u8| *byte <= b' ' || matches!(byte, b',' | b']' | b'}');
            let length = rest.iter().position(is_end).unwrap_or(rest.len());
            (length > 0).then_some(begin + length)?
        }
    };
    Some(Node::new(Span { begin, end }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    /// The values directly in a text, each with its key, and whether it is known what is in them.
    fn fields(text: &str) -> Option<Vec<(&str, &str, bool)>> {
        let read = Below::read(text, Span { begin: 0, end: text.len() })?;
        let field = |(key, Node { span, below }): &(Key, Node)| match key {
            Key::AsWritten(key) => (&text[key.begin..key.end], &text[span.begin..span.end], below.get().is_some()),
            Key::Unescaped(_) => ("", &text[span.begin..span.end], below.get().is_some()),
        };
        Some(read.fields()?.iter().map(field).collect())
    }

    #[test]
    fn values_are_found_where_they_are() {
        let text = "{ \"a\" : {\"x\":[1,\"}\"]} ,\n\"b\\\"\":\"\\\\\",\"metadata\" : { \"labels\":{ } , \"x\":[ ] } , \"d\":-1.5e3 }";
        assert_eq!(
            fields(text).unwrap(),
            [
                ("a", "{\"x\":[1,\"}\"]}", false),
                ("", "\"\\\\\"", false),
                ("metadata", "{ \"labels\":{ } , \"x\":[ ] }", true),
                ("d", "-1.5e3", false),
            ]
        );
        assert_eq!(fields("{}"), Some(Vec::new()));
    }

    #[test]
    fn objects_that_are_read_along_are_so_to_a_depth() {
        let text = format!("{}1{}", "{\"labels\":".repeat(1000), "}".repeat(1000));
        let document = Document::new(&*text);
        let mut value = document.root();
        for _ in 0..1000 {
            value = value.get("labels").unwrap();
        }
        assert_eq!((value.text(), value.begin()), ("1", 10_000));
    }

    #[test]
    fn another_kind_of_value_is_not_read_along() {
        assert_eq!(
            fields(r#"{"labels":[{}],"kind":"K"}"#).unwrap(),
            [("labels", "[{}]", false), ("kind", "\"K\"", true)]
        );
    }

    #[test]
    fn objects_in_a_list_are_read_with_it_if_all_can_be() {
        let known = |text: &str| {
            let Below::Elements(elements) = Below::read(text, Span { begin: 0, end: text.len() })? else { return None };
            Some(elements.iter().map(|node| node.below.get().is_some()).collect::<Vec<_>>())
        };
        assert_eq!(known(r#"[{"a":1}, [2], {}]"#), Some(vec![true, false, true]));
        assert_eq!(known(r#"[{"a":1},{a}]"#), Some(vec![false, false]));
    }

    /// Kubewarden serializes what it hands to a policy, and other callers validate first.
    #[test]
    fn what_nobody_asks_for_is_not_validated() {
        assert_eq!(fields(r#"{"a":what,"b":{]}"#).unwrap(), [("a", "what", false), ("b", "{]", false)]);
    }

    #[test]
    fn what_is_not_json_is_nothing() {
        for text in ["", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1} x", "{a:1}", "[1 2]", "\"\\q\""] {
            assert!(Below::read(text, Span { begin: 0, end: text.len() }).is_none(), "{text}");
        }
    }
}
