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

/// A kind of workers of a topology.
#[derive(Debug, Clone, Copy)]
pub struct WorkersKind {
    /// Such as `machineDeployments`: the list in a topology and in a class.
    pub list: &'static str,
    /// Such as `MachineDeployment`.
    pub kind: &'static str,
    /// The label of objects that are made for an entry, with its name.
    pub label: &'static str,
    /// The owner with this name in a topology.
    pub owner: fn(String) -> TopologyOwner,
    /// The variable that patches read.
    pub(crate) builtin: &'static str,
    /// The field of a selector of patches.
    pub(crate) selected: &'static str,
}

/// The workers that have a MachineDeployment.
pub const DEPLOYMENTS: WorkersKind = WorkersKind {
    list: "machineDeployments",
    kind: "MachineDeployment",
    label: "topology.cluster.x-k8s.io/deployment-name",
    owner: TopologyOwner::MachineDeployment,
    builtin: "machineDeployment",
    selected: "machineDeploymentClass",
};

/// The workers that have a MachinePool.
pub const POOLS: WorkersKind = WorkersKind {
    list: "machinePools",
    kind: "MachinePool",
    label: "topology.cluster.x-k8s.io/pool-name",
    owner: TopologyOwner::MachinePool,
    builtin: "machinePool",
    selected: "machinePoolClass",
};

/// All kinds of workers.
pub const WORKERS: [WorkersKind; 2] = [DEPLOYMENTS, POOLS];

impl TopologyOwner {
    /// The list and the name of workers.
    ///
    /// ```
    /// use topology::TopologyOwner;
    ///
    /// assert_eq!(TopologyOwner::MachinePool("a".to_owned()).entry(), Some(("machinePools", "a")));
    /// assert_eq!(TopologyOwner::ControlPlane.entry(), None);
    /// ```
    pub fn entry(&self) -> Option<(&'static str, &str)> {
        match self {
            TopologyOwner::Infrastructure | TopologyOwner::ControlPlane => None,
            TopologyOwner::MachineDeployment(name) => Some((DEPLOYMENTS.list, name)),
            TopologyOwner::MachinePool(name) => Some((POOLS.list, name)),
        }
    }
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
