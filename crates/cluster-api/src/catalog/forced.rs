//! Labels that Cluster API sets last, replacing anything that a user set.

use std::fmt;

use crate::catalog::PAGE_VERSION;
use crate::catalog::Place::{self, *};
use crate::catalog::keys::*;
use kubernetes::names;

/// A label that one hop forces.
#[derive(Debug)]
pub struct Forced {
    /// The place whose hop it is: of those read for the hop, the one with the highest precedence.
    pub from: Place,
    pub to: &'static [Place],
    pub key: &'static str,
    pub value: ForcedValue,
}

names! {
    /// Where the value of a forced label comes from.
    ForcedValue {
        Empty = "empty";
        ClusterName = "name of the Cluster";
        TopologyName = "name of the topology's entry";
        OwnerName = "name of the owner";
        OwnerNameFormatted = "name of the owner, or its hash where it is no label value";
        OwnersLabel = "the owner's own label, where it has one";
        TemplateHash = "as stored, never computed";
    }
}

/// The forced labels of every hop.
///
/// Source: exp/topology/desiredstate/desired_state.go `computeControlPlane`, `computeMachineDeployment`,
/// `computeMachinePool`; core/reconcilers/machinedeployment `computeDesiredMS`; core/reconcilers/machineset
/// `machineLabelsFromMachineSet`; controlplane/kubeadm/pkg/desiredstate `ControlPlaneMachineLabels`;
/// core/reconcilers/machinepool `computeDesiredMachine`. Other control planes are only checked against the contract's
/// cluster-name label.
#[rustfmt::skip]
pub const FORCED: &[Forced] = &[
    row(ControlPlaneTopology,             &[ControlPlane, ControlPlaneMachineTemplate],    CLUSTER_NAME,             ForcedValue::ClusterName),
    row(ControlPlaneTopology,             &[ControlPlane, ControlPlaneMachineTemplate],    TOPOLOGY_OWNED,           ForcedValue::Empty),
    row(MachineDeploymentTopology,        &[MachineDeployment, MachineDeploymentTemplate], CLUSTER_NAME,             ForcedValue::ClusterName),
    row(MachineDeploymentTopology,        &[MachineDeployment, MachineDeploymentTemplate], TOPOLOGY_OWNED,           ForcedValue::Empty),
    row(MachineDeploymentTopology,        &[MachineDeployment, MachineDeploymentTemplate], TOPOLOGY_DEPLOYMENT_NAME, ForcedValue::TopologyName),
    row(MachinePoolTopology,              &[MachinePool, MachinePoolTemplate],             CLUSTER_NAME,             ForcedValue::ClusterName),
    row(MachinePoolTopology,              &[MachinePool, MachinePoolTemplate],             TOPOLOGY_OWNED,           ForcedValue::Empty),
    row(MachinePoolTopology,              &[MachinePool, MachinePoolTemplate],             TOPOLOGY_POOL_NAME,       ForcedValue::TopologyName),
    row(MachineDeploymentTemplate,        &[MachineSet, MachineSetTemplate],               TEMPLATE_HASH,            ForcedValue::TemplateHash),
    row(MachineDeploymentTemplate,        &[MachineSet],                                   DEPLOYMENT_NAME,          ForcedValue::OwnerName),
    row(MachineSetTemplate,               &[Machine, InfraMachine, BootstrapConfig],       SET_NAME,                 ForcedValue::OwnerNameFormatted),
    row(MachineSetTemplate,               &[Machine, InfraMachine, BootstrapConfig],       DEPLOYMENT_NAME,          ForcedValue::OwnersLabel),
    row(ControlPlaneMachineTemplate,      &[Machine, InfraMachine, BootstrapConfig],       CLUSTER_NAME,             ForcedValue::ClusterName),
    row(ControlPlaneMachineTemplate,      &[Machine, InfraMachine, BootstrapConfig],       CONTROL_PLANE,            ForcedValue::Empty),
    row(ControlPlaneMachineTemplate,      &[Machine, InfraMachine, BootstrapConfig],       CONTROL_PLANE_NAME,       ForcedValue::OwnerNameFormatted),
    row(OtherControlPlaneMachineTemplate, &[Machine, InfraMachine, BootstrapConfig],       CLUSTER_NAME,             ForcedValue::ClusterName),
    row(MachinePoolTemplate,              &[Machine],                                      POOL_NAME,                ForcedValue::OwnerNameFormatted),
    row(MachinePoolTemplate,              &[Machine],                                      CLUSTER_NAME,             ForcedValue::ClusterName),
];

pub(crate) fn is_forced(key: &str) -> bool {
    FORCED.iter().any(|forced| forced.key == key)
}

impl Forced {
    /// The row as the page writes it.
    pub(crate) fn line(&self) -> String {
        let (owner, path) = (self.from.owner(), self.from.printed(PAGE_VERSION));
        ["`", self.key, "` is set by Cluster API on objects that `", owner, &path, "` propagates to"].concat()
    }
}

const fn row(from: Place, to: &'static [Place], key: &'static str, value: ForcedValue) -> Forced {
    Forced { from, to, key, value }
}

impl fmt::Display for Forced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_printed_as_the_page_prints_it_and_its_value_in_words() {
        let row = &FORCED[4];
        let printed = "`topology.cluster.x-k8s.io/deployment-name` is set by Cluster API on objects that \
                       `Cluster.spec.topology.workers.machineDeployments[i].metadata` propagates to";
        assert_eq!(row.to_string(), printed);
        assert_eq!(row.value.to_string(), "name of the topology's entry");
    }
}
