//! Keys that have no business in a map that propagates.

use super::{Entry, Guarded};
use crate::catalog::groups::CORE_GROUP;
use crate::catalog::keys::*;
use crate::catalog::place::{MapKind, Place};
use crate::json::Malformed;
use crate::kube::label_value::formatted;

/// Labels that Cluster API forces at some hop.
const FORCED_BELOW: &str = "is set by Cluster API itself: below it is overwritten, or misleads";
/// Bookkeeping that belongs to one object.
const BOOKKEEPING: &str = "belongs to one object, and here it reaches every object below";

/// What comes of a reserved key. An annotation that [`is_never`] and has no row is bookkeeping.
///
/// Source: seen on the real controllers; `ControlPlaneMachineAnnotations` in controlplane/kubeadm/pkg/desiredstate
/// for the cloned-from annotations.
#[rustfmt::skip]
const RESERVED: &[(MapKind, &str, &str)] = &[
    (MapKind::Labels,      CLUSTER_NAME,             FORCED_BELOW),
    (MapKind::Labels,      CONTROL_PLANE,            FORCED_BELOW),
    (MapKind::Labels,      CONTROL_PLANE_NAME,       FORCED_BELOW),
    (MapKind::Labels,      DEPLOYMENT_NAME,          FORCED_BELOW),
    (MapKind::Labels,      POOL_NAME,                FORCED_BELOW),
    (MapKind::Labels,      SET_NAME,                 FORCED_BELOW),
    (MapKind::Labels,      TOPOLOGY_DEPLOYMENT_NAME, FORCED_BELOW),
    (MapKind::Labels,      TOPOLOGY_OWNED,           FORCED_BELOW),
    (MapKind::Labels,      TOPOLOGY_POOL_NAME,       FORCED_BELOW),
    (MapKind::Labels,      TEMPLATE_HASH,            FORCED_BELOW),
    (MapKind::Annotations, PAUSED,                   "pauses every object below, whatever its value"),
    (MapKind::Annotations, CLONED_FROM_GROUP_KIND,   "makes control planes replace their Machines for ever"),
    (MapKind::Annotations, CLONED_FROM_NAME,         "makes control planes replace their Machines for ever"),
    (MapKind::Annotations, KCP_CLEANUP,              "keeps every Machine below from being deleted"),
];

/// Why a key does not belong into a map that propagates; `None` where it may stand there.
pub(super) fn reason(map: MapKind, key: &str) -> Option<&'static str> {
    let row = RESERVED.iter().find(|(of, reserved, _)| *of == map && *reserved == key);
    let is_bookkeeping = || (map == MapKind::Annotations && is_never(key)).then_some(BOOKKEEPING);
    row.map(|(.., reason)| *reason).or_else(is_bookkeeping)
}

/// A reserved key, but for a label with the value that Cluster API gives it.
pub(super) fn find(guarded: &Guarded<'_, '_>, entry: &Entry<'_>) -> Result<Option<String>, Malformed> {
    let Some(reason) = reason(entry.map, entry.key).filter(|_| entry.block.place != Place::Machine) else {
        return Ok(None);
    };
    let is_right = entry.map == MapKind::Labels && is_what_cluster_api_sets(guarded, entry)?;
    Ok((!is_right).then(|| reason.to_owned()))
}

fn is_what_cluster_api_sets(guarded: &Guarded<'_, '_>, entry: &Entry<'_>) -> Result<bool, Malformed> {
    use Place::*;
    let Entry { block, key, value, .. } = *entry;
    let (object, name) = (&guarded.subject.object, guarded.subject.name());
    let is_own_label = object.labels.get(key).is_some_and(|own| own == value);
    Ok(match (key, block.place) {
        (CLUSTER_NAME, ControlPlaneTopology | MachineDeploymentTopology | MachinePoolTopology) => value == name,
        (TOPOLOGY_DEPLOYMENT_NAME, MachineDeploymentTopology) | (TOPOLOGY_POOL_NAME, MachinePoolTopology) => {
            block.entry.as_deref() == Some(value)
        }
        (CONTROL_PLANE, ControlPlaneMachineTemplate) => value.is_empty(),
        (CONTROL_PLANE_NAME, ControlPlaneMachineTemplate) | (POOL_NAME, MachinePoolTemplate) => {
            value == formatted(name)
        }
        // A new control plane does not know its Cluster yet.
        (CLUSTER_NAME, ControlPlaneMachineTemplate) => {
            let owner = object.owners.iter().find(|owner| owner.is(CORE_GROUP, "Cluster")).map(|owner| &owner.name);
            owner.or_else(|| object.labels.get(key)).is_none_or(|cluster| cluster == value)
        }
        (TEMPLATE_HASH, MachineSetTemplate) | (TOPOLOGY_OWNED, ControlPlaneMachineTemplate) => is_own_label,
        (TEMPLATE_HASH, _) => false,
        (_, MachineDeploymentTemplate | MachineSetTemplate | MachinePoolTemplate) => {
            let of_cluster = || object.spec.string(&["clusterName"]);
            is_own_label
                || object.spec.map(&["selector", "matchLabels"])?.get(key).is_some_and(|own| own == value)
                || (key == CLUSTER_NAME && of_cluster()?.as_deref() == Some(value))
        }
        (TOPOLOGY_OWNED, _) => value.is_empty(),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::forced::FORCED;

    #[test]
    fn every_forced_label_is_reserved() {
        for forced in FORCED {
            assert_eq!(reason(MapKind::Labels, forced.key), Some(FORCED_BELOW), "{forced}");
        }
    }

    #[test]
    fn every_annotation_that_is_never_carried_is_reserved() {
        for key in NEVER {
            assert!(reason(MapKind::Annotations, key).is_some(), "{key}");
            assert!(RESERVED.iter().all(|(map, reserved, _)| *map == MapKind::Labels || is_never(reserved)));
        }
    }
}
