//! Maps. Functions that change a map in place return the changed map: a template that relies on the change is rewritten
//! before (`crate::assigned`).

use std::sync::Arc;

use gotmpl::{Result, TemplateError, Value};

use super::{SprigFunction, at, elements, failed, is_empty, list, string, text};
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
    ("set", |args| Ok(with(at(args, 0), [(text(at(args, 1)).into(), at(args, 2).clone())]))),
    ("unset", |args| Ok(go::map(entries(at(args, 0)).filter(|(name, _)| **name != *text(at(args, 1)))))),
    ("merge", |args| merged(args, false)),
    ("mergeOverwrite", |args| merged(args, true)),
    ("deepCopy", |args| match at(args, 0) {
        Value::Nil => failed("reflect: Value.Type on zero Value"),
        value => Ok(value.clone()),
    }),
    ("dig", dig),
];

/// A map with more entries.
pub(crate) fn with(map: &Value, more: impl IntoIterator<Item = (Arc<str>, Value)>) -> Value {
    go::map(entries(map).chain(more))
}

/// The first map with the entries of the others, as package mergo merges them.
fn merged(args: &[Value], is_forced: bool) -> Result<Value> {
    if args.iter().any(|map| !matches!(map, Value::Map(_) | Value::Nil)) {
        return failed("wrong type for value; expected map[string]interface {}");
    }
    let (first, others) = args.split_first().unwrap_or((&Value::Nil, &[]));
    Ok(others.iter().fold(with(first, []), |all, map| merge(&all, map, is_forced)))
}

/// An empty value is replaced. Otherwise the first one stays unless the merge is forced, which an empty value also is.
fn merge(into: &Value, from: &Value, is_forced: bool) -> Value {
    let one = |(name, value): (Arc<str>, Value)| {
        let merged = match field(into, &name) {
            known if matches!(value, Value::Nil) && !is_forced => known?.clone(),
            Some(known @ Value::Map(_)) if matches!(value, Value::Map(_)) => merge(known, &value, is_forced),
            Some(known) if !is_forced && !is_empty(known) => known.clone(),
            _ => value,
        };
        Some((name, merged))
    };
    with(into, entries(from).filter_map(one))
}

/// The value below keys, or else the value before the last argument, which is the map.
fn dig(args: &[Value]) -> Result<Value> {
    let [keys @ .., default, map] = args else { return failed("dig needs at least three arguments") };
    if !matches!(map, Value::Map(_)) || keys.is_empty() {
        return failed("interface conversion: interface {} is not map[string]interface {}");
    }
    if keys.iter().any(|key| !matches!(key, Value::String(_))) {
        return failed("interface conversion: interface {} is not string");
    }
    let mut here = map.clone();
    for key in keys {
        here = match &here {
            Value::Map(fields) => match fields.get(&*text(key)) {
                Some(value) => value.clone(),
                None => return Ok(default.clone()),
            },
            _ => return failed("interface conversion: interface {} is not map[string]interface {}"),
        };
    }
    Ok(here)
}

fn dict(args: &[Value]) -> Result<Value> {
    if args.len() > 20_000 {
        return Err(TemplateError::Write);
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
