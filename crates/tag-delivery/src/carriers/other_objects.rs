//! What Compositions compose along with managed resources, and what has no cloud tags: it is in no table of carriers.

/// What is known about the tags of an object that no cloud provider manages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherObject {
    /// Kubernetes, Crossplane or a provider reads it, and no cloud has tags for it.
    OfKubernetes,
    /// It makes the objects of manifests in a cluster.
    Manifests,
}

use OtherObject::{Manifests, OfKubernetes};

/// The kinds of API groups; all of them, if none is named.
///
/// Source: k8s.io/api, register.go of each group; crossplane/crossplane, apis; crossplane-runtime, pkg/resource, for the
/// kinds that configure a provider; crossplane-contrib/provider-kubernetes and provider-helm, package/crds.
#[rustfmt::skip]
const OTHER_OBJECTS: &[(&[&str], &[&str], OtherObject)] = &[
    (&[
        "", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "apps", "autoscaling", "batch",
        "certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "flowcontrol.apiserver.k8s.io",
        "gateway.networking.k8s.io", "networking.k8s.io", "node.k8s.io", "policy", "rbac.authorization.k8s.io",
        "resource.k8s.io", "scheduling.k8s.io", "snapshot.storage.k8s.io", "storage.k8s.io",
    ], &[], OfKubernetes),
    (&[
        "apiextensions.crossplane.io", "nop.crossplane.io", "ops.crossplane.io", "pkg.crossplane.io",
        "protection.crossplane.io", "secrets.crossplane.io",
    ], &[], OfKubernetes),
    (&["kubernetes.crossplane.io", "kubernetes.m.crossplane.io"], &["Object", "ObservedObjectCollection"], Manifests),
    (&["helm.crossplane.io", "helm.m.crossplane.io"], &["Release"], Manifests),
];

/// Kinds that configure a provider, in the groups of every provider.
const CONFIGURATION: [&str; 4] = ["ClusterProviderConfig", "ProviderConfig", "ProviderConfigUsage", "StoreConfig"];

/// Groups of providers: the kinds of [`CONFIGURATION`] in other groups may be anything.
const PROVIDERS: [&str; 2] = [".crossplane.io", ".upbound.io"];

/// What is known about a kind that is in no table of carriers; `None` if nothing is.
///
/// ```
/// use tag_delivery::carriers::{OtherObject, other_object};
///
/// assert_eq!(other_object("", "ConfigMap"), Some(OtherObject::OfKubernetes));
/// assert_eq!(other_object("helm.m.crossplane.io", "Release"), Some(OtherObject::Manifests));
/// assert_eq!(other_object("acme.example.org", "ProviderConfig"), None);
/// ```
pub fn other_object(group: &str, kind: &str) -> Option<OtherObject> {
    let is_provider = PROVIDERS.iter().any(|suffix| group.ends_with(suffix));
    if is_provider && CONFIGURATION.contains(&kind) {
        return Some(OfKubernetes);
    }
    let is_row = |(groups, kinds, _): &&(&[&str], &[&str], OtherObject)| {
        groups.contains(&group) && (kinds.is_empty() || kinds.contains(&kind))
    };
    OTHER_OBJECTS.iter().find(is_row).map(|(.., known)| *known)
}
