//! Functions of sprig that do not depend on time, chance or the host.
//!
//! Source: `HermeticTxtFuncMap` of Masterminds/sprig v3.

mod codec;
mod fractions;
mod kinds;
mod lists;
mod maps;
mod numbers;
pub(crate) mod of_compositions;
mod paths;
mod semver;
mod signatures;
mod strings;
mod sums;
mod times;
mod words;

use std::sync::Arc;

use gotmpl::{Result, TemplateError, Value, ValueFunc};

pub(crate) use self::maps::with;
use self::signatures::check;
pub(crate) use self::times::duration;
pub use self::times::whole_seconds;
use crate::go;

/// A function of templates.
pub(crate) type SprigFunction = fn(&[Value]) -> Result<Value>;

/// The function of a name, if it is evaluated. It returns Go's errors for values of other types.
pub(crate) fn find(name: &str) -> Option<ValueFunc> {
    let of_name = |name: &str| TABLES.into_iter().flatten().find(|(known, _)| *known == name);
    let rest = name.strip_prefix("must").and_then(|rest| Some((rest.get(..1)?.to_lowercase(), rest.get(1..)?)));
    // Functions with this prefix return an error where the others do not.
    let alias = rest.map(|(first, rest)| first + rest).filter(|name| WITH_MUST.contains(&&**name));
    of_name(alias.as_deref().unwrap_or(name)).map(|(known, function)| guarded(known, *function))
}

const TABLES: [&[(&str, SprigFunction)]; 12] = [
    BASICS,
    fractions::TABLE,
    kinds::TABLE,
    lists::TABLE,
    maps::TABLE,
    numbers::TABLE,
    paths::TABLE,
    semver::TABLE,
    strings::TABLE,
    sums::TABLE,
    times::TABLE,
    words::TABLE,
];

/// A function that is called with arguments that Go accepts and that are not too large.
fn guarded(name: &'static str, function: impl Fn(&[Value]) -> Result<Value> + Send + Sync + 'static) -> ValueFunc {
    Arc::new(move |args| {
        check(name, args)?;
        if is_within_limits(args) { function(args) } else { Err(TemplateError::Write) }
    })
}

/// Functions that also exist with the prefix `must`.
#[rustfmt::skip]
const WITH_MUST: &[&str] = &[
    "append", "chunk", "compact", "deepCopy", "first", "has", "initial", "last", "merge", "mergeOverwrite", "prepend",
    "push", "regexFind", "regexFindAll", "regexMatch", "regexReplaceAll", "regexReplaceAllLiteral", "regexSplit", "rest", "reverse",
    "slice", "toJson", "toPrettyJson", "toRawJson", "uniq", "without",
];

/// The largest arguments of a function, in bytes and values, and the deepest: values can double with every call.
const MAX_SIZE: usize = 1 << 20;
const MAX_DEPTH: usize = 64;

fn is_within_limits(args: &[Value]) -> bool {
    fn charge(value: &Value, depth: usize, left: &mut usize) -> bool {
        let size = if let Value::String(text) = value { text.len() } else { 0 };
        *left = left.saturating_sub(size + 1);
        depth < MAX_DEPTH
            && *left > 0
            && match value {
                Value::List(elements) => elements.iter().all(|element| charge(element, depth + 1, left)),
                Value::Map(fields) => fields.values().all(|field| charge(field, depth + 1, left)),
                _ => true,
            }
    }
    let mut left = MAX_SIZE;
    args.iter().all(|arg| charge(arg, 0, &mut left))
}

/// Functions of sprig that are not evaluated here: they depend on time, chance, the time zone or a key.
#[rustfmt::skip]
pub(crate) const NOT_EVALUATED: &[&str] = &[
    "ago", "bcrypt", "buildCustomCert", "decryptAES", "derivePassword", "encryptAES", "genCA", "genCAWithKey",
    "genPrivateKey", "genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey",
    "htpasswd", "mustDateModify", "mustToDate", "must_date_modify", "randInt", "shuffle", "toDate", "unixEpoch",
];

const BASICS: &[(&str, SprigFunction)] = &[
    ("default", |args| Ok(if is_empty(at(args, 1)) { at(args, 0).clone() } else { at(args, 1).clone() })),
    ("empty", |args| Ok(Value::Bool(is_empty(at(args, 0))))),
    ("coalesce", |args| Ok(args.iter().find(|it| !is_empty(it)).cloned().unwrap_or(Value::Nil))),
    ("ternary", |args| Ok(at(args, usize::from(!at(args, 2).is_truthy())).clone())),
    ("all", |args| Ok(Value::Bool(!args.iter().any(is_empty)))),
    ("any", |args| Ok(Value::Bool(!args.iter().all(is_empty)))),
    ("fail", |args| Err(TemplateError::Exec(text(at(args, 0))))),
    ("print", |args| Ok(string(joined(args)))),
    ("println", |args| Ok(string(args.iter().map(text).collect::<Vec<_>>().join(" ") + "\n"))),
    ("printf", printf),
    ("html", |args| Ok(string(gotmpl::html_escape(&joined(&printable(args)))))),
    ("js", |args| Ok(string(gotmpl::js_escape(&joined(&printable(args)))))),
    ("urlquery", |args| Ok(string(gotmpl::url_encode(&joined(&printable(args)))))),
    ("toJson", to_json),
    ("toRawJson", |args| Ok(string(go::json(at(args, 0)).unwrap_or_default().to_string()))),
    ("toPrettyJson", |args| {
        let json = go::json(at(args, 0)).unwrap_or_default();
        Ok(string(escaped(&serde_json::to_string_pretty(&json).unwrap_or_default())))
    }),
    ("fromJson", |args| from_json(args).or(Ok(Value::Nil))),
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

/// Nil as actions print it.
fn printable(args: &[Value]) -> Vec<Value> {
    let one = |arg: &Value| if matches!(arg, Value::Nil) { string("<no value>") } else { arg.clone() };
    args.iter().map(one).collect()
}

fn to_json(args: &[Value]) -> Result<Value> {
    Ok(string(escaped(&go::json(at(args, 0)).unwrap_or_default().to_string())))
}

/// JSON as Go escapes it.
fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn from_json(args: &[Value]) -> Result<Value> {
    serde_json::from_str(&text(at(args, 0))).map(|json| go::value(&json)).or_else(|error| failed(error.to_string()))
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
fn whole(value: &Value) -> i64 {
    match value {
        Value::String(text) => integer(text).unwrap_or_default(),
        Value::Bool(bool) => i64::from(*bool),
        other => other.as_int().unwrap_or_default(),
    }
}

/// A text as `strconv.ParseInt` reads it in base 0: a prefix, or a leading zero, is the base.
fn integer(text: &str) -> Option<i64> {
    let is_plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let decimal = text
        .split_once('.')
        .filter(|(whole, fraction)| is_plain(whole.strip_prefix(['-', '+']).unwrap_or(whole)) && is_plain(fraction));
    let text = decimal.map_or(text, |(whole, _)| whole);
    let (sign, digits) = text.strip_prefix('-').map_or((1, text.strip_prefix('+').unwrap_or(text)), |rest| (-1, rest));
    const BASES: [(&str, u32); 4] = [("0x", 16), ("0b", 2), ("0o", 8), ("0", 8)];
    let lower = digits.to_lowercase();
    // An underscore separates digits.
    let lower = if lower.contains("__") || lower.starts_with('_') { lower } else { lower.replace('_', "") };
    let (digits, base) = BASES
        .iter()
        .find_map(|(prefix, base)| Some((lower.strip_prefix(prefix).filter(|rest| !rest.is_empty())?, *base)))
        .unwrap_or((&lower, 10));
    i64::from_str_radix(digits, base).ok()?.checked_mul(sign)
}

/// Go's `printf`. Operands of `%v`, and those of a type that their verb does not print, are printed here.
fn printf(args: &[Value]) -> Result<Value> {
    let format = text(at(args, 0));
    let mut operands: Vec<Value> = args.iter().skip(1).cloned().collect();
    let mut written = String::new();
    let mut letters = format.chars();
    let mut next = 0;
    while let Some(letter) = letters.next() {
        written.push(letter);
        if letter != '%' {
            continue;
        }
        let mut flags = String::new();
        let verb = letters.by_ref().find(|letter| {
            let is_flag = !letter.is_alphabetic() && *letter != '%';
            flags.extend(Some(*letter).filter(|_| is_flag));
            !is_flag
        });
        next += flags.matches('*').count();
        let (mut verb, operand) = (verb, operands.get_mut(next).filter(|_| verb != Some('%')));
        if let (Some(letter), Some(operand)) = (verb, operand) {
            next += 1;
            if flags.contains('[') {
                return unknown("printf");
            }
            let is_many = matches!(operand, Value::List(_) | Value::Map(_));
            if letter == 'v' && is_many && !flags.is_empty() {
                return unknown("printf");
            }
            if letter == 'v' && !matches!(operand, Value::Nil) {
                *operand = string(text(operand));
            } else if letter != 'v' && !prints(letter, operand) {
                let kind = match operand {
                    Value::Bool(_) => "bool=",
                    Value::Float(_) => "float64=",
                    Value::String(_) => "string=",
                    Value::Nil => "",
                    _ => return unknown("printf"),
                };
                if !flags.is_empty() || !"bcdeEfFgGoOqst".contains(letter) {
                    return unknown("printf");
                }
                *operand = string(format!("%!{letter}({kind}{})", text(operand)));
                verb = Some('s');
            }
        }
        written.extend(flags.chars().chain(verb));
    }
    let is_plain = |operand: &Value| matches!(operand, Value::Bool(_) | Value::String(_));
    if !operands.iter().skip(next).all(is_plain) {
        return unknown("printf");
    }
    let names = (0..operands.len()).map(|number| format!("a{number}")).collect::<Vec<_>>();
    let source = names.iter().fold("{{ printf .format".to_owned(), |source, name| format!("{source} .{name}")) + " }}";
    let operands = names.iter().map(|name| name.as_str().into()).zip(operands);
    gotmpl::execute(&source, &go::map(operands.chain([("format".into(), string(written))]))).map(string)
}

/// Whether a verb prints values of this type.
fn prints(verb: char, value: &Value) -> bool {
    let verbs = match value {
        Value::Bool(_) => "t",
        Value::Int(_) | Value::Uint(_) => "bcdoOxX",
        Value::Float(_) => "eEfFgG",
        Value::String(_) => "qsxX",
        _ => "",
    };
    verbs.contains(verb)
}

/// That the result of a function for its arguments is not known here.
fn unknown<T>(name: &str) -> Result<T> {
    Err(TemplateError::UndefinedFunction(name.to_owned()))
}

fn failed<T>(message: impl Into<String>) -> Result<T> {
    Err(TemplateError::Exec(message.into()))
}
