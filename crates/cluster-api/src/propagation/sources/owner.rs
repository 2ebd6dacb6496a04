//! The owner above a MachineSet, a Machine, or a Machine's infrastructure and bootstrap configuration.

use std::collections::BTreeSet;

use crate::catalog::keys::{CLUSTER_NAME, TEMPLATE_HASH};
use crate::catalog::{CORE_GROUP, MACHINE_MASKS, Owner, Place, appliers};
use crate::json::Json;
use crate::parents::{active, active_parent, owner_that_refers, owners, refers_to};
use crate::propagation::layers::{Facts, Layer, Sources};
use crate::propagation::managed::declared;
use crate::settings::ClusterApi;
use crate::subject::Subject;
use kubernetes::managed_fields::ManagedFieldsEntry;
use kubernetes::{
    Lookups, MapKind, NotApplicableReason, Object, ObjectQuery, OwnerReference, Parent, ReadFailure, Stop,
};

/// A MachineSet inherits from the MachineDeployment that controls it.
///
/// Source: core/reconcilers/machinedeployment/machinedeployment_rollout_planner.go, `computeDesiredMS`.
pub(super) fn of_machine_set<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Sources<'e>, Stop> {
    let controller = subject.object.controller();
    let Some((kind, owner)) = controller.and_then(|owner| of(owner, Place::MachineSet)) else {
        return Err(no_owner(controller));
    };
    let mut sources = read(kind, owner, None, subject, lookups)?;
    sources.targets.extend(subject.template());
    sources.facts.template_hash = subject.stored_label(TEMPLATE_HASH)?;
    Ok(sources)
}

/// A Machine inherits from the MachineSet, control plane or MachinePool that controls it.
///
/// Source: core/reconcilers/machineset/machineset_controller.go `computeDesiredMachine`, controlplane/kubeadm/pkg/
/// desiredstate `ComputeDesiredMachine`, core/reconcilers/machinepool `computeDesiredMachine`.
pub(super) fn of_machine<'e>(subject: &Subject<'e>, lookups: &Lookups<'e>) -> Result<Sources<'e>, Stop> {
    let controller = subject.object.controller();
    match controller.and_then(|owner| of(owner, Place::Machine)) {
        Some((kind, owner)) => read(kind, owner, subject.object.spec.string(&["clusterName"])?, subject, lookups),
        None => Err(no_owner(controller)),
    }
}

/// Infrastructure and bootstrap configuration inherit from the owner of their Machine: directly while they are new,
/// through the Machine once it owns them. Those of a MachinePool's Machines receive nothing.
///
/// Source: core/reconcilers/machineset/machineset_controller.go `updateLabelsAndAnnotations`, controlplane/kubeadm/
/// reconcilers/kubeadmcontrolplane `syncMachines`.
pub(super) fn of_machine_part<'e>(
    place: Place,
    subject: &Subject<'e>,
    settings: &ClusterApi,
    lookups: &Lookups<'e>,
) -> Result<Sources<'e>, Stop> {
    let machines = owners(&subject.object, CORE_GROUP, "Machine");
    let queries = machines.map(|owner| ObjectQuery::owner(owner, subject.namespace(), MACHINE_MASKS));
    if let Some(machine) = owner_that_refers(queries, |machine| is_part(machine, place, subject), lookups)? {
        if !is_part(&machine, place, subject)? {
            return Err(Stop::not_applicable(NotApplicableReason::AnotherMachinePart, machine.name.to_string()));
        }
        let machine = active(machine)?;
        let controller = machine.object.controller();
        if controller.is_none() && settings.carries_from_machines() {
            return of_standalone_machine(&machine, subject);
        }
        let Some((kind, owner)) = controller.and_then(|owner| of(owner, place)) else {
            return Err(no_owner(controller));
        };
        return read(kind, owner, machine.string(&["clusterName"])?, subject, lookups);
    }
    match only_owner(&subject.object, place) {
        Some((kind, owner)) => read(kind, owner, None, subject, lookups),
        None => Err(no_owner(None)),
    }
}

/// Whether a Machine refers to its part. The labels of its owner go to what it refers to, and to nothing else that it
/// owns, such as an object that remediates it. A Machine without the field is incomplete, and not known to have another
/// part.
///
/// Source: core/reconcilers/machineset/machineset_controller.go, `syncMachines`.
fn is_part(machine: &Parent<'_>, place: Place, subject: &Subject<'_>) -> Result<bool, ReadFailure> {
    Ok(match place {
        Place::BootstrapConfig => {
            let has_other_data = !machine.spec(&["bootstrap", "dataSecretName"])?.is_null();
            refers_to(machine, &["bootstrap", "configRef"], subject)?.unwrap_or(!has_other_data)
        }
        _ => refers_to(machine, &["infrastructureRef"], subject)?.unwrap_or(true),
    })
}

/// The owner of a part that no Machine owns yet: its controller, or the only one. Nothing says which of several it is.
fn only_owner<'o, 'e>(object: &'o Object<'e>, place: Place) -> Option<(&'static Owner, &'o OwnerReference<'e>)> {
    let mut owners = object.owners.iter().filter_map(|owner| of(owner, place));
    let only = owners.next().filter(|_| owners.next().is_none());
    object.controller().and_then(|owner| of(owner, place)).or(only)
}

/// Beyond Cluster API: selected keys of a Machine without a controller.
fn of_standalone_machine<'e>(machine: &Parent<'e>, subject: &Subject<'e>) -> Result<Sources<'e>, Stop> {
    let cluster = machine.string(&["clusterName"])?;
    Ok(Sources {
        layers: vec![Layer::read(machine, Place::Machine, None, subject.place)?],
        targets: subject.place.into_iter().collect(),
        tracked: true,
        unread_cluster: cluster.map(|name| (subject.namespace(), name)),
        ..Sources::default()
    })
}

/// The row of the owner's kind for objects at `place`.
fn of<'o, 'e>(owner: &'o OwnerReference<'e>, place: Place) -> Option<(&'static Owner, &'o OwnerReference<'e>)> {
    Some((Owner::of(owner.group(), owner.kind, place)?, owner))
}

/// `cluster` is the Cluster's name in the Machine.
fn read<'e>(
    kind: &Owner,
    owner: &OwnerReference<'e>,
    cluster: Option<&'e str>,
    subject: &Subject<'e>,
    lookups: &Lookups<'e>,
) -> Result<Sources<'e>, Stop> {
    let parent = active_parent(lookups, &ObjectQuery::owner(owner, subject.namespace(), kind.masks))?;
    let read = |place: &Place| Layer::read(&parent, *place, None, subject.place);
    let layers = kind.gives.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let selector = selector(&parent)?;
    let cluster_name = match owners_cluster(&parent)?.or(cluster) {
        Some(name) => Some(name),
        None => subject.stored_label(CLUSTER_NAME)?,
    };
    Ok(Sources {
        layers,
        targets: subject.place.into_iter().collect(),
        unread_cluster: cluster_name.map(|name| (subject.namespace(), name)),
        facts: Facts {
            cluster_name,
            owner_name: Some(parent.object.name),
            owner_labels: parent.object.labels,
            ..Facts::default()
        },
        tracked: kind.recorded,
        selector,
        owner_kind: owner.kind,
        of_provider: MapKind::BOTH.map(|map| of_provider(subject, owner.kind, map)),
        ..Sources::default()
    })
}

/// The keys of a map that the provider of the Machine's control plane applies. What it applies is its own decision.
fn of_provider<'e>(subject: &Subject<'e>, owner: &str, map: MapKind) -> BTreeSet<&'e str> {
    let managers = subject.place.map(|place| appliers::of_provider(owner, place)).unwrap_or_default();
    if managers.is_empty() {
        return BTreeSet::new();
    }
    let is_provider = |entry: &ManagedFieldsEntry<'_>| entry.applies() && managers.contains(&entry.manager);
    declared(subject.object.managed_fields, map, is_provider)
}

fn selector<'e>(parent: &Parent<'e>) -> Result<Option<BTreeSet<&'e str>>, Stop> {
    let read = |selector: Json<'e>| {
        let mut keys: BTreeSet<&str> = selector.get("matchLabels")?.as_map()?.keys().collect();
        for expression in selector.get("matchExpressions")?.elements()? {
            keys.extend(expression.string(&["key"])?);
        }
        Ok(keys)
    };
    Ok(parent.readable(parent.spec(&["selector"])?.present().map(read).transpose())?)
}

/// The Cluster's name in the owner: in `spec.clusterName`, which is immutable, in the reference to the Cluster, in the
/// label.
fn owners_cluster<'e>(parent: &Parent<'e>) -> Result<Option<&'e str>, Stop> {
    let object = &parent.object;
    let reference = || owners(object, CORE_GROUP, "Cluster").next().map(|owner| owner.name);
    Ok(parent.string(&["clusterName"])?.or_else(reference).or_else(|| object.labels.get(CLUSTER_NAME)))
}

/// It is known that other owners in Cluster API's groups do not propagate; for owners in other groups it is not known.
fn no_owner(owner: Option<&OwnerReference<'_>>) -> Stop {
    match owner {
        Some(owner) if owner.group() != CORE_GROUP => {
            Stop::not_applicable(NotApplicableReason::UnknownOwnerKind, format!("{} {}", owner.kind, owner.name))
        }
        _ => Stop::not_applicable(NotApplicableReason::NoOwner, ""),
    }
}
