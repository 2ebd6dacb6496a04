//! Keys that tools set on, or read from, the objects themselves: they describe the object, not Machines.

use super::keys::belongs_to;

/// A domain of keys that a tool sets.
#[derive(Debug)]
pub struct ToolKeys {
    /// Such as `Helm`.
    pub tool: &'static str,
    /// Keys of this domain and of those below it.
    pub domain: &'static str,
    /// Where the tool documents it.
    pub source: &'static str,
}

/// The keys of tools that apply, restore or scale objects. Advising users to set these in a machine template would put
/// chart versions and release names onto Machines and Nodes, and capacities where no autoscaler reads them.
#[rustfmt::skip]
pub const TOOL_KEYS: &[ToolKeys] = &[
    keys("Argo CD",            "argocd.argoproj.io",     "argo-cd.readthedocs.io: Annotations and Labels used by Argo CD; Resource Tracking"),
    keys("Flux",               "toolkit.fluxcd.io",      "fluxcd.io/flux/components: labels of kustomize-controller and helm-controller"),
    keys("Gardener",           "gardener.cloud",         "gardener/gardener: pkg/apis/core/v1beta1/constants/types_constants.go, pkg/apis/resources/v1alpha1"),
    keys("Helm",               "helm.sh",                "helm.sh/docs/chart_best_practices/labels; pkg/action/validate.go for meta.helm.sh"),
    keys("Kustomize",          "config.kubernetes.io",   "kustomize: api/internal/utils/annotations.go, kyaml/kio/kioutil"),
    keys("Kustomize",          "kustomize.config.k8s.io", "kustomize: api/internal/utils/annotations.go"),
    keys("Rancher",            "cattle.io",              "rancher/wrangler: pkg/apply/apply.go for objectset.rio.cattle.io; rancher/turtles: cluster-api.cattle.io"),
    keys("Sveltos",            "projectsveltos.io",      "projectsveltos/libsveltos: lib/deployer/utils.go"),
    keys("Velero",             "velero.io",              "velero.io/docs: Restore Reference, labels of restored objects"),
    keys("cluster-autoscaler", "cluster-autoscaler.kubernetes.io", "kubernetes/autoscaler: cluster-autoscaler/cloudprovider/clusterapi/clusterapi_utils.go"),
    keys("k0rdent",            "k0rdent.mirantis.com",   "k0rdent/kcm: api/v1beta1/common.go, internal/controller/backup"),
    keys("recommended labels", "app.kubernetes.io",      "kubernetes.io/docs/concepts/overview/working-with-objects/common-labels"),
];

const fn keys(tool: &'static str, domain: &'static str, source: &'static str) -> ToolKeys {
    ToolKeys { tool, domain, source }
}

/// Whether a tool sets this key on the objects that it applies.
pub(crate) fn is_set_by_tools(key: &str) -> bool {
    TOOL_KEYS.iter().any(|row| belongs_to(key, row.domain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_tools_are_known_by_their_domain() {
        for (key, expected) in [
            ("app.kubernetes.io/managed-by", true),
            ("argocd.argoproj.io/instance", true),
            ("kustomize.toolkit.fluxcd.io/name", true),
            ("helm.toolkit.fluxcd.io/namespace", true),
            ("helm.sh/chart", true),
            ("meta.helm.sh/release-name", true),
            ("kustomize.config.k8s.io/needs-hash", true),
            ("internal.config.kubernetes.io/index", true),
            ("objectset.rio.cattle.io/hash", true),
            ("velero.io/restore-name", true),
            ("k0rdent.mirantis.com/component", true),
            ("projectsveltos.io/reference-name", true),
            ("resources.gardener.cloud/managed-by", true),
            ("capacity.cluster-autoscaler.kubernetes.io/cpu", true),
            ("autoscaler.kubernetes.io/cpu", false),
            ("kubernetes.io/os", false),
            ("myhelm.sh/chart", false),
            ("app", false),
        ] {
            assert_eq!(is_set_by_tools(key), expected, "{key}");
        }
    }

    #[test]
    fn every_row_has_its_source_and_no_domain_is_there_twice() {
        assert!(TOOL_KEYS.iter().all(|row| !row.tool.is_empty() && !row.source.is_empty()));
        assert!(TOOL_KEYS.is_sorted_by(|a, b| (a.tool, a.domain) < (b.tool, b.domain)));
    }
}
