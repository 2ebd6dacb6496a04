//! Cluster API's metadata propagation page, a row for each line.

use std::fmt;

use crate::catalog::Place::{self, *};
use crate::catalog::keys::{self, MACHINE_DEPLOYMENT_ONLY, OF_CONTROL_PLANE_PROVIDER, UPGRADE_HOLDS};
use crate::catalog::{PAGE_VERSION, Version};
use kubernetes::MapKind::{self, Annotations, Labels};
use kubernetes::columns;

/// Where one map of one place propagates.
#[derive(Debug)]
pub struct Rule {
    pub from: Place,
    pub map: MapKind,
    pub keys: Keys,
    /// The places that receive the keys, in the same map; empty where nothing propagates.
    pub to: &'static [Place],
    /// First version of Cluster API that does this.
    pub since: Version,
    /// First version that no longer does this.
    pub until: Option<Version>,
    /// Whether the page has this line; the others are only in the code.
    pub on_page: bool,
}

/// Which keys of a map a rule propagates.
#[derive(Debug)]
pub enum Keys {
    Every,
    Except(&'static [&'static str]),
    /// Those that meet at least one criterion.
    Only(&'static [Criterion]),
    /// Those that `clusterApi.optIn.machineToInfra` lists; Cluster API propagates none of them.
    OptIn,
}

/// One criterion by which a key propagates to the Node: the part before the first `/`, or a configured expression.
#[derive(Debug)]
pub enum Criterion {
    /// "Has … as prefix": equality.
    Prefix(&'static str),
    /// "Belongs to … domain": equality, or a subdomain.
    Domain(&'static str),
    /// `--additional-sync-machine-labels` of the manager.
    AdditionalLabels,
    /// `--additional-sync-machine-annotations` of the manager.
    AdditionalAnnotations,
}

/// The rules, in the page's order; then those that the page does not have.
///
/// Source: docs/book/src/reference/api/metadata-propagation.md of Cluster API, checked against spec/. Node criteria:
/// `GetManagedLabels` in util/labels/helpers.go and `GetManagedAnnotations` in util/annotations/helpers.go.
/// MachinePools: `computeMachinePool` in exp/topology/desiredstate and `computeDesiredMachine` in
/// core/reconcilers/machinepool. Templates: `computeControlPlane` in exp/topology/desiredstate. Other control planes:
/// the control-plane contract's `spec.machineTemplate.metadata`.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    // Cluster Topology
    row(ControlPlaneTopology,        Labels,      Keys::Every,                           &[ControlPlane, ControlPlaneMachineTemplate]),
    row(ControlPlaneTopology,        Annotations, Keys::Every,                           &[ControlPlane, ControlPlaneMachineTemplate]),
    row(MachineDeploymentTopology,   Labels,      Keys::Every,                           &[MachineDeployment, MachineDeploymentTemplate]),
    row(MachineDeploymentTopology,   Annotations, Keys::Except(UPGRADE_HOLDS),           &[MachineDeployment, MachineDeploymentTemplate]),
    // ClusterClass
    row(ControlPlaneClass,           Labels,      Keys::Every,                           &[ControlPlane, ControlPlaneMachineTemplate]),
    row(ControlPlaneClass,           Annotations, Keys::Every,                           &[ControlPlane, ControlPlaneMachineTemplate]),
    row(MachineDeploymentClass,      Labels,      Keys::Every,                           &[MachineDeployment, MachineDeploymentTemplate]),
    row(MachineDeploymentClass,      Annotations, Keys::Except(UPGRADE_HOLDS),           &[MachineDeployment, MachineDeploymentTemplate]),
    // KubeadmControlPlane
    row(ControlPlane,                Labels,      Keys::Every,                           NOWHERE),
    row(ControlPlane,                Annotations, Keys::Every,                           NOWHERE),
    row(ControlPlaneMachineTemplate, Labels,      Keys::Every,                           &[Machine, InfraMachine, BootstrapConfig]),
    row(ControlPlaneMachineTemplate, Annotations, Keys::Every,                           &[Machine, InfraMachine, BootstrapConfig]),
    // MachineDeployment
    row(MachineDeployment,           Labels,      Keys::Every,                           NOWHERE),
    row(MachineDeployment,           Annotations, Keys::Except(MACHINE_DEPLOYMENT_ONLY), &[MachineSet]),
    row(MachineDeploymentTemplate,   Labels,      Keys::Every,                           &[MachineSet, MachineSetTemplate]),
    row(MachineDeploymentTemplate,   Annotations, Keys::Every,                           &[MachineSetTemplate]),
    // MachineSet
    row(MachineSet,                  Labels,      Keys::Every,                           NOWHERE),
    row(MachineSet,                  Annotations, Keys::Every,                           NOWHERE),
    row(MachineSetTemplate,          Labels,      Keys::Every,                           &[Machine, InfraMachine, BootstrapConfig]),
    row(MachineSetTemplate,          Annotations, Keys::Every,                           &[Machine, InfraMachine, BootstrapConfig]),
    // Machine
    row(Machine,                     Labels,      Keys::Only(NODE_LABELS),               &[Node]),
    row(Machine,                     Annotations, Keys::Every,                           NOWHERE).until(Version::NODE_ANNOTATIONS),
    row(Machine,                     Annotations, Keys::Only(NODE_ANNOTATIONS),          &[Node]).since(Version::NODE_ANNOTATIONS),

    // Not on the page. MachinePool, beside MachineDeployment
    row(MachinePoolTopology,         Labels,      Keys::Every,                           &[MachinePool, MachinePoolTemplate]).in_code(),
    row(MachinePoolTopology,         Annotations, Keys::Except(UPGRADE_HOLDS),           &[MachinePool, MachinePoolTemplate]).in_code(),
    row(MachinePoolClass,            Labels,      Keys::Every,                           &[MachinePool, MachinePoolTemplate]).in_code(),
    row(MachinePoolClass,            Annotations, Keys::Except(UPGRADE_HOLDS),           &[MachinePool, MachinePoolTemplate]).in_code(),
    row(MachinePool,                 Labels,      Keys::Every,                           NOWHERE).in_code(),
    row(MachinePool,                 Annotations, Keys::Every,                           NOWHERE).in_code(),
    row(MachinePoolTemplate,         Labels,      Keys::Every,                           &[Machine]).in_code(),
    row(MachinePoolTemplate,         Annotations, Keys::Every,                           &[Machine]).in_code(),
    // Not on the page. The template of a ClusterClass' control plane, below class and topology
    row(ControlPlaneTemplate,        Labels,      Keys::Every,                           &[ControlPlane]).in_code(),
    row(ControlPlaneTemplate,        Annotations, Keys::Every,                           &[ControlPlane]).in_code(),
    row(ControlPlaneTemplateMachineTemplate, Labels,      Keys::Every,                   &[ControlPlaneMachineTemplate]).in_code(),
    row(ControlPlaneTemplateMachineTemplate, Annotations, Keys::Every,                   &[ControlPlaneMachineTemplate]).in_code(),
    // Not on the page. Control planes other than KubeadmControlPlane
    row(OtherControlPlaneMachineTemplate, Labels,      Keys::Except(OF_CONTROL_PLANE_PROVIDER), &[Machine, InfraMachine, BootstrapConfig]).in_code(),
    row(OtherControlPlaneMachineTemplate, Annotations, Keys::Every,                      &[Machine, InfraMachine, BootstrapConfig]).in_code(),
    // Beyond Cluster API: a Machine without a controller
    row(Machine,                     Labels,      Keys::OptIn,                           &[InfraMachine, BootstrapConfig]).in_code(),
    row(Machine,                     Annotations, Keys::OptIn,                           &[InfraMachine, BootstrapConfig]).in_code(),
];

const NOWHERE: &[Place] = &[];

const NODE_LABELS: &[Criterion] = &[
    Criterion::Prefix(keys::NODE_ROLE),
    Criterion::Domain(keys::NODE_RESTRICTION),
    Criterion::Domain(keys::NODE_DOMAIN),
    Criterion::AdditionalLabels,
];

const NODE_ANNOTATIONS: &[Criterion] = &[Criterion::Domain(keys::NODE_DOMAIN), Criterion::AdditionalAnnotations];

const fn row(from: Place, map: MapKind, keys: Keys, to: &'static [Place]) -> Rule {
    Rule { from, map, keys, to, since: Version::OLDEST_EDITION, until: None, on_page: true }
}

impl Rule {
    /// The rows of an edition that read this map of this place.
    pub(crate) fn reading(from: Place, map: MapKind, version: Version) -> impl Iterator<Item = &'static Rule> {
        RULES.iter().filter(move |rule| rule.from == from && rule.map == map && rule.holds(version))
    }

    /// The row as the page prints it.
    pub(crate) fn line(&self) -> String {
        self.line_of("")
    }

    /// The same with the object that is read, which the page prints above the row.
    pub fn line_with_source(&self) -> String {
        self.line_of(self.from.owner())
    }

    fn line_of(&self, owner: &str) -> String {
        let (from, map) = (self.from.printed(PAGE_VERSION), self.map.field());
        let keys = match self.keys {
            Keys::Only(_) => [".[", self.map.entry(), "-meets-criteria]"],
            Keys::OptIn => [".[selected-", self.map.entry(), "]"],
            Keys::Every | Keys::Except(_) => [""; 3],
        };
        let [begin, keys, end] = keys;
        let mut line = ["`", owner, &from, ".", map, begin, keys, end, "` => "].concat();
        if self.to.is_empty() {
            line.push_str("Not propagated.");
        }
        for (index, to) in self.to.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let place = to.printed(PAGE_VERSION);
            line.extend([comma, "`", to.owner(), &place, ".", map, "`"]);
        }
        line
    }

    /// Whether the class decides: a machine template of a control plane gets nothing if
    /// `spec.controlPlane.machineInfrastructure` is not set in the ClusterClass.
    pub fn needs_machine_infrastructure(&self) -> bool {
        self.to.contains(&ControlPlaneMachineTemplate)
    }

    /// Whether a version of Cluster API has this row.
    pub fn holds(&self, version: Version) -> bool {
        version.is_between(self.since, self.until)
    }
}

columns! {
    Rule {
        since(version: Version) => since: version,
        until(version: Version) => until: Some(version),
        in_code() => on_page: false,
    }
}

/// The page's line.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())
    }
}

/// The criterion as printed in the README.
impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Criterion::Prefix(prefix) => write!(f, "prefix `{prefix}`"),
            Criterion::Domain(domain) => write!(f, "domain `{domain}`"),
            Criterion::AdditionalLabels => f.write_str("`clusterApi.node.additionalLabels`"),
            Criterion::AdditionalAnnotations => f.write_str("`clusterApi.node.additionalAnnotations`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_printed_with_its_source_and_its_criteria() {
        let to_nodes = RULES.iter().find(|rule| rule.map == Labels && rule.to == [Node]).expect("there is one");
        let Keys::Only(criteria) = to_nodes.keys else { panic!("{:?}", to_nodes.keys) };
        let criteria: Vec<String> = criteria.iter().map(ToString::to_string).collect();
        let printed = "`Machine.labels.[label-meets-criteria]` => `Node.labels`";
        assert_eq!(to_nodes.line_with_source(), printed);
        let expected = [
            "prefix `node-role.kubernetes.io`",
            "domain `node-restriction.kubernetes.io`",
            "domain `node.cluster.x-k8s.io`",
            "`clusterApi.node.additionalLabels`",
        ];
        assert_eq!(criteria, expected);
    }
}
