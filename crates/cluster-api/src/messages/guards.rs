//! What the guards find.

use crate::catalog::version::Version;
use facts::datum::SetInstead;
use facts::fact::Fact;
use facts::messages::EntryName;

/// An exemption does not say why.
pub(crate) fn exemption_without_reason(annotation: &str) -> Fact {
    Fact::WaiverWithoutReason { annotation: annotation.into() }
}

/// A finding, and the setting that makes it a refusal.
pub fn refused_by(finding: &str, setting: facts::messages::SettingValue<'_>) -> String {
    format!("{finding} ({setting})")
}

/// How to make a refused edit anyway. Pausing helps if the guard is about who controls the object. `by` says who may
/// set the annotation, if the user may not.
pub(crate) fn way_out(annotation: &str, pausing_helps: bool, by: Option<&str>) -> String {
    let pause = if pausing_helps { "pause the Cluster or " } else { "" };
    match by {
        None => format!("if this is intended, {pause}set annotation `{annotation}: <reason>`"),
        Some(by) => format!("if this is intended, {pause}have {by} set annotation `{annotation}: <reason>`"),
    }
}

/// An object without controller gets a label that names an owner.
pub(crate) fn adoption(label: &str, kind: &str) -> Fact {
    Fact::Adoption { label: label.into(), kind: kind.to_owned() }
}

/// An object gets the labels of a topology entry, which has its own object.
pub(crate) fn second_of_topology_entry(label: &str, kind: &str, entry: &str, cluster: &str) -> Fact {
    let (kind, cluster) = (kind.to_owned(), cluster.to_owned());
    Fact::SecondOfTopologyEntry { label: label.into(), kind, entry: entry.into(), cluster }
}

/// An object gets the labels of a topology entry that does not exist.
pub(crate) fn topology_entry_missing(label: &str, kind: &str, entry: &str, cluster: &str) -> Fact {
    let (kind, cluster) = (kind.to_owned(), cluster.to_owned());
    Fact::TopologyEntryMissing { label: label.into(), kind, entry: entry.into(), cluster }
}

/// An object gets the label of a topology's objects without the one that names the entry.
pub(crate) fn topology_object_without_name(label: &str, name_label: &str, cluster: &str) -> Fact {
    Fact::TopologyObjectWithoutName { label: label.into(), name_label: name_label.into(), cluster: cluster.to_owned() }
}

/// The selector of a MachineDeployment or MachineSet changes.
pub(crate) fn selector_changed() -> Fact {
    Fact::SelectorChanged { path: "spec.selector".into() }
}

/// A label by which the owner finds an object has another value.
pub(crate) fn selected_label_changed(label: &str, owner: &str, kind: &str) -> Fact {
    Fact::SelectedLabelChanged { label: label.into(), owner: owner.to_owned(), kind: kind.to_owned() }
}

/// A label by which the owner finds an object is removed.
pub(crate) fn selected_label_removed(label: &str, owner: &str, kind: &str) -> Fact {
    Fact::SelectedLabelRemoved { label: label.into(), owner: owner.to_owned(), kind: kind.to_owned() }
}

/// The ownerReference to the controller points to another object.
pub(crate) fn owner_changed(owner: &str, kind: &str) -> Fact {
    Fact::OwnerChanged { owner: owner.to_owned(), kind: kind.to_owned() }
}

/// The ownerReference to the controller is removed.
pub(crate) fn owner_removed(owner: &str, kind: &str) -> Fact {
    Fact::OwnerRemoved { owner: owner.to_owned(), kind: kind.to_owned() }
}

/// A key is in a map that propagates and must not be. The reason is one of the constants below.
pub(crate) fn reserved_key(entry: EntryName<'_>, reason: &'static str) -> Fact {
    Fact::ReservedKey { entry: entry.into(), effect: reason }
}

/// A label that Cluster API sets at some hop.
pub(crate) const MANAGED_BY_CLUSTER_API: &str =
    "is managed by Cluster API; this value is overwritten or ignored on child objects";

/// The label of control-plane Machines, in a template of workers.
pub(crate) const JOINS_CONTROL_PLANE: &str = "makes new worker Machines join the control plane";

/// The same in a MachinePool, whose Machines join as workers whatever their labels are.
pub(crate) const COUNTS_AS_CONTROL_PLANE: &str = "makes worker Machines count as control plane Machines";

/// An annotation that a controller, a client or this policy writes for one object.
pub(crate) const SINGLE_OBJECT: &str = "describes a single object and must not propagate";

/// The annotation that pauses.
pub(crate) const PAUSES_CHILDREN: &str = "pauses every child object, whatever its value";

/// An annotation by which a control plane compares its Machines with their template.
pub(crate) const ENDLESS_ROLLOUT: &str = "makes control planes replace their Machines over and over";

/// The hook by which a KubeadmControlPlane holds back the deletion of a Machine.
pub(crate) const BLOCKS_DELETION: &str = "blocks the deletion of every child Machine";

/// The annotation by which a user has one Machine replaced. The replacement gets it too.
pub(crate) const REMEDIATED_ENDLESSLY: &str = "makes MachineHealthChecks replace child Machines over and over";

/// The annotation by which the autoscaler or a user selects the Machine to delete.
pub(crate) const DELETED_FIRST: &str = "marks every child Machine for deletion first, so scaling down prefers none";

/// The label by which managers with `--watch-filter` share the objects.
pub(crate) const SELECTS_MANAGERS: &str = "decides which managers reconcile the child objects";

/// A key is set on a template that a topology owns, and the topology does not have it: nothing reverts it, and it
/// propagates to every object below.
pub(crate) fn not_from_topology(entry: EntryName<'_>, instead: SetInstead) -> Fact {
    Fact::NotFromTopology { entry: entry.into(), instead }
}

/// A key seems to be meant for Nodes, and another spelling would be synced to them.
pub(crate) fn not_synced(entry: EntryName<'_>, instead: EntryName<'_>) -> Fact {
    Fact::NotSynced { entry: entry.into(), other: instead.into() }
}

/// A label that kubelets and cloud providers set on Nodes, which is only synced with an expression of the user's own.
/// With another name it would mean nothing.
pub(crate) fn not_synced_without_flag(entry: EntryName<'_>) -> Fact {
    Fact::NotSyncedWithoutFlag { entry: entry.into() }
}

/// An annotation seems to be meant for Nodes, and a label of the same key would be synced to them.
pub(crate) fn not_synced_as_annotation(entry: EntryName<'_>) -> Fact {
    Fact::NotSyncedAsAnnotation { entry: entry.into() }
}

/// An annotation seems to be meant for Nodes, and this version of Cluster API syncs none.
pub(crate) fn not_synced_before(entry: EntryName<'_>, version: Version) -> Fact {
    Fact::NotSyncedBefore { entry: entry.into(), version: version.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::messages::SettingValue;

    const SET: &str = "MachineSet fleet/ms";

    const fn label(key: &str) -> EntryName<'_> {
        EntryName { noun: "label", key }
    }

    const fn annotation(key: &str) -> EntryName<'_> {
        EntryName { noun: "annotation", key }
    }

    #[test]
    fn an_edit_of_what_an_owner_finds_its_objects_by_names_the_owner() {
        for (message, expected) in [
            (
                adoption("machine-template-hash", "Machine"),
                "label `machine-template-hash` without an ownerReference lets a controller adopt and delete this Machine",
            ),
            (
                selector_changed(),
                "`spec.selector` changed: objects it no longer selects are orphaned, and new ones are created",
            ),
            (
                selected_label_changed("machine-template-hash", SET, "Machine"),
                "label `machine-template-hash` changed: MachineSet fleet/ms no longer selects this Machine and \
                 replaces it",
            ),
            (
                selected_label_removed("team", SET, "Machine"),
                "label `team` removed: MachineSet fleet/ms no longer selects this Machine and replaces it",
            ),
            (
                owner_changed(SET, "Machine"),
                "ownerReference to MachineSet fleet/ms changed: nothing restores it, and this Machine may be replaced",
            ),
            (
                owner_removed(SET, "Machine"),
                "ownerReference to MachineSet fleet/ms removed: nothing restores it, and this Machine may be replaced",
            ),
        ] {
            assert_eq!(message.to_string(), expected);
        }
    }

    #[test]
    fn a_reserved_key_says_what_comes_of_it() {
        for (entry, reason, expected) in [
            (
                label("cluster.x-k8s.io/set-name"),
                MANAGED_BY_CLUSTER_API,
                "label `cluster.x-k8s.io/set-name` is managed by Cluster API; this value is overwritten or ignored on \
                 child objects",
            ),
            (
                label("cluster.x-k8s.io/control-plane"),
                JOINS_CONTROL_PLANE,
                "label `cluster.x-k8s.io/control-plane` makes new worker Machines join the control plane",
            ),
            (
                label("cluster.x-k8s.io/control-plane"),
                COUNTS_AS_CONTROL_PLANE,
                "label `cluster.x-k8s.io/control-plane` makes worker Machines count as control plane Machines",
            ),
            (annotation("a"), SINGLE_OBJECT, "annotation `a` describes a single object and must not propagate"),
            (
                annotation("cluster.x-k8s.io/paused"),
                PAUSES_CHILDREN,
                "annotation `cluster.x-k8s.io/paused` pauses every child object, whatever its value",
            ),
            (
                annotation("a"),
                ENDLESS_ROLLOUT,
                "annotation `a` makes control planes replace their Machines over and over",
            ),
            (annotation("a"), BLOCKS_DELETION, "annotation `a` blocks the deletion of every child Machine"),
            (
                annotation("cluster.x-k8s.io/remediate-machine"),
                REMEDIATED_ENDLESSLY,
                "annotation `cluster.x-k8s.io/remediate-machine` makes MachineHealthChecks replace child Machines over and \
                 over",
            ),
            (
                annotation("cluster.x-k8s.io/delete-machine"),
                DELETED_FIRST,
                "annotation `cluster.x-k8s.io/delete-machine` marks every child Machine for deletion first, so \
                 scaling down prefers none",
            ),
            (
                label("cluster.x-k8s.io/watch-filter"),
                SELECTS_MANAGERS,
                "label `cluster.x-k8s.io/watch-filter` decides which managers reconcile the child objects",
            ),
        ] {
            assert_eq!(reserved_key(entry, reason).to_string(), expected);
        }
    }

    #[test]
    fn a_key_that_the_topology_lacks_names_its_place() {
        let instead = SetInstead::Above("Cluster.spec.topology.controlPlane.metadata".to_owned());
        assert_eq!(
            not_from_topology(label("team"), instead).to_string(),
            "label `team` is missing from the topology; set it in Cluster.spec.topology.controlPlane.metadata"
        );
    }

    #[test]
    fn a_key_that_does_not_reach_nodes_names_one_that_does() {
        for (message, expected) in [
            (
                not_synced(label("kubernetes.io/os"), label("node.cluster.x-k8s.io/os")),
                "label `kubernetes.io/os` is not synced to Nodes; use label `node.cluster.x-k8s.io/os`",
            ),
            (
                not_synced_as_annotation(annotation("node-role.kubernetes.io/a")),
                "annotation `node-role.kubernetes.io/a` is not synced to Nodes as an annotation; use a label",
            ),
            (
                not_synced_before(annotation("node.cluster.x-k8s.io/a"), Version::NODE_ANNOTATIONS),
                "annotation `node.cluster.x-k8s.io/a` is not synced to Nodes before Cluster API v1.9.7",
            ),
        ] {
            assert_eq!(message.to_string(), expected);
        }
    }

    #[test]
    fn a_refusal_names_the_setting_behind_the_finding() {
        let setting = SettingValue { setting: "guards.selectorChange", value: "reject" };
        assert_eq!(
            refused_by(&selector_changed().to_string(), setting),
            "`spec.selector` changed: objects it no longer selects are orphaned, and new ones are created \
             (`guards.selectorChange` is `reject`)"
        );
    }

    #[test]
    fn a_refusal_names_the_ways_out() {
        let admins = "a user in `guards.exemptBy` (alice, admins)";
        for (pausing_helps, by, expected) in [
            (true, None, "if this is intended, pause the Cluster or set annotation `example.com/exempt: <reason>`"),
            (false, None, "if this is intended, set annotation `example.com/exempt: <reason>`"),
            (
                true,
                Some(admins),
                "if this is intended, pause the Cluster or have a user in `guards.exemptBy` (alice, admins) set annotation \
                 `example.com/exempt: <reason>`",
            ),
        ] {
            assert_eq!(way_out("example.com/exempt", pausing_helps, by), expected);
        }
    }

    #[test]
    fn labels_of_a_topology_say_what_the_topology_does() {
        let owned = "topology.cluster.x-k8s.io/owned";
        for (message, expected) in [
            (
                second_of_topology_entry(owned, "MachineDeployment", "md0", "fleet/c1"),
                "label `topology.cluster.x-k8s.io/owned` on a second MachineDeployment for `md0` blocks topology reconciliation of \
                 Cluster fleet/c1",
            ),
            (
                topology_entry_missing(owned, "MachinePool", "mp9", "fleet/c1"),
                "label `topology.cluster.x-k8s.io/owned`: Cluster fleet/c1 has no topology entry `mp9`, so its controller deletes this \
                 MachinePool",
            ),
            (
                topology_object_without_name(owned, "topology.cluster.x-k8s.io/pool-name", "fleet/c1"),
                "label `topology.cluster.x-k8s.io/owned` without `topology.cluster.x-k8s.io/pool-name` blocks topology \
                 reconciliation of Cluster fleet/c1",
            ),
        ] {
            assert_eq!(message.to_string(), expected);
        }
    }

    #[test]
    fn an_exemption_needs_a_reason() {
        assert_eq!(
            exemption_without_reason("metadata-propagation.plexsphere.com/exempt").to_string(),
            "annotation `metadata-propagation.plexsphere.com/exempt` has no effect without a reason"
        );
    }
}
