//! Which objects the rows of `EFFECTS` are about.

use super::Kind;
use crate::catalog::groups::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP};

/// The kinds of Cluster API that have rows, by group and name.
pub(crate) const EFFECT_KINDS: &[(&str, &str, Kind)] = &[
    (CORE_GROUP, "MachineDeployment", Kind::MachineDeployment),
    (CORE_GROUP, "MachineSet", Kind::MachineSet),
    (CORE_GROUP, "MachinePool", Kind::MachinePool),
    (CORE_GROUP, "Cluster", Kind::Cluster),
    (CORE_GROUP, "ClusterClass", Kind::ClusterClass),
    (CONTROL_PLANE_GROUP, "KubeadmControlPlane", Kind::KubeadmControlPlane),
    (CORE_GROUP, "Machine", Kind::ControlPlaneMachine),
    (BOOTSTRAP_GROUP, "KubeadmConfig", Kind::ControlPlaneKubeadmConfig),
];

/// Templates that a ClusterClass uses, by group and end of the kind; the first that fits.
pub(crate) const EFFECT_TEMPLATES: &[(&str, &str, Kind)] = &[
    (CONTROL_PLANE_GROUP, "Template", Kind::ClassControlPlaneTemplate),
    (BOOTSTRAP_GROUP, "Template", Kind::ClassTemplate),
    (INFRASTRUCTURE_GROUP, "ClusterTemplate", Kind::ClassClusterTemplate),
    (INFRASTRUCTURE_GROUP, "MachinePoolTemplate", Kind::ClassMachinePoolTemplate),
    // Managed control planes live with the infrastructure of some.
    (INFRASTRUCTURE_GROUP, "ControlPlaneTemplate", Kind::ClassControlPlaneTemplate),
    (INFRASTRUCTURE_GROUP, "Template", Kind::ClassTemplate),
];
