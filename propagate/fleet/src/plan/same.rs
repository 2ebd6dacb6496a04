//! Whether a change of an object is one of its manifest.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// Whether two objects differ only in what the API server and controllers write.
pub(super) fn is_same(objects: [&str; 2]) -> bool {
    const WRITTEN: [&str; 5] = ["resourceVersion", "generation", "managedFields", "creationTimestamp", "selfLink"];
    let metadata = || objects.map(|text| fields(text).and_then(|it| Some(it.get("metadata")?.get())).unwrap_or("null"));
    let [old, new] = objects;
    old == new || has_same_fields(objects, &["metadata", "status"]) && has_same_fields(metadata(), &WRITTEN)
}

/// Whether two values have the same fields, apart from some.
fn has_same_fields(texts: [&str; 2], without: &[&str]) -> bool {
    let [Some(old), Some(new)] = texts.map(fields) else { return are_equal(texts) };
    let others = |fields: &Fields<'_>| fields.keys().filter(|name| !without.contains(&&***name)).count();
    let is_same = |(name, value): (&String, &&RawValue)| {
        without.contains(&&**name) || new.get(name).is_some_and(|new| are_equal([value.get(), new.get()]))
    };
    others(&old) == others(&new) && old.iter().all(is_same)
}

type Fields<'t> = BTreeMap<String, &'t RawValue>;

fn fields(text: &str) -> Option<Fields<'_>> {
    serde_json::from_str(text).ok()
}

/// Most values that are equal have the same text.
fn are_equal([old, new]: [&str; 2]) -> bool {
    let value = |text| serde_json::from_str::<Value>(text).ok();
    old == new || value(old) == value(new)
}
