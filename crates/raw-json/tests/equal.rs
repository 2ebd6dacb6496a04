//! When two values mean the same.

use raw_json::{Document, equal};

fn are_equal(a: &str, b: &str) -> bool {
    equal(Document::new(a).root(), Document::new(b).root())
}

#[test]
fn values_are_compared_by_meaning_in_either_order() {
    for (a, b, expected) in [
        (r#""\u0061""#, r#""a""#, true),
        (r#""a""#, r#""b""#, false),
        (r#""a""#, "{}", false),
        (r#""a""#, "[]", false),
        (r#""a""#, "null", false),
        ("1", "null", false),
        ("[]", "null", true),
        ("[]", "{}", true),
        ("[1]", "{}", false),
        (r#"{"a":[{}]}"#, "{}", false),
        (r#"{"a":{"b":[]},"c":1}"#, r#"{"c":1}"#, true),
        ("[1,2]", "[1]", false),
        ("[1,2]", "[2,1]", false),
        (r#"{"a":1}"#, r#"{"b":1}"#, false),
    ] {
        assert_eq!((are_equal(a, b), are_equal(b, a)), (expected, expected), "{a} {b}");
    }
}

#[test]
fn values_that_are_nested_deeply_are_compared_by_their_texts() {
    let nested = |depth, text: &str| format!("{}{text}{}", "[".repeat(depth), "]".repeat(depth));
    let in_both_orders = |depth| are_equal(&nested(depth, r#"{"a":1,"b":2}"#), &nested(depth, r#"{"b":2,"a":1}"#));
    assert_eq!([63, 64].map(in_both_orders), [true, false]);
}
