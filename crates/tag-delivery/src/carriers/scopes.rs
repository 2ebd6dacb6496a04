//! Whether objects of a kind have a namespace.

use super::{other_object, provider_and_service, tags_of_kind};

/// Kinds of Kubernetes and its custom resources without a namespace, that Compositions compose.
///
/// Source: k8s.io/api, the types with `+genclient:nonNamespaced`; crossplane/crossplane, apis/protection/v1beta1.
#[rustfmt::skip]
const CLUSTER_SCOPED: &[(&str, &[&str])] = &[
    ("", &["Namespace", "Node", "PersistentVolume"]),
    ("admissionregistration.k8s.io", &[
        "MutatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    ]),
    ("apiextensions.k8s.io", &["CustomResourceDefinition"]),
    ("apiregistration.k8s.io", &["APIService"]),
    ("certificates.k8s.io", &["CertificateSigningRequest"]),
    ("gateway.networking.k8s.io", &["GatewayClass"]),
    ("networking.k8s.io", &["IngressClass"]),
    ("node.k8s.io", &["RuntimeClass"]),
    ("protection.crossplane.io", &["ClusterUsage"]),
    ("rbac.authorization.k8s.io", &["ClusterRole", "ClusterRoleBinding"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
    ("snapshot.storage.k8s.io", &["VolumeSnapshotClass", "VolumeSnapshotContent"]),
    ("storage.k8s.io", &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"]),
];

/// Whether objects of a kind have a namespace; `None` if it is not known. Of managed resources, those of a group with
/// `.m.` do.
///
/// ```
/// use tag_delivery::carriers::is_namespaced;
///
/// assert_eq!(is_namespaced("s3.aws.upbound.io", "Bucket"), Some(false));
/// assert_eq!(is_namespaced("s3.aws.m.upbound.io", "Bucket"), Some(true));
/// assert_eq!(is_namespaced("", "Namespace"), Some(false));
/// assert_eq!(is_namespaced("acme.example.org", "Thing"), None);
/// ```
pub fn is_namespaced(group: &str, kind: &str) -> Option<bool> {
    if CLUSTER_SCOPED.iter().any(|(of, kinds)| *of == group && kinds.contains(&kind)) {
        return Some(false);
    }
    if tags_of_kind(group, kind).is_some() {
        return provider_and_service(group).map(|(provider, _)| !group.ends_with(provider.group));
    }
    let is_managed = group.ends_with(".crossplane.io") && other_object(group, kind).is_some();
    let is_of_provider = is_managed && ["Object", "Release"].contains(&kind);
    is_of_provider.then(|| group.contains(".m."))
}
