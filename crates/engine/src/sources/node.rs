//! The Machine of a Node, in clusters that manage themselves.

use super::{Facts, Layer, Sources};
use crate::grants::MACHINE_MASKS;
use crate::keys::{NODE_CLUSTER_NAMESPACE, NODE_MACHINE};
use crate::lookup::{Lookups, Parent, Wanted};
use crate::place::Place;
use crate::stop::{InertReason, Stop};
use crate::subject::Subject;

/// A Node follows the Machine that its annotations name. The Machine controller writes them at its first sync; what
/// this policy adds becomes part of its own record at the next one.
///
/// Source: core/reconcilers/machine/machine_controller_noderef.go, `reconcileNode` and `patchNode`.
pub(super) fn sources(subject: &Subject<'_>, lookups: &Lookups<'_>) -> Result<Sources, Stop> {
    let annotation = |key: &str| subject.object.annotations.get(key).filter(|value| !value.is_empty());
    let (Some(namespace), Some(name)) = (annotation(NODE_CLUSTER_NAMESPACE), annotation(NODE_MACHINE)) else {
        return Err(Stop::inert(InertReason::NoOwner, ""));
    };
    let wanted = Wanted::core("Machine", namespace, name, MACHINE_MASKS);
    let text = lookups.get(&wanted)?;
    let machine = Parent::active(&text, &wanted)?;
    let cluster = machine.object.spec.string(&["clusterName"]).map_err(|malformed| machine.unreadable(&malformed))?;
    Ok(Sources {
        hop: Place::Machine,
        layers: vec![Layer::read(&machine, Place::Machine, None)?],
        targets: vec![Place::Node],
        forced_only: None,
        facts: Facts::default(),
        tracked: false,
        unread_cluster: cluster.map(|cluster| (namespace.clone().into_owned(), cluster.into_owned())),
    })
}
