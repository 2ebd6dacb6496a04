//! The checks: what they concern, and what they find.

use crate::finding::Finding;
use crate::guards::{self, Guarded};
use crate::json::Malformed;
use crate::review::GroupVersionKind;

/// Whether a check looks at objects of this kind, beyond those that the rules write.
pub(crate) fn concern(kind: &GroupVersionKind<'_>) -> bool {
    guards::concern(kind)
}

/// What all checks find in an object as it would be stored, the gravest first.
///
/// # Errors
/// When the object has another shape than Kubernetes gives it.
pub(crate) fn findings(guarded: &Guarded<'_, '_>) -> Result<Vec<Finding>, Malformed> {
    guards::findings(guarded)
}
