//! Which kinds are read, in which versions, and for which objects under review.

use cloud_tags::registry::REGISTRY_MASKS;
use cloud_tags::{LABEL_MASKS, PARENT_MASKS};
use cluster_api::catalog::{
    CLASS_MASKS, CLUSTER_MASKS, CONTROL_PLANE_MASKS, CONTROL_PLANE_TEMPLATE_MASKS, INFRASTRUCTURE_MASKS, MACHINE_MASKS,
    NODE_MACHINE_MASKS, TEMPLATE_MASKS, TOPOLOGY_MASKS, TOPOLOGY_VALUE_MASKS,
};
use kubernetes::Masks;
use tag_rules::keys::LABELS;

/// The kinds whose objects the policy may read: `contextAwareResources` in policy-metadata.yml, which a test compares.
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
    // Control planes of other providers. Versions: their CRDs as served by cluster-api-provider-rke2, cluster-api-k3s,
    // k0smotron.
    grant("K0sControlPlane",             "controlplane.cluster.x-k8s.io", &["v1beta2", "v1beta1"]),
    grant("KThreesControlPlane",         "controlplane.cluster.x-k8s.io", &["v1beta2", "v1beta1"]),
    grant("RKE2ControlPlane",            "controlplane.cluster.x-k8s.io", &["v1beta2", "v1beta1"]),
    grant("LabelRegistry",               LABELS,                          &["v1alpha1"]),
    // The labels of a composite's Namespace.
    grant("Namespace",                   "",                              &["v1"]),
];

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

/// What is read on one route from an object to its parent.
#[derive(Debug)]
pub struct Route {
    /// The kind under review, as the page names it.
    pub of: &'static str,
    /// When this route is taken.
    pub when: &'static str,
    /// The reads, in order. The Cluster is read last if it was not read yet and something would be changed or a guard
    /// would find something: a paused Cluster is under maintenance.
    pub gets: &'static [(&'static str, Masks)],
}

/// Every route from an object under review to the objects above it. README prints it; the corpus is checked against it.
#[rustfmt::skip]
pub const ROUTES: &[Route] = &[
    Route { of: "ControlPlane",      when: "label topology.cluster.x-k8s.io/owned", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS)] },
    Route { of: "ControlPlane",      when: "the same, created, or a key of its own changed", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS), ("ControlPlaneTemplate", CONTROL_PLANE_TEMPLATE_MASKS)] },
    Route { of: "MachineDeployment", when: "label topology.cluster.x-k8s.io/owned", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS)] },
    Route { of: "MachinePool",       when: "label topology.cluster.x-k8s.io/owned", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS)] },
    Route { of: "ControlPlane",      when: "label topology.cluster.x-k8s.io/owned, and an edit that may replace Machines", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS), ("Cluster", TOPOLOGY_VALUE_MASKS)] },
    Route { of: "MachineDeployment", when: "label topology.cluster.x-k8s.io/owned, and an edit that may replace Machines", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS), ("Cluster", TOPOLOGY_VALUE_MASKS)] },
    Route { of: "MachinePool",       when: "label topology.cluster.x-k8s.io/owned, and an edit that may replace Machines", gets: &[("Cluster", TOPOLOGY_MASKS), ("ClusterClass", CLASS_MASKS), ("Cluster", TOPOLOGY_VALUE_MASKS)] },
    Route { of: "Cluster",           when: "an edit that may replace Machines of a worker without a strategy", gets: &[("ClusterClass", CLASS_MASKS)] },
    Route { of: "MachineSet",        when: "owned by a MachineDeployment", gets: &[("MachineDeployment", TEMPLATE_MASKS)] },
    Route { of: "Machine",           when: "owned by a MachineSet",        gets: &[("MachineSet", TEMPLATE_MASKS)] },
    Route { of: "Machine",           when: "owned by a MachinePool",       gets: &[("MachinePool", TEMPLATE_MASKS)] },
    Route { of: "Machine",           when: "owned by a control plane",     gets: &[("ControlPlane", CONTROL_PLANE_MASKS)] },
    Route { of: "Machine",           when: "moved to another MachineSet for an update in place, by a service account", gets: &[("MachineSet", TEMPLATE_MASKS), ("Cluster", CLUSTER_MASKS), ("MachineSet", TEMPLATE_MASKS)] },
    Route { of: "MachineDeployment", when: "its selector changes",         gets: &[("Cluster", CLUSTER_MASKS)] },
    Route { of: "MachineSet",        when: "its selector changes",         gets: &[("Cluster", CLUSTER_MASKS)] },
    Route { of: "MachineSet",        when: "new labels name an owner that no ownerReference does", gets: &[("Cluster", CLUSTER_MASKS), ("MachineDeployment", TEMPLATE_MASKS)] },
    Route { of: "Machine",           when: "new labels name an owner that no ownerReference does, or its owner is lost", gets: &[("Cluster", CLUSTER_MASKS), ("MachineSet", TEMPLATE_MASKS)] },
    Route { of: "InfraMachine, BootstrapConfig", when: "owned by a MachineSet",    gets: &[("MachineSet", TEMPLATE_MASKS)] },
    Route { of: "InfraMachine, BootstrapConfig", when: "owned by a control plane", gets: &[("ControlPlane", CONTROL_PLANE_MASKS)] },
    Route { of: "InfraMachine, BootstrapConfig", when: "owned by a Machine of a MachineSet",    gets: &[("Machine", MACHINE_MASKS), ("MachineSet", TEMPLATE_MASKS)] },
    Route { of: "InfraMachine, BootstrapConfig", when: "owned by a Machine of a control plane", gets: &[("Machine", MACHINE_MASKS), ("ControlPlane", CONTROL_PLANE_MASKS)] },
    Route { of: "InfraMachine, BootstrapConfig", when: "owned by a Machine that nobody controls, with optIn.machineToInfra", gets: &[("Machine", MACHINE_MASKS)] },
    Route { of: "Node",              when: "annotation cluster.x-k8s.io/machine", gets: &[("Machine", NODE_MACHINE_MASKS)] },
    Route { of: "InfraCluster",      when: "its kind is in `clusterApi.cloudTags`", gets: &[("Cluster", INFRASTRUCTURE_MASKS)] },
    Route { of: "InfraCluster",      when: "the same, `cloudTags.registry` and a label of the Cluster", gets: &[("Cluster", INFRASTRUCTURE_MASKS), ("LabelRegistry", REGISTRY_MASKS)] },
    Route { of: "InfraCluster",      when: "the same, `cloudTags.sources` or `belongsTo` with the labels of its Namespace", gets: &[("Cluster", INFRASTRUCTURE_MASKS), ("Namespace", LABEL_MASKS), ("LabelRegistry", REGISTRY_MASKS)] },
    Route { of: "LabelRegistry",     when: "one of several in `cloudTags.registry`", gets: &[("LabelRegistry", REGISTRY_MASKS)] },
    Route { of: "Composite",         when: "`cloudTags.registry` and a label", gets: &[("LabelRegistry", REGISTRY_MASKS)] },
    Route { of: "Composite",         when: "Crossplane composes it, and `lookup.apiVersions` has the kind of its controller", gets: &[("Composite", PARENT_MASKS), ("LabelRegistry", REGISTRY_MASKS)] },
    Route { of: "Composite",         when: "`cloudTags.sources` or `belongsTo` with the labels of its Namespace", gets: &[("Namespace", LABEL_MASKS), ("LabelRegistry", REGISTRY_MASKS)] },
    Route { of: "Composite",         when: "`cloudTags.sources.tenant`", gets: &[("Tenant", LABEL_MASKS), ("LabelRegistry", REGISTRY_MASKS)] },
    Route { of: "Composite",         when: "both", gets: &[("Namespace", LABEL_MASKS), ("Tenant", LABEL_MASKS), ("LabelRegistry", REGISTRY_MASKS)] },
];
