//! One level of a JSON text: where the keys and values of an object, or the elements of a list, are.

use std::cell::OnceCell;

use super::scan::{StringEnd, container_end, string_end};
use super::string::string;

/// Where a value begins and ends in its text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// One value of a text, and what is directly in it once that was asked for.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) below: OnceCell<Below>,
}

/// What is directly in a value.
#[derive(Debug, Clone)]
pub(super) enum Below {
    Fields(Vec<(Text, Node)>),
    Elements(Vec<Node>),
    Text(Text),
    /// It is a number, a boolean, null, or not JSON.
    Nothing,
}

/// A string, or a key.
#[derive(Debug, Clone)]
pub(super) enum Text {
    /// As it is written, between its quotes.
    AsWritten(Span),
    /// Without its escapes.
    Unescaped(Box<str>),
}

/// Whether an object under this key is read together with the object that it is in, because callers need it.
fn is_read_along(key: &str) -> bool {
    matches!(key, "annotations" | "kind" | "labels" | "metadata" | "object" | "oldObject" | "request" | "userInfo")
}

/// How many levels are read together at most: those of `request.object.metadata.labels`, and the payload.
const MOST_LEVELS: u8 = 5;

impl Node {
    pub(super) fn new(span: Span) -> Self {
        Node { span, below: OnceCell::new() }
    }

    pub(super) fn below(&self, text: &str) -> &Below {
        self.below.get_or_init(|| Below::read(text, self.span).unwrap_or(Below::Nothing))
    }
}

impl Below {
    /// `None` where the value is neither object, list nor string.
    fn read(text: &str, span: Span) -> Option<Below> {
        let mut reader = Reader { text: text.get(..span.end)?, at: span.begin };
        let node = reader.value(MOST_LEVELS)?;
        (node.span == span).then_some(())?;
        node.below.into_inner()
    }
}

impl Text {
    pub(super) fn plain<'t>(&'t self, text: &'t str) -> &'t str {
        match self {
            Text::AsWritten(span) => text.get(span.begin..span.end).unwrap_or_default(),
            Text::Unescaped(unescaped) => unescaped,
        }
    }
}

/// Reads a text from front to back.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Whether the next byte is this one, which is passed over then.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// A value and what is directly in it, in so many levels.
    fn value(&mut self, levels: u8) -> Option<Node> {
        let begin = self.at;
        let below = match self.peek()? {
            b'{' if levels > 0 => Some(Below::Fields(self.fields(levels - 1)?)),
            b'[' if levels > 0 => Some(Below::Elements(self.elements()?)),
            b'{' | b'[' => {
                self.at = container_end(self.text.as_bytes(), begin)?;
                None
            }
            b'"' => match self.string_end()? {
                // Unescaped when it is asked for: the longest strings are seldom looked at.
                StringEnd { has_escapes: true, .. } if levels == 0 => None,
                end => Some(Below::Text(self.text(begin, end)?)),
            },
            _ => {
                let rest = self.text.as_bytes().get(begin..)?;
                let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
                self.at += rest.iter().position(is_end).unwrap_or(rest.len());
                (self.at > begin).then_some(())?;
                Some(Below::Nothing)
            }
        };
        let below = below.map_or_else(OnceCell::new, OnceCell::from);
        Some(Node { span: Span { begin, end: self.at }, below })
    }

    fn fields(&mut self, levels: u8) -> Option<Vec<(Text, Node)>> {
        self.at += 1;
        self.skip_space();
        if self.takes(b'}') {
            return Some(Vec::new());
        }
        let mut fields = Vec::with_capacity(8);
        loop {
            let begin = self.at;
            let end = self.string_end()?;
            let key = self.text(begin, end)?;
            self.skip_space();
            self.takes(b':').then_some(())?;
            self.skip_space();
            let is_read_along = self.peek() == Some(b'{') && is_read_along(key.plain(self.text));
            let value = self.value(if is_read_along { levels } else { 0 })?;
            fields.push((key, value));
            self.skip_space();
            if self.takes(b'}') {
                return Some(fields);
            }
            self.takes(b',').then_some(())?;
            self.skip_space();
        }
    }

    fn elements(&mut self) -> Option<Vec<Node>> {
        self.at += 1;
        self.skip_space();
        if self.takes(b']') {
            return Some(Vec::new());
        }
        let mut elements = Vec::new();
        loop {
            elements.push(self.value(0)?);
            self.skip_space();
            if self.takes(b']') {
                return Some(elements);
            }
            self.takes(b',').then_some(())?;
            self.skip_space();
        }
    }

    /// Passes over a string.
    fn string_end(&mut self) -> Option<StringEnd> {
        self.takes(b'"').then_some(())?;
        let end = string_end(self.text.as_bytes(), self.at)?;
        self.at = end.quote + 1;
        Some(end)
    }

    /// The string between two quotes.
    fn text(&self, begin: usize, StringEnd { quote, has_escapes }: StringEnd) -> Option<Text> {
        if has_escapes {
            let text = string(self.text.get(begin..=quote)?)?;
            return Some(Text::Unescaped(text.into()));
        }
        Some(Text::AsWritten(Span { begin: begin + 1, end: quote }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document::Document;

    /// The values directly in a text, each with its key, and whether they are read already.
    fn fields(text: &str) -> Option<Vec<(&str, &str, bool)>> {
        let Below::Fields(fields) = Below::read(text, Span { begin: 0, end: text.len() })? else { return None };
        let field = |(key, Node { span, below }): (Text, Node)| match key {
            Text::AsWritten(key) => (&text[key.begin..key.end], &text[span.begin..span.end], below.get().is_some()),
            Text::Unescaped(_) => ("", &text[span.begin..span.end], below.get().is_some()),
        };
        Some(fields.into_iter().map(field).collect())
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
                ("d", "-1.5e3", true),
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

    /// Kubewarden serializes what it hands to a policy, and other callers validate first.
    #[test]
    fn what_nobody_asks_for_is_not_validated() {
        assert_eq!(fields(r#"{"a":what,"b":{]}"#).unwrap(), [("a", "what", true), ("b", "{]", false)]);
    }

    #[test]
    fn what_is_not_json_is_nothing() {
        for text in [
            "",
            "{",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\":1} x",
            "{a:1}",
            "[1 2]",
            "\"\\q\"",
            "{\"labels\":{]}",
        ] {
            assert!(Below::read(text, Span { begin: 0, end: text.len() }).is_none(), "{text}");
        }
    }
}
