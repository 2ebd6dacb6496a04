//! Which fields are read of each kind.

use kubernetes::{Masks, masks};

/// Fields that are read of an owner of Machines.
pub const TEMPLATE_MASKS: Masks = masks![
    "spec": "clusterName", "deletion.order", "machineNaming", "machineNamingStrategy", "minReadySeconds",
        "rollout.strategy.type", "selector", "strategy.rollingUpdate.deletePolicy", "strategy.type";
    "spec.template": "metadata";
    "spec.template.spec": "deletion", "minReadySeconds", "nodeDeletionTimeout", "nodeDrainTimeout",
        "nodeVolumeDetachTimeout", "readinessGates", "taints";
];
/// Fields that are read of a control plane.
pub const CONTROL_PLANE_MASKS: Masks = masks![
    "spec.machineTemplate": "metadata", "nodeDeletionTimeout", "nodeDrainTimeout", "nodeVolumeDetachTimeout",
        "readinessGates";
    "spec.machineTemplate.spec": "deletion", "readinessGates", "taints";
    "spec.machineTemplate": "taints";
];
/// Fields that are read of the template of a control plane.
pub const CONTROL_PLANE_TEMPLATE_MASKS: Masks = masks![
    "spec.template": "metadata";
    "spec.template.spec": "machineTemplate.metadata";
];
/// Fields that are read of a Machine.
pub const MACHINE_MASKS: Masks = masks![
    "spec": "bootstrap", "clusterName", "infrastructureRef";
];
/// Fields that are read of a Node's Machine.
pub const NODE_MACHINE_MASKS: Masks = masks![
    "spec": "clusterName";
    "status": "nodeRef.name";
];
/// Fields that are read of a Cluster to find out whether it is paused, and which control plane adopts its Machines.
pub const CLUSTER_MASKS: Masks = masks![
    "spec.controlPlaneRef": "apiGroup", "apiVersion", "kind", "name";
    "spec": "paused";
];
/// Fields that are read of the Cluster of an infrastructure cluster.
pub const INFRASTRUCTURE_MASKS: Masks = masks![
    "spec.infrastructureRef": "apiGroup", "apiVersion", "kind", "name";
    "spec": "paused";
];
/// Fields that are read of a Cluster with a topology.
pub const TOPOLOGY_MASKS: Masks = masks![
    "spec.controlPlaneRef": "kind", "name";
    "spec": "paused";
    "spec.topology": "class", "classNamespace", "classRef";
    "spec.topology.controlPlane": "deletion", "metadata", "nodeDeletionTimeout", "nodeDrainTimeout",
        "nodeVolumeDetachTimeout", "readinessGates", "taints";
    "spec.topology.workers.machineDeployments": "class", "deletion", "metadata", "minReadySeconds", "name",
        "nodeDeletionTimeout", "nodeDrainTimeout", "nodeVolumeDetachTimeout", "readinessGates",
        "strategy.rollingUpdate.deletePolicy", "taints";
    "spec.topology.workers.machinePools": "class", "deletion", "metadata", "minReadySeconds", "name",
        "nodeDeletionTimeout", "nodeDrainTimeout", "nodeVolumeDetachTimeout";
];
/// Fields that are read of a Cluster to find out which objects its topology has.
pub(crate) const TOPOLOGY_ENTRY_MASKS: Masks = masks![
    "spec.topology": "class", "classRef";
    "spec.topology.workers.machineDeployments": "name";
    "spec.topology.workers.machinePools": "name";
];
/// Fields that are read of a Cluster to find out what its topology sets in fields whose edits replace Machines.
pub const TOPOLOGY_VALUE_MASKS: Masks = masks![
    "spec.controlPlaneRef": "name";
    "spec.topology.controlPlane": "rollout.after";
    "spec.topology": "version";
    "spec.topology.workers.machineDeployments": "failureDomain", "name", "rollout.after",
        "rollout.strategy.type", "strategy.type";
    "spec.topology.workers.machinePools": "failureDomains", "name";
];
/// Fields that are read of a ClusterClass.
pub const CLASS_MASKS: Masks = masks![
    "spec.controlPlane": "deletion", "machineInfrastructure", "metadata", "nodeDeletionTimeout",
        "nodeDrainTimeout", "nodeVolumeDetachTimeout", "readinessGates", "ref", "taints", "template",
        "templateRef";
    "spec.patches": "definitions.jsonPatches.path", "definitions.selector.apiVersion",
        "definitions.selector.kind", "definitions.selector.matchResources.controlPlane", "external";
    "spec.workers.machineDeployments": "class", "deletion", "metadata", "minReadySeconds",
        "nodeDeletionTimeout", "nodeDrainTimeout", "nodeVolumeDetachTimeout", "readinessGates",
        "rollout.strategy.type", "strategy.rollingUpdate.deletePolicy", "strategy.type", "taints",
        "template.metadata";
    "spec.workers.machinePools": "class", "deletion", "metadata", "minReadySeconds", "nodeDeletionTimeout",
        "nodeDrainTimeout", "nodeVolumeDetachTimeout", "template.metadata";
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalog::kinds::KINDS;
    use crate::catalog::{FIELDS, Field, Place};

    #[test]
    fn the_list_is_the_json_of_the_fields() {
        for masks in [CLASS_MASKS, MACHINE_MASKS, TOPOLOGY_MASKS, Masks::NONE] {
            assert_eq!(serde_json::to_string(&masks).unwrap(), serde_json::to_string(&*masks).unwrap());
        }
    }

    /// What rules and fields take from places, in both versions.
    fn taken(places: &[Place]) -> BTreeSet<String> {
        let mut taken = BTreeSet::new();
        for (place, version) in places.iter().flat_map(|place| [(*place, "v1beta1"), (*place, "v1beta2")]) {
            if !place.is_top_level() {
                taken.insert(place.path(version).join("."));
            }
            let carries = |field: &&Field| field.hops.iter().any(|hop| hop.from.contains(&place));
            taken.extend(
                FIELDS.iter().filter(carries).filter_map(|field| field.path(place, version)).map(|path| path.join(".")),
            );
        }
        taken.into_iter().map(|path| path.replace(".[]", "")).collect()
    }

    /// Fails where a path is not read, or a mask reads none of them.
    fn assert_reads(masks: Masks, paths: &BTreeSet<String>) {
        let covers = |mask: &str, path: &str| {
            path.strip_prefix(mask).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let unread: Vec<_> = paths.iter().filter(|path| !masks.iter().any(|mask| covers(mask, path))).collect();
        let unneeded: Vec<_> = masks.iter().filter(|mask| !paths.iter().any(|path| covers(mask, path))).collect();
        assert_eq!((unread, unneeded), (vec![], vec![]));
    }

    #[test]
    fn masks_of_owners_are_what_the_tables_take() {
        let machines = |path: &String| path.starts_with("spec.machineTemplate.");
        let gives = |masks: Masks| -> Vec<Place> {
            let owners = KINDS.iter().filter_map(|row| row.owner.as_ref()).filter(|owner| owner.masks == masks);
            owners.flat_map(|owner| owner.gives.iter().copied()).collect()
        };
        let mut templates = taken(&gives(TEMPLATE_MASKS));
        // The name of the Cluster, what selects the objects that it owns, and when it replaces Machines.
        let others = ["spec.clusterName", "spec.rollout.strategy.type", "spec.selector", "spec.strategy.type"];
        templates.extend(others.map(str::to_owned));
        assert_reads(TEMPLATE_MASKS, &templates);
        let control_planes = taken(&gives(CONTROL_PLANE_MASKS)).into_iter().filter(machines).collect();
        assert_reads(CONTROL_PLANE_MASKS, &control_planes);
    }

    #[test]
    fn masks_of_a_topology_and_its_class_are_what_the_tables_take() {
        let mut cluster =
            taken(&[Place::ControlPlaneTopology, Place::MachineDeploymentTopology, Place::MachinePoolTopology]);
        // Which class it has, which control plane, which entry is an object's, and whether it is paused.
        cluster.extend(
            [
                "spec.controlPlaneRef.kind",
                "spec.controlPlaneRef.name",
                "spec.paused",
                "spec.topology.class",
                "spec.topology.classNamespace",
                "spec.topology.classRef",
                "spec.topology.workers.machineDeployments.class",
                "spec.topology.workers.machineDeployments.name",
                "spec.topology.workers.machinePools.class",
                "spec.topology.workers.machinePools.name",
            ]
            .map(str::to_owned),
        );
        assert_reads(TOPOLOGY_MASKS, &cluster);
        let mut class = taken(&[Place::ControlPlaneClass, Place::MachineDeploymentClass, Place::MachinePoolClass]);
        // Which entry is an object's, its templates, which patches may change what they give, and when Machines are
        // replaced.
        class.extend(
            [
                "spec.controlPlane.machineInfrastructure",
                "spec.controlPlane.ref",
                "spec.controlPlane.template",
                "spec.controlPlane.templateRef",
                "spec.patches.definitions.jsonPatches.path",
                "spec.patches.definitions.selector.apiVersion",
                "spec.patches.definitions.selector.kind",
                "spec.patches.definitions.selector.matchResources.controlPlane",
                "spec.patches.external",
                "spec.workers.machineDeployments.class",
                "spec.workers.machineDeployments.rollout.strategy.type",
                "spec.workers.machineDeployments.strategy.type",
                "spec.workers.machinePools.class",
            ]
            .map(str::to_owned),
        );
        assert_reads(CLASS_MASKS, &class);
        let template = taken(&[Place::ControlPlaneTemplate, Place::ControlPlaneTemplateMachineTemplate]);
        assert_reads(CONTROL_PLANE_TEMPLATE_MASKS, &template);
    }
}
