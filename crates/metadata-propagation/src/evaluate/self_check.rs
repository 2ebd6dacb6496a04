//! A controller's own writes compared with the rules.

use super::Evaluation;
use super::applied::{Admission, AppliedDecision, ComparedWith};
use super::check::CheckFindings;
use super::notices::Notices;
use crate::report::messages::propagation::controller_write_does_not_match;
use crate::report::outcome::{LogLevel, Outcome};

impl Evaluation<'_> {
    /// Compares a controller's write with the rules. The write is accepted unchanged in any case.
    pub(super) fn self_check(&self) -> Outcome {
        let Ok(differences) = self.compare(false) else {
            return Outcome::default();
        };
        if differences.changes.is_empty() {
            return Outcome::default();
        }
        let mut notices = Notices::default();
        let drift: Vec<String> =
            differences.changes.iter().map(|change| format!("{} {}", change.at, change.key)).collect();
        let message = controller_write_does_not_match(&self.title);
        notices.log(LogLevel::Warning, message, [("drift", drift.join(", "))]);
        let applied = AppliedDecision {
            admission: Admission::Accepted { drift: differences.changes.into_iter().map(|it| it.change).collect() },
            compared: ComparedWith::Sources { skipped: differences.skipped, source_keys: None },
            notices: Notices::default(),
        };
        self.render(notices, applied, CheckFindings::default())
    }
}
