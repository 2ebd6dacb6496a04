//! Whether an API accepts a text: its length and its characters.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::ascii::{AsciiSet, LETTERS_AND_DIGITS, LOWER_CASE_AND_DIGITS, PRINTED};
use crate::profiles::KeyCharacters::{self, LettersDigitsAnd, NonControlBut};
use crate::text_limits::Alphabet;
use crate::text_limits::Form::{self, Any, AnyBut, Containing, Graphic, Label, LowerCase, PrefixedLabel, Without};
use crate::text_limits::Length::{self, Bytes, Prefixed, Runes};

impl Length {
    pub fn admits(self, text: &str) -> bool {
        match self {
            Runes(most) => text.len() <= most || text.chars().count() <= most,
            Bytes(most) => text.len() <= most,
            Prefixed { prefix, name } => match text.split_once('/') {
                Some((before, after)) => before.len() <= prefix && after.len() <= name,
                None => text.len() <= name,
            },
        }
    }

    /// The maximum number of characters of a text. A limit in bytes is the limit in characters of one byte each.
    pub fn characters(self) -> usize {
        match self {
            Runes(most) | Bytes(most) => most,
            Prefixed { prefix, name } => prefix + 1 + name,
        }
    }
}

impl Form {
    pub fn admits(self, text: &str) -> bool {
        match self {
            Any => true,
            AnyBut(others) => every(text, PRINTED.without(others), |char| !char.is_control() && !others.contains(char)),
            Graphic { but } => every(text, PRINTED.without(" ").without(but), |_| false),
            Containing(Alphabet::Ascii, others) => {
                every(text, LETTERS_AND_DIGITS.and(others), |char| others.contains(char))
            }
            Containing(Alphabet::Unicode, others) => every(text, LETTERS_AND_DIGITS.and(" ").and(others), |char| {
                is_letter_number_or_separator(char) || others.contains(char)
            }),
            LowerCase { and, begins_with_letter } => {
                let is_allowed = |char| is_letter_without_capital(char) || is_number(char) || and.contains(char);
                every(text, LOWER_CASE_AND_DIGITS.and(and), is_allowed)
                    && (!begins_with_letter || text.starts_with(is_letter_without_capital))
            }
            Label => text.is_empty() || is_label(text),
            PrefixedLabel => match text.split_once('/') {
                Some((prefix, name)) => is_label(prefix) && is_label(name),
                None => is_label(text),
            },
            Without(parts) => {
                let text = text.to_lowercase();
                !parts.iter().any(|part| text.contains(part))
            }
        }
    }
}

impl KeyCharacters {
    /// Whether a key has only characters of these.
    pub fn admit(self, key: &str) -> bool {
        match self {
            LettersDigitsAnd(others) => {
                every(key, LETTERS_AND_DIGITS.and(others), |char| is_letter_or_digit(char) || others.contains(char))
            }
            NonControlBut(others) => {
                every(key, PRINTED.without(others), |char| !char.is_control() && !others.contains(char))
            }
        }
    }
}

/// Whether every character is one of `ascii`, or another one that `is_allowed`. Most texts are ASCII, and are not
/// decoded.
fn every(text: &str, ascii: AsciiSet, is_allowed: impl Fn(char) -> bool) -> bool {
    let is_one = |char| match u8::try_from(char) {
        Ok(byte) if byte.is_ascii() => ascii.has(byte),
        _ => is_allowed(char),
    };
    ascii.has_all_of(text) || (!text.is_ascii() && text.chars().all(is_one))
}

fn is_label(text: &str) -> bool {
    let is_end = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    is_end(text.bytes().next()) && is_end(text.bytes().last()) && every(text, LETTERS_AND_DIGITS.and("-_."), |_| false)
}

/// Unicode's general categories L and Nd. `char::is_alphanumeric` also includes letter numbers, fractions and vowel
/// signs.
fn is_letter_or_digit(char: char) -> bool {
    char.general_category_group() == GeneralCategoryGroup::Letter
        || char.general_category() == GeneralCategory::DecimalNumber
}

/// The categories L, N and Z.
fn is_letter_number_or_separator(char: char) -> bool {
    use GeneralCategoryGroup::{Letter, Number, Separator};
    [Letter, Number, Separator].contains(&char.general_category_group())
}

/// The categories Ll and Lo.
fn is_letter_without_capital(char: char) -> bool {
    use GeneralCategory::{LowercaseLetter, OtherLetter};
    [LowercaseLetter, OtherLetter].contains(&char.general_category())
}

/// The category N.
fn is_number(char: char) -> bool {
    char.general_category_group() == GeneralCategoryGroup::Number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_ascii_have_the_characters_of_their_categories() {
        for byte in 0..=u8::MAX {
            let char = char::from(byte);
            let is_ascii = char.is_ascii();
            assert_eq!(PRINTED.has(byte), is_ascii && !char.is_control(), "{char:?}");
            assert_eq!(LETTERS_AND_DIGITS.has(byte), is_ascii && is_letter_or_digit(char), "{char:?}");
            let is_lower = is_letter_without_capital(char) || is_number(char);
            assert_eq!(LOWER_CASE_AND_DIGITS.has(byte), is_ascii && is_lower, "{char:?}");
            let with_space = LETTERS_AND_DIGITS.and(" ");
            assert_eq!(with_space.has(byte), is_ascii && is_letter_number_or_separator(char), "{char:?}");
        }
    }

    #[track_caller]
    fn check(form: Form, admitted: &[&str], refused: &[&str]) {
        for text in admitted {
            assert!(form.admits(text), "{form}: {text:?}");
        }
        for text in refused {
            assert!(!form.admits(text), "{form}: {text:?}");
        }
    }

    #[test]
    fn every_form_takes_its_characters_and_no_others() {
        check(Any, &["", "\u{7}", "ä/:"], &[]);
        check(AnyBut("<%/"), &["", "a:ä>"], &["a<", "%", "/", "\u{85}"]);
        check(Graphic { but: "." }, &["", "~!a:/"], &["a.b", "a b", "ä", "\u{7f}"]);
        check(Containing(Alphabet::Ascii, "-_:. "), &["", "aZ9-_:. "], &["ä", "a/b", "²"]);
        check(Containing(Alphabet::Unicode, "_.:/=+-@"), &["", "aä名٣½ Ⅷ\u{a0}", "_.:/=+-@"], &["a&b", "#", "\u{301}"]);
        let lower = |begins_with_letter| LowerCase { and: "_-", begins_with_letter };
        check(lower(false), &["", "a_b-9", "9", "名ß"], &["A", "ʰ", "a.b", "ǅ"]);
        check(lower(true), &["a9", "名-", "ß"], &["", "9a", "_a", "A"]);
        check(Label, &["", "a", "9", "a-_.Z"], &["-a", "a.", "ä", "a/b", "a:b"]);
        check(PrefixedLabel, &["a", "a.b/c-d"], &["", "/a", "a/", "a/b/c", "a:b", "-a/b"]);
        check(Without(&["http://", "https://"]), &["", "http:/", "ftp://x"], &["http://", "xHTTPS://y"]);
    }

    #[test]
    fn lengths_are_counted_in_their_unit() {
        assert!(Runes(2).admits("ää") && !Runes(2).admits("äää"));
        assert!(Bytes(2).admits("ä") && !Bytes(2).admits("ää"));
        let prefixed = Prefixed { prefix: 3, name: 2 };
        for (text, admitted) in [("ab", true), ("abc", false), ("abc/de", true), ("abcd/e", false), ("a/bcd", false)] {
            assert_eq!(prefixed.admits(text), admitted, "{text}");
        }
        assert_eq!([Runes(2), Bytes(2), prefixed].map(Length::characters), [2, 2, 6]);
    }

    #[test]
    fn letters_and_digits_are_two_general_categories() {
        // Lu, Ll, Lt, Lm, Lo, Nd.
        for admitted in "AéǅʰªכA名٣７".chars() {
            assert!(is_letter_or_digit(admitted), "{admitted}");
        }
        // So, Nl, No, No, Mc, Mn, Pc, Sc.
        for refused in ['ⓐ', 'Ⅷ', '½', '²', '\u{93e}', '\u{301}', '_', '€'] {
            assert!(!is_letter_or_digit(refused), "{refused}");
        }
    }
}
