//! Fields of JSON objects by their names.

use serde_json::{Map, Value};

/// The value at a path of field names.
pub(crate) fn get<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |here, name| here.get(name)).filter(|found| !found.is_null())
}

/// The text at a path; empty if there is none.
pub(crate) fn text<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    get(value, path).and_then(Value::as_str).unwrap_or_default()
}

/// Whether the value at a path is `true`.
pub(crate) fn is_true(value: &Value, path: &[&str]) -> bool {
    get(value, path) == Some(&Value::Bool(true))
}

/// The elements of the list at a path.
pub(crate) fn list<'v>(value: &'v Value, path: &[&str]) -> &'v [Value] {
    get(value, path).and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
}

/// Sets the value at a path; what is not an object on the way is replaced by one.
pub(crate) fn set(value: &mut Value, path: &[&str], new: Value) {
    match path {
        [] => *value = new,
        [name, rest @ ..] => {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            if let Some(fields) = value.as_object_mut() {
                set(fields.entry(*name).or_insert(Value::Null), rest, new);
            }
        }
    }
}

/// Sets the value at a path, if there is one.
pub(crate) fn set_some(value: &mut Value, path: &[&str], new: Option<&Value>) {
    if let Some(new) = new {
        set(value, path, new.clone());
    }
}

/// The naming of the infrastructure, as classes of workers have it: in v1beta1 it is not next to the template.
pub(crate) fn infrastructure_naming(class: &Value) -> Value {
    let naming = get(class, &["spec", "infrastructure", "naming"]);
    let naming = naming.or_else(|| get(class, &["spec", "infrastructureNamingStrategy"]));
    serde_json::json!({ "naming": naming })
}

/// The union of maps of texts; the first ones have precedence.
pub(crate) fn merged<'v>(maps: impl IntoIterator<Item = Option<&'v Value>>) -> Map<String, Value> {
    let mut all = Map::new();
    for map in maps.into_iter().flatten().filter_map(Value::as_object) {
        for (key, value) in map {
            all.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    all
}
