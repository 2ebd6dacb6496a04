//! Types of values. Whether a whole number is an `int` or an `int64` is not known.

use gotmpl::{Result, Value};

use super::{SprigFunction, at, string, text, unknown};

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("kindOf", |args| named("kindOf", args, 0)),
    ("typeOf", |args| named("typeOf", args, 1)),
    ("kindIs", |args| is("kindIs", args, 0)),
    ("typeIs", |args| is("typeIs", args, 1)),
    // A target without a star also fits a pointer, and there is none.
    ("typeIsLike", |args| is("typeIsLike", args, 1)),
    ("deepEqual", |args| Ok(Value::Bool(at(args, 0) == at(args, 1)))),
];

fn named(function: &str, args: &[Value], which: usize) -> Result<Value> {
    let value = at(args, 0);
    if matches!(value, Value::Int(_)) {
        unknown(function)
    } else {
        Ok(string(types(value).get(which).copied().unwrap_or_default()))
    }
}

fn is(function: &str, args: &[Value], which: usize) -> Result<Value> {
    let (target, value) = (text(at(args, 0)), at(args, 1));
    match value {
        Value::Int(_) if ["int", "int64"].contains(&&*target) => unknown(function),
        value => Ok(Value::Bool(types(value).get(which).is_some_and(|name| **name == *target))),
    }
}

/// The kind and the type.
fn types(value: &Value) -> [&'static str; 2] {
    match value {
        Value::Nil => ["invalid", "<nil>"],
        Value::Bool(_) => ["bool", "bool"],
        Value::Int(_) => ["int64", "int64"],
        Value::Uint(_) => ["uint64", "uint64"],
        Value::Float(_) => ["float64", "float64"],
        Value::String(_) => ["string", "string"],
        Value::List(_) => ["slice", "[]interface {}"],
        Value::Map(_) => ["map", "map[string]interface {}"],
        _ => ["func", "func"],
    }
}
