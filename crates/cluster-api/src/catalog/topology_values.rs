//! What a topology sets in fields of its objects whose edits replace Machines.

use super::effects::EditedKind;

/// One field of an object that a topology owns, and the field of the Cluster that sets it.
#[derive(Debug)]
pub(crate) struct TopologyValue {
    pub(crate) kind: EditedKind,
    /// The path in the object, in v1beta1 and in v1beta2.
    pub(crate) at: [&'static str; 2],
    pub(crate) from: From,
    /// The path below it, in v1beta1 and in v1beta2.
    pub(crate) path: [&'static [&'static str]; 2],
}

/// Where in `spec.topology` of the Cluster a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    Topology,
    Entry,
}

/// What a topology sets in its objects. If it sets nothing, its class, a patch or a default decides; names of templates
/// are generated.
///
/// Source: exp/topology/desiredstate/desired_state.go, `computeControlPlane`, `computeMachineDeployment` and
/// `computeMachinePool`.
#[rustfmt::skip]
pub(crate) const TOPOLOGY_VALUES: &[TopologyValue] = &[
    value(EditedKind::KubeadmControlPlane, ["spec.version"; 2],                    From::Topology, [&["version"]; 2]),
    value(EditedKind::KubeadmControlPlane, ["spec.rolloutAfter", "spec.rollout.after"], From::Topology, [&["controlPlane", "rollout", "after"]; 2]),
    value(EditedKind::MachineDeployment,   ["spec.template.spec.version"; 2],       From::Topology, [&["version"]; 2]),
    value(EditedKind::MachineDeployment,   ["spec.template.spec.failureDomain"; 2], From::Entry,    [&["failureDomain"]; 2]),
    value(EditedKind::MachineDeployment,   ["spec.rolloutAfter", "spec.rollout.after"], From::Entry, [&["rollout", "after"]; 2]),
    value(EditedKind::MachineDeployment,   ["spec.strategy.type", "spec.rollout.strategy.type"], From::Entry, [&["strategy", "type"], &["rollout", "strategy", "type"]]),
    value(EditedKind::MachinePool,         ["spec.template.spec.version"; 2],       From::Topology, [&["version"]; 2]),
    value(EditedKind::MachinePool,         ["spec.failureDomains"; 2],              From::Entry,    [&["failureDomains"]; 2]),
];

const fn value(
    kind: EditedKind,
    at: [&'static str; 2],
    from: From,
    path: [&'static [&'static str]; 2],
) -> TopologyValue {
    TopologyValue { kind, at, from, path }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::TOPOLOGY_VALUE_MASKS;

    #[test]
    fn what_is_read_of_the_cluster_is_what_the_table_takes() {
        let prefixes = |row: &TopologyValue| match (row.from, row.kind) {
            (From::Topology, _) => "spec.topology",
            (From::Entry, EditedKind::MachinePool) => "spec.topology.workers.machinePools",
            (From::Entry, _) => "spec.topology.workers.machineDeployments",
        };
        let mut taken: Vec<String> = TOPOLOGY_VALUES
            .iter()
            .flat_map(|row| row.path.map(|path| format!("{}.{}", prefixes(row), path.join("."))))
            .collect();
        let others = ["spec.controlPlaneRef.name", "spec.topology.workers.machineDeployments.name"];
        taken.extend(others.map(str::to_owned));
        taken.push("spec.topology.workers.machinePools.name".to_owned());
        taken.sort();
        taken.dedup();
        assert_eq!(taken, *TOPOLOGY_VALUE_MASKS);
    }
}
