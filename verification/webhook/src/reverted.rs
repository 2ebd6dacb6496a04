//! The parts of a write that an answer reverts.

use serde_json::Value;

/// Paths that the write changed and at which the JSON Patch restores the stored value.
///
/// Nothing is reverted if nothing was stored. Field ownership is not compared.
pub(crate) fn paths(stored: &Value, written: &Value, patch: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    if stored.is_object() {
        for operation in patch {
            let path = operation["path"].as_str().unwrap_or_default();
            if path.starts_with("/metadata/managedFields") {
                continue;
            }
            compare(path, stored.pointer(path), written.pointer(path), operation.get("value"), &mut found);
        }
    }
    found
}

fn compare(
    path: &str,
    stored: Option<&Value>,
    written: Option<&Value>,
    answered: Option<&Value>,
    found: &mut Vec<String>,
) {
    if let Some(Value::Object(entries)) = answered {
        let below = |of: Option<&Value>, name: &str| of.and_then(|of| of.get(name)).cloned();
        for (name, value) in entries {
            let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            compare(&path, below(stored, name).as_ref(), below(written, name).as_ref(), Some(value), found);
        }
    } else if answered == stored && answered != written {
        found.push(path.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_restored_value_is_reverted_and_a_new_one_is_not() {
        let stored = json!({ "metadata": { "labels": { "kept": "a", "changed": "a", "removed": "a", "moved": "a" } } });
        let written = json!({ "metadata": { "labels": { "kept": "a", "changed": "b", "added": "b", "moved": "b" } } });
        let patch = [
            json!({ "op": "replace", "path": "/metadata/labels/changed", "value": "a" }),
            json!({ "op": "add", "path": "/metadata/labels/removed", "value": "a" }),
            json!({ "op": "remove", "path": "/metadata/labels/added" }),
            json!({ "op": "replace", "path": "/metadata/labels/moved", "value": "c" }),
            json!({ "op": "add", "path": "/metadata/labels/new", "value": "c" }),
        ];
        let labels = ["changed", "removed", "added"].map(|label| format!("/metadata/labels/{label}"));
        assert_eq!(paths(&stored, &written, &patch), labels);
    }

    #[test]
    fn a_restored_map_is_reverted_entry_by_entry() {
        let stored = json!({ "metadata": { "labels": { "example.com/a": "a", "b": "a" } } });
        let written = json!({ "metadata": {} });
        let value = json!({ "example.com/a": "a", "b": "b" });
        let patch = [json!({ "op": "add", "path": "/metadata/labels", "value": value })];
        assert_eq!(paths(&stored, &written, &patch), ["/metadata/labels/example.com~1a"]);
    }

    #[test]
    fn restored_owners_revert_nothing() {
        let stored = json!({ "metadata": { "managedFields": [{ "manager": "a" }] } });
        let written = json!({ "metadata": { "managedFields": [{ "manager": "b" }] } });
        let patch = [json!({ "op": "replace", "path": "/metadata/managedFields/0/manager", "value": "a" })];
        assert_eq!(paths(&stored, &written, &patch), Vec::<String>::new());
    }

    #[test]
    fn nothing_is_reverted_of_an_object_that_is_new() {
        let patch = [json!({ "op": "add", "path": "/metadata/labels", "value": { "a": "b" } })];
        assert_eq!(paths(&Value::Null, &json!({ "metadata": {} }), &patch), Vec::<String>::new());
    }
}
