//! The places of Cluster API's metadata propagation page: every block of labels and annotations that is read or
//! written, and its path in each API version.

use std::fmt;

use kubernetes::{MapKind, Object};

use super::keys::{TOPOLOGY_DEPLOYMENT_NAME, TOPOLOGY_POOL_NAME};
use crate::json::{Json, Malformed, Map};

/// One block of metadata that the rules refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    ControlPlaneTopology,
    /// One entry of a Cluster's `spec.topology.workers.machineDeployments`.
    MachineDeploymentTopology,
    /// One entry of a Cluster's `spec.topology.workers.machinePools`.
    MachinePoolTopology,
    ControlPlaneClass,
    /// One entry of a ClusterClass' `spec.workers.machineDeployments`.
    MachineDeploymentClass,
    /// One entry of a ClusterClass' `spec.workers.machinePools`.
    MachinePoolClass,
    /// What a template of a ClusterClass sets in the control plane created from it.
    ControlPlaneTemplate,
    /// What a template of a ClusterClass sets in the machine template of the control plane created from it.
    ControlPlaneTemplateMachineTemplate,
    /// A control-plane object itself.
    ControlPlane,
    /// The machine template of a KubeadmControlPlane.
    ControlPlaneMachineTemplate,
    /// The machine template of any other control plane.
    OtherControlPlaneMachineTemplate,
    MachineDeployment,
    MachineDeploymentTemplate,
    MachineSet,
    MachineSetTemplate,
    MachinePool,
    MachinePoolTemplate,
    Machine,
    /// The infrastructure of a Machine, such as a DevMachine.
    InfraMachine,
    /// The bootstrap configuration of a Machine, such as a KubeadmConfig.
    BootstrapConfig,
    Node,
}

/// The path of a place.
struct Address {
    place: Place,
    /// The kind that has it, as the page names it.
    owner: &'static str,
    /// Steps from the object's root to the `metadata`, `[]` for an element of a list. The page prints these.
    v1beta1: &'static [&'static str],
    /// The same in `v1beta2`.
    v1beta2: &'static [&'static str],
}

const fn both(place: Place, owner: &'static str, path: &'static [&'static str]) -> Address {
    Address { place, owner, v1beta1: path, v1beta2: path }
}

const TOP_LEVEL: &[&str] = &["metadata"];
const MACHINE_TEMPLATE: &[&str] = &["spec", "machineTemplate", "metadata"];
const TEMPLATE: &[&str] = &["spec", "template", "metadata"];

/// Source: api/core/v1beta1 and api/core/v1beta2, cluster_types.go and clusterclass_types.go, and the control-plane
/// contract for `spec.machineTemplate.metadata`.
#[rustfmt::skip]
const ADDRESSES: &[Address] = &[
    both(Place::ControlPlaneTopology,      "Cluster", &["spec", "topology", "controlPlane", "metadata"]),
    both(Place::MachineDeploymentTopology, "Cluster", &["spec", "topology", "workers", "machineDeployments", "[]", "metadata"]),
    both(Place::MachinePoolTopology,       "Cluster", &["spec", "topology", "workers", "machinePools", "[]", "metadata"]),
    both(Place::ControlPlaneClass,         "ClusterClass", &["spec", "controlPlane", "metadata"]),
    Address {
        place: Place::MachineDeploymentClass, owner: "ClusterClass",
        v1beta1: &["spec", "workers", "machineDeployments", "[]", "template", "metadata"],
        v1beta2: &["spec", "workers", "machineDeployments", "[]", "metadata"],
    },
    Address {
        place: Place::MachinePoolClass, owner: "ClusterClass",
        v1beta1: &["spec", "workers", "machinePools", "[]", "template", "metadata"],
        v1beta2: &["spec", "workers", "machinePools", "[]", "metadata"],
    },
    both(Place::ControlPlaneTemplate,                "ControlPlaneTemplate", TEMPLATE),
    both(Place::ControlPlaneTemplateMachineTemplate, "ControlPlaneTemplate", &["spec", "template", "spec", "machineTemplate", "metadata"]),
    both(Place::ControlPlane,                     "ControlPlane", TOP_LEVEL),
    both(Place::ControlPlaneMachineTemplate,      "ControlPlane", MACHINE_TEMPLATE),
    both(Place::OtherControlPlaneMachineTemplate, "OtherControlPlane", MACHINE_TEMPLATE),
    both(Place::MachineDeployment,         "MachineDeployment", TOP_LEVEL),
    both(Place::MachineDeploymentTemplate, "MachineDeployment", TEMPLATE),
    both(Place::MachineSet,                "MachineSet", TOP_LEVEL),
    both(Place::MachineSetTemplate,        "MachineSet", TEMPLATE),
    both(Place::MachinePool,               "MachinePool", TOP_LEVEL),
    both(Place::MachinePoolTemplate,       "MachinePool", TEMPLATE),
    both(Place::Machine,                   "Machine", TOP_LEVEL),
    both(Place::InfraMachine,              "InfraMachine", TOP_LEVEL),
    both(Place::BootstrapConfig,           "BootstrapConfig", TOP_LEVEL),
    both(Place::Node,                      "Node", TOP_LEVEL),
];

/// The version whose paths Cluster API's page prints.
pub(super) const PAGE_VERSION: &str = "v1beta1";

impl Place {
    /// Steps from the object's root to this `metadata`; `[]` is an element of a list.
    pub(crate) fn path(self, version: &str) -> &'static [&'static str] {
        self.address().map_or(TOP_LEVEL, |address| if version == "v1beta1" { address.v1beta1 } else { address.v1beta2 })
    }

    /// The place as it is printed: nothing for an object's own metadata, else `.spec.template.metadata`.
    pub(crate) fn printed(self, version: &str) -> String {
        printed(if self.is_top_level() { &[] } else { self.path(version) })
    }

    /// The list of a topology's workers that objects of this kind are for, and their label with the name of its entry.
    pub(crate) fn worker_list(self) -> Option<(&'static str, &'static str)> {
        match self {
            Place::MachineDeployment => Some(("machineDeployments", TOPOLOGY_DEPLOYMENT_NAME)),
            Place::MachinePool => Some(("machinePools", TOPOLOGY_POOL_NAME)),
            _ => None,
        }
    }

    /// The kind that has this place, as the page names it.
    pub fn owner(self) -> &'static str {
        self.address().map_or("", |address| address.owner)
    }

    /// Whether this place is the `metadata` of a whole object.
    pub(crate) fn is_top_level(self) -> bool {
        self.path("v1beta1") == TOP_LEVEL
    }

    /// One map of this place in an object; `entry` is as for [`Object::at`].
    pub(crate) fn map<'a>(
        self,
        object: &Object<'a>,
        map: MapKind,
        entry: Option<Json<'a>>,
    ) -> Result<Map<'a>, Malformed> {
        if self.is_top_level() {
            return Ok(object.top_level(map).clone());
        }
        object.at(self.path(object.version), entry)?.get(map.field())?.as_map()
    }

    fn address(self) -> Option<&'static Address> {
        ADDRESSES.iter().find(|address| address.place == self)
    }
}

/// Steps as they are printed: `.spec.topology.workers.machineDeployments[i].metadata`.
pub(crate) fn printed(steps: &[&str]) -> String {
    steps.iter().flat_map(|step| if *step == "[]" { ["[i]", ""] } else { [".", step] }).collect()
}

/// The place as the page prints it.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.printed(PAGE_VERSION))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[test]
    fn a_place_has_one_address() {
        let places: std::collections::BTreeSet<Place> = ADDRESSES.iter().map(|address| address.place).collect();
        assert_eq!(places.len(), ADDRESSES.len());
        // Node is the last place there is.
        assert_eq!(places.len(), Place::Node as usize + 1);
    }

    #[test]
    fn every_address_ends_in_metadata() {
        for address in ADDRESSES {
            for path in [address.v1beta1, address.v1beta2] {
                assert_eq!(path.last(), Some(&"metadata"), "{:?}", address.place);
            }
        }
    }

    #[test]
    fn a_map_is_read_at_its_place() {
        let text = r#"{"metadata":{"labels":{"x":"0"}},"spec":{"template":{"metadata":{"labels":{"x":"1"}}},
            "topology":{"workers":{"machineDeployments":[{},{"metadata":{"labels":{"x":"2"}}}]}}}}"#;
        let document = Document::new(text);
        let it = Object::read(&document).unwrap();
        let list = it.spec.at(&["topology", "workers", "machineDeployments"]).unwrap();
        let label = |place: Place, entry| place.map(&it, MapKind::Labels, entry).unwrap().get("x");
        assert_eq!(label(Place::MachineDeployment, None), Some("0"));
        assert_eq!(label(Place::MachineDeploymentTemplate, None), Some("1"));
        let of_entries = list.elements().unwrap().map(|it| label(Place::MachineDeploymentTopology, Some(it)));
        assert_eq!(of_entries.collect::<Vec<_>>(), [None, Some("2")]);
    }
}
