//! The checks: what they concern, and what they find.

use crate::finding::Finding;
use crate::json::Malformed;
use crate::review::Review;
use crate::rollout::{self, Foresight};
use crate::settings::Settings;
use crate::subject::Subject;

/// What all checks found in an object as it would be stored.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The gravest first.
    pub(crate) findings: Vec<Finding>,
    /// What the edit does to Machines, where it was classified.
    pub(crate) rollout: Option<Foresight>,
}

/// Whether a check looks at such a request, although no rule writes objects of this kind.
pub(crate) fn concern(review: &Review<'_>, settings: &Settings) -> bool {
    rollout::concerns(review, settings)
}

/// Runs all checks.
///
/// # Errors
/// When the object has another shape than Kubernetes gives it.
pub(crate) fn check(subject: &Subject<'_>, settings: &Settings) -> Result<Checked, Malformed> {
    Ok(match rollout::foresight(subject, settings)? {
        Some((foresight, findings)) => Checked { findings, rollout: Some(foresight) },
        None => Checked::default(),
    })
}
