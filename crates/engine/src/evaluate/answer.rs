//! The outcome: what was settled, and what the checks found.

use super::Evaluation;
use super::check::CheckFindings;
use super::role::Role;
use super::said::{Said, line};
use super::settled::Settled;
use crate::catalog::version::Version;
use crate::checks::{guards, refusing, rollout};
use crate::report::finding::Finding;
use crate::report::messages::guards::refused_by;
use crate::report::messages::{SettingValue, about};
use crate::report::outcome::{LogLevel, Outcome, Rejection, Report};
use crate::report::warnings;
use crate::settings::Stance;

impl Evaluation<'_> {
    /// The outcome, with the report if there is something to report. `said` precedes everything else.
    ///
    /// A finding at `reject` refuses the request: nothing is written, and what was said about writing is dropped. Why
    /// nothing was decided is kept, because it may be the reason for the refusal.
    pub(super) fn answer(&self, mut said: Said, settled: Settled<'_>, found: CheckFindings) -> Outcome {
        let Settled { mut rejection, mut object, mut changes, mut drift, .. } = settled;
        let findings: Vec<Finding> = settled.findings.into_iter().chain(found.findings).collect();
        let refusal = self.refusal(&findings);
        if refusal.is_none() || settled.inert.is_some() {
            said.append(settled.said);
        }
        let warned = || findings.iter().filter(|finding| finding.stance == Stance::Warn);
        let lines = warned().map(|finding| {
            let message = about(&self.title, &finding.message);
            line(LogLevel::Warning, message, [("check", finding.check.to_owned()), ("at", finding.at.clone())])
        });
        said.log.extend(warnings::capped_lines(lines.collect()));
        if let Some(message) = refusal {
            said.log(LogLevel::Error, message.clone(), []);
            rejection = Some(Rejection::refused(message));
            object = None;
            drift.append(&mut changes);
        }
        let of_findings = warned().flat_map(guards::warnings);
        let warnings = of_findings.chain(said.warnings).chain(found.warnings).collect();
        let report = Report {
            object: self.title.clone(),
            cluster_api: self.edition(),
            field_manager: self.subject.review.field_manager.as_deref().map(str::to_owned),
            inert: settled.inert,
            exempt: found.exempt,
            changes,
            drift,
            findings,
            rollout: found.rollout,
            skipped: settled.skipped.into_iter().chain(found.skipped).collect(),
            cloud_tags: settled.cloud_tags,
            lookups: self.pass.answers.records(),
        };
        let warnings = warnings::capped(warnings);
        Outcome { rejection, object, warnings, log: said.log, report: self.is_reported(&report).then_some(report) }
    }

    /// Why the findings refuse the request, and how to make the edit anyway; `None` if they do not.
    fn refusal(&self, findings: &[Finding]) -> Option<String> {
        let refusing = findings.iter().filter(|finding| finding.stance == Stance::Reject).map(|finding| {
            let value = refusing(finding.check, self.settings);
            refused_by(&finding.message, SettingValue { setting: finding.check, value: &value })
        });
        let mut refusals: Vec<String> = refusing.collect();
        if refusals.is_empty() {
            return None;
        }
        refusals.extend(guards::way_out(findings, self.subject, self.settings));
        refusals.extend(rollout::way_out(findings, self.subject, self.settings));
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
