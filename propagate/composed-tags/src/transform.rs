//! What a transform makes of a value.
//!
//! Source: function-patch-and-transform 55116ae, transforms.go, `Resolve` and what it calls; Crossplane 1.20,
//! internal/controller/apiextensions/composite/composition_transforms.go, which does the same.

use std::fmt;

use kubernetes::settings::read::type_name;
use regex_lite::Regex;
use serde_json::Value;

/// Why a transform fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransformFailure {
    /// `map` has no such key.
    NoKey(String),
    /// A regular expression does not match the text, or does not have the group.
    NoMatch {
        /// The expression.
        expression: String,
        /// The number of the group; 0 is the whole match.
        group: u64,
        /// The text.
        text: String,
    },
    /// `convert` cannot read the text as this type.
    NotRead {
        /// The text.
        text: String,
        /// The type.
        to: String,
    },
    /// The transform does not take values of the type.
    Type {
        /// The type of the transform.
        transform: &'static str,
        /// What it gets.
        found: &'static str,
    },
}

/// The end of a sentence, without a final stop.
impl fmt::Display for TransformFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransformFailure::NoKey(key) => write!(f, "transform `map` has no key `{key}`"),
            TransformFailure::NoMatch { expression, group, text } => {
                write!(f, "transform `string` finds no match of `{expression}` with group {group} in `{text}`")
            }
            TransformFailure::NotRead { text, to } => {
                write!(f, "transform `convert` cannot convert `{text}` to `{to}`")
            }
            TransformFailure::Type { transform, found } => write!(f, "transform `{transform}` does not accept {found}"),
        }
    }
}

/// The value after a transform; `None` if it is not known.
pub(crate) fn transformed(value: &Value, transform: &Value) -> Result<Option<Value>, TransformFailure> {
    let of = |name: &str| transform.get(name).unwrap_or(&Value::Null);
    match text(transform, "type") {
        "math" => math(value, of("math")),
        "map" => {
            let key = value.as_str().ok_or(wrong_type("map", value))?;
            let found = of("map").get(key).ok_or_else(|| TransformFailure::NoKey(key.to_owned()))?;
            Ok(Some(found.clone()))
        }
        "match" => matched(value, of("match")),
        "string" => string(value, of("string")),
        "convert" => converted(value, of("convert")),
        _ => Ok(None),
    }
}

/// A format of Go with `%s`, `%v` and `%d` only.
pub(crate) fn formatted(fmt: &str, values: &[Value]) -> Option<String> {
    let (mut out, mut values, mut parts) = (String::new(), values.iter(), fmt.split('%'));
    out.push_str(parts.next()?);
    while let Some(part) = parts.next() {
        let fits: fn(&Value) -> bool = match part.chars().next() {
            Some('s') => Value::is_string,
            Some('d') => Value::is_i64,
            Some('v') => |_| true,
            None => {
                out.push('%');
                out.push_str(parts.next()?);
                continue;
            }
            Some(_) => return None,
        };
        out.push_str(&printed(values.next().filter(|value| fits(value))?)?);
        out.push_str(part.get(1..)?);
    }
    values.next().is_none().then_some(out)
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn wrong_type(transform: &'static str, value: &Value) -> TransformFailure {
    TransformFailure::Type { transform, found: type_name(value) }
}

/// A scalar as Go's `%v` prints it.
fn printed(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) => Some(value.to_string()),
        Value::Number(number) => number.as_i64().map(|number| number.to_string()),
        _ => None,
    }
}

fn math(value: &Value, math: &Value) -> Result<Option<Value>, TransformFailure> {
    if !value.is_number() {
        return Err(wrong_type("math", value));
    }
    let of = |name: &str| math.get(name).and_then(Value::as_i64);
    let Some(number) = value.as_i64() else { return Ok(None) };
    Ok(match text(math, "type") {
        "ClampMin" => of("clampMin").map(|least| number.max(least)),
        "ClampMax" => of("clampMax").map(|most| number.min(most)),
        _ => of("multiply").and_then(|by| number.checked_mul(by)),
    }
    .map(Value::from))
}

/// The result of the first pattern that matches. Without a result or a fallback it is null.
fn matched(value: &Value, of: &Value) -> Result<Option<Value>, TransformFailure> {
    for pattern in of.get("patterns").and_then(Value::as_array).into_iter().flatten() {
        let input = value.as_str().ok_or(wrong_type("match", value))?;
        let is_match = match text(pattern, "type") {
            "regexp" => captures(text(pattern, "regexp"), input).map(|found| found.is_some()),
            _ => Some(text(pattern, "literal") == input),
        };
        match is_match {
            Some(true) => return Ok(Some(pattern.get("result").cloned().unwrap_or_default())),
            Some(false) => {}
            None => return Ok(None),
        }
    }
    let fallback = if text(of, "fallbackTo") == "Input" { Some(value) } else { of.get("fallbackValue") };
    Ok(Some(fallback.cloned().unwrap_or_default()))
}

/// The groups of the first match; `None` if it is not known whether there is one.
fn captures(expression: &str, text: &str) -> Option<Option<Vec<String>>> {
    let expression = Regex::new(expression).ok().filter(|_| text.is_ascii())?;
    let groups = |found: regex_lite::Captures<'_>| {
        found.iter().map(|group| group.map_or_else(String::new, |group| group.as_str().to_owned())).collect()
    };
    Some(expression.captures(text).map(groups))
}

fn string(value: &Value, of: &Value) -> Result<Option<Value>, TransformFailure> {
    let name = text(of, "type");
    let Some(plain) = printed(value) else { return Ok(None) };
    let affix = text(of, "trim");
    let made = match (name, text(of, "convert")) {
        ("" | "Format", _) => formatted(text(of, "fmt"), std::slice::from_ref(value)),
        ("Convert", "ToUpper") => plain.is_ascii().then(|| plain.to_ascii_uppercase()),
        ("Convert", "ToLower") => plain.is_ascii().then(|| plain.to_ascii_lowercase()),
        ("TrimPrefix", _) => Some(plain.strip_prefix(affix).unwrap_or(&plain).to_owned()),
        ("TrimSuffix", _) => Some(plain.strip_suffix(affix).unwrap_or(&plain).to_owned()),
        ("Replace", _) => {
            let of = of.get("replace").unwrap_or(&Value::Null);
            Some(text(of, "search"))
                .filter(|it| !it.is_empty())
                .map(|search| plain.replace(search, text(of, "replace")))
        }
        ("Regexp", _) => {
            let of = of.get("regexp").unwrap_or(&Value::Null);
            let Some(groups) = captures(text(of, "match"), &plain) else { return Ok(None) };
            let number = of.get("group").and_then(Value::as_u64).unwrap_or_default();
            let group = groups.and_then(|groups| groups.into_iter().nth(usize::try_from(number).ok()?));
            let expression = text(of, "match").to_owned();
            let no_match = || TransformFailure::NoMatch { expression, group: number, text: plain };
            Some(group.ok_or_else(no_match)?)
        }
        _ => None,
    };
    Ok(made.map(Value::from))
}

fn converted(value: &Value, of: &Value) -> Result<Option<Value>, TransformFailure> {
    let to = match text(of, "toType") {
        "int" => "int64",
        to => to,
    };
    let not_read = |text: &str| TransformFailure::NotRead { text: text.to_owned(), to: to.to_owned() };
    let read = |text: &str, read: Option<Value>| read.map(Some).ok_or_else(|| not_read(text));
    let format = text(of, "format");
    let is_plain = matches!(format, "" | "none");
    match (value, to) {
        (Value::String(_), "string") | (Value::Bool(_), "bool") => Ok(Some(value.clone())),
        (Value::Number(number), "int64") if number.is_i64() => Ok(Some(value.clone())),
        (Value::String(text), "int64") if is_plain => read(text, text.parse::<i64>().ok().map(Value::from)),
        (Value::String(text), "bool") if is_plain => read(text, boolean(text)),
        // What Go reads and Rust does not has one of these.
        (Value::String(text), "float64") if is_plain && !text.contains(['x', 'X', '_']) => {
            read(text, text.parse::<f64>().ok().map(Value::from))
        }
        (Value::String(_), "object" | "array") if format == "json" => Ok(None),
        (Value::String(_), "float64") | (Value::Number(_), "float64") => Ok(None),
        (Value::Number(number), "bool") if is_plain => Ok(number.as_i64().map(|number| Value::from(number == 1))),
        (Value::Number(_), "int64") if is_plain => Ok(None),
        (Value::Bool(is_true), "int64" | "float64") if is_plain => Ok(Some(Value::from(i64::from(*is_true)))),
        (Value::Bool(_) | Value::Number(_), "string") if is_plain => Ok(printed(value).map(Value::from)),
        _ => Err(wrong_type("convert", value)),
    }
}

/// Source: Go, strconv, `ParseBool`.
fn boolean(text: &str) -> Option<Value> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(Value::Bool(true)),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(Value::Bool(false)),
        _ => None,
    }
}
