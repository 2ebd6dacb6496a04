//! The kinds of a fleet.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
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

impl Kind {
    pub(crate) const ALL: [Kind; 12] = [
        Kind::Cluster,
        Kind::Class,
        Kind::Template,
        Kind::ControlPlane,
        Kind::OtherControlPlane,
        Kind::Deployment,
        Kind::Set,
        Kind::Pool,
        Kind::Machine,
        Kind::Infra,
        Kind::Bootstrap,
        Kind::Node,
    ];

    /// Group and kind, and the object's name.
    pub(crate) fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Kind::Cluster => ("cluster.x-k8s.io", "Cluster", "c1"),
            Kind::Class => ("cluster.x-k8s.io", "ClusterClass", "class"),
            Kind::Template => ("controlplane.cluster.x-k8s.io", "KubeadmControlPlaneTemplate", "template"),
            Kind::ControlPlane => ("controlplane.cluster.x-k8s.io", "KubeadmControlPlane", "control-plane"),
            Kind::OtherControlPlane => ("controlplane.cluster.x-k8s.io", "RKE2ControlPlane", "other"),
            Kind::Deployment => ("cluster.x-k8s.io", "MachineDeployment", "workers"),
            Kind::Set => ("cluster.x-k8s.io", "MachineSet", LONG_NAME),
            Kind::Pool => ("cluster.x-k8s.io", "MachinePool", "pool"),
            Kind::Machine => ("cluster.x-k8s.io", "Machine", "machine"),
            Kind::Infra => ("infrastructure.cluster.x-k8s.io", "DevMachine", "infra"),
            Kind::Bootstrap => ("bootstrap.cluster.x-k8s.io", "KubeadmConfig", "bootstrap"),
            Kind::Node => ("", "Node", "node"),
        }
    }

    /// Where its machine template stands, if it has one.
    pub(crate) fn template(self) -> Option<&'static str> {
        match self {
            Kind::ControlPlane | Kind::OtherControlPlane => Some("/spec/machineTemplate/metadata"),
            Kind::Deployment | Kind::Set | Kind::Pool => Some("/spec/template/metadata"),
            _ => None,
        }
    }
}

/// Longer than a label value may be, so that its label is a hash.
const LONG_NAME: &str = "workers-of-the-longest-name-that-anybody-ever-gave-to-a-machine-set-x7k2p";
