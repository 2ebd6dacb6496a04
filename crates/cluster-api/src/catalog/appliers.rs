//! The field managers with which controllers apply what propagates, and the service accounts that they run as.

use crate::catalog::Place::*;
use crate::catalog::{Place, Version};
use kubernetes::columns;

/// Who applies what propagates to some places from one kind of owner, always with force.
///
/// A value that only its applier owns is removed as soon as the source drops it.
#[derive(Debug)]
pub(crate) struct Applier {
    /// The kind of the owner; `Cluster` for what a topology sets.
    owner: &'static str,
    to: &'static [Place],
    manager: &'static str,
    by: By,
    /// First version of Cluster API with this manager.
    since: Version,
    until: Option<Version>,
}

/// Whose controller applies, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    ClusterApi,
    /// Another control-plane provider, at every sync.
    Provider,
    /// The same, only when it creates an object, or only in older releases.
    ProviderOnce,
}

/// Every applier of propagated values.
///
/// Source: core/reconcilers/topology/cluster/structuredmerge/serversidepatchhelper.go; `createOrUpdateMachineSets…` in
/// core/reconcilers/machinedeployment; `syncMachines` in core/reconcilers/machineset and in
/// controlplane/kubeadm/reconcilers/kubeadmcontrolplane, which since v1.12 apply metadata of infrastructure and
/// bootstrap configuration with a manager of its own; core/reconcilers/machinepool/machinepool_controller_phases.go.
/// cluster-api-k3s v0.3.1: controlplane/controllers/scale.go, `updateMachine` and `updateExternalObject`.
/// cluster-api-provider-rke2 v0.25: controlplane/internal/controllers/scale.go, `UpdateMachine` and
/// `UpdateExternalObject`, which up to v0.24 applied with the manager of Machines.
/// k0smotron v2.1: internal/controller/controlplane/scale.go and helper.go.
#[rustfmt::skip]
const APPLIERS: &[Applier] = &[
    row("Cluster",             OF_TOPOLOGY,                     "capi-topology"),
    row("MachineDeployment",   &[MachineSet, MachineSetTemplate], "capi-machinedeployment"),
    row("MachineSet",          &[Machine],                      "capi-machineset"),
    row("MachineSet",          PARTS,                           "capi-machineset").until(12),
    row("MachineSet",          PARTS,                           "capi-machineset-metadata").since(12),
    row("KubeadmControlPlane", &[Machine],                      "capi-kubeadmcontrolplane"),
    row("KubeadmControlPlane", PARTS,                           "capi-kubeadmcontrolplane").until(12),
    row("KubeadmControlPlane", PARTS,                           "capi-kubeadmcontrolplane-metadata").since(12),
    row("MachinePool",         &[Machine],                      "machinepool-controller"),
    row("KThreesControlPlane", &[Machine, InfraMachine, BootstrapConfig], "capi-kthreescontrolplane").by(By::Provider),
    row("RKE2ControlPlane",    &[Machine],                      "rke2controlplane").by(By::Provider),
    row("RKE2ControlPlane",    PARTS,                           "rke2controlplane-metadata").by(By::Provider),
    row("RKE2ControlPlane",    PARTS,                           "rke2controlplane").by(By::ProviderOnce),
    row("K0sControlPlane",     &[Machine, InfraMachine],        "k0smotron").by(By::ProviderOnce),
];

const OF_TOPOLOGY: &[Place] = &[
    ControlPlane,
    ControlPlaneMachineTemplate,
    MachineDeployment,
    MachineDeploymentTemplate,
    MachinePool,
    MachinePoolTemplate,
];
const PARTS: &[Place] = &[InfraMachine, BootstrapConfig];

/// The manager that applies what propagates to a place from an owner of a kind, and keeps applying it; `None` if there
/// is none, or if it is not known.
pub(crate) fn responsible(owner: &str, to: Place, version: Version) -> Option<&'static str> {
    let rows = of(owner, to).filter(|row| row.by != By::ProviderOnce && row.holds(version));
    rows.map(|row| row.manager).next()
}

/// Whether the entry of a manager may be begun for it. Older controllers decide by it whether they have applied: without
/// one they end the shares of `manager`, which earlier versions of them were.
///
/// Source: internal/util/ssa of v1.11, `CleanUpManagedFieldsForSSAAdoption` and `DropManagedFields`, which v1.12 lacks.
pub(crate) fn may_be_begun(version: Version) -> bool {
    version.at_least(Version::minor(12))
}

/// The managers of a control-plane provider other than kubeadm's, which owns Machines with this owner and what belongs
/// to them.
pub(crate) fn of_provider(owner: &str, to: Place) -> Vec<&'static str> {
    of(owner, to).filter(|row| row.by != By::ClusterApi).map(|row| row.manager).collect()
}

/// Whether a manager is that of a controller of Cluster API.
pub fn is_of_cluster_api(manager: &str) -> bool {
    APPLIERS.iter().any(|row| row.by == By::ClusterApi && row.manager == manager)
}

fn of(owner: &str, to: Place) -> impl Iterator<Item = &'static Applier> {
    APPLIERS.iter().filter(move |row| row.owner == owner && row.to.contains(&to))
}

const fn row(owner: &'static str, to: &'static [Place], manager: &'static str) -> Applier {
    Applier { owner, to, manager, by: By::ClusterApi, since: Version::OLDEST_EDITION, until: None }
}

columns! {
    Applier {
        by(whose: By) => by: whose,
        since(minor: u16) => since: Version::minor(minor),
        until(minor: u16) => until: Some(Version::minor(minor)),
    }
}

impl Applier {
    fn holds(&self, version: Version) -> bool {
        version.is_between(self.since, self.until)
    }
}

/// A service account as in `userInfo.username`, and the installation that creates it.
///
/// `clusterApi.controllers` lists them all by default. The managers of other control planes (RKE2, K3s, k0smotron) are
/// not among them: their writes are checked like those of any user.
pub const CONTROLLERS: &[&str] = &[
    // Released manifests, as clusterctl applies them: core-components.yaml, bootstrap-components.yaml and
    // control-plane-components.yaml of Cluster API.
    "system:serviceaccount:capi-system:capi-manager",
    "system:serviceaccount:capi-kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager",
    "system:serviceaccount:capi-kubeadm-control-plane-system:capi-kubeadm-control-plane-manager",
    // Cluster API Operator, if its chart is only given names: hack/charts/cluster-api-operator/templates/bootstrap.yaml
    // and control-plane.yaml.
    "system:serviceaccount:kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager",
    "system:serviceaccount:kubeadm-control-plane-system:capi-kubeadm-control-plane-manager",
    // Rancher Turtles: charts/rancher-turtles/templates/core-provider-configmap.yaml.
    "system:serviceaccount:cattle-capi-system:capi-manager",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::kinds::KINDS;

    #[test]
    fn one_manager_is_responsible_in_each_version() {
        for minor in 6..=14 {
            for row in APPLIERS {
                for to in row.to {
                    let holds = |row: &&Applier| row.by != By::ProviderOnce && row.holds(Version::minor(minor));
                    let holding = of(row.owner, *to).filter(holds).count();
                    assert_eq!(holding, usize::from(row.owner != "K0sControlPlane"), "{} {to:?} v1.{minor}", row.owner);
                }
            }
        }
    }

    #[test]
    fn metadata_of_infrastructure_has_its_own_manager_since_v1_12() {
        for (owner, minor, expected) in [
            ("MachineSet", 11, Some("capi-machineset")),
            ("MachineSet", 12, Some("capi-machineset-metadata")),
            ("KubeadmControlPlane", 11, Some("capi-kubeadmcontrolplane")),
            ("KubeadmControlPlane", 12, Some("capi-kubeadmcontrolplane-metadata")),
            ("RKE2ControlPlane", 12, Some("rke2controlplane-metadata")),
            ("K0sControlPlane", 12, None),
            ("MachinePool", 12, None),
        ] {
            assert_eq!(responsible(owner, Place::InfraMachine, Version::minor(minor)), expected, "{owner} v1.{minor}");
        }
        assert_eq!(responsible("MachineSet", Place::Machine, Version::NEWEST), Some("capi-machineset"));
    }

    /// A place that an owner of Cluster API's own gives something has somebody who applies it.
    #[test]
    fn every_owner_of_cluster_api_has_its_applier() {
        for owner in KINDS.iter().filter_map(|row| row.owner.as_ref()).filter(|owner| !owner.recorded) {
            for to in owner.receivers {
                let known = APPLIERS.iter().any(|row| row.by == By::ClusterApi && row.to.contains(to));
                assert!(known, "{to:?}");
            }
        }
    }
}
