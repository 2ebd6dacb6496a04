//! API groups, and whether Machines may be made from their objects.

use fleet::ObjectId;

/// Groups whose objects make no Machines; `*.` stands for any beginning.
///
/// Sources: the API reference of Kubernetes v1.34; the definitions (CRDs) in the repositories of the named projects.
#[rustfmt::skip]
const HARMLESS: &[(&str, &[&str])] = &[
    ("kubernetes/kubernetes", &[
        "", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "apps",
        "authentication.k8s.io", "authorization.k8s.io", "autoscaling", "batch", "certificates.k8s.io",
        "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "extensions", "flowcontrol.apiserver.k8s.io",
        "internal.apiserver.k8s.io", "networking.k8s.io", "node.k8s.io", "policy", "rbac.authorization.k8s.io",
        "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io", "storagemigration.k8s.io",
    ]),
    ("kubernetes-sigs/gateway-api, network-policy-api", &[
        "gateway.networking.k8s.io", "*.gateway.networking.k8s.io", "policy.networking.k8s.io",
    ]),
    ("kubernetes-csi/external-snapshotter", &["snapshot.storage.k8s.io", "groupsnapshot.storage.k8s.io"]),
    ("kubernetes/autoscaler: VerticalPodAutoscaler", &["autoscaling.k8s.io"]),
    ("kubernetes-sigs/metrics-server, external-dns, node-feature-discovery", &[
        "metrics.k8s.io", "externaldns.k8s.io", "nfd.k8s-sigs.io",
    ]),
    ("kubernetes-sigs/cluster-api-addon-provider-helm: Helm charts in clusters", &["addons.cluster.x-k8s.io"]),
    ("cert-manager/cert-manager, trust-manager, approver-policy", &["cert-manager.io", "*.cert-manager.io"]),
    ("prometheus-operator, VictoriaMetrics/operator, grafana-operator", &[
        "monitoring.coreos.com", "monitoring.rhobs", "operator.victoriametrics.com", "grafana.integreatly.org",
    ]),
    ("grafana: loki, tempo, mimir operators; opentelemetry-operator; jaeger-operator", &[
        "*.grafana.com", "opentelemetry.io", "jaegertracing.io",
    ]),
    ("kube-logging/logging-operator, fluent-operator, banzaicloud", &[
        "logging.banzaicloud.io", "fluentbit.fluent.io", "fluentd.fluent.io",
    ]),
    ("istio/istio, linkerd/linkerd2", &["*.istio.io", "*.linkerd.io"]),
    ("traefik/traefik, projectcontour, kong, envoyproxy/gateway, kgateway, nginx", &[
        "traefik.io", "traefik.containo.us", "projectcontour.io", "*.konghq.com", "gateway.envoyproxy.io",
        "gateway.kgateway.dev", "k8s.nginx.org", "gateway.nginx.org",
    ]),
    ("external-secrets, sealed-secrets, secrets-store-csi-driver, vault-secrets-operator, 1Password", &[
        "external-secrets.io", "generators.external-secrets.io", "bitnami.com", "secrets-store.csi.x-k8s.io",
        "secrets.hashicorp.com", "onepassword.com",
    ]),
    ("cilium, projectcalico, metallb, kube-ovn, multus", &[
        "cilium.io", "projectcalico.org", "crd.projectcalico.org", "operator.tigera.io", "metallb.io", "kubeovn.io",
        "k8s.cni.cncf.io", "isovalent.com",
    ]),
    ("kyverno, gatekeeper, kubewarden, policy reports", &[
        "kyverno.io", "*.kyverno.io", "*.gatekeeper.sh", "policies.kubewarden.io", "wgpolicyk8s.io",
        "reports.x-k8s.io",
    ]),
    ("velero, longhorn, rook, openebs, k8up, volsync", &[
        "velero.io", "longhorn.io", "ceph.rook.io", "objectbucket.io", "openebs.io", "*.openebs.io", "k8up.io",
        "volsync.backube",
    ]),
    ("cloudnative-pg, strimzi, mariadb, redis and other databases in Pods", &[
        "postgresql.cnpg.io", "barmancloud.cnpg.io", "kafka.strimzi.io", "core.strimzi.io", "k8s.mariadb.com",
        "acid.zalan.do", "redis.redis.opstreelabs.in", "dragonflydb.io", "mongodbcommunity.mongodb.com",
        "elasticsearch.k8s.elastic.co", "kibana.k8s.elastic.co",
    ]),
    ("knative, kedacore/keda, tektoncd, argoproj: projects, workflows, rollouts and events", &[
        "*.knative.dev", "keda.sh", "eventing.keda.sh", "tekton.dev", "*.tekton.dev", "argoproj.io",
    ]),
    ("fluxcd: notification and image controllers", &["notification.toolkit.fluxcd.io", "image.toolkit.fluxcd.io"]),
    ("actions-runner-controller, minio/operator, rabbitmq/cluster-operator, tailscale, fluxcd/flagger, chaos-mesh", &[
        "actions.github.com", "minio.min.io", "rabbitmq.com", "tailscale.com", "flagger.app", "chaos-mesh.org",
    ]),
    ("kubernetes-sigs/mcs-api, Kuadrant, kubevirt/containerized-data-importer, rbac-manager", &[
        "multicluster.x-k8s.io", "kuadrant.io", "cdi.kubevirt.io", "rbacmanager.reactiveops.io",
    ]),
    ("dexidp/dex, keycloak/keycloak", &["dex.coreos.com", "k8s.keycloak.org"]),
    ("aquasecurity/trivy-operator, falco, kubescape, tetragon", &[
        "aquasecurity.github.io", "falco.org", "spdx.softwarecomposition.kubescape.io",
    ]),
    ("NVIDIA/gpu-operator, Mellanox/network-operator, sriov-network-operator, ROCm/gpu-operator", &[
        "nvidia.com", "mellanox.com", "sriovnetwork.openshift.io", "k8s.amdgpu.io",
    ]),
    ("crossplane: packages; managed resources of providers, which are no Machines of Cluster API", &[
        "pkg.crossplane.io", "secrets.crossplane.io", "*.upbound.io", "*.crossplane.io",
    ]),
];

/// Groups whose objects make Machines or Clusters, and what does it.
///
/// Sources: the API references of the named projects.
const MAKERS: &[(&str, &str)] = &[
    ("anywhere.eks.amazonaws.com", "EKS Anywhere makes Machines"),
    ("azimuth.stackhpc.com", "Azimuth makes Clusters"),
    ("apps.open-cluster-management.io", "Open Cluster Management applies others"),
    ("policy.open-cluster-management.io", "Open Cluster Management applies others"),
    ("config.projectsveltos.io", "Sveltos applies others"),
    ("config.porch.kpt.dev", "porch renders packages"),
    ("deckhouse.io", "Deckhouse makes Machines"),
    ("application.giantswarm.io", "Giant Swarm's app operator applies Helm charts"),
    ("k0rdent.mirantis.com", "k0rdent makes Clusters"),
    ("hmc.mirantis.com", "k0rdent makes Clusters"),
    ("kubermatic.k8c.io", "Kubermatic makes Clusters"),
    ("hypershift.openshift.io", "HyperShift makes Clusters"),
    ("provisioning.cattle.io", "Rancher makes Clusters"),
    ("run.tanzu.vmware.com", "Tanzu makes Clusters"),
    ("hive.openshift.io", "Hive makes Clusters"),
    ("machine.openshift.io", "OpenShift makes Machines"),
    ("rke-machine-config.cattle.io", "Rancher makes Machines"),
    ("rke.cattle.io", "Rancher makes Machines"),
    ("management.cattle.io", "Rancher makes Clusters"),
    ("karpenter.sh", "Karpenter makes Nodes"),
    ("karpenter.k8s.aws", "Karpenter makes Nodes"),
];

/// What is known of the objects of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroupKnowledge {
    Harmless,
    Maker(&'static str),
    Unknown,
}

/// What is known of a group; those of `named` are harmless.
pub(crate) fn knowledge(id: &ObjectId, named: &[String]) -> GroupKnowledge {
    let is = |pattern: &str| match pattern.strip_prefix("*.") {
        Some(domain) => id.group.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
        None => pattern == id.group,
    };
    if let Some((_, what)) = MAKERS.iter().find(|(group, _)| *group == id.group) {
        return if named.iter().any(|group| is(group)) {
            GroupKnowledge::Harmless
        } else {
            GroupKnowledge::Maker(what)
        };
    }
    let known = HARMLESS.iter().flat_map(|(_, groups)| groups.iter().copied());
    let is_harmless = known.chain(named.iter().map(String::as_str)).any(is);
    if is_harmless { GroupKnowledge::Harmless } else { GroupKnowledge::Unknown }
}

/// Whether Machines or Clusters are known to be made from objects of the group.
pub(crate) fn is_maker(id: &ObjectId) -> bool {
    matches!(knowledge(id, &[]), GroupKnowledge::Maker(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_harmless_only_if_it_is_listed_or_named() {
        let of = |group: &str| knowledge(&ObjectId::new(group, "Kind", "", "a"), &["*.acme.example".to_owned()]);
        for (group, expected) in [
            ("apps", GroupKnowledge::Harmless),
            ("security.istio.io", GroupKnowledge::Harmless),
            ("istio.io.example", GroupKnowledge::Unknown),
            ("fleet.acme.example", GroupKnowledge::Harmless),
            ("anywhere.eks.amazonaws.com", GroupKnowledge::Maker("EKS Anywhere makes Machines")),
            ("teutonet.teuto.net", GroupKnowledge::Unknown),
        ] {
            assert_eq!(of(group), expected, "{group}");
        }
    }

    #[test]
    fn no_group_is_in_both_tables() {
        for (group, _) in MAKERS {
            assert!(!HARMLESS.iter().any(|(_, groups)| groups.contains(group)), "{group}");
        }
    }
}
