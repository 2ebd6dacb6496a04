//! The owner above a MachineSet, a Machine, or a Machine's infrastructure and bootstrap configuration.

use crate::admission::subject::Subject;
use crate::catalog::grants::{CONTROL_PLANE_MASKS, MACHINE_MASKS, TEMPLATE_MASKS};
use crate::catalog::groups::{CONTROL_PLANE_GROUP, CORE_GROUP};
use crate::catalog::keys::{CLUSTER_NAME, TEMPLATE_HASH};
use crate::catalog::place::Place;
use crate::json::document::Json;
use crate::kube::lookup::Lookups;
use crate::kube::object::OwnerReference;
use crate::kube::parent::Parent;
use crate::kube::query::ObjectQuery;
use crate::kube::stop::Stop;
use crate::propagation::layers::{Facts, Layer, Sources};
use crate::report::not_applicable::NotApplicableReason;

/// A MachineSet follows the MachineDeployment that controls it.
///
/// Source: core/reconcilers/machinedeployment/machinedeployment_rollout_planner.go, `computeDesiredMS`.
pub(super) fn of_machine_set<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Sources<'e>, Stop> {
    match subject.object.controller() {
        Some(owner) if owner.is(CORE_GROUP, "MachineDeployment") => {
            let mut sources = read(Owner::MachineDeployment, owner, None, subject, lookups)?;
            sources.targets.extend(subject.template());
            sources.facts.template_hash = subject.stored_label(TEMPLATE_HASH)?;
            Ok(sources)
        }
        other => Err(no_owner(other)),
    }
}

/// A Machine follows the MachineSet, control plane or MachinePool that controls it.
///
/// Source: core/reconcilers/machineset/machineset_controller.go `computeDesiredMachine`, controlplane/kubeadm/pkg/
/// desiredstate `ComputeDesiredMachine`, core/reconcilers/machinepool `computeDesiredMachine`.
pub(super) fn of_machine<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Sources<'e>, Stop> {
    let owner = subject.object.controller();
    match owner.and_then(|owner| Some((Owner::of_machines(owner)?, owner))) {
        Some((kind, owner)) => read(kind, owner, subject.object.spec.string(&["clusterName"])?, subject, lookups),
        None => Err(no_owner(owner)),
    }
}

/// Infrastructure and bootstrap configuration follow the owner of their Machine: directly while they are new, through
/// the Machine once it has taken them over. Those of a MachinePool's Machines receive nothing.
///
/// Source: core/reconcilers/machineset/machineset_controller.go `updateLabelsAndAnnotations`, controlplane/kubeadm/
/// reconcilers/kubeadmcontrolplane `syncMachines`.
pub(super) fn of_machine_part<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Sources<'e>, Stop> {
    let of_machine_part =
        |owner: &OwnerReference<'_>| Owner::of_machines(owner).filter(|kind| !matches!(kind, Owner::MachinePool));
    if let Some(owner) = subject.object.owner(CORE_GROUP, "Machine") {
        let machine = lookups.active_parent(&ObjectQuery::owner(owner, subject.namespace(), MACHINE_MASKS))?;
        let owner = machine.object.controller();
        if owner.is_none() && lookups.carries_from_machines() {
            return of_standalone_machine(&machine, subject);
        }
        let Some((kind, owner)) = owner.and_then(|owner| Some((of_machine_part(owner)?, owner))) else {
            return Err(no_owner(owner));
        };
        return read(kind, owner, machine.string(&["clusterName"])?, subject, lookups);
    }
    let direct = subject.object.owners.iter().find_map(|owner| Some((of_machine_part(owner)?, owner)));
    match direct {
        Some((kind, owner)) => read(kind, owner, None, subject, lookups),
        None => Err(no_owner(None)),
    }
}

/// Beyond Cluster API: selected keys of a Machine that nobody controls.
fn of_standalone_machine<'e>(machine: &Parent<'e>, subject: &Subject<'e>) -> Result<Sources<'e>, Stop> {
    let cluster = machine.string(&["clusterName"])?;
    Ok(Sources {
        layers: vec![Layer::read(machine, Place::Machine, None, subject.place)?],
        targets: subject.place.into_iter().collect(),
        forced_only: None,
        facts: Facts::default(),
        tracked: true,
        selector: None,
        unread_cluster: cluster.map(|name| (subject.namespace(), name)),
    })
}

/// The kinds that own MachineSets or Machines.
#[derive(Clone, Copy)]
enum Owner {
    MachineDeployment,
    MachineSet,
    MachinePool,
    KubeadmControlPlane,
    OtherControlPlane,
}

impl Owner {
    fn of_machines(owner: &OwnerReference<'_>) -> Option<Owner> {
        match (owner.group(), owner.kind) {
            (CORE_GROUP, "MachineSet") => Some(Owner::MachineSet),
            (CORE_GROUP, "MachinePool") => Some(Owner::MachinePool),
            (CONTROL_PLANE_GROUP, "KubeadmControlPlane") => Some(Owner::KubeadmControlPlane),
            (CONTROL_PLANE_GROUP, _) => Some(Owner::OtherControlPlane),
            _ => None,
        }
    }

    /// The places that are read of the owner, the strongest last.
    fn places(self) -> &'static [Place] {
        match self {
            Owner::MachineDeployment => &[Place::MachineDeployment, Place::MachineDeploymentTemplate],
            Owner::MachineSet => &[Place::MachineSet, Place::MachineSetTemplate],
            Owner::MachinePool => &[Place::MachinePool, Place::MachinePoolTemplate],
            Owner::KubeadmControlPlane => &[Place::ControlPlane, Place::ControlPlaneMachineTemplate],
            Owner::OtherControlPlane => &[Place::OtherControlPlaneMachineTemplate],
        }
    }

    fn is_control_plane(self) -> bool {
        matches!(self, Owner::KubeadmControlPlane | Owner::OtherControlPlane)
    }
}

/// `cluster` is the Cluster's name as the Machine knows it.
fn read<'e>(
    kind: Owner,
    owner: &OwnerReference<'e>,
    cluster: Option<&'e str>,
    subject: &Subject<'e>,
    lookups: &Lookups<'e>,
) -> Result<Sources<'e>, Stop> {
    let masks = if kind.is_control_plane() { CONTROL_PLANE_MASKS } else { TEMPLATE_MASKS };
    let parent = lookups.active_parent(&ObjectQuery::owner(owner, subject.namespace(), masks))?;
    let read = |place: &Place| Layer::read(&parent, *place, None, subject.place);
    let layers = kind.places().iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let selector = selector(&parent)?;
    let cluster_name = match owners_cluster(&parent)?.or(cluster) {
        Some(name) => Some(name),
        None => subject.stored_label(CLUSTER_NAME)?,
    };
    Ok(Sources {
        layers,
        targets: subject.place.into_iter().collect(),
        forced_only: None,
        unread_cluster: cluster_name.map(|name| (subject.namespace(), name)),
        facts: Facts {
            cluster_name,
            owner_name: Some(parent.object.name),
            owner_labels: parent.object.labels,
            ..Facts::default()
        },
        tracked: matches!(kind, Owner::OtherControlPlane),
        selector,
    })
}

/// The keys of the owner's selector.
fn selector<'e>(parent: &Parent<'e>) -> Result<Option<Vec<&'e str>>, Stop> {
    let read = |selector: Json<'e>| {
        let mut keys: Vec<&str> = selector.get("matchLabels")?.as_map()?.keys().collect();
        for expression in selector.get("matchExpressions")?.elements()? {
            keys.extend(expression.string(&["key"])?);
        }
        Ok(keys)
    };
    parent.readable(parent.spec(&["selector"])?.present().map(read).transpose())
}

/// The Cluster's name as the owner knows it: in `spec.clusterName`, which is immutable, in the reference to the
/// Cluster, in the label.
fn owners_cluster<'e>(parent: &Parent<'e>) -> Result<Option<&'e str>, Stop> {
    let object = &parent.object;
    let reference = || object.owner(CORE_GROUP, "Cluster").map(|owner| owner.name);
    Ok(parent.string(&["clusterName"])?.or_else(reference).or_else(|| object.labels.get(CLUSTER_NAME)))
}

/// Owners of Cluster API's groups are known not to propagate; what owners of other groups do is not known.
fn no_owner(owner: Option<&OwnerReference<'_>>) -> Stop {
    match owner {
        Some(owner) if owner.group() != CORE_GROUP => {
            Stop::not_applicable(NotApplicableReason::UnknownOwnerKind, format!("{} {}", owner.kind, owner.name))
        }
        _ => Stop::not_applicable(NotApplicableReason::NoOwner, ""),
    }
}
