//! What is done about an object by the rules.

use super::said::Said;
use crate::propagation::metadata::Above;
use crate::report::change::Change;
use crate::report::finding::Finding;
use crate::report::not_applicable::NotApplicable;
use crate::report::outcome::{LogLevel, Rejection};
use crate::report::skipped::Skipped;
use crate::report::tags::TagReport;

/// What is done about an object by the rules, before it is checked.
#[derive(Default)]
pub(super) struct Settled<'e> {
    /// Why the request is refused, if it is.
    pub(super) rejection: Option<Rejection>,
    /// The object with what was missing.
    pub(super) object: Option<String>,
    pub(super) said: Said,
    /// Why nothing was decided.
    pub(super) inert: Option<NotApplicable>,
    /// What is written.
    pub(super) changes: Vec<Change>,
    /// Differences that are left as they are.
    pub(super) drift: Vec<Change>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) cloud_tags: Option<TagReport>,
    /// Findings about assignments.
    pub(super) findings: Vec<Finding>,
    /// What its sources set, if it is known.
    pub(super) above: Option<Above<'e>>,
}

impl Settled<'_> {
    /// The settings refuse what the object is or lacks.
    pub(super) fn refused(message: String) -> Self {
        let mut said = Said::default();
        said.log(LogLevel::Error, message.clone(), []);
        Settled { rejection: Some(Rejection::refused(message)), said, ..Settled::default() }
    }
}
