//! The Machine of a Node, in clusters that manage themselves.

use crate::catalog::keys::{CLUSTER_NAME, NODE_CLUSTER_NAMESPACE, NODE_MACHINE};
use crate::catalog::node_restriction::NODES_GROUP;
use crate::catalog::{NODE_MACHINE_MASKS, Place};
use crate::parents::{active_parent, core};
use crate::propagation::layers::{Layer, Sources};
use crate::subject::Subject;
use kubernetes::{Lookups, NotApplicableReason, Stop};

/// A Node inherits from the Machine that its annotations name, if the Machine's `status.nodeRef` names the Node and
/// both agree on the Cluster. The Machine controller sets `nodeRef`, then writes annotations and labels immediately.
///
/// A kubelet sets the annotations of its own Node, and must not be able to get the labels of another Machine that way:
/// the stored annotations count, and the Machine must confirm them. The API server runs NodeRestriction again after a
/// webhook changed the object, so a kubelet would be refused because of labels that it did not set: those are not added
/// to its requests.
///
/// Source: core/reconcilers/machine/machine_controller_noderef.go, `reconcileNode` and `patchNode`; k8s.io/apiserver,
/// pkg/admission/reinvocation.go.
pub(super) fn sources<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Sources<'e>, Stop> {
    let old = subject.old()?;
    let stored = old.map(|old| &old.annotations).filter(|stored| stored.contains_key(NODE_MACHINE));
    let annotations = stored.unwrap_or(&subject.object.annotations);
    let annotation = |key: &str| annotations.get(key).filter(|value| !value.is_empty());
    let (Some(namespace), Some(name)) = (annotation(NODE_CLUSTER_NAMESPACE), annotation(NODE_MACHINE)) else {
        return Err(Stop::not_applicable(NotApplicableReason::NoOwner, ""));
    };
    let machine = active_parent(lookups, &core("Machine", namespace, name, NODE_MACHINE_MASKS))?;
    let no = |reason| Err(Stop::not_applicable(reason, machine.name.to_string()));
    match machine.readable(machine.object.status.string(&["nodeRef", "name"]))? {
        None => return no(NotApplicableReason::NoNodeYet),
        Some(node) if node != subject.name() => return no(NotApplicableReason::AnotherNode),
        Some(_) => {}
    }
    let cluster = machine.string(&["clusterName"])?;
    if cluster.is_none() || annotation(CLUSTER_NAME) != cluster {
        return no(NotApplicableReason::AnotherCluster);
    }
    let is_kubelet = subject.review.groups.iter().any(|group| group == NODES_GROUP);
    Ok(Sources {
        layers: vec![Layer::read(&machine, Place::Machine, None, None)?],
        targets: vec![Place::Node],
        unread_cluster: cluster.map(|cluster| (namespace, cluster)),
        stored_for_kubelet: is_kubelet.then(|| old.map(|old| old.labels.clone()).unwrap_or_default()),
        ..Sources::default()
    })
}
