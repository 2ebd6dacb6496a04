//! Why a Composition cannot be evaluated to the end.

use crate::json::Malformed;
use crate::json::document::Json;

/// Why a Composition cannot be evaluated to the end.
pub(super) enum Halt<'a> {
    /// It does not have the structure that Crossplane defines, or is too large.
    Malformed(Malformed),
    /// A function fails because of it, and Crossplane composes nothing.
    Fails(FunctionFailure<'a>),
}

/// Why a function fails.
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
