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
pub(crate) type SprigFunction = fn(&[Value]) -> Result<Value>;

/// The functions that are evaluated.
pub(crate) fn table() -> impl Iterator<Item = (&'static str, SprigFunction)> {
    let tables = [BASICS, strings::TABLE, lists::TABLE, maps::TABLE, numbers::TABLE, semver::TABLE];
    tables.into_iter().flatten().copied()
}

/// The function of a name.
pub(crate) fn find(name: &str) -> Option<SprigFunction> {
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
    "b32dec",
    "b32enc",
    "base",
    "bcrypt",
    "buildCustomCert",
    "camelcase",
    "chunk",
    "clean",
    "decryptAES",
    "deepCopy",
    "deepEqual",
    "derivePassword",
    "dig",
    "dir",
    "divf",
    "duration",
    "durationRound",
    "encryptAES",
    "ext",
    "genCA",
    "genCAWithKey",
    "genPrivateKey",
    "genSelfSignedCert",
    "genSelfSignedCertWithKey",
    "genSignedCert",
    "genSignedCertWithKey",
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
    "mustAppend",
    "mustChunk",
    "mustCompact",
    "mustDateModify",
    "mustDeepCopy",
    "mustFirst",
    "mustHas",
    "mustInitial",
    "mustLast",
    "mustMerge",
    "mustMergeOverwrite",
    "mustPrepend",
    "mustPush",
    "mustRegexFind",
    "mustRegexFindAll",
    "mustRegexReplaceAll",
    "mustRegexReplaceAllLiteral",
    "mustRegexSplit",
    "mustRest",
    "mustReverse",
    "mustSlice",
    "mustToDate",
    "mustToPrettyJson",
    "mustToRawJson",
    "mustUniq",
    "mustWithout",
    "must_date_modify",
    "nospace",
    "osBase",
    "osClean",
    "osDir",
    "osExt",
    "osIsAbs",
    "plural",
    "randInt",
    "regexFindAll",
    "regexQuoteMeta",
    "round",
    "seq",
    "set",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shuffle",
    "snakecase",
    "splitn",
    "subf",
    "swapcase",
    "toDate",
    "toDecimal",
    "toPrettyJson",
    "toRawJson",
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
];

const BASICS: &[(&str, SprigFunction)] = &[
    ("default", |args| Ok(if is_empty(at(args, 1)) { at(args, 0).clone() } else { at(args, 1).clone() })),
    ("empty", |args| Ok(Value::Bool(is_empty(at(args, 0))))),
    ("coalesce", |args| Ok(args.iter().find(|it| !is_empty(it)).cloned().unwrap_or(Value::Nil))),
    ("ternary", |args| Ok(at(args, usize::from(!at(args, 2).is_truthy())).clone())),
    ("fail", |args| Err(TemplateError::Exec(text(at(args, 0))))),
    ("print", |args| Ok(string(joined(args)))),
    ("println", |args| Ok(string(args.iter().map(text).collect::<Vec<_>>().join(" ") + "\n"))),
    ("printf", printf),
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
fn whole(value: &Value) -> i64 {
    match value {
        Value::String(text) => integer(text).unwrap_or_default(),
        Value::Bool(bool) => i64::from(*bool),
        other => other.as_int().unwrap_or_default(),
    }
}

/// A text as `strconv.ParseInt` reads it in base 0: a prefix, or a leading zero, is the base.
fn integer(text: &str) -> Option<i64> {
    let text =
        text.split_once('.').filter(|(_, zeros)| zeros.trim_matches('0').is_empty()).map_or(text, |(whole, _)| whole);
    let (sign, digits) = text.strip_prefix('-').map_or((1, text.strip_prefix('+').unwrap_or(text)), |rest| (-1, rest));
    const BASES: [(&str, u32); 4] = [("0x", 16), ("0b", 2), ("0o", 8), ("0", 8)];
    let lower = digits.to_lowercase();
    let (digits, base) = BASES
        .iter()
        .find_map(|(prefix, base)| Some((lower.strip_prefix(prefix).filter(|rest| !rest.is_empty())?, *base)))
        .unwrap_or((&lower, 10));
    i64::from_str_radix(digits, base).ok()?.checked_mul(sign)
}

/// Go's `printf`. Operands of `%v` are printed here, because numbers of that verb get an exponent.
fn printf(args: &[Value]) -> Result<Value> {
    let format = text(at(args, 0));
    let mut operands: Vec<Value> = args.iter().skip(1).cloned().collect();
    let mut letters = format.chars();
    let mut next = 0;
    while letters.by_ref().any(|letter| letter == '%') {
        for letter in letters.by_ref() {
            match letter {
                '*' => next += 1,
                '%' => break,
                letter if letter.is_alphabetic() => {
                    let operand =
                        operands.get_mut(next).filter(|operand| letter == 'v' && !matches!(operand, Value::Nil));
                    if let Some(operand) = operand {
                        *operand = string(text(operand));
                    }
                    next += 1;
                    break;
                }
                _ => {}
            }
        }
    }
    let names = (0..operands.len()).map(|number| format!("a{number}")).collect::<Vec<_>>();
    let source = names.iter().fold("{{ printf .format".to_owned(), |source, name| format!("{source} .{name}")) + " }}";
    let operands = names.iter().map(|name| name.as_str().into()).zip(operands);
    gotmpl::execute(&source, &go::map(operands.chain([("format".into(), string(format))]))).map(string)
}

fn failed<T>(message: impl Into<String>) -> Result<T> {
    Err(TemplateError::Exec(message.into()))
}
