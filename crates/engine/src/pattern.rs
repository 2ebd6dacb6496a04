//! The regular expressions that Cluster API's manager takes, read as the manager reads them.
//!
//! Cluster API compiles them with Go's `regexp` and asks `MatchString` on label keys. Rust's `regex` reads most of the
//! same syntax the same way. What either refuses or the two read differently is refused here, with what to write
//! instead. "Go" below is `regexp/syntax/parse.go` of Go 1.26, "Rust" is `regex-syntax` 0.8.

use std::cell::OnceCell;
use std::fmt;
use std::mem;

use regex::bytes::{Regex, RegexBuilder};

/// One expression of `clusterApi.node.additionalLabels` or `additionalAnnotations`.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: String,
    compiled: OnceCell<Option<Regex>>,
}

impl Pattern {
    /// Reads an expression without compiling it: a scan that costs no more than its length.
    ///
    /// The empty expression is allowed: it matches every key, in Go too.
    ///
    /// # Errors
    /// When Go refuses the expression (`parse`, `parsePerlFlags`, `parseRepeat`, `repeat`, `repeatIsValid`,
    /// `parseClass`, `parseNamedClass`, `parseEscape`), or Rust refuses it or reads it differently.
    pub fn parse(source: &str) -> Result<Pattern, PatternError> {
        Scan { source, rest: source, level: Level::new(0), outer: Vec::new() }.run()?;
        Ok(Pattern { source: source.to_owned(), compiled: OnceCell::new() })
    }

    /// Compiles the expression, once.
    ///
    /// # Errors
    /// When it nests too deeply or becomes too large: Rust's `nest_limit` and `size_limit` are below the limits of Go
    /// (`checkHeight`, `checkSize`). When a range ends before it begins, or a flag or a group's name occurs twice.
    pub fn check(&self) -> Result<(), PatternError> {
        let compiled = self.compile()?;
        self.compiled.get_or_init(|| Some(compiled));
        Ok(())
    }

    /// Whether the expression matches somewhere in an ASCII key, as Go's `MatchString` does.
    ///
    /// One that does not compile matches nothing; settings validation refused it.
    pub fn is_match(&self, key: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| self.compile().ok());
        compiled.as_ref().is_some_and(|compiled| compiled.is_match(key.as_bytes()))
    }

    /// The expression as it was written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    fn compile(&self) -> Result<Regex, PatternError> {
        RegexBuilder::new(&with_spaces_of_go(&self.source)).unicode(false).build().map_err(|error| {
            let text = error.to_string();
            let reason = match error {
                regex::Error::CompiledTooBig(most) => format!("compiles to more than {most} bytes: use smaller counts"),
                // The lines before draw the expression.
                _ => text.lines().last().unwrap_or_default().replace("error: ", "does not compile: "),
            };
            PatternError { expression: self.source.clone(), reason }
        })
    }
}

/// Why an expression is refused: where, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    expression: String,
    reason: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.expression, self.reason)
    }
}

impl std::error::Error for PatternError {}

/// The bound of Go's `repeat` on one count and on the product of nested ones.
const MOST_COPIES: u32 = 1000;
/// No expression this short comes near Go's own limits on height and size (`maxHeight`, `maxSize`).
const MOST_BYTES: usize = 1000;
/// Go's `posixGroup`, Rust's `ClassAsciiKind`.
const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];
/// Rust reads each as an operation on sets, or `--` after `[` as two hyphens; Go reads characters and ranges.
const SET_OPERATIONS: [&str; 3] = ["&&", "--", "~~"];
/// After a backslash, what Go and Rust read differently or one of them not at all; first match wins.
const ESCAPES: [(&str, &str); 6] = [
    ("pP", "Unicode properties are not available: write ASCII, as in `[A-Za-z]`"),
    ("QE", "Rust has no quoting: write `\\` before each special character"),
    ("0123456789", "no octal escapes, no backreferences: write `\\x` and two hexadecimal digits"),
    ("uU", "Go has no such escape: write `\\x` and two hexadecimal digits"),
    ("C", "Go has no such escape: write `.`"),
    ("<>", "Rust reads a word boundary, Go the character: write it without `\\`"),
];

/// `\s` of Go has no vertical tab, `\s` of Rust has one. Rust nests the classes written instead where Go does not.
fn with_spaces_of_go(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match (c, (c == '\\').then(|| chars.next()).flatten()) {
            (_, Some('s')) => text.push_str(r"[\t\n\f\r ]"),
            (_, Some('S')) => text.push_str(r"[^\t\n\f\r ]"),
            (_, escaped) => text.extend([Some(c), escaped].into_iter().flatten()),
        }
    }
    text
}

/// What a repeat would apply to, with the product of the repeat counts on the worst way down into it.
#[derive(Clone, Copy)]
enum Last {
    Nothing,
    Atom(u32),
    Repeat(u32),
}

/// One group being read, or the expression itself.
struct Level {
    open: usize,
    last: Last,
    copies: u32,
}

impl Level {
    fn new(open: usize) -> Self {
        Level { open, last: Last::Nothing, copies: 1 }
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
    level: Level,
    outer: Vec<Level>,
}

impl<'a> Scan<'a> {
    fn run(mut self) -> Result<(), PatternError> {
        if let Some(at) = self.source.find(|c: char| !c.is_ascii()) {
            return self.refuse(at, "a key is ASCII: write ASCII characters only");
        }
        if self.source.len() > MOST_BYTES {
            return self.refuse(MOST_BYTES, format!("more than {MOST_BYTES} bytes: split it into several entries"));
        }
        while let (at, Some(c)) = (self.at(), self.next()) {
            match c {
                '(' => self.group(at)?,
                ')' => {
                    let Some(outer) = self.outer.pop() else {
                        return self.refuse(at, "`)` closes no group: write `\\)` for the character");
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
        if self.outer.is_empty() { Ok(()) } else { self.refuse(self.level.open, "`(` is not closed: add `)`") }
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

    fn refuse<T>(&self, at: usize, reason: impl fmt::Display) -> Result<T, PatternError> {
        Err(PatternError { expression: self.source.to_owned(), reason: format!("at byte {at}: {reason}") })
    }

    fn group(&mut self, at: usize) -> Result<(), PatternError> {
        if self.eat("?P<") || self.eat("?<") {
            // Go lets a name begin with a digit, Rust lets it hold `.`, `[` and `]`.
            let (name, rest) = self.rest.split_once('>').unwrap_or_default();
            let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !first || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return self.refuse(at, "a group's name is ASCII letters, digits and `_`, no digit first");
            }
            self.rest = rest;
        } else if self.eat("?") {
            let empty = self.rest.starts_with(')');
            self.rest = self.rest.trim_start_matches(['i', 'm', 's', 'U', '-']);
            if !empty && self.eat(")") {
                // A repeat after it: Go repeats what stands before the flags, Rust refuses.
                self.level.then(Last::Nothing);
                return Ok(());
            }
            if !self.eat(":") {
                return self.refuse(at, "after `(?` stand flags out of `imsU` and `-`, then `:` or `)`");
            }
        }
        self.outer.push(mem::replace(&mut self.level, Level::new(at)));
        Ok(())
    }

    /// Go reads every other `{` as a character; Rust reads white space within and, after `\b`, names of boundaries.
    fn counted_repeat(&mut self, at: usize) -> Result<(), PatternError> {
        let (counts, rest) = self.rest.split_once('}').unwrap_or_default();
        let (least, most) = counts.split_once(',').map_or((counts, counts), |(least, most)| (least, most));
        let (Some(min), Some(max)) = (count(least), if most.is_empty() { Some(None) } else { count(most).map(Some) })
        else {
            return self.refuse(at, "`{` begins no repeat that Go knows: write `\\{` for the character");
        };
        if min.max(max.unwrap_or(0)) > MOST_COPIES || max.is_some_and(|max| max < min) {
            return self.refuse(at, format!("a repeat's counts are at most {MOST_COPIES}, the smaller one first"));
        }
        self.rest = rest;
        self.repeat(at, min, max)
    }

    fn repeat(&mut self, at: usize, min: u32, max: Option<u32>) -> Result<(), PatternError> {
        self.eat("?");
        let copies = match self.level.last {
            Last::Nothing => {
                return self.refuse(at, "nothing to repeat stands before it: write `\\` before the character");
            }
            Last::Repeat(_) => return self.refuse(at, "Go repeats no repeat: put the inner one into `(?:` and `)`"),
            // Go does not look below a repeat that makes no copy.
            Last::Atom(_) if max == Some(0) => 1,
            Last::Atom(inner) => inner * max.unwrap_or(min).max(1),
        };
        if copies > MOST_COPIES {
            return self.refuse(at, format!("nested repeats make {copies} copies, Go allows {MOST_COPIES}"));
        }
        self.level.last = Last::Repeat(copies);
        Ok(())
    }

    /// Whether the escape stands for one character, as a range's end must. `others` are the letters allowed besides
    /// those that are allowed everywhere.
    fn escape(&mut self, at: usize, others: &str) -> Result<bool, PatternError> {
        let Some(c) = self.next() else {
            return self.refuse(at, "nothing follows `\\`: write `\\\\` for the character");
        };
        if let Some((_, reason)) = ESCAPES.iter().find(|(escapes, _)| escapes.contains(c)) {
            return self.refuse(at, format!("`\\{c}`: {reason}"));
        }
        match c {
            'x' => {
                let braced = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
                let (digits, rest) = braced.or_else(|| self.rest.split_at_checked(2)).unwrap_or_default();
                let hexadecimal = digits.bytes().all(|b| b.is_ascii_hexdigit());
                if !hexadecimal || !u8::from_str_radix(digits, 16).is_ok_and(|code| code.is_ascii()) {
                    return self.refuse(at, "`\\x` takes two hexadecimal digits, at most `7f`");
                }
                self.rest = rest;
                Ok(true)
            }
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Ok(false),
            'a' | 'f' | 'n' | 'r' | 't' | 'v' => Ok(true),
            _ if !c.is_ascii_alphanumeric() => Ok(true),
            _ if others.contains(c) => Ok(false),
            _ => self.refuse(at, format!("`\\{c}` is no escape here: write `{c}` for the character")),
        }
    }

    fn class(&mut self, open: usize) -> Result<(), PatternError> {
        self.eat("^");
        // Go reads `[]-a]` as a range from `]`, Rust as three characters.
        if self.rest.starts_with(']') {
            return self.refuse(self.at(), "`]` at the beginning of a class: write `\\]`");
        }
        loop {
            let at = self.at();
            if let Some(pair) = SET_OPERATIONS.iter().find(|pair| self.rest.starts_with(**pair)) {
                let (one, _) = pair.split_at(1);
                return self.refuse(at, format!("`{pair}` in a class is an operation in Rust: write `\\{one}`"));
            }
            if self.eat("]") {
                return Ok(());
            }
            let low = self.class_item(open)?;
            // `--` is for the next turn to refuse, and a hyphen before the end is a character in both.
            if !self.rest.starts_with('-') || self.rest.starts_with("-]") || self.rest.starts_with("--") {
                continue;
            }
            self.eat("-");
            // That the smaller end stands first is left to the compiler: both refuse the same.
            if !self.class_item(open)? || !low {
                return self.refuse(at, "a range's end is a class such as `\\d`: write `\\-` for the character");
            }
        }
    }

    /// Reads one item of a class, and says whether it is one character.
    fn class_item(&mut self, open: usize) -> Result<bool, PatternError> {
        let at = self.at();
        match self.next() {
            None => self.refuse(open, "`[` is not closed: add `]`, or write `\\[` for the character"),
            Some('\\') => self.escape(at, ""),
            Some('[') => {
                let named = self.rest.strip_prefix(':').and_then(|rest| rest.split_once(":]"));
                match named.filter(|(name, _)| CLASSES.contains(&name.strip_prefix('^').unwrap_or(name))) {
                    Some((_, rest)) => {
                        self.rest = rest;
                        Ok(false)
                    }
                    None => self.refuse(at, "`[` in a class begins none of Go's `[:name:]`: write `\\[`"),
                }
            }
            Some(_) => Ok(true),
        }
    }
}

/// A count as Go's `parseInt` reads it: digits, no zero in front of others.
fn count(digits: &str) -> Option<u32> {
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    (number && (digits == "0" || !digits.starts_with('0'))).then(|| digits.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers that Go 1.26.8 gave: one column a key, `x` where it matches.
    const KEYS: [&str; 10] = ["", "a", "B", "bbb", "a-b", "a]", "node.example.com/Role", "x\x0by", "a\nb", "a{1}"];
    #[rustfmt::skip]
    const ANSWERS: [(&str, &str); 35] = [
        (r"", "xxxxxxxxxx"),
        (r"^$", "x........."),
        (r"example\.com", "......x..."),
        (r"^[^/]+/Role$", "......x..."),
        (r"(?i)role", "......x..."),
        (r"(?i:r)ole|x", "......xx.."),
        (r"c|a(?i)|b", ".xxxxxx.xx"),
        (r"^\S+$", ".xxxxxxx.x"),
        (r"^[\S]+$", ".xxxxxxx.x"),
        (r"\s", "........x."),
        (r"\W", "....xxxxxx"),
        (r"[[:upper:]]", "..x...x..."),
        (r"(?i)^[[:^lower:]]", ".........."),
        (r"^a.b$", "....x....."),
        (r"(?s)^a.b$", "....x...x."),
        (r"(?m)^b$", "........x."),
        (r"b{3}", "...x......"),
        (r"^.{1,2}$", ".xx..x...."),
        (r"(?:b{10}){100}", ".........."),
        (r"((b{1000}){0}){2}-", "....x....."),
        (r"a\{1\}", ".........x"),
        (r"[{}]", ".........x"),
        (r"a]", ".....x...."),
        (r"[*-\-]", "....x....."),
        (r"[\--a]b", "....x....."),
        (r"[a-]b", "....x....."),
        (r"[\x2d\x{2F}]", "....x.x..."),
        (r"\Bb\B", "...x......"),
        (r"\b", ".xxxxxxxxx"),
        (r"\b{2}B", "..x......."),
        (r"(a*)*-", "....x....."),
        (r"(?P<k>a)-(?<v>b)", "....x....."),
        (r"(?U)b+?b\z", "...x......"),
        (r"[^\d\D]", ".........."),
        (r"[\t-\r]", ".......xx."),
    ];

    #[rustfmt::skip]
    const REFUSED: [(&str, &str); 48] = [
        (r"a\pL", r"at byte 1: `\p`: Unicode properties are not available: write ASCII, as in `[A-Za-z]`"),
        (r"\Q.\E", r"at byte 0: `\Q`: Rust has no quoting: write `\` before each special character"),
        (r"\1", r"at byte 0: `\1`: no octal escapes, no backreferences: write `\x` and two hexadecimal digits"),
        (r"\C", r"at byte 0: `\C`: Go has no such escape: write `.`"),
        (r"\u0041", r"at byte 0: `\u`: Go has no such escape: write `\x` and two hexadecimal digits"),
        (r"a\<", r"at byte 1: `\<`: Rust reads a word boundary, Go the character: write it without `\`"),
        (r"\b{start}", r"at byte 2: `{` begins no repeat that Go knows: write `\{` for the character"),
        (r"\B{ 2}", r"at byte 2: `{` begins no repeat that Go knows: write `\{` for the character"),
        (r"\Z", r"at byte 0: `\Z` is no escape here: write `Z` for the character"),
        (r"[\b]", r"at byte 1: `\b` is no escape here: write `b` for the character"),
        (r"\xff", r"at byte 0: `\x` takes two hexadecimal digits, at most `7f`"),
        (r"a\", r"at byte 1: nothing follows `\`: write `\\` for the character"),
        (r"aé", r"at byte 1: a key is ASCII: write ASCII characters only"),
        (r"[a&&b]", r"at byte 2: `&&` in a class is an operation in Rust: write `\&`"),
        (r"[--a]", r"at byte 1: `--` in a class is an operation in Rust: write `\-`"),
        (r"[~~]", r"at byte 1: `~~` in a class is an operation in Rust: write `\~`"),
        (r"[a[b]", r"at byte 2: `[` in a class begins none of Go's `[:name:]`: write `\[`"),
        (r"[[:foo:]]", r"at byte 1: `[` in a class begins none of Go's `[:name:]`: write `\[`"),
        (r"[]-a]", r"at byte 1: `]` at the beginning of a class: write `\]`"),
        (r"[b-a]", r"does not compile: invalid character class range, the start must be <= the end"),
        (r"[\d-a]", r"at byte 1: a range's end is a class such as `\d`: write `\-` for the character"),
        (r"[a-[:digit:]]", r"at byte 1: a range's end is a class such as `\d`: write `\-` for the character"),
        (r"a[b", r"at byte 1: `[` is not closed: add `]`, or write `\[` for the character"),
        (r"(?x)a", r"at byte 0: after `(?` stand flags out of `imsU` and `-`, then `:` or `)`"),
        (r"(?u)a", r"at byte 0: after `(?` stand flags out of `imsU` and `-`, then `:` or `)`"),
        (r"(?R)a", r"at byte 0: after `(?` stand flags out of `imsU` and `-`, then `:` or `)`"),
        (r"(?=a)", r"at byte 0: after `(?` stand flags out of `imsU` and `-`, then `:` or `)`"),
        (r"(?)", r"at byte 0: after `(?` stand flags out of `imsU` and `-`, then `:` or `)`"),
        (r"(?-)a", r"does not compile: dangling flag negation operator"),
        (r"(?<0>a)", r"at byte 0: a group's name is ASCII letters, digits and `_`, no digit first"),
        (r"(?P<a.b>a)", r"at byte 0: a group's name is ASCII letters, digits and `_`, no digit first"),
        (r"a(?i)*", r"at byte 5: nothing to repeat stands before it: write `\` before the character"),
        (r"(?ii)a", r"does not compile: duplicate flag"),
        (r"(?<n>a)(?<n>b)", r"does not compile: duplicate capture group name"),
        (r"(a", r"at byte 0: `(` is not closed: add `)`"),
        (r"a)", r"at byte 1: `)` closes no group: write `\)` for the character"),
        (r"*a", r"at byte 0: nothing to repeat stands before it: write `\` before the character"),
        (r"a|{2}", r"at byte 2: nothing to repeat stands before it: write `\` before the character"),
        (r"a**", r"at byte 2: Go repeats no repeat: put the inner one into `(?:` and `)`"),
        (r"a*+", r"at byte 2: Go repeats no repeat: put the inner one into `(?:` and `)`"),
        (r"a{2}{3}", r"at byte 4: Go repeats no repeat: put the inner one into `(?:` and `)`"),
        (r"a??*", r"at byte 3: Go repeats no repeat: put the inner one into `(?:` and `)`"),
        (r"a{,2}", r"at byte 1: `{` begins no repeat that Go knows: write `\{` for the character"),
        (r"a{1, 2}", r"at byte 1: `{` begins no repeat that Go knows: write `\{` for the character"),
        (r"a{01}", r"at byte 1: `{` begins no repeat that Go knows: write `\{` for the character"),
        (r"a{1001}", r"at byte 1: a repeat's counts are at most 1000, the smaller one first"),
        (r"a{2,1}", r"at byte 1: a repeat's counts are at most 1000, the smaller one first"),
        (r"(a{100}){11}", r"at byte 8: nested repeats make 1100 copies, Go allows 1000"),
    ];

    #[test]
    fn a_pattern_matches_the_keys_that_go_matches() {
        for (source, answers) in ANSWERS {
            let pattern = Pattern::parse(source).unwrap();
            pattern.check().unwrap();
            let ours: String = KEYS.iter().map(|key| if pattern.is_match(key) { 'x' } else { '.' }).collect();
            assert_eq!(ours, answers, "{source}");
            assert_eq!(pattern.as_str(), source);
        }
    }

    #[test]
    fn what_go_refuses_or_reads_differently_is_refused_with_what_to_write() {
        for (source, reason) in REFUSED {
            let error = Pattern::parse(source).and_then(|pattern| pattern.check()).unwrap_err();
            assert_eq!(error.to_string(), format!("`{source}` {reason}"));
        }
    }

    #[test]
    fn what_is_too_long_too_deep_or_too_large_is_refused() {
        for (source, reason) in [
            ("a".repeat(1001), "at byte 1000: more than 1000 bytes: split it into several entries"),
            (
                format!("{}{}", "(".repeat(251), ")".repeat(251)),
                "does not compile: exceed the maximum number of nested parentheses/brackets (250)",
            ),
            (format!("({}){{1000}}", r"\W".repeat(400)), "compiles to more than 10485760 bytes: use smaller counts"),
        ] {
            let error = Pattern::parse(&source).and_then(|pattern| pattern.check()).unwrap_err();
            assert_eq!(error.to_string(), format!("`{source}` {reason}"));
        }
    }

    #[test]
    fn a_pattern_that_does_not_compile_matches_nothing() {
        assert!(!Pattern::parse("(?ii)a").unwrap().is_match("a"));
    }
}
