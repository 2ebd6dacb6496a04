//! Objects that an owner takes for its own.

use super::{Found, Guarded};
use crate::cluster::LookupCause;
use crate::json::Malformed;
use crate::keys::*;
use crate::place::Place;
use crate::stop::Stop;

/// Labels of a Machine that name its owner.
const OF_MACHINES: &[&str] = &[
    CONTROL_PLANE_NAME,
    DEPLOYMENT_NAME,
    POOL_NAME,
    SET_NAME,
    TEMPLATE_HASH,
    TOPOLOGY_DEPLOYMENT_NAME,
    TOPOLOGY_POOL_NAME,
];
/// Labels of a MachineSet that name its owner.
const OF_MACHINE_SETS: &[&str] = &[DEPLOYMENT_NAME, TEMPLATE_HASH, TOPOLOGY_DEPLOYMENT_NAME];

/// Labels that name an owner, on an object without controller, as far as this request brings them.
///
/// Controllers adopt what a restore leaves without owner, and that is what it is for: what Velero brings back passes,
/// and so does all below a Cluster that is paused or not there yet. A Cluster that cannot be asked counts as neither.
pub(super) fn find(guarded: &Guarded<'_, '_>) -> Result<Vec<Found>, Malformed> {
    let subject = guarded.subject;
    let names = match subject.place {
        Some(Place::Machine) => OF_MACHINES,
        Some(Place::MachineSet) => OF_MACHINE_SETS,
        _ => return Ok(Vec::new()),
    };
    let object = &subject.object;
    let old = subject.old()?;
    let had_controller = old.is_some_and(|old| old.controller().is_some());
    let is_restored = old.is_none() && object.labels.contains_key(RESTORED);
    if object.controller().is_some() || had_controller || is_restored || guarded.is_audit() {
        return Ok(Vec::new());
    }
    let kind = &subject.review.kind.kind;
    let mut found = Vec::new();
    for key in names {
        let new = object.labels.get(*key);
        if new.is_some() && old.and_then(|old| old.labels.get(*key)) != new {
            let message =
                format!("label `{key}` without ownerReference: its owner adopts this {kind} and may delete it");
            found.push(Found { at: "metadata.labels".to_owned(), message });
        }
    }
    if found.is_empty() || nobody_adopts(guarded)? {
        return Ok(Vec::new());
    }
    Ok(found)
}

fn nobody_adopts(guarded: &Guarded<'_, '_>) -> Result<bool, Malformed> {
    let Some(cluster) = guarded.subject.object.spec.string(&["clusterName"])? else { return Ok(false) };
    Ok(match guarded.lookups.cluster_is_paused(guarded.subject.namespace(), &cluster) {
        Ok(is_paused) => is_paused,
        Err(Stop::Lookup(_, error)) => error.cause == LookupCause::NotFound,
        Err(_) => false,
    })
}
