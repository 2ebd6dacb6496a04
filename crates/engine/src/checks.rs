//! The checks: what they concern, and what they find.

use crate::finding::Finding;
use crate::json::Malformed;
use crate::review::GroupVersionKind;
use crate::settings::Settings;
use crate::subject::Subject;

/// Whether a check looks at objects of this kind, beyond those that the rules write.
pub(crate) fn concern(_kind: &GroupVersionKind<'_>) -> bool {
    false
}

/// What all checks find in an object as it would be stored, the gravest first.
///
/// # Errors
/// When the object has another shape than Kubernetes gives it.
pub(crate) fn findings(_subject: &Subject<'_>, _settings: &Settings) -> Result<Vec<Finding>, Malformed> {
    Ok(Vec::new())
}
