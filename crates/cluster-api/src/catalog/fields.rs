//! Fields that propagate in place: changing them replaces no Machine.

use crate::catalog::Place::{self, *};
use crate::catalog::Version;
use kubernetes::columns;

/// One field that propagates in place, with its path in every kind.
#[derive(Debug)]
pub struct Field {
    /// The name that Cluster API's documents use.
    pub name: &'static str,
    pub shape: Shape,
    pub hops: &'static [Hop],
    pub at: &'static [FieldAddress],
    /// Whether a feature gate of the cluster decides if it can be introduced in an object that does not have it yet.
    pub gated: bool,
}

/// The type of a field's values.
#[derive(Debug)]
pub enum Shape {
    /// A duration: `1h0m0s` in v1beta1, seconds in v1beta2.
    Duration,
    Count,
    Text,
    /// A list whose elements are identified by these of their fields. The parent's elements must be among the child's;
    /// the child can have others.
    List(&'static [&'static str]),
}

/// From one kind of object to the one below it.
#[derive(Debug)]
pub struct Hop {
    /// The place that is read; of several places, the last that has the list replaces the others.
    pub from: &'static [Place],
    pub to: Place,
    /// First version of Cluster API that does this.
    pub since: Version,
    /// First version that does it for an object that is being deleted.
    pub deleting: Option<Version>,
    /// Whether Cluster API does not do this, so that a setting has to ask for it.
    pub opt_in: bool,
    /// Elements of a list that the receiver's controller sets itself: a parent's element of this name is not
    /// propagated.
    pub but: &'static [&'static str],
}

/// The path of a field, by version of the object; `[]` if that version does not have it.
#[derive(Debug)]
pub struct FieldAddress {
    /// The objects, or parts of objects, that have the field there.
    pub places: &'static [Place],
    /// Steps from the [`Base`].
    pub v1beta1: &'static [&'static str],
    /// The same in `v1beta2`.
    pub v1beta2: &'static [&'static str],
    pub base: Base,
    /// Whether v1beta1 omits a 0.
    pub zero_is_absent: bool,
}

/// Where the steps of a field's address begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The part of the object that describes its Machines, see [`MACHINES`].
    Machines,
    Object,
}

/// The part of a place that describes its Machines: steps from the object's root, in v1beta1 and in v1beta2.
///
/// Source: api/core/v1beta1, api/core/v1beta2, api/controlplane/kubeadm/v1beta1 and v1beta2.
#[rustfmt::skip]
pub(crate) const MACHINES: &[(Place, &[&str], &[&str])] = &[
    (ControlPlaneClass,         &["spec", "controlPlane"],                                    &["spec", "controlPlane"]),
    (MachineDeploymentClass,    &["spec", "workers", "machineDeployments", "[]"],             &["spec", "workers", "machineDeployments", "[]"]),
    (MachinePoolClass,          &["spec", "workers", "machinePools", "[]"],                   &["spec", "workers", "machinePools", "[]"]),
    (ControlPlaneTopology,      &["spec", "topology", "controlPlane"],                        &["spec", "topology", "controlPlane"]),
    (MachineDeploymentTopology, &["spec", "topology", "workers", "machineDeployments", "[]"], &["spec", "topology", "workers", "machineDeployments", "[]"]),
    (MachinePoolTopology,       &["spec", "topology", "workers", "machinePools", "[]"],       &["spec", "topology", "workers", "machinePools", "[]"]),
    (ControlPlane,              &["spec", "machineTemplate"],                                 &["spec", "machineTemplate", "spec"]),
    (MachineDeployment,         &["spec", "template", "spec"],                                &["spec", "template", "spec"]),
    (MachineSet,                &["spec", "template", "spec"],                                &["spec", "template", "spec"]),
    (MachinePool,               &["spec", "template", "spec"],                                &["spec", "template", "spec"]),
    (Machine,                   &["spec"],                                                    &["spec"]),
];

/// Gates that a KubeadmControlPlane's Machines always have, the last two only with managed etcd. A gate of the same
/// type in the machine template is dropped, whatever its polarity.
///
/// Source: controlplane/kubeadm/pkg/desiredstate/desired_state.go, `ComputeDesiredMachine`.
const MANDATORY_GATES: &[&str] = &[
    "NodeKubeadmLabelsAndTaintsSet",
    "APIServerPodHealthy",
    "ControllerManagerPodHealthy",
    "SchedulerPodHealthy",
    "EtcdPodHealthy",
    "EtcdMemberHealthy",
];

/// The in-place mutable fields.
///
/// Source: exp/topology/desiredstate/desired_state.go `computeControlPlane`, `computeMachineDeployment`,
/// `computeMachinePool`; core/reconcilers/machinedeployment `computeDesiredMS`; core/reconcilers/machineset
/// `computeDesiredMachine` and `syncMachines`; controlplane/kubeadm/pkg/desiredstate `ComputeDesiredMachine` and
/// controlplane/kubeadm/reconcilers/kubeadmcontrolplane `syncMachines`. A KubeadmControlPlane also gives its Machines
/// readiness gates of its own; in a list by condition type, they are no difference.
#[rustfmt::skip]
pub const FIELDS: &[Field] = &[
    field("nodeDrainTimeout", Shape::Duration, TIMEOUTS, &[
        machines(EVERYWHERE,           &["nodeDrainTimeout"],        &["deletion", "nodeDrainTimeoutSeconds"]),
    ]),
    field("nodeVolumeDetachTimeout", Shape::Duration, TIMEOUTS, &[
        machines(EVERYWHERE,           &["nodeVolumeDetachTimeout"], &["deletion", "nodeVolumeDetachTimeoutSeconds"]),
    ]),
    field("nodeDeletionTimeout", Shape::Duration, TIMEOUTS, &[
        machines(EVERYWHERE,           &["nodeDeletionTimeout"],     &["deletion", "nodeDeletionTimeoutSeconds"]),
    ]),
    field("minReadySeconds", Shape::Count, &[
        hop(OF_MACHINE_DEPLOYMENT, MachineDeployment, 6),
        hop(OF_MACHINE_POOL,       MachinePool,       6),
        hop(&[MachineDeployment],  MachineSet,        6),
        hop(&[MachineSet],         Machine,           11).deleting(11),
        hop(&[MachinePool],        Machine,           11).opt_in(),
    ], &[
        machines(WORKERS_OF_CLUSTER,               &["minReadySeconds"],         &["minReadySeconds"]),
        object(&[MachineDeployment, MachinePool],  &["spec", "minReadySeconds"], &["spec", "template", "spec", "minReadySeconds"]),
        object(&[MachineSet],                      &["spec", "minReadySeconds"], &["spec", "template", "spec", "minReadySeconds"]).zero_is_absent(),
        machines(&[Machine],                       &[],                          &["minReadySeconds"]),
    ]),
    field("readinessGates", Shape::List(&["conditionType"]), &[
        hop(OF_CONTROL_PLANE,      ControlPlane,      10),
        hop(OF_MACHINE_DEPLOYMENT, MachineDeployment, 10),
        hop(&[MachineDeployment],  MachineSet,        9),
        hop(&[MachineSet],         Machine,           9).deleting(9),
        hop(&[ControlPlane],       Machine,           10).but(MANDATORY_GATES),
        hop(&[MachinePool],        Machine,           9).opt_in(),
    ], &[
        machines(WITH_READINESS_GATES, &["readinessGates"], &["readinessGates"]),
    ]),
    field("taints", Shape::List(&["key", "effect"]), &[
        hop(OF_CONTROL_PLANE,      ControlPlane,      13),
        hop(OF_MACHINE_DEPLOYMENT, MachineDeployment, 13),
        hop(&[MachineDeployment],  MachineSet,        12),
        hop(&[MachineSet],         Machine,           12).deleting(12),
        hop(&[ControlPlane],       Machine,           13).deleting(13),
    ], &[
        machines(EVERYWHERE, &["taints"], &["taints"]),
    ]).gated(),
    // Before v1.11 a topology's strategy replaced that of the class as a whole.
    field("deletionOrder", Shape::Text, &[
        hop(OF_MACHINE_DEPLOYMENT, MachineDeployment, 11),
        hop(&[MachineDeployment],  MachineSet,        6),
    ], &[
        machines(OF_MACHINE_DEPLOYMENT, &["strategy", "rollingUpdate", "deletePolicy"],         &["deletion", "order"]),
        object(&[MachineDeployment],    &["spec", "strategy", "rollingUpdate", "deletePolicy"], &["spec", "deletion", "order"]),
        object(&[MachineSet],           &["spec", "deletePolicy"],                              &["spec", "deletion", "order"]),
    ]),
    field("machineNaming", Shape::Text, &[
        hop(&[MachineDeployment], MachineSet, 10),
    ], &[
        object(&[MachineDeployment, MachineSet], &["spec", "machineNamingStrategy", "template"], &["spec", "machineNaming", "template"]),
    ]),
];

#[rustfmt::skip]
const TIMEOUTS: &[Hop] = &[
    hop(OF_CONTROL_PLANE,      ControlPlane,      6),
    hop(OF_MACHINE_DEPLOYMENT, MachineDeployment, 6),
    hop(OF_MACHINE_POOL,       MachinePool,       6),
    hop(&[MachineDeployment],  MachineSet,        6),
    hop(&[MachineSet],         Machine,           6).deleting(8),
    hop(&[ControlPlane],       Machine,           6).deleting(9),
    hop(&[MachinePool],        Machine,           6).opt_in(),
];

const OF_CONTROL_PLANE: &[Place] = &[ControlPlaneClass, ControlPlaneTopology];
const OF_MACHINE_DEPLOYMENT: &[Place] = &[MachineDeploymentClass, MachineDeploymentTopology];
const OF_MACHINE_POOL: &[Place] = &[MachinePoolClass, MachinePoolTopology];
const WORKERS_OF_CLUSTER: &[Place] =
    &[MachineDeploymentClass, MachinePoolClass, MachineDeploymentTopology, MachinePoolTopology];
const WITH_READINESS_GATES: &[Place] = &[
    ControlPlaneClass,
    MachineDeploymentClass,
    ControlPlaneTopology,
    MachineDeploymentTopology,
    ControlPlane,
    MachineDeployment,
    MachineSet,
    MachinePool,
    Machine,
];
const EVERYWHERE: &[Place] = &[
    ControlPlaneClass,
    MachineDeploymentClass,
    MachinePoolClass,
    ControlPlaneTopology,
    MachineDeploymentTopology,
    MachinePoolTopology,
    ControlPlane,
    MachineDeployment,
    MachineSet,
    MachinePool,
    Machine,
];

const fn field(name: &'static str, shape: Shape, hops: &'static [Hop], at: &'static [FieldAddress]) -> Field {
    Field { name, gated: false, shape, hops, at }
}

const fn hop(from: &'static [Place], to: Place, since: u16) -> Hop {
    Hop { from, to, since: Version::minor(since), deleting: None, opt_in: false, but: &[] }
}

columns! {
    Hop {
        deleting(since: u16) => deleting: Some(Version::minor(since)),
        opt_in() => opt_in: true,
        but(elements: &'static [&'static str]) => but: elements,
    }
    FieldAddress {
        zero_is_absent() => zero_is_absent: true,
    }
    Field {
        gated() => gated: true,
    }
}

const fn machines(
    places: &'static [Place],
    v1beta1: &'static [&'static str],
    v1beta2: &'static [&'static str],
) -> FieldAddress {
    FieldAddress { places, v1beta1, v1beta2, base: Base::Machines, zero_is_absent: false }
}

const fn object(
    places: &'static [Place],
    v1beta1: &'static [&'static str],
    v1beta2: &'static [&'static str],
) -> FieldAddress {
    FieldAddress { base: Base::Object, ..machines(places, v1beta1, v1beta2) }
}

impl Field {
    /// Steps from the root of an object of this version to the field; `None` if it does not have it there.
    pub fn path(&self, place: Place, version: &str) -> Option<Vec<&'static str>> {
        self.steps(place, version).map(|(base, steps)| [base, steps].concat())
    }

    /// Like [`Field::path`]: steps to the object that contains the field, and from there.
    pub(crate) fn steps(
        &self,
        place: Place,
        version: &str,
    ) -> Option<(&'static [&'static str], &'static [&'static str])> {
        let address = self.address(place)?;
        let old = version == "v1beta1";
        let steps = if old { address.v1beta1 } else { address.v1beta2 };
        if steps.is_empty() {
            return None;
        }
        let base: &[&str] = match address.base {
            Base::Object => &[],
            Base::Machines => {
                let (_, v1beta1, v1beta2) = MACHINES.iter().find(|(of, ..)| *of == place)?;
                if old { v1beta1 } else { v1beta2 }
            }
        };
        Some((base, steps))
    }

    /// Whether some hop propagates it from one place to another.
    pub(crate) fn propagates(&self, from: Place, to: Place) -> bool {
        self.hops.iter().any(|hop| hop.to == to && hop.from.contains(&from))
    }

    pub(crate) fn address(&self, place: Place) -> Option<&'static FieldAddress> {
        self.at.iter().find(|address| address.places.contains(&place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_a_hop_has_an_address() {
        for field in FIELDS {
            for hop in field.hops {
                for place in hop.from.iter().chain([&hop.to]) {
                    assert!(field.path(*place, "v1beta2").is_some(), "{} at {place:?}", field.name);
                }
            }
        }
    }

    #[test]
    fn a_field_has_one_address_for_a_place() {
        for field in FIELDS {
            let places: Vec<_> = field.at.iter().flat_map(|address| address.places).collect();
            let distinct: std::collections::BTreeSet<_> = places.iter().collect();
            assert_eq!(places.len(), distinct.len(), "{}", field.name);
        }
    }

    #[test]
    fn fields_are_where_the_specification_says() {
        let mut lines = Vec::new();
        for field in FIELDS {
            for (place, ..) in MACHINES {
                for version in ["v1beta1", "v1beta2"] {
                    if let Some(path) = field.path(*place, version) {
                        lines.push(format!(
                            "{} {version} {place:?} {}",
                            field.name,
                            path.join(".").replace(".[]", "[]")
                        ));
                    }
                }
            }
        }
        let expected: Vec<&str> =
            include_str!("../../../../testdata/spec/cluster-api/fields.txt").lines().skip(1).collect();
        assert_eq!(lines, expected);
    }
}
