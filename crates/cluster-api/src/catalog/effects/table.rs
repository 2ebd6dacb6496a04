//! What an edit of each path does to Machines, and which objects the rows are about.

use super::EditedKind::{self, *};
use super::Effect::*;
use super::build::{apart, both, row};
use super::rows::*;
use super::{EffectBlock, Given};
use crate::catalog::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP};

/// What an edit of each path does to Machines, by kind.
///
/// Sources, in Cluster API v1.14. MachineDeployment and MachineSet: `MachineTemplateUpToDate` and
/// `FindNewAndOldMachineSets` in core/reconcilers/machinedeployment/mdutil/util.go, `syncMachines` in
/// core/reconcilers/machineset. KubeadmControlPlane: `UpToDate` and `PrepareKubeadmConfigsForDiff` in
/// controlplane/kubeadm/pkg/filters.go. Cluster, ClusterClass and templates: core/reconcilers/topology/cluster
/// (`reconcileReferencedTemplate`), exp/topology/desiredstate, and the page "Changing a ClusterClass". MachinePool:
/// core/reconcilers/machinepool; what a provider makes of it is the provider's. Machines of a KubeadmControlPlane and
/// what belongs to them: `matchesMachineSpec`, `matchesKubeadmConfig` and `matchesInfraMachine` in
/// controlplane/kubeadm/pkg/filters.go. Entries of a topology that are removed: `reconcileMachineDeployments` and
/// `reconcileMachinePools` in core/reconcilers/topology/cluster/reconcile_state.go. Upgrades that wait:
/// `isMachineDeploymentDeferred` in exp/topology/desiredstate/desired_state.go, `callBeforeClusterUpgradeHook` in
/// lifecycle_hooks.go. Updates in place: `triggerInPlaceUpdate` in
/// controlplane/kubeadm/reconcilers/kubeadmcontrolplane. What MachineSets did up to v1.11: `computeDesiredMachine` in
/// internal/controllers/machineset. Pauses: util/paused, and core/reconcilers/topology/cluster/cluster_controller.go. Patches' builtins: `Global` in core/reconcilers/topology/cluster/patches/variables.
/// Paths: api/core and api/controlplane/kubeadm in both versions.
#[rustfmt::skip]
pub const EFFECTS: &[EffectBlock] = &[
    both(MachineDeployment, "",                         METADATA_TO_MACHINE_SETS),
    both(MachineDeployment, "",                         MACHINE_DEPLOYMENT),
    both(MachineDeployment, "spec.template",            MACHINE_TEMPLATE),
    both(MachineDeployment, "spec.template.spec",       MACHINE_OF_DEPLOYMENT).given(Given::Replicas),

    both(OwnedMachineSet,   "",                         METADATA_OF_OWNER),
    both(OwnedMachineSet,   "",                         MACHINE_SET),
    both(OwnedMachineSet,   "spec.template",            MACHINE_TEMPLATE),
    // The MachineDeployment finds no matching MachineSet, and creates another one.
    both(OwnedMachineSet,   "spec.template.spec",       MACHINE_OF_DEPLOYMENT).given(Given::Replicas),
    both(MachineSet,        "",                         METADATA_OF_OWNER),
    both(MachineSet,        "",                         MACHINE_SET),
    both(MachineSet,        "spec.template",            MACHINE_TEMPLATE),
    both(MachineSet,        "spec.template.spec",       MACHINE_OF_SET),

    both(MachinePool,       "",                         METADATA_OF_OWNER),
    both(MachinePool,       "",                         MACHINE_POOL),
    both(MachinePool,       "spec.template.spec",       MACHINE_OF_POOL).given(Given::Replicas),

    both(KubeadmControlPlane, "",                       METADATA_OF_OWNER),
    both(KubeadmControlPlane, "",                       CONTROL_PLANE),
    apart(KubeadmControlPlane, "spec.machineTemplate", "spec.machineTemplate.spec", CONTROL_PLANE_MACHINE),
    both(KubeadmControlPlane, "spec.kubeadmConfigSpec", KUBEADM_CONFIG),
    both(KubeadmControlPlane, "spec.kubeadmConfigSpec", KUBEADM_CONFIG_OF_CONTROL_PLANE),

    both(ControlPlaneMachine, "",                       METADATA),
    both(ControlPlaneMachine, "",                       MACHINE).given(Given::NoInPlaceUpdate),
    both(ControlPlaneKubeadmConfig, "",                 METADATA),
    both(ControlPlaneKubeadmConfig, "",                 KUBEADM_CONFIG_AS_A_WHOLE).given(Given::NoInPlaceUpdate),
    both(ControlPlaneKubeadmConfig, "spec",             KUBEADM_CONFIG).given(Given::NoInPlaceUpdate),
    both(ControlPlaneKubeadmConfig, "spec",             KUBEADM_CONFIG_OF_MACHINE).given(Given::NoInPlaceUpdate),
    both(ControlPlaneInfraMachine, "",                  METADATA_OF_INFRA_MACHINE),
    // It becomes bootstrap data again when the token is rotated (`rotateMachinePoolBootstrapToken`); then a provider
    // decides.
    both(MachinePoolKubeadmConfig, "",                  METADATA),
    both(MachinePoolKubeadmConfig, "",                  &[row("spec", CannotTell)]),

    both(Cluster,           "",                         METADATA_OF_CLUSTER),
    both(Cluster,           "spec",                     CLUSTER),
    both(Cluster,           "spec.topology.controlPlane", METADATA_TO_MACHINES),
    both(Cluster,           "spec.topology.controlPlane", CONTROL_PLANE_TOPOLOGY),
    both(Cluster,           "spec.topology.controlPlane", MACHINE_FIELDS),
    both(Cluster,           "spec.topology.workers.machineDeployments[name]", METADATA_OF_WORKERS),
    both(Cluster,           "spec.topology.workers.machineDeployments[name]", MACHINE_DEPLOYMENT_TOPOLOGY),
    both(Cluster,           "spec.topology.workers.machineDeployments[name]", MACHINE_FIELDS),
    both(Cluster,           "spec.topology.workers.machinePools[name]",       METADATA_OF_WORKERS),
    both(Cluster,           "spec.topology.workers.machinePools[name]",       MACHINE_POOL_TOPOLOGY),
    both(Cluster,           "spec.topology.workers.machinePools[name]",       MACHINE_FIELDS),

    both(ClusterClass,      "",                         METADATA),
    both(ClusterClass,      "spec",                     CLUSTER_CLASS),
    both(ClusterClass,      "spec.controlPlane",        METADATA_TO_MACHINES),
    both(ClusterClass,      "spec.controlPlane",        CONTROL_PLANE_CLASS),
    both(ClusterClass,      "spec.controlPlane",        MACHINE_FIELDS),
    apart(ClusterClass, "spec.workers.machineDeployments[class].template", "spec.workers.machineDeployments[class]", METADATA_TO_MACHINES),
    both(ClusterClass,      "spec.workers.machineDeployments[class]", MACHINE_DEPLOYMENT_CLASS),
    both(ClusterClass,      "spec.workers.machineDeployments[class]", MACHINE_FIELDS),
    apart(ClusterClass, "spec.workers.machinePools[class].template", "spec.workers.machinePools[class]", METADATA_TO_MACHINES),
    both(ClusterClass,      "spec.workers.machinePools[class]",       MACHINE_POOL_CLASS),
    both(ClusterClass,      "spec.workers.machinePools[class]",       MACHINE_FIELDS),

    // A difference under `spec` rotates the template, a difference in its metadata does not.
    both(ClassTemplate,     "",                         METADATA),
    both(ClassTemplate,     "",                         &[row("spec", Rollout), row("spec.template.metadata", Rollout), row("spec.template.spec", Rollout)]),
    both(ClassControlPlaneTemplate, "",                 METADATA),
    both(ClassControlPlaneTemplate, "",                 &[row("spec", CannotTell)]),
    both(ClassControlPlaneTemplate, "spec.template",    METADATA_TO_MACHINES),
    both(ClassControlPlaneTemplate, "spec.template.spec.machineTemplate", METADATA_TO_MACHINES),
    both(ClassClusterTemplate, "",                      METADATA),
    both(ClassClusterTemplate, "",                      &[row("spec", InPlace)]),
    both(ClassMachinePoolTemplate, "",                  METADATA),
    both(ClassMachinePoolTemplate, "",                  &[row("spec", CannotTell)]),
    // New Machines are created from it; existing ones are not changed.
    both(Template,          "",                         METADATA),
    both(Template,          "",                         &[row("spec", Nothing)]),
];

/// The kinds of Cluster API that have rows, by group and name.
pub(crate) const EFFECT_KINDS: &[(&str, &str, EditedKind)] = &[
    (CORE_GROUP, "MachineDeployment", MachineDeployment),
    (CORE_GROUP, "MachineSet", MachineSet),
    (CORE_GROUP, "MachinePool", MachinePool),
    (CORE_GROUP, "Cluster", Cluster),
    (CORE_GROUP, "ClusterClass", ClusterClass),
    (CONTROL_PLANE_GROUP, "KubeadmControlPlane", KubeadmControlPlane),
    (CORE_GROUP, "Machine", ControlPlaneMachine),
    (BOOTSTRAP_GROUP, "KubeadmConfig", ControlPlaneKubeadmConfig),
];

/// Templates that a ClusterClass uses, by group and suffix of the kind; the first match counts.
pub(crate) const EFFECT_TEMPLATES: &[(&str, &str, EditedKind)] = &[
    (CONTROL_PLANE_GROUP, "Template", ClassControlPlaneTemplate),
    (BOOTSTRAP_GROUP, "Template", ClassTemplate),
    (INFRASTRUCTURE_GROUP, "ClusterTemplate", ClassClusterTemplate),
    (INFRASTRUCTURE_GROUP, "MachinePoolTemplate", ClassMachinePoolTemplate),
    // Some providers have managed control planes in the infrastructure group.
    (INFRASTRUCTURE_GROUP, "ControlPlaneTemplate", ClassControlPlaneTemplate),
    (INFRASTRUCTURE_GROUP, "Template", ClassTemplate),
];
