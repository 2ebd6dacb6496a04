//! Which kinds are read, in which versions, and which of their fields.

/// The kinds whose objects the policy may read: `contextAwareResources` of policy-metadata.yml, which a test compares.
///
/// Versions in the order in which they are tried.
#[rustfmt::skip]
pub const GRANTS: &[Grant] = &[
    grant("Cluster",                     "cluster.x-k8s.io",              &["v1beta2", "v1beta1"]),
    grant("ClusterClass",                "cluster.x-k8s.io",              &["v1beta2", "v1beta1"]),
    grant("Machine",                     "cluster.x-k8s.io",              &["v1beta2", "v1beta1"]),
    grant("MachineDeployment",           "cluster.x-k8s.io",              &["v1beta2", "v1beta1"]),
    grant("MachinePool",                 "cluster.x-k8s.io",              &["v1beta2", "v1beta1"]),
    grant("MachineSet",                  "cluster.x-k8s.io",              &["v1beta2", "v1beta1"]),
    grant("KubeadmControlPlane",         "controlplane.cluster.x-k8s.io", &["v1beta2", "v1beta1"]),
    grant("KubeadmControlPlaneTemplate", "controlplane.cluster.x-k8s.io", &["v1beta2", "v1beta1"]),
    // Control planes of others. Versions: their CRDs as served by cluster-api-provider-rke2, cluster-api-k3s, k0smotron.
    grant("K0sControlPlane",             "controlplane.cluster.x-k8s.io", &["v1beta2", "v1beta1"]),
    grant("KThreesControlPlane",         "controlplane.cluster.x-k8s.io", &["v1beta2", "v1beta1"]),
    grant("RKE2ControlPlane",            "controlplane.cluster.x-k8s.io", &["v1beta2", "v1beta1"]),
    grant("LabelRegistry",               LABELS,                          &["v1alpha1"]),
];

/// Where LabelRegistry objects live.
pub(crate) const LABELS: &str = "labels.plexsphere.com";

/// One kind that may be read.
#[derive(Debug)]
pub struct Grant {
    /// Such as `MachineSet`.
    pub kind: &'static str,
    /// Such as `cluster.x-k8s.io`.
    pub group: &'static str,
    /// Versions, the first preferred.
    pub versions: &'static [&'static str],
}

const fn grant(kind: &'static str, group: &'static str, versions: &'static [&'static str]) -> Grant {
    Grant { kind, group, versions }
}

/// Fields that are read of an owner of Machines.
pub(crate) const TEMPLATE_MASKS: &[&str] = &[
    "spec.clusterName",
    "spec.deletion.order",
    "spec.machineNaming",
    "spec.machineNamingStrategy",
    "spec.minReadySeconds",
    "spec.selector",
    "spec.strategy.rollingUpdate.deletePolicy",
    "spec.template.metadata",
    "spec.template.spec.deletion",
    "spec.template.spec.minReadySeconds",
    "spec.template.spec.nodeDeletionTimeout",
    "spec.template.spec.nodeDrainTimeout",
    "spec.template.spec.nodeVolumeDetachTimeout",
    "spec.template.spec.readinessGates",
    "spec.template.spec.taints",
];
/// Fields that are read of a control plane.
pub(crate) const CONTROL_PLANE_MASKS: &[&str] = &[
    "spec.machineTemplate.metadata",
    "spec.machineTemplate.nodeDeletionTimeout",
    "spec.machineTemplate.nodeDrainTimeout",
    "spec.machineTemplate.nodeVolumeDetachTimeout",
    "spec.machineTemplate.readinessGates",
    "spec.machineTemplate.spec.deletion",
    "spec.machineTemplate.spec.readinessGates",
    "spec.machineTemplate.spec.taints",
    "spec.machineTemplate.taints",
];
/// Fields that are read of the template of a control plane.
pub(crate) const CONTROL_PLANE_TEMPLATE_MASKS: &[&str] =
    &["spec.template.metadata", "spec.template.spec.machineTemplate.metadata"];
/// Fields that are read of a Machine.
pub(crate) const MACHINE_MASKS: &[&str] = &["spec.clusterName"];
/// Fields that are read of a Node's Machine.
pub(crate) const NODE_MACHINE_MASKS: &[&str] = &["spec.clusterName", "status.nodeRef.name"];
/// Fields that are read of a Cluster to know whether it is paused, and who adopts its control plane.
pub(crate) const CLUSTER_MASKS: &[&str] = &["spec.controlPlaneRef.kind", "spec.paused"];
/// Fields that are read of a Cluster with a topology.
pub(crate) const TOPOLOGY_MASKS: &[&str] = &[
    "spec.controlPlaneRef.kind",
    "spec.controlPlaneRef.name",
    "spec.paused",
    "spec.topology.class",
    "spec.topology.classNamespace",
    "spec.topology.classRef",
    "spec.topology.controlPlane.deletion",
    "spec.topology.controlPlane.metadata",
    "spec.topology.controlPlane.nodeDeletionTimeout",
    "spec.topology.controlPlane.nodeDrainTimeout",
    "spec.topology.controlPlane.nodeVolumeDetachTimeout",
    "spec.topology.controlPlane.readinessGates",
    "spec.topology.controlPlane.taints",
    "spec.topology.workers.machineDeployments.class",
    "spec.topology.workers.machineDeployments.deletion",
    "spec.topology.workers.machineDeployments.metadata",
    "spec.topology.workers.machineDeployments.minReadySeconds",
    "spec.topology.workers.machineDeployments.name",
    "spec.topology.workers.machineDeployments.nodeDeletionTimeout",
    "spec.topology.workers.machineDeployments.nodeDrainTimeout",
    "spec.topology.workers.machineDeployments.nodeVolumeDetachTimeout",
    "spec.topology.workers.machineDeployments.readinessGates",
    "spec.topology.workers.machineDeployments.strategy.rollingUpdate.deletePolicy",
    "spec.topology.workers.machineDeployments.taints",
    "spec.topology.workers.machinePools.class",
    "spec.topology.workers.machinePools.deletion",
    "spec.topology.workers.machinePools.metadata",
    "spec.topology.workers.machinePools.minReadySeconds",
    "spec.topology.workers.machinePools.name",
    "spec.topology.workers.machinePools.nodeDeletionTimeout",
    "spec.topology.workers.machinePools.nodeDrainTimeout",
    "spec.topology.workers.machinePools.nodeVolumeDetachTimeout",
];
/// Fields that are read of a Cluster to know which objects its topology has.
pub(crate) const TOPOLOGY_ENTRY_MASKS: &[&str] = &[
    "spec.topology.class",
    "spec.topology.classRef",
    "spec.topology.workers.machineDeployments.name",
    "spec.topology.workers.machinePools.name",
];
/// Fields that are read of a Cluster to know what its topology says of fields whose edits replace Machines.
pub(crate) const TOPOLOGY_VALUE_MASKS: &[&str] = &[
    "spec.controlPlaneRef.name",
    "spec.topology.controlPlane.rollout.after",
    "spec.topology.version",
    "spec.topology.workers.machineDeployments.failureDomain",
    "spec.topology.workers.machineDeployments.name",
    "spec.topology.workers.machineDeployments.rollout.after",
    "spec.topology.workers.machineDeployments.rollout.strategy.type",
    "spec.topology.workers.machineDeployments.strategy.type",
    "spec.topology.workers.machinePools.failureDomains",
    "spec.topology.workers.machinePools.name",
];
/// Fields that are read of a LabelRegistry.
pub(crate) const REGISTRY_MASKS: &[&str] = &["spec.scope", "spec.definitions"];
/// Fields that are read of a ClusterClass.
pub(crate) const CLASS_MASKS: &[&str] = &[
    "spec.controlPlane.deletion",
    "spec.controlPlane.machineInfrastructure",
    "spec.controlPlane.metadata",
    "spec.controlPlane.nodeDeletionTimeout",
    "spec.controlPlane.nodeDrainTimeout",
    "spec.controlPlane.nodeVolumeDetachTimeout",
    "spec.controlPlane.readinessGates",
    "spec.controlPlane.ref",
    "spec.controlPlane.taints",
    "spec.controlPlane.templateRef",
    "spec.patches.definitions.jsonPatches.path",
    "spec.patches.definitions.selector.apiVersion",
    "spec.patches.definitions.selector.kind",
    "spec.patches.definitions.selector.matchResources.controlPlane",
    "spec.patches.external",
    "spec.workers.machineDeployments.class",
    "spec.workers.machineDeployments.deletion",
    "spec.workers.machineDeployments.metadata",
    "spec.workers.machineDeployments.minReadySeconds",
    "spec.workers.machineDeployments.nodeDeletionTimeout",
    "spec.workers.machineDeployments.nodeDrainTimeout",
    "spec.workers.machineDeployments.nodeVolumeDetachTimeout",
    "spec.workers.machineDeployments.readinessGates",
    "spec.workers.machineDeployments.strategy.rollingUpdate.deletePolicy",
    "spec.workers.machineDeployments.taints",
    "spec.workers.machineDeployments.template.metadata",
    "spec.workers.machinePools.class",
    "spec.workers.machinePools.deletion",
    "spec.workers.machinePools.metadata",
    "spec.workers.machinePools.minReadySeconds",
    "spec.workers.machinePools.nodeDeletionTimeout",
    "spec.workers.machinePools.nodeDrainTimeout",
    "spec.workers.machinePools.nodeVolumeDetachTimeout",
    "spec.workers.machinePools.template.metadata",
];

/// The most reads of one evaluation, those past the cache included: twice what the longest way takes, with room for kinds
/// that are asked for in two versions. A host refuses an evaluation that takes too long, and a module has no clock.
pub const MOST_READS: usize = 16;

/// What is asked on one way from an object to its parent.
#[derive(Debug)]
pub struct Route {
    /// The kind under review, in the page's words.
    pub of: &'static str,
    /// When this way is taken.
    pub when: &'static str,
    /// The gets, in order. Another get of the Cluster follows when something would be changed and it was not read, and
    /// when a guard would find something: a paused Cluster is under maintenance.
    pub gets: &'static [(&'static str, &'static [&'static str])],
}

/// Every way from an object under review to the objects above it. README prints it; the corpus is held to it.
#[rustfmt::skip]
pub const ROUTES: &[Route] = &[
    Route { of: "ControlPlane",      when: "label topology.cluster.x-k8s.io/owned", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS)] },
    Route { of: "ControlPlane",      when: "the same, created, or a key of its own changed", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS), ("ControlPlaneTemplate", CONTROL_PLANE_TEMPLATE_MASKS)] },
    Route { of: "MachineDeployment", when: "label topology.cluster.x-k8s.io/owned", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS)] },
    Route { of: "MachinePool",       when: "label topology.cluster.x-k8s.io/owned", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS)] },
    Route { of: "ControlPlane",      when: "label topology.cluster.x-k8s.io/owned, and an edit that may replace Machines", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS), ("Cluster", TOPOLOGY_VALUE_MASKS)] },
    Route { of: "MachineDeployment", when: "label topology.cluster.x-k8s.io/owned, and an edit that may replace Machines", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS), ("Cluster", TOPOLOGY_VALUE_MASKS)] },
    Route { of: "MachinePool",       when: "label topology.cluster.x-k8s.io/owned, and an edit that may replace Machines", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS), ("Cluster", TOPOLOGY_VALUE_MASKS)] },
    Route { of: "MachineSet",        when: "owned by a MachineDeployment", gets: &[("MachineDeployment", TEMPLATE_MASKS)] },
    Route { of: "Machine",           when: "owned by a MachineSet",        gets: &[("MachineSet", TEMPLATE_MASKS)] },
    Route { of: "Machine",           when: "owned by a MachinePool",       gets: &[("MachinePool", TEMPLATE_MASKS)] },
    Route { of: "Machine",           when: "owned by a control plane",     gets: &[("ControlPlane", CONTROL_PLANE_MASKS)] },
    Route { of: "Machine",           when: "moved to another MachineSet for an update in place, by a service account", gets: &[("MachineSet", TEMPLATE_MASKS), ("Cluster", CLUSTER_MASKS), ("MachineSet", TEMPLATE_MASKS)] },
    Route { of: "MachineDeployment", when: "its selector changes",         gets: &[("Cluster", CLUSTER_MASKS)] },
    Route { of: "MachineSet",        when: "new labels name an owner that no ownerReference does, or its selector changes", gets: &[("Cluster", CLUSTER_MASKS)] },
    Route { of: "Machine",           when: "new labels name an owner or a control plane, and no ownerReference does, or its owner is lost", gets: &[("Cluster", CLUSTER_MASKS)] },
    Route { of: "InfraMachine, BootstrapConfig", when: "owned by a MachineSet",    gets: &[("MachineSet", TEMPLATE_MASKS)] },
    Route { of: "InfraMachine, BootstrapConfig", when: "owned by a control plane", gets: &[("ControlPlane", CONTROL_PLANE_MASKS)] },
    Route { of: "InfraMachine, BootstrapConfig", when: "owned by a Machine of a MachineSet",    gets: &[("Machine", MACHINE_MASKS), ("MachineSet", TEMPLATE_MASKS)] },
    Route { of: "InfraMachine, BootstrapConfig", when: "owned by a Machine of a control plane", gets: &[("Machine", MACHINE_MASKS), ("ControlPlane", CONTROL_PLANE_MASKS)] },
    Route { of: "InfraMachine, BootstrapConfig", when: "owned by a Machine that nobody controls, with optIn.machineToInfra", gets: &[("Machine", MACHINE_MASKS)] },
    Route { of: "Node",              when: "annotation cluster.x-k8s.io/machine", gets: &[("Machine", NODE_MACHINE_MASKS)] },
    Route { of: "InfraCluster",      when: "its kind is in `clusterApi.cloudTags`", gets: &[("Cluster", CLUSTER_MASKS)] },
    Route { of: "InfraCluster",      when: "the same, `cloudTags.registry` and a label of the Cluster", gets: &[("Cluster", CLUSTER_MASKS), ("LabelRegistry", REGISTRY_MASKS)] },
    Route { of: "LabelRegistry",     when: "one of several in `cloudTags.registry`", gets: &[("LabelRegistry", REGISTRY_MASKS)] },
    Route { of: "Composite",         when: "`cloudTags.registry` and a label", gets: &[("LabelRegistry", REGISTRY_MASKS)] },
];
