//! Lists.

use gotmpl::{Result, TemplateError, Value};

use super::strings::texts;
use super::{SprigFunction, at, elements, failed, is_empty, list, string, text, unknown, whole};

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
    ("until", |args| {
        let stop = whole(at(args, 0));
        Ok(list(steps(0, stop, stop.signum())?))
    }),
    ("untilStep", |args| Ok(list(steps(whole(at(args, 0)), whole(at(args, 1)), whole(at(args, 2)))?))),
    ("seq", seq),
    ("chunk", chunk),
    ("slice", slice),
];

/// The longest list that a function makes of a number.
const LONGEST_LIST: usize = 1 << 20;

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
    let mut texts = if matches!(at(args, 0), Value::List(_)) { texts(at(args, 0)) } else { vec![text(at(args, 0))] };
    texts.sort_unstable();
    Ok(list(texts.into_iter().map(string)))
}

/// The numbers from one to another, without the last one.
fn steps(start: i64, stop: i64, step: i64) -> Result<Vec<Value>> {
    let mut numbers = Vec::new();
    let mut next = start;
    while step != 0 && (if step > 0 { next < stop } else { next > stop }) {
        if numbers.len() >= LONGEST_LIST {
            return Err(TemplateError::Write);
        }
        numbers.push(Value::Int(next));
        next = next.saturating_add(step);
    }
    Ok(numbers)
}

/// Numbers with spaces between them, to the last one.
fn seq(args: &[Value]) -> Result<Value> {
    let numbers: Vec<i64> = args.iter().map(whole).collect();
    let (start, step, stop) = match *numbers {
        [stop] => (1, if stop < 1 { -1 } else { 1 }, stop),
        [start, stop] => (start, if stop < start { -1 } else { 1 }, stop),
        [start, step, stop] if stop >= start || step <= 0 => (start, step, stop),
        _ => return Ok(string("")),
    };
    let beyond = stop.saturating_add(if stop < start { -1 } else { 1 });
    let numbers = steps(start, beyond, step)?;
    Ok(string(numbers.iter().map(text).collect::<Vec<_>>().join(" ")))
}

fn chunk(args: &[Value]) -> Result<Value> {
    match usize::try_from(whole(at(args, 0))) {
        Ok(size @ 1..) => Ok(list(elements(at(args, 1)).chunks(size).map(|part| list(part.iter().cloned())))),
        _ => unknown("chunk"),
    }
}

/// A part of a list. Behind its end, Go's answer depends on how the list was made.
fn slice(args: &[Value]) -> Result<Value> {
    let all = elements(at(args, 0));
    if all.is_empty() {
        return Ok(Value::Nil);
    }
    let bound = |number: usize, default: usize| args.get(number).map_or(Ok(default), |it| usize::try_from(whole(it)));
    match (bound(1, 0), bound(2, all.len())) {
        (Ok(_), Ok(end)) if end > all.len() => unknown("slice"),
        (Ok(start), Ok(end)) if start <= end => Ok(list(all.get(start..end).unwrap_or_default().iter().cloned())),
        _ => failed("reflect.Value.Slice: slice index out of bounds"),
    }
}
