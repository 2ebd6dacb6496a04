//! A controller's own writes compared with the rules.

use super::{Evaluation, line};
use crate::report::messages::propagation::controller_write_does_not_match;
use crate::report::outcome::{Level, Outcome};

impl Evaluation<'_> {
    /// Compares a controller's write with the rules. Whatever comes of it, the write passes as it is.
    pub(super) fn self_check(mut self) -> Outcome {
        let Ok(differences) = self.compare(false) else {
            return Outcome::default();
        };
        if differences.changes.is_empty() {
            return Outcome::default();
        }
        let message = controller_write_does_not_match(&self.report.object);
        let drift: Vec<String> =
            differences.changes.iter().map(|change| format!("{} {}", change.at, change.key)).collect();
        self.outcome.log.push(line(Level::Warning, message, [("drift", drift.join(", "))]));
        self.report.drift = differences.changes;
        self.report.skipped = differences.skipped;
        self.answer()
    }
}
