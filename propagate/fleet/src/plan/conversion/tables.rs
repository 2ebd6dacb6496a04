//! What the conversions from v1beta1 to v1beta2 of Cluster API and of control-plane providers do, kind by kind.

use super::rewrite::Rewrite;
use super::rewrite::Rewrite::{
    Arguments, Conditions, Default, Drop, DropFalse, Move, NoCloudProvider, Reference, Seconds, Template,
};

/// What is rewritten in a kind.
pub(super) struct KindConversion {
    pub(super) kind: &'static str,
    /// What is done before to an object of v1alpha1; nothing if there was no such version.
    pub(super) alpha: &'static [Rewrite],
    /// Sections of the object, `*` for each element of a list, and what is done to them, in this order.
    pub(super) sections: &'static [Section],
}

/// Every kind that the plan compares in one version.
///
/// Sources, in Cluster API v1.14: conversion.go in api/core/v1beta1, api/bootstrap/kubeadm/v1beta1 and
/// api/controlplane/kubeadm/v1beta1; `…V1Beta1ToHub` in core/webhooks/conversion, bootstrap/kubeadm/webhooks/conversion
/// and controlplane/kubeadm/webhooks/conversion. Of Cluster API's provider for RKE2, v0.25.0: conversion.go in
/// bootstrap/api/v1beta1 and controlplane/api/v1beta1, what rke2controlplane_webhook.go there defaults, and of v0.21.1
/// conversion.go in both v1alpha1. Of its provider for K3s, v0.3.1: the same files, with the defaults of v1beta2. What is not
/// listed has the same path and type in both versions.
#[rustfmt::skip]
pub(super) const CONVERSIONS: &[KindConversion] = &[
    kind("MachineDeployment", &[
        ("spec", &[MACHINE_DEPLOYMENT, &[Move("strategy.remediation.maxInFlight", "remediation.maxInFlight")], STRATEGY, READY]),
        ("spec.template.spec", &[MACHINE]),
    ]),
    kind("MachineSet", &[("spec", &[MACHINE_SET, READY]), ("spec.template.spec", &[MACHINE])]),
    kind("MachinePool", &[("spec", &[READY]), ("spec.template.spec", &[MACHINE])]),
    kind("Machine", &[("spec", &[MACHINE])]),
    kind("MachineHealthCheck", &[("spec", &[HEALTH])]),
    kind("KubeadmControlPlane", &[
        ("spec", &[CONTROL_PLANE]),
        ("spec.machineTemplate", &[CONTROL_PLANE_MACHINE]),
        ("spec.kubeadmConfigSpec", &[KUBEADM]),
        ("spec.kubeadmConfigSpec.initConfiguration.bootstrapTokens.*", &[TOKEN]),
    ]),
    kind("KubeadmControlPlaneTemplate", &[
        ("spec.template.spec", &[CONTROL_PLANE]),
        ("spec.template.spec.machineTemplate", &[CONTROL_PLANE_MACHINE]),
        ("spec.template.spec.kubeadmConfigSpec", &[KUBEADM]),
        ("spec.template.spec.kubeadmConfigSpec.initConfiguration.bootstrapTokens.*", &[TOKEN]),
    ]),
    kind("KubeadmConfig", &[("spec", &[KUBEADM]), ("spec.initConfiguration.bootstrapTokens.*", &[TOKEN])]),
    kind("KubeadmConfigTemplate", &[("spec.template.spec", &[KUBEADM]), ("spec.template.spec.initConfiguration.bootstrapTokens.*", &[TOKEN])]),
    kind("Cluster", &[
        ("spec", &[CLUSTER]),
        ("spec.topology", &[TOPOLOGY]),
        ("spec.topology.controlPlane", &[DELETION, OVERRIDES]),
        ("spec.topology.controlPlane.machineHealthCheck", &[HEALTH]),
        ("spec.topology.workers.machineDeployments.*", &[DELETION, OVERRIDES]),
        ("spec.topology.workers.machineDeployments.*.machineHealthCheck", &[HEALTH]),
        ("spec.topology.workers.machinePools.*", &[DELETION, OVERRIDES]),
        ("spec.topology.controlPlane", &[HEALTH_CHECK]),
        ("spec.topology.workers.machineDeployments.*", &[HEALTH_CHECK, &[Move("strategy.remediation.maxInFlight", "healthCheck.remediation.maxInFlight")], STRATEGY]),
    ]),
    kind("ClusterClass", &[
        ("spec", &[CLASS]),
        ("spec.patches.*.external", &[EXTENSIONS]),
        ("spec.patches.*.definitions.*.selector.matchResources", &[MATCHED]),
        ("spec.variables.*", &[VARIABLE]),
        ("spec.controlPlane", &[CONTROL_PLANE_CLASS, DELETION]),
        ("spec.controlPlane.machineHealthCheck", &[HEALTH]),
        ("spec.workers.machineDeployments.*", &[WORKER_CLASS, DELETION]),
        ("spec.workers.machineDeployments.*.machineHealthCheck", &[HEALTH]),
        ("spec.workers.machinePools.*", &[WORKER_CLASS, DELETION]),
        ("spec.controlPlane", &[HEALTH_CHECK]),
        ("spec.workers.machineDeployments.*", &[HEALTH_CHECK, &[Move("strategy.remediation.maxInFlight", "healthCheck.remediation.maxInFlight")], STRATEGY]),
    ]),

    KindConversion { alpha: &[Move("spec.agentConfig.version", "spec.version")], ..kind("RKE2ControlPlane", &[
        ("spec", &[&[Default("infrastructureRef", "machineTemplate.infrastructureRef"), Default("nodeDrainTimeout", "machineTemplate.nodeDrainTimeout")]]),
        ("spec.machineTemplate", &[CONTROL_PLANE_MACHINE]),
    ]) },
    KindConversion { alpha: &[Drop("spec.template.spec.agentConfig.version")], ..kind("RKE2ControlPlaneTemplate", &[
        ("spec.template.spec", &[&[Drop("infrastructureRef"), Drop("nodeDrainTimeout"), Drop("replicas"), Drop("version")]]),
        ("spec.template.spec.machineTemplate", &[CONTROL_PLANE_MACHINE]),
    ]) },
    KindConversion { alpha: &[Drop("spec.agentConfig.version")], ..kind("RKE2Config", &[]) },
    KindConversion { alpha: &[Drop("spec.template.spec.agentConfig.version")], ..kind("RKE2ConfigTemplate", &[]) },
    kind("KThreesControlPlane", &[
        ("spec", &[&[
            Move("upgradeAfter", "rolloutAfter"),
            Move("nodeDrainTimeout", "machineTemplate.nodeDrainTimeout"),
            Move("infrastructureTemplate", "machineTemplate.infrastructureRef"),
        ]]),
        ("spec.kthreesConfigSpec.serverConfig", &[K3S]),
    ]),
    kind("KThreesConfig", &[("spec.serverConfig", &[K3S])]),
    kind("KThreesConfigTemplate", &[("spec.template.spec.serverConfig", &[K3S])]),
];

pub(super) type Section = (&'static str, &'static [&'static [Rewrite]]);

/// A kind that had no v1alpha1.
const fn kind(kind: &'static str, sections: &'static [Section]) -> KindConversion {
    KindConversion { kind, alpha: &[], sections }
}

const K3S: &[Rewrite] = &[NoCloudProvider];

const MACHINE: &[Rewrite] = &[
    Seconds("nodeDrainTimeout", &["deletion.nodeDrainTimeoutSeconds"]),
    Seconds("nodeVolumeDetachTimeout", &["deletion.nodeVolumeDetachTimeoutSeconds"]),
    Seconds("nodeDeletionTimeout", &["deletion.nodeDeletionTimeoutSeconds"]),
    Reference("infrastructureRef"),
    Reference("bootstrap.configRef"),
];

const DELETION: &[Rewrite] = &[
    Seconds("nodeDrainTimeout", &["deletion.nodeDrainTimeoutSeconds"]),
    Seconds("nodeVolumeDetachTimeout", &["deletion.nodeVolumeDetachTimeoutSeconds"]),
    Seconds("nodeDeletionTimeout", &["deletion.nodeDeletionTimeoutSeconds"]),
];

const READY: &[Rewrite] = &[Move("minReadySeconds", "template.spec.minReadySeconds")];

const MACHINE_DEPLOYMENT: &[Rewrite] = &[
    Move("rolloutAfter", "rollout.after"),
    Move("machineNamingStrategy", "machineNaming"),
    Drop("progressDeadlineSeconds"),
    Drop("revisionHistoryLimit"),
    DropFalse("paused"),
];

const STRATEGY: &[Rewrite] = &[
    Move("strategy.rollingUpdate.deletePolicy", "deletion.order"),
    Move("strategy.type", "rollout.strategy.type"),
    Move("strategy.rollingUpdate.maxSurge", "rollout.strategy.rollingUpdate.maxSurge"),
    Move("strategy.rollingUpdate.maxUnavailable", "rollout.strategy.rollingUpdate.maxUnavailable"),
    Drop("strategy"),
];

const MACHINE_SET: &[Rewrite] =
    &[Move("deletePolicy", "deletion.order"), Move("machineNamingStrategy", "machineNaming")];

const HEALTH: &[Rewrite] = &[
    Move("enable", "enabled"),
    Conditions("unhealthyConditions", "checks.unhealthyNodeConditions"),
    Conditions("unhealthyMachineConditions", "checks.unhealthyMachineConditions"),
    Seconds("nodeStartupTimeout", &["checks.nodeStartupTimeoutSeconds"]),
    Move("maxUnhealthy", "remediation.triggerIf.unhealthyLessThanOrEqualTo"),
    Move("unhealthyRange", "remediation.triggerIf.unhealthyInRange"),
    Template("remediationTemplate", "remediation.templateRef"),
];

const HEALTH_CHECK: &[Rewrite] = &[Move("machineHealthCheck", "healthCheck")];

const CONTROL_PLANE: &[Rewrite] = &[
    Move("rolloutBefore", "rollout.before"),
    Move("rolloutAfter", "rollout.after"),
    Move("rolloutStrategy.type", "rollout.strategy.type"),
    Move("rolloutStrategy.rollingUpdate.maxSurge", "rollout.strategy.rollingUpdate.maxSurge"),
    Drop("rolloutStrategy"),
    Move("remediationStrategy.maxRetry", "remediation.maxRetry"),
    Seconds("remediationStrategy.retryPeriod", &["remediation.retryPeriodSeconds"]),
    Seconds("remediationStrategy.minHealthyPeriod", &["remediation.minHealthyPeriodSeconds"]),
    Drop("remediationStrategy"),
    Move("machineNamingStrategy", "machineNaming"),
];

const CONTROL_PLANE_MACHINE: &[Rewrite] = &[
    Reference("infrastructureRef"),
    Move("infrastructureRef", "spec.infrastructureRef"),
    Move("readinessGates", "spec.readinessGates"),
    Move("taints", "spec.taints"),
    Seconds("nodeDrainTimeout", &["spec.deletion.nodeDrainTimeoutSeconds"]),
    Seconds("nodeVolumeDetachTimeout", &["spec.deletion.nodeVolumeDetachTimeoutSeconds"]),
    Seconds("nodeDeletionTimeout", &["spec.deletion.nodeDeletionTimeoutSeconds"]),
];

const KUBEADM: &[Rewrite] = &[
    Seconds(
        "clusterConfiguration.apiServer.timeoutForControlPlane",
        &[
            "initConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds",
            "joinConfiguration.timeouts.controlPlaneComponentHealthCheckSeconds",
        ],
    ),
    Seconds("joinConfiguration.discovery.timeout", &["joinConfiguration.timeouts.tlsBootstrapSeconds"]),
    Arguments("clusterConfiguration.apiServer.extraArgs"),
    Arguments("clusterConfiguration.controllerManager.extraArgs"),
    Arguments("clusterConfiguration.scheduler.extraArgs"),
    Arguments("clusterConfiguration.etcd.local.extraArgs"),
    Arguments("initConfiguration.nodeRegistration.kubeletExtraArgs"),
    Arguments("joinConfiguration.nodeRegistration.kubeletExtraArgs"),
    Drop("clusterConfiguration.apiVersion"),
    Drop("clusterConfiguration.kind"),
    Drop("clusterConfiguration.networking"),
    Drop("clusterConfiguration.kubernetesVersion"),
    Drop("clusterConfiguration.clusterName"),
    Drop("initConfiguration.apiVersion"),
    Drop("initConfiguration.kind"),
    Drop("joinConfiguration.apiVersion"),
    Drop("joinConfiguration.kind"),
    Drop("useExperimentalRetryJoin"),
    DropFalse("clusterConfiguration.apiServer.extraVolumes.*.readOnly"),
    DropFalse("clusterConfiguration.controllerManager.extraVolumes.*.readOnly"),
    DropFalse("clusterConfiguration.scheduler.extraVolumes.*.readOnly"),
    DropFalse("joinConfiguration.discovery.bootstrapToken.unsafeSkipCAVerification"),
    DropFalse("joinConfiguration.discovery.file.kubeConfig.cluster.insecureSkipTLSVerify"),
    DropFalse("joinConfiguration.discovery.file.kubeConfig.user.exec.provideClusterInfo"),
    DropFalse("files.*.append"),
    DropFalse("ignition.containerLinuxConfig.strict"),
];

const TOKEN: &[Rewrite] = &[Seconds("ttl", &["ttlSeconds"])];

const CLUSTER: &[Rewrite] = &[DropFalse("paused"), Reference("infrastructureRef"), Reference("controlPlaneRef")];

const TOPOLOGY: &[Rewrite] = &[
    Move("class", "classRef.name"),
    Move("classNamespace", "classRef.namespace"),
    Drop("rolloutAfter"),
    Drop("variables.*.definitionFrom"),
];

const OVERRIDES: &[Rewrite] = &[Drop("variables.overrides.*.definitionFrom")];

const CLASS: &[Rewrite] = &[
    Template("infrastructure.ref", "infrastructure.templateRef"),
    Move("infrastructureNamingStrategy", "infrastructure.naming"),
];

const CONTROL_PLANE_CLASS: &[Rewrite] = &[
    Template("ref", "templateRef"),
    Template("machineInfrastructure.ref", "machineInfrastructure.templateRef"),
    Move("namingStrategy", "naming"),
];

const WORKER_CLASS: &[Rewrite] = &[
    Move("template.metadata", "metadata"),
    Template("template.bootstrap.ref", "bootstrap.templateRef"),
    Template("template.infrastructure.ref", "infrastructure.templateRef"),
    Drop("template"),
    Move("namingStrategy", "naming"),
];

const EXTENSIONS: &[Rewrite] =
    &[Move("generateExtension", "generatePatchesExtension"), Move("validateExtension", "validateTopologyExtension")];

const MATCHED: &[Rewrite] = &[DropFalse("controlPlane"), DropFalse("infrastructureCluster")];

const VARIABLE: &[Rewrite] = &[
    Move("metadata", "deprecatedV1Beta1Metadata"),
    DropFalse("schema.openAPIV3Schema.uniqueItems"),
    DropFalse("schema.openAPIV3Schema.exclusiveMaximum"),
    DropFalse("schema.openAPIV3Schema.exclusiveMinimum"),
    DropFalse("schema.openAPIV3Schema.x-kubernetes-preserve-unknown-fields"),
    DropFalse("schema.openAPIV3Schema.x-kubernetes-int-or-string"),
];
