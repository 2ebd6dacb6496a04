//! Objects that are created or deleted as a whole, and the Machines with them.

use metadata_propagation::Effect;
use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;

use super::machines::{Machines, Part, machines};
use super::{Happens, Planned, provider};
use crate::fleet::Fleet;
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::ObjectId;
use crate::relations::{class_of, is_of_topology};
use crate::workers::workers;

/// A new object, and the Machines that are created with it. Those of an owner that existed before are counted as a
/// scale of the owner.
pub(super) fn creation(id: &ObjectId, before: &Hierarchy, after: &Hierarchy) -> Planned {
    let has_machines = has_machines(id) && !is_of_former_owner(id, before, after);
    let mut made = if has_machines { machines(after, id, &Part::Whole) } else { Machines::default() };
    made.named.retain(|machine| before.number(machine).is_none());
    made.predicted.retain(|owner, _| before.number(owner).is_none());
    made.uncounted.retain(|owner| before.number(owner).is_none());
    let effect = (!made.is_empty()).then_some(Effect::Scale);
    Planned { effect, machines: made, ..Planned::new(id, Happens::Created) }
}

/// A deleted object, with its Machines.
pub(super) fn deletion(id: &ObjectId, before: &Hierarchy, new: &Fleet) -> Planned {
    let has_machines = has_machines(id);
    let machines = match () {
        () if has_machines => machines(before, id, &Part::Whole),
        () if is_permanent(id) => Machines::default(),
        () if is_namespace(id) => machines_in(before, &id.name),
        () => Machines::default(),
    };
    let is_alone = before.find(id).is_some_and(|member| member.parent.is_none());
    let is_part = provider::has_effect_if_deleted(id) && (is_alone || is_still_named(id, before, new));
    let effect = match () {
        () if is_part => Some(Effect::CannotTell),
        () if is_permanent(id) => Some(Effect::Refused),
        () if is_namespace(id) => of_namespace(before, &machines, &id.name),
        () if is_used_class(id, before, new) => Some(Effect::Refused),
        () => has_machines.then_some(Effect::Destructive),
    };
    let replaced_by = before.find(id).and_then(|member| replacing(member, before, new));
    Planned { effect, machines, replaced_by, ..Planned::new(id, Happens::Deleted) }
}

/// Whether everything in it is deleted with an object.
pub(super) fn is_namespace(id: &ObjectId) -> bool {
    id.group.is_empty() && id.kind == "Namespace"
}

/// Whether it is a namespace that the API server does not delete.
///
/// Source: `Register` and `Admit` in pkg/admission/plugin/namespace/lifecycle/admission.go of k8s.io/apiserver v0.37.
fn is_permanent(id: &ObjectId) -> bool {
    const PERMANENT: [&str; 3] = ["default", "kube-public", "kube-system"];
    is_namespace(id) && PERMANENT.contains(&&*id.name)
}

/// The Machines of all objects in a namespace.
fn machines_in(before: &Hierarchy, namespace: &str) -> Machines {
    let mut found = Machines::default();
    let tops = before
        .members()
        .iter()
        .filter(|member| member.id.namespace == namespace && has_machines(&member.id) && member.origin.is_some());
    tops.for_each(|member| found.add(&machines(before, &member.id, &Part::Whole)));
    found
}

/// What the deletion of a namespace does. What is in one without known objects is not known.
fn of_namespace(before: &Hierarchy, machines: &Machines, namespace: &str) -> Option<Effect> {
    let is_known = before.members().iter().any(|member| member.id.namespace == namespace);
    match () {
        () if !machines.is_empty() => Some(Effect::Destructive),
        () if !is_known => Some(Effect::CannotTell),
        () => None,
    }
}

/// Whether Clusters that remain use a class.
///
/// Source: `ClusterClass.ValidateDelete` in core/webhooks/admission/clusterclass.go of Cluster API v1.14.
fn is_used_class(id: &ObjectId, before: &Hierarchy, new: &Fleet) -> bool {
    let is_class = id.group == CORE_GROUP && id.kind == "ClusterClass";
    let class = before.find(id).filter(|_| is_class);
    let clusters = class.into_iter().flat_map(|class| &class.children).filter_map(|number| before.member(*number));
    clusters.filter_map(|cluster| Some((&cluster.id, new.find(&cluster.id)?))).any(|(cluster, stays)| {
        class_of(&stays.value())
            .is_some_and(|(name, namespace)| name == id.name && namespace.unwrap_or(&cluster.namespace) == id.namespace)
    })
}

/// Whether the owner of a deleted object remains, and still names it.
fn is_still_named(id: &ObjectId, before: &Hierarchy, new: &Fleet) -> bool {
    let owner = before.find(id).and_then(|member| new.find(&before.member(member.parent?)?.id));
    owner.is_some_and(|owner| owner.references().contains(id))
}

fn has_machines(id: &ObjectId) -> bool {
    const WITH_MACHINES: [&str; 5] = ["Cluster", "MachineDeployment", "MachineSet", "MachinePool", "Machine"];
    id.is_control_plane() || id.group == CORE_GROUP && WITH_MACHINES.contains(&&*id.kind)
}

/// Whether the owner of a new object, whose controller creates such objects, existed before; if the owner is new too,
/// the owner of that.
fn is_of_former_owner(id: &ObjectId, before: &Hierarchy, after: &Hierarchy) -> bool {
    let member = after.find(id);
    let owner = member.and_then(|member| after.member(member.parent?));
    // No controller creates the Clusters of a class.
    let Some((member, owner)) = member.zip(owner).filter(|(member, _)| member.id.kind != "Cluster") else {
        return false;
    };
    if before.number(&owner.id).is_none() {
        return is_of_former_owner(&owner.id, before, after);
    }
    owner.id.kind != "Cluster" || is_of_topology(&member.written)
}

/// The owner of a deleted object that remains, and whose controller creates another one. If the owner is deleted too,
/// that of the owner. None if the owner has fewer replicas than before.
fn replacing(deleted: &Member, before: &Hierarchy, new: &Fleet) -> Option<ObjectId> {
    let owner = before.member(deleted.parent?)?;
    let Some(stays) = new.find(&owner.id) else { return replacing(owner, before, new) };
    let stays = stays.value();
    let number = |object: &Value| object.pointer("/spec/replicas").and_then(Value::as_u64).unwrap_or(1);
    if number(&stays) < number(&owner.written) {
        return None;
    }
    let makes = match (&*deleted.id.kind, &*owner.id.kind) {
        ("Machine", "MachineSet") | ("MachineSet", "MachineDeployment") => owner.id.group == CORE_GROUP,
        ("Machine", _) => owner.id.has_machines(),
        ("MachineDeployment" | "MachinePool", "Cluster") => {
            deleted.topology_entries.iter().any(|(list, name)| workers(&stays, list).any(|worker| worker.name == name))
        }
        _ => false,
    };
    makes.then(|| owner.id.clone())
}
