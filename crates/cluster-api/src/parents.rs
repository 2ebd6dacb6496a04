//! Objects of Cluster API that are read: what propagates from them, and whether they are paused.

use std::collections::BTreeSet;

use facts::not_applicable::NotApplicableReason;
use facts::stop::Stop;
use kubernetes::lookup::Lookups;
use kubernetes::masks::Masks;
use kubernetes::object::{Object, OwnerReference, group_and_version};
use kubernetes::parent::Parent;
use kubernetes::query::{ObjectName, ObjectQuery};
use kubernetes::request::Operation;

use crate::catalog::groups::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP};
use crate::catalog::masks::{CLUSTER_MASKS, INFRASTRUCTURE_MASKS};
use crate::subject::{Subject, has_paused_annotation};

/// A kind of the core group, by name only.
pub(crate) fn core<'a>(kind: &'a str, namespace: &'a str, name: &'a str, masks: Masks) -> ObjectQuery<'a> {
    ObjectQuery::named(CORE_GROUP, ObjectName { kind, namespace, name }, masks)
}

/// An object that propagates: it is not being deleted and not paused.
///
/// # Errors
/// Like [`Lookups::parent`], and when the object is being deleted or has the paused annotation.
pub(crate) fn active_parent<'e>(lookups: &Lookups<'e>, query: &ObjectQuery<'e>) -> Result<Parent<'e>, Stop> {
    let parent = lookups.parent(query)?;
    if parent.object.deleting {
        return Err(Stop::not_applicable(NotApplicableReason::ParentDeleting, parent.name.to_string()));
    }
    if has_paused_annotation(&parent.object) {
        return Err(Stop::not_applicable(NotApplicableReason::Paused, parent.name.to_string()));
    }
    Ok(parent)
}

/// Whether this Cluster is paused, by field or annotation.
///
/// # Errors
/// When `spec` is not an object.
pub(crate) fn is_paused_cluster(cluster: &Parent<'_>) -> Result<bool, Stop> {
    Ok(cluster.spec(&["paused"])?.is_true() || has_paused_annotation(&cluster.object))
}

/// The Cluster of an infrastructure cluster: the labels of the one become tags of the other.
///
/// # Errors
/// When one of them is paused, no Cluster owns the object, or the Cluster could not be read. Of a new object also when
/// the Cluster is being deleted, or is not the one with the uid of the ownerReference.
pub fn cluster_of_infrastructure<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Parent<'e>, Stop> {
    let object = &subject.object;
    let own = |reason| Err(Stop::not_applicable(reason, ""));
    if object.deleting {
        return own(NotApplicableReason::Deleting);
    }
    if subject.is_topology_dry_run() {
        return own(NotApplicableReason::TopologyDryRun);
    }
    if has_paused_annotation(object) {
        return own(NotApplicableReason::Paused);
    }
    let Some(cluster) = owning_cluster(subject, lookups)? else { return own(NotApplicableReason::NoOwner) };
    let name = || cluster.name.to_string();
    if has_paused_annotation(&cluster.object) || is_paused_cluster(&cluster)? {
        return Err(Stop::not_applicable(NotApplicableReason::Paused, name()));
    }
    if cluster.object.deleting && subject.review.operation == Operation::Create {
        return Err(Stop::not_applicable(NotApplicableReason::ParentDeleting, name()));
    }
    Ok(cluster)
}

/// Of the Clusters in the ownerReferences, as they are stored and written, the one whose `infrastructureRef` names the
/// object: anybody can add a reference. If none does, the controller or the first one as written.
///
/// The providers find the Cluster of a stored object by name, and ignore the uid of the reference.
///
/// Source: internal/controllers/cluster/cluster_controller_phases.go, `reconcileExternal`; util/util.go,
/// `GetOwnerCluster`.
fn owning_cluster<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Option<Parent<'e>>, Stop> {
    let is_new = subject.review.operation == Operation::Create;
    let read = |owner: &OwnerReference<'e>| {
        let uid = if is_new { owner.uid } else { "" };
        lookups.parent(&ObjectQuery { uid, ..ObjectQuery::owner(owner, subject.namespace(), INFRASTRUCTURE_MASKS) })
    };
    let written = clusters(&subject.object);
    let Some(first) = written.first() else { return Ok(None) };
    let stored = subject.old().ok().flatten().map(clusters).unwrap_or_default();
    let mut names = BTreeSet::new();
    for owner in stored.iter().chain(&written).filter(|owner| names.insert(owner.name)) {
        if let Ok(cluster) = read(owner)
            && names_infrastructure(&cluster, subject)?
        {
            return Ok(Some(cluster));
        }
    }
    Ok(Some(read(first)?))
}

/// The ownerReferences to Clusters, the controller first.
fn clusters<'e>(object: &Object<'e>) -> Vec<OwnerReference<'e>> {
    let mut owners: Vec<_> = object.owners.iter().filter(|it| it.is(CORE_GROUP, "Cluster")).copied().collect();
    owners.sort_by_key(|owner| !owner.is_controller);
    owners
}

/// Whether a Cluster's `infrastructureRef` names the object.
fn names_infrastructure(cluster: &Parent<'_>, subject: &Subject<'_>) -> Result<bool, Stop> {
    let of = |field| cluster.string(&["infrastructureRef", field]);
    let kind = &subject.review.kind;
    let group = match of("apiGroup")? {
        Some(group) => Some(group),
        None => of("apiVersion")?.map(|version| group_and_version(version).0),
    };
    Ok((group, of("kind")?, of("name")?) == (Some(&*kind.group), Some(&*kind.kind), Some(subject.name())))
}

/// What is known about a Cluster whose topology is not needed.
pub struct ClusterState {
    /// By field or annotation.
    pub is_paused: bool,
    /// Its control plane is a KubeadmControlPlane.
    pub is_of_kubeadm: bool,
}

/// What is known about the Cluster that the object names.
pub enum OwnCluster {
    /// It was read.
    Known(ClusterState),
    /// There is no such Cluster.
    Missing,
    /// The object names none, or it cannot be read.
    Unknown,
}

impl ClusterState {
    /// What is known about the Cluster of this name.
    ///
    /// # Errors
    /// Like [`Lookups::parent`].
    pub(crate) fn read<'e>(lookups: &Lookups<'e>, namespace: &'e str, name: &'e str) -> Result<Self, Stop> {
        let cluster = lookups.parent(&core("Cluster", namespace, name, CLUSTER_MASKS))?;
        let is_of_kubeadm = cluster.string(&["controlPlaneRef", "kind"])? == Some("KubeadmControlPlane");
        Ok(ClusterState { is_paused: is_paused_cluster(&cluster)?, is_of_kubeadm })
    }
}

/// Cluster API's own groups count as one: the host serves and grants them in the same versions.
#[must_use]
pub fn is_cluster_apis_own(group: &str, kind: &str) -> bool {
    group == CORE_GROUP || ([BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP].contains(&group) && kind.starts_with("Kubeadm"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubeadm_is_cluster_apis_own_in_its_groups_only() {
        for (group, kind, expected) in [
            (CORE_GROUP, "Machine", true),
            (BOOTSTRAP_GROUP, "KubeadmConfig", true),
            (BOOTSTRAP_GROUP, "RKE2Config", false),
            ("bootstrap.example.com", "KubeadmConfig", false),
        ] {
            assert_eq!(is_cluster_apis_own(group, kind), expected, "{group} {kind}");
        }
    }
}
