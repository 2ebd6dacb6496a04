//! Why Crossplane cannot parse or follow a path.

use std::fmt;

use kubernetes::Datum;

/// Why Crossplane cannot parse or follow a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathProblem {
    /// A character where the syntax has another one.
    Unexpected(char, usize),
    /// A bracket that is not closed.
    NotClosed(usize),
    /// An index that is larger than the largest one that Crossplane accepts.
    IndexTooLarge(u32, u32),
    /// The value that should have this field is not an object.
    NotAnObject(String),
    /// The value that should have this element is not a list.
    NotAList(u32),
}

/// The end of a sentence about the path.
impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathProblem::Unexpected(letter, position) => write!(f, "unexpected `{letter}` at position {position}"),
            PathProblem::NotClosed(position) => write!(f, "`[` at position {position} is not closed"),
            PathProblem::IndexTooLarge(index, largest) => write!(f, "index {index} is greater than {largest}"),
            PathProblem::NotAnObject(field) => write!(f, "the parent of `{field}` is not an object"),
            PathProblem::NotAList(index) => write!(f, "the parent of element {index} is not a list"),
        }
    }
}

impl Datum for PathProblem {}
