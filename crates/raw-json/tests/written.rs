//! What no answer of the policy contains is written as serde_json writes it, or not at all.

use raw_json::{Quoted, push_string, string, to_json, utf8};
use serde::{Serialize, Serializer};

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Pair(u8, bool);

#[derive(Serialize)]
enum WithFields {
    One(u8),
    Two(u8, u8),
    Named { field: u8 },
}

struct Bytes;

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&[1])
    }
}

#[test]
fn numbers_of_every_size_and_structs_without_names_are_written() {
    let value = (
        [i16::MIN, i16::MAX],
        [i32::MIN, i32::MAX],
        [i64::MIN, i64::MAX],
        [u8::MIN, u8::MAX],
        [u32::MIN, u32::MAX],
        Unit,
        Pair(1, true),
    );
    let written = serde_json::to_string(&value).unwrap();
    assert_eq!(to_json(&value).unwrap(), written);
    assert_eq!(to_json(&Quoted(&value)).unwrap(), serde_json::to_string(&written).unwrap());
}

#[test]
fn what_is_not_written_is_named() {
    fn problem<T: Serialize>(value: T) -> String {
        to_json(&value).unwrap_err().to_string()
    }
    assert_eq!(problem(1.5_f32), "a number with a fraction is not written as JSON");
    assert_eq!(problem(Bytes), "a sequence of bytes is not written as JSON");
    assert_eq!(problem(WithFields::One(1)), "One is not written as JSON");
    assert_eq!(problem(WithFields::Two(1, 2)), "Two is not written as JSON");
    assert_eq!(problem(WithFields::Named { field: 1 }), "Named is not written as JSON");
}

#[test]
fn a_text_that_is_shorter_than_what_is_compared_at_once_is_escaped_too() {
    for before in 0..16 {
        for text in ["\"", "\\", "\n", "\u{1f}", " ", "!", "\u{7f}", "é", " \"", "\t \u{1}", ""] {
            for after in 0..3 {
                let text = ["x".repeat(before), text.to_owned(), " ".repeat(after)].concat();
                let mut written = String::new();
                push_string(&mut written, &text);
                assert_eq!(written, serde_json::to_string(&text).unwrap());
                assert_eq!(string(&written).as_deref(), Some(&*text));
            }
        }
    }
}

#[test]
fn bytes_are_a_text_or_the_first_that_are_none_are_named() {
    assert_eq!(utf8("é".as_bytes()), Ok("é"));
    assert_eq!(utf8(b"te\xff").unwrap_err().valid_up_to(), 2);
}
