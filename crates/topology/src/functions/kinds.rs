//! Types of values. Whole numbers are taken for those of objects, which are int64.

use gotmpl::{Result, Value};

use super::{SprigFunction, at, string, text};

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("kindOf", |args| Ok(string(types(at(args, 0))[0]))),
    ("typeOf", |args| Ok(string(types(at(args, 0))[1]))),
    ("kindIs", |args| is(args, 0)),
    ("typeIs", |args| is(args, 1)),
];

fn is(args: &[Value], which: usize) -> Result<Value> {
    Ok(Value::Bool(types(at(args, 1)).get(which).is_some_and(|name| **name == *text(at(args, 0)))))
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
