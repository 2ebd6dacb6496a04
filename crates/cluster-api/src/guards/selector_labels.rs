//! The labels by which an owner finds its objects, and the ownerReference to it.

use std::collections::BTreeSet;

use super::{Guarded, Violation};
use crate::catalog::keys::*;
use crate::catalog::keys::{PENDING_ACKNOWLEDGE_MOVE, TEMPLATE_HASH, UPDATE_IN_PROGRESS};
use crate::catalog::{CONTROL_PLANE_GROUP, CORE_GROUP, Place, TEMPLATE_MASKS, Version};
use crate::fact::ClusterApiFact;
use crate::json::Malformed;
use crate::parents::OwnCluster;
use kubernetes::{Change, EntryNoun, MapKind, Object, ObjectQuery, OwnerReference, Stop, columns};

/// What an owner does about an object that it no longer selects.
const REPLACES: &str = "no longer selects this Machine and replaces it";
/// The same, if its selector is not known.
const MAY_REPLACE: &str = "may no longer select this Machine and replace it";

/// The labels that an owner needs on the objects that it controls, if its selector was not read.
///
/// There is no row for the name of the Cluster, which Cluster API's webhooks set at every write, nor for labels that a
/// controller writes back because it keeps what it controls: the others of a MachineSet, and those of a Machine that do
/// not tell a KubeadmControlPlane or a MachinePool which Machines are theirs.
///
/// Source: core/webhooks/admission/machine.go and machineset.go, `Default`; core/reconcilers/machinedeployment
/// `getAndAdoptMachineSetsForDeployment` and `computeDesiredMS`, which fails without the hash; core/reconcilers/machineset
/// `getAndAdoptMachinesForMachineSet`, whose selectors are defaulted from these labels.
#[rustfmt::skip]
const IDENTITY: [Identity; 5] = [
    row(CORE_GROUP,          "MachineDeployment",   &[TEMPLATE_HASH], "selects the Machines of this MachineSet by it"),
    row(CORE_GROUP,          "MachineSet",          &[DEPLOYMENT_NAME, TOPOLOGY_DEPLOYMENT_NAME, TOPOLOGY_OWNED, TEMPLATE_HASH, SET_NAME], MAY_REPLACE),
    // Machines have the names of their infrastructure machines since v1.7, so the next apply writes the label back. Source:
    // exp/internal/controllers/machinepool_controller_phases.go, `computeDesiredMachine`.
    row(CORE_GROUP,          "MachinePool",         &[POOL_NAME], "creates another Machine beside this one").until(7),
    // Before v1.13 any value counted. Source: controlplane/kubeadm, `initControlPlaneScope`; util/collections/helpers.go,
    // `GetControlPlaneMachinesForCluster`.
    row(CONTROL_PLANE_GROUP, "KubeadmControlPlane", &[CONTROL_PLANE], REPLACES).value_since(13),
    row(CONTROL_PLANE_GROUP, "",                    &[CONTROL_PLANE, CONTROL_PLANE_NAME], MAY_REPLACE),
];

/// What an owner of a kind needs.
pub(super) struct Identity {
    group: &'static str,
    /// Empty for any kind.
    kind: &'static str,
    labels: &'static [&'static str],
    /// What the owner does if one of them is lost, or does with it.
    effect: &'static str,
    /// The first version that compares the values; before it, the labels only had to exist.
    value_since: Version,
    /// The first version that writes the labels back.
    until: Option<Version>,
}

const fn row(
    group: &'static str,
    kind: &'static str,
    labels: &'static [&'static str],
    effect: &'static str,
) -> Identity {
    Identity { group, kind, labels, effect, value_since: Version::OLDEST_EDITION, until: None }
}

columns! {
    Identity {
        value_since(minor: u16) => value_since: Version::minor(minor),
        until(minor: u16) => until: Some(Version::minor(minor)),
    }
}

impl Identity {
    /// What the owner does if a label is lost, or has a new value; `None` if it does not need it.
    fn effect_of(&self, label: &str, value: Option<&str>, version: Version) -> Option<&'static str> {
        let counts = self.labels.contains(&label)
            && version.is_between(if value.is_some() { self.value_since } else { Version::OLDEST_EDITION }, self.until);
        counts.then_some(self.effect)
    }
}

pub(super) fn identity(owner: &OwnerReference<'_>) -> Option<&'static Identity> {
    let is_owner = |row: &&Identity| owner.group() == row.group && (row.kind.is_empty() || owner.kind == row.kind);
    IDENTITY.iter().find(is_owner)
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
    // A MachineDeployment keeps the MachineSets that it controls, whether it selects them or not.
    let is_selected = subject.place == Some(Place::Machine);
    let selector = guarded.source_keys.filter(|_| is_selected).and_then(|source_keys| source_keys.selector.as_ref());
    let version = guarded.settings.cluster_api.version;
    let is_label = |change: &&Change| change.entry == EntryNoun::Label;
    let drift: BTreeSet<&str> = guarded.drift.iter().filter(is_label).map(|change| &*change.key).collect();
    for (key, value) in old.labels.iter() {
        let now = object.labels.get(key);
        if now == Some(value) || (moves && key == TEMPLATE_HASH) {
            continue;
        }
        let effect = match selector {
            Some(selector) => (key != CLUSTER_NAME && selector.contains(key)).then_some(REPLACES),
            None => identity.effect_of(key, now, version),
        };
        let Some(effect) = effect else { continue };
        let is_as_in_source = guarded
            .source_keys
            .is_some_and(|source_keys| source_keys.has(MapKind::Labels, key) && !drift.contains(key));
        if !is_as_in_source {
            let (label, owner) = (key.into(), title());
            let message = match now {
                Some(_) => ClusterApiFact::SelectedLabelChanged { label, owner, effect },
                None => ClusterApiFact::SelectedLabelRemoved { label, owner, effect },
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
