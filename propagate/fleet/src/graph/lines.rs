//! Breaks texts into lines.

/// The maximum number of characters of a value.
const VALUE: usize = 60;

/// A value, or its beginning.
pub(super) fn clipped(value: &str) -> String {
    if value.chars().count() <= VALUE {
        return value.to_owned();
    }
    value.chars().take(VALUE - 1).chain(['…']).collect()
}

/// A text in lines: broken between words if possible, else within one, if possible after a dot or slash.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let text = visible(text);
    let words = text.split_inclusive(' ').flat_map(|word| {
        let parts: Vec<&str> =
            if columns(word.trim_end()) > width { word.split_inclusive(['.', '/']).collect() } else { vec![word] };
        parts
    });
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in words {
        if columns(&line) + columns(word.trim_end()) > width && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for character in word.chars() {
            if columns(&line) >= width && character != ' ' {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    lines.push(line);
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// The width of a text in a monospaced font: from the Hangul Jamo on, characters may be twice as wide.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(|character| if character < '\u{1100}' { 1 } else { 2 }).sum()
}

/// A text on one line, without characters that XML does not allow.
///
/// Source: XML 1.0, production 2.
pub(super) fn visible(text: &str) -> String {
    let shown = |character: char| match character {
        '\t' | '\n' | '\r' => ' ',
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        character if character.is_control() => '\u{fffd}',
        character => character,
    };
    text.chars().map(shown).collect()
}
