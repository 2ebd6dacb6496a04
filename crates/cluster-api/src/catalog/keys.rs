//! Label and annotation keys that the rules of Cluster API and of cloud tags refer to.

/// Set on practically everything below a Cluster.
pub const CLUSTER_NAME: &str = "cluster.x-k8s.io/cluster-name";
/// Marks what a Cluster's topology generates.
pub const TOPOLOGY_OWNED: &str = "topology.cluster.x-k8s.io/owned";
/// The entry of `spec.topology.workers.machineDeployments` that a MachineDeployment is created for.
pub const TOPOLOGY_DEPLOYMENT_NAME: &str = "topology.cluster.x-k8s.io/deployment-name";
/// The entry of `spec.topology.workers.machinePools` that a MachinePool is created for.
pub const TOPOLOGY_POOL_NAME: &str = "topology.cluster.x-k8s.io/pool-name";
/// The MachineDeployment above a MachineSet, and above its Machines.
pub(crate) const DEPLOYMENT_NAME: &str = "cluster.x-k8s.io/deployment-name";
/// The MachineSet above a Machine, formatted.
pub(crate) const SET_NAME: &str = "cluster.x-k8s.io/set-name";
/// The MachinePool above a Machine, formatted.
pub(crate) const POOL_NAME: &str = "cluster.x-k8s.io/pool-name";
/// Marks control-plane Machines.
pub(crate) const CONTROL_PLANE: &str = "cluster.x-k8s.io/control-plane";
/// The KubeadmControlPlane above a Machine, formatted.
pub(crate) const CONTROL_PLANE_NAME: &str = "cluster.x-k8s.io/control-plane-name";
/// Labels that control-plane providers set on their Machines themselves, each with its own values.
///
/// Source: cluster-api-k3s, pkg/k3s/control_plane.go, `ControlPlaneLabelsForCluster`; cluster-api-provider-rke2,
/// controlplane/internal/controllers/scale.go, `ControlPlaneMachineLabelsForCluster`; k0smotron,
/// internal/controller/controlplane/util.go, `controlPlaneCommonLabelsForCluster`.
pub(crate) const OF_CONTROL_PLANE_PROVIDER: &[&str] = &[CONTROL_PLANE, CONTROL_PLANE_NAME];
/// The template revision of a MachineSet. Opaque: read back, never computed.
pub(crate) const TEMPLATE_HASH: &str = "machine-template-hash";

/// Labels with this prefix propagate to Nodes.
pub(crate) const NODE_ROLE: &str = "node-role.kubernetes.io";
/// Labels of this domain propagate to Nodes.
pub(crate) const NODE_RESTRICTION: &str = "node-restriction.kubernetes.io";
/// Labels and annotations of this domain propagate to Nodes.
pub(crate) const NODE_DOMAIN: &str = "node.cluster.x-k8s.io";

/// On a clone: the template it was made from.
pub(crate) const CLONED_FROM_NAME: &str = "cluster.x-k8s.io/cloned-from-name";
/// On a clone: kind and group of the template it was made from.
pub(crate) const CLONED_FROM_GROUP_KIND: &str = "cluster.x-k8s.io/cloned-from-groupkind";
/// Delays the deletion of a control-plane Machine until its etcd member is removed.
pub(crate) const KCP_CLEANUP: &str = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup";

/// Tells MachineHealthChecks to have one Machine replaced.
pub(crate) const REMEDIATE_MACHINE: &str = "cluster.x-k8s.io/remediate-machine";
/// Makes one Machine the first to be deleted when its owner scales down.
pub(crate) const DELETE_MACHINE: &str = "cluster.x-k8s.io/delete-machine";
/// Which of several managers reconciles an object.
pub(crate) const WATCH_FILTER: &str = "cluster.x-k8s.io/watch-filter";

/// Pauses an object by its presence, whatever the value.
pub const PAUSED: &str = "cluster.x-k8s.io/paused";
/// On a Node: its Machine.
pub const NODE_MACHINE: &str = "cluster.x-k8s.io/machine";
/// On a Node: the namespace of its Machine.
pub const NODE_CLUSTER_NAMESPACE: &str = "cluster.x-k8s.io/cluster-namespace";

/// On a Node: which labels the Machine controller set from the Machine, sorted, with commas between them.
///
/// Source: core/reconcilers/machine/machine_controller_noderef.go, `patchNode`.
pub(crate) const LABELS_FROM_MACHINE: &str = "cluster.x-k8s.io/labels-from-machine";
/// The same for annotations.
pub(crate) const ANNOTATIONS_FROM_MACHINE: &str = "cluster.x-k8s.io/annotations-from-machine";

/// Keys that this policy added to an object and that no controller will ever own.
pub(crate) const TRACKING: &str = "metadata-propagation.plexsphere.com/managed";

/// On an object: why its user intends to replace Machines.
pub(crate) const APPROVE_ROLLOUT: &str = "metadata-propagation.plexsphere.com/approve-rollout";
/// On everything that Velero restores, which omits ownerReferences.
///
/// Source: Velero's restore reference.
pub(crate) const RESTORED: &str = "velero.io/restore-name";

/// On objects of a dry run in which the topology controller compares the desired object with the stored one.
///
/// Source: api/core/v1beta2/common_types.go, `TopologyDryRunAnnotation`.
pub(crate) const TOPOLOGY_DRY_RUN: &str = "topology.cluster.x-k8s.io/dry-run";

/// On an entry of a topology: defers its upgrade and those of the entries after it.
///
/// Source: exp/topology/desiredstate/desired_state.go, `isMachineDeploymentDeferred`, `isMachinePoolDeferred`.
pub(crate) const HOLD_UPGRADE_SEQUENCE: &str = "topology.cluster.x-k8s.io/hold-upgrade-sequence";
/// On an entry of a topology: defers its upgrade.
///
/// Source: like [`HOLD_UPGRADE_SEQUENCE`].
pub(crate) const DEFER_UPGRADE: &str = "topology.cluster.x-k8s.io/defer-upgrade";

/// Annotations that defer an upgrade: for a MachineDeployment's or MachinePool's topology, not for the objects.
///
/// Source: exp/topology/desiredstate/desired_state.go, `computeMachineDeployment`, `computeMachinePool`.
pub(crate) const UPGRADE_HOLDS: &[&str] = &[HOLD_UPGRADE_SEQUENCE, DEFER_UPGRADE];

/// On a Cluster, followed by a name: delays the start of an upgrade.
///
/// Source: api/core/v1beta2/common_types.go, `BeforeClusterUpgradeHookAnnotationPrefix`.
pub(crate) const BEFORE_UPGRADE_HOOK: &str = "before-upgrade.hook.cluster.cluster.x-k8s.io";

/// On a Cluster: the hooks that are still to be called, separated by commas.
///
/// Source: api/runtime/v1beta2/extensionconfig_types.go, `PendingHooksAnnotation`.
pub(crate) const PENDING_HOOKS: &str = "runtime.cluster.x-k8s.io/pending-hooks";

/// On a Machine, its infrastructure and its bootstrap configuration while an extension updates them in place.
///
/// Source: api/core/v1beta2/machine_types.go, `UpdateInProgressAnnotation`.
pub(crate) const UPDATE_IN_PROGRESS: &str = "in-place-updates.internal.cluster.x-k8s.io/update-in-progress";

/// On a Machine that changed its MachineSet to be updated in place, until its MachineDeployment has counted it.
///
/// Source: api/core/v1beta2/machine_types.go, `PendingAcknowledgeMoveAnnotation`.
pub(crate) const PENDING_ACKNOWLEDGE_MOVE: &str = "in-place-updates.internal.cluster.x-k8s.io/pending-acknowledge-move";

/// Annotations of a MachineDeployment that its MachineSets do not inherit: exact keys.
///
/// Source: core/reconcilers/machinedeployment/mdutil/util.go, `annotationsToSkip`.
pub(crate) const MACHINE_DEPLOYMENT_ONLY: &[&str] = &[
    "cluster.x-k8s.io/conversion-data",
    "kubectl.kubernetes.io/last-applied-configuration",
    "machinedeployment.clusters.x-k8s.io/desired-replicas",
    "machinedeployment.clusters.x-k8s.io/max-replicas",
    "machinedeployment.clusters.x-k8s.io/revision",
    "machinedeployment.clusters.x-k8s.io/revision-history",
];

/// Annotations that this policy never adds and never reports as drift, on any hop, even if a controller would propagate
/// them: bookkeeping of controllers, clients and this policy.
///
/// Source: api/core/v1beta2/common_types.go, machine_types.go, machinedeployment_types.go, machineset_types.go and
/// api/controlplane/kubeadm/v1beta2/kubeadm_control_plane_types.go. A controller would propagate some of them if a user
/// put them into a propagating map; that is a deliberate deviation, see ARCHITECTURE.md.
pub(crate) const NEVER: &[&str] = &[
    ANNOTATIONS_FROM_MACHINE,
    "cluster.x-k8s.io/cloned-from-groupkind",
    "cluster.x-k8s.io/cloned-from-name",
    "cluster.x-k8s.io/cluster-name",
    "cluster.x-k8s.io/cluster-namespace",
    "cluster.x-k8s.io/conversion-data",
    "cluster.x-k8s.io/disable-machine-create",
    LABELS_FROM_MACHINE,
    "cluster.x-k8s.io/machine",
    "cluster.x-k8s.io/owner-kind",
    "cluster.x-k8s.io/owner-name",
    "cluster.x-k8s.io/paused",
    "cluster.x-k8s.io/taints-from-machine",
    "controlplane.cluster.x-k8s.io/kubeadm-cluster-configuration",
    "controlplane.cluster.x-k8s.io/remediation-for",
    "controlplane.cluster.x-k8s.io/remediation-in-progress",
    "kubectl.kubernetes.io/last-applied-configuration",
    "machine.cluster.x-k8s.io/certificates-expiry",
    "machinedeployment.clusters.x-k8s.io/desired-replicas",
    "machinedeployment.clusters.x-k8s.io/max-replicas",
    "machinedeployment.clusters.x-k8s.io/revision",
    "machinedeployment.clusters.x-k8s.io/revision-history",
    "metadata-propagation.plexsphere.com/approve-rollout",
    "metadata-propagation.plexsphere.com/exempt",
    "metadata-propagation.plexsphere.com/managed",
    "pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup",
    "runtime.cluster.x-k8s.io/pending-hooks",
    TOPOLOGY_DRY_RUN,
    "topology.internal.cluster.x-k8s.io/upgrade-step",
];

/// Like [`NEVER`], for every key of a prefix.
///
/// Source: api/core/v1beta2/common_types.go, the in-place update machinery.
const NEVER_PREFIX: &str = "in-place-updates.internal.cluster.x-k8s.io";

/// Whether an annotation is one that this policy never adds and never reports as drift.
pub(crate) fn is_never(annotation: &str) -> bool {
    let is_behind_prefix = |rest: &str| rest.is_empty() || rest.starts_with('/');
    NEVER.contains(&annotation) || annotation.strip_prefix(NEVER_PREFIX).is_some_and(is_behind_prefix)
}

/// The part of a key before the first `/`; the whole key if there is none.
///
/// Source: `GetManagedLabels`, util/labels/helpers.go.
pub(crate) fn prefix(key: &str) -> &str {
    key.split('/').next().unwrap_or(key)
}

/// Whether `domain` is the key's prefix or a parent domain of it: equal, or preceded by a dot.
pub(crate) fn belongs_to(key: &str, domain: &str) -> bool {
    prefix(key).strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_hold_no_key_twice() {
        for list in [NEVER, MACHINE_DEPLOYMENT_ONLY] {
            assert!(list.is_sorted_by(|a, b| a < b), "{list:?}");
        }
    }

    #[test]
    fn the_lists_are_those_of_the_specification() {
        for (list, text) in [
            (NEVER, include_str!("../../../../testdata/spec/policy/never-carried.txt")),
            (
                MACHINE_DEPLOYMENT_ONLY,
                include_str!("../../../../testdata/spec/cluster-api/machine-deployment-only.txt"),
            ),
        ] {
            assert!(text.lines().skip(1).eq(list.iter().copied()), "{list:?}");
        }
    }

    #[test]
    fn belonging_to_a_domain_is_equality_or_a_dot() {
        for (key, expected) in [
            ("node.cluster.x-k8s.io/a", true),
            ("my.node.cluster.x-k8s.io/a", true),
            ("my.node.cluster.x-k8s.io", true),
            ("gpu-node.cluster.x-k8s.io/a", false),
            ("company.xyz/node.cluster.x-k8s.io", false),
            ("cluster.x-k8s.io/a", false),
        ] {
            assert_eq!(belongs_to(key, "node.cluster.x-k8s.io"), expected, "{key}");
        }
    }

    #[test]
    fn in_place_update_bookkeeping_is_never_carried() {
        assert!(is_never("in-place-updates.internal.cluster.x-k8s.io/update-in-progress"));
        assert!(is_never(TRACKING));
        assert!(!is_never("cluster.x-k8s.io/delete-machine"));
    }
}
