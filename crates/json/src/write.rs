//! Writing JSON: answers and reports.
//!
//! Their types derive serde's `Serialize`. This serializer exists because it finds the bytes that must be escaped
//! sixteen at a time; serde_json checks each byte.

use std::fmt;

use serde::Serialize;
use serde::ser::{
    Error as _, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, SerializeTupleStruct,
    Serializer,
};

use super::string::{Escape, push_escaped};

/// The JSON of a value.
///
/// # Errors
/// When the value contains what answers and reports never do: a number with a fraction, bytes, or a variant with
/// fields.
///
/// ```
/// # use raw_json::to_json;
/// assert_eq!(to_json(&[Some("a\n"), None])?, r#"["a\n",null]"#);
/// # Ok::<(), raw_json::NotWritten>(())
/// ```
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, NotWritten> {
    let mut out = String::with_capacity(1024);
    value.serialize(Writer { out: &mut out, escape: Escape::Once, is_raw: false })?;
    // A module allocates memory front to back: unused room would remain between this text and the next allocation.
    out.shrink_to_fit();
    Ok(out)
}

/// JSON that is written unchanged and unchecked.
///
/// ```
/// # use raw_json::{Embedded, to_json};
/// assert_eq!(to_json(&[Embedded("{ }")])?, "[{ }]");
/// # Ok::<(), raw_json::NotWritten>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Embedded<'a>(pub &'a str);

/// A value whose JSON [`to_json`] writes as a string, in one pass.
///
/// ```
/// # use raw_json::{Quoted, to_json};
/// assert_eq!(to_json(&[Quoted(["a"])])?, r#"["[\"a\"]"]"#);
/// # Ok::<(), raw_json::NotWritten>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Quoted<T>(pub T);

/// The name of a struct that makes the serializer write a value's JSON as a string.
const QUOTED: &str = "raw_json::Quoted";

impl<T: Serialize> Serialize for Quoted<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(QUOTED, &self.0)
    }
}

/// The name of the struct and of its only field by which serde_json's `RawValue` tells a serializer that a string is
/// JSON.
const RAW: &str = "$serde_json::private::RawValue";

impl Serialize for Embedded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut raw = serializer.serialize_struct(RAW, 1)?;
        raw.serialize_field(RAW, self.0)?;
        raw.end()
    }
}

/// Why a value cannot be written.
#[derive(Debug, PartialEq, Eq)]
pub struct NotWritten(String);

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotWritten {}

impl serde::ser::Error for NotWritten {
    fn custom<T: fmt::Display>(problem: T) -> Self {
        NotWritten(problem.to_string())
    }
}

fn not_written<T>(what: &str) -> Result<T, NotWritten> {
    Err(NotWritten::custom(format_args!("{what} is not written as JSON")))
}

/// A quote at either end of a string.
fn quote(escape: Escape) -> &'static str {
    match escape {
        Escape::Once => "\"",
        Escape::Twice => "\\\"",
    }
}

/// As characters: copying a text takes a call.
fn push_quote(out: &mut String, escape: Escape) {
    if escape == Escape::Twice {
        out.push('\\');
    }
    out.push('"');
}

fn push_quoted(out: &mut String, text: &str, escape: Escape) {
    push_quote(out, escape);
    push_escaped(out, text, escape);
    push_quote(out, escape);
}

/// Writes one value.
struct Writer<'o> {
    out: &'o mut String,
    escape: Escape,
    /// A string is JSON, and is written without quotes.
    is_raw: bool,
}

/// Writes the entries of an object or a list.
struct WrittenEntries<'o> {
    out: &'o mut String,
    escape: Escape,
    is_first: bool,
    /// The closing bracket; none for JSON that is written unchanged.
    end: Option<char>,
}

impl<'o> Writer<'o> {
    fn begin(self, begin: char, end: char) -> WrittenEntries<'o> {
        self.out.push(begin);
        WrittenEntries { out: self.out, escape: self.escape, is_first: true, end: Some(end) }
    }

    fn number(self, number: impl fmt::Display) -> Result<(), NotWritten> {
        self.out.push_str(&number.to_string());
        Ok(())
    }
}

impl WrittenEntries<'_> {
    fn comma(&mut self) {
        if !self.is_first {
            self.out.push(',');
        }
        self.is_first = false;
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotWritten> {
        value.serialize(Writer { out: self.out, escape: self.escape, is_raw: false })
    }

    fn close(self) -> Result<(), NotWritten> {
        self.out.extend(self.end);
        Ok(())
    }
}

impl<'o> Serializer for Writer<'o> {
    type Ok = ();
    type Error = NotWritten;
    type SerializeSeq = WrittenEntries<'o>;
    type SerializeTuple = WrittenEntries<'o>;
    type SerializeTupleStruct = WrittenEntries<'o>;
    type SerializeTupleVariant = Impossible<(), NotWritten>;
    type SerializeMap = WrittenEntries<'o>;
    type SerializeStruct = WrittenEntries<'o>;
    type SerializeStructVariant = Impossible<(), NotWritten>;

    fn serialize_bool(self, value: bool) -> Result<(), NotWritten> {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), NotWritten> {
        self.number(value)
    }

    fn serialize_i16(self, value: i16) -> Result<(), NotWritten> {
        self.number(value)
    }

    fn serialize_i32(self, value: i32) -> Result<(), NotWritten> {
        self.number(value)
    }

    fn serialize_i64(self, value: i64) -> Result<(), NotWritten> {
        self.number(value)
    }

    fn serialize_u8(self, value: u8) -> Result<(), NotWritten> {
        self.number(value)
    }

    fn serialize_u16(self, value: u16) -> Result<(), NotWritten> {
        self.number(value)
    }

    fn serialize_u32(self, value: u32) -> Result<(), NotWritten> {
        self.number(value)
    }

    fn serialize_u64(self, value: u64) -> Result<(), NotWritten> {
        self.number(value)
    }

    fn serialize_f32(self, _: f32) -> Result<(), NotWritten> {
        not_written("a number with a fraction")
    }

    fn serialize_f64(self, _: f64) -> Result<(), NotWritten> {
        not_written("a number with a fraction")
    }

    fn serialize_char(self, value: char) -> Result<(), NotWritten> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), NotWritten> {
        match (self.is_raw, self.escape) {
            (true, Escape::Once) => self.out.push_str(value),
            (true, Escape::Twice) => push_escaped(self.out, value, Escape::Once),
            (false, escape) => push_quoted(self.out, value, escape),
        }
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), NotWritten> {
        not_written("a sequence of bytes")
    }

    fn serialize_none(self) -> Result<(), NotWritten> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NotWritten> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), NotWritten> {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), NotWritten> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), NotWritten> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), NotWritten> {
        match (name == QUOTED, self.escape) {
            (false, _) => value.serialize(self),
            (true, Escape::Once) => {
                self.out.push('"');
                value.serialize(Writer { out: self.out, escape: Escape::Twice, is_raw: false })?;
                self.out.push('"');
                Ok(())
            }
            (true, Escape::Twice) => not_written("JSON in a string in a string"),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: &T,
    ) -> Result<(), NotWritten> {
        not_written(variant)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<WrittenEntries<'o>, NotWritten> {
        Ok(self.begin('[', ']'))
    }

    fn serialize_tuple(self, _: usize) -> Result<WrittenEntries<'o>, NotWritten> {
        Ok(self.begin('[', ']'))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<WrittenEntries<'o>, NotWritten> {
        Ok(self.begin('[', ']'))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NotWritten> {
        not_written(variant)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<WrittenEntries<'o>, NotWritten> {
        Ok(self.begin('{', '}'))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<WrittenEntries<'o>, NotWritten> {
        if name == RAW {
            return Ok(WrittenEntries { out: self.out, escape: self.escape, is_first: true, end: None });
        }
        Ok(self.begin('{', '}'))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NotWritten> {
        not_written(variant)
    }
}

impl SerializeSeq for WrittenEntries<'_> {
    type Ok = ();
    type Error = NotWritten;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotWritten> {
        self.comma();
        self.value(value)
    }

    fn end(self) -> Result<(), NotWritten> {
        self.close()
    }
}

impl SerializeTuple for WrittenEntries<'_> {
    type Ok = ();
    type Error = NotWritten;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotWritten> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<(), NotWritten> {
        self.close()
    }
}

impl SerializeTupleStruct for WrittenEntries<'_> {
    type Ok = ();
    type Error = NotWritten;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotWritten> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<(), NotWritten> {
        self.close()
    }
}

impl SerializeMap for WrittenEntries<'_> {
    type Ok = ();
    type Error = NotWritten;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NotWritten> {
        self.comma();
        let begin = self.out.len();
        self.value(key)?;
        match self.out.get(begin..) {
            Some(key) if key.starts_with(quote(self.escape)) => Ok(()),
            _ => not_written("a key that is not a string"),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotWritten> {
        self.out.push(':');
        self.value(value)
    }

    fn end(self) -> Result<(), NotWritten> {
        self.close()
    }
}

impl SerializeStruct for WrittenEntries<'_> {
    type Ok = ();
    type Error = NotWritten;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), NotWritten> {
        if self.end.is_none() {
            return value.serialize(Writer { out: self.out, escape: self.escape, is_raw: true });
        }
        self.comma();
        push_quote(self.out, self.escape);
        // The name of a field needs no escapes.
        self.out.push_str(name);
        push_quote(self.out, self.escape);
        self.out.push(':');
        self.value(value)
    }

    fn end(self) -> Result<(), NotWritten> {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::value::RawValue;

    use super::*;

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    enum WriteLevel {
        VeryHigh,
    }

    #[derive(Serialize)]
    struct Meters(u16);

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct All<'a> {
        text: &'a str,
        numbers: (i8, u64, Meters),
        #[serde(skip_serializing_if = "Option::is_none")]
        absent: Option<bool>,
        is_present: Option<bool>,
        none: Option<char>,
        letter: char,
        unit: (),
        level: WriteLevel,
        lists: Vec<Vec<bool>>,
        map: BTreeMap<&'a str, Option<WriteLevel>>,
        raw: Box<RawValue>,
    }

    #[test]
    fn values_are_written_as_serde_json_writes_them() {
        let all = All {
            text: "a\"\\\n\u{1}é",
            numbers: (-128, u64::MAX, Meters(7)),
            absent: None,
            is_present: Some(true),
            none: None,
            letter: '"',
            unit: (),
            level: WriteLevel::VeryHigh,
            lists: vec![vec![], vec![true, false]],
            map: BTreeMap::from([("a\"", Some(WriteLevel::VeryHigh)), ("b", None)]),
            raw: RawValue::from_string("[1.50, \"\\u0061\"]".to_owned()).unwrap(),
        };
        assert_eq!(to_json(&all).unwrap(), serde_json::to_string(&all).unwrap());
    }

    #[test]
    fn every_serializer_writes_embedded_json_as_it_is() {
        let embedded = [Embedded(r#"{ "a":"\u0061" }"#)];
        assert_eq!(to_json(&embedded).unwrap(), r#"[{ "a":"\u0061" }]"#);
        assert_eq!(serde_json::to_string(&embedded).unwrap(), r#"[{ "a":"\u0061" }]"#);
    }

    #[test]
    fn quoted_json_is_escaped_twice() {
        let every: String = (0..0x100).filter_map(char::from_u32).collect();
        let value =
            (BTreeMap::from([(&*every, Some(&*every))]), WriteLevel::VeryHigh, Embedded(r#"{ "a":"\u0061\\" }"#));
        let expected = serde_json::to_string(&[serde_json::to_string(&value).unwrap()]).unwrap();
        assert_eq!(to_json(&[Quoted(&value)]).unwrap(), expected);
    }

    #[test]
    fn what_is_not_written_is_named() {
        let named = |problem: Result<String, NotWritten>| problem.unwrap_err().to_string();
        assert_eq!(named(to_json(&1.5)), "a number with a fraction is not written as JSON");
        let numbers = BTreeMap::from([(1, 2)]);
        assert_eq!(named(to_json(&numbers)), "a key that is not a string is not written as JSON");
        assert_eq!(named(to_json(&Quoted(Quoted("a")))), "JSON in a string in a string is not written as JSON");
    }
}
