//! Lists.

use gotmpl::{Result, Value};

use super::{SprigFunction, at, elements, is_empty, list, string, text, whole};

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("list", |args| Ok(list(args.iter().cloned()))),
    ("tuple", |args| Ok(list(args.iter().cloned()))),
    ("first", |args| Ok(elements(at(args, 0)).first().cloned().unwrap_or(Value::Nil))),
    ("last", |args| Ok(elements(at(args, 0)).last().cloned().unwrap_or(Value::Nil))),
    ("rest", |args| Ok(list(elements(at(args, 0)).iter().skip(1).cloned()))),
    ("initial", |args| Ok(list(elements(at(args, 0)).split_last().map_or(&[][..], |(_, rest)| rest).iter().cloned()))),
    ("append", |args| Ok(list(elements(at(args, 0)).iter().chain(args.get(1)).cloned()))),
    ("push", |args| Ok(list(elements(at(args, 0)).iter().chain(args.get(1)).cloned()))),
    ("prepend", |args| Ok(list(args.get(1).into_iter().chain(elements(at(args, 0))).cloned()))),
    ("concat", |args| Ok(list(args.iter().flat_map(elements).cloned()))),
    ("reverse", |args| Ok(list(elements(at(args, 0)).iter().rev().cloned()))),
    ("has", |args| Ok(Value::Bool(elements(at(args, 1)).contains(at(args, 0))))),
    ("compact", |args| Ok(list(elements(at(args, 0)).iter().filter(|it| !is_empty(it)).cloned()))),
    ("without", |args| {
        Ok(list(elements(at(args, 0)).iter().filter(|it| !args.iter().skip(1).any(|out| out == *it)).cloned()))
    }),
    ("uniq", uniq),
    ("sortAlpha", sort),
    ("until", |args| Ok(list((0..whole(at(args, 0)).clamp(0, LONGEST_LIST)).map(Value::Int)))),
    ("untilStep", until_step),
];

/// The longest list that a function makes of a number.
const LONGEST_LIST: i64 = 1 << 20;

fn uniq(args: &[Value]) -> Result<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for element in elements(at(args, 0)) {
        if !kept.contains(element) {
            kept.push(element.clone());
        }
    }
    Ok(list(kept))
}

fn sort(args: &[Value]) -> Result<Value> {
    let mut texts: Vec<String> = elements(at(args, 0)).iter().map(text).collect();
    texts.sort_unstable();
    Ok(list(texts.into_iter().map(string)))
}

fn until_step(args: &[Value]) -> Result<Value> {
    let (start, stop, step) = (whole(at(args, 0)), whole(at(args, 1)), whole(at(args, 2)));
    let mut numbers = Vec::new();
    let mut next = start;
    while step != 0 && (if step > 0 { next < stop } else { next > stop }) && numbers.len() < 1 << 20 {
        numbers.push(Value::Int(next));
        next = next.saturating_add(step);
    }
    Ok(list(numbers))
}
