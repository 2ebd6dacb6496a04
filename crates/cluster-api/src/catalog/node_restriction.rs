//! Labels that a kubelet may set on its own Node.

use crate::catalog::keys::belongs_to;

/// The group of kubelets.
///
/// Source: k8s.io/apiserver, pkg/authentication/user/user.go, `NodesGroup`.
pub(crate) const NODES_GROUP: &str = "system:nodes";

/// Domains in which a kubelet may only set and change [`KUBELET_LABELS`] and what is in [`KUBELET_DOMAINS`].
/// `node-restriction.kubernetes.io` is one of them.
///
/// Source: k8s.io/kubernetes v1.36, plugin/pkg/admission/noderestriction/admission.go, `isKubernetesLabel` and
/// `getForbiddenLabels`.
const KUBERNETES_DOMAINS: &[&str] = &["k8s.io", "kubernetes.io"];

/// Labels of those domains that a kubelet may set.
///
/// Source: k8s.io/kubelet v0.36, pkg/apis/well_known_labels.go, `kubeletLabels`.
const KUBELET_LABELS: &[&str] = &[
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];

/// Domains within them whose labels a kubelet may set.
///
/// Source: like [`KUBELET_LABELS`], `kubeletLabelNamespaces`.
const KUBELET_DOMAINS: &[&str] = &["kubelet.kubernetes.io", "node.kubernetes.io"];

/// Whether the admission plugin NodeRestriction rejects a kubelet's CREATE or UPDATE of its Node because it adds or
/// changes this label.
///
/// Source: like [`KUBERNETES_DOMAINS`], `admitNode`. It also rejects changes of taints, ownerReferences and
/// `spec.configSource`, which this policy does not write on Nodes; annotations are not restricted.
pub fn forbids(label: &str) -> bool {
    let is_in = |domains: &[&str]| domains.iter().any(|domain| belongs_to(label, domain));
    // A key without a slash has no domain.
    label.contains('/') && is_in(KUBERNETES_DOMAINS) && !is_in(KUBELET_DOMAINS) && !KUBELET_LABELS.contains(&label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kubelet_sets_its_own_labels_and_those_of_nobody() {
        for (label, expected) in [
            ("node-restriction.kubernetes.io/secure", true),
            ("my.node-restriction.kubernetes.io/secure", true),
            ("node-role.kubernetes.io/control-plane", true),
            ("kubernetes.io/role", true),
            ("k8s.io/a", true),
            ("a.k8s.io/a", true),
            ("topology.kubernetes.io/rack", true),
            ("beta.kubernetes.io/fluentd-ds-ready", true),
            ("topology.kubernetes.io/zone", false),
            ("kubernetes.io/hostname", false),
            ("beta.kubernetes.io/arch", false),
            ("node.kubernetes.io/anything", false),
            ("my.node.kubernetes.io/anything", false),
            ("my.kubelet.kubernetes.io/anything", false),
            ("xkubernetes.io/a", false),
            ("node.cluster.x-k8s.io/a", false),
            ("kubernetes.io", false),
            ("team", false),
            ("example.com/kubernetes.io", false),
        ] {
            assert_eq!(forbids(label), expected, "{label}");
        }
    }

    #[test]
    fn the_labels_are_sorted() {
        assert!(KUBELET_LABELS.is_sorted_by(|a, b| a < b));
    }
}
