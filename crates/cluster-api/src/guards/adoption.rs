//! Objects without a controller that a controller would adopt.

use super::selector_labels::{identity, is_by_provider};
use super::{Guarded, Violation, topology_entry};
use crate::catalog::Place;
use crate::catalog::keys::*;
use crate::fact::ClusterApiFact;
use crate::json::Malformed;
use crate::parents::OwnCluster;
use kubernetes::Object;

/// Labels of a Machine that name its owner.
///
/// `CONTROL_PLANE` does so by its presence, if the Cluster has a KubeadmControlPlane: that one adopts by this label and
/// by the name of the Cluster, not by its own. Source: util/collections/machine_filters.go
/// `AdoptableControlPlaneMachines`.
const MACHINE_OWNER_LABELS: &[&str] = &[
    CONTROL_PLANE,
    CONTROL_PLANE_NAME,
    DEPLOYMENT_NAME,
    POOL_NAME,
    SET_NAME,
    TEMPLATE_HASH,
    TOPOLOGY_DEPLOYMENT_NAME,
    TOPOLOGY_POOL_NAME,
];
const MACHINE_SET_OWNER_LABELS: &[&str] = &[DEPLOYMENT_NAME, TEMPLATE_HASH, TOPOLOGY_DEPLOYMENT_NAME];

/// Labels that name an owner, on an object without a controller, if this request adds them or removes the controller.
/// If that one was an owner of Cluster API, `selector_labels` decides, unless its own provider releases the object, or the
/// garbage collector. Also the label of a control plane on a Machine of another controller.
///
/// After a restore, controllers are meant to adopt: what Velero restores is allowed, and so are the objects of a
/// Cluster that does not exist yet. A Cluster that cannot be read is assumed to exist. Control-plane Machines created
/// by hand have no owner that adopts them, and are allowed.
pub(super) fn find(guarded: &Guarded<'_, '_>) -> Result<Vec<Violation>, Malformed> {
    let subject = guarded.subject;
    let owner_labels = match subject.place {
        Some(Place::Machine) => MACHINE_OWNER_LABELS,
        Some(Place::MachineSet) => MACHINE_SET_OWNER_LABELS,
        _ => return topology_entry::find(guarded),
    };
    let object = &subject.object;
    let old = subject.old()?;
    let before = old.and_then(|old| old.controller());
    let is_restored = old.is_none() && object.labels.contains_key(RESTORED) && guarded.trusts_marks();
    // Every user can have it remove a reference: to an owner that never existed, or that is deleted and orphans.
    let is_collected = guarded.is_by_garbage_collector();
    if is_restored || (is_collected && guarded.trusts_marks()) || guarded.is_audit() {
        return Ok(Vec::new());
    }
    if object.controller().is_some() {
        return Ok(mixed_control_plane(guarded, old)?.into_iter().collect());
    }
    let is_released = before.map_or(Ok(false), |owner| is_by_provider(guarded, owner))?;
    if !is_released && !is_collected && before.is_some_and(|owner| identity(owner).is_some()) {
        return Ok(Vec::new());
    }
    let mut keys: Vec<&str> = Vec::new();
    for key in owner_labels {
        let new = object.labels.get(key);
        let old = old.and_then(|old| old.labels.get(key));
        // The value of this one does not matter.
        let was_set = if *key == CONTROL_PLANE { old.is_some() } else { old == new };
        if new.is_some() && (before.is_some() || !was_set) {
            keys.push(key);
        }
    }
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let has_kubeadm_control_plane = match guarded.cluster()? {
        OwnCluster::Missing => return Ok(Vec::new()),
        OwnCluster::Known(state) => state.kubeadm_control_plane().is_some(),
        OwnCluster::Unknown => false,
    };
    let kind = &subject.review.kind.kind;
    let is_of_control_plane = |key: &str| key == CONTROL_PLANE || (is_released && key == CONTROL_PLANE_NAME);
    let is_adopted = |key: &&str| !is_of_control_plane(key) || has_kubeadm_control_plane;
    let violation = |key: &str| of_labels(ClusterApiFact::Adoption { label: key.into(), kind: kind.to_string() });
    Ok(keys.into_iter().filter(is_adopted).map(violation).collect())
}

/// The label of a control plane on a Machine that the Cluster's KubeadmControlPlane does not own and cannot adopt, if
/// this request puts it there: that one does nothing until all Machines with the label are its own.
///
/// Source: controlplane/kubeadm/reconcilers/kubeadmcontrolplane, "refusing to operate in mixed management mode";
/// util/util.go, `IsOwnedByObject`.
fn mixed_control_plane(guarded: &Guarded<'_, '_>, old: Option<&Object<'_>>) -> Result<Option<Violation>, Malformed> {
    let (subject, object) = (guarded.subject, &guarded.subject.object);
    let is_member = |object: &Object<'_>| object.labels.contains_key(CONTROL_PLANE);
    if subject.place != Some(Place::Machine) || !is_member(object) {
        return Ok(None);
    }
    let is_as_before = |old: &Object<'_>| is_member(old) && old.controller().is_some() && old.owners == object.owners;
    if old.is_some_and(is_as_before) {
        return Ok(None);
    }
    let OwnCluster::Known(cluster) = guarded.cluster()? else { return Ok(None) };
    let Some(name) = cluster.kubeadm_control_plane() else { return Ok(None) };
    let is_owned = |object: &Object<'_>| object.owners.iter().any(|owner| cluster.is_controlled_by(owner));
    let is_mixed = |object: &Object<'_>| is_member(object) && object.controller().is_some() && !is_owned(object);
    let control_plane = format!("KubeadmControlPlane {}/{name}", subject.namespace());
    let fact = || ClusterApiFact::MixedControlPlane { label: CONTROL_PLANE.into(), control_plane };
    Ok((is_mixed(object) && !old.is_some_and(is_mixed)).then(|| of_labels(fact())))
}

fn of_labels(message: ClusterApiFact) -> Violation {
    Violation { at: "metadata.labels".to_owned(), message }
}
