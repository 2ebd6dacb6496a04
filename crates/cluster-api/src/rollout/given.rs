//! Whether the condition of an effect holds, as far as the objects show.

use std::cell::OnceCell;

use crate::catalog::effects::{Effect, Given};
use crate::catalog::keys::{PENDING_HOOKS, UPDATE_IN_PROGRESS};
use crate::json::Json;
use kubernetes::Object;

/// Reasons of a Cluster's condition `TopologyReconciled` while an upgrade is pending.
///
/// Source: api/core/v1beta2/cluster_types.go and v1beta1_condition_consts.go, set by
/// `reconcileTopologyReconciledCondition` in core/reconcilers/topology/cluster/status.go; `ClusterUpgrading` since
/// v1.12, also for an upgrade that hooks block.
const PENDING: &[&str] = &[
    "ClusterUpgrading",
    "ControlPlaneUpgradePending",
    "LifecycleHookBlocking",
    "MachineDeploymentsUpgradeDeferred",
    "MachineDeploymentsUpgradePending",
    "MachinePoolsUpgradeDeferred",
    "MachinePoolsUpgradePending",
];

/// Among a Cluster's pending hooks from the start of an upgrade to its end.
///
/// Source: `callBeforeClusterUpgradeHook` in exp/topology/desiredstate/lifecycle_hooks.go.
const AFTER_UPGRADE: &str = "AfterClusterUpgrade";

pub(super) struct EditContext<'a> {
    old: &'a Object<'a>,
    new: &'a Object<'a>,
    /// The object with `replicas` for the edit, as stored and as it would be: the `spec`, or an entry of a topology.
    pub(super) holder: [Json<'a>; 2],
    pub(super) field: &'a str,
    /// Whether an upgrade is pending, and whether one has begun, once that is asked.
    pending_upgrade: OnceCell<Option<bool>>,
    upgrade_begun: OnceCell<bool>,
}

impl<'a> EditContext<'a> {
    pub(super) fn of(old: &'a Object<'a>, new: &'a Object<'a>) -> Self {
        let holder = [old.spec, new.spec];
        EditContext { old, new, holder, field: "", pending_upgrade: OnceCell::new(), upgrade_begun: OnceCell::new() }
    }

    pub(super) fn effect(&self, effect: Effect, given: Given) -> Effect {
        let holds = match given {
            Given::Always => Some(true),
            Given::Replicas => Some(self.has_replicas()),
            Given::Topology => Some(self.new.spec.get("topology").is_ok_and(|topology| !topology.is_null())),
            Given::PendingUpgrade => *self.pending_upgrade.get_or_init(|| self.has_pending_upgrade()),
            Given::HeldUpgrade => {
                if *self.upgrade_begun.get_or_init(|| self.has_upgrade_begun()) {
                    Some(false)
                } else {
                    *self.pending_upgrade.get_or_init(|| self.has_pending_upgrade())
                }
            }
            Given::OutdatedMachines => self.has_outdated_machines(),
            Given::NoInPlaceUpdate => Some(!self.new.annotations.contains_key(UPDATE_IN_PROGRESS)),
        };
        match holds {
            Some(true) => effect,
            Some(false) => Effect::Nothing,
            None => effect.min(Effect::CannotTell),
        }
    }

    /// The effect by the strategy that the object or the entry would have.
    ///
    /// Source: core/reconcilers/machinedeployment/machinedeployment_rollout_ondelete.go, `planOnDelete`.
    pub(super) fn by_strategy(&self, effect: Effect) -> Effect {
        let [_, new] = self.holder;
        if is_on_delete(new) == Some(true) { effect.when_deleted() } else { effect }
    }

    /// Whether the stored object has Machines, as far as its `replicas` show; if they are absent, something else sets
    /// them.
    pub(super) fn had_replicas(&self) -> bool {
        let [old, _] = self.holder;
        number(old, "replicas") != Some(0)
    }

    /// Whether there are Machines now and after the edit.
    fn has_replicas(&self) -> bool {
        let [_, new] = self.holder;
        let are_left = || number(self.old.status, "replicas").is_some_and(|replicas| replicas > 0);
        number(new, "replicas") != Some(0) && (self.had_replicas() || are_left())
    }

    /// v1beta1 omits a count of 0, and has another name for the field.
    fn has_outdated_machines(&self) -> Option<bool> {
        if !self.had_replicas() {
            return Some(false);
        }
        let status = self.old.status;
        let up_to_date = match self.old.version {
            "v1beta1" => number(status, "updatedReplicas").unwrap_or(0),
            _ => number(status, "upToDateReplicas")?,
        };
        Some(number(status, "replicas")? > up_to_date)
    }

    fn has_pending_upgrade(&self) -> Option<bool> {
        let is = |condition: Json<'a>, field, value| condition.get(field).is_ok_and(|it| it.as_str() == Some(value));
        let mut conditions = self.old.status.get("conditions").ok()?.as_elements()?;
        let reconciled = conditions.find(|condition| is(*condition, "type", "TopologyReconciled"))?;
        if is(reconciled, "status", "True") {
            return Some(false);
        }
        Some(true).filter(|_| PENDING.iter().any(|reason| is(reconciled, "reason", reason)))
    }

    fn has_upgrade_begun(&self) -> bool {
        let hooks = self.old.annotations.get(PENDING_HOOKS).unwrap_or_default();
        hooks.split(',').any(|hook| hook == AFTER_UPGRADE)
    }
}

/// Whether the strategy of a MachineDeployment's spec, or of an entry that one is made from, is OnDelete; `None` if it
/// has none.
pub(super) fn is_on_delete(holder: Json<'_>) -> Option<bool> {
    let kinds = [&["strategy", "type"][..], &["rollout", "strategy", "type"]].map(|path| holder.at(path).ok());
    kinds.into_iter().flatten().find_map(|kind| kind.as_str()).map(|kind| kind == "OnDelete")
}

impl Effect {
    /// The same where Machines are only replaced when somebody deletes them.
    pub(super) fn when_deleted(self) -> Effect {
        match self {
            Effect::Scheduled | Effect::Rollout => Effect::ReplacedWhenDeleted,
            other => other,
        }
    }
}

fn number(holder: Json<'_>, field: &str) -> Option<i64> {
    holder.get(field).ok()?.text().parse().ok()
}
