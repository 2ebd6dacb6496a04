//! Writing JSON: answers and reports.
//!
//! Their types derive serde's `Serialize`. This serializer exists because it finds the bytes that must be escaped
//! sixteen at a time; serde_json checks each byte.

mod serializer;

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use self::serializer::Writer;
use super::string::Escape;

/// The JSON of a value.
///
/// # Errors
/// When the value contains what answers and reports never do: a number with a fraction, bytes, or a variant with
/// fields.
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, NotWritten> {
    let mut out = String::with_capacity(1024);
    value.serialize(Writer { out: &mut out, escape: Escape::Once, is_raw: false })?;
    // A module allocates memory front to back: unused room would remain between this text and the next allocation.
    out.shrink_to_fit();
    Ok(out)
}

/// JSON that is written unchanged and unchecked.
#[derive(Debug, Clone, Copy)]
pub struct Embedded<'a>(pub &'a str);

/// A value whose JSON [`to_json`] writes as a string, in one pass.
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
