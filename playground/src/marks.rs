//! Positions in the texts of the page, and the messages shown there.

use std::collections::BTreeMap;
use std::ops::Range;

use fleet::{Fleet, Locator, Origin, Severity, Source};
use serde::Serialize;

/// A message at a position in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Mark {
    /// The name of the text.
    pub(crate) text: String,
    #[serde(flatten)]
    pub(crate) place: TextRange,
    pub(crate) severity: Weight,
    /// One sentence: lower case, no final stop, input in backticks.
    pub(crate) message: String,
}

/// A part of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TextRange {
    /// In UTF-16 code units, as browsers count.
    from: usize,
    to: usize,
    /// From 1.
    line: usize,
}

/// The severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Weight {
    Error,
    Warning,
    Info,
}

impl From<Severity> for Weight {
    fn from(severity: Severity) -> Weight {
        match severity {
            Severity::Error => Weight::Error,
            Severity::Warning => Weight::Warning,
            Severity::Note => Weight::Info,
        }
    }
}

/// Finds positions in the texts of a fleet.
pub(crate) struct TextPlaces<'f> {
    fleet: &'f Fleet,
    locator: Locator<'f>,
    lines: BTreeMap<usize, LineStarts>,
}

impl<'f> TextPlaces<'f> {
    pub(crate) fn new(fleet: &'f Fleet) -> Self {
        TextPlaces { fleet, locator: Locator::new(fleet.sources()), lines: BTreeMap::new() }
    }

    /// The first of the entries `keys` at the path `at` of an object.
    pub(crate) fn of(&mut self, origin: &Origin, at: &str, keys: &[String]) -> TextRange {
        let found = self.locator.locate(origin, at, keys);
        self.place(found.source, found.span)
    }

    /// The problems in the documents.
    pub(crate) fn problems(&mut self) -> Vec<Mark> {
        let mut marks = Vec::new();
        for problem in self.fleet.problems() {
            let Some(source) = self.fleet.sources().get(problem.source) else { continue };
            let rest = source.text.get(problem.at..).unwrap_or_default();
            let length = rest.split('\n').next().unwrap_or_default().trim_end().len();
            marks.push(Mark {
                text: source.name.clone(),
                place: self.place(problem.source, problem.at..problem.at + length),
                severity: problem.severity.into(),
                message: problem.message.clone(),
            });
        }
        marks
    }

    fn place(&mut self, number: usize, span: Range<usize>) -> TextRange {
        let Some(source) = self.fleet.sources().get(number) else { return TextRange::default() };
        self.lines.entry(number).or_insert_with(|| LineStarts::of(source)).place(source, span)
    }
}

/// Where the lines of a text begin: in bytes, and in UTF-16 code units.
pub(crate) struct LineStarts(Vec<(usize, usize)>);

impl LineStarts {
    pub(crate) fn of(source: &Source) -> LineStarts {
        let mut lines = vec![(0, 0)];
        let (mut bytes, mut units) = (0, 0);
        for line in source.text.split_inclusive('\n') {
            bytes += line.len();
            units += length(line);
            lines.push((bytes, units));
        }
        LineStarts(lines)
    }

    pub(crate) fn place(&self, source: &Source, span: Range<usize>) -> TextRange {
        let unit = |at: usize| {
            let line = self.0.partition_point(|(begin, _)| *begin <= at).max(1);
            let (begin, units) = self.0.get(line - 1).copied().unwrap_or_default();
            (units + length(source.text.get(begin..at).unwrap_or_default()), line)
        };
        let (from, line) = unit(span.start);
        TextRange { from, to: unit(span.end).0, line }
    }
}

fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_browsers_count() {
        let source = Source { name: "a".to_owned(), text: "ä: 😀\nb: x\n".to_owned() };
        let lines = LineStarts::of(&source);
        let of = |part: &str| {
            let at = source.text.find(part).unwrap();
            lines.place(&source, at..at + part.len())
        };
        assert_eq!(of("😀"), TextRange { from: 3, to: 5, line: 1 });
        assert_eq!(of("x"), TextRange { from: 9, to: 10, line: 2 });
    }

    #[test]
    fn a_broken_document_is_marked_where_it_breaks() {
        let text = "a: [1\nb: 2\n".to_owned();
        let fleet = Fleet::read(vec![Source { name: "m".to_owned(), text }]);
        let marks = TextPlaces::new(&fleet).problems();
        let [mark] = marks.as_slice() else { panic!("{marks:?}") };
        assert_eq!((&*mark.text, mark.severity, mark.place.line), ("m", Weight::Error, 2));
        assert!(mark.message.starts_with("cannot read this document: invalid YAML"), "{}", mark.message);
    }
}
