//! Texts, the documents in them, and lines and columns.

use std::ops::Range;

/// A text with a name, such as a file.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its name in messages, such as a path; `-` for standard input.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A position: line and column count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Source {
    /// The documents of the text, in bytes. A JSON text is one document.
    ///
    /// A line that begins with `---` starts a document anywhere, and a line `...` ends it (YAML 1.2.2, 9.1.2): so
    /// documents are found without parsing them, and an invalid one does not hide the next.
    ///
    /// ```
    /// use fleet::Source;
    ///
    /// let source = Source { name: "cluster.yaml".into(), text: "a: 1\n---\nb: 2\n".into() };
    /// assert_eq!(source.documents(), [0..5, 5..14]);
    /// ```
    pub fn documents(&self) -> Vec<Range<usize>> {
        let mut documents = Vec::new();
        let mut begin = 0;
        let mut has_content = false;
        let mut end = 0;
        for line in self.text.split_inclusive('\n') {
            let at = end;
            end += line.len();
            if is_marker(line, "---") {
                if has_content {
                    documents.push(begin..at);
                    begin = at;
                }
                has_content = true;
            } else if is_marker(line, "...") {
                documents.push(begin..end);
                begin = end;
                has_content = false;
            } else {
                has_content |= !is_before_content(line);
            }
        }
        if has_content {
            documents.push(begin..self.text.len());
        }
        documents
    }
}

/// Whether a line begins with a document marker and contains nothing else.
fn is_marker(line: &str, marker: &str) -> bool {
    line.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// Blank lines, comments and directives do not make a document.
fn is_before_content(line: &str) -> bool {
    let line = line.trim_start_matches('\u{feff}');
    line.starts_with('%') || line.trim_ascii().is_empty() || line.trim_ascii_start().starts_with('#')
}

/// Where the lines of a text begin.
#[derive(Debug)]
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Lines {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines([0].into_iter().chain(breaks.map(|(at, _)| at + 1)).collect())
    }

    /// Line and column of a byte of the text that these lines are of.
    pub(crate) fn position(&self, text: &str, at: usize) -> Position {
        let line = self.0.partition_point(|begin| *begin <= at).max(1);
        let begin = self.0.get(line - 1).copied().unwrap_or_default();
        let before = text.get(begin..at).unwrap_or_default();
        Position { line, column: before.trim_start_matches('\u{feff}').chars().count() + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(text: &str) -> Vec<String> {
        let source = Source { name: String::new(), text: text.to_owned() };
        source.documents().into_iter().map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn a_line_of_three_hyphens_begins_a_document() {
        for (text, expected) in [
            ("", &[][..]),
            ("# nothing\n\n", &[]),
            ("a: 1", &["a: 1"]),
            ("a: 1\n---\nb: 2\n", &["a: 1\n", "---\nb: 2\n"]),
            ("# first\n---\na: 1\n--- # second\nb: 2", &["# first\n---\na: 1\n", "--- # second\nb: 2"]),
            ("%YAML 1.2\n---\na: 1\n", &["%YAML 1.2\n---\na: 1\n"]),
            ("a: |\n  ---\n---b: 2\n", &["a: |\n  ---\n---b: 2\n"]),
            ("a: 1\n...\nb: 2\n...\n# end\n", &["a: 1\n...\n", "b: 2\n...\n"]),
            ("---\r\na: 1\r\n---\r\n---\r\nb: 2\r\n", &["---\r\na: 1\r\n", "---\r\n", "---\r\nb: 2\r\n"]),
        ] {
            assert_eq!(documents(text), expected, "{text:?}");
        }
    }

    #[test]
    fn columns_count_characters_from_one() {
        let text = "\u{feff}a: ü x\nb\n";
        let lines = Lines::of(text);
        let at = |needle: &str| lines.position(text, text.find(needle).unwrap());
        assert_eq!(at("a"), Position { line: 1, column: 1 });
        assert_eq!(at("x"), Position { line: 1, column: 6 });
        assert_eq!(at("b"), Position { line: 2, column: 1 });
        assert_eq!(lines.position(text, text.len()), Position { line: 3, column: 1 });
    }
}
