//! The checks: what they cover, and what they find.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::fact::Finding;
use crate::json::Malformed;
use crate::settings::Settings;
use cluster_api::fact::Finding as ClusterApiFinding;
use cluster_api::guards::Guarded;
use cluster_api::rollout::RolloutImpact;
use cluster_api::waiver::{APPROVAL, EXEMPTION};
use cluster_api::{guards, rollout};
use kubernetes::settings::Stance;
use tag_rules::TagSettings;

/// The findings of all checks in an object as it would be stored.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The most severe first.
    pub(crate) findings: Vec<Finding>,
    /// The effect of the edit on Machines, if it was classified.
    pub(crate) rollout: Option<RolloutImpact>,
}

/// Runs all checks. A guard's finding about a place precedes the effect of its edit on Machines.
pub(crate) fn check(guarded: &Guarded<'_, '_>, tags: TagSettings<'_>) -> Result<Checked, Malformed> {
    let (subject, settings, lookups) = (guarded.subject, guarded.settings, guarded.lookups);
    let mut found: Vec<Finding> = guards::findings(guarded)?.into_iter().map(ClusterApiFinding::widen).collect();
    found.extend(rollout::forbidden_approval(subject, settings, lookups)?.map(ClusterApiFinding::widen));
    let rollout = rollout::impact(subject, settings, lookups)?.map(|(impact, findings)| {
        let guarded: BTreeSet<String> = found.iter().map(|finding| finding.at.clone()).collect();
        let unguarded = findings.into_iter().filter(|finding| !guarded.contains(&finding.at));
        found.extend(unguarded.map(ClusterApiFinding::widen));
        impact
    });
    found.extend(tag_delivery::findings(subject, tags)?.into_iter().map(tag_delivery::Finding::widen));
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
