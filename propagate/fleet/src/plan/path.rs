//! Values at the paths that edits have.

use serde_json::Value;

use crate::relations::text;

/// The replicas at a path of an object. A whole entry of a topology has 1 if it does not say how many, and an absent one
/// 0. `None` if what it says is not a number.
pub(super) fn scaled(object: &Value, path: &str) -> Option<u64> {
    match at(object, path) {
        Some(Value::Object(entry)) => {
            entry.get("replicas").filter(|value| !value.is_null()).map_or(Some(1), Value::as_u64)
        }
        None if path.ends_with(']') => Some(0),
        number => number.and_then(Value::as_u64),
    }
}

/// The value at a path; entries of lists by their name or class.
pub(super) fn at<'v>(object: &'v Value, path: &str) -> Option<&'v Value> {
    let mut here = object;
    for step in path.split('.') {
        let (field, entry) =
            step.split_once('[').map_or((step, None), |(field, entry)| (field, entry.strip_suffix(']')));
        here = here.get(field)?;
        if let Some(entry) = entry {
            let mut entries = here.as_array()?.iter();
            here = entries.find(|one| [text(one, "name"), text(one, "class")].contains(&entry))?;
        }
    }
    Some(here)
}
