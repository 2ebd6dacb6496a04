//! Compares the reader with serde_json on random texts: it reads the same in every valid text, and never panics on an
//! invalid one.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "what tests are made of may fail like a test")]

use std::fmt;

use proptest::prelude::*;
use raw_json::{Document, Json};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The fields of an object as serde_json finds them, including those with the same name.
struct SerdeFields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for SerdeFields<'de> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct SerdeAll;

        impl<'de> Visitor<'de> for SerdeAll {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }

        json.deserialize_map(SerdeAll).map(SerdeFields)
    }
}

/// Compares a value and everything in it.
fn compare(json: Json<'_>, raw: &str) {
    assert_eq!(json.text(), raw);
    match raw.as_bytes()[0] {
        b'{' => {
            let Ok(SerdeFields(expected)) = serde_json::from_str(raw) else {
                return assert!(json.as_fields().is_none(), "{raw}");
            };
            let fields = json.as_fields().unwrap();
            assert_eq!(fields.len(), expected.len(), "{raw}");
            for ((key, value), (expected, raw)) in fields.zip(expected) {
                assert_eq!(key, expected);
                compare(value, raw.get());
            }
            assert!(json.as_elements().is_none() && json.as_str().is_none());
        }
        b'[' => {
            let expected: Vec<&RawValue> = serde_json::from_str(raw).unwrap();
            let elements = json.as_elements().unwrap();
            assert_eq!(elements.len(), expected.len(), "{raw}");
            elements.zip(expected).for_each(|(value, raw)| compare(value, raw.get()));
            assert!(json.as_fields().is_none() && json.as_str().is_none());
        }
        b'"' => {
            assert_eq!(json.as_str(), serde_json::from_str::<String>(raw).ok().as_deref(), "{raw}");
            assert!(json.as_fields().is_none() && json.as_elements().is_none());
        }
        _ => assert!(json.as_str().is_none()),
    }
}

/// Reads everything that can be read.
fn visit(json: Json<'_>, depth: u32) {
    let _ = (json.as_str(), json.is_null(), json.as_map().is_ok());
    if depth == 0 {
        return;
    }
    json.as_fields().into_iter().flatten().for_each(|(_, value)| visit(value, depth - 1));
    json.as_elements().into_iter().flatten().for_each(|value| visit(value, depth - 1));
}

/// Contents of strings: of every length around a block, with escapes and surrogates, some of them invalid.
fn string() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-z0-9./-]{0,20}",
        1 => "[{}\\[\\],: ]{0,20}",
        1 => proptest::sample::select(vec![
            r#"\""#, r"\\", r"\\\\", r"\/", r"\n", r"\u0041", r"\u00e9", r"\ud83d\ude00", "é", "😀",
        ]).prop_map(str::to_owned),
    ];
    proptest::collection::vec(part, 0..6).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

fn space() -> impl Strategy<Value = String> {
    prop_oneof![6 => Just(String::new()), 1 => "[ \n\r\t]{1,3}"]
}

/// Keys whose objects are read with the object that they are in, and others.
fn key() -> impl Strategy<Value = String> {
    let known = vec!["object", "metadata", "labels", "annotations", "request", "spec", "metad\\u0061ta"];
    prop_oneof![proptest::sample::select(known).prop_map(|key| format!("\"{key}\"")), string()]
}

fn value() -> impl Strategy<Value = String> {
    let scalar = proptest::sample::select(vec!["null", "true", "false", "0", "-1.5e3", "12345678901234567890"]);
    let leaf = prop_oneof![string(), scalar.prop_map(str::to_owned)];
    leaf.prop_recursive(8, 60, 6, |inner| {
        let element = (space(), inner.clone(), space()).prop_map(|(before, value, after)| before + &value + &after);
        let element = element.boxed();
        let field = (space(), key(), space(), element.clone())
            .prop_map(|(before, key, after, value)| format!("{before}{key}{after}:{value}"));
        let joined = |open: char, close: char| {
            move |(parts, space): (Vec<String>, String)| match parts.is_empty() {
                true => format!("{open}{space}{close}"),
                false => format!("{open}{}{close}", parts.join(",")),
            }
        };
        prop_oneof![
            (proptest::collection::vec(field, 0..6), space()).prop_map(joined('{', '}')),
            (proptest::collection::vec(element, 0..6), space()).prop_map(joined('[', ']')),
        ]
    })
}

proptest! {
    #[test]
    fn json_is_read_as_serde_json_reads_it(text in value()) {
        prop_assert!(serde_json::from_str::<&RawValue>(&text).is_ok(), "{text}");
        compare(Document::new(&*text).root(), &text);
    }

    #[test]
    fn what_is_not_json_is_no_panic(text in value(), at in any::<prop::sample::Index>(), insert in "[\\\\\"{}\\[\\]:, a]{0,2}") {
        let begin = text.floor_char_boundary(at.index(text.len()));
        let damaged = format!("{}{insert}{}", &text[..begin], text[begin..].chars().skip(1).collect::<String>());
        let document = Document::new(&*damaged);
        if let Ok(raw) = serde_json::from_str::<&RawValue>(&damaged) {
            compare(document.root(), raw.get());
        } else {
            visit(document.root(), 20);
        }
    }
}
