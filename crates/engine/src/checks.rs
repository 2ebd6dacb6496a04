//! The checks: what they concern, and what they find.

use crate::finding::Finding;
use crate::json::Malformed;
use crate::review::GroupVersionKind;
use crate::settings::Settings;
use crate::subject::Subject;
use crate::survival;

/// Whether a check looks at objects of this kind, beyond those that the rules write.
pub(crate) fn concern(kind: &GroupVersionKind<'_>) -> bool {
    survival::concerns(kind)
}

/// What all checks find in an object as it would be stored, the gravest first.
///
/// # Errors
/// When the object has another shape than Kubernetes gives it.
pub(crate) fn findings(subject: &Subject<'_>, settings: &Settings) -> Result<Vec<Finding>, Malformed> {
    survival::findings(subject, settings)
}

/// The value of a check's setting that refuses a request.
pub(crate) fn refusing(check: &str, settings: &Settings) -> &'static str {
    survival::refusing(check, settings)
}
