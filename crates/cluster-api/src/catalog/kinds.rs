//! The kinds of Cluster API, and what the rules do with each.

use crate::catalog::{
    BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CONTROL_PLANE_MASKS, CORE_GROUP, INFRASTRUCTURE_GROUP, Place, TEMPLATE_MASKS,
};
use kubernetes::Masks;

/// A kind, or the kinds of a group that no earlier row names.
#[derive(Debug)]
pub struct KindRow {
    group: &'static str,
    name: Name,
    /// The place of such an object; `None` if no rule writes it.
    pub place: Option<Place>,
    /// The machine template in it that rules write.
    pub(crate) template: Option<Place>,
    /// The row of the kind as an owner; `None` if nothing inherits from it.
    pub(crate) owner: Option<Owner>,
    /// The blocks of metadata in it whose keys propagate, which guards check; each with the field that identifies an
    /// entry of its list.
    pub(crate) guarded: &'static [(Place, &'static str)],
}

/// A kind as the owner of others.
#[derive(Debug)]
pub(crate) struct Owner {
    /// The places that are read, the one with the highest precedence last.
    pub(crate) gives: &'static [Place],
    /// The fields that are read for them.
    pub(crate) masks: Masks,
    /// The places that inherit its metadata.
    pub(crate) receivers: &'static [Place],
    /// Whether this policy records what it adds below such an owner, because nothing else removes it when its source
    /// does.
    pub(crate) recorded: bool,
}

#[derive(Debug)]
enum Name {
    Is(&'static str),
    EndsWith(&'static str),
    Any,
}

/// Every kind that the rules read or write, exceptions before the rest of their group.
///
/// Every kind of the infrastructure and bootstrap groups that is not a template can belong to a Machine; its
/// ownerReferences show whether it does.
#[rustfmt::skip]
pub(super) static KINDS: &[KindRow] = &[
    topology(CORE_GROUP,          Name::Is("Cluster"),      &[(Place::ControlPlaneTopology, ""), (Place::MachineDeploymentTopology, "name"), (Place::MachinePoolTopology, "name")]),
    topology(CORE_GROUP,          Name::Is("ClusterClass"), &[(Place::ControlPlaneClass, ""), (Place::MachineDeploymentClass, "class"), (Place::MachinePoolClass, "class")]),
    topology(CONTROL_PLANE_GROUP, Name::EndsWith("ControlPlaneTemplate"), &[(Place::ControlPlaneTemplate, ""), (Place::ControlPlaneTemplateMachineTemplate, "")]),
    topology(CONTROL_PLANE_GROUP,  Name::EndsWith("Template"), &[]),
    topology(INFRASTRUCTURE_GROUP, Name::EndsWith("Template"), &[]),
    topology(BOOTSTRAP_GROUP,      Name::EndsWith("Template"), &[]),
    KindRow {
        template: Some(Place::MachineDeploymentTemplate),
        owner: owner(&[Place::MachineDeployment, Place::MachineDeploymentTemplate], TEMPLATE_MASKS, &[Place::MachineSet]),
        guarded: &[(Place::MachineDeploymentTemplate, "")],
        ..written(CORE_GROUP, Name::Is("MachineDeployment"), Place::MachineDeployment)
    },
    KindRow {
        template: Some(Place::MachineSetTemplate),
        owner: owner(&[Place::MachineSet, Place::MachineSetTemplate], TEMPLATE_MASKS, MACHINE_AND_PARTS),
        guarded: &[(Place::MachineSetTemplate, "")],
        ..written(CORE_GROUP, Name::Is("MachineSet"), Place::MachineSet)
    },
    KindRow {
        template: Some(Place::MachinePoolTemplate),
        // Infrastructure and bootstrap configuration of a MachinePool's Machines receive nothing.
        owner: owner(&[Place::MachinePool, Place::MachinePoolTemplate], TEMPLATE_MASKS, &[Place::Machine]),
        guarded: &[(Place::MachinePoolTemplate, "")],
        ..written(CORE_GROUP, Name::Is("MachinePool"), Place::MachinePool)
    },
    // A Machine's metadata propagates to its Node.
    KindRow {
        guarded: &[(Place::Machine, "")],
        ..written(CORE_GROUP, Name::Is("Machine"), Place::Machine)
    },
    KindRow {
        template: Some(Place::ControlPlaneMachineTemplate),
        owner: owner(&[Place::ControlPlane, Place::ControlPlaneMachineTemplate], CONTROL_PLANE_MASKS, MACHINE_AND_PARTS),
        guarded: &[(Place::ControlPlaneMachineTemplate, "")],
        ..written(CONTROL_PLANE_GROUP, Name::Is("KubeadmControlPlane"), Place::ControlPlane)
    },
    KindRow {
        template: Some(Place::ControlPlaneMachineTemplate),
        owner: Some(Owner {
            gives: &[Place::OtherControlPlaneMachineTemplate],
            masks: CONTROL_PLANE_MASKS,
            receivers: MACHINE_AND_PARTS,
            recorded: true,
        }),
        guarded: &[(Place::ControlPlaneMachineTemplate, "")],
        ..written(CONTROL_PLANE_GROUP, Name::Any, Place::ControlPlane)
    },
    written(INFRASTRUCTURE_GROUP, Name::Any, Place::InfraMachine),
    written(BOOTSTRAP_GROUP,      Name::Any, Place::BootstrapConfig),
    written("", Name::Is("Node"), Place::Node),
];

const MACHINE_AND_PARTS: &[Place] = &[Place::Machine, Place::InfraMachine, Place::BootstrapConfig];

const fn topology(group: &'static str, name: Name, guarded: &'static [(Place, &'static str)]) -> KindRow {
    KindRow { group, name, place: None, template: None, owner: None, guarded }
}

const fn written(group: &'static str, name: Name, place: Place) -> KindRow {
    KindRow { group, name, place: Some(place), template: None, owner: None, guarded: &[] }
}

const fn owner(gives: &'static [Place], masks: Masks, receivers: &'static [Place]) -> Option<Owner> {
    Some(Owner { gives, masks, receivers, recorded: false })
}

impl KindRow {
    pub fn of(group: &str, kind: &str) -> Option<&'static KindRow> {
        KINDS.iter().find(|row| row.group == group && row.name.fits(kind))
    }

    /// Whether guards check such objects.
    pub fn is_guarded(&self) -> bool {
        !self.guarded.is_empty()
    }
}

impl Owner {
    /// A kind as an owner from which objects at `receiver` inherit.
    pub(crate) fn of(group: &str, kind: &str, receiver: Place) -> Option<&'static Owner> {
        KindRow::of(group, kind)?.owner.as_ref().filter(|owner| owner.receivers.contains(&receiver))
    }
}

impl Name {
    fn fits(&self, kind: &str) -> bool {
        match self {
            Name::Is(name) => kind == *name,
            Name::EndsWith(end) => kind.ends_with(end),
            Name::Any => true,
        }
    }
}

/// Whether objects at this place can have the record of what this policy added.
pub(crate) fn may_carry_record(place: Place) -> bool {
    let owners = KINDS.iter().filter_map(|row| row.owner.as_ref());
    owners.filter(|owner| owner.recorded).any(|owner| owner.receivers.contains(&place))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalog::{FORCED, RULES};

    /// What a rule carries is given by an owner or set in a topology, a class or a template; what receives it is written.
    #[test]
    fn every_place_of_the_rules_is_in_the_table() {
        let mut known: BTreeSet<Place> = KINDS
            .iter()
            .flat_map(|row| row.place.into_iter().chain(row.template).chain(row.guarded.iter().map(|block| block.0)))
            .collect();
        known.extend(KINDS.iter().filter_map(|row| row.owner.as_ref()).flat_map(|owner| owner.gives));
        for place in RULES.iter().flat_map(|rule| [rule.from].into_iter().chain(rule.to.iter().copied())) {
            assert!(known.contains(&place), "{place:?}");
        }
        for place in FORCED.iter().flat_map(|forced| [forced.from].into_iter().chain(forced.to.iter().copied())) {
            assert!(known.contains(&place), "{place:?}");
        }
    }

    /// A row behind one that fits the same kinds would never be found.
    #[test]
    fn every_row_is_found() {
        for (index, row) in KINDS.iter().enumerate() {
            let kind = match row.name {
                Name::Is(name) | Name::EndsWith(name) => name,
                Name::Any => "Other",
            };
            let found = KindRow::of(row.group, kind).map(std::ptr::from_ref);
            assert_eq!(found, Some(std::ptr::from_ref(row)), "row {index}: {kind}");
        }
    }
}
