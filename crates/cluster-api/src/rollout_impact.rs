//! What an edit does to Machines.

use serde::Serialize;

use crate::catalog::effects::Effect;

/// What an edit does to the Machines below the object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutImpact {
    /// Why replacing Machines is intended, as written; absent if it was not stated, or nothing is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<String>,
    /// The Cluster that states it, if it is not the object itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_on: Option<String>,
    /// Every path that differs, the most severe first.
    pub edits: Vec<RolloutEdit>,
}

/// One path that differs from the stored object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutEdit {
    /// Such as `spec.topology.workers.machineDeployments[md-0].failureDomain`.
    pub at: String,
    /// The effect.
    pub effect: Effect,
    /// The Cluster whose topology already has this value, so that the edit is not a rollout by its writer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_on: Option<String>,
    /// Whether the path is removed: an entry that has Machines, or an annotation that defers an upgrade.
    #[serde(skip)]
    pub(crate) is_removal: bool,
}

impl RolloutEdit {
    /// An edit that a webhook refuses.
    pub fn refused(at: String) -> RolloutEdit {
        RolloutEdit { at, effect: Effect::Refused, set_on: None, is_removal: false }
    }
}
