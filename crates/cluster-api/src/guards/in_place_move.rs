//! A Machine that moves to another MachineSet to be updated in place.

use super::Guarded;
use crate::catalog::keys::{PENDING_ACKNOWLEDGE_MOVE, TEMPLATE_HASH, UPDATE_IN_PROGRESS};
use crate::catalog::{CORE_GROUP, Place, TEMPLATE_MASKS};
use crate::json::Malformed;
use kubernetes::{Object, ObjectQuery, OwnerReference, Stop};

/// Whether a service account moves a Machine as the MachineSet controller does to have it updated in place: from one
/// MachineSet to another of the same MachineDeployment, with the hash of the other one and both annotations of such a
/// move.
///
/// A controller that `clusterApi.controllers` does not list must be able to do this. A MachineSet that cannot be read
/// is treated like one without a MachineDeployment.
///
/// Source: core/reconcilers/machineset/machineset_controller.go, `startMoveMachines`, since v1.12.
pub(super) fn is_in_place_move<'o>(guarded: &Guarded<'_, 'o>, old: &Object<'o>) -> Result<bool, Malformed> {
    let object = &guarded.subject.object;
    let is_marked =
        [UPDATE_IN_PROGRESS, PENDING_ACKNOWLEDGE_MOVE].iter().all(|key| object.annotations.contains_key(key));
    if guarded.subject.place != Some(Place::Machine) || !guarded.is_by_service_account() || !is_marked {
        return Ok(false);
    }
    let (Some(from), Some(to)) = (machine_set(old), machine_set(object)) else { return Ok(false) };
    match (guarded.deployment_and_hash(to), guarded.deployment_and_hash(from)) {
        (Ok(Some((deployment, hash))), Ok(Some((before, _)))) => {
            Ok(deployment == before && hash == object.labels.get(TEMPLATE_HASH))
        }
        (Err(Stop::Malformed(malformed)), _) | (_, Err(Stop::Malformed(malformed))) => Err(malformed),
        _ => Ok(false),
    }
}

/// The MachineSet that controls an object. Without a uid, any of this name matches.
fn machine_set<'s, 'o>(object: &'s Object<'o>) -> Option<&'s OwnerReference<'o>> {
    object.controller().filter(|owner| owner.is(CORE_GROUP, "MachineSet") && !owner.uid.is_empty())
}

impl<'o> Guarded<'_, 'o> {
    /// The uid of the MachineDeployment that controls a MachineSet, and the hash in the MachineSet's label.
    fn deployment_and_hash(&self, set: &OwnerReference<'o>) -> Result<Option<(&'o str, Option<&'o str>)>, Stop> {
        let set = self.lookups.parent(&ObjectQuery::owner(set, self.subject.namespace(), TEMPLATE_MASKS))?;
        let owner = set.object.controller().filter(|owner| owner.is(CORE_GROUP, "MachineDeployment"));
        let deployment = owner.map(|owner| owner.uid).filter(|uid| !uid.is_empty());
        Ok(deployment.map(|deployment| (deployment, set.object.labels.get(TEMPLATE_HASH))))
    }
}
