//! Spellings of names, and texts that are cut to a width. Of texts that are not ASCII they are not evaluated.
//!
//! Source: huandu/xstrings v1.5 and Masterminds/goutils v1.1, which sprig calls.

use gotmpl::{Result, TemplateError, Value};

use super::{MAX_SIZE, SprigFunction, at, string, text, unknown, whole};

pub(super) const TABLE: &[(&str, SprigFunction)] = &[
    ("snakecase", |args| spelled("snakecase", args, |text| lower_case(text, '_'))),
    ("kebabcase", |args| spelled("kebabcase", args, |text| lower_case(text, '-'))),
    ("camelcase", |args| spelled("camelcase", args, pascal_case)),
    ("swapcase", |args| spelled("swapcase", args, swapped)),
    ("abbrev", |args| cut("abbrev", (0, whole(at(args, 0))), at(args, 1))),
    ("abbrevboth", |args| match (whole(at(args, 0)), whole(at(args, 1))) {
        (left, right) if left > 0 && right < 7 => Ok(at(args, 2).clone()),
        both => cut("abbrevboth", both, at(args, 2)),
    }),
    ("wrap", |args| wrapped("wrap", whole(at(args, 0)), ("", false), at(args, 1))),
    ("wrapWith", |args| wrapped("wrapWith", whole(at(args, 0)), (&text(at(args, 1)), true), at(args, 2))),
    ("plural", |args| Ok(at(args, usize::from(whole(at(args, 2)) != 1)).clone())),
];

fn spelled(name: &str, args: &[Value], spell: impl Fn(&str) -> String) -> Result<Value> {
    let text = text(at(args, 0));
    if text.is_ascii() { Ok(string(spell(&text))) } else { unknown(name) }
}

/// What a part of a name consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NamePart {
    Connectors,
    Punctuation,
    /// Begins with a capital letter.
    Capitals,
    Letters,
    Digits,
    Other,
}

fn part_of(byte: u8) -> NamePart {
    match byte {
        b'-' | b'_' | b' ' | b'\t'..=b'\r' => NamePart::Connectors,
        b'$' | b'+' | b'<'..=b'>' | b'^' | b'`' | b'|' | b'~' => NamePart::Other,
        b'A'..=b'Z' => NamePart::Capitals,
        b'a'..=b'z' => NamePart::Letters,
        b'0'..=b'9' => NamePart::Digits,
        byte if byte.is_ascii_punctuation() => NamePart::Punctuation,
        _ => NamePart::Other,
    }
}

/// The parts of a name: `HTTPServer2` is `HTTP`, `Server`, `2`.
fn parts(name: &str) -> Vec<(NamePart, &str)> {
    let mut found = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.bytes().next() {
        let part = part_of(first);
        let run =
            |from: usize, of: NamePart| from + rest.bytes().skip(from).take_while(|it| part_of(*it) == of).count();
        let length = match (part, run(0, part)) {
            (NamePart::Capitals, 1) => run(1, NamePart::Letters),
            // The last capital begins the next word.
            (NamePart::Capitals, length) if run(length, NamePart::Letters) > length => length - 1,
            (_, length) => length,
        };
        let (word, others) = rest.split_at(length);
        found.push((part, word));
        rest = others;
    }
    found
}

/// Lower case, with a connector between words. Digits belong to the word before, unless letters follow.
fn lower_case(name: &str, connector: char) -> String {
    let parts = parts(name);
    let part = |number: usize| parts.get(number).map(|(part, _)| *part);
    let is_word = |number| !matches!(part(number), None | Some(NamePart::Connectors | NamePart::Punctuation));
    let mut out = String::new();
    let write = |out: &mut String, number: usize| match parts.get(number) {
        Some((NamePart::Connectors, word)) => out.extend(word.chars().map(|_| connector)),
        Some((_, word)) => *out += &word.to_ascii_lowercase(),
        None => {}
    };
    let mut next = 0;
    while next < parts.len() {
        write(&mut out, next);
        let (of, is_last) = (part(next), next + 2 >= parts.len());
        next += 1;
        match (of, part(next)) {
            (_, None) | (Some(NamePart::Connectors | NamePart::Punctuation), _) => continue,
            (Some(NamePart::Digits), _) => {}
            (_, Some(NamePart::Digits)) if is_last => continue,
            (_, Some(NamePart::Digits)) if part(next + 1) == Some(NamePart::Letters) => out.push(connector),
            (_, Some(NamePart::Digits)) => {
                write(&mut out, next);
                next += 1;
                if is_word(next) {
                    out.push(connector);
                }
                continue;
            }
            _ => {
                if is_word(next) {
                    out.push(connector);
                }
                continue;
            }
        }
        while matches!(part(next), Some(NamePart::Letters | NamePart::Digits)) {
            write(&mut out, next);
            next += 1;
        }
        if is_word(next) {
            out.push(connector);
        }
    }
    out
}

/// Every word with a capital, without connectors between words; those at the beginning stay.
fn pascal_case(name: &str) -> String {
    let is_connector = |letter: char| u8::try_from(letter).is_ok_and(|byte| part_of(byte) == NamePart::Connectors);
    let start = name.find(|letter| !is_connector(letter));
    let mut letters = name.get(start.unwrap_or_default()..).unwrap_or_default().chars();
    let mut out = name.get(..start.unwrap_or(name.len())).unwrap_or_default().to_owned();
    if start.is_none() {
        // The last one is written again.
        out.extend(name.chars().last());
        return out;
    }
    let Some(first) = letters.next() else { return out };
    let (mut last, mut is_capital) = (first.to_ascii_uppercase(), first.is_ascii_uppercase());
    for mut letter in letters {
        match (is_connector(last), is_connector(letter)) {
            (true, true) => out.push(last),
            (true, false) => {
                is_capital = letter.is_ascii_uppercase();
                letter = letter.to_ascii_uppercase();
            }
            _ => {
                is_capital &= letter.is_ascii_uppercase();
                if is_capital {
                    letter = letter.to_ascii_lowercase();
                }
                out.push(last);
            }
        }
        last = letter;
    }
    out.push(last);
    out
}

fn swapped(text: &str) -> String {
    let swap = |letter: char| match letter {
        'a'..='z' => letter.to_ascii_uppercase(),
        other => other.to_ascii_lowercase(),
    };
    text.chars().map(swap).collect()
}

/// A text with dots for what is left out before an offset and after a width.
fn cut(name: &str, (offset, width): (i64, i64), of: &Value) -> Result<Value> {
    let all = text(of);
    let (Ok(width), offset) = (usize::try_from(width), usize::try_from(offset).unwrap_or_default()) else {
        return Ok(of.clone());
    };
    if width < 4 {
        return Ok(of.clone());
    }
    if all.is_ascii() { Ok(string(abbreviated(&all, offset, width))) } else { unknown(name) }
}

fn abbreviated(all: &str, offset: usize, width: usize) -> String {
    if all.len() <= width {
        return all.to_owned();
    }
    let inner = width - 3;
    let offset = offset.min(all.len() - inner);
    let part = |from: usize, to: usize| all.get(from..to).unwrap_or_default();
    if offset <= 4 {
        return format!("{}...", part(0, inner));
    }
    match offset + inner < all.len() {
        true => format!("...{}", abbreviated(part(offset, all.len()), 0, inner)),
        false => format!("...{}", part(all.len() - inner, all.len())),
    }
}

/// A text with line breaks between words; `breaks` says with which, and whether longer words are broken too.
fn wrapped(name: &str, width: i64, (line_break, breaks): (&str, bool), of: &Value) -> Result<Value> {
    let all = text(of);
    if !all.is_ascii() {
        return unknown(name);
    }
    let width = usize::try_from(width.max(1)).unwrap_or(usize::MAX);
    let line_break = if line_break.is_empty() { "\n" } else { line_break };
    let mut out = String::new();
    let mut rest = &*all;
    while rest.len() > width && out.len() <= MAX_SIZE {
        if let Some(without) = rest.strip_prefix(' ') {
            rest = without;
            continue;
        }
        let (line, others) = rest.split_at(width);
        // A space right behind the line ends it as well.
        let space = if others.starts_with(' ') { Some(width) } else { line.rfind(' ') };
        let later = || others.find(' ').filter(|_| !breaks).map(|space| width + space);
        let (line, others) = match space.or_else(later) {
            Some(space) => rest.split_at(space),
            None if breaks => (line, others),
            None => break,
        };
        out += line;
        out += line_break;
        rest = others.strip_prefix(' ').unwrap_or(others);
    }
    if out.len() > MAX_SIZE { Err(TemplateError::Write) } else { Ok(string(out + rest)) }
}
