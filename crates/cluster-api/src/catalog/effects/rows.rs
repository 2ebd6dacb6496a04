//! Rows of the table, by topic.

use super::Effect::*;
use super::build::{changing, moved, removing, row, since_v1beta2, until_v1beta2};
use super::{Given, KeyRow, Row, Same};
use crate::catalog::keys::{
    BEFORE_UPGRADE_HOOK, CLONED_FROM_GROUP_KIND, CLONED_FROM_NAME, DEFER_UPGRADE, HOLD_UPGRADE_SEQUENCE, PAUSED,
};

pub(super) const METADATA: &[Row] = &[row("metadata.labels", Nothing), row("metadata.annotations", Nothing)];

/// The end of a pause: what changed meanwhile takes effect. The status is not updated during a pause.
const RESUMED: KeyRow = removing(PAUSED).cannot_tell();

/// Of an object whose controller a pause stops.
pub(super) const METADATA_OF_OWNER: &[Row] =
    &[row("metadata.labels", Nothing), row("metadata.annotations", Nothing).keys(&[RESUMED])];

/// Removing the last hook lets an upgrade begin.
#[rustfmt::skip]
pub(super) const METADATA_OF_CLUSTER: &[Row] = &[
    row("metadata.labels", Nothing),
    row("metadata.annotations", Nothing).keys(&[
        removing(BEFORE_UPGRADE_HOOK).held_by(&[BEFORE_UPGRADE_HOOK]).given(Given::HeldUpgrade).since(10),
        RESUMED,
    ]),
];

/// An annotation also defers the entries after its own, so that removing one has an effect even if another remains.
#[rustfmt::skip]
pub(super) const METADATA_OF_WORKERS: &[Row] = &[
    row("metadata.labels", InPlace),
    row("metadata.annotations", InPlace).keys(&[
        removing(HOLD_UPGRADE_SEQUENCE).given(Given::PendingUpgrade),
        removing(DEFER_UPGRADE).held_by(&[HOLD_UPGRADE_SEQUENCE]).given(Given::PendingUpgrade),
    ]),
];

/// An infrastructure machine cloned from another template than the control plane's is outdated. One without the
/// annotation is not.
#[rustfmt::skip]
pub(super) const METADATA_OF_INFRA_MACHINE: &[Row] = &[
    row("metadata.labels", Nothing),
    row("metadata.annotations", Nothing).keys(&[
        changing(CLONED_FROM_GROUP_KIND).given(Given::NoInPlaceUpdate),
        changing(CLONED_FROM_NAME).given(Given::NoInPlaceUpdate),
    ]),
];

pub(super) const METADATA_TO_MACHINE_SETS: &[Row] =
    &[row("metadata.labels", Nothing), row("metadata.annotations", InPlace).keys(&[RESUMED])];

pub(super) const METADATA_TO_MACHINES: &[Row] =
    &[row("metadata.labels", InPlace), row("metadata.annotations", InPlace)];

#[rustfmt::skip]
pub(super) const MACHINE_DEPLOYMENT: &[Row] = &[
    row("spec", Nothing),
    row("spec.clusterName", Nothing),
    row("spec.replicas", Scale),
    row("spec.selector", Destructive).by(Same::Selector),
    row("spec.paused", Rollout).by(Same::NotFromPaused).given(Given::OutdatedMachines),
    moved("spec.rolloutAfter", "spec.rollout.after", Scheduled).by(Same::Appointment).given(Given::Replicas),
    moved("spec.strategy", "spec.rollout.strategy", Nothing),
    moved("spec.strategy.type", "spec.rollout.strategy.type", Rollout).by(Same::NotFromOnDelete).given(Given::OutdatedMachines),
    moved("spec.strategy.remediation", "spec.remediation", Nothing),
    moved("spec.strategy.rollingUpdate.deletePolicy", "spec.deletion.order", InPlace),
    moved("spec.machineNamingStrategy", "spec.machineNaming", InPlace),
    moved("spec.minReadySeconds", "spec.template.spec.minReadySeconds", InPlace),
];

/// The machine template of MachineDeployments and MachineSets: what their controllers propagate to Machines.
#[rustfmt::skip]
pub(super) const MACHINE_TEMPLATE: &[Row] = &[
    row("metadata.labels", InPlace),
    row("metadata.annotations", InPlace),
    row("spec.readinessGates", InPlace),
    row("spec.taints", InPlace),
    moved("spec.nodeDrainTimeout", "spec.deletion.nodeDrainTimeoutSeconds", InPlace).by(Same::Duration),
    moved("spec.nodeVolumeDetachTimeout", "spec.deletion.nodeVolumeDetachTimeoutSeconds", InPlace).by(Same::Duration),
    moved("spec.nodeDeletionTimeout", "spec.deletion.nodeDeletionTimeoutSeconds", InPlace).by(Same::Duration),
];

/// The four fields by which MachineSets are distinguished.
#[rustfmt::skip]
pub(super) const MACHINE_OF_DEPLOYMENT: &[Row] = &[
    row("version", Rollout).by(Same::Version),
    row("bootstrap", Rollout),
    row("bootstrap.configRef", Rollout).by(Same::Reference),
    row("bootstrap.dataSecretName", Rollout),
    row("infrastructureRef", Rollout).by(Same::Reference),
    row("failureDomain", Rollout).by(Same::Text),
];

#[rustfmt::skip]
pub(super) const MACHINE_SET: &[Row] = &[
    row("spec", Nothing),
    row("spec.replicas", Scale),
    row("spec.selector", Destructive).by(Same::Selector),
    moved("spec.deletePolicy", "spec.deletion.order", InPlace),
    moved("spec.machineNamingStrategy", "spec.machineNaming", InPlace),
    moved("spec.minReadySeconds", "spec.template.spec.minReadySeconds", InPlace),
];

/// Up to v1.11 a MachineSet applied these to existing Machines, without replacing them.
#[rustfmt::skip]
pub(super) const MACHINE_OF_SET: &[Row] = &[
    row("version", InPlace).by(Same::Version).until(12),
    row("failureDomain", InPlace).by(Same::Text).until(12),
];

/// A pool's fields do not propagate to its Machines; its metadata does.
#[rustfmt::skip]
pub(super) const MACHINE_POOL: &[Row] = &[
    row("spec", Nothing),
    row("spec.replicas", Scale),
    row("spec.failureDomains", CannotTell),
    row("spec.template.metadata.labels", InPlace),
    row("spec.template.metadata.annotations", InPlace),
];

/// If a pool has a `configRef`, its controller sets the first data secret (`reconcileBootstrap` in
/// core/reconcilers/machinepool), and no Machine was created without one.
#[rustfmt::skip]
pub(super) const MACHINE_OF_POOL: &[Row] = &[
    row("version", Rollout).by(Same::Version),
    row("bootstrap", Rollout),
    row("bootstrap.configRef", Rollout).by(Same::Reference),
    row("bootstrap.dataSecretName", Rollout).by(Same::OrFirst),
    row("infrastructureRef", Rollout).by(Same::Reference),
];

#[rustfmt::skip]
pub(super) const CONTROL_PLANE: &[Row] = &[
    row("spec", Nothing),
    row("spec.replicas", Scale),
    row("spec.version", Rollout).by(Same::Version),
    row("spec.machineTemplate.metadata.labels", InPlace),
    row("spec.machineTemplate.metadata.annotations", InPlace),
    until_v1beta2("spec.kubeadmConfigSpec", Rollout).by(Same::Config),
    since_v1beta2("spec.kubeadmConfigSpec", Rollout),
    moved("spec.rolloutAfter", "spec.rollout.after", Scheduled).by(Same::Appointment),
    moved("spec.rolloutBefore", "spec.rollout.before", Scheduled).by(Same::Appointment),
    moved("spec.rolloutStrategy", "spec.rollout.strategy", Nothing),
    moved("spec.remediationStrategy", "spec.remediation", Nothing),
    moved("spec.machineNamingStrategy", "spec.machineNaming", Nothing),
];

#[rustfmt::skip]
pub(super) const CONTROL_PLANE_MACHINE: &[Row] = &[
    row("infrastructureRef", Rollout).by(Same::Reference),
    row("readinessGates", InPlace),
    row("taints", InPlace),
    moved("nodeDrainTimeout", "deletion.nodeDrainTimeoutSeconds", InPlace).by(Same::Duration),
    moved("nodeVolumeDetachTimeout", "deletion.nodeVolumeDetachTimeoutSeconds", InPlace).by(Same::Duration),
    moved("nodeDeletionTimeout", "deletion.nodeDeletionTimeoutSeconds", InPlace).by(Same::Duration),
];

/// Parts of a Machine's configuration that are not compared as written. An edit of only a control plane's
/// `joinConfiguration` replaces the Machines that joined.
#[rustfmt::skip]
pub(super) const KUBEADM_CONFIG: &[Row] = &[
    row("format", Rollout).by(Same::OrCloudConfig),
    row("clusterConfiguration.controlPlaneEndpoint", Nothing),
    row("clusterConfiguration.dns", Nothing),
    until_v1beta2("clusterConfiguration.apiServer.timeoutForControlPlane", Nothing),
    until_v1beta2("clusterConfiguration.networking", Nothing),
    until_v1beta2("clusterConfiguration.kubernetesVersion", Nothing),
    until_v1beta2("clusterConfiguration.clusterName", Nothing),
    until_v1beta2("useExperimentalRetryJoin", Nothing),
    since_v1beta2("initConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds", Nothing),
    until_v1beta2("initConfiguration.apiVersion", Nothing),
    until_v1beta2("initConfiguration.kind", Nothing),
    until_v1beta2("joinConfiguration.apiVersion", Nothing),
    until_v1beta2("joinConfiguration.kind", Nothing),
    row("joinConfiguration.discovery", Nothing),
    // It is converted to `timeouts.tlsBootstrapSeconds`, which is compared.
    until_v1beta2("joinConfiguration.discovery.timeout", Rollout).by(Same::Seconds).since(11),
    row("joinConfiguration.nodeRegistration.imagePullPolicy", Rollout).by(Same::OrIfNotPresent),
    row("joinConfiguration.nodeRegistration.taints", Rollout).by(Same::ListOrNone),
    since_v1beta2("joinConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds", Nothing),
];

pub(super) const KUBEADM_CONFIG_AS_A_WHOLE: &[Row] =
    &[until_v1beta2("spec", Rollout).by(Same::Config), since_v1beta2("spec", Rollout)];

/// `initConfiguration` is compared for the Machine that initialized the cluster, and only if that one is not configured
/// like those that joined.
#[rustfmt::skip]
pub(super) const KUBEADM_CONFIG_OF_CONTROL_PLANE: &[Row] = &[
    until_v1beta2("clusterConfiguration.apiVersion", Nothing).since(11),
    until_v1beta2("clusterConfiguration.kind", Nothing).since(11),
    row("clusterConfiguration.featureGates", Rollout).by(Same::FeatureGates),
    until_v1beta2("initConfiguration", CannotTell).by(Same::Config),
    since_v1beta2("initConfiguration", CannotTell),
    row("initConfiguration.nodeRegistration.imagePullPolicy", CannotTell).by(Same::OrIfNotPresent),
    row("initConfiguration.nodeRegistration.taints", CannotTell).by(Same::ListOrNone),
];

/// The Machine that initialized the cluster is compared as if it had joined, and then as it is; bootstrap tokens are
/// only in the second comparison. The bootstrap provider sets type and version in v1beta1.
#[rustfmt::skip]
pub(super) const KUBEADM_CONFIG_OF_MACHINE: &[Row] = &[
    until_v1beta2("clusterConfiguration.apiVersion", Nothing),
    until_v1beta2("clusterConfiguration.kind", Nothing),
    row("initConfiguration.bootstrapTokens", CannotTell),
    row("initConfiguration.nodeRegistration.imagePullPolicy", Rollout).by(Same::OrIfNotPresent),
    row("initConfiguration.nodeRegistration.taints", Rollout).by(Same::ListOrNone),
];

/// A Machine of a KubeadmControlPlane. A different configuration or infrastructure may be what the control plane wants.
#[rustfmt::skip]
pub(super) const MACHINE: &[Row] = &[
    row("spec", Nothing),
    row("spec.version", Rollout).by(Same::Version),
    row("spec.bootstrap.configRef", CannotTell).by(Same::Reference),
    row("spec.infrastructureRef", CannotTell).by(Same::Reference),
];

/// What topology and class have in common for control planes, MachineDeployments and MachinePools.
#[rustfmt::skip]
pub(super) const MACHINE_FIELDS: &[Row] = &[
    row("taints", InPlace),
    moved("nodeDrainTimeout", "deletion.nodeDrainTimeoutSeconds", InPlace).by(Same::Duration),
    moved("nodeVolumeDetachTimeout", "deletion.nodeVolumeDetachTimeoutSeconds", InPlace).by(Same::Duration),
    moved("nodeDeletionTimeout", "deletion.nodeDeletionTimeoutSeconds", InPlace).by(Same::Duration),
];

#[rustfmt::skip]
pub(super) const CLUSTER: &[Row] = &[
    row("", Nothing),
    row("paused", CannotTell).by(Same::NotFromPaused),
    // A builtin variable of patches.
    row("clusterNetwork", CannotTell).given(Given::Topology),
    row("topology", CannotTell),
    moved("topology.class", "topology.classRef", CannotTell),
    until_v1beta2("topology.classNamespace", CannotTell),
    row("topology.version", Rollout).by(Same::Version),
    // Never implemented at this place.
    until_v1beta2("topology.rolloutAfter", Nothing),
    row("topology.variables", CannotTell),
    row("topology.workers.machineDeployments", Scale).removed(Destructive),
    row("topology.workers.machinePools", Scale).removed(Destructive),
];

pub(super) const CONTROL_PLANE_TOPOLOGY: &[Row] = &[
    row("replicas", Scale),
    row("rollout.after", Scheduled).by(Same::Appointment),
    row("variables", CannotTell),
    row("readinessGates", InPlace),
    moved("machineHealthCheck", "healthCheck", InPlace),
];

#[rustfmt::skip]
pub(super) const MACHINE_DEPLOYMENT_TOPOLOGY: &[Row] = &[
    row("", CannotTell),
    row("class", CannotTell),
    row("replicas", Scale),
    row("failureDomain", Rollout).by(Same::Text).given(Given::Replicas),
    row("rollout.after", Scheduled).by(Same::Appointment).given(Given::Replicas),
    moved("strategy", "rollout.strategy", Nothing),
    moved("strategy.type", "rollout.strategy.type", CannotTell).by(Same::NotFromOnDelete).given(Given::Replicas),
    moved("strategy.rollingUpdate.deletePolicy", "deletion.order", InPlace),
    row("variables", CannotTell),
    row("readinessGates", InPlace),
    row("minReadySeconds", InPlace),
    moved("machineHealthCheck", "healthCheck", InPlace),
];

pub(super) const MACHINE_POOL_TOPOLOGY: &[Row] = &[
    row("", CannotTell),
    row("class", CannotTell),
    row("replicas", Scale),
    row("failureDomains", CannotTell),
    row("variables", CannotTell),
    row("minReadySeconds", InPlace),
];

#[rustfmt::skip]
pub(super) const CLUSTER_CLASS: &[Row] = &[
    row("", CannotTell),
    row("availabilityGates", Nothing),
    row("kubernetesVersions", Nothing),
    row("upgrade", Nothing),
    moved("infrastructure.ref", "infrastructure.templateRef", InPlace).by(Same::Reference),
    moved("infrastructureNamingStrategy", "infrastructure.naming", Nothing),
    row("variables", CannotTell),
    row("patches", CannotTell),
    // A class of Machines that no Cluster has yet, or no longer has.
    row("workers.machineDeployments", Nothing),
    row("workers.machinePools", Nothing),
];

/// A different template only replaces Machines if the spec made from it is different. A different health check is
/// written to the MachineHealthCheck of every Cluster of the class; Machines that are unhealthy by it are remediated.
#[rustfmt::skip]
pub(super) const CONTROL_PLANE_CLASS: &[Row] = &[
    moved("ref", "templateRef", CannotTell).by(Same::Reference),
    moved("machineInfrastructure.ref", "machineInfrastructure.templateRef", CannotTell).by(Same::Reference),
    row("readinessGates", InPlace),
    moved("machineHealthCheck", "healthCheck", InPlace),
    moved("namingStrategy", "naming", Nothing),
];

/// Like [`CONTROL_PLANE_CLASS`].
#[rustfmt::skip]
pub(super) const MACHINE_DEPLOYMENT_CLASS: &[Row] = &[
    row("", CannotTell),
    moved("template.bootstrap.ref", "bootstrap.templateRef", CannotTell).by(Same::Reference),
    moved("template.infrastructure.ref", "infrastructure.templateRef", CannotTell).by(Same::Reference),
    row("failureDomain", Rollout).by(Same::Text),
    moved("strategy", "rollout.strategy", Nothing),
    moved("strategy.type", "rollout.strategy.type", CannotTell).by(Same::NotFromOnDelete),
    moved("strategy.rollingUpdate.deletePolicy", "deletion.order", InPlace),
    row("readinessGates", InPlace),
    row("minReadySeconds", InPlace),
    moved("machineHealthCheck", "healthCheck", InPlace),
    moved("namingStrategy", "naming", Nothing),
];

#[rustfmt::skip]
pub(super) const MACHINE_POOL_CLASS: &[Row] = &[
    row("", CannotTell),
    moved("template.bootstrap.ref", "bootstrap.templateRef", CannotTell).by(Same::Reference),
    moved("template.infrastructure.ref", "infrastructure.templateRef", CannotTell).by(Same::Reference),
    row("failureDomains", CannotTell),
    row("minReadySeconds", InPlace),
    moved("namingStrategy", "naming", Nothing),
];
