//! JSON strings.

use std::borrow::Cow;
use std::str::Utf8Error;

use super::scan::escape_at;

/// Like [`str::from_utf8`], sixteen bytes at a time.
///
/// # Errors
/// When the bytes are not UTF-8.
pub fn utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    // It does not say where the error is.
    simdutf8::basic::from_utf8(bytes).or_else(|_| str::from_utf8(bytes))
}

/// The text of a JSON string, `None` for any other value. Borrowed if it has no escapes.
pub fn string(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    match escape_at(inner.as_bytes(), 0) {
        Some(_) => serde_json::from_str(json).ok().map(Cow::Owned),
        None => Some(Cow::Borrowed(inner)),
    }
}

/// Appends a text as a JSON string.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    push_escaped(out, text, Escape::Once);
    out.push('"');
}

/// How often a text is escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// It is in a JSON string.
    Once,
    /// It is in a JSON string that is in a JSON string.
    Twice,
}

/// Appends a text as the contents of a JSON string.
pub(super) fn push_escaped(out: &mut String, text: &str, escape: Escape) {
    let (backslash, escaped_quote, escaped_backslash) = match escape {
        Escape::Once => ("\\", "\\\"", "\\\\"),
        Escape::Twice => ("\\\\", "\\\\\\\"", "\\\\\\\\"),
    };
    let mut at = 0;
    while let Some(next) = escape_at(text.as_bytes(), at) {
        out.push_str(text.get(at..next).unwrap_or_default());
        match text.as_bytes().get(next) {
            Some(b'"') => out.push_str(escaped_quote),
            Some(b'\\') => out.push_str(escaped_backslash),
            Some(control) => {
                out.push_str(backslash);
                push_control(out, *control);
            }
            None => {}
        }
        at = next + 1;
    }
    out.push_str(text.get(at..).unwrap_or_default());
}

/// The part after the backslash of an escaped control character.
fn push_control(out: &mut String, control: u8) {
    match control {
        0x08 => out.push('b'),
        b'\t' => out.push('t'),
        b'\n' => out.push('n'),
        0x0c => out.push('f'),
        b'\r' => out.push('r'),
        _ => {
            out.push_str("u00");
            let digits = [control >> 4, control & 0xf].into_iter();
            out.extend(digits.filter_map(|digit| char::from_digit(digit.into(), 16)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_written_as_serde_json_writes_them() {
        let every: String = (0..0x300).filter_map(char::from_u32).collect();
        for length in 0..40 {
            let text = format!("{}{every}{}\u{10ffff}", "x".repeat(length), "\"y".repeat(length));
            let mut out = String::new();
            push_string(&mut out, &text);
            assert_eq!(out, serde_json::to_string(&text).unwrap());
            assert_eq!(string(&out).as_deref(), Some(&*text));
        }
    }

    #[test]
    fn what_is_not_a_string_has_no_text() {
        for json in ["", "\"", "1", "null", r#""a"b""#, r#""\q""#, "\"\n\""] {
            assert_eq!(string(json), None, "{json}");
        }
        assert_eq!(string(r#""a""#), Some(Cow::Borrowed("a")));
    }
}
