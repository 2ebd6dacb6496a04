//! The outcome: what was settled, and what the checks found.

use super::Evaluation;
use super::applied::{Admission, AppliedDecision, ComparedWith};
use super::check::CheckFindings;
use super::notices::{Notices, line};
use super::role::Role;
use crate::checks::refusing;
use crate::report::capped::{capped, capped_lines};
use crate::report::outcome::{LogLevel, Outcome, Rejection, Report};
use cluster_api::catalog::version::Version;
use cluster_api::messages::guards::refused_by;
use cluster_api::{guards, rollout};
use facts::fact::Fact;
use facts::finding::Finding;
use facts::messages::{SettingValue, about};
use facts::shortening::of_fact;
use facts::skipped::Skipped;
use kubernetes::settings::Stance;

impl Evaluation<'_> {
    /// The outcome, with the report if there is something to report. `notices` precede everything else.
    ///
    /// A finding at `reject` refuses the request: nothing is written, and notices about writing are dropped. Why
    /// nothing was decided is kept, because it may be the reason for the refusal.
    pub(super) fn render(&self, mut notices: Notices, applied: AppliedDecision<'_>, found: CheckFindings) -> Outcome {
        let AppliedDecision { mut admission, compared, notices: earlier_notices } = applied;
        let (mut skipped, cloud_tags, mut findings) = match compared {
            ComparedWith::Nothing => (Vec::new(), None, Vec::new()),
            ComparedWith::Sources { skipped, .. } => (skipped, None, Vec::new()),
            ComparedWith::Labels { tags, findings } => (Vec::new(), Some(*tags), findings),
        };
        findings.extend(found.findings);
        let misplaced: Vec<Fact> = found.skipped.iter().filter_map(Skipped::misplaced).collect();
        skipped.extend(found.skipped);
        let refusal = self.refusal(&findings);
        if refusal.is_none() || admission.inert().is_some() {
            notices.append(earlier_notices);
        }
        let warned = || findings.iter().filter(|finding| finding.stance == Stance::Warn);
        // A value that cannot be decoded is logged with its label.
        let is_logged = |finding: &&Finding| !matches!(finding.message, Fact::UnusableAssignment { .. });
        let lines = warned().filter(is_logged).map(|finding| {
            let message = about(&self.title, &finding.message.to_string());
            line(LogLevel::Warning, message, [("check", finding.check.to_owned()), ("at", finding.at.clone())])
        });
        notices.log.extend(capped_lines(lines.collect()));
        if let Some(message) = refusal {
            notices.log(LogLevel::Error, message.clone(), []);
            admission = admission.refused_by_check(Rejection::refused(message));
        }
        let mut notes = notices.warnings;
        notes.extend(misplaced);
        let warnings = warned().map(|finding| &finding.message).chain(&notes).flat_map(of_fact).collect();
        let mut report = Report {
            object: self.title.clone(),
            cluster_api: self.edition(),
            field_manager: self.subject.review.field_manager.as_deref().map(str::to_owned),
            exempt: found.exempt,
            findings,
            rollout: found.rollout,
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

    /// Why the findings refuse the request, and how to make the edit anyway; `None` if they do not.
    fn refusal(&self, findings: &[Finding]) -> Option<String> {
        let refusing = findings.iter().filter(|finding| finding.stance == Stance::Reject).map(|finding| {
            let value = refusing(finding.check, self.settings);
            refused_by(&finding.message.to_string(), SettingValue { setting: finding.check, value: &value })
        });
        let mut refusals: Vec<String> = refusing.collect();
        if refusals.is_empty() {
            return None;
        }
        refusals.extend(guards::way_out(findings, self.subject, self.settings.of_cluster_api()));
        refusals.extend(rollout::way_out(findings, self.subject, self.settings.of_cluster_api()));
        Some(about(&self.title, &refusals.join("; ")))
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
