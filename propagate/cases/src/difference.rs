//! Where two values differ, path by path.

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

/// One place in which a value is not what was expected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The path, such as `expect.changes["metadata.labels"].team`.
    pub at: String,
    /// What was expected; `None` where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// What there is; `None` where there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Value>,
}

/// The differences between two values, in the order of their paths, each as deep as both sides have the path.
pub fn differences(at: &str, expected: Option<&Value>, found: Option<&Value>) -> Vec<Difference> {
    let mut differences = Vec::new();
    compare(at, expected, found, &mut differences);
    differences
}

fn compare(at: &str, expected: Option<&Value>, found: Option<&Value>, into: &mut Vec<Difference>) {
    if expected == found {
        return;
    }
    match (expected, found) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                compare(&below(at, name), before.get(name), after.get(name), into);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            // An entry that only one side has is not a difference of all that follow it.
            let skipped = before.iter().zip(after).take_while(|(a, b)| a == b).count();
            let most = before.len().min(after.len()) - skipped;
            let same_end = before.iter().rev().zip(after.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
            for number in skipped..before.len().max(after.len()) - same_end {
                let of = |list: &'_ [Value]| number < list.len() - same_end;
                let expected = before.get(number).filter(|_| of(before));
                let found = after.get(number).filter(|_| of(after));
                compare(&format!("{at}[{number}]"), expected, found, into);
            }
        }
        _ => into.push(Difference { at: at.to_owned(), expected: expected.cloned(), found: found.cloned() }),
    }
}

/// The path of a field: in brackets where a dot would not tell it from two.
fn below(at: &str, name: &str) -> String {
    let is_plain = !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_' || it == '-');
    let mut path = at.to_owned();
    let _ = if is_plain { write!(path, ".{name}") } else { write!(path, "[{}]", Value::from(name)) };
    path
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(expected: &Value, found: &Value) -> Vec<(String, Option<Value>, Option<Value>)> {
        let all = differences("expect", Some(expected), Some(found));
        all.into_iter().map(|it| (it.at, it.expected, it.found)).collect()
    }

    #[test]
    fn differences_are_as_deep_as_both_sides_have_the_path() {
        let expected = json!({ "accepted": true, "changes": { "metadata.labels": { "team": "a" } }, "log": "1 info" });
        let found = json!({ "accepted": true, "changes": { "metadata.labels": { "team": "b" } }, "warnings": ["w"] });
        let differences = [
            ("expect.changes[\"metadata.labels\"].team".to_owned(), Some(json!("a")), Some(json!("b"))),
            ("expect.log".to_owned(), Some(json!("1 info")), None),
            ("expect.warnings".to_owned(), None, Some(json!(["w"]))),
        ];
        assert_eq!(of(&expected, &found), differences);
        assert_eq!(of(&expected, &expected), []);
    }

    #[test]
    fn an_entry_more_or_less_is_one_difference() {
        let more = |at: &str, value: &str| (at.to_owned(), None, Some(json!(value)));
        assert_eq!(of(&json!(["a", "c"]), &json!(["a", "b", "c"])), [more("expect[1]", "b")]);
        assert_eq!(of(&json!(["a", "a"]), &json!(["a", "a", "a"])), [more("expect[2]", "a")]);
        let less = ("expect[0]".to_owned(), Some(json!("a")), None);
        assert_eq!(of(&json!(["a", "b"]), &json!(["b"])), [less]);
        let other = ("expect[0].x".to_owned(), Some(json!(1)), Some(json!(2)));
        assert_eq!(of(&json!([{ "x": 1 }]), &json!([{ "x": 2 }])), [other]);
    }
}
