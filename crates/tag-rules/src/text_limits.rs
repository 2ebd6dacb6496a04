//! Which texts an API accepts: their length and their characters.

use std::fmt;

use self::Form::{Any, AnyBut, Containing, Graphic, Label, LowerCase, PrefixedLabel, Without};
use self::Length::{Bytes, Prefixed, Runes};

/// The maximum length of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Runes(usize),
    Bytes(usize),
    /// The maximum number of bytes of a name and, if there is a `/`, of the prefix before the first one.
    Prefixed {
        prefix: usize,
        name: usize,
    },
}

/// Which characters a text can have, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Any,
    /// All but Unicode's control characters, category Cc, and these.
    AnyBut(&'static str),
    /// Printable ASCII except these and the space.
    Graphic {
        but: &'static str,
    },
    /// Letters and digits, of ASCII or of any script, and these.
    Containing(Alphabet, &'static str),
    /// Letters without case or in lower case, numbers, and these.
    LowerCase {
        and: &'static str,
        /// The first character must be a letter.
        begins_with_letter: bool,
    },
    /// Empty, or letters and digits of ASCII with `-`, `_` and `.` between them.
    Label,
    /// A label that is not empty, with an optional other one and a `/` before it.
    PrefixedLabel,
    /// None of these anywhere, in any case.
    Without(&'static [&'static str]),
}

/// Which characters are letters and digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// `A-Z`, `a-z`, `0-9`.
    Ascii,
    /// Letters, numbers and separators of any script: Unicode's categories L, N and Z.
    Unicode,
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Runes(most) => write!(f, "<= {most} characters"),
            Bytes(most) => write!(f, "<= {most} bytes"),
            Prefixed { prefix, name } => write!(f, "name <= {name}, prefix <= {prefix} characters"),
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Any => f.write_str("any"),
            AnyBut(others) => write!(f, "no control characters, none of{}", ListedCharacters(others)),
            Graphic { but } => write!(f, "printable ASCII but space and{}", ListedCharacters(but)),
            Containing(Alphabet::Ascii, others) => write!(f, "ASCII letters, digits{}", ListedCharacters(others)),
            Containing(Alphabet::Unicode, others) => write!(f, "letters, numbers, spaces{}", ListedCharacters(others)),
            LowerCase { and, begins_with_letter } => {
                let first = if *begins_with_letter { "; a letter first" } else { "" };
                write!(f, "lower-case or caseless letters, numbers{}{first}", ListedCharacters(and))
            }
            Label => f.write_str("empty, or ASCII letters, digits - _ . with a letter or digit at both ends"),
            PrefixedLabel => f.write_str(
                "ASCII letters, digits - _ . with a letter or digit at both ends, and such a prefix before one /",
            ),
            Without(parts) => write!(f, "without {}", parts.join(", ")),
        }
    }
}

/// Characters one by one; the space by its name, and separators of table cells escaped.
pub(super) struct ListedCharacters<'a>(pub(super) &'a str);

impl fmt::Display for ListedCharacters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|char| match char {
            ' ' => f.write_str(", space"),
            '|' | '\\' | '<' => write!(f, " \\{char}"),
            char => write!(f, " {char}"),
        })
    }
}
