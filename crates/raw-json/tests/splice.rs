//! What cannot be written.

use raw_json::{Document, Edit, Path, Write, splice};

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
