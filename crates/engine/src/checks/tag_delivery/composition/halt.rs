//! Why a Composition is not played to its end.

use crate::json::Malformed;
use crate::json::document::Json;

/// Why a Composition is not played to its end.
pub(super) enum Halt<'a> {
    /// It has another shape than Crossplane gives it, or is too large to be read.
    Malformed(Malformed),
    /// A function fails over it, and Crossplane composes nothing.
    Fails(FunctionFailure<'a>),
}

/// What a function fails over.
pub(super) struct FunctionFailure<'a> {
    pub(super) at: Json<'a>,
    pub(super) problem: String,
}

impl<'a> Halt<'a> {
    pub(super) fn fails(at: Json<'a>, problem: impl Into<String>) -> Self {
        Halt::Fails(FunctionFailure { at, problem: problem.into() })
    }
}

impl From<Malformed> for Halt<'_> {
    fn from(malformed: Malformed) -> Self {
        Halt::Malformed(malformed)
    }
}
