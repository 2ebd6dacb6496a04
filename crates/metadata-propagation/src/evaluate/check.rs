//! The checks of the object as it would be stored.

use std::cell::OnceCell;

use super::Evaluation;
use super::applied::AppliedDecision;
use super::role::Role;
use crate::checks::{self, Checked};
use crate::fact::Finding;
use crate::json::{Document, Malformed};
use cloud_tags::origin_finding;
use cluster_api::guards::{self, Guarded};
use cluster_api::misplaced;
use cluster_api::propagation::metadata::SourceKeys;
use cluster_api::rollout::RolloutImpact;
use cluster_api::skipped::Skipped;
use cluster_api::waiver::Standing;

/// What the checks find.
#[derive(Default)]
pub(super) struct CheckFindings {
    /// Why guards are off for the object.
    pub(super) exempt: Option<String>,
    /// The most severe first.
    pub(super) findings: Vec<Finding>,
    /// The effect of the edit on Machines, if it was classified.
    pub(super) rollout: Option<RolloutImpact>,
    /// Keys at places from which nothing propagates.
    pub(super) skipped: Vec<Skipped>,
    /// What the findings refuse, and how to make the edit anyway.
    pub(super) refusal: Option<String>,
}

impl<'e> Evaluation<'e> {
    /// Checks the object as it would be stored, unless it is already refused, including keys at places from which
    /// nothing propagates. Dry runs of the topology controller are not checked: nothing is stored, and a refusal would
    /// stop its reconciliation before the write that should be checked.
    pub(super) fn check(&self, applied: &AppliedDecision<'e>) -> Result<CheckFindings, Malformed> {
        let is_refused = applied.admission.is_refused();
        if let Role::Composite(_) = self.role {
            let finding = if is_refused { None } else { origin_finding(self.subject, self.settings.of_tags()) };
            return Ok(CheckFindings {
                findings: finding.into_iter().map(cloud_tags::fact::Finding::widen).collect(),
                ..CheckFindings::default()
            });
        }
        let is_compared = self.subject.is_topology_dry_run();
        if self.role.is_tagged() || is_compared {
            return Ok(CheckFindings::default());
        }
        let exemption = guards::exemption(
            self.subject,
            self.settings.of_cluster_api(),
            &self.lookups,
            matches!(self.role, Role::Registry | Role::Definition),
        )?;
        let Checked { findings, rollout } =
            if is_refused { Checked::default() } else { self.checked(applied, &exemption)? };
        let nothing = SourceKeys::default();
        let source_keys = applied.source_keys().unwrap_or(&nothing);
        let settings = &self.settings.cluster_api;
        let skipped = misplaced::wrong_places(self.subject, applied.admission.inert(), source_keys, settings)?;
        let exempt = match exemption {
            Standing::Counts(reason) => Some(reason.to_owned()),
            _ => None,
        };
        Ok(CheckFindings { exempt, findings, rollout, skipped, refusal: None })
    }

    fn checked(&self, applied: &AppliedDecision<'e>, exemption: &Standing<'e>) -> Result<Checked, Malformed> {
        let written =
            applied.admission.written().map(|text| self.pass.written.get_or_init(|| Document::new(text.clone())));
        let rewritten = written.map(|written| self.subject.rewritten(written)).transpose()?;
        let guarded = Guarded {
            subject: rewritten.as_ref().unwrap_or(self.subject),
            source_keys: applied.source_keys(),
            drift: applied.admission.drift(),
            lookups: &self.lookups,
            settings: self.settings.of_cluster_api(),
            exemption,
            cluster: OnceCell::new(),
        };
        checks::check(&guarded, self.settings.of_tags())
    }
}
