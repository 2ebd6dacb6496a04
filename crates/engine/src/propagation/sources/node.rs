//! The Machine of a Node, in clusters that manage themselves.

use crate::admission::subject::Subject;
use crate::catalog::grants::NODE_MACHINE_MASKS;
use crate::catalog::keys::{NODE_CLUSTER_NAMESPACE, NODE_MACHINE};
use crate::catalog::place::Place;
use crate::kube::lookup::Lookups;
use crate::kube::query::ObjectQuery;
use crate::kube::stop::Stop;
use crate::propagation::class_patches::ClassPatches;
use crate::propagation::layers::{Facts, Layer, Sources};
use crate::report::not_applicable::NotApplicableReason;

/// A Node follows the Machine that its annotations name and that does not name another Node. The Machine controller
/// writes the annotations at its first sync; what this policy adds becomes part of its own record at the next one.
///
/// A kubelet may edit its own Node's annotations, and must not gain the labels of another Machine by it: what is stored
/// counts, and the Machine has a say.
///
/// Source: core/reconcilers/machine/machine_controller_noderef.go, `reconcileNode` and `patchNode`.
pub(super) fn sources<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Sources<'e>, Stop> {
    let stored = subject.old()?.map(|old| &old.annotations).filter(|stored| stored.contains_key(NODE_MACHINE));
    let annotations = stored.unwrap_or(&subject.object.annotations);
    let annotation = |key: &str| annotations.get(key).filter(|value| !value.is_empty());
    let (Some(namespace), Some(name)) = (annotation(NODE_CLUSTER_NAMESPACE), annotation(NODE_MACHINE)) else {
        return Err(Stop::not_applicable(NotApplicableReason::NoOwner, ""));
    };
    let machine = lookups.active_parent(&ObjectQuery::core("Machine", namespace, name, NODE_MACHINE_MASKS))?;
    let node = machine.readable(machine.object.status.string(&["nodeRef", "name"]))?;
    if node.is_some_and(|node| node != subject.name()) {
        return Err(Stop::not_applicable(NotApplicableReason::AnotherNode, machine.name.to_string()));
    }
    let cluster = machine.string(&["clusterName"])?;
    Ok(Sources {
        layers: vec![Layer::read(&machine, Place::Machine, None, None)?],
        targets: vec![Place::Node],
        patches: ClassPatches::default(),
        facts: Facts::default(),
        tracked: false,
        selector: None,
        unread_cluster: cluster.map(|cluster| (namespace, cluster)),
    })
}
