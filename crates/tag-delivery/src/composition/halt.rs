//! Why a Composition cannot be evaluated to the end.

use crate::fault::TagFault;
use crate::json::{Json, Malformed};

/// Why a Composition cannot be evaluated to the end.
pub(super) enum Halt<'a> {
    /// It does not have the structure that Crossplane defines, or is too large.
    Malformed(Malformed),
    /// A function fails because of what is here, and Crossplane composes nothing.
    Fails(Json<'a>, TagFault),
}

impl From<Malformed> for Halt<'_> {
    fn from(malformed: Malformed) -> Self {
        Halt::Malformed(malformed)
    }
}
