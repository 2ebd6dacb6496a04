//! Crossplane's field paths: `spec.forProvider.tags`, `spec.settings[0].userLabels`, `spec["cloudTags"]`.
//!
//! Source: crossplane-runtime, pkg/fieldpath/fieldpath.go, `Parse`; pkg/fieldpath/paved.go, `DefaultMaxFieldPathIndex`.

use crate::path_problem::PathProblem;

/// The largest index that Crossplane accepts.
const LARGEST_INDEX: u32 = 1024;

/// One step of a path. Elements of a list have an index; everything else, including a wildcard, is a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldPathStep<'a> {
    /// To the field of an object.
    Field(&'a str),
    /// To the element of a list.
    Element(u32),
}

impl FieldPathStep<'_> {
    /// Matches every field, or every element. Only some patches expand it; for the others it is a field's name.
    pub(super) const EVERY: FieldPathStep<'static> = FieldPathStep::Field("*");
}

/// The steps of a path.
///
/// # Errors
/// When Crossplane cannot parse it.
pub fn parse(path: &str) -> Result<Vec<FieldPathStep<'_>>, PathProblem> {
    let mut steps = Vec::new();
    let mut begin = 0;
    let mut letters = path.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '.' => {
                push_field(&mut steps, path, begin, at);
                begin = at + 1;
                match letters.peek() {
                    _ if at == 0 => return Err(PathProblem::Unexpected('.', at)),
                    None => return Err(PathProblem::Unexpected('.', at)),
                    Some((next, letter @ ('.' | '['))) => return Err(PathProblem::Unexpected(*letter, *next)),
                    Some(_) => {}
                }
            }
            '[' => {
                push_field(&mut steps, path, begin, at);
                let inside = path.get(at + 1..).unwrap_or_default();
                let Some((inside, _)) = inside.split_once(']') else {
                    return Err(PathProblem::NotClosed(at));
                };
                let end = at + 1 + inside.len();
                if inside.is_empty() {
                    return Err(PathProblem::Unexpected(']', end));
                }
                if let Some(inner) = inside.find('[') {
                    return Err(PathProblem::Unexpected('[', at + 1 + inner));
                }
                steps.push(field_or_element(inside)?);
                begin = end + 1;
                while letters.next_if(|(at, _)| *at <= end).is_some() {}
            }
            ']' => return Err(PathProblem::Unexpected(']', at)),
            _ => {}
        }
    }
    push_field(&mut steps, path, begin, path.len());
    Ok(steps)
}

/// An empty name is no step, as after a bracket.
fn push_field<'a>(steps: &mut Vec<FieldPathStep<'a>>, path: &'a str, begin: usize, end: usize) {
    if let Some(name) = path.get(begin..end).filter(|name| !name.is_empty()) {
        steps.push(field(name));
    }
}

fn field(name: &str) -> FieldPathStep<'_> {
    FieldPathStep::Field(name.trim_matches(['\'', '"']))
}

fn field_or_element(inside: &str) -> Result<FieldPathStep<'_>, PathProblem> {
    let is_number = inside.bytes().all(|byte| byte.is_ascii_digit());
    match inside.parse::<u32>().ok().filter(|_| is_number) {
        None => Ok(field(inside)),
        Some(index) if index > LARGEST_INDEX => Err(PathProblem::IndexTooLarge(index, LARGEST_INDEX)),
        Some(index) => Ok(FieldPathStep::Element(index)),
    }
}

#[cfg(test)]
mod tests {
    use super::FieldPathStep::{Element, Field};
    use super::*;

    #[test]
    fn periods_and_brackets_separate_steps() {
        let tags = [Field("spec"), Field("forProvider"), Field("tags")];
        for path in [
            "spec.forProvider.tags",
            "spec[\"forProvider\"]['tags']",
            "spec[forProvider].tags",
            "spec[forProvider]tags",
            "'spec'.forProvider.\"tags\"",
        ] {
            assert_eq!(parse(path).unwrap(), tags, "{path}");
        }
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn a_period_in_brackets_belongs_to_the_name() {
        let expected = [Field("spec"), Field("forProvider.tags")];
        assert_eq!(parse("spec[\"forProvider.tags\"]").unwrap(), expected);
        assert_eq!(parse("spec[forProvider.tags]").unwrap(), expected);
    }

    #[test]
    fn a_number_in_brackets_is_an_index() {
        let expected = [Field("a"), Element(12), Field("b"), Element(0), Field("1")];
        assert_eq!(parse("a[12].b[0].1").unwrap(), expected);
        assert_eq!(parse("a[\"0\"][4294967296][+1]").unwrap()[1..], [Field("0"), Field("4294967296"), Field("+1")]);
        assert_eq!(parse("a[*]").unwrap(), [Field("a"), FieldPathStep::EVERY]);
    }

    #[test]
    fn what_crossplane_cannot_read_is_reported_with_its_position() {
        for (path, expected) in [
            (".spec", "unexpected `.` at position 0"),
            ("spec.", "unexpected `.` at position 4"),
            ("a..b", "unexpected `.` at position 2"),
            ("a.[b]", "unexpected `[` at position 2"),
            ("a]", "unexpected `]` at position 1"),
            ("a.b]", "unexpected `]` at position 3"),
            ("a[]", "unexpected `]` at position 2"),
            ("a[b[c]", "unexpected `[` at position 3"),
            ("a[b", "`[` at position 1 is not closed"),
            ("größe[1025]", "index 1025 is greater than 1024"),
        ] {
            assert_eq!(parse(path).unwrap_err().to_string(), expected, "{path}");
        }
    }
}
