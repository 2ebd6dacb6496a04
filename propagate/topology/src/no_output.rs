//! Why a template has no output.

use std::fmt;

use gotmpl::TemplateError;

/// Why a template has no output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoOutput {
    /// As in Go.
    Error(String),
    /// A function that is not evaluated here.
    Function(String),
    /// A function that changes a map that is not in a variable.
    InPlace(String),
    /// The output, a value or the number of iterations is larger than what is evaluated.
    TooLong,
}

/// One sentence: lower case, no final stop, input in backticks.
impl fmt::Display for NoOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoOutput::Error(error) => f.write_str(error),
            NoOutput::Function(name) => write!(f, "function `{name}` is not evaluated"),
            NoOutput::InPlace(name) => write!(f, "function `{name}` changes a map in place, which is not evaluated"),
            NoOutput::TooLong => f.write_str("the template takes too long, or its output is too large"),
        }
    }
}

impl From<TemplateError> for NoOutput {
    fn from(error: TemplateError) -> NoOutput {
        match error {
            TemplateError::UndefinedFunction(name) => NoOutput::Function(name),
            TemplateError::Write | TemplateError::RangeIterLimit | TemplateError::RecursionLimit => NoOutput::TooLong,
            other => NoOutput::Error(other.to_string()),
        }
    }
}
