//! What field managers own in a stored object.
//!
//! Source: structured-merge-diff, fieldpath/serialize.go: `f:` precedes the name of a field, `.` is the value itself,
//! and the elements of a list begin with `k:`, `v:` or `i:`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::FIELD_MANAGER;

/// Steps to an owned value, as in `managedFields`.
pub(super) type OwnedPath<'a> = Vec<&'a str>;

/// The owners of an object's fields.
#[derive(Debug, Default)]
pub(super) struct Owned<'a> {
    /// What backfills applied, and in which version.
    pub(super) own: BTreeSet<(&'a str, OwnedPath<'a>)>,
    others: BTreeSet<(&'a str, OwnedPath<'a>)>,
}

impl<'a> Owned<'a> {
    /// The owners of an object's fields, without subresources.
    pub(super) fn of(object: &'a Value) -> Self {
        let mut owned = Owned::default();
        let managed = object.pointer("/metadata/managedFields").and_then(Value::as_array);
        for entry in managed.into_iter().flatten() {
            let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
            if !text("subresource").is_empty() {
                continue;
            }
            let is_own = (text("manager"), text("operation")) == (FIELD_MANAGER, "Apply");
            let paths = if is_own { &mut owned.own } else { &mut owned.others };
            let version = entry.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
            if let Some(fields) = entry.get("fieldsV1") {
                leaves(fields, version, &mut Vec::new(), paths);
            }
        }
        owned
    }

    /// The first value that only a backfill owns.
    pub(super) fn alone(&self) -> Option<&OwnedPath<'a>> {
        let is_shared = |version: &str, path: &OwnedPath<'_>| {
            // Metadata is the same in every version.
            let is_same = |of: &str| of == version || path.first() == Some(&"f:metadata");
            self.others.iter().any(|(of, other)| is_same(of) && other == path)
        };
        self.own.iter().find(|(version, path)| !is_shared(version, path)).map(|(_, path)| path)
    }
}

fn leaves<'a>(
    fields: &'a Value,
    version: &'a str,
    path: &mut OwnedPath<'a>,
    into: &mut BTreeSet<(&'a str, OwnedPath<'a>)>,
) {
    for (step, below) in fields.as_object().into_iter().flatten().filter(|(step, _)| *step != ".") {
        path.push(step);
        if below.as_object().is_none_or(serde_json::Map::is_empty) {
            into.insert((version, path.clone()));
        } else {
            leaves(below, version, path, into);
        }
        path.pop();
    }
}

/// The fields that lead to an owned value; if it is in a list, to the list.
pub(super) fn fields<'a>(path: &OwnedPath<'a>) -> Vec<&'a str> {
    path.iter().map_while(|step| step.strip_prefix("f:")).collect()
}

/// Removes a field from an object, if it exists.
pub(super) fn remove(object: &mut Value, fields: &[&str]) {
    let Some((last, path)) = fields.split_last() else { return };
    let holder = path.iter().try_fold(object, |value, field| value.get_mut(field));
    if let Some(holder) = holder.and_then(Value::as_object_mut) {
        holder.remove(*last);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object() -> Value {
        let gate = json!({ "f:readinessGates": { "k:{\"conditionType\":\"A\"}": { ".": {}, "f:conditionType": {} } } });
        json!({ "metadata": { "managedFields": [
            { "manager": FIELD_MANAGER, "operation": "Apply", "apiVersion": "a/v1beta2",
              "fieldsV1": { "f:metadata": { "f:labels": { ".": {}, "f:team": {} } }, "f:spec": gate } },
            { "manager": FIELD_MANAGER, "operation": "Update", "apiVersion": "a/v1beta2",
              "fieldsV1": { "f:metadata": { "f:labels": { "f:team": {} } } } },
            { "manager": "capi", "operation": "Apply", "apiVersion": "a/v1beta1",
              "fieldsV1": { "f:metadata": { "f:labels": { "f:team": {} } }, "f:spec": gate } },
            { "manager": "capi", "operation": "Update", "apiVersion": "a/v1beta2", "subresource": "status",
              "fieldsV1": { "f:spec": gate } },
        ] } })
    }

    #[test]
    fn metadata_is_shared_across_versions_and_other_fields_are_not() {
        let object = object();
        let owned = Owned::of(&object);
        let gate = vec!["f:spec", "f:readinessGates", "k:{\"conditionType\":\"A\"}", "f:conditionType"];
        let team = vec!["f:metadata", "f:labels", "f:team"];
        assert_eq!(owned.own, [("a/v1beta2", team), ("a/v1beta2", gate.clone())].into());
        assert_eq!(owned.alone(), Some(&gate));
        assert_eq!(fields(&gate), ["spec", "readinessGates"]);
    }

    #[test]
    fn a_field_that_is_not_there_is_not_removed() {
        let mut object = json!({ "a": { "b": 1, "c": 2 } });
        remove(&mut object, &["a", "b"]);
        remove(&mut object, &["a", "x", "y"]);
        remove(&mut object, &["a", "c", "y"]);
        assert_eq!(object, json!({ "a": { "c": 2 } }));
    }
}
