//! Where the topology's controller stops, because something is refused that it writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::object::ObjectId;

/// Where the reconciliation of topologies stops, by Cluster.
pub(super) type StoppedTopologies = BTreeMap<ObjectId, StoppedTopology>;

/// Where the reconciliation of a topology stops.
#[derive(Debug, Clone, Default)]
pub(super) struct StoppedTopology {
    pub(super) at: StoppedAt,
    /// Owners of Machines for which something is refused there; others are updated by and by.
    pub(super) owners: BTreeSet<ObjectId>,
    /// The last release of a provider that it stops with, if it does not with all.
    pub(super) up_to: Option<&'static str>,
}

/// A step of a topology's controller, in the order in which it writes the objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StoppedAt {
    #[default]
    Start,
    Infrastructure,
    ControlPlane,
    MachineDeployments,
    MachinePools,
}

/// As the end of a sentence about what is refused there.
impl fmt::Display for StoppedAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StoppedAt::Start | StoppedAt::MachinePools => "",
            StoppedAt::Infrastructure | StoppedAt::ControlPlane => "; control plane and workers keep their state",
            StoppedAt::MachineDeployments => "; MachinePools, and workers that are removed, keep their state",
        })
    }
}

impl StoppedAt {
    /// With what kind of object an owner is written.
    pub(super) fn of(owner: &ObjectId) -> StoppedAt {
        match &*owner.kind {
            "Cluster" => StoppedAt::Infrastructure,
            "MachineDeployment" => StoppedAt::MachineDeployments,
            "MachinePool" => StoppedAt::MachinePools,
            _ => StoppedAt::ControlPlane,
        }
    }
}
