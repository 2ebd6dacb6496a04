//! The checks: what they cover, and what they find.

use std::borrow::Cow;
use std::collections::BTreeSet;

use cluster_api::guards::{self, Guarded};
use cluster_api::rollout;
use cluster_api::rollout_impact::RolloutImpact;
use cluster_api::waiver::{APPROVAL, EXEMPTION};
use facts::finding::Finding;
use kubernetes::settings::Stance;
use tag_rules::TagSettings;

use crate::json::Malformed;
use crate::settings::Settings;

/// The findings of all checks in an object as it would be stored.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The most severe first.
    pub(crate) findings: Vec<Finding>,
    /// The effect of the edit on Machines, if it was classified.
    pub(crate) rollout: Option<RolloutImpact>,
}

/// Runs all checks. A guard's finding about a place precedes the effect of its edit on Machines.
///
/// # Errors
/// When the object does not have the structure of a Kubernetes object.
pub(crate) fn check(guarded: &Guarded<'_, '_>, tags: TagSettings<'_>) -> Result<Checked, Malformed> {
    let (subject, settings, lookups) = (guarded.subject, guarded.settings, guarded.lookups);
    let mut found = guards::findings(guarded)?;
    found.extend(rollout::forbidden_approval(subject, settings, lookups)?);
    let rollout = rollout::impact(subject, settings, lookups)?.map(|(impact, findings)| {
        let guarded: BTreeSet<String> = found.iter().map(|finding| finding.at.clone()).collect();
        found.extend(findings.into_iter().filter(|finding| !guarded.contains(&finding.at)));
        impact
    });
    found.extend(tag_delivery::findings(subject, tags)?);
    let (mut findings, others): (Vec<Finding>, Vec<Finding>) =
        found.into_iter().partition(|finding| finding.stance == Stance::Reject);
    findings.extend(others);
    Ok(Checked { findings, rollout })
}

/// The value of a check's setting that refuses a request.
pub(crate) fn refusing(check: &str, settings: &Settings) -> Cow<'static, str> {
    match [EXEMPTION, APPROVAL].iter().find(|waiver| waiver.setting == check) {
        Some(waiver) => waiver.users(settings.of_cluster_api()).into(),
        None => tag_delivery::refusing(check, settings.of_tags()).into(),
    }
}
