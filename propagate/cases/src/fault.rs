//! Why a case cannot be run.

use std::fmt;

use fleet::Position;

/// What is wrong with a case: one sentence, and where in its text that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFault {
    /// Lower case, no final stop, input in backticks.
    pub message: String,
    /// Line and column.
    pub at: Option<Position>,
}

impl CaseFault {
    pub(crate) fn new(message: impl Into<String>) -> CaseFault {
        CaseFault { message: message.into(), at: None }
    }

    /// What an error is about, such as `failures[0]`.
    pub(crate) fn of(subject: impl fmt::Display, error: impl fmt::Display) -> CaseFault {
        CaseFault::new(format!("`{subject}`: {error}"))
    }
}

impl fmt::Display for CaseFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.at {
            write!(f, "{line}:{column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for CaseFault {}
