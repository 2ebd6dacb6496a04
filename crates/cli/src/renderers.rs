//! Objects that a controller renders, fetches or applies others from.

use fleet::ObjectId;

/// Kinds whose objects other manifests are rendered, fetched or applied from, by group; of the last ones a provider and its
/// controllers.
///
/// Sources: the API references of Flux, Argo CD, Rancher Fleet, k3s' Helm controller, Flux Operator, kro, Cluster API Operator
/// and Rancher Turtles.
const RENDERERS: &[(&str, &[&str])] = &[
    ("argoproj.io", &["Application", "ApplicationSet"]),
    ("fleet.cattle.io", &["Bundle", "GitRepo", "HelmOp"]),
    ("fluxcd.controlplane.io", &["ResourceSet", "ResourceSetInputProvider"]),
    ("helm.cattle.io", &["HelmChart", "HelmChartConfig"]),
    ("helm.toolkit.fluxcd.io", &["HelmRelease"]),
    ("kro.run", &["ResourceGraphDefinition"]),
    ("kustomize.toolkit.fluxcd.io", &["Kustomization"]),
    (
        "source.toolkit.fluxcd.io",
        &["Bucket", "ExternalArtifact", "GitRepository", "HelmChart", "HelmRepository", "OCIRepository"],
    ),
    (
        "operator.cluster.x-k8s.io",
        &["BootstrapProvider", "ControlPlaneProvider", "CoreProvider", "InfrastructureProvider"],
    ),
    ("turtles-capi.cattle.io", &["CAPIProvider"]),
];

/// Whether other manifests are rendered or applied from objects of this kind.
pub(crate) fn is_renderer(id: &ObjectId) -> bool {
    RENDERERS.iter().any(|(group, kinds)| *group == id.group && kinds.contains(&&*id.kind))
}
