//! Why a template has no output.

use gotmpl::TemplateError;

use crate::sentences;

sentences! {
    /// Why a template has no output.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum NoOutput {
        /// As in Go.
        Error(error: String) "{error}";
        Function(name: String) "function `{name}` is not evaluated";
        /// The map is not in a variable.
        InPlace(name: String) "function `{name}` changes a map in place, which is not evaluated";
        /// The output, a value or the number of iterations is larger than what is evaluated.
        TooLong "the template takes too long, or its output is too large";
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
