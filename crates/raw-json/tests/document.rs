//! What is found in a document, and the paths in messages; when two values mean the same; what cannot be written.

use raw_json::{Document, Edit, Path, Write, equal, splice};

#[test]
fn a_path_that_begins_in_a_list_follows_the_name_without_a_dot() {
    let list = Document::named("oldObject", r#"[1,{"a":2}]"#);
    let element = |index| list.root().elements().unwrap().nth(index).unwrap();
    assert_eq!(element(0).get("a").unwrap_err().to_string(), "`oldObject[0]` is not an object");
    assert_eq!(element(1).at(&["a", "b"]).unwrap_err().to_string(), "`oldObject[1].a` is not an object");
}

#[test]
fn a_field_is_found_by_its_name_without_escapes() {
    let object = Document::new(r#"{"\u0062":1,"\u0061":2}"#);
    assert_eq!(["a", "b", "c"].map(|name| object.root().get(name).unwrap().text()), ["2", "1", "null"]);
}

#[test]
fn an_object_that_cannot_be_read_does_not_hide_those_beside_it() {
    let object = Document::new(r#"{"labels":{a},"spec":1}"#);
    assert_eq!(object.root().get("spec").unwrap().text(), "1");
    assert_eq!(object.root().at(&["labels", "a"]).unwrap_err().to_string(), "`labels` is not an object");
}

/// What is read along is so to a depth, else this needs more stack than there is.
#[test]
fn an_object_may_be_nested_as_deeply_as_its_text_allows() {
    let depth = 100_000;
    let text = format!("{}1{}", r#"{"labels":"#.repeat(depth), "}".repeat(depth));
    assert!(Document::new(text).root().get("labels").is_ok());
}

#[test]
fn of_two_entries_of_one_key_the_last_counts_in_a_sorted_map_too() {
    for (text, expected) in
        [(r#"{"a":"1","a":"2"}"#, &[("a", "2")][..]), (r#"{"a":"1","a":"2","b":"3"}"#, &[("a", "2"), ("b", "3")])]
    {
        assert_eq!(Document::new(text).root().as_map().unwrap().iter().collect::<Vec<_>>(), expected, "{text}");
    }
}

/// A text is scanned 64 bytes at a time; the last byte of a block may escape the first one of the next.
#[test]
fn an_escape_may_be_at_any_place_of_a_block() {
    for escape in [r"\\", r#"\""#, r"\\\\", r#"\\\""#] {
        for before in 0..70 {
            for after in 60..66 {
                let string = ["x".repeat(before), escape.to_owned(), "y".repeat(after)].concat();
                let text = format!(r#"{{"a":{{"b":"{string}"}},"c":1}}"#);
                let object = Document::new(&*text);
                assert_eq!(object.root().get("c").unwrap().text(), "1", "{text}");
            }
        }
    }
}

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

#[test]
fn a_list_has_no_fields_beside_its_elements() {
    let (list, element) = (Path::fields(&["a"]), Path::fields(&["a"]).element(0));
    let set = |object| Write { object, field: "b", edit: Edit::Set("1".into()) };
    let object = Document::new(r#"{"a":[{}]}"#);
    assert_eq!(splice(object.root(), &[set(element.steps())]).unwrap(), r#"{"a":[{"b":1}]}"#);
    let problem = splice(object.root(), &[set(element.steps()), set(list.steps())]).unwrap_err();
    assert_eq!(problem.to_string(), "`a` does not have the expected structure");
}

#[test]
fn elements_are_not_made() {
    for text in [r#"{"a":null}"#, "{}"] {
        let element = Path::fields(&["a"]).element(0);
        let write = Write { object: element.steps(), field: "b", edit: Edit::Set("1".into()) };
        assert!(splice(Document::new(text).root(), &[write]).is_err(), "{text}");
    }
}
