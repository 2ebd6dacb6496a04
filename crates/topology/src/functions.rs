//! Functions of sprig that do not depend on time, chance or the host.
//!
//! Source: `HermeticTxtFuncMap` of Masterminds/sprig v3.

mod lists;
mod maps;
mod numbers;
mod semver;
mod strings;

use gotmpl::{Result, TemplateError, Value};

use crate::go;

/// A function of templates.
pub(crate) type Function = fn(&[Value]) -> Result<Value>;

/// The functions that are evaluated.
pub(crate) fn table() -> impl Iterator<Item = (&'static str, Function)> {
    let tables = [BASICS, strings::TABLE, lists::TABLE, maps::TABLE, numbers::TABLE, semver::TABLE];
    tables.into_iter().flatten().copied()
}

/// The function of a name.
pub(crate) fn find(name: &str) -> Option<Function> {
    table().find(|(known, _)| *known == name).map(|(_, function)| function)
}

/// Functions that Cluster API admits and that are not evaluated here.
pub(crate) const NOT_EVALUATED: &[&str] = &[
    "abbrev",
    "abbrevboth",
    "add1f",
    "addf",
    "adler32sum",
    "ago",
    "all",
    "any",
    "base",
    "bcrypt",
    "chunk",
    "clean",
    "deepCopy",
    "deepEqual",
    "derivePassword",
    "dig",
    "dir",
    "divf",
    "duration",
    "durationRound",
    "ext",
    "hello",
    "htpasswd",
    "initials",
    "isAbs",
    "kebabcase",
    "kindIs",
    "kindOf",
    "maxf",
    "merge",
    "mergeOverwrite",
    "minf",
    "mulf",
    "mustDeepCopy",
    "mustMerge",
    "mustMergeOverwrite",
    "mustToDate",
    "must_date_modify",
    "mustDateModify",
    "nospace",
    "osBase",
    "osClean",
    "osDir",
    "osExt",
    "osIsAbs",
    "plural",
    "randBytes",
    "regexFindAll",
    "regexQuoteMeta",
    "round",
    "seq",
    "set",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shuffle",
    "subf",
    "swapcase",
    "toDate",
    "toDecimal",
    "toPrettyJson",
    "toRawJson",
    "mustToPrettyJson",
    "mustToRawJson",
    "tuple",
    "typeIs",
    "typeIsLike",
    "typeOf",
    "unixEpoch",
    "unset",
    "untitle",
    "urlJoin",
    "urlParse",
    "wrap",
    "wrapWith",
    "camelcase",
    "snakecase",
    "b32enc",
    "b32dec",
    "semverMajor",
    "splitn",
    "decryptAES",
    "encryptAES",
    "mustRegexFindAll",
    "mustChunk",
    "date",
    "now",
];

const BASICS: &[(&str, Function)] = &[
    ("default", |args| Ok(if is_empty(at(args, 1)) { at(args, 0).clone() } else { at(args, 1).clone() })),
    ("empty", |args| Ok(Value::Bool(is_empty(at(args, 0))))),
    ("coalesce", |args| Ok(args.iter().find(|it| !is_empty(it)).cloned().unwrap_or(Value::Nil))),
    ("ternary", |args| Ok(at(args, usize::from(!at(args, 2).is_truthy())).clone())),
    ("fail", |args| Err(TemplateError::Exec(text(at(args, 0))))),
    ("print", |args| Ok(string(joined(args)))),
    ("println", |args| Ok(string(args.iter().map(text).collect::<Vec<_>>().join(" ") + "\n"))),
    ("toJson", to_json),
    ("mustToJson", to_json),
    ("fromJson", from_json),
    ("mustFromJson", from_json),
];

/// Go's `fmt.Sprint`: a space between operands when neither is a string.
fn joined(args: &[Value]) -> String {
    let mut out = String::new();
    let mut was_text = true;
    for arg in args {
        let is_text = matches!(arg, Value::String(_));
        if !out.is_empty() && !was_text && !is_text {
            out.push(' ');
        }
        out += &text(arg);
        was_text = is_text;
    }
    out
}

fn to_json(args: &[Value]) -> Result<Value> {
    let json = go::json(at(args, 0)).unwrap_or_default().to_string();
    Ok(string(json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")))
}

fn from_json(args: &[Value]) -> Result<Value> {
    serde_json::from_str(&text(at(args, 0))).map(|json| go::value(&json)).or(Ok(Value::Nil))
}

/// One argument; nil if there are fewer.
fn at(args: &[Value], number: usize) -> &Value {
    args.get(number).unwrap_or(&Value::Nil)
}

fn string(text: impl AsRef<str>) -> Value {
    Value::String(text.as_ref().into())
}

/// A value as sprig makes a string of it.
fn text(value: &Value) -> String {
    match value {
        Value::Nil => "<nil>".to_owned(),
        value => go::printed(value),
    }
}

fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value::List(values.into_iter().collect())
}

fn elements(value: &Value) -> &[Value] {
    if let Value::List(elements) = value { elements } else { &[] }
}

fn is_empty(value: &Value) -> bool {
    !value.is_truthy()
}

/// A whole number, from numbers and from texts.
#[expect(clippy::cast_possible_truncation, reason = "as Go converts it")]
fn whole(value: &Value) -> i64 {
    match value {
        Value::String(text) => text.parse().unwrap_or_else(|_| text.parse::<f64>().map_or(0, |number| number as i64)),
        Value::Bool(bool) => i64::from(*bool),
        other => other.as_int().unwrap_or_default(),
    }
}

fn failed<T>(message: impl Into<String>) -> Result<T> {
    Err(TemplateError::Exec(message.into()))
}
