//! A JSON value of the wrong type for its place.

use std::fmt;

/// A JSON value of the wrong type for its place: where, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Dotted path from the object's root, such as `spec.template.metadata.labels`.
    pub path: String,
    /// What is wrong, as the end of a sentence that begins with the path.
    pub problem: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.path, self.problem)
    }
}

impl std::error::Error for Malformed {}
