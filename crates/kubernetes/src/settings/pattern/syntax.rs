//! What Go and Rust both read, and read the same way: a scan of an expression, without compiling it.

use std::fmt;
use std::mem;

use super::PatternError;

/// Rejects what Go rejects, and what Go and Rust read differently.
///
/// # Errors
/// Names the byte, and what to write instead.
pub(super) fn check(source: &str) -> Result<(), PatternError> {
    Scan { source, rest: source, level: PatternGroup::new(0), outer: Vec::new() }.run()
}

/// The bound of Go's `repeat` on one count and on the product of nested ones.
const MOST_COPIES: u32 = 1000;
/// Expressions up to this length stay below Go's own limits on height and size (`maxHeight`, `maxSize`).
const MOST_BYTES: usize = 1000;
/// Go's `posixGroup`, Rust's `ClassAsciiKind`.
const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];
/// Rust reads each as an operation on sets, or `--` after `[` as two hyphens; Go reads characters and ranges.
const SET_OPERATIONS: [&str; 3] = ["&&", "--", "~~"];
/// After a backslash, what Go and Rust read differently or one of them not at all; the first match counts.
const ESCAPES: [(&str, &str); 6] = [
    ("pP", "Unicode properties are not available: write ASCII, as in `[A-Za-z]`"),
    ("QE", "Rust has no quoting: write `\\` before each special character"),
    ("0123456789", "octal escapes and backreferences are not supported: write `\\x` and two hexadecimal digits"),
    ("uU", "Go has no such escape: write `\\x` and two hexadecimal digits"),
    ("C", "Go has no such escape: write `.`"),
    ("<>", "a word boundary in Rust, but the character itself in Go: write it without `\\`"),
];

/// What a repetition would apply to, with the largest product of the nested repeat counts in it.
#[derive(Clone, Copy)]
enum Last {
    Nothing,
    Atom(u32),
    Repeat(u32),
}

/// The group that is being read, or the expression itself.
struct PatternGroup {
    open: usize,
    last: Last,
    copies: u32,
}

impl PatternGroup {
    fn new(open: usize) -> Self {
        PatternGroup { open, last: Last::Nothing, copies: 1 }
    }

    fn then(&mut self, next: Last) {
        if let Last::Atom(copies) | Last::Repeat(copies) = mem::replace(&mut self.last, next) {
            self.copies = self.copies.max(copies);
        }
    }
}

struct Scan<'a> {
    source: &'a str,
    rest: &'a str,
    level: PatternGroup,
    outer: Vec<PatternGroup>,
}

impl<'a> Scan<'a> {
    fn run(mut self) -> Result<(), PatternError> {
        if let Some(at) = self.source.find(|c: char| !c.is_ascii()) {
            return self.refuse(at, "keys contain only ASCII characters: remove the non-ASCII character");
        }
        if self.source.len() > MOST_BYTES {
            return self.refuse(MOST_BYTES, format!("more than {MOST_BYTES} bytes: split it into several entries"));
        }
        while let (at, Some(c)) = (self.at(), self.next()) {
            match c {
                '(' => self.group(at)?,
                ')' => {
                    let Some(outer) = self.outer.pop() else {
                        return self.refuse_as(at, "`)` has no matching `(`: write `\\)` for the character", true);
                    };
                    self.level.then(Last::Nothing);
                    let copies = mem::replace(&mut self.level, outer).copies;
                    self.level.then(Last::Atom(copies));
                }
                '|' => self.level.then(Last::Nothing),
                '*' => self.repeat(at, 0, None)?,
                '+' => self.repeat(at, 1, None)?,
                '?' => self.repeat(at, 0, Some(1))?,
                '{' => self.counted_repeat(at)?,
                '[' => {
                    self.class(at)?;
                    self.level.then(Last::Atom(1));
                }
                '\\' => {
                    self.escape(at, "AzbB")?;
                    self.level.then(Last::Atom(1));
                }
                _ => self.level.then(Last::Atom(1)),
            }
        }
        if self.outer.is_empty() { Ok(()) } else { self.refuse_as(self.level.open, "`(` is not closed: add `)`", true) }
    }

    fn at(&self) -> usize {
        self.source.len() - self.rest.len()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Rust rejects it, or reads it differently.
    fn refuse<T>(&self, at: usize, reason: impl fmt::Display) -> Result<T, PatternError> {
        self.refuse_as(at, reason, false)
    }

    /// Go rejects it as well, if `is_gos`. Everything before it is read as Go reads it.
    fn refuse_as<T>(&self, at: usize, reason: impl fmt::Display, is_gos: bool) -> Result<T, PatternError> {
        Err(PatternError { expression: self.source.to_owned(), reason: format!("at byte {at}: {reason}"), is_gos })
    }

    fn group(&mut self, at: usize) -> Result<(), PatternError> {
        if self.eat("?P<") || self.eat("?<") {
            // Go lets a name begin with a digit, Rust lets it hold `.`, `[` and `]`.
            let (name, rest) = self.rest.split_once('>').unwrap_or_default();
            let is_gos = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if !is_gos || name.starts_with(|c: char| c.is_ascii_digit()) {
                return self.refuse_as(
                    at,
                    "a group name must consist of ASCII letters, digits and `_`, and must not start with a digit",
                    !is_gos,
                );
            }
            self.rest = rest;
        } else if self.eat("?") {
            let empty = self.rest.starts_with(')');
            self.rest = self.rest.trim_start_matches(['i', 'm', 's', 'U', '-']);
            if !empty && self.eat(")") {
                // A repetition after it: Go repeats what is before the flags, Rust rejects it.
                self.level.then(Last::Nothing);
                return Ok(());
            }
            if !self.eat(":") {
                return self.refuse_as(
                    at,
                    "`(?` must be followed by flags from `imsU` or `-`, then `:` or `)`",
                    !empty,
                );
            }
        }
        self.outer.push(mem::replace(&mut self.level, PatternGroup::new(at)));
        Ok(())
    }

    /// Go reads every other `{` as a character; Rust accepts white space inside and, after `\b`, names of boundaries.
    fn counted_repeat(&mut self, at: usize) -> Result<(), PatternError> {
        let (counts, rest) = self.rest.split_once('}').unwrap_or_default();
        let (least, most) = counts.split_once(',').map_or((counts, counts), |(least, most)| (least, most));
        let (Some(min), Some(max)) = (count(least), if most.is_empty() { Some(None) } else { count(most).map(Some) })
        else {
            return self.refuse(at, "`{` does not start a valid repetition in Go: write `\\{` for the character");
        };
        if min.max(max.unwrap_or(0)) > MOST_COPIES || max.is_some_and(|max| max < min) {
            return self.refuse_as(
                at,
                format!("repetition counts must be at most {MOST_COPIES}, and the first must not exceed the second"),
                true,
            );
        }
        self.rest = rest;
        self.repeat(at, min, max)
    }

    fn repeat(&mut self, at: usize, min: u32, max: Option<u32>) -> Result<(), PatternError> {
        self.eat("?");
        let copies = match self.level.last {
            Last::Nothing => {
                let is_after_flags = self.source.get(..at).is_some_and(|before| before.ends_with(')'));
                return self.refuse_as(
                    at,
                    "there is nothing before it to repeat: write `\\` before the character",
                    !is_after_flags,
                );
            }
            Last::Repeat(_) => {
                return self.refuse_as(
                    at,
                    "Go does not allow a repeated repetition: wrap the inner one in `(?:…)`",
                    true,
                );
            }
            // Go does not check below a repetition that makes no copy.
            Last::Atom(_) if max == Some(0) => 1,
            Last::Atom(inner) => inner * max.unwrap_or(min).max(1),
        };
        if copies > MOST_COPIES {
            return self.refuse(
                at,
                format!("nested repetitions expand to {copies} copies, but Go allows at most {MOST_COPIES}"),
            );
        }
        self.level.last = Last::Repeat(copies);
        Ok(())
    }

    /// Whether the escape is one character, as the end of a range must be. `others` are the letters allowed in addition
    /// to those that are allowed everywhere.
    fn escape(&mut self, at: usize, others: &str) -> Result<bool, PatternError> {
        let Some(c) = self.next() else {
            return self.refuse_as(at, "nothing follows `\\`: write `\\\\` for the character", true);
        };
        if let Some((_, reason)) = ESCAPES.iter().find(|(escapes, _)| escapes.contains(c)) {
            let is_gos = match c {
                'C' | 'u' | 'U' | '8' | '9' => true,
                // A backreference, unless it is octal.
                '1'..='7' => !self.rest.starts_with(|next: char| next.is_digit(8)),
                _ => false,
            };
            return self.refuse_as(at, format!("`\\{c}`: {reason}"), is_gos);
        }
        match c {
            'x' => {
                let braced = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
                let (digits, rest) = braced.or_else(|| self.rest.split_at_checked(2)).unwrap_or_default();
                let hexadecimal = digits.bytes().all(|b| b.is_ascii_hexdigit());
                if !hexadecimal || !u8::from_str_radix(digits, 16).is_ok_and(|code| code.is_ascii()) {
                    let is_gos = digits.is_empty() || !hexadecimal;
                    return self.refuse_as(at, "`\\x` takes two hexadecimal digits, at most `7f`", is_gos);
                }
                self.rest = rest;
                Ok(true)
            }
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Ok(false),
            'a' | 'f' | 'n' | 'r' | 't' | 'v' => Ok(true),
            _ if !c.is_ascii_alphanumeric() => Ok(true),
            _ if others.contains(c) => Ok(false),
            _ => self.refuse_as(at, format!("`\\{c}` is not a valid escape here: write `{c}` for the character"), true),
        }
    }

    fn class(&mut self, open: usize) -> Result<(), PatternError> {
        self.eat("^");
        // Go reads `[]-a]` as a range from `]`, Rust as three characters.
        if self.rest.starts_with(']') {
            return self.refuse(self.at(), "`]` is not allowed at the beginning of a class: write `\\]`");
        }
        loop {
            let at = self.at();
            if let Some(pair) = SET_OPERATIONS.iter().find(|pair| self.rest.starts_with(**pair)) {
                let (one, _) = pair.split_at(1);
                return self.refuse(
                    at,
                    format!("`{pair}` in a class is a set operation in Rust: write `\\{one}` for the character"),
                );
            }
            if self.eat("]") {
                return Ok(());
            }
            let low = self.class_item(open)?;
            // `--` is rejected in the next iteration, and a hyphen before the end is a character in both.
            if !self.rest.starts_with('-') || self.rest.starts_with("-]") || self.rest.starts_with("--") {
                continue;
            }
            self.eat("-");
            // The compiler checks that the smaller end comes first: both reject the same.
            if !self.class_item(open)? || !low {
                return self.refuse(
                    at,
                    "a range cannot start or end with a class such as `\\d`: write `\\-` for the character",
                );
            }
        }
    }

    /// Reads one item of a class, and returns whether it is one character.
    fn class_item(&mut self, open: usize) -> Result<bool, PatternError> {
        let at = self.at();
        match self.next() {
            None => self.refuse_as(open, "`[` is not closed: add `]`, or write `\\[` for the character", true),
            Some('\\') => self.escape(at, ""),
            Some('[') => {
                let named = self.rest.strip_prefix(':').and_then(|rest| rest.split_once(":]"));
                match named.filter(|(name, _)| CLASSES.contains(&name.strip_prefix('^').unwrap_or(name))) {
                    Some((_, rest)) => {
                        self.rest = rest;
                        Ok(false)
                    }
                    None => self.refuse(
                        at,
                        "`[` in a class must start a Go class such as `[:alpha:]`: write `\\[` for the character",
                    ),
                }
            }
            Some(_) => Ok(true),
        }
    }
}

/// A count as Go's `parseInt` reads it: digits, without leading zeros.
fn count(digits: &str) -> Option<u32> {
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    (number && (digits == "0" || !digits.starts_with('0'))).then(|| digits.parse().unwrap_or(u32::MAX))
}
