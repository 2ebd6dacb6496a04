//! What an edit of each path does to Machines: the types of the table and their names.

pub(crate) mod table;

use std::fmt;

use serde::{Serialize, Serializer};

/// What an edit does to the Machines below the object, the least grave first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// No effect on existing Machines.
    Nothing,
    /// Objects are updated in place.
    InPlace,
    /// Machines are created or deleted.
    Scale,
    /// Patches, variables or a provider decide whether Machines are replaced.
    CannotTell,
    /// Machines are replaced at a time that the edit sets.
    Scheduled,
    /// Machines are replaced.
    Rollout,
    /// Existing Machines are orphaned, and new ones are created.
    Destructive,
}

/// A kind of object, as far as its edits differ in effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// MachineDeployment.
    MachineDeployment,
    /// MachineSet without a MachineDeployment.
    MachineSet,
    /// MachineSet of a MachineDeployment.
    OwnedMachineSet,
    /// MachinePool.
    MachinePool,
    /// KubeadmControlPlane.
    KubeadmControlPlane,
    /// Cluster.
    Cluster,
    /// ClusterClass.
    ClusterClass,
    /// Template of infrastructure machines or bootstrap configuration, used by a ClusterClass or made from one.
    ClassTemplate,
    /// Template of a control plane, used by a ClusterClass.
    ClassControlPlaneTemplate,
    /// Template of an infrastructure cluster, used by a ClusterClass.
    ClassClusterTemplate,
    /// Template of an infrastructure machine pool, used by a ClusterClass.
    ClassMachinePoolTemplate,
    /// Template that no ClusterClass uses.
    Template,
}

/// The rows below one path of one kind.
#[derive(Debug)]
pub struct Block {
    /// The kind of object.
    pub kind: Kind,
    /// The path in v1beta1.
    pub v1beta1: &'static str,
    /// The path in v1beta2, and in every version of kinds that are not Cluster API's own.
    pub v1beta2: &'static str,
    /// What stands below.
    pub rows: &'static [Row],
}

/// What an edit of one path does.
#[derive(Debug)]
pub struct Row {
    /// The path in v1beta1, below the block's; `None` where that version has no such field.
    ///
    /// `[name]` stands for an entry of a list whose entries are told apart by that field.
    pub v1beta1: Option<&'static str>,
    /// The path in v1beta2.
    pub v1beta2: Option<&'static str>,
    /// What follows. The row with the longest path decides.
    pub effect: Effect,
    /// When two values are no edit.
    pub same: Same,
}

/// When two values mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// Key order apart; what is absent is null, an empty list or an empty object.
    Value,
    /// As values, but an empty list is not an absent one.
    ListOrNone,
    /// As texts; an empty one is absent.
    Text,
    /// As texts; what is absent is `cloud-config`.
    OrCloudConfig,
    /// As texts; what is absent is `IfNotPresent`.
    OrIfNotPresent,
    /// As Kubernetes versions, with or without their `v`.
    Version,
    /// As durations: `60s` is `1m0s`.
    Duration,
    /// As references: group, kind and name.
    Reference,
    /// A time at which something happens: removing it is no edit.
    Appointment,
    /// As selectors: the name of the object's own Cluster is added by defaulting, and no edit.
    Selector,
}

/// A block's path and a row's below it; either may be empty.
pub(crate) fn joined(above: &str, path: &str) -> String {
    let dot = if above.is_empty() || path.is_empty() || path.starts_with('[') { "" } else { "." };
    [above, dot, path].concat()
}

impl Row {
    /// The row's path from the object's root in v1beta1 and v1beta2, where it has one.
    #[must_use]
    pub fn paths(&self, block: &Block) -> [Option<String>; 2] {
        [self.v1beta1.map(|path| joined(block.v1beta1, path)), self.v1beta2.map(|path| joined(block.v1beta2, path))]
    }
}

impl Effect {
    fn name(self) -> &'static str {
        match self {
            Effect::Nothing => "no effect",
            Effect::InPlace => "in place",
            Effect::Scale => "scale",
            Effect::CannotTell => "cannot tell",
            Effect::Scheduled => "scheduled rollout",
            Effect::Rollout => "rollout",
            Effect::Destructive => "destructive",
        }
    }
}

/// In the README's words.
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Effect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// In the README's words.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::MachineDeployment => "MachineDeployment",
            Kind::MachineSet => "MachineSet",
            Kind::OwnedMachineSet => "MachineSet of a MachineDeployment",
            Kind::MachinePool => "MachinePool",
            Kind::KubeadmControlPlane => "KubeadmControlPlane",
            Kind::Cluster => "Cluster",
            Kind::ClusterClass => "ClusterClass",
            Kind::ClassTemplate => "machine or bootstrap template of a ClusterClass",
            Kind::ClassControlPlaneTemplate => "control-plane template of a ClusterClass",
            Kind::ClassClusterTemplate => "cluster template of a ClusterClass",
            Kind::ClassMachinePoolTemplate => "machine-pool template of a ClusterClass",
            Kind::Template => "any other template",
        })
    }
}
