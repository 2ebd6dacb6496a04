//! The labels that are assigned to a composite.

use super::transform::Labels;
use crate::json::Malformed;
use crate::json::document::Document;
use crate::kube::object::Object;

/// Holds what Kubernetes labels cannot spell, such as the key `acme:checkout/owner`: a JSON map of strings.
const ASSIGNMENTS: &str = "labels.plexsphere.com/assignments";

/// Says whether a composite was provisioned or adopted.
const ORIGIN: &str = "platform/origin";

/// Kubernetes labels, and those of the annotation, which win.
///
/// # Errors
/// When the annotation is not a JSON map of strings: where, and which key.
pub(super) fn assignments(object: &Object<'_>) -> Result<Labels, Malformed> {
    let labels = object.labels.iter();
    let mut all: Labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    if let Some(text) = object.annotations.get(ASSIGNMENTS) {
        let annotated = serde_json::from_str::<Labels>(text);
        let annotated = annotated.map_err(|error| malformed(&culprit(text, &error)))?;
        for (key, value) in annotated {
            if key.is_empty() {
                return Err(malformed("has an empty key"));
            }
            all.insert(key, value);
        }
    }
    Ok(all)
}

/// Whether the composite was not provisioned here: then it is left alone.
pub(super) fn is_adopted(assignments: &Labels) -> bool {
    assignments.get(ORIGIN).is_some_and(|origin| origin == "adopted")
}

fn malformed(problem: &str) -> Malformed {
    Malformed { path: format!("metadata.annotations[{ASSIGNMENTS}]"), problem: problem.to_owned() }
}

fn culprit(text: &str, error: &serde_json::Error) -> String {
    let document = Document::new(text);
    let fields = document.root().as_fields().into_iter().flatten();
    let key = fields.filter(|(_, value)| value.as_str().is_none()).map(|(key, _)| key).next();
    let of_key = key.map(|key| format!("the value of `{key}`: ")).unwrap_or_default();
    format!("is not a JSON map of strings: {of_key}{error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(annotation: &str) -> Result<Vec<(String, String)>, String> {
        let annotation = serde_json::to_string(annotation).unwrap();
        let text = format!(
            r#"{{"metadata":{{"labels":{{"a":"label","b":"label"}},"annotations":{{"{ASSIGNMENTS}":{annotation}}}}}}}"#
        );
        let document = Document::new(text);
        let object = Object::read(&document).unwrap();
        let all = assignments(&object).map_err(|malformed| malformed.to_string())?;
        Ok(all.into_iter().collect())
    }

    #[test]
    fn the_annotation_wins_and_is_decoded_once() {
        let expected = [("a", "label"), ("acme:checkout/owner", "\"x\""), ("b", "annotation")];
        assert_eq!(
            read(r#"{"acme:checkout/owner":"\"x\"","b":"annotation"}"#).unwrap(),
            expected.map(|(key, value)| (key.to_owned(), value.to_owned()))
        );
        assert_eq!(read("{}").unwrap().len(), 2);
    }

    #[test]
    fn what_is_broken_is_named_with_its_position() {
        for (annotation, expected) in [
            ("", "EOF while parsing a value at line 1 column 0"),
            ("{\"a\":\"1\",\n \"b\"=2}", "expected `:` at line 2 column 5"),
            (r#"["a"]"#, "invalid type: sequence, expected a map at line 1 column 0"),
            (
                r#"{"a":"1","b":7}"#,
                "the value of `b`: invalid type: integer `7`, expected a string at line 1 column 14",
            ),
            (r#"{"b":null}"#, "the value of `b`: invalid type: null, expected a string at line 1 column 9"),
            (r#"{"a":"1"} x"#, "trailing characters at line 1 column 11"),
        ] {
            let expected = format!("`metadata.annotations[{ASSIGNMENTS}]` is not a JSON map of strings: {expected}");
            assert_eq!(read(annotation).unwrap_err(), expected);
        }
        assert_eq!(read(r#"{"":"x"}"#).unwrap_err(), format!("`metadata.annotations[{ASSIGNMENTS}]` has an empty key"));
    }
}
