//! Why a Composition cannot be evaluated to the end.

use crate::fault::TagFault;
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
    pub(super) fault: TagFault,
}

impl<'a> Halt<'a> {
    pub(super) fn fails(at: Json<'a>, fault: TagFault) -> Self {
        Halt::Fails(FunctionFailure { at, fault })
    }
}

impl From<Malformed> for Halt<'_> {
    fn from(malformed: Malformed) -> Self {
        Halt::Malformed(malformed)
    }
}
