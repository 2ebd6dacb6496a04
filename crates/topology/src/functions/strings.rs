//! Texts.

use gotmpl::{Result, TemplateError, Value};
use regex_lite::Regex;

use super::{SprigFunction, at, elements, failed, list, string, text, whole};
use crate::go;

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("trim", |args| Ok(string(text(at(args, 0)).trim()))),
    ("trimAll", |args| Ok(string(text(at(args, 1)).trim_matches(|c| text(at(args, 0)).contains(c))))),
    ("trimall", |args| Ok(string(text(at(args, 1)).trim_matches(|c| text(at(args, 0)).contains(c))))),
    ("trimPrefix", |args| Ok(string(stripped(args, |text, part| text.strip_prefix(part))))),
    ("trimSuffix", |args| Ok(string(stripped(args, |text, part| text.strip_suffix(part))))),
    ("upper", |args| Ok(string(text(at(args, 0)).to_uppercase()))),
    ("lower", |args| Ok(string(text(at(args, 0)).to_lowercase()))),
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
    ("indent", |args| Ok(string(indent(args)))),
    ("nindent", |args| Ok(string(format!("\n{}", indent(args))))),
    ("toString", |args| Ok(string(text(at(args, 0))))),
    ("toStrings", |args| Ok(list(elements(at(args, 0)).iter().map(|it| string(text(it)))))),
    ("join", |args| Ok(string(join(args)))),
    ("splitList", |args| Ok(list(text(at(args, 1)).split(&text(at(args, 0))).map(string)))),
    ("split", |args| {
        Ok(go::map(
            text(at(args, 1)).split(&text(at(args, 0))).enumerate().map(|(i, it)| (format!("_{i}").into(), string(it))),
        ))
    }),
    ("splitn", |args| {
        let (separator, all) = (text(at(args, 0)), text(at(args, 2)));
        let parts = match usize::try_from(whole(at(args, 1))) {
            Ok(most) => all.splitn(most, &separator).collect::<Vec<_>>(),
            Err(_) => all.split(&separator).collect(),
        };
        Ok(go::map(parts.into_iter().enumerate().map(|(i, it)| (format!("_{i}").into(), string(it)))))
    }),
    ("nospace", |args| Ok(string(text(at(args, 0)).split_whitespace().collect::<String>()))),
    ("initials", |args| {
        Ok(string(text(at(args, 0)).split_whitespace().filter_map(|word| word.chars().next()).collect::<String>()))
    }),
    ("untitle", |args| Ok(string(untitle(&text(at(args, 0)))))),
    ("trunc", |args| Ok(string(trunc(whole(at(args, 0)), &text(at(args, 1)))))),
    ("substr", |args| Ok(string(substr(whole(at(args, 0)), whole(at(args, 1)), &text(at(args, 2)))))),
    ("b64enc", |args| Ok(string(encoded(text(at(args, 0)).as_bytes())))),
    ("b64dec", |args| Ok(string(decoded(&text(at(args, 0)))))),
    ("regexMatch", |args| Ok(Value::Bool(regex(at(args, 0))?.is_match(&text(at(args, 1)))))),
    ("regexFind", |args| Ok(string(regex(at(args, 0))?.find(&text(at(args, 1))).map_or("", |found| found.as_str())))),
    ("regexReplaceAll", |args| Ok(string(regex(at(args, 0))?.replace_all(&text(at(args, 1)), &*text(at(args, 2)))))),
    ("regexReplaceAllLiteral", |args| {
        Ok(string(regex(at(args, 0))?.replace_all(&text(at(args, 1)), regex_lite::NoExpand(&text(at(args, 2))))))
    }),
    ("regexSplit", regex_split),
];

/// The largest text that `repeat` makes.
const MAX_REPEATED: usize = 1 << 20;

fn repeat(args: &[Value]) -> Result<Value> {
    let (count, part) = (usize::try_from(whole(at(args, 0))), text(at(args, 1)));
    match count {
        Ok(count) if part.len().saturating_mul(count) <= MAX_REPEATED => Ok(string(part.repeat(count))),
        _ => Err(TemplateError::Write),
    }
}

fn regex(pattern: &Value) -> Result<Regex> {
    Regex::new(&text(pattern)).or_else(|error| failed(error.to_string()))
}

fn regex_split(args: &[Value]) -> Result<Value> {
    let (all, limit) = (text(at(args, 1)), whole(at(args, 2)));
    let regex = regex(at(args, 0))?;
    Ok(match usize::try_from(limit) {
        Ok(limit) => list(regex.splitn(&all, limit).map(string)),
        Err(_) => list(regex.split(&all).map(string)),
    })
}

fn stripped(args: &[Value], strip: impl for<'t> Fn(&'t str, &str) -> Option<&'t str>) -> String {
    let (part, all) = (text(at(args, 0)), text(at(args, 1)));
    strip(&all, &part).unwrap_or(&all).to_owned()
}

fn title(all: &str) -> String {
    let mut is_start = true;
    let letter = |letter: char| {
        let is_first = std::mem::replace(&mut is_start, letter.is_whitespace());
        if is_first { letter.to_uppercase().to_string() } else { letter.to_string() }
    };
    all.chars().map(letter).collect()
}

fn untitle(all: &str) -> String {
    let mut is_start = true;
    let letter = |letter: char| {
        let is_first = std::mem::replace(&mut is_start, letter.is_whitespace());
        if is_first { letter.to_lowercase().to_string() } else { letter.to_string() }
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
            letter if letter.is_control() && u32::from(letter) < 0x80 => {
                out += &format!("\\x{:02x}", u32::from(letter))
            }
            letter => out.push(letter),
        }
    }
    out + "\""
}

fn indent(args: &[Value]) -> String {
    let pad = " ".repeat(usize::try_from(whole(at(args, 0))).unwrap_or_default().min(1000));
    format!("{pad}{}", text(at(args, 1)).replace('\n', &format!("\n{pad}")))
}

fn join(args: &[Value]) -> String {
    let separator = text(at(args, 0));
    match at(args, 1) {
        Value::List(elements) => {
            let texts = elements.iter().filter(|it| !matches!(it, Value::Nil)).map(text);
            texts.collect::<Vec<_>>().join(&separator)
        }
        other => text(other),
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

fn substr(start: i64, end: i64, all: &str) -> String {
    let start = usize::try_from(start).unwrap_or_default();
    let end = usize::try_from(end).unwrap_or(all.len()).min(all.len());
    String::from_utf8_lossy(all.as_bytes().get(start..end).unwrap_or_default()).into_owned()
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn encoded(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |number: usize| u32::from(chunk.get(number).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let index = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap_or_default();
            let letter = ALPHABET.get(index).copied().map_or('=', char::from);
            out.push(if place <= chunk.len() { letter } else { '=' });
        }
    }
    out
}

/// The bytes of a base64 text as text; what is not base64 is Go's error, as sprig returns it.
fn decoded(all: &str) -> String {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    let digits = all.trim_end_matches('=').bytes().filter(|byte| !matches!(byte, b'\r' | b'\n'));
    for (position, byte) in digits.enumerate() {
        let Some(digit) = ALPHABET.iter().position(|known| *known == byte) else {
            return format!("illegal base64 data at input byte {position}");
        };
        bits = bits << 6 | u32::try_from(digit).unwrap_or_default();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 255).unwrap_or_default());
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
