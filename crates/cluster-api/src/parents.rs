//! Objects of Cluster API that are read: what propagates from them, and whether they are paused.

use std::collections::BTreeSet;

use kubernetes::{
    Lookups, Masks, NotApplicableReason, Object, ObjectName, ObjectQuery, Operation, OwnerReference, Parent,
    ReadFailure, Stop, group_and_version,
};

use crate::catalog::{BOOTSTRAP_GROUP, CLUSTER_MASKS, CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_MASKS};
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
    active(lookups.parent(query)?)
}

/// An object that was read, if it propagates.
pub(crate) fn active(parent: Parent<'_>) -> Result<Parent<'_>, Stop> {
    if parent.object.deleting {
        return Err(Stop::not_applicable(NotApplicableReason::ParentDeleting, parent.name.to_string()));
    }
    if has_paused_annotation(&parent.object) {
        return Err(Stop::not_applicable(NotApplicableReason::Paused, parent.name.to_string()));
    }
    Ok(parent)
}

/// The owners of a kind, the controller first. Anybody who may write the object may add an ownerReference before it.
pub(crate) fn owners<'o, 'e>(
    object: &'o Object<'e>,
    group: &'static str,
    kind: &'static str,
) -> impl Iterator<Item = &'o OwnerReference<'e>> {
    let (controller, others): (Vec<_>, Vec<_>) =
        object.owners.iter().filter(|owner| owner.is(group, kind)).partition(|owner| owner.is_controller);
    controller.into_iter().chain(others)
}

/// The first of these objects that refers to the one under review. If none of several does, the first of them, unless
/// one that was not read could be the one. `None` if there are no such objects.
///
/// # Errors
/// When one of them could not be read, and no other refers to the object.
pub(crate) fn owner_that_refers<'e>(
    queries: impl Iterator<Item = ObjectQuery<'e>>,
    refers: impl Fn(&Parent<'e>) -> Result<bool, ReadFailure>,
    lookups: &Lookups<'e>,
) -> Result<Option<Parent<'e>>, ReadFailure> {
    let (mut first, mut unread) = (None, None);
    for query in queries {
        match lookups.parent(&query).and_then(|parent| Ok((refers(&parent)?, parent))) {
            Ok((true, parent)) => return Ok(Some(parent)),
            Ok((false, parent)) => first = first.or(Some(parent)),
            Err(failure) => {
                // No other read succeeds either.
                let is_last = failure.is_of_too_many_reads();
                unread = unread.or(Some(failure));
                if is_last {
                    break;
                }
            }
        }
    }
    unread.map_or(Ok(first), Err)
}

pub(crate) struct Reference<'e> {
    /// `None` if the reference does not say.
    group: Option<&'e str>,
    /// The same.
    kind: Option<&'e str>,
    /// Empty if it names none.
    name: &'e str,
}

impl<'e> Reference<'e> {
    /// A reference in an object's `spec`.
    fn read(parent: &Parent<'e>, path: &[&str]) -> Result<Self, ReadFailure> {
        let reference = parent.spec(path)?;
        let string = |key| parent.readable(reference.string(&[key]));
        let name = string("name")?.unwrap_or_default();
        let group = match string("apiGroup")? {
            None => string("apiVersion")?.map(|version| group_and_version(version).0),
            group => group,
        };
        Ok(Reference { group, kind: string("kind")?, name })
    }

    /// Whether it is to this object. Parts of it that are absent are not compared.
    fn is_to(&self, group: &str, kind: &str, name: &str) -> bool {
        self.name == name && self.kind.is_none_or(|it| it == kind) && self.group.is_none_or(|it| it == group)
    }
}

/// Whether a reference in an object's `spec` is to the one under review; `None` if there is none.
pub(crate) fn refers_to(
    parent: &Parent<'_>,
    path: &[&str],
    subject: &Subject<'_>,
) -> Result<Option<bool>, ReadFailure> {
    let (reference, kind) = (Reference::read(parent, path)?, &subject.review.kind);
    let is_to_it = || reference.is_to(&kind.group, &kind.kind, subject.name());
    Ok((!reference.name.is_empty()).then(is_to_it))
}

/// Whether this Cluster is paused, by field or annotation.
pub(crate) fn is_paused_cluster(cluster: &Parent<'_>) -> Result<bool, Stop> {
    Ok(cluster.spec(&["paused"])?.is_true() || has_paused_annotation(&cluster.object))
}

/// The Cluster of an infrastructure cluster: the labels of the one become tags of the other.
///
/// # Errors
/// When one of them is paused, no Cluster owns the object and refers to it, or one could not be read. Of a new object
/// also when the Cluster is being deleted, or is not the one with the uid of the ownerReference.
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
    let cluster = naming_cluster(subject, lookups)?;
    let name = || cluster.name.to_string();
    if has_paused_annotation(&cluster.object) || is_paused_cluster(&cluster)? {
        return Err(Stop::not_applicable(NotApplicableReason::Paused, name()));
    }
    if cluster.object.deleting && subject.review.operation == Operation::Create {
        return Err(Stop::not_applicable(NotApplicableReason::ParentDeleting, name()));
    }
    Ok(cluster)
}

/// The Cluster that names an infrastructure cluster, paused or not.
///
/// # Errors
/// When no Cluster owns the object and refers to it, or one could not be read.
pub fn naming_cluster<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Parent<'e>, Stop> {
    let Some(cluster) = owning_cluster(subject, lookups)? else {
        return Err(Stop::not_applicable(NotApplicableReason::NoOwner, ""));
    };
    if refers_to(&cluster, &["infrastructureRef"], subject)? != Some(true) {
        return Err(Stop::not_applicable(NotApplicableReason::AnotherInfrastructure, cluster.name.to_string()));
    }
    Ok(cluster)
}

/// Of the Clusters in the ownerReferences, as they are stored and written, the one whose `infrastructureRef` names the
/// object: anybody can add a reference. If none does, the first of them.
///
/// The providers find the Cluster of a stored object by name, and ignore the uid of the reference. Cluster API adds the
/// ownerReference to what `infrastructureRef` names, also where a topology creates the object: its owner is a Secret
/// until then.
///
/// Source: internal/controllers/cluster/cluster_controller_phases.go, `reconcileExternal`; util/util.go,
/// `GetOwnerCluster`; exp/topology/desiredstate/desired_state.go, `computeInfrastructureCluster`.
fn owning_cluster<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Option<Parent<'e>>, Stop> {
    let is_new = subject.review.operation == Operation::Create;
    let written = clusters(&subject.object);
    if written.is_empty() {
        return Ok(None);
    }
    let stored = subject.old().ok().flatten().map(clusters).unwrap_or_default();
    let mut names = BTreeSet::new();
    let owners = stored.iter().chain(&written).filter(|owner| names.insert(owner.name));
    let queries = owners.map(|owner| {
        let uid = if is_new { owner.uid } else { "" };
        ObjectQuery { uid, ..ObjectQuery::owner(owner, subject.namespace(), INFRASTRUCTURE_MASKS) }
    });
    let refers = |cluster: &Parent<'e>| Ok(refers_to(cluster, &["infrastructureRef"], subject)? == Some(true));
    Ok(owner_that_refers(queries, refers, lookups)?)
}

/// The ownerReferences to Clusters, the controller first.
fn clusters<'e>(object: &Object<'e>) -> Vec<OwnerReference<'e>> {
    owners(object, CORE_GROUP, "Cluster").copied().collect()
}

/// What is known about a Cluster whose topology is not needed.
pub struct ClusterState<'e> {
    /// By field or annotation.
    pub is_paused: bool,
    control_plane: Reference<'e>,
}

/// What is known about the Cluster that the object names.
pub enum OwnCluster<'e> {
    Known(ClusterState<'e>),
    Missing,
    /// The object names none, or it cannot be read.
    Unknown,
}

impl<'e> ClusterState<'e> {
    /// What is known about the Cluster of this name.
    pub(crate) fn read(lookups: &Lookups<'e>, namespace: &'e str, name: &'e str) -> Result<Self, Stop> {
        let cluster = lookups.parent(&core("Cluster", namespace, name, CLUSTER_MASKS))?;
        let control_plane = Reference::read(&cluster, &["controlPlaneRef"])?;
        Ok(ClusterState { is_paused: is_paused_cluster(&cluster)?, control_plane })
    }

    /// The name of its control plane, if that is a KubeadmControlPlane.
    pub(crate) fn kubeadm_control_plane(&self) -> Option<&'e str> {
        (self.control_plane.kind == Some("KubeadmControlPlane")).then_some(self.control_plane.name)
    }

    /// Whether an owner is its control plane.
    pub(crate) fn is_controlled_by(&self, owner: &OwnerReference<'_>) -> bool {
        self.control_plane.kind.is_some() && self.control_plane.is_to(owner.group(), owner.kind, owner.name)
    }
}

/// Cluster API's own groups count as one: the host serves and grants them in the same versions.
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
