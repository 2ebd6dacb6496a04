//! Expressions that are a text, such as `^team\.example\.com/`: most of them are, and compiling one takes longer than
//! everything else that is done for a Node.

/// A text that a key must contain: anywhere, or at one of its ends, or at both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    text: String,
    /// `^`.
    at_begin: bool,
    /// `$`.
    at_end: bool,
}

impl Literal {
    /// `None` if the expression, which Go and Rust read alike, is more than a text.
    pub(super) fn of(expression: &str) -> Option<Literal> {
        let (at_begin, rest) = expression.strip_prefix('^').map_or((false, expression), |rest| (true, rest));
        let mut literal = Literal { text: String::with_capacity(rest.len()), at_begin, at_end: false };
        let mut chars = rest.chars();
        while let Some(char) = chars.next() {
            match char {
                // `\<` and `\>` are word boundaries in Rust.
                '\\' => literal.text.push(chars.next().filter(|c| c.is_ascii_punctuation() && !"<>".contains(*c))?),
                '$' if chars.as_str().is_empty() => literal.at_end = true,
                '$' | '^' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' => return None,
                _ => literal.text.push(char),
            }
        }
        Some(literal)
    }

    /// Whether a key contains the text at the required position.
    pub(super) fn is_in(&self, key: &str) -> bool {
        let text = &*self.text;
        match (self.at_begin, self.at_end) {
            (true, true) => key == text,
            (true, false) => key.starts_with(text),
            (false, true) => key.ends_with(text),
            (false, false) => key.contains(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_or_without_its_ends_is_a_literal() {
        let literal = |text: &str, at_begin, at_end| Some(Literal { text: text.to_owned(), at_begin, at_end });
        for (expression, expected) in [
            ("", literal("", false, false)),
            ("^$", literal("", true, true)),
            (r"^team\.example\.com/", literal("team.example.com/", true, false)),
            (r"\.pool$", literal(".pool", false, true)),
            (r"a\$$", literal("a$", false, true)),
            ("é/-_", literal("é/-_", false, false)),
            ("^^a", None),
            ("a$b", None),
            ("a.b", None),
            ("(?i)a", None),
            ("a|b", None),
            ("a{2}", None),
            ("[a]", None),
            (r"\d", None),
            (r"\x2d", None),
        ] {
            assert_eq!(Literal::of(expression), expected, "{expression}");
        }
    }
}
