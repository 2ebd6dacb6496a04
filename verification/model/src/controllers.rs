//! Cluster API's controllers: each reconciles one object with its source.

use crate::location::{FieldManager, ModelKind};
use crate::world::{ReceivedWrite, World, WriteContext, WriteOutcome, WriteVerb};

/// One reconciliation of the object of a kind; returns its writes in order.
///
/// Source: core/reconcilers/topology/cluster/structuredmerge, core/reconcilers/machinedeployment and machineset; all
/// apply by force and remember what they applied.
pub fn reconcile(
    world: &mut World,
    place: WriteContext<'_>,
    kind: ModelKind,
    journal: &mut Vec<(ReceivedWrite, WriteOutcome)>,
) {
    // Source: core/reconcilers/machineset, `syncMachines`: a Machine that is being deleted gets no metadata, and a
    // MachineSet that is being deleted gives none.
    let is_deleting = |kind: ModelKind| world.object(kind).is_some_and(|object| object.deleting);
    if place.cluster.paused || is_deleting(kind) || kind.owner().is_some_and(is_deleting) {
        return;
    }
    let wanted = world.wanted(kind, place.cluster);
    if world.object(kind).is_some() && world.remembered(kind) == Some(wanted) {
        return;
    }
    let manager = kind.controller();
    let mut apply = |world: &mut World, values, dry_run| {
        let verb = WriteVerb::Apply { values, is_whole: true, force: true };
        let write = ReceivedWrite { kind, manager, verb, dry_run, compares: dry_run };
        let written = world.write(place, &write);
        journal.push((write, written.clone()));
        match written {
            WriteOutcome::Stored(object) => object,
            _ => None,
        }
    };
    if manager == FieldManager::Topology
        && let Some(before) = world.object(kind).copied()
    {
        // It writes if the two answers differ, or if the fields that it owns differ.
        let (Some(modified), Some(original)) = (apply(world, wanted, true), apply(world, before.values(), true)) else {
            return;
        };
        let owns_the_same = kind.locations().all(|location| {
            let owns = |object: &crate::server::ModelObject| object.at(location.slot, location.key).owners.has(manager);
            owns(&before) == owns(&modified)
        });
        if modified.values() == original.values() && owns_the_same {
            world.remember(kind, wanted);
            return;
        }
        apply(world, wanted, false);
        return;
    }
    if apply(world, wanted, false).is_some() {
        world.remember(kind, wanted);
    }
}
