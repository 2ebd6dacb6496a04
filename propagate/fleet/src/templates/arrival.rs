//! Where tags are in a composed resource.

use std::collections::BTreeMap;

use serde_json::Value;

/// A set of tags.
pub(super) type TagSet = BTreeMap<String, String>;

/// A map or a list in a resource that has all tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Such as `spec.forProvider.tags`.
    pub(super) path: String,
    pub(super) form: ArrivalForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrivalForm {
    Map,
    /// A map in which values such as `4711` are numbers, because they are not quoted.
    Unquoted,
    /// A list whose elements are objects with keys and values.
    Objects,
    /// A list of strings with a key, a separator and a value.
    Strings,
}

/// Where all tags of the first set are in the first value, and all of the second in the second. Removes them from the
/// first.
pub(super) fn take(sets: [&TagSet; 2], first: &mut Value, second: &Value) -> Vec<Arrival> {
    let mut found = Vec::new();
    search(sets, first, second, String::new(), &mut found);
    found
}

fn search([one, other]: [&TagSet; 2], first: &mut Value, second: &Value, path: String, found: &mut Vec<Arrival>) {
    match (first, second) {
        (Value::Object(a), Value::Object(b)) => {
            let is = |fields: &serde_json::Map<String, Value>, set: &TagSet, fits: fn(&Value, &str) -> bool| {
                set.iter().all(|(key, value)| fields.get(key).is_some_and(|field| fits(field, value)))
            };
            let form = match () {
                () if !is(a, one, equals) => None,
                () if is(b, other, equals) => Some(ArrivalForm::Map),
                () => is(b, other, prints).then_some(ArrivalForm::Unquoted),
            };
            if let Some(form) = form {
                a.retain(|key, _| !one.contains_key(key));
                found.push(Arrival { path: path.clone(), form });
            }
            for (name, field) in a {
                search([one, other], field, b.get(name).unwrap_or(&Value::Null), inner(&path, name), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (form, is_tag) in LISTS {
                let has = |elements: &[Value], set: &TagSet| {
                    set.iter().all(|(key, value)| elements.iter().any(|element| is_tag(element, key, value)))
                };
                if has(a, one) && has(b, other) {
                    found.push(Arrival { path: path.clone(), form });
                }
            }
            for (number, (a, b)) in a.iter_mut().zip(b).enumerate() {
                search([one, other], a, b, format!("{path}[{number}]"), found);
            }
        }
        _ => {}
    }
}

fn equals(field: &Value, value: &str) -> bool {
    field.as_str() == Some(value)
}

/// Whether a number or a boolean is written like a tag's value.
fn prints(field: &Value, value: &str) -> bool {
    equals(field, value) || serde_json::from_str::<Value>(value).is_ok_and(|read| read == *field)
}

/// Whether an element of a list is a tag.
type IsTag = fn(&Value, &str, &str) -> bool;

const LISTS: [(ArrivalForm, IsTag); 2] = [(ArrivalForm::Objects, is_object), (ArrivalForm::Strings, is_string)];

/// Whether a string consists of a key, a separator and a value.
fn is_string(element: &Value, key: &str, value: &str) -> bool {
    separator(element, key, value).is_some()
}

/// What is between a key and a value in a string.
pub(super) fn separator<'e>(element: &'e Value, key: &str, value: &str) -> Option<&'e str> {
    element.as_str()?.strip_prefix(key)?.strip_suffix(value).filter(|separator| !separator.is_empty())
}

fn is_object(element: &Value, key: &str, value: &str) -> bool {
    let has = |text: &str| element.as_object().is_some_and(|fields| fields.values().any(|field| equals(field, text)));
    has(key) && has(value)
}

/// The path of a field, as Crossplane writes it.
fn inner(path: &str, name: &str) -> String {
    let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    match is_plain {
        false => format!("{path}[{name}]"),
        true if path.is_empty() => name.to_owned(),
        true => format!("{path}.{name}"),
    }
}
