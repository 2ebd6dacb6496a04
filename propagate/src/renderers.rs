//! Objects that a controller renders, fetches or applies others from.

use fleet::ObjectId;

/// Kinds whose objects other manifests are rendered, fetched or applied from, by group; of the last ones a provider and its
/// controllers.
///
/// Sources: the API references of Flux, Argo CD, Rancher Fleet, k3s' Helm controller, Flux Operator, kro, Cluster API Operator,
/// Rancher Turtles, kapp-controller, Open Cluster Management, Crossplane's providers for Kubernetes and Helm, Cluster Stacks; of
/// what makes Clusters of Cluster API: Rancher, k0rdent, HyperShift, EKS Anywhere and Tanzu.
const RENDERERS: &[(&str, &[&str])] = &[
    ("anywhere.eks.amazonaws.com", &["Cluster"]),
    ("argoproj.io", &["Application", "ApplicationSet"]),
    ("clusterstack.x-k8s.io", &["ClusterStack", "ClusterStackRelease"]),
    ("fleet.cattle.io", &["Bundle", "GitRepo", "HelmOp"]),
    ("fluxcd.controlplane.io", &["FluxInstance", "ResourceSet", "ResourceSetInputProvider"]),
    ("helm.cattle.io", &["HelmChart", "HelmChartConfig"]),
    ("helm.toolkit.fluxcd.io", &["HelmRelease"]),
    ("helm.crossplane.io", &["Release"]),
    ("hypershift.openshift.io", &["HostedCluster", "NodePool"]),
    ("k0rdent.mirantis.com", &["ClusterDeployment", "ClusterTemplate", "MultiClusterService"]),
    ("kappctrl.k14s.io", &["App"]),
    ("kro.run", &["ResourceGraphDefinition"]),
    ("kubernetes.crossplane.io", &["Object"]),
    ("kubernetes.m.crossplane.io", &["Object"]),
    ("kustomize.toolkit.fluxcd.io", &["Kustomization"]),
    ("packaging.carvel.dev", &["PackageInstall"]),
    ("provisioning.cattle.io", &["Cluster"]),
    ("run.tanzu.vmware.com", &["TanzuKubernetesCluster"]),
    (
        "source.toolkit.fluxcd.io",
        &["Bucket", "ExternalArtifact", "GitRepository", "HelmChart", "HelmRepository", "OCIRepository"],
    ),
    (
        "operator.cluster.x-k8s.io",
        &["BootstrapProvider", "ControlPlaneProvider", "CoreProvider", "InfrastructureProvider"],
    ),
    ("work.open-cluster-management.io", &["ManifestWork", "ManifestWorkReplicaSet"]),
    ("turtles-capi.cattle.io", &["CAPIProvider"]),
];

/// Whether other manifests are rendered or applied from objects of this kind.
pub(crate) fn is_renderer(id: &ObjectId) -> bool {
    RENDERERS.iter().any(|(group, kinds)| *group == id.group && kinds.contains(&&*id.kind))
}
