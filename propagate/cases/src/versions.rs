//! One file for several versions of an API: what its values are in each, and how values of each are written as one.
//!
//! In a file with `versions`, `$version` in a text is the version of the case, and a mapping may have versions as keys:
//! the value of the case's version takes the place of the mapping, or, beside other keys, adds its fields to them. What has no
//! value in a version is absent there.

use serde_json::{Map, Value, json};

const VERSION: &str = "$version";

/// The value in one of the versions; `None` where it has none.
pub(crate) fn in_version(value: &Value, version: &str, versions: &[String]) -> Option<Value> {
    match value {
        Value::String(text) => Some(json!(text.replace(VERSION, version))),
        Value::Array(elements) => {
            Some(elements.iter().filter_map(|element| in_version(element, version, versions)).collect())
        }
        Value::Object(fields) => {
            let is_version = |name: &String| versions.contains(name);
            let of_version = fields.get(version).map(|value| in_version(value, version, versions));
            if !fields.is_empty() && fields.keys().all(is_version) {
                return of_version.flatten();
            }
            let rest = fields.iter().filter(|(name, _)| !is_version(name));
            let mut all: Map<String, Value> = rest
                .filter_map(|(name, value)| {
                    Some((name.replace(VERSION, version), in_version(value, version, versions)?))
                })
                .collect();
            if let Some(Some(Value::Object(more))) = of_version {
                all.extend(more);
            }
            Some(Value::Object(all))
        }
        other => Some(other.clone()),
    }
}

/// The value that is, [in each version](in_version), the one of that version.
pub(crate) fn merged(versions: &[String], values: Vec<Value>) -> Value {
    let of_versions: Vec<(&str, &Value)> = versions.iter().map(String::as_str).zip(&values).collect();
    let merged = merge(&of_versions);
    let is_read = |(version, value): &(&str, &Value)| in_version(&merged, version, versions).as_ref() == Some(value);
    if of_versions.iter().all(is_read) { merged } else { versions.iter().cloned().zip(values).collect() }
}

/// A value of each version.
type Versions<'v, T> = [(&'v str, &'v T)];

fn merge(values: &Versions<'_, Value>) -> Value {
    let Some((_, first)) = values.first() else { return Value::Null };
    if values.iter().all(|(_, value)| value == first) {
        return (*first).clone();
    }
    let texts = values.iter().map(|(version, value)| Some(value.as_str()?.replace(version, VERSION)));
    if let Some(Some(text)) = same(texts) {
        return json!(text);
    }
    if let Some(fields) = parts(values, |_, value| value.as_object()) {
        return merge_fields(&fields);
    }
    if let Some(lists) = parts(values, |_, value| value.as_array()) {
        return merge_lists(&lists);
    }
    values.iter().map(|(version, value)| ((*version).to_owned(), (*value).clone())).collect()
}

fn merge_fields(values: &Versions<'_, Map<String, Value>>) -> Value {
    let mut together = Map::new();
    let mut apart: Map<String, Value> = values.iter().map(|(version, _)| ((*version).to_owned(), json!({}))).collect();
    for (version, fields) in values {
        for (name, value) in *fields {
            let in_all = |name: &str| parts(values, |version, fields| fields.get(&name.replace(VERSION, version)));
            let template = name.replace(version, VERSION);
            if let Some(found) = in_all(name) {
                together.insert(name.clone(), merge(&found));
            } else if let Some(found) = in_all(&template) {
                together.insert(template, merge(&found));
            } else if let Some(Value::Object(of_version)) = apart.get_mut(*version) {
                of_version.insert(name.clone(), value.clone());
            }
        }
    }
    if !together.is_empty() {
        apart.retain(|_, fields| *fields != json!({}));
    }
    together.append(&mut apart);
    Value::Object(together)
}

/// Lists of one length are merged element by element. Otherwise the elements between the same first and last ones are in one
/// version each.
fn merge_lists(values: &Versions<'_, Vec<Value>>) -> Value {
    let fewest = values.iter().map(|(_, list)| list.len()).min().unwrap_or_default();
    let at = |number: usize| parts(values, |_, list| list.get(number)).unwrap_or_default();
    let from_end = |number: usize| parts(values, |_, list| list.iter().nth_back(number - 1)).unwrap_or_default();
    let is_one =
        |elements: &Versions<'_, Value>| same(elements.iter().map(|(version, it)| template(it, version))).is_some();
    if same(values.iter().map(|(_, list)| list.len())).is_some() {
        return (0..fewest).map(|number| merge(&at(number))).collect();
    }
    let first = (0..fewest).take_while(|number| is_one(&at(*number))).count();
    let last = (1..=fewest - first).take_while(|number| is_one(&from_end(*number))).count();
    let between = values.iter().flat_map(|(version, list)| {
        list.iter().take(list.len() - last).skip(first).map(|element| json!({ *version: element }))
    });
    let start = (0..first).map(|number| merge(&at(number)));
    let end = (1..=last).rev().map(|number| merge(&from_end(number)));
    start.chain(between).chain(end).collect()
}

/// The value with `$version` for the version in every text.
fn template(value: &Value, version: &str) -> Value {
    match value {
        Value::String(text) => json!(text.replace(version, VERSION)),
        Value::Array(elements) => elements.iter().map(|element| template(element, version)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.replace(version, VERSION), template(value, version)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// What all of them are, if they are one.
fn same<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// A part of each value, if all have it.
fn parts<'v, T, P>(
    values: &Versions<'v, T>,
    part: impl Fn(&'v str, &'v T) -> Option<&'v P>,
) -> Option<Vec<(&'v str, &'v P)>> {
    values.iter().map(|(version, value)| Some((*version, part(version, value)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSIONS: [&str; 2] = ["v1beta1", "v1beta2"];

    /// Both versions of a value.
    fn both(value: &Value) -> [Option<Value>; 2] {
        let versions = VERSIONS.map(str::to_owned);
        VERSIONS.map(|version| in_version(value, version, &versions))
    }

    #[test]
    fn a_value_is_written_once_for_all_versions() {
        for (older, newer, written) in [
            (json!("a/v1beta1 K"), json!("a/v1beta2 K"), json!("a/$version K")),
            (json!({ "a/v1beta1": 1 }), json!({ "a/v1beta2": 1 }), json!({ "a/$version": 1 })),
            (json!(["v1beta1", 1]), json!(["v1beta1", 1]), json!(["v1beta1", 1])),
            (json!(1), json!("1s"), json!({ "v1beta1": 1, "v1beta2": "1s" })),
            (
                json!({ "class": "a", "strategy": {} }),
                json!({ "class": "a", "rollout": {} }),
                json!({ "class": "a", "v1beta1": { "strategy": {} }, "v1beta2": { "rollout": {} } }),
            ),
            (json!({ "a": 1, "b": 2 }), json!({ "a": 1 }), json!({ "a": 1, "v1beta1": { "b": 2 } })),
            (json!({ "a": 1 }), json!({}), json!({ "v1beta1": { "a": 1 }, "v1beta2": {} })),
            (json!([1, 2]), json!([1, 3]), json!([1, { "v1beta1": 2, "v1beta2": 3 }])),
            (
                json!(["of v1beta1", 1, 2, 9]),
                json!(["of v1beta2", 3, 9]),
                json!(["of $version", { "v1beta1": 1 }, { "v1beta1": 2 }, { "v1beta2": 3 }, 9]),
            ),
            (json!([1]), json!([1, 1]), json!([1, { "v1beta2": 1 }])),
        ] {
            assert_eq!(merged(&VERSIONS.map(str::to_owned), vec![older.clone(), newer.clone()]), written);
            assert_eq!(both(&written), [Some(older), Some(newer)]);
        }
    }

    #[test]
    fn what_has_no_value_in_a_version_is_absent_there() {
        let value = json!({ "a": { "v1beta1": 1 }, "b": [{ "v1beta1": { "v1beta2": 1 } }, 2] });
        assert_eq!(both(&value), [Some(json!({ "a": 1, "b": [2] })), Some(json!({ "b": [2] }))]);
    }
}
