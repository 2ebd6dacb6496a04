//! What matters around the effects of a change: rollouts that happen at the same time, and what has to be applied first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use metadata_propagation::Effect;
use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;

use super::refused::is_refused;
use super::{Happens, Machines, Planned, PlannedOwner};
use crate::count::count;
use crate::hierarchy::Hierarchy;
use crate::object::ObjectId;
use crate::relations::text;
use crate::scope::class_templates;

/// What matters around the effects of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanNote {
    /// Owners that are rolled out at the same time. The limits are those of all together, if they are known.
    ///
    /// Source: `reconcileState` in core/reconcilers/topology/cluster/reconcile_state.go of Cluster API v1.14, which updates
    /// all owners one after another and waits for none; only `computeMachineDeploymentVersion` and
    /// `computeMachinePoolVersion` in exp/topology/desiredstate/desired_state.go ask for the annotation
    /// `topology.cluster.x-k8s.io/upgrade-concurrency`, which is 1 by default.
    AtOnce {
        /// The owners.
        owners: Vec<ObjectId>,
        /// The number of their Clusters.
        clusters: usize,
        /// The limits of all of them together.
        limits: Option<RolloutLimits>,
    },
    /// Each of these objects replaces the Machines of owners, and they are applied one after another.
    ///
    /// Source: the same; a template of the topology is replaced by a new one whenever what is computed differs.
    Apart {
        /// The objects.
        objects: Vec<ObjectId>,
        /// The owners.
        owners: Vec<ObjectId>,
    },
    /// Objects that have to be applied before another one.
    First {
        /// The objects.
        first: BTreeSet<ObjectId>,
        /// The other one.
        then: ObjectId,
        /// What happens in the other order.
        otherwise: Otherwise,
    },
}

/// What happens if the other object is applied first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Otherwise {
    /// The topologies of a class are not reconciled until its templates are there; its webhook does not look for them.
    ///
    /// Source: `getBlueprint` in core/reconcilers/topology/cluster/blueprint.go of Cluster API v1.14.
    Stops,
    /// A webhook refuses it, for this reason.
    Refused(String),
}

/// How many Machines a rollout may have less and more than before at any time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RolloutLimits {
    /// Machines that are not available.
    pub unavailable: u64,
    /// Machines in addition.
    pub additional: u64,
}

/// How the Machines of an owner are replaced.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnerRollout {
    /// Whether the version changes.
    pub(super) is_upgrade: bool,
    pub(super) limits: Option<RolloutLimits>,
    /// The objects each of which would be enough.
    pub(super) objects: Vec<ObjectId>,
}

impl PlanNote {
    pub(super) fn first(first: BTreeSet<ObjectId>, then: &ObjectId, otherwise: Otherwise) -> PlanNote {
        PlanNote::First { first, then: then.clone(), otherwise }
    }

    /// What it is about, in one word.
    pub fn name(&self) -> &'static str {
        match self {
            PlanNote::AtOnce { .. } => "at once",
            PlanNote::Apart { .. } => "replaced twice",
            PlanNote::First { .. } => "order",
        }
    }

    /// The objects that it is about.
    pub fn objects(&self) -> Vec<&ObjectId> {
        match self {
            PlanNote::AtOnce { owners, .. } => owners.iter().collect(),
            PlanNote::Apart { objects, .. } => objects.iter().collect(),
            PlanNote::First { first, then, .. } => first.iter().chain([then]).collect(),
        }
    }
}

impl fmt::Display for PlanNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanNote::AtOnce { owners, clusters, limits } => {
                f.write_str(&count(owners.len(), "owner"))?;
                if *clusters > 1 {
                    write!(f, " in {}", count(*clusters, "Cluster"))?;
                }
                f.write_str(" are rolled out at the same time")?;
                limits.iter().try_for_each(|limits| write!(f, ", with {limits}"))?;
                f.write_str("; only upgrades of the owners of a Cluster wait for each other")
            }
            PlanNote::Apart { objects, owners } => write!(
                f,
                "{} each replace the Machines of {}: Machines that are created before all of these are applied are \
                 replaced again, unless the Cluster is paused meanwhile",
                listed(objects),
                count(owners.len(), "owner"),
            ),
            PlanNote::First { first, then, otherwise } => {
                let verb = if first.len() == 1 { "has" } else { "have" };
                write!(f, "{} {verb} to be applied before {then}, ", listed(first))?;
                match otherwise {
                    Otherwise::Stops => f.write_str("whose Clusters are not reconciled otherwise"),
                    Otherwise::Refused(reason) => write!(f, "which is refused otherwise: {reason}"),
                }
            }
        }
    }
}

/// Such as `up to 2 additional Machines`.
impl fmt::Display for RolloutLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unavailable = || format!("up to {} unavailable", count(self.unavailable, "Machine"));
        let additional = || format!("up to {}", count(self.additional, "additional Machine"));
        match (self.unavailable, self.additional) {
            (0, _) => f.write_str(&additional()),
            (_, 0) => f.write_str(&unavailable()),
            _ => write!(f, "{} and {}", unavailable(), additional()),
        }
    }
}

fn listed<'o>(objects: impl IntoIterator<Item = &'o ObjectId>) -> String {
    objects.into_iter().map(ObjectId::to_string).collect::<Vec<_>>().join(" and ")
}

/// What matters around rollouts.
pub(super) fn of_owners(owners: &[PlannedOwner]) -> Vec<PlanNote> {
    let is_rolled = |owner: &&PlannedOwner| owner.effect == Effect::Rollout && !owner.machines.is_empty();
    let rolled: Vec<&PlannedOwner> = owners.iter().filter(is_rolled).collect();
    let at_once: Vec<&PlannedOwner> = rolled.iter().filter(|owner| !owner.rollout.is_upgrade).copied().collect();
    let clusters: BTreeSet<&ObjectId> = at_once.iter().map(|owner| &owner.cluster).collect();
    let limits = at_once.iter().map(|owner| owner.rollout.limits).try_fold(RolloutLimits::default(), |sum, limits| {
        let RolloutLimits { unavailable, additional } = limits?;
        Some(RolloutLimits {
            unavailable: sum.unavailable.saturating_add(unavailable),
            additional: sum.additional.saturating_add(additional),
        })
    });
    let ids = at_once.iter().map(|owner| owner.id.clone()).collect();
    let at_once = (at_once.len() > 1).then_some(PlanNote::AtOnce { owners: ids, clusters: clusters.len(), limits });
    let mut apart: BTreeMap<&[ObjectId], Vec<ObjectId>> = BTreeMap::new();
    for owner in rolled.iter().filter(|owner| owner.rollout.objects.len() > 1) {
        apart.entry(&owner.rollout.objects).or_default().push(owner.id.clone());
    }
    let apart = apart.into_iter().map(|(objects, owners)| PlanNote::Apart { objects: objects.to_vec(), owners });
    at_once.into_iter().chain(apart).collect()
}

/// New templates that classes name from now on: they have to be there first.
pub(super) fn of_templates(objects: &[Planned], [before, after]: [&Hierarchy; 2]) -> Vec<PlanNote> {
    let is_class = |planned: &&Planned| planned.id.group == CORE_GROUP && planned.id.kind == "ClusterClass";
    let is_used = |id: &ObjectId| {
        [before, after].iter().all(|side| side.find(id).is_some_and(|class| !class.children.is_empty()))
    };
    let created: BTreeSet<&ObjectId> =
        objects.iter().filter(|planned| planned.happens == Happens::Created).map(|planned| &planned.id).collect();
    let changed = objects.iter().filter(is_class).filter(|it| it.happens == Happens::Changed && !is_refused(it));
    let note = |id: &ObjectId| {
        let mut named = BTreeSet::new();
        after.find(id).into_iter().for_each(|class| class_templates(&class.written, &mut named));
        let named = named.iter().map(|(group, kind, name)| ObjectId::new(group, kind, &id.namespace, name));
        let first: BTreeSet<ObjectId> = named.filter(|template| created.contains(template)).collect();
        (!first.is_empty()).then(|| PlanNote::first(first, id, Otherwise::Stops))
    };
    changed.filter(|planned| is_used(&planned.id)).filter_map(|planned| note(&planned.id)).collect()
}

impl RolloutLimits {
    /// Those of a MachineDeployment or of a control plane of kubeadm; `None` if they are not known.
    ///
    /// Source: `ResolveFenceposts` and `MaxUnavailable` in core/reconcilers/machinedeployment/mdutil/util.go and the defaults of
    /// core/webhooks/admission/machinedeployment.go of Cluster API v1.14; `rollingUpdate` in
    /// controlplane/kubeadm/reconcilers/kubeadmcontrolplane/update.go.
    pub(super) fn of(object: &Value, machines: &Machines) -> Option<RolloutLimits> {
        const STRATEGIES: [&str; 3] = ["/spec/rollout/strategy", "/spec/rolloutStrategy", "/spec/strategy"];
        let number = machines.uncounted.is_empty().then(|| machines.count());
        let strategy = STRATEGIES.iter().find_map(|path| object.pointer(path)?.get("rollingUpdate"));
        let amount = |field: &str, default: u64, rounded_up: u64| match strategy.and_then(|it| it.get(field)) {
            None | Some(Value::Null) => Some(default),
            Some(Value::String(text)) => {
                let share = text.strip_suffix('%')?.parse::<u64>().ok()?.checked_mul(number?)?;
                Some(share.checked_add(rounded_up * 99)? / 100)
            }
            Some(number) => number.as_u64(),
        };
        let additional = amount("maxSurge", 1, 1)?;
        let unavailable = match text(object, "kind") {
            "KubeadmControlPlane" => 0,
            "MachineDeployment" => amount("maxUnavailable", 0, 0)?,
            _ => return None,
        };
        // One of them is at least 1.
        let unavailable = if additional == 0 { unavailable.max(1) } else { unavailable };
        Some(RolloutLimits { unavailable: unavailable.min(number.unwrap_or(unavailable)), additional })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_are_those_of_the_strategy() {
        let of = |kind: &str, spec: Value| {
            let machines = Machines { predicted: [(ObjectId::default(), 5)].into(), ..Machines::default() };
            let limits = RolloutLimits::of(&json!({"kind": kind, "spec": spec}), &machines);
            limits.map(|it| [it.unavailable, it.additional])
        };
        let rolling = |surge: Value, unavailable: Value| json!({"rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}});
        let deployment = |strategy: Value| of("MachineDeployment", json!({"rollout": {"strategy": strategy}}));
        assert_eq!(deployment(json!({})), Some([0, 1]));
        assert_eq!(deployment(rolling(json!(0), json!(2))), Some([2, 0]));
        assert_eq!(deployment(rolling(json!("30%"), json!("30%"))), Some([1, 2]));
        assert_eq!(deployment(rolling(json!("0%"), json!("10%"))), Some([1, 0]));
        assert_eq!(deployment(rolling(json!(0), json!(9))), Some([5, 0]));
        assert_eq!(of("MachineDeployment", json!({"strategy": rolling(json!(2), Value::Null)})), Some([0, 2]));
        let control_plane = |field: &str| of("KubeadmControlPlane", json!({field: rolling(json!(0), Value::Null)}));
        assert_eq!(of("KubeadmControlPlane", json!({})), Some([0, 1]));
        assert_eq!(control_plane("rolloutStrategy"), Some([1, 0]));
        assert_eq!(of("RKE2ControlPlane", json!({})), None);
    }
}
