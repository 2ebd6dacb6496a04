//! Numbers.

use gotmpl::{Result, Value};

use super::{SprigFunction, at, failed, text, whole};

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("int", |args| Ok(Value::Int(whole(at(args, 0))))),
    ("int64", |args| Ok(Value::Int(whole(at(args, 0))))),
    ("atoi", |args| Ok(Value::Int(at(args, 0).as_str().and_then(|text| text.parse().ok()).unwrap_or_default()))),
    ("float64", |args| Ok(Value::Float(fraction(at(args, 0))))),
    ("add", |args| Ok(Value::Int(args.iter().map(whole).fold(0, i64::wrapping_add)))),
    ("add1", |args| Ok(Value::Int(whole(at(args, 0)).wrapping_add(1)))),
    ("sub", |args| Ok(Value::Int(whole(at(args, 0)).wrapping_sub(whole(at(args, 1)))))),
    ("mul", |args| Ok(Value::Int(args.iter().map(whole).fold(1, i64::wrapping_mul)))),
    ("div", |args| divided(args, i64::checked_div)),
    ("mod", |args| divided(args, i64::checked_rem)),
    ("max", |args| Ok(Value::Int(args.iter().map(whole).max().unwrap_or_default()))),
    ("biggest", |args| Ok(Value::Int(args.iter().map(whole).max().unwrap_or_default()))),
    ("min", |args| Ok(Value::Int(args.iter().map(whole).min().unwrap_or_default()))),
    ("floor", |args| Ok(Value::Float(fraction(at(args, 0)).floor()))),
    ("ceil", |args| Ok(Value::Float(fraction(at(args, 0)).ceil()))),
    ("toDecimal", |args| Ok(Value::Int(i64::from_str_radix(&text(at(args, 0)), 8).unwrap_or_default()))),
];

fn divided(args: &[Value], divide: fn(i64, i64) -> Option<i64>) -> Result<Value> {
    match divide(whole(at(args, 0)), whole(at(args, 1))) {
        Some(result) => Ok(Value::Int(result)),
        None => failed("integer divide by zero"),
    }
}

/// A number, from numbers and from texts.
pub(super) fn fraction(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse().unwrap_or_default(),
        Value::Bool(bool) => f64::from(u8::from(*bool)),
        other => other.as_float().unwrap_or_default(),
    }
}
