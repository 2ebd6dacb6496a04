//! What an edit does to Machines.

use serde::Serialize;

use crate::catalog::effects::Effect;

/// What an edit does to the Machines below the object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutImpact {
    /// Why replacing Machines is meant, as it was written; absent where it was not, or nothing is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<String>,
    /// The Cluster that says so, where it is not the object itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_on: Option<String>,
    /// Every path that differs, the gravest first.
    pub edits: Vec<RolloutEdit>,
}

/// One path that differs from what is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutEdit {
    /// Such as `spec.topology.workers.machineDeployments[md-0].failureDomain`.
    pub at: String,
    /// The effect.
    pub effect: Effect,
    /// The Cluster whose topology says so already, which makes the edit no rollout of its writer's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_on: Option<String>,
    /// Whether the path is removed: an entry with Machines of its own, or what holds an upgrade back.
    #[serde(skip)]
    pub(crate) is_removal: bool,
}
