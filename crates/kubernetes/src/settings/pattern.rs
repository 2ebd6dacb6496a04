//! The regular expressions that Cluster API's manager takes, read as the manager reads them.
//!
//! Cluster API compiles them with Go's `regexp` and calls `MatchString` on label keys. Rust's `regex` reads most of the
//! same syntax the same way. What either rejects or the two read differently is rejected here, with what to write
//! instead. "Go" below is `regexp/syntax/parse.go` of Go 1.26, "Rust" is `regex-syntax` 0.8, whose own parser reads the
//! expression.

mod literal;
mod syntax;

use std::fmt;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use self::literal::Literal;

/// Expressions up to this length stay below Go's own limits on height and size (`maxHeight`, `maxSize`).
const MOST_BYTES: usize = 1000;

/// One expression of `clusterApi.node.additionalLabels` or `additionalAnnotations`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct Pattern {
    source: String,
    /// What it matches, if that is known without an expression.
    literal: Option<Literal>,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Reads an expression without compiling it.
    ///
    /// The empty expression is allowed: it matches every key, in Go too.
    ///
    /// # Errors
    /// When Go rejects the expression (`parse`, `parsePerlFlags`, `parseRepeat`, `repeat`, `repeatIsValid`,
    /// `parseClass`, `parseNamedClass`, `parseEscape`), or Rust rejects it or reads it differently.
    pub fn parse(source: &str) -> Result<Pattern, PatternError> {
        let refused = |at, reason: &str| Refusal { at, reason: reason.to_owned(), is_gos: false };
        let checked = match (source.find(|c: char| !c.is_ascii()), Literal::of(source)) {
            (Some(at), _) => Err(refused(at, "keys contain only ASCII characters: remove the non-ASCII character")),
            _ if source.len() > MOST_BYTES => {
                Err(refused(MOST_BYTES, "more than 1000 bytes: split it into several entries"))
            }
            (None, None) => syntax::check(source).map(|()| None),
            (None, literal) => Ok(literal),
        };
        let literal = checked.map_err(|Refusal { at, reason, is_gos }| PatternError {
            expression: source.to_owned(),
            reason: format!("at byte {at}: {reason}"),
            is_gos,
        })?;
        Ok(Pattern { source: source.to_owned(), literal, compiled: OnceLock::new() })
    }

    /// Compiles the expression, once.
    ///
    /// # Errors
    /// When it nests too deeply or becomes too large: Rust's `nest_limit` and `size_limit` are below the limits of Go
    /// (`checkHeight`, `checkSize`).
    pub fn check(&self) -> Result<(), PatternError> {
        let compiled = self.compile()?;
        self.compiled.get_or_init(|| Some(compiled));
        Ok(())
    }

    /// Whether the expression matches somewhere in an ASCII key, as Go's `MatchString` does.
    ///
    /// One that does not compile matches nothing; settings validation rejected it.
    pub fn is_match(&self, key: &str) -> bool {
        if let Some(literal) = &self.literal {
            return literal.is_in(key);
        }
        let compiled = self.compiled.get_or_init(|| self.compile().ok());
        compiled.as_ref().is_some_and(|compiled| compiled.is_match(key.as_bytes()))
    }

    pub fn as_str(&self) -> &str {
        &self.source
    }

    fn compile(&self) -> Result<Regex, PatternError> {
        RegexBuilder::new(&with_spaces_of_go(&self.source)).unicode(false).build().map_err(|error| {
            let text = error.to_string();
            let reason = match error {
                regex::Error::CompiledTooBig(most) => {
                    format!("compiles to more than {most} bytes: use smaller repetition counts")
                }
                // The lines before draw the expression.
                _ => text.lines().last().unwrap_or_default().replace("error: ", "does not compile: "),
            };
            PatternError { expression: self.source.clone(), reason, is_gos: false }
        })
    }
}

/// Where and why an expression is rejected, and whether Go is known to reject it as well.
struct Refusal {
    at: usize,
    reason: String,
    is_gos: bool,
}

impl TryFrom<String> for Pattern {
    type Error = PatternError;

    fn try_from(source: String) -> Result<Self, PatternError> {
        Pattern::parse(&source)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> String {
        pattern.source
    }
}

/// Why an expression is rejected: where, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// The expression.
    pub expression: String,
    reason: String,
    is_gos: bool,
}

impl PatternError {
    /// Whether Go is known to reject the expression as well. What only the compiler rejects is not known.
    pub fn is_of_go(&self) -> bool {
        self.is_gos
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.expression, self.reason)
    }
}

impl std::error::Error for PatternError {}

/// `\s` in Go does not include the vertical tab, `\s` in Rust does. Rust nests the classes written instead where Go
/// does not.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of `testdata/patterns.txt`.
    const KEYS: [&str; 10] = ["", "a", "B", "bbb", "a-b", "a]", "node.example.com/Role", "x\x0by", "a\nb", "a{1}"];

    /// Whatever is matched without an expression, the expression matches too.
    #[test]
    fn literals_match_what_their_expressions_match() {
        let keys = ["", "a", "ab", "xab", "abx", "xabx", "a.b", "a$", "team.example.com/x", "x/team.example.com/"];
        for source in
            ["", "^", "$", "^$", "a", "^a", "b$", "^ab$", "ab", r"a\.b", r"a\$", r"^team\.example\.com/", r"/$"]
        {
            let pattern = Pattern::parse(source).unwrap();
            assert!(pattern.literal.is_some(), "{source}");
            let compiled = pattern.compile().unwrap();
            for key in keys {
                assert_eq!(pattern.is_match(key), compiled.is_match(key.as_bytes()), "{source} {key}");
            }
        }
    }

    /// The patterns that are taken, after the answers; those that are refused, before their reason.
    fn patterns() -> impl Iterator<Item = &'static str> {
        let lines = include_str!("../../../../testdata/patterns.txt").lines();
        lines.skip_while(|line| !line.is_empty()).skip(1)
    }

    #[test]
    fn a_pattern_matches_the_keys_that_go_matches() {
        for line in patterns().take_while(|line| !line.is_empty()) {
            let (answers, source) = line.split_once(' ').unwrap_or((line, ""));
            let pattern = Pattern::parse(source).unwrap();
            pattern.check().unwrap();
            let ours: String = KEYS.iter().map(|key| if pattern.is_match(key) { 'x' } else { '.' }).collect();
            assert_eq!(ours, answers, "{source}");
            assert_eq!(pattern.as_str(), source);
        }
    }

    #[test]
    fn what_go_refuses_or_reads_differently_is_refused_with_what_to_write() {
        let lines: Vec<&str> = patterns().skip_while(|line| !line.is_empty()).skip(1).collect();
        for pair in lines.chunks(2) {
            let error = Pattern::parse(pair[0]).and_then(|pattern| pattern.check()).unwrap_err();
            assert_eq!(error.to_string(), format!("`{}` {}", pair[0], pair[1].trim_start()));
        }
    }

    /// What Go 1.26.8 rejects and accepts, among what [`Pattern::parse`] may reject.
    #[rustfmt::skip]
    const REJECTED_BY_GO: &[&str] = &[
        r"\1", r"\C", r"\u0041", r"\Z", r"[\b]", r"a\", r"a[b", r"(?x)a", r"(?u)a", r"(?R)a", r"(?=a)", r"(?P<a.b>a)", r"(a", r"a)", r"*a", r"a|{2}", r"a**", r"a*+", r"a{2}{3}", r"a??*", r"a{1001}", r"a{2,1}", r"(?!a)", r"(?<=a)b", r"(?<!a)b", r"a++", r"a?+", r"\8", r"(?P=n)", r"(?>a)", r"[a", r"(?i", r"(?P<a", r"(?P<>a)", r"\x", r"\xg", r"[[:word:]", r"\c", r"\e", r"\K", r"\G", r"\h", r"\R", r"\X", r"(?#c)", r"a{1}{2}", r"(*)", r"(|*)", r"a{1000,1001}",
    ];
    #[rustfmt::skip]
    const ACCEPTED_BY_GO: &[&str] = &[
        r"a\pL", r"\Q.\E", r"a\<", r"\b{start}", r"\B{ 2}", r"\xff", r"aé", r"[a&&b]", r"[--a]", r"[~~]", r"[a[b]", r"[]-a]", r"[\d-a]", r"(?)", r"(?<0>a)", r"a(?i)*", r"(?ii)a", r"(?<n>a)(?<n>b)", r"a{,2}", r"a{1, 2}", r"a{01}", r"\12", r"\z", r"a{,}", r"[]a]", r"^*", r"$*", r"\b*", r"(?:)*", r"()*", r"\x80", r"\x{e9}",
    ];

    #[test]
    fn what_go_rejects_is_known_and_what_it_accepts_is_not_taken_for_it() {
        let is_gos = |source: &&&str| Pattern::parse(source).is_err_and(|error| error.is_of_go());
        assert_eq!(REJECTED_BY_GO.iter().filter(is_gos).collect::<Vec<_>>(), REJECTED_BY_GO.iter().collect::<Vec<_>>());
        assert_eq!(ACCEPTED_BY_GO.iter().filter(is_gos).collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    #[test]
    fn what_is_too_long_too_deep_or_too_large_is_refused() {
        for (source, reason) in [
            ("a".repeat(1001), "at byte 1000: more than 1000 bytes: split it into several entries"),
            (
                format!("{}{}", "(".repeat(251), ")".repeat(251)),
                "at byte 250: exceed the maximum number of nested parentheses/brackets (250)",
            ),
            (
                format!("({}){{1000}}", r"\W".repeat(400)),
                "compiles to more than 10485760 bytes: use smaller repetition counts",
            ),
        ] {
            let error = Pattern::parse(&source).and_then(|pattern| pattern.check()).unwrap_err();
            assert_eq!(error.to_string(), format!("`{source}` {reason}"));
        }
    }

    #[test]
    fn a_pattern_that_does_not_compile_matches_nothing() {
        let too_large = format!("({}){{1000}}|a", r"\W".repeat(400));
        assert!(!Pattern::parse(&too_large).unwrap().is_match("a"));
    }
}
