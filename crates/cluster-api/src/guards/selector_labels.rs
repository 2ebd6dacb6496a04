//! The labels by which an owner finds its objects, and the ownerReference to it.

use std::collections::BTreeSet;

use super::{Guarded, Violation};
use crate::catalog::keys::*;
use crate::catalog::keys::{PENDING_ACKNOWLEDGE_MOVE, TEMPLATE_HASH, UPDATE_IN_PROGRESS};
use crate::catalog::{CONTROL_PLANE_GROUP, CORE_GROUP, Place, TEMPLATE_MASKS};
use crate::fact::ClusterApiFact;
use crate::json::Malformed;
use crate::parents::OwnCluster;
use kubernetes::{Change, EntryNoun, MapKind, Object, ObjectQuery, OwnerReference, Stop};

/// The labels by which owners of a kind find the objects that they control, if the selector itself was not read. The
/// last row is for control planes of every kind.
///
/// Source: core/reconcilers/machineset and machinedeployment, whose selectors are defaulted from these labels;
/// controlplane/kubeadm/pkg/control_plane.go; core/reconcilers/machinepool `getMachinePoolMachines`.
#[rustfmt::skip]
const IDENTITY: [(&str, &str, &[&str]); 4] = [
    (CORE_GROUP,           "MachineDeployment", &[CLUSTER_NAME, DEPLOYMENT_NAME, TOPOLOGY_DEPLOYMENT_NAME, TOPOLOGY_OWNED, TEMPLATE_HASH]),
    (CORE_GROUP,           "MachineSet",        &[CLUSTER_NAME, DEPLOYMENT_NAME, TOPOLOGY_DEPLOYMENT_NAME, TOPOLOGY_OWNED, TEMPLATE_HASH, SET_NAME]),
    (CORE_GROUP,           "MachinePool",       &[CLUSTER_NAME, POOL_NAME]),
    (CONTROL_PLANE_GROUP, "",                  &[CLUSTER_NAME, CONTROL_PLANE, CONTROL_PLANE_NAME]),
];

pub(super) fn identity(owner: &OwnerReference<'_>) -> Option<&'static [&'static str]> {
    let is_owner = |group, kind: &str| owner.group() == group && (kind.is_empty() || owner.kind == kind);
    IDENTITY.iter().find(|(group, kind, _)| is_owner(*group, kind)).map(|(.., labels)| *labels)
}

/// Whether the user may be the provider of an owner, which is a control plane other than Cluster API's own. It decides by
/// which labels it finds its Machines, and corrects them: cluster-api-provider-rke2 replaces `true` in the control-plane
/// label by the empty value, cluster-api-k3s sets an empty name.
fn may_be_by_provider(guarded: &Guarded<'_, '_>, owner: &OwnerReference<'_>) -> bool {
    owner.group() == CONTROL_PLANE_GROUP && owner.kind != "KubeadmControlPlane" && guarded.is_by_service_account()
}

/// The same, if the owner is the control plane of the object's Cluster: the one that may release it.
pub(super) fn is_by_provider(guarded: &Guarded<'_, '_>, owner: &OwnerReference<'_>) -> Result<bool, Malformed> {
    Ok(may_be_by_provider(guarded, owner)
        && matches!(guarded.cluster()?, OwnCluster::Known(cluster) if cluster.is_controlled_by(owner)))
}

/// A label of the owner's selector, the template hash or the ownerReference to the controller that this request removes
/// or changes, unless it was restored. Owner and hash may change together when a controller has a Machine updated in
/// place.
pub(super) fn find(guarded: &Guarded<'_, '_>) -> Result<Vec<Violation>, Malformed> {
    let subject = guarded.subject;
    let (Some(Place::Machine | Place::MachineSet), Some(old)) = (subject.place, subject.old()?) else {
        return Ok(Vec::new());
    };
    let owner = old.controller().and_then(|owner| Some((owner, identity(owner)?)));
    let Some((owner, identity)) = owner else { return Ok(Vec::new()) };
    if guarded.is_by_garbage_collector() {
        return Ok(Vec::new());
    }
    let object = &subject.object;
    let mut violations = Vec::new();
    let title = || format!("{} {}/{}", owner.kind, subject.namespace(), owner.name);
    let kind = || subject.review.kind.kind.to_string();
    // A corrected uid is that of the owner, which was read.
    let is_same = |now: &OwnerReference<'_>| {
        now.is(owner.group(), owner.kind)
            && now.name == owner.name
            && (now.uid == owner.uid || guarded.source_keys.is_some())
    };
    let now = object.controller();
    let is_lost = !now.is_some_and(is_same);
    // While it stays the controller, no other owner adopts the object. Every account can make a control plane up.
    let is_providers = if is_lost { is_by_provider(guarded, owner)? } else { may_be_by_provider(guarded, owner) };
    if is_providers {
        return Ok(Vec::new());
    }
    let moves = is_lost && is_in_place_move(guarded, old)?;
    if is_lost && !moves {
        let (owner, kind) = (title(), kind());
        let message = if now.is_some() {
            ClusterApiFact::OwnerChanged { owner, kind }
        } else {
            ClusterApiFact::OwnerRemoved { owner, kind }
        };
        violations.push(Violation { at: "metadata.ownerReferences".to_owned(), message });
    }
    let selector = guarded.source_keys.and_then(|source_keys| source_keys.selector.as_ref());
    let is_label = |change: &&Change| change.entry == EntryNoun::Label;
    let drift: BTreeSet<&str> = guarded.drift.iter().filter(is_label).map(|change| &*change.key).collect();
    for (key, value) in old.labels.iter() {
        let now = object.labels.get(key);
        if now == Some(value) || (moves && key == TEMPLATE_HASH) {
            continue;
        }
        let counts = match selector {
            Some(selector) => selector.contains(key) || key == TEMPLATE_HASH,
            None => identity.contains(&key),
        };
        if !counts {
            continue;
        }
        let is_as_in_source = guarded
            .source_keys
            .is_some_and(|source_keys| source_keys.has(MapKind::Labels, key) && !drift.contains(key));
        if !is_as_in_source {
            let (label, owner, kind) = (key.into(), title(), kind());
            let message = match now {
                Some(_) => ClusterApiFact::SelectedLabelChanged { label, owner, kind },
                None => ClusterApiFact::SelectedLabelRemoved { label, owner, kind },
            };
            violations.push(Violation { at: "metadata.labels".to_owned(), message });
        }
    }
    Ok(violations)
}

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
