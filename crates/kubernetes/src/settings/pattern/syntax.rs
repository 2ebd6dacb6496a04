//! What Go and Rust both read, and read the same way: what `regex-syntax` has parsed, admitted part by part.

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{AssertionKind, ClassBracketed};
use regex_syntax::ast::{
    Ast, ClassSet, ClassSetItem, ErrorKind, Flag, Flags, FlagsItemKind, GroupKind, HexLiteralKind, Literal,
    LiteralKind, RepetitionKind, RepetitionRange, Span,
};

use super::Refusal;

/// The bound of Go's `repeat` on one count and on the product of nested ones.
const MOST_COPIES: u32 = 1000;

/// Rejects what Go rejects, and what Go and Rust read differently.
pub(super) fn check(source: &str) -> Result<(), Refusal> {
    let ast = ParserBuilder::new().nest_limit(250).build().parse(source).map_err(|error| {
        let at = error.span().start.offset;
        let is_gos = is_refused_by_go(source, at, error.kind());
        let reason = match error.kind() {
            ErrorKind::ClassUnclosed if !is_gos => "a class in a class: write `\\[` for the character".to_owned(),
            kind => kind.to_string(),
        };
        Refusal { at, reason, is_gos }
    })?;
    Admission { source }.copies(&ast).map(drop)
}

/// Whether Go rejects what Rust's parser rejects at a byte. What is not known counts as accepted.
fn is_refused_by_go(source: &str, at: usize, kind: &ErrorKind) -> bool {
    let (before, rest) = source.split_at_checked(at).unwrap_or((source, ""));
    match kind {
        // Go quotes what is between `\Q` and `\E`.
        ErrorKind::EscapeUnrecognized => !rest.starts_with(r"\Q") && !rest.starts_with(r"\E"),
        // `\12` is octal in Go.
        ErrorKind::UnsupportedBackreference => {
            let mut digits = rest.trim_start_matches('\\').chars();
            let first = digits.next().unwrap_or_default();
            let is_octal = first == '0' || digits.next().is_some_and(|second| second.is_digit(8));
            first > '7' || !is_octal
        }
        // Go repeats what is before flags, and reads a brace without counts as a character.
        ErrorKind::RepetitionMissing => {
            let is_after_flags = before.ends_with(')') || before.ends_with('(') && rest.starts_with('?');
            !is_after_flags && is_repetition(rest)
        }
        ErrorKind::RepetitionCountInvalid | ErrorKind::DecimalInvalid => {
            source
                .get(..at)
                .is_some_and(|before| before.rfind('{').and_then(|open| source.get(open..)).is_some_and(is_repetition))
                || is_repetition(rest)
        }
        // A class that is not closed in Rust may be one with `[` as a character in Go.
        ErrorKind::ClassUnclosed => !rest.replace("[:", "").trim_start_matches('[').contains('['),
        ErrorKind::ClassEscapeInvalid => !rest.starts_with(r"\<") && !rest.starts_with(r"\>"),
        ErrorKind::GroupNameInvalid => rest.starts_with(|c: char| !c.is_ascii_digit()),
        ErrorKind::EscapeUnexpectedEof | ErrorKind::EscapeHexEmpty | ErrorKind::EscapeHexInvalidDigit => true,
        ErrorKind::FlagUnexpectedEof | ErrorKind::FlagUnrecognized | ErrorKind::UnsupportedLookAround => true,
        ErrorKind::GroupNameEmpty | ErrorKind::GroupNameUnexpectedEof => true,
        ErrorKind::GroupUnclosed | ErrorKind::GroupUnopened => true,
        _ => false,
    }
}

/// Whether a text begins with a repetition as Go reads it: digits without leading zeros, and no white space.
fn is_repetition(text: &str) -> bool {
    let Some(counts) = text.strip_prefix('{') else { return text.starts_with(['*', '+', '?']) };
    let is_count = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number && (digits == "0" || !digits.starts_with('0'))
    };
    counts.split_once('}').is_some_and(|(counts, _)| match counts.split_once(',') {
        Some((least, most)) => is_count(least) && (most.is_empty() || is_count(most)),
        None => is_count(counts),
    })
}

struct Admission<'a> {
    source: &'a str,
}

impl Admission<'_> {
    fn text(&self, span: &Span) -> &str {
        self.source.get(span.start.offset..span.end.offset).unwrap_or_default()
    }

    /// The largest product of nested counts, if all of it is admitted.
    fn copies(&self, ast: &Ast) -> Result<u32, Refusal> {
        let most = |parts: &[Ast]| parts.iter().try_fold(1, |most, part| Ok(self.copies(part)?.max(most)));
        match ast {
            Ast::Empty(_) | Ast::Dot(_) | Ast::ClassPerl(_) => Ok(1),
            Ast::Literal(literal) => self.literal(literal).map(|()| 1),
            Ast::Flags(flags) => self.flags(&flags.flags).map(|()| 1),
            Ast::Assertion(one) => match one.kind {
                AssertionKind::StartLine | AssertionKind::EndLine | AssertionKind::StartText => Ok(1),
                AssertionKind::EndText | AssertionKind::WordBoundary | AssertionKind::NotWordBoundary => Ok(1),
                _ => refuse(
                    &one.span,
                    "a word boundary in Rust only: write `\\b`, or the characters without `\\`",
                    false,
                ),
            },
            Ast::ClassUnicode(class) => refuse(&class.span, "write ASCII, as in `[A-Za-z]`", false),
            Ast::ClassBracketed(class) => self.class(class).map(|()| 1),
            Ast::Group(group) => {
                match &group.kind {
                    GroupKind::NonCapturing(flags) => self.flags(flags)?,
                    GroupKind::CaptureName { name, .. } if !is_name(&name.name) => {
                        return refuse(&name.span, "a name has ASCII letters, digits and `_`", true);
                    }
                    GroupKind::CaptureName { .. } | GroupKind::CaptureIndex(_) => {}
                }
                self.copies(&group.ast)
            }
            Ast::Repetition(one) => {
                if !is_repetition(self.text(&one.op.span)) {
                    return refuse(&one.op.span, "no repetition in Go: write `\\{` for the character", false);
                }
                if matches!(*one.ast, Ast::Repetition(_)) {
                    return refuse(&one.op.span, "Go does not allow a repeated repetition: wrap it in `(?:…)`", true);
                }
                let (least, most) = match &one.op.kind {
                    RepetitionKind::ZeroOrOne => (0, Some(1)),
                    RepetitionKind::ZeroOrMore => (0, None),
                    RepetitionKind::OneOrMore => (1, None),
                    RepetitionKind::Range(RepetitionRange::Exactly(count)) => (*count, Some(*count)),
                    RepetitionKind::Range(RepetitionRange::AtLeast(least)) => (*least, None),
                    RepetitionKind::Range(RepetitionRange::Bounded(least, most)) => (*least, Some(*most)),
                };
                if least.max(most.unwrap_or(0)) > MOST_COPIES {
                    return refuse(&one.op.span, "repetition counts must be at most 1000", true);
                }
                let inner = self.copies(&one.ast)?;
                // Go does not check below a repetition that makes no copy.
                let copies = if most == Some(0) { 1 } else { inner * most.unwrap_or(least).max(1) };
                match copies > MOST_COPIES {
                    true => refuse(&one.op.span, "nested repetitions make more than 1000 copies", false),
                    false => Ok(copies),
                }
            }
            Ast::Alternation(of) => most(&of.asts),
            Ast::Concat(of) => most(&of.asts),
        }
    }

    fn flags(&self, flags: &Flags) -> Result<(), Refusal> {
        let is_gos = |flag: &Flag| !matches!(flag, Flag::Unicode | Flag::CRLF | Flag::IgnoreWhitespace);
        let is_known = |item: &FlagsItemKind| !matches!(item, FlagsItemKind::Flag(flag) if !is_gos(flag));
        match flags.items.iter().all(|item| is_known(&item.kind)) {
            true => Ok(()),
            false => refuse(&flags.span, "the flags are `imsU`", true),
        }
    }

    fn literal(&self, literal: &Literal) -> Result<(), Refusal> {
        match literal.kind {
            LiteralKind::HexFixed(HexLiteralKind::X) | LiteralKind::HexBrace(HexLiteralKind::X) => {
                match literal.c.is_ascii() {
                    true => Ok(()),
                    false => refuse(&literal.span, "`\\x` takes two hexadecimal digits, at most `7f`", false),
                }
            }
            LiteralKind::HexFixed(_) | LiteralKind::HexBrace(_) => {
                refuse(&literal.span, "Go has no such escape: write `\\x` and two hexadecimal digits", true)
            }
            _ => Ok(()),
        }
    }

    fn class(&self, class: &ClassBracketed) -> Result<(), Refusal> {
        let items = self.text(&class.span).trim_start_matches('[').trim_start_matches('^');
        // Go reads `[]-a]` as a range from `]`, and `[--a]` as one from `-`; Rust reads three characters.
        if items.starts_with(']') || items.starts_with("--") {
            return refuse(&class.span, "escape `]` and `-` at the beginning of a class", false);
        }
        match &class.kind {
            ClassSet::Item(item) => self.item(item),
            ClassSet::BinaryOp(of) => {
                refuse(&of.span, "a set operation in Rust: write `\\` before the characters", false)
            }
        }
    }

    fn item(&self, item: &ClassSetItem) -> Result<(), Refusal> {
        match item {
            ClassSetItem::Empty(_) | ClassSetItem::Ascii(_) | ClassSetItem::Perl(_) => Ok(()),
            ClassSetItem::Literal(literal) => self.literal(literal),
            ClassSetItem::Range(range) => self.literal(&range.start).and_then(|()| self.literal(&range.end)),
            ClassSetItem::Union(union) => union.items.iter().try_for_each(|item| self.item(item)),
            ClassSetItem::Unicode(class) => refuse(&class.span, "write ASCII, as in `[A-Za-z]`", false),
            ClassSetItem::Bracketed(class) => {
                refuse(&class.span, "a class in a class: write `\\[` for the character", false)
            }
        }
    }
}

fn is_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn refuse<T>(span: &Span, reason: &str, is_gos: bool) -> Result<T, Refusal> {
    Err(Refusal { at: span.start.offset, reason: reason.to_owned(), is_gos })
}
