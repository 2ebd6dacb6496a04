//! Annotations that are almost those of Cluster API or cluster-autoscaler.

use metadata_propagation::cluster_api::CORE_GROUP;
use topology::VisitedPath;

use crate::object::FleetObject;
use crate::object_finding::{FindingLevel, MISSPELLED, ObjectFinding};
use crate::propagation_path::blocks;

/// Annotations of Cluster API and cluster-autoscaler; of a key that ends with `/`, users choose the name.
///
/// Sources: the annotations in core/v1beta2, controlplane/kubeadm/v1beta2 and runtime of Cluster API's API module v1.14;
/// kubernetes/autoscaler, cluster-autoscaler/cloudprovider/clusterapi: clusterapi_utils.go, clusterapi_nodegroup.go, with the
/// names of options in config/const.go.
const KNOWN: &[&str] = &[
    "before-upgrade.hook.cluster.cluster.x-k8s.io/",
    "capacity.cluster-autoscaler.kubernetes.io/cpu",
    "capacity.cluster-autoscaler.kubernetes.io/csi-driver",
    "capacity.cluster-autoscaler.kubernetes.io/ephemeral-disk",
    "capacity.cluster-autoscaler.kubernetes.io/gpu-count",
    "capacity.cluster-autoscaler.kubernetes.io/gpu-type",
    "capacity.cluster-autoscaler.kubernetes.io/labels",
    "capacity.cluster-autoscaler.kubernetes.io/maxPods",
    "capacity.cluster-autoscaler.kubernetes.io/memory",
    "capacity.cluster-autoscaler.kubernetes.io/taints",
    "cluster.k8s.io/cluster-api-autoscaler-node-group-max-size",
    "cluster.k8s.io/cluster-api-autoscaler-node-group-min-size",
    "cluster.x-k8s.io/annotations-from-machine",
    "cluster.x-k8s.io/autoscaling-options-ignoredaemonsetsutilization",
    "cluster.x-k8s.io/autoscaling-options-maxnodeprovisiontime",
    "cluster.x-k8s.io/autoscaling-options-maxnodestartuptime",
    "cluster.x-k8s.io/autoscaling-options-scaledowngpuutilizationthreshold",
    "cluster.x-k8s.io/autoscaling-options-scaledownunneededtime",
    "cluster.x-k8s.io/autoscaling-options-scaledownunreadytime",
    "cluster.x-k8s.io/autoscaling-options-scaledownutilizationthreshold",
    "cluster.x-k8s.io/cloned-from-groupkind",
    "cluster.x-k8s.io/cloned-from-name",
    "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size",
    "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size",
    "cluster.x-k8s.io/cluster-name",
    "cluster.x-k8s.io/cluster-namespace",
    "cluster.x-k8s.io/conversion-data",
    "cluster.x-k8s.io/delete-machine",
    "cluster.x-k8s.io/disable-machine-create",
    "cluster.x-k8s.io/labels-from-machine",
    "cluster.x-k8s.io/machine",
    "cluster.x-k8s.io/managed-by",
    "cluster.x-k8s.io/owner-kind",
    "cluster.x-k8s.io/owner-name",
    "cluster.x-k8s.io/paused",
    "cluster.x-k8s.io/remediate-machine",
    "cluster.x-k8s.io/replicas-managed-by",
    "cluster.x-k8s.io/skip-remediation",
    "cluster.x-k8s.io/taints-from-machine",
    "controlplane.cluster.x-k8s.io/kubeadm-cluster-configuration",
    "controlplane.cluster.x-k8s.io/remediation-for",
    "controlplane.cluster.x-k8s.io/remediation-in-progress",
    "controlplane.cluster.x-k8s.io/skip-coredns",
    "controlplane.cluster.x-k8s.io/skip-kube-proxy",
    "machine.cluster.x-k8s.io/certificates-expiry",
    "machine.cluster.x-k8s.io/exclude-node-draining",
    "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach",
    "machinedeployment.clusters.x-k8s.io/desired-replicas",
    "machinedeployment.clusters.x-k8s.io/max-replicas",
    "machinedeployment.clusters.x-k8s.io/revision",
    "machinedeployment.clusters.x-k8s.io/revision-history",
    "machineset.cluster.x-k8s.io/skip-preflight-checks",
    "pre-drain.delete.hook.machine.cluster.x-k8s.io/",
    "pre-terminate.delete.hook.machine.cluster.x-k8s.io/",
    "runtime.cluster.x-k8s.io/inject-ca-from-secret",
    "runtime.cluster.x-k8s.io/ok-to-delete",
    "runtime.cluster.x-k8s.io/pending-hooks",
    "topology.cluster.x-k8s.io/defer-upgrade",
    "topology.cluster.x-k8s.io/dry-run",
    "topology.cluster.x-k8s.io/hold-upgrade-sequence",
    "topology.cluster.x-k8s.io/upgrade-concurrency",
    "unsafe.topology.cluster.x-k8s.io/disable-update-class-name-check",
    "unsafe.topology.cluster.x-k8s.io/disable-update-version-check",
];

/// The most letters in which a key differs from the one that is meant.
const TYPOS: usize = 2;

/// The shortest name for which another domain is a mistake: short ones are names of others, too.
const DISTINCT: usize = 12;

/// The annotation that was probably meant by one that is none of Cluster API and cluster-autoscaler.
///
/// ```
/// let key = "cluster.x-k8s.io/cluster-api-autoscaler-nodegroup-min-size";
/// let meant = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
/// assert_eq!(fleet::meant_annotation(key), Some(meant.to_owned()));
/// assert_eq!(fleet::meant_annotation("cluster.x-k8s.io/our-own"), None);
/// ```
#[must_use]
pub fn meant_annotation(key: &str) -> Option<String> {
    // Of other domains nothing is close.
    let (domain, name) =
        key.split_once('/').filter(|(domain, _)| domain.contains("cluster") || domain.contains("x-k8"))?;
    let whole = |known: &str| known.strip_suffix('/').map_or_else(|| known.to_owned(), |of| format!("{of}/{name}"));
    if KNOWN.iter().any(|known| whole(known) == key) || domain == "node.cluster.x-k8s.io" {
        return None;
    }
    let is_ours = domain == CORE_GROUP || domain.ends_with(&format!(".{CORE_GROUP}"));
    let distance = |known: &str| {
        let meant = whole(known);
        let is_moved = is_ours && name.len() >= DISTINCT && meant.split_once('/').is_some_and(|(_, of)| of == name);
        let typos = strsim::damerau_levenshtein(&plain(key), &plain(&meant));
        let typos = if is_moved && !known.ends_with('/') { 0 } else { typos };
        (typos <= TYPOS).then_some((typos, meant))
    };
    KNOWN.iter().filter_map(|known| distance(known)).min().map(|(_, meant)| meant)
}

/// A key without what is easily written otherwise.
fn plain(key: &str) -> String {
    key.to_lowercase().replace(['-', '_'], "")
}

/// The findings about the annotations of an object, and of those that it describes.
pub(crate) fn misspelled(object: &FleetObject) -> Vec<ObjectFinding> {
    if !object.id.is_cluster_api() || !object.json.contains("\"annotations\"") {
        return Vec::new();
    }
    let value = object.value();
    let mut maps = Vec::new();
    blocks(&value, VisitedPath::Value(&[]), &mut maps);
    let annotations = maps.iter().filter(|(at, _)| at.field() == Some("annotations"));
    annotations.flat_map(|(at, keys)| keys.keys().filter_map(|key| finding(key, &at.to_string()))).collect()
}

fn finding(key: &str, at: &str) -> Option<ObjectFinding> {
    let meant = meant_annotation(key)?;
    let message = format!("annotation `{key}` is none of Cluster API or cluster-autoscaler; did you mean `{meant}`?");
    let found = ObjectFinding::new(FindingLevel::Note, MISSPELLED, at, message);
    Some(ObjectFinding { keys: vec![key.to_owned()], ..found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_misspelled_if_a_known_one_is_close() {
        for (key, expected) in [
            (
                "cluster.x-k8s.io/cluster-api-autoscaler-nodegroup-min-size",
                Some("cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size"),
            ),
            ("cluster.x-k8.io/paused", Some("cluster.x-k8s.io/paused")),
            (
                "capacity.cluster-autoscaler.kubernetes.io/max-pods",
                Some("capacity.cluster-autoscaler.kubernetes.io/maxPods"),
            ),
            ("cluster.x-k8s.io/skip-coredns", Some("controlplane.cluster.x-k8s.io/skip-coredns")),
            (
                "pre-drain.delete.hooks.machine.cluster.x-k8s.io/backup",
                Some("pre-drain.delete.hook.machine.cluster.x-k8s.io/backup"),
            ),
            ("pre-drain.delete.hook.machine.cluster.x-k8s.io/backup", None),
            ("cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size", None),
            ("cluster.k8s.io/cluster-api-autoscaler-node-group-min-size", None),
            ("infrastructure.cluster.x-k8s.io/paused-at", None),
            ("node.cluster.x-k8s.io/paused", None),
            ("example.com/skip-coredns", None),
            ("team", None),
        ] {
            assert_eq!(meant_annotation(key).as_deref(), expected, "{key}");
        }
    }
}
