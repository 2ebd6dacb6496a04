//! Texts.

use gotmpl::{Result, TemplateError, Value};
use regex_lite::Regex;

use super::codec::BASE64;
use super::{SprigFunction, at, failed, list, string, text, unknown, whole};
use crate::go;

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("trim", |args| Ok(string(text(at(args, 0)).trim()))),
    ("trimAll", |args| Ok(string(text(at(args, 1)).trim_matches(|c| text(at(args, 0)).contains(c))))),
    ("trimall", |args| Ok(string(text(at(args, 1)).trim_matches(|c| text(at(args, 0)).contains(c))))),
    ("trimPrefix", |args| Ok(string(stripped(args, |text, part| text.strip_prefix(part))))),
    ("trimSuffix", |args| Ok(string(stripped(args, |text, part| text.strip_suffix(part))))),
    ("upper", |args| Ok(string(text(at(args, 0)).chars().map(upper).collect::<String>()))),
    ("lower", |args| Ok(string(text(at(args, 0)).chars().map(lower).collect::<String>()))),
    ("title", |args| Ok(string(title(&text(at(args, 0)))))),
    ("repeat", repeat),
    ("replace", |args| Ok(string(text(at(args, 2)).replace(&text(at(args, 0)), &text(at(args, 1)))))),
    ("contains", |args| Ok(Value::Bool(text(at(args, 1)).contains(&text(at(args, 0)))))),
    ("hasPrefix", |args| Ok(Value::Bool(text(at(args, 1)).starts_with(&text(at(args, 0)))))),
    ("hasSuffix", |args| Ok(Value::Bool(text(at(args, 1)).ends_with(&text(at(args, 0)))))),
    ("quote", |args| Ok(string(quoted(args, go_quoted)))),
    ("squote", |args| Ok(string(quoted(args, |text| format!("'{text}'"))))),
    ("cat", |args| {
        Ok(string(args.iter().filter(|it| !matches!(it, Value::Nil)).map(text).collect::<Vec<_>>().join(" ")))
    }),
    ("indent", |args| Ok(string(indent(args)?))),
    ("nindent", |args| Ok(string(format!("\n{}", indent(args)?)))),
    ("toString", |args| Ok(string(text(at(args, 0))))),
    ("toStrings", |args| Ok(list(texts(at(args, 0)).into_iter().map(string)))),
    ("join", |args| Ok(string(texts(at(args, 1)).join(&text(at(args, 0)))))),
    ("splitList", |args| Ok(list(split(&text(at(args, 0)), -1, &text(at(args, 1))).into_iter().map(string)))),
    ("split", |args| Ok(numbered(split(&text(at(args, 0)), -1, &text(at(args, 1)))))),
    ("splitn", |args| Ok(numbered(split(&text(at(args, 0)), whole(at(args, 1)), &text(at(args, 2)))))),
    ("nospace", |args| Ok(string(text(at(args, 0)).split_whitespace().collect::<String>()))),
    ("initials", |args| {
        Ok(string(text(at(args, 0)).split_whitespace().filter_map(|word| word.chars().next()).collect::<String>()))
    }),
    ("untitle", |args| Ok(string(untitle(&text(at(args, 0)))))),
    ("trunc", |args| Ok(string(trunc(whole(at(args, 0)), &text(at(args, 1)))))),
    ("substr", |args| match substr(whole(at(args, 0)), whole(at(args, 1)), text(at(args, 2)).as_bytes()) {
        Some(bytes) => Ok(string(String::from_utf8_lossy(bytes))),
        None => failed("slice bounds out of range"),
    }),
    ("b64enc", |args| Ok(string(BASE64.encoded(text(at(args, 0)).as_bytes())))),
    ("b64dec", |args| match BASE64.decoded(&text(at(args, 0))).map(String::from_utf8) {
        Some(Ok(text)) => Ok(string(text)),
        // The text of Go's error, or bytes that are no text.
        _ => unknown("b64dec"),
    }),
    ("regexMatch", |args| Ok(Value::Bool(regex("regexMatch", at(args, 0))?.is_match(&text(at(args, 1)))))),
    ("regexFind", |args| {
        let regex = regex("regexFind", at(args, 0))?;
        Ok(string(regex.find(&text(at(args, 1))).map_or("", |found| found.as_str())))
    }),
    ("regexFindAll", |args| {
        let (regex, all) = (regex("regexFindAll", at(args, 0))?, text(at(args, 1)));
        let most = usize::try_from(whole(at(args, 2))).unwrap_or(usize::MAX);
        Ok(list(regex.find_iter(&all).take(most).map(|found| string(found.as_str()))))
    }),
    ("regexQuoteMeta", |args| Ok(string(quoted_meta(&text(at(args, 0)))))),
    ("regexReplaceAll", |args| {
        let regex = regex("regexReplaceAll", at(args, 0))?;
        Ok(string(regex.replace_all(&text(at(args, 1)), &*text(at(args, 2)))))
    }),
    ("regexReplaceAllLiteral", |args| {
        let regex = regex("regexReplaceAllLiteral", at(args, 0))?;
        Ok(string(regex.replace_all(&text(at(args, 1)), regex_lite::NoExpand(&text(at(args, 2))))))
    }),
    ("regexSplit", regex_split),
    ("hello", |_| Ok(string("Hello!"))),
];

/// The largest text that `repeat` makes.
const MAX_REPEATED: usize = 1 << 20;

fn repeat(args: &[Value]) -> Result<Value> {
    let (count, part) = (usize::try_from(whole(at(args, 0))), text(at(args, 1)));
    match count {
        Ok(count) if part.len().saturating_mul(count) <= MAX_REPEATED => Ok(string(part.repeat(count))),
        Ok(_) => Err(TemplateError::Write),
        Err(_) => failed("strings: negative Repeat count"),
    }
}

/// A pattern. Go knows some that are not known here, such as classes of Unicode.
fn regex(name: &str, pattern: &Value) -> Result<Regex> {
    Regex::new(&text(pattern)).or_else(|_| unknown(name))
}

fn quoted_meta(all: &str) -> String {
    let letter = |letter: char| match letter {
        letter if "\\.+*?()|[]{}^$".contains(letter) => format!("\\{letter}"),
        letter => letter.to_string(),
    };
    all.chars().map(letter).collect()
}

/// The texts between matches; an empty match at the beginning is none.
fn regex_split(args: &[Value]) -> Result<Value> {
    let (all, limit) = (text(at(args, 1)), whole(at(args, 2)));
    let regex = regex("regexSplit", at(args, 0))?;
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let (mut parts, mut begin, mut end) = (Vec::new(), 0, 0);
    for found in regex.find_iter(&all).take(most) {
        if parts.len() + 1 >= most {
            break;
        }
        end = found.start();
        if found.end() != 0 {
            parts.push(all.get(begin..end).unwrap_or_default());
        }
        begin = found.end();
    }
    if end != all.len() || all.is_empty() {
        parts.push(all.get(begin..).unwrap_or_default());
    }
    Ok(list(if limit == 0 { Vec::new() } else { parts }.into_iter().map(string)))
}

/// The parts between separators; without one, every letter.
fn split<'t>(separator: &str, limit: i64, all: &'t str) -> Vec<&'t str> {
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    if !separator.is_empty() {
        return all.splitn(most, separator).collect();
    }
    let mut parts: Vec<&str> = all.split("").filter(|letter| !letter.is_empty()).collect();
    if let Some(last) = parts.len().checked_sub(most) {
        let kept: usize = parts.iter().take(most.saturating_sub(1)).map(|letter| letter.len()).sum();
        parts.truncate(parts.len() - last);
        if let Some(last) = parts.last_mut() {
            *last = all.get(kept..).unwrap_or_default();
        }
    }
    parts
}

fn numbered(parts: Vec<&str>) -> Value {
    go::map(parts.into_iter().enumerate().map(|(number, part)| (format!("_{number}").into(), string(part))))
}

/// A letter whose upper case is one letter, in upper case.
fn upper(letter: char) -> char {
    let mut all = letter.to_uppercase();
    all.next().filter(|_| all.next().is_none()).unwrap_or(letter)
}

fn lower(letter: char) -> char {
    let mut all = letter.to_lowercase();
    all.next().filter(|_| all.next().is_none()).unwrap_or(letter)
}

fn stripped(args: &[Value], strip: impl for<'t> Fn(&'t str, &str) -> Option<&'t str>) -> String {
    let (part, all) = (text(at(args, 0)), text(at(args, 1)));
    strip(&all, &part).unwrap_or(&all).to_owned()
}

/// Every word with a capital. Words end at everything but letters, digits and underscores.
fn title(all: &str) -> String {
    let mut is_start = true;
    let ends = |letter: char| match letter.is_ascii() {
        true => !letter.is_ascii_alphanumeric() && letter != '_',
        false => !letter.is_alphanumeric() && letter.is_whitespace(),
    };
    let letter = |letter| if std::mem::replace(&mut is_start, ends(letter)) { upper(letter) } else { letter };
    all.chars().map(letter).collect()
}

fn untitle(all: &str) -> String {
    let mut is_start = true;
    let letter = |letter: char| {
        let is_first = std::mem::replace(&mut is_start, letter.is_whitespace());
        if is_first { lower(letter) } else { letter }
    };
    all.chars().map(letter).collect()
}

fn quoted(args: &[Value], quote: impl Fn(&str) -> String) -> String {
    args.iter().filter(|it| !matches!(it, Value::Nil)).map(|it| quote(&text(it))).collect::<Vec<_>>().join(" ")
}

/// A text as Go's `%q` prints it.
fn go_quoted(all: &str) -> String {
    let mut out = "\"".to_owned();
    for letter in all.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            '\u{7}' => out += "\\a",
            '\u{8}' => out += "\\b",
            '\u{b}' => out += "\\v",
            '\u{c}' => out += "\\f",
            letter if letter.is_ascii_control() => out += &format!("\\x{:02x}", u32::from(letter)),
            letter if letter.is_control() || letter.is_whitespace() && letter != ' ' || letter == '\u{feff}' => {
                out += &format!("\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out + "\""
}

fn indent(args: &[Value]) -> Result<String> {
    let Ok(width) = usize::try_from(whole(at(args, 0))) else { return failed("strings: negative Repeat count") };
    let all = text(at(args, 1));
    let lines = all.matches('\n').count() + 1;
    if width.saturating_mul(lines) > MAX_REPEATED {
        return Err(TemplateError::Write);
    }
    let pad = " ".repeat(width);
    Ok(format!("{pad}{}", all.replace('\n', &format!("\n{pad}"))))
}

/// The elements of a list as texts, without nil; a single text of everything else.
pub(super) fn texts(of: &Value) -> Vec<String> {
    match of {
        Value::List(elements) => elements.iter().filter(|it| !matches!(it, Value::Nil)).map(text).collect(),
        Value::Nil => Vec::new(),
        other => vec![text(other)],
    }
}

/// The first bytes, or the last ones of a negative length.
fn trunc(length: i64, all: &str) -> String {
    let wanted = usize::try_from(length.unsigned_abs()).unwrap_or(usize::MAX);
    if wanted >= all.len() {
        return all.to_owned();
    }
    let bytes = if length < 0 { all.as_bytes().get(all.len() - wanted..) } else { all.as_bytes().get(..wanted) };
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

/// The bytes from `start` to `end`; a negative one is the start or the end of the text.
fn substr(start: i64, end: i64, all: &[u8]) -> Option<&[u8]> {
    match (usize::try_from(start), usize::try_from(end)) {
        (Err(_), Ok(end)) => all.get(..end),
        (Err(_), Err(_)) => None,
        (Ok(start), Ok(end)) if end <= all.len() => all.get(start..end),
        (Ok(start), _) => all.get(start..),
    }
}
