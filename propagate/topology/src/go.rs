//! Values of Go's templates: from JSON, to JSON, and printed as package `fmt` prints them.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::Value;
use serde_json::{Map, Number, Value as Json};

/// A JSON value as Go decodes it: numbers are float64.
pub(crate) fn value(json: &Json) -> Value {
    value_of(json, |number| Value::Float(number.as_f64().unwrap_or_default()))
}

/// A number as Kubernetes decodes it: int64 if it is whole.
pub(crate) fn integer(number: &Number) -> Value {
    number.as_i64().map_or_else(|| Value::Float(number.as_f64().unwrap_or_default()), Value::Int)
}

/// A JSON value whose numbers are decoded by a function.
pub(crate) fn value_of(json: &Json, number: fn(&Number) -> Value) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(bool) => Value::Bool(*bool),
        Json::Number(json) => number(json),
        Json::String(text) => Value::String(text.as_str().into()),
        Json::Array(elements) => Value::List(elements.iter().map(|element| value_of(element, number)).collect()),
        Json::Object(fields) => {
            map(fields.iter().map(|(name, field)| (Arc::from(name.as_str()), value_of(field, number))))
        }
    }
}

/// A map from its entries.
pub(crate) fn map(entries: impl IntoIterator<Item = (Arc<str>, Value)>) -> Value {
    Value::Map(Arc::new(entries.into_iter().collect::<BTreeMap<_, _>>()))
}

/// The name of a field of an object with methods: what it prints.
pub(crate) const PRINTED: &str = "\u{1}";

/// A value as JSON; `None` for functions.
pub(crate) fn json(value: &Value) -> Option<Json> {
    Some(match value {
        Value::Nil => Json::Null,
        Value::Bool(bool) => Json::Bool(*bool),
        Value::Int(number) => Json::from(*number),
        Value::Uint(number) => Json::from(*number),
        Value::Float(number) => match whole(*number) {
            Some(number) => Json::from(number),
            None => Json::from(*number),
        },
        Value::String(text) => Json::from(&**text),
        Value::List(elements) => Json::Array(elements.iter().map(json).collect::<Option<_>>()?),
        Value::Map(fields) if fields.contains_key(PRINTED) => json(fields.get(PRINTED)?)?,
        Value::Map(fields) => {
            let fields = fields.iter().map(|(name, field)| Some((name.to_string(), json(field)?)));
            Json::Object(fields.collect::<Option<Map<_, _>>>()?)
        }
        _ => return None,
    })
}

/// A number without a fraction as an integer.
#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked")]
pub(crate) fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

/// A value as `fmt.Sprint` prints it.
pub(crate) fn printed(value: &Value) -> String {
    match value {
        Value::Nil => "<no value>".to_owned(),
        value => nested(value),
    }
}

fn nested(value: &Value) -> String {
    match value {
        Value::Float(number) => float(*number),
        Value::List(elements) => format!("[{}]", elements.iter().map(nested).collect::<Vec<_>>().join(" ")),
        Value::Map(fields) if fields.contains_key(PRINTED) => fields.get(PRINTED).map_or_else(String::new, nested),
        Value::Map(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, field)| format!("{name}:{}", nested(field))).collect();
            format!("map[{}]", fields.join(" "))
        }
        other => other.to_string(),
    }
}

/// A number as `%v` prints a float64: with an exponent below 1e-4 and from 1e+06.
fn float(number: f64) -> String {
    let scientific = format!("{number:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return number.to_string() };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if number == 0.0 || (-4..6).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}
