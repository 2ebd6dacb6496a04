//! Owners in short: `metadata.managedFields` as an API server writes it, from entries that name managers and paths.
//!
//! ```yaml
//! managedFields:
//! - Apply capi-machineset: [labels.pool, "spec.taints[effect=NoSchedule,key=a].value"]
//! - Update kubectl-edit: [annotations.example.com/note]
//!   time: 2026-11-22T10:00:00Z
//! ```
//!
//! The first key has the operation and the manager. `labels` and `annotations` are those of the metadata; after `labels.`,
//! `annotations.` and `cloudTags.` the rest is the key of an entry. An element of a list has its keys in brackets. Unless the entry
//! says otherwise, its apiVersion is that of the object, an Apply is of 20 November 2026, and an Update of the day after.
//! Entries with a `manager` are complete.

use serde_json::{Map, Value, json};

use crate::fault::CaseFault;

const APPLIED: &str = "2026-11-20T08:00:00Z";
const UPDATED: &str = "2026-11-21T09:00:00Z";

/// Maps whose keys may contain dots.
const MAPS: &[&str] = &["annotations", "cloudTags", "labels"];

/// The value, in which all objects have complete owners.
///
/// # Errors
/// When an entry is neither complete nor in short.
pub fn with_owners(value: &mut Value) -> Result<(), CaseFault> {
    match value {
        Value::Array(elements) => elements.iter_mut().try_for_each(with_owners),
        Value::Object(fields) => {
            let api_version = fields.get("apiVersion").cloned();
            let entries = fields.get_mut("metadata").and_then(|metadata| metadata.get_mut("managedFields"));
            for entry in entries.and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(complete) = complete(entry, api_version.as_ref())? {
                    *entry = complete;
                }
            }
            fields.values_mut().try_for_each(with_owners)
        }
        _ => Ok(()),
    }
}

/// The entry that one in short stands for; `None` for one that is complete or is no entry.
fn complete(entry: &Value, api_version: Option<&Value>) -> Result<Option<Value>, CaseFault> {
    let Some(fields) = entry.as_object().filter(|fields| !fields.contains_key("manager")) else { return Ok(None) };
    let short = fields.iter().find_map(|(name, paths)| Some((name.split_once(' ')?, paths.as_array()?)));
    let Some(((operation @ ("Apply" | "Update"), manager), paths)) = short else {
        return Err(CaseFault::of(
            "managedFields",
            format!("neither has `manager` nor a key like `Apply NAME`: {entry}"),
        ));
    };
    let mut set = Map::new();
    for path in paths {
        let steps = path.as_str().and_then(steps);
        own(
            &mut set,
            &steps.ok_or_else(|| CaseFault::of("managedFields", format!("{path} is not a path of a field")))?,
        );
    }
    let mut complete = json!({
        "manager": manager,
        "operation": operation,
        "apiVersion": api_version,
        "time": if operation == "Apply" { APPLIED } else { UPDATED },
        "fieldsType": "FieldsV1",
        "fieldsV1": set,
    });
    let more = fields.iter().filter(|(name, _)| !name.contains(' '));
    more.for_each(|(name, value)| complete[name] = value.clone());
    Ok(Some(complete))
}

/// The steps of a path in a set of fields.
fn steps(path: &str) -> Option<Vec<String>> {
    let (mut steps, mut rest) = (Vec::new(), path);
    if ["annotations", "labels"].iter().any(|map| path.starts_with(map)) {
        steps.push("f:metadata".to_owned());
    }
    while !rest.is_empty() {
        if let Some(element) = rest.strip_prefix('[') {
            let (keys, after) = element.split_once(']')?;
            let keys =
                keys.split(',').map(|key| key.split_once('=').map(|(name, value)| (name.to_owned(), json!(value))));
            steps.push(format!("k:{}", Value::Object(keys.collect::<Option<_>>()?)));
            rest = after.strip_prefix('.').unwrap_or(after);
            continue;
        }
        let (name, after) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
        steps.push(format!("f:{name}"));
        rest = after.strip_prefix('.').unwrap_or(after);
        if MAPS.contains(&name) && !rest.is_empty() {
            steps.push(format!("f:{rest}"));
            break;
        }
    }
    (!steps.is_empty()).then_some(steps)
}

/// Adds a path to a set of fields. A member that also has members below it is marked with a dot.
fn own(set: &mut Map<String, Value>, steps: &[String]) {
    let Some((first, rest)) = steps.split_first() else { return };
    let is_member = set.contains_key(first);
    let Value::Object(below) = set.entry(first.clone()).or_insert_with(|| json!({})) else { return };
    if is_member && below.is_empty() != rest.is_empty() {
        below.insert(".".to_owned(), json!({}));
    }
    own(below, rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(managed_fields: Value) -> Result<Value, String> {
        let mut object = json!({ "apiVersion": "a/v1", "kind": "K", "metadata": { "managedFields": managed_fields } });
        with_owners(&mut object).map_err(|fault| fault.message)?;
        Ok(object["metadata"]["managedFields"].clone())
    }

    #[test]
    fn an_entry_in_short_is_completed() {
        let short = json!([
            { "Apply capi": ["labels", "labels.a.b/c", "spec.taints[effect=E,key=a]", "spec.taints[effect=E,key=a].value"] },
            { "Update kubectl": ["spec.cloudTags.a.b", "spec.x.y"], "time": "t", "apiVersion": "a/v2", "subresource": "status" },
            { "manager": "m", "operation": "Apply" },
            7,
        ]);
        let complete = json!([
            {
                "manager": "capi", "operation": "Apply", "apiVersion": "a/v1", "time": APPLIED, "fieldsType": "FieldsV1",
                "fieldsV1": {
                    "f:metadata": { "f:labels": { ".": {}, "f:a.b/c": {} } },
                    "f:spec": { "f:taints": { "k:{\"effect\":\"E\",\"key\":\"a\"}": { ".": {}, "f:value": {} } } },
                },
            },
            {
                "manager": "kubectl", "operation": "Update", "apiVersion": "a/v2", "time": "t", "fieldsType": "FieldsV1",
                "fieldsV1": { "f:spec": { "f:cloudTags": { "f:a.b": {} }, "f:x": { "f:y": {} } } }, "subresource": "status",
            },
            { "manager": "m", "operation": "Apply" },
            7,
        ]);
        assert_eq!(of(short), Ok(complete.clone()));
        assert_eq!(of(complete.clone()), Ok(complete));
    }

    #[test]
    fn what_is_wrong_with_an_entry_is_named() {
        let neither = "`managedFields`: neither has `manager` nor a key like `Apply NAME`: {\"Erase m\":[]}";
        assert_eq!(of(json!([{ "Erase m": [] }])), Err(neither.to_owned()));
        let no_path = "`managedFields`: \"spec.a[b]\" is not a path of a field";
        assert_eq!(of(json!([{ "Apply m": ["spec.a[b]"] }])), Err(no_path.to_owned()));
    }
}
