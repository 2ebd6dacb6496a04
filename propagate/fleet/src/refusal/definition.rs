//! What the API server refuses because it does not fit the definition of its kind.

use serde_json::Value;
use topology::{SchemaViolation, definition_violations, pruned};

use super::{Refusal, has_placeholder, refusal};

/// A list without elements, or an object without fields, which a patch of a kustomization may fill.
pub(super) const EMPTY: [&str; 2] = ["the list must not be empty", "the object must not be empty"];

/// Values that do not fit. A field that is missing is none of them, and neither is a whole `spec` without fields: files may
/// be parts of an object.
pub(super) fn unfit(object: &Value) -> Vec<Refusal> {
    let is_part = |part: &Value, at: &str| {
        part.as_object().is_some_and(serde_json::Map::is_empty) && ["spec", "spec.template.spec"].contains(&at)
    };
    let is_open = |part: &Value, at: &str| part.as_str().is_some_and(has_placeholder) || is_part(part, at);
    let object = pruned(object);
    let found = definition_violations(&object).into_iter();
    found.filter(|violation| violation.part.is_some_and(|part| !is_open(part, &violation.at))).map(refused).collect()
}

/// Required fields that an edit removes, or that what it adds does not have.
pub(super) fn missing(old: &Value, new: &Value) -> Vec<Refusal> {
    let [old, new] = [old, new].map(pruned);
    let before = definition_violations(&old);
    let found = definition_violations(&new).into_iter();
    found.filter(|violation| violation.part.is_none() && !before.contains(violation)).map(refused).collect()
}

fn refused(SchemaViolation { at, reason, part }: SchemaViolation<'_>) -> Refusal {
    let [list, object] = EMPTY;
    match part {
        None => refusal(at, "this field is required"),
        Some(Value::Array(elements)) if elements.is_empty() => refusal(at, list),
        Some(Value::Object(fields)) if fields.is_empty() => refusal(at, object),
        Some(_) => refusal(at, reason),
    }
}
