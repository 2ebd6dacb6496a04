//! What an edit of each path does to Machines.

use super::Effect::{self, *};
use super::Kind::*;
use super::{Block, Row, Same};

/// What an edit of each path does to Machines, by kind.
///
/// Sources, in Cluster API v1.14. MachineDeployment and MachineSet: `MachineTemplateUpToDate` and
/// `FindNewAndOldMachineSets` in core/reconcilers/machinedeployment/mdutil/util.go, `syncMachines` in
/// core/reconcilers/machineset. KubeadmControlPlane: `UpToDate` and `PrepareKubeadmConfigsForDiff` in
/// controlplane/kubeadm/pkg/filters.go. Cluster, ClusterClass and templates: core/reconcilers/topology/cluster
/// (`reconcileReferencedTemplate`), exp/topology/desiredstate, and the page "Changing a ClusterClass". MachinePool:
/// core/reconcilers/machinepool; what a provider makes of it is the provider's. Paths: api/core and
/// api/controlplane/kubeadm in both versions.
#[rustfmt::skip]
pub const EFFECTS: &[Block] = &[
    both(MachineDeployment, "",                         METADATA_TO_MACHINE_SETS),
    both(MachineDeployment, "",                         MACHINE_DEPLOYMENT),
    both(MachineDeployment, "spec.template",            MACHINE_TEMPLATE),
    both(MachineDeployment, "spec.template.spec",       MACHINE_OF_DEPLOYMENT),

    both(OwnedMachineSet,   "",                         METADATA),
    both(OwnedMachineSet,   "",                         MACHINE_SET),
    both(OwnedMachineSet,   "spec.template",            MACHINE_TEMPLATE),
    // The MachineDeployment finds no MachineSet that matches, and makes another one.
    both(OwnedMachineSet,   "spec.template.spec",       MACHINE_OF_DEPLOYMENT),
    both(MachineSet,        "",                         METADATA),
    both(MachineSet,        "",                         MACHINE_SET),
    both(MachineSet,        "spec.template",            MACHINE_TEMPLATE),

    both(MachinePool,       "",                         METADATA),
    both(MachinePool,       "",                         MACHINE_POOL),

    both(KubeadmControlPlane, "",                       METADATA),
    both(KubeadmControlPlane, "",                       CONTROL_PLANE),
    Block { kind: KubeadmControlPlane, v1beta1: "spec.machineTemplate", v1beta2: "spec.machineTemplate.spec", rows: CONTROL_PLANE_MACHINE },
    both(KubeadmControlPlane, "spec.kubeadmConfigSpec", KUBEADM_CONFIG),

    both(Cluster,           "",                         METADATA),
    both(Cluster,           "spec",                     CLUSTER),
    both(Cluster,           "spec.topology.controlPlane", METADATA_TO_MACHINES),
    both(Cluster,           "spec.topology.controlPlane", CONTROL_PLANE_TOPOLOGY),
    both(Cluster,           "spec.topology.controlPlane", MACHINE_FIELDS),
    both(Cluster,           "spec.topology.workers.machineDeployments[name]", METADATA_TO_MACHINES),
    both(Cluster,           "spec.topology.workers.machineDeployments[name]", MACHINE_DEPLOYMENT_TOPOLOGY),
    both(Cluster,           "spec.topology.workers.machineDeployments[name]", MACHINE_FIELDS),
    both(Cluster,           "spec.topology.workers.machinePools[name]",       METADATA_TO_MACHINES),
    both(Cluster,           "spec.topology.workers.machinePools[name]",       MACHINE_POOL_TOPOLOGY),
    both(Cluster,           "spec.topology.workers.machinePools[name]",       MACHINE_FIELDS),

    both(ClusterClass,      "",                         METADATA),
    both(ClusterClass,      "spec",                     CLUSTER_CLASS),
    both(ClusterClass,      "spec.controlPlane",        METADATA_TO_MACHINES),
    both(ClusterClass,      "spec.controlPlane",        CONTROL_PLANE_CLASS),
    both(ClusterClass,      "spec.controlPlane",        MACHINE_FIELDS),
    Block {
        kind: ClusterClass, v1beta1: "spec.workers.machineDeployments[class].template",
        v1beta2: "spec.workers.machineDeployments[class]", rows: METADATA_TO_MACHINES,
    },
    both(ClusterClass,      "spec.workers.machineDeployments[class]", MACHINE_DEPLOYMENT_CLASS),
    both(ClusterClass,      "spec.workers.machineDeployments[class]", MACHINE_FIELDS),
    Block {
        kind: ClusterClass, v1beta1: "spec.workers.machinePools[class].template",
        v1beta2: "spec.workers.machinePools[class]", rows: METADATA_TO_MACHINES,
    },
    both(ClusterClass,      "spec.workers.machinePools[class]",       MACHINE_POOL_CLASS),
    both(ClusterClass,      "spec.workers.machinePools[class]",       MACHINE_FIELDS),

    // A difference under `spec` rotates the template, its metadata does not.
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
    // New Machines are made from it, those that exist stay.
    both(Template,          "",                         METADATA),
    both(Template,          "",                         &[row("spec", Nothing)]),
];

const METADATA: &[Row] = &[row("metadata.labels", Nothing), row("metadata.annotations", Nothing)];

const METADATA_TO_MACHINE_SETS: &[Row] = &[row("metadata.labels", Nothing), row("metadata.annotations", InPlace)];

const METADATA_TO_MACHINES: &[Row] = &[row("metadata.labels", InPlace), row("metadata.annotations", InPlace)];

#[rustfmt::skip]
const MACHINE_DEPLOYMENT: &[Row] = &[
    row("spec", Nothing),
    row("spec.clusterName", Nothing),
    row("spec.replicas", Scale),
    row("spec.selector", Destructive).by(Same::Selector),
    row("spec.paused", Nothing),
    moved("spec.rolloutAfter", "spec.rollout.after", Scheduled).by(Same::Appointment),
    moved("spec.strategy", "spec.rollout.strategy", Nothing),
    moved("spec.strategy.remediation", "spec.remediation", Nothing),
    moved("spec.strategy.rollingUpdate.deletePolicy", "spec.deletion.order", InPlace),
    moved("spec.machineNamingStrategy", "spec.machineNaming", InPlace),
    moved("spec.minReadySeconds", "spec.template.spec.minReadySeconds", InPlace),
];

/// The machine template of MachineDeployments and MachineSets: what its controllers carry to Machines.
#[rustfmt::skip]
const MACHINE_TEMPLATE: &[Row] = &[
    row("metadata.labels", InPlace),
    row("metadata.annotations", InPlace),
    row("spec.readinessGates", InPlace),
    row("spec.taints", InPlace),
    moved("spec.nodeDrainTimeout", "spec.deletion.nodeDrainTimeoutSeconds", InPlace).by(Same::Duration),
    moved("spec.nodeVolumeDetachTimeout", "spec.deletion.nodeVolumeDetachTimeoutSeconds", InPlace).by(Same::Duration),
    moved("spec.nodeDeletionTimeout", "spec.deletion.nodeDeletionTimeoutSeconds", InPlace).by(Same::Duration),
];

/// The four fields that MachineSets are told apart by.
#[rustfmt::skip]
const MACHINE_OF_DEPLOYMENT: &[Row] = &[
    row("version", Rollout).by(Same::Version),
    row("bootstrap", Rollout),
    row("bootstrap.configRef", Rollout).by(Same::Reference),
    row("bootstrap.dataSecretName", Rollout).by(Same::Text),
    row("infrastructureRef", Rollout).by(Same::Reference),
    row("failureDomain", Rollout).by(Same::Text),
];

#[rustfmt::skip]
const MACHINE_SET: &[Row] = &[
    row("spec", Nothing),
    row("spec.replicas", Scale),
    row("spec.selector", Destructive).by(Same::Selector),
    moved("spec.deletePolicy", "spec.deletion.order", InPlace),
    moved("spec.machineNamingStrategy", "spec.machineNaming", InPlace),
    moved("spec.minReadySeconds", "spec.template.spec.minReadySeconds", InPlace),
];

/// A pool's fields do not reach its Machines; its metadata does.
#[rustfmt::skip]
const MACHINE_POOL: &[Row] = &[
    row("spec", Nothing),
    row("spec.replicas", Scale),
    row("spec.failureDomains", CannotTell),
    row("spec.template.metadata.labels", InPlace),
    row("spec.template.metadata.annotations", InPlace),
    row("spec.template.spec.version", Rollout).by(Same::Version),
    row("spec.template.spec.bootstrap", Rollout),
    row("spec.template.spec.bootstrap.configRef", Rollout).by(Same::Reference),
    row("spec.template.spec.bootstrap.dataSecretName", Rollout).by(Same::Text),
    row("spec.template.spec.infrastructureRef", Rollout).by(Same::Reference),
];

#[rustfmt::skip]
const CONTROL_PLANE: &[Row] = &[
    row("spec", Nothing),
    row("spec.replicas", Scale),
    row("spec.version", Rollout).by(Same::Version),
    row("spec.machineTemplate.metadata.labels", InPlace),
    row("spec.machineTemplate.metadata.annotations", InPlace),
    row("spec.kubeadmConfigSpec", Rollout),
    moved("spec.rolloutAfter", "spec.rollout.after", Scheduled).by(Same::Appointment),
    moved("spec.rolloutBefore", "spec.rollout.before", Scheduled).by(Same::Appointment),
    moved("spec.rolloutStrategy", "spec.rollout.strategy", Nothing),
    moved("spec.remediationStrategy", "spec.remediation", Nothing),
    moved("spec.machineNamingStrategy", "spec.machineNaming", Nothing),
];

#[rustfmt::skip]
const CONTROL_PLANE_MACHINE: &[Row] = &[
    row("infrastructureRef", Rollout).by(Same::Reference),
    row("readinessGates", InPlace),
    row("taints", InPlace),
    moved("nodeDrainTimeout", "deletion.nodeDrainTimeoutSeconds", InPlace).by(Same::Duration),
    moved("nodeVolumeDetachTimeout", "deletion.nodeVolumeDetachTimeoutSeconds", InPlace).by(Same::Duration),
    moved("nodeDeletionTimeout", "deletion.nodeDeletionTimeoutSeconds", InPlace).by(Same::Duration),
];

/// Where the configuration of a Machine is not compared as it is written. `initConfiguration` is compared for the
/// Machine that began the cluster, and only where that one is not configured as joining ones are. An edit of
/// `joinConfiguration` alone replaces the Machines that joined.
#[rustfmt::skip]
const KUBEADM_CONFIG: &[Row] = &[
    row("format", Rollout).by(Same::OrCloudConfig),
    row("clusterConfiguration.controlPlaneEndpoint", Nothing),
    row("clusterConfiguration.dns", Nothing),
    until_v1beta2("clusterConfiguration.apiServer.timeoutForControlPlane", Nothing),
    until_v1beta2("clusterConfiguration.networking", Nothing),
    until_v1beta2("clusterConfiguration.kubernetesVersion", Nothing),
    until_v1beta2("clusterConfiguration.clusterName", Nothing),
    until_v1beta2("useExperimentalRetryJoin", Nothing),
    row("initConfiguration", CannotTell),
    row("initConfiguration.nodeRegistration.imagePullPolicy", CannotTell).by(Same::OrIfNotPresent),
    row("initConfiguration.nodeRegistration.taints", CannotTell).by(Same::ListOrNone),
    since_v1beta2("initConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds", Nothing),
    row("joinConfiguration.discovery", Nothing),
    row("joinConfiguration.nodeRegistration.imagePullPolicy", Rollout).by(Same::OrIfNotPresent),
    row("joinConfiguration.nodeRegistration.taints", Rollout).by(Same::ListOrNone),
    since_v1beta2("joinConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds", Nothing),
];

/// What topology and class have for control planes, MachineDeployments and MachinePools alike.
#[rustfmt::skip]
const MACHINE_FIELDS: &[Row] = &[
    row("taints", InPlace),
    moved("nodeDrainTimeout", "deletion.nodeDrainTimeoutSeconds", InPlace).by(Same::Duration),
    moved("nodeVolumeDetachTimeout", "deletion.nodeVolumeDetachTimeoutSeconds", InPlace).by(Same::Duration),
    moved("nodeDeletionTimeout", "deletion.nodeDeletionTimeoutSeconds", InPlace).by(Same::Duration),
];

#[rustfmt::skip]
const CLUSTER: &[Row] = &[
    row("", Nothing),
    row("topology", CannotTell),
    moved("topology.class", "topology.classRef", CannotTell),
    until_v1beta2("topology.classNamespace", CannotTell),
    row("topology.version", Rollout).by(Same::Version),
    // Never implemented at this place.
    until_v1beta2("topology.rolloutAfter", Nothing),
    row("topology.variables", CannotTell),
    row("topology.workers.machineDeployments", Scale),
    row("topology.workers.machinePools", Scale),
];

const CONTROL_PLANE_TOPOLOGY: &[Row] = &[
    row("replicas", Scale),
    row("rollout.after", Scheduled).by(Same::Appointment),
    row("variables", CannotTell),
    row("readinessGates", InPlace),
    moved("machineHealthCheck", "healthCheck", Nothing),
];

#[rustfmt::skip]
const MACHINE_DEPLOYMENT_TOPOLOGY: &[Row] = &[
    row("", CannotTell),
    row("class", CannotTell),
    row("replicas", Scale),
    row("failureDomain", Rollout).by(Same::Text),
    row("rollout.after", Scheduled).by(Same::Appointment),
    moved("strategy", "rollout.strategy", Nothing),
    moved("strategy.rollingUpdate.deletePolicy", "deletion.order", InPlace),
    row("variables", CannotTell),
    row("readinessGates", InPlace),
    row("minReadySeconds", InPlace),
    moved("machineHealthCheck", "healthCheck", Nothing),
];

const MACHINE_POOL_TOPOLOGY: &[Row] = &[
    row("", CannotTell),
    row("class", CannotTell),
    row("replicas", Scale),
    row("failureDomains", CannotTell),
    row("variables", CannotTell),
    row("minReadySeconds", InPlace),
];

#[rustfmt::skip]
const CLUSTER_CLASS: &[Row] = &[
    row("", CannotTell),
    row("availabilityGates", Nothing),
    row("kubernetesVersions", Nothing),
    row("upgrade", Nothing),
    moved("infrastructure.ref", "infrastructure.templateRef", InPlace).by(Same::Reference),
    moved("infrastructureNamingStrategy", "infrastructure.naming", Nothing),
    row("variables", CannotTell),
    row("patches", CannotTell),
    // A class of Machines that no Cluster has yet, or has no more.
    row("workers.machineDeployments", Nothing),
    row("workers.machinePools", Nothing),
];

/// Another template replaces Machines only where the spec made from it is another.
#[rustfmt::skip]
const CONTROL_PLANE_CLASS: &[Row] = &[
    moved("ref", "templateRef", CannotTell).by(Same::Reference),
    moved("machineInfrastructure.ref", "machineInfrastructure.templateRef", CannotTell).by(Same::Reference),
    row("readinessGates", InPlace),
    moved("machineHealthCheck", "healthCheck", Nothing),
    moved("namingStrategy", "naming", Nothing),
];

/// As in [`CONTROL_PLANE_CLASS`].
#[rustfmt::skip]
const MACHINE_DEPLOYMENT_CLASS: &[Row] = &[
    row("", CannotTell),
    moved("template.bootstrap.ref", "bootstrap.templateRef", CannotTell).by(Same::Reference),
    moved("template.infrastructure.ref", "infrastructure.templateRef", CannotTell).by(Same::Reference),
    row("failureDomain", Rollout).by(Same::Text),
    moved("strategy", "rollout.strategy", Nothing),
    moved("strategy.rollingUpdate.deletePolicy", "deletion.order", InPlace),
    row("readinessGates", InPlace),
    row("minReadySeconds", InPlace),
    moved("machineHealthCheck", "healthCheck", Nothing),
    moved("namingStrategy", "naming", Nothing),
];

#[rustfmt::skip]
const MACHINE_POOL_CLASS: &[Row] = &[
    row("", CannotTell),
    moved("template.bootstrap.ref", "bootstrap.templateRef", CannotTell).by(Same::Reference),
    moved("template.infrastructure.ref", "infrastructure.templateRef", CannotTell).by(Same::Reference),
    row("failureDomains", CannotTell),
    row("minReadySeconds", InPlace),
    moved("namingStrategy", "naming", Nothing),
];

const fn both(kind: super::Kind, path: &'static str, rows: &'static [Row]) -> Block {
    Block { kind, v1beta1: path, v1beta2: path, rows }
}

const fn row(path: &'static str, effect: Effect) -> Row {
    Row { v1beta1: Some(path), v1beta2: Some(path), effect, same: Same::Value }
}

const fn moved(v1beta1: &'static str, v1beta2: &'static str, effect: Effect) -> Row {
    Row { v1beta1: Some(v1beta1), v1beta2: Some(v1beta2), effect, same: Same::Value }
}

const fn until_v1beta2(path: &'static str, effect: Effect) -> Row {
    Row { v1beta1: Some(path), v1beta2: None, effect, same: Same::Value }
}

const fn since_v1beta2(path: &'static str, effect: Effect) -> Row {
    Row { v1beta1: None, v1beta2: Some(path), effect, same: Same::Value }
}

impl Row {
    const fn by(self, same: Same) -> Row {
        Row { same, ..self }
    }
}
