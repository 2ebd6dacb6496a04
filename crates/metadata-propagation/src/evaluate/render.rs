//! The outcome in words: what was done, and what the checks found.

use super::Evaluation;
use super::applied::{Admission, AppliedDecision, ComparedWith};
use super::check::CheckFindings;
use super::notices::{Notices, line};
use super::role::Role;
use crate::fact::{Fact, Finding};
use crate::report::shortening::of_fact;
use crate::report::shortening::{capped, capped_lines};
use crate::report::{LogLevel, Outcome, Report, without_control_characters};
use cloud_tags::fact::CloudTagFact;
use cluster_api::catalog::Version;
use cluster_api::skipped::Skipped;
use kubernetes::about;
use kubernetes::settings::Stance;

impl Evaluation<'_> {
    /// The outcome, with the report if there is something to report. `hints` precede everything else.
    pub(super) fn render(&self, hints: Notices, applied: AppliedDecision<'_>, found: CheckFindings) -> Outcome {
        let AppliedDecision { admission, compared, notices: settled } = applied;
        let CheckFindings { exempt, findings, rollout, skipped: wrong_places, refusal } = found;
        let (mut skipped, cloud_tags) = match compared {
            ComparedWith::Nothing => (Vec::new(), None),
            ComparedWith::Sources { skipped, .. } => (skipped, None),
            ComparedWith::Labels { tags, .. } => (Vec::new(), Some(*tags)),
        };
        let misplaced: Vec<Fact> = wrong_places.iter().filter_map(Skipped::misplaced).map(Fact::from).collect();
        skipped.extend(wrong_places);
        let mut notices = hints;
        notices.append(settled);
        let warned = || findings.iter().filter(|finding| finding.stance == Stance::Warn);
        // A value that cannot be decoded is logged with its label.
        let is_logged = |finding: &&Finding| {
            !matches!(finding.message, Fact::CloudTags { fact: CloudTagFact::UnusableAssignment { .. } })
        };
        let lines = warned().filter(is_logged).map(|finding| {
            let message = about(&self.title, &finding.message.to_string());
            line(LogLevel::Warning, message, [("check", finding.check.to_owned()), ("at", finding.at.clone())])
        });
        notices.log.extend(capped_lines(lines.collect()));
        if let Some(message) = refusal {
            notices.log(LogLevel::Error, message, []);
        }
        let mut notes = notices.warnings;
        notes.extend(misplaced);
        let warnings = warned().map(|finding| &finding.message).chain(&notes).flat_map(of_fact);
        // The API server drops a warning with a control character.
        let warnings = warnings.map(without_control_characters).collect();
        let mut report = Report {
            object: self.title.clone(),
            cluster_api: self.edition(),
            field_manager: self.subject.review.field_manager.as_deref().map(str::to_owned),
            exempt,
            findings,
            rollout,
            skipped,
            cloud_tags,
            lookups: self.pass.answers.records(),
            ..Report::default()
        };
        let mut outcome = Outcome { warnings: capped(warnings), notes, log: notices.log, ..Outcome::default() };
        match admission {
            Admission::Accepted { drift } => report.drift = drift,
            Admission::Written { object, changes, drift } => {
                outcome.object = Some(object);
                (report.changes, report.drift) = (changes, drift);
            }
            Admission::Refused { rejection, drift } => {
                outcome.rejection = Some(rejection);
                report.drift = drift;
            }
            Admission::Undecided { inert, rejection, malformed } => {
                report.inert = Some(inert);
                (outcome.rejection, outcome.malformed) = (rejection, malformed);
            }
        }
        outcome.report = self.is_reported(&report).then_some(report);
        outcome
    }

    /// The version of Cluster API whose rules were applied; empty if labels become tags.
    fn edition(&self) -> String {
        let version = self.settings.cluster_api.version.min(Version::NEWEST);
        if self.role.is_tagged() { String::new() } else { version.to_string() }
    }

    fn is_reported(&self, report: &Report) -> bool {
        self.subject.place.is_some()
            || self.role.is_tagged()
            || (matches!(self.role, Role::Registry) && !report.lookups.is_empty())
            || report.rollout.is_some()
            || report.exempt.is_some()
            || !(report.findings.is_empty() && report.changes.is_empty() && report.drift.is_empty())
    }
}
