//! One level of a JSON text: where keys and values of an object, or the elements of a list, stand.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

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
    /// It stands so, between its quotes.
    AsWritten(Span),
    /// Without its escapes.
    Unescaped(Box<str>),
}

/// Objects under these keys are read in one pass with what they stand in: whoever looks there wants them.
const READ_ALONG: [&str; 8] =
    ["annotations", "kind", "labels", "metadata", "object", "oldObject", "request", "userInfo"];

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
        let value = text.get(span.begin..span.end)?;
        let level = |along| {
            let mut json = serde_json::Deserializer::from_str(value);
            let below = Level { text, along }.deserialize(&mut json).ok()?;
            json.end().ok().map(|()| below)
        };
        match value.as_bytes().first()? {
            b'"' => Text::read(value, span.begin).map(Below::Text),
            // What is too deep to be read along is read by itself.
            b'{' | b'[' => level(true).or_else(|| level(false)),
            _ => None,
        }
    }

    /// Where the object ends that begins at `begin` and in which this stands.
    fn end(&self, text: &str, begin: usize) -> Option<usize> {
        let last = match self {
            Below::Fields(fields) => fields.last().map_or(begin + 1, |(_, node)| node.span.end),
            _ => return None,
        };
        Some(last + text.get(last..)?.find('}')? + 1)
    }
}

impl Text {
    /// `None` where `written`, which begins at `begin`, is not a string.
    fn read(written: &str, begin: usize) -> Option<Text> {
        Some(match string(written)? {
            Cow::Borrowed(plain) => Text::AsWritten(Span { begin: begin + 1, end: begin + 1 + plain.len() }),
            Cow::Owned(unescaped) => Text::Unescaped(unescaped.into()),
        })
    }

    pub(super) fn plain<'t>(&'t self, text: &'t str) -> &'t str {
        match self {
            Text::AsWritten(span) => text.get(span.begin..span.end).unwrap_or_default(),
            Text::Unescaped(unescaped) => unescaped,
        }
    }

    /// Where the object begins that stands under this key, where it is one to be read along.
    fn begin_of_object(&self, text: &str) -> Option<usize> {
        let Text::AsWritten(span) = self else { return None };
        if !READ_ALONG.contains(&self.plain(text)) {
            return None;
        }
        let begin = text.get(span.end + 1..)?.trim_ascii_start().strip_prefix(':')?.trim_ascii_start();
        begin.starts_with('{').then(|| text.len() - begin.len())
    }
}

/// Reads an object or a list.
#[derive(Clone, Copy)]
struct Level<'de> {
    /// The whole text.
    text: &'de str,
    along: bool,
}

impl<'de> Level<'de> {
    /// Where a part of the text stands in it.
    fn span(self, part: &str) -> Span {
        let begin = part.as_ptr().addr() - self.text.as_ptr().addr();
        Span { begin, end: begin + part.len() }
    }
}

impl<'de> DeserializeSeed<'de> for Level<'de> {
    type Value = Below;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Below, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'de> {
    type Value = Below;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Below, A::Error> {
        let mut fields = Vec::with_capacity(8);
        while let Some(key) = map.next_key_seed(Key(self))? {
            let node = match key.begin_of_object(self.text).filter(|_| self.along) {
                Some(begin) => {
                    let below = map.next_value_seed(self)?;
                    let end =
                        below.end(self.text, begin).ok_or_else(|| A::Error::custom("an object without an end"))?;
                    Node { span: Span { begin, end }, below: OnceCell::from(below) }
                }
                None => Node::new(self.span(map.next_value::<&RawValue>()?.get())),
            };
            fields.push((key, node));
        }
        Ok(Below::Fields(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Below, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element::<&RawValue>()? {
            elements.push(Node::new(self.span(element.get())));
        }
        Ok(Below::Elements(elements))
    }
}

/// Reads a key.
struct Key<'de>(Level<'de>);

impl<'de> DeserializeSeed<'de> for Key<'de> {
    type Value = Text;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Text, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key<'de> {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Text, E> {
        Ok(Text::AsWritten(self.0.span(key)))
    }

    fn visit_str<E>(self, key: &str) -> Result<Text, E> {
        Ok(Text::Unescaped(key.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values directly in a text, each with its key and whether it was read along.
    fn fields(text: &str) -> Option<Vec<(&str, &str, bool)>> {
        match Below::read(text, Span { begin: 0, end: text.len() })? {
            Below::Fields(fields) => Some(
                fields
                    .iter()
                    .map(|(key, node)| match key {
                        Text::AsWritten(key) => (
                            &text[key.begin..key.end],
                            &text[node.span.begin..node.span.end],
                            node.below.get().is_some(),
                        ),
                        Text::Unescaped(_) => ("", &text[node.span.begin..node.span.end], false),
                    })
                    .collect(),
            ),
            _ => None,
        }
    }

    #[test]
    fn values_are_found_where_they_stand() {
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
    fn what_is_too_deep_to_be_read_along_is_read() {
        let text = format!("{}1{}", "{\"labels\":".repeat(1000), "}".repeat(1000));
        let inner = &text[10..text.len() - 1];
        assert_eq!(fields(&text).unwrap(), [("labels", inner, false)]);
    }

    #[test]
    fn another_kind_of_value_is_not_read_along() {
        assert_eq!(
            fields(r#"{"labels":[{}],"kind":"K"}"#).unwrap(),
            [("labels", "[{}]", false), ("kind", "\"K\"", false)]
        );
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
            "{\"a\":{]}",
            "[1 2]",
            "\"\\q\"",
            "{\"labels\":{]}",
        ] {
            assert!(Below::read(text, Span { begin: 0, end: text.len() }).is_none(), "{text}");
        }
    }
}
