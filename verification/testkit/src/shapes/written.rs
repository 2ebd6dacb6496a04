//! Shapes that are written as YAML: reviews with a few fields more.
//!
//! - `$each` stands for as many elements of a list, or entries of a map, as the review has, or `$times`. In them `{n}` is the
//!   number, `{n6}` the number in six digits, `{r}` the number from behind.
//! - `$from` is an object, and the other fields are merged into it.
//! - `$text` is JSON in a string; `$repeat` a string with a middle that is repeated.
//! - `filling` replaces each `HOLE` by an inner value and what is repeated before and behind it.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::maps::{self, Receiver};
use super::{Grown, Shape};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeFile {
    /// What the shapes refer to.
    #[serde(rename = "parts")]
    _parts: IgnoredAny,
    /// What has labels and annotations that propagate to it.
    #[serde(default)]
    receivers: Vec<Receiver>,
    shapes: Vec<WrittenShape>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenShape {
    name: String,
    old: Option<Value>,
    object: Value,
    #[serde(default)]
    settings: Value,
    #[serde(default)]
    reads: Vec<Value>,
    #[serde(default)]
    username: String,
    #[serde(default)]
    field_manager: String,
    #[serde(default)]
    filling: Vec<[String; 3]>,
}

/// The shapes of a file.
pub(super) fn shapes(text: &str) -> anyhow::Result<Vec<Shape>> {
    let file: ShapeFile = serde_saphyr::from_str(text)?;
    Ok(file.receivers.into_iter().flat_map(maps::shapes).chain(file.shapes.into_iter().map(shape)).collect())
}

fn shape(written: WrittenShape) -> Shape {
    let written = Arc::new(written);
    Shape::new(written.name.clone(), move |count| Grown {
        old: written.old.as_ref().map(|old| grown(old, count)),
        object: grown(&written.object, count),
        settings: grown(&written.settings, count),
        reads: written.reads.iter().map(|read| grown(read, count)).collect(),
        username: written.username.clone(),
        field_manager: written.field_manager.clone(),
        filling: written.filling.iter().map(|filling| repeated(filling, count)).collect(),
    })
}

fn repeated([open, inner, close]: &[String; 3], count: usize) -> String {
    [open.repeat(count), inner.clone(), close.repeat(count)].concat()
}

pub(super) fn grown(template: &Value, count: usize) -> Value {
    match template {
        Value::Array(elements) => elements.iter().flat_map(|element| elements_of(element, count)).collect(),
        Value::Object(fields) => of_fields(fields, count),
        other => other.clone(),
    }
}

fn elements_of(element: &Value, count: usize) -> Vec<Value> {
    match element.as_object().and_then(each) {
        Some((each, times)) => numbered(each, times.unwrap_or(count), count),
        None => vec![grown(element, count)],
    }
}

/// What is repeated, and how often if that is not how often everything is.
fn each(fields: &Map<String, Value>) -> Option<(&Value, Option<usize>)> {
    let times = fields.get("$times").and_then(Value::as_u64).and_then(|times| usize::try_from(times).ok());
    Some((fields.get("$each")?, times))
}

fn of_fields(fields: &Map<String, Value>, count: usize) -> Value {
    if let Some(text) = fields.get("$text") {
        return json!(grown(text, count).to_string());
    }
    if let Some([open, middle, close]) = fields.get("$repeat").and_then(Value::as_array).map(Vec::as_slice) {
        let [open, middle, close] = [open, middle, close].map(|part| part.as_str().unwrap_or_default());
        return json!([open, &middle.repeat(count), close].concat());
    }
    let mut whole = fields.get("$from").map_or_else(|| json!({}), |from| grown(from, count));
    if let Some((each, times)) = each(fields) {
        numbered(each, times.unwrap_or(count), count).into_iter().for_each(|entries| merge(&mut whole, entries));
    }
    for (name, value) in fields.iter().filter(|(name, _)| !name.starts_with('$')) {
        merge(&mut whole, json!({ name: grown(value, count) }));
    }
    whole
}

fn merge(into: &mut Value, value: Value) {
    match (into, value) {
        (Value::Object(into), Value::Object(fields)) => {
            fields.into_iter().for_each(|(name, value)| merge(into.entry(name).or_insert(Value::Null), value));
        }
        (into, value) => *into = value,
    }
}

fn numbered(each: &Value, times: usize, count: usize) -> Vec<Value> {
    let each = grown(each, count);
    (0..times).map(|number| with_number(&each, number, times)).collect()
}

fn with_number(value: &Value, number: usize, times: usize) -> Value {
    let from_behind = times.saturating_sub(number + 1);
    let text = |text: &str| {
        let text = text.replace("{n}", &number.to_string()).replace("{n6}", &format!("{number:06}"));
        text.replace("{r}", &from_behind.to_string())
    };
    match value {
        Value::String(of) => json!(text(of)),
        Value::Array(elements) => elements.iter().map(|element| with_number(element, number, times)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (text(name), with_number(value, number, times))).collect()
        }
        other => other.clone(),
    }
}
