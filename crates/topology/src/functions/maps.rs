//! Maps. Functions that change a map in place are not evaluated.

use std::sync::Arc;

use gotmpl::{Result, Value};

use super::{SprigFunction, at, elements, failed, list, string, text};
use crate::go;

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("dict", dict),
    ("get", |args| Ok(field(at(args, 0), &text(at(args, 1))).cloned().unwrap_or_else(|| string("")))),
    ("hasKey", |args| Ok(Value::Bool(field(at(args, 0), &text(at(args, 1))).is_some()))),
    ("keys", |args| Ok(list(args.iter().flat_map(entries).map(|(name, _)| Value::String(name))))),
    ("values", |args| Ok(list(entries(at(args, 0)).map(|(_, value)| value)))),
    ("pluck", |args| Ok(list(args.iter().skip(1).filter_map(|map| field(map, &text(at(args, 0))).cloned())))),
    ("pick", |args| Ok(chosen(args, true))),
    ("omit", |args| Ok(chosen(args, false))),
];

fn dict(args: &[Value]) -> Result<Value> {
    if args.len() > 20_000 {
        return failed("dict has too many entries");
    }
    Ok(go::map(
        args.chunks(2).map(|pair| (text(at(pair, 0)).into(), pair.get(1).cloned().unwrap_or_else(|| string("")))),
    ))
}

fn field<'v>(map: &'v Value, name: &str) -> Option<&'v Value> {
    if let Value::Map(fields) = map { fields.get(name) } else { None }
}

fn entries(map: &Value) -> impl Iterator<Item = (Arc<str>, Value)> {
    let fields = if let Value::Map(fields) = map { Some(Arc::clone(fields)) } else { None };
    let pairs: Vec<_> =
        fields.iter().flat_map(|fields| fields.iter()).map(|(name, value)| (Arc::clone(name), value.clone())).collect();
    pairs.into_iter()
}

fn chosen(args: &[Value], are_kept: bool) -> Value {
    let names = list(args.iter().skip(1).map(|name| string(text(name))));
    let is_named = |name: &Arc<str>| elements(&names).contains(&Value::String(Arc::clone(name)));
    go::map(entries(at(args, 0)).filter(|(name, _)| is_named(name) == are_kept))
}
