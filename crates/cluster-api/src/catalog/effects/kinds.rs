//! Which objects the rows of `EFFECTS` are about.

use super::EditedKind;
use crate::catalog::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP};

/// The kinds of Cluster API that have rows, by group and name.
pub(crate) const EFFECT_KINDS: &[(&str, &str, EditedKind)] = &[
    (CORE_GROUP, "MachineDeployment", EditedKind::MachineDeployment),
    (CORE_GROUP, "MachineSet", EditedKind::MachineSet),
    (CORE_GROUP, "MachinePool", EditedKind::MachinePool),
    (CORE_GROUP, "Cluster", EditedKind::Cluster),
    (CORE_GROUP, "ClusterClass", EditedKind::ClusterClass),
    (CONTROL_PLANE_GROUP, "KubeadmControlPlane", EditedKind::KubeadmControlPlane),
    (CORE_GROUP, "Machine", EditedKind::ControlPlaneMachine),
    (BOOTSTRAP_GROUP, "KubeadmConfig", EditedKind::ControlPlaneKubeadmConfig),
];

/// Templates that a ClusterClass uses, by group and suffix of the kind; the first match counts.
pub(crate) const EFFECT_TEMPLATES: &[(&str, &str, EditedKind)] = &[
    (CONTROL_PLANE_GROUP, "Template", EditedKind::ClassControlPlaneTemplate),
    (BOOTSTRAP_GROUP, "Template", EditedKind::ClassTemplate),
    (INFRASTRUCTURE_GROUP, "ClusterTemplate", EditedKind::ClassClusterTemplate),
    (INFRASTRUCTURE_GROUP, "MachinePoolTemplate", EditedKind::ClassMachinePoolTemplate),
    // Some providers have managed control planes in the infrastructure group.
    (INFRASTRUCTURE_GROUP, "ControlPlaneTemplate", EditedKind::ClassControlPlaneTemplate),
    (INFRASTRUCTURE_GROUP, "Template", EditedKind::ClassTemplate),
];
