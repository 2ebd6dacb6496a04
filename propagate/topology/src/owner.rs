//! What Machines belong to in a topology, and what is made for it.

use std::fmt;

/// A part of a Cluster with Machines, or its infrastructure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum TopologyOwner {
    /// The infrastructure of the Cluster, without Machines.
    Infrastructure,
    /// The control plane.
    ControlPlane,
    /// The entry of a topology with this name.
    MachineDeployment(String),
    /// The entry of a topology with this name.
    MachinePool(String),
}

/// What an object is for its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartRole {
    /// The infrastructure of the Cluster.
    InfrastructureCluster,
    /// The control plane.
    ControlPlane,
    /// The template of infrastructure machines.
    InfrastructureTemplate,
    /// The template of bootstrap configurations.
    BootstrapTemplate,
    /// The MachineDeployment or MachinePool.
    Workers,
    /// The infrastructure of a MachinePool.
    PoolInfrastructure,
    /// The bootstrap configuration of a MachinePool.
    PoolBootstrap,
}

impl PartRole {
    /// Whether the object is made from `spec.template` of the class's template, and not a copy of it.
    #[must_use]
    pub fn is_object(self) -> bool {
        !matches!(self, PartRole::InfrastructureTemplate | PartRole::BootstrapTemplate)
    }
}

impl fmt::Display for TopologyOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TopologyOwner::Infrastructure => f.write_str("infrastructure"),
            TopologyOwner::ControlPlane => f.write_str("control plane"),
            TopologyOwner::MachineDeployment(name) => write!(f, "MachineDeployment {name}"),
            TopologyOwner::MachinePool(name) => write!(f, "MachinePool {name}"),
        }
    }
}
