//! What the checks make of the object as it would be stored.

use std::cell::OnceCell;

use super::role::Role;
use super::{Evaluation, line};
use crate::checks::guards::{self, Guarded};
use crate::checks::waiver::Standing;
use crate::checks::{self, Checked, misplaced, rollout};
use crate::json::Malformed;
use crate::propagation::metadata::Above;
use crate::report::finding::Finding;
use crate::report::messages::guards::refused_by;
use crate::report::messages::{SettingValue, about};
use crate::report::outcome::Level;
use crate::report::warnings;
use crate::settings::Stance;
use crate::tags::adopted;

impl<'e> Evaluation<'e> {
    /// Looks at the object as it would be stored, unless it is refused already, and at keys in places that propagate
    /// nothing. `above` is what comes from above, where it is known. What the topology controller compares is not checked:
    /// nothing is stored, and a refusal would stop its reconciliation before the write that is to be judged.
    ///
    /// # Errors
    /// When the object has another shape than Kubernetes gives it.
    pub(super) fn check(&mut self, above: Option<&Above<'e>>) -> Result<(), Malformed> {
        if let Role::Composite(_) = self.role {
            let findings: Vec<Finding> = adopted::finding(self.subject, self.settings).into_iter().collect();
            if self.outcome.rejection.is_none() && !findings.is_empty() {
                self.report_findings(Checked { findings, rollout: None });
            }
            return Ok(());
        }
        let is_compared = self.subject.is_topology_dry_run();
        if self.role.is_tagged() || matches!(self.role, Role::Registry) || is_compared {
            return Ok(());
        }
        let exemption = guards::exemption(self.subject, self.settings, &self.lookups)?;
        if let Standing::Counts(reason) = exemption {
            self.report.exempt = Some(reason.to_owned());
        }
        if self.outcome.rejection.is_none() {
            let checked = self.checked(above, &exemption)?;
            self.report_findings(checked);
        }
        let nothing = Above::default();
        let carried = &above.unwrap_or(&nothing).carried;
        let settings = &self.settings.cluster_api;
        let (skipped, warnings) = misplaced::wrong_places(self.subject, &self.report, carried, settings)?;
        self.report.skipped.extend(skipped);
        self.outcome.warnings.extend(warnings);
        Ok(())
    }

    fn checked(&self, above: Option<&Above<'e>>, exemption: &Standing<'e>) -> Result<Checked, Malformed> {
        let rewritten = self.pass.written.get().map(|written| self.subject.rewritten(written)).transpose()?;
        checks::check(&Guarded {
            subject: rewritten.as_ref().unwrap_or(self.subject),
            above,
            drift: &self.report.drift,
            lookups: &self.lookups,
            settings: self.settings,
            exemption,
            cluster: OnceCell::new(),
        })
    }

    pub(super) fn report_findings(&mut self, Checked { findings, rollout }: Checked) {
        let of_stance = |stance| findings.iter().filter(move |finding| finding.stance == stance);
        let mut refusals: Vec<String> = of_stance(Stance::Reject).map(|finding| self.refusal(finding)).collect();
        if !refusals.is_empty() {
            refusals.extend(guards::way_out(&findings, self.subject, self.settings));
            refusals.extend(rollout::way_out(&findings, self.subject, self.settings));
            self.refuse(about(&self.report.object, &refusals.join("; ")));
            // Nothing of what was going to be written is.
            self.report.drift.append(&mut self.report.changes);
        }
        let lines = of_stance(Stance::Warn).map(|finding| {
            let message = about(&self.report.object, &finding.message);
            line(Level::Warning, message, [("check", finding.check.to_owned()), ("at", finding.at.clone())])
        });
        let lines = warnings::capped_lines(lines.collect());
        // The line about a refusal stays the last one.
        let at = self.outcome.log.len().saturating_sub(usize::from(!refusals.is_empty()));
        self.outcome.log.splice(at..at, lines);
        let warnings = of_stance(Stance::Warn).flat_map(guards::warnings);
        let warnings: Vec<String> = warnings.collect();
        self.outcome.warnings.splice(0..0, warnings);
        self.report.findings = findings;
        self.report.rollout = rollout;
    }

    fn refusal(&self, finding: &Finding) -> String {
        let value = checks::refusing(finding.check, self.settings);
        refused_by(&finding.message, SettingValue { setting: finding.check, value: &value })
    }
}
