//! Keys that must not be in a map that propagates.

use super::{Guarded, MetadataEntry};
use crate::catalog::keys::*;
use crate::catalog::{CORE_GROUP, Place};
use crate::fact::ClusterApiFact;
use crate::json::Malformed;
use crate::label_value::formatted;
use crate::parents::owners;
use kubernetes::MapKind;

/// A label that Cluster API sets at some hop.
const MANAGED_BY_CLUSTER_API: &str = "is managed by Cluster API; this value is overwritten or ignored on child objects";

/// The label of control-plane Machines, in a template of workers.
const JOINS_CONTROL_PLANE: &str = "makes new worker Machines join the control plane";

/// The same in a MachinePool, whose Machines join as workers whatever their labels are.
const COUNTS_AS_CONTROL_PLANE: &str = "makes worker Machines count as control plane Machines";

/// An annotation that a controller, a client or this policy writes for one object.
const SINGLE_OBJECT: &str = "describes a single object and must not propagate";

/// The annotation that pauses.
const PAUSES_CHILDREN: &str = "pauses every child object, whatever its value";

/// An annotation by which a control plane compares its Machines with their template.
const ENDLESS_ROLLOUT: &str = "makes control planes replace their Machines over and over";

/// The hook by which a KubeadmControlPlane holds back the deletion of a Machine.
const BLOCKS_DELETION: &str = "blocks the deletion of every child Machine";

/// The annotation by which a user has one Machine replaced. The replacement gets it too.
const REMEDIATED_ENDLESSLY: &str = "makes MachineHealthChecks replace child Machines over and over";

/// The annotation by which the autoscaler or a user selects the Machine to delete.
const DELETED_FIRST: &str = "marks every child Machine for deletion first, so scaling down prefers none";

/// The label by which managers with `--watch-filter` share the objects.
const SELECTS_MANAGERS: &str = "decides which managers reconcile the child objects";

/// The effect of a reserved key. An annotation that [`is_never`] and has no row is bookkeeping.
///
/// Source: observed with the real controllers; `ControlPlaneMachineAnnotations` in
/// controlplane/kubeadm/pkg/desiredstate for the cloned-from annotations;
/// core/reconcilers/machinehealthcheck/machinehealthcheck_targets.go `needsRemediation`;
/// core/reconcilers/machineset/machineset_deletion_order.go; util/predicates/generic_predicates.go
/// `ResourceHasFilterLabel`.
#[rustfmt::skip]
const RESERVED: &[(MapKind, &str, &str)] = &[
    (MapKind::Labels,      CLUSTER_NAME,             MANAGED_BY_CLUSTER_API),
    (MapKind::Labels,      CONTROL_PLANE,            MANAGED_BY_CLUSTER_API),
    (MapKind::Labels,      CONTROL_PLANE_NAME,       MANAGED_BY_CLUSTER_API),
    (MapKind::Labels,      DEPLOYMENT_NAME,          MANAGED_BY_CLUSTER_API),
    (MapKind::Labels,      POOL_NAME,                MANAGED_BY_CLUSTER_API),
    (MapKind::Labels,      SET_NAME,                 MANAGED_BY_CLUSTER_API),
    (MapKind::Labels,      TOPOLOGY_DEPLOYMENT_NAME, MANAGED_BY_CLUSTER_API),
    (MapKind::Labels,      TOPOLOGY_OWNED,           MANAGED_BY_CLUSTER_API),
    (MapKind::Labels,      TOPOLOGY_POOL_NAME,       MANAGED_BY_CLUSTER_API),
    (MapKind::Labels,      TEMPLATE_HASH,            MANAGED_BY_CLUSTER_API),
    (MapKind::Labels,      WATCH_FILTER,             SELECTS_MANAGERS),
    (MapKind::Annotations, PAUSED,                   PAUSES_CHILDREN),
    (MapKind::Annotations, CLONED_FROM_GROUP_KIND,   ENDLESS_ROLLOUT),
    (MapKind::Annotations, CLONED_FROM_NAME,         ENDLESS_ROLLOUT),
    (MapKind::Annotations, DELETE_MACHINE,           DELETED_FIRST),
    (MapKind::Annotations, KCP_CLEANUP,              BLOCKS_DELETION),
    (MapKind::Annotations, REMEDIATE_MACHINE,        REMEDIATED_ENDLESSLY),
];

/// Why a key must not be in a map that propagates; `None` if it may.
pub(super) fn reason(map: MapKind, key: &str) -> Option<&'static str> {
    let row = RESERVED.iter().find(|(kind, reserved, _)| *kind == map && *reserved == key);
    let is_bookkeeping = || (map == MapKind::Annotations && is_never(key)).then_some(SINGLE_OBJECT);
    row.map(|(.., reason)| *reason).or_else(is_bookkeeping)
}

/// What the label of control-plane Machines does to the Machines of a worker; `None` if there is no worker.
///
/// Source: `computeDesiredMachine` in core/reconcilers/machineset, which keeps the template's labels, and
/// `IsControlPlaneMachine` in bootstrap/kubeadm/reconcilers/kubeadmconfig/configowner.go, which makes kubeadm join as a
/// control plane. The bootstrap configuration of a MachinePool is never that of a control plane.
fn control_plane_label_of_workers(place: Place) -> Option<&'static str> {
    use Place::*;
    match place {
        MachineDeploymentTopology | MachineDeploymentClass | MachineDeploymentTemplate | MachineSetTemplate => {
            Some(JOINS_CONTROL_PLANE)
        }
        MachinePoolTopology | MachinePoolClass | MachinePoolTemplate => Some(COUNTS_AS_CONTROL_PLANE),
        _ => None,
    }
}

/// A reserved key, except a label with the value that Cluster API gives it.
pub(super) fn find(guarded: &Guarded<'_, '_>, entry: &MetadataEntry<'_>) -> Result<Option<ClusterApiFact>, Malformed> {
    let Some(reason) = reason(entry.map, entry.key).filter(|_| entry.block.place != Place::Machine) else {
        return Ok(None);
    };
    let fact = |effect| ClusterApiFact::ReservedKey { entry: entry.name(), effect };
    let is_label_of_control_planes = entry.map == MapKind::Labels && entry.key == CONTROL_PLANE;
    if let Some(reason) = control_plane_label_of_workers(entry.block.place).filter(|_| is_label_of_control_planes) {
        return Ok(Some(fact(reason)));
    }
    let is_right = entry.map == MapKind::Labels && is_what_cluster_api_sets(guarded, entry)?;
    Ok((!is_right).then(|| fact(reason)))
}

fn is_what_cluster_api_sets(guarded: &Guarded<'_, '_>, entry: &MetadataEntry<'_>) -> Result<bool, Malformed> {
    use Place::*;
    let MetadataEntry { block, key, value, .. } = *entry;
    let (object, name) = (&guarded.subject.object, guarded.subject.name());
    let is_own_label = object.labels.get(key).is_some_and(|own| own == value);
    Ok(match (key, block.place) {
        (CLUSTER_NAME, ControlPlaneTopology | MachineDeploymentTopology | MachinePoolTopology) => value == name,
        (TOPOLOGY_DEPLOYMENT_NAME, MachineDeploymentTopology) | (TOPOLOGY_POOL_NAME, MachinePoolTopology) => {
            block.entry == Some(value)
        }
        (CONTROL_PLANE, ControlPlaneMachineTemplate) => value.is_empty(),
        (CONTROL_PLANE_NAME, ControlPlaneMachineTemplate) | (POOL_NAME, MachinePoolTemplate) => {
            value == formatted(name)
        }
        // A new control plane does not know its Cluster yet.
        (CLUSTER_NAME, ControlPlaneMachineTemplate) => {
            let owner = owners(object, CORE_GROUP, "Cluster").next().map(|owner| owner.name);
            owner.or_else(|| object.labels.get(key)).is_none_or(|cluster| cluster == value)
        }
        (TEMPLATE_HASH, MachineSetTemplate) | (TOPOLOGY_OWNED, ControlPlaneMachineTemplate) => is_own_label,
        (TEMPLATE_HASH, _) => false,
        (_, MachineDeploymentTemplate | MachineSetTemplate | MachinePoolTemplate) => {
            let cluster_name = || object.spec.string(&["clusterName"]);
            is_own_label
                || object.spec.at(&["selector", "matchLabels"])?.as_map()?.get(key).is_some_and(|own| own == value)
                || (key == CLUSTER_NAME && cluster_name()? == Some(value))
        }
        (TOPOLOGY_OWNED, _) => value.is_empty(),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::FORCED;

    #[test]
    fn every_forced_label_is_reserved() {
        for forced in FORCED {
            assert_eq!(reason(MapKind::Labels, forced.key), Some(MANAGED_BY_CLUSTER_API), "{forced}");
        }
    }

    #[test]
    fn every_annotation_that_is_never_carried_is_reserved() {
        for key in NEVER {
            assert!(reason(MapKind::Annotations, key).is_some(), "{key}");
        }
    }

    /// What a person may set on one Machine propagates where it is set in a template: only the guard warns.
    #[test]
    fn reserved_annotations_that_are_carried_are_those_of_one_machine() {
        let of_annotations = RESERVED.iter().filter(|(map, ..)| *map == MapKind::Annotations);
        let carried: Vec<&str> = of_annotations.map(|(_, key, _)| *key).filter(|key| !is_never(key)).collect();
        assert_eq!(carried, [DELETE_MACHINE, REMEDIATE_MACHINE]);
    }
}
