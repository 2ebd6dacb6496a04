//! The kinds of a fleet.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FleetKind {
    Cluster,
    Class,
    Template,
    ControlPlane,
    OtherControlPlane,
    Deployment,
    Set,
    Pool,
    Machine,
    Infra,
    Bootstrap,
    Node,
}

impl FleetKind {
    pub(crate) const ALL: [FleetKind; 12] = [
        FleetKind::Cluster,
        FleetKind::Class,
        FleetKind::Template,
        FleetKind::ControlPlane,
        FleetKind::OtherControlPlane,
        FleetKind::Deployment,
        FleetKind::Set,
        FleetKind::Pool,
        FleetKind::Machine,
        FleetKind::Infra,
        FleetKind::Bootstrap,
        FleetKind::Node,
    ];

    /// Group and kind, and the object's name.
    pub(crate) fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            FleetKind::Cluster => ("cluster.x-k8s.io", "Cluster", "c1"),
            FleetKind::Class => ("cluster.x-k8s.io", "ClusterClass", "class"),
            FleetKind::Template => ("controlplane.cluster.x-k8s.io", "KubeadmControlPlaneTemplate", "template"),
            FleetKind::ControlPlane => ("controlplane.cluster.x-k8s.io", "KubeadmControlPlane", "control-plane"),
            FleetKind::OtherControlPlane => ("controlplane.cluster.x-k8s.io", "RKE2ControlPlane", "other"),
            FleetKind::Deployment => ("cluster.x-k8s.io", "MachineDeployment", "workers"),
            FleetKind::Set => ("cluster.x-k8s.io", "MachineSet", LONG_NAME),
            FleetKind::Pool => ("cluster.x-k8s.io", "MachinePool", "pool"),
            FleetKind::Machine => ("cluster.x-k8s.io", "Machine", "machine"),
            FleetKind::Infra => ("infrastructure.cluster.x-k8s.io", "DevMachine", "infra"),
            FleetKind::Bootstrap => ("bootstrap.cluster.x-k8s.io", "KubeadmConfig", "bootstrap"),
            FleetKind::Node => ("", "Node", "node"),
        }
    }

    /// Where its machine template stands, if it has one.
    pub(crate) fn template(self) -> Option<&'static str> {
        match self {
            FleetKind::ControlPlane | FleetKind::OtherControlPlane => Some("/spec/machineTemplate/metadata"),
            FleetKind::Deployment | FleetKind::Set | FleetKind::Pool => Some("/spec/template/metadata"),
            _ => None,
        }
    }
}

/// Longer than a label value may be, so that its label is a hash.
const LONG_NAME: &str = "workers-of-the-longest-name-that-anybody-ever-gave-to-a-machine-set-x7k2p";
