//! What is done to fields of a JSON object.

use serde_json::{Map, Value, json};
use topology::whole_seconds;

use crate::object::group_and_version;
use crate::plan::path::EditPath;
use crate::relations::text;

/// One change of fields. Paths are relative to a section, without lists if no `*` is mentioned.
#[derive(Debug)]
pub(super) enum Rewrite {
    /// A field gets another path.
    Move(&'static str, &'static str),
    /// A field gets another path if nothing is there.
    Default(&'static str, &'static str),
    /// A duration becomes a number of seconds, at each of these paths.
    Seconds(&'static str, &'static [&'static str]),
    /// A map becomes a list of names and values, ordered by name.
    Arguments(&'static str),
    /// A reference keeps its group, and neither version nor namespace.
    Reference(&'static str),
    /// A reference to a template gets another path, without its namespace.
    Template(&'static str, &'static str),
    /// The field does not exist any more. The path may have `*` for each element of a list.
    Drop(&'static str),
    /// The field is absent if it is false. The path may have `*` for each element of a list.
    DropFalse(&'static str),
    /// K3s without an external cloud provider.
    NoCloudProvider,
    /// In each element of a list, which gets another path, `timeout` becomes `timeoutSeconds`.
    Conditions(&'static str, &'static str),
}

/// Every value at a path, with its own path: elements of lists by their names or classes.
pub(super) fn sections<'v>(value: &'v Value, path: &str) -> Vec<(String, &'v Value)> {
    path.split('.').fold(vec![(String::new(), value)], |found, step| {
        let below = |(path, value): (String, &'v Value)| match (step, value) {
            ("*", Value::Array(elements)) => {
                let name = |element: &Value| {
                    let names = ["name", "class"].map(|field| text(element, field));
                    names.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned()
                };
                elements.iter().map(|element| (format!("{path}[{}]", name(element)), element)).collect::<Vec<_>>()
            }
            (field, value) => {
                let path = if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") };
                value.get(field).map(|value| (path, value)).into_iter().collect()
            }
        };
        found.into_iter().flat_map(below).collect()
    })
}

/// Calls a function for each value at a path; `*` is each element of a list.
pub(super) fn each_at(value: &mut Value, path: &str, function: &mut dyn FnMut(&mut Value)) {
    let (field, rest) = path.split_once('.').map_or((path, None), |(field, rest)| (field, Some(rest)));
    let mut next = |value: &mut Value| match rest {
        Some(rest) => each_at(value, rest, function),
        None => function(value),
    };
    match (field, value) {
        ("*", Value::Array(elements)) => elements.iter_mut().for_each(next),
        (field, Value::Object(fields)) => {
            if let Some(below) = fields.get_mut(field) {
                next(below);
            }
        }
        _ => {}
    }
}

/// Applies changes in their order.
pub(super) fn all(section: &mut Value, rewrites: &[Rewrite]) {
    for rewrite in rewrites {
        one(section, rewrite);
    }
}

/// Applies one change.
pub(super) fn one(section: &mut Value, rewrite: &Rewrite) {
    match rewrite {
        Rewrite::Move(from, to) => {
            if let Some(value) = take(section, from) {
                put(section, to, value);
            }
        }
        Rewrite::Default(from, to) => {
            let is_absent = EditPath::parse(to).value(section).is_none_or(Value::is_null);
            if let Some(value) = take(section, from).filter(|_| is_absent) {
                put(section, to, value);
            }
        }
        Rewrite::NoCloudProvider => {
            if section.get("disableExternalCloudProvider") == Some(&Value::Bool(true)) {
                put(section, "cloudProviderName", json!(""));
                put(section, "disableCloudController", json!(false));
            }
        }
        Rewrite::Seconds(from, to) => {
            let Some(value) = take(section, from) else { return };
            let value = value.as_str().and_then(whole_seconds).map_or(value, |seconds| json!(seconds));
            to.iter().for_each(|to| put(section, to, value.clone()));
        }
        Rewrite::Arguments(at) => each_at(section, at, &mut |value| {
            if let Value::Object(arguments) = value {
                let mut sorted: Vec<(&String, &Value)> = arguments.iter().collect();
                sorted.sort_by_key(|(name, _)| *name);
                *value = sorted.into_iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
            }
        }),
        Rewrite::Reference(at) => each_at(section, at, &mut |value| {
            let group = value.get("apiVersion").and_then(Value::as_str).map(|version| group_and_version(version).0);
            let group = group.map(|group| ("apiGroup".to_owned(), json!(group)));
            *value = kept(value, &["kind", "name"]).into_iter().chain(group).collect::<Map<_, _>>().into();
        }),
        Rewrite::Template(from, to) => {
            if let Some(value) = take(section, from) {
                put(section, to, kept(&value, &["apiVersion", "kind", "name"]).into());
            }
        }
        Rewrite::Drop(at) => drop_at(section, at, &|_| true),
        Rewrite::DropFalse(at) => drop_at(section, at, &|value| *value == Value::Bool(false)),
        Rewrite::Conditions(from, to) => {
            let Some(mut conditions) = take(section, from) else { return };
            each_at(&mut conditions, "*", &mut |condition| {
                one(condition, &Rewrite::Seconds("timeout", &["timeoutSeconds"]));
            });
            put(section, to, conditions);
        }
    }
}

/// These fields of an object.
fn kept(value: &Value, fields: &[&str]) -> Map<String, Value> {
    fields.iter().filter_map(|field| Some(((*field).to_owned(), value.get(field)?.clone()))).collect()
}

fn drop_at(section: &mut Value, path: &str, is_dropped: &dyn Fn(&Value) -> bool) {
    let drop = |holder: &mut Value, field: &str| {
        if let Value::Object(fields) = holder
            && fields.get(field).is_some_and(is_dropped)
        {
            fields.remove(field);
        }
    };
    match path.rsplit_once('.') {
        Some((above, field)) => each_at(section, above, &mut |holder| drop(holder, field)),
        None => drop(section, path),
    }
}

fn take(section: &mut Value, path: &str) -> Option<Value> {
    let (field, rest) = path.split_once('.').map_or((path, None), |(field, rest)| (field, Some(rest)));
    match rest {
        Some(rest) => take(section.get_mut(field)?, rest),
        None => section.as_object_mut()?.remove(field).filter(|value| !value.is_null()),
    }
}

fn put(section: &mut Value, path: &str, value: Value) {
    let Value::Object(fields) = section else { return };
    match path.split_once('.') {
        Some((field, rest)) => {
            let below = fields.entry(field).or_insert_with(|| json!({}));
            if below.is_null() {
                *below = json!({});
            }
            put(below, rest, value);
        }
        None => {
            fields.insert(path.to_owned(), value);
        }
    }
}
