//! What an edit of each path does to Machines: the types of the table and their names.

mod build;
mod rows;
pub mod table;

use serde::{Serialize, Serializer};

use super::version::Version;
use kubernetes::names;
use kubernetes::settings::problems::joined;

names! {
    /// What an edit does to the Machines below the object, the least severe first.
    Effect {
        Nothing = "no effect";
        InPlace = "in place";
        Scale = "scale";
        /// Machines are outdated until somebody deletes them: the strategy is OnDelete.
        ReplacedWhenDeleted = "replaced when deleted";
        /// Patches, variables or a provider decide whether Machines are replaced.
        CannotTell = "cannot tell";
        /// Machines are replaced, created or deleted later, such as when a pause ends: the policy does not report this, a plan
        /// does.
        Waits = "waits";
        /// Machines are replaced at a time that the edit sets.
        Scheduled = "scheduled rollout";
        Rollout = "rollout";
        /// A webhook or a schema refuses the edit, and nothing that is applied with it gets further: the policy does not
        /// report this, a plan does.
        Refused = "refused";
        /// Existing Machines are orphaned, and new ones are created.
        Destructive = "destructive";
    }
}

names! {
    /// A kind of object, as far as the effects of its edits differ.
    EditedKind {
        MachineDeployment = "MachineDeployment";
        MachineSet = "MachineSet";
        OwnedMachineSet = "MachineSet of a MachineDeployment";
        MachinePool = "MachinePool";
        KubeadmControlPlane = "KubeadmControlPlane";
        Cluster = "Cluster";
        ClusterClass = "ClusterClass";
        /// Template of infrastructure machines or bootstrap configuration, used by a ClusterClass or made from one.
        ClassTemplate = "machine or bootstrap template of a ClusterClass";
        /// Template of a control plane, used by a ClusterClass.
        ClassControlPlaneTemplate = "control-plane template of a ClusterClass";
        /// Template of an infrastructure cluster, used by a ClusterClass.
        ClassClusterTemplate = "cluster template of a ClusterClass";
        /// Template of an infrastructure machine pool, used by a ClusterClass.
        ClassMachinePoolTemplate = "machine-pool template of a ClusterClass";
        Template = "any other template";
        ControlPlaneMachine = "Machine of a KubeadmControlPlane";
        ControlPlaneKubeadmConfig = "KubeadmConfig of a KubeadmControlPlane";
        ControlPlaneInfraMachine = "infrastructure machine of a KubeadmControlPlane";
        MachinePoolKubeadmConfig = "KubeadmConfig of a MachinePool";
    }
}

/// The rows below one path of one kind.
#[derive(Debug)]
pub struct EffectBlock {
    pub kind: EditedKind,
    pub v1beta1: &'static str,
    /// The path in v1beta2, and in every version of kinds that are not Cluster API's own.
    pub v1beta2: &'static str,
    pub rows: &'static [Row],
    /// The condition for the effects of rows that have none of their own.
    pub given: Given,
}

/// What an edit of one path does.
#[derive(Debug)]
pub struct Row {
    /// The path in v1beta1, below the block's; `None` where that version has no such field.
    ///
    /// `[name]` is an entry of a list whose entries are identified by that field.
    pub v1beta1: Option<&'static str>,
    pub v1beta2: Option<&'static str>,
    /// The effect of an edit. The row with the longest path decides.
    pub effect: Effect,
    /// The effect of removing an entry of this list that has Machines, where it is another one.
    pub removed: Option<Effect>,
    /// When two values are equal, so that there is no edit.
    pub same: Same,
    /// The condition for the edit to have its effect.
    pub given: Given,
    /// Keys of this map whose edits have their own effects.
    pub keys: &'static [KeyRow],
    /// First version of Cluster API for which this holds.
    pub since: Version,
    /// First version of Cluster API for which it no longer holds.
    pub until: Option<Version>,
}

/// What an edit of one key of a map does.
#[derive(Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// The key; if it has no `/`, a prefix of keys.
    pub key: &'static str,
    /// Which edits of it count.
    pub edit: KeyEdit,
    /// Keys that have to be absent for the edit to have an effect.
    pub held_by: &'static [&'static str],
    pub effect: Effect,
    /// The condition for the edit to have its effect.
    pub given: Given,
    /// First version of Cluster API for which this holds.
    pub since: Version,
}

/// An edit of one key of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyEdit {
    Removed,
    Changed,
}

names! {
    /// A condition for an edit to have its effect; if it does not hold, the edit has none. If it is not known whether it
    /// holds, the effect is not known either.
    Given {
        Always = "";
        /// `replicas` is not 0, in the `spec` or the edited entry of a topology, before and after.
        Replicas = "if there are replicas";
        Topology = "if the Cluster has a topology";
        /// An upgrade of the topology is pending, by the Cluster's condition `TopologyReconciled`.
        PendingUpgrade = "if an upgrade is pending";
        /// An upgrade of the topology is pending that has not begun.
        HeldUpgrade = "if an upgrade is pending that has not begun";
        /// Some Machines are outdated, by the counts in `status`.
        OutdatedMachines = "if some Machines are outdated";
        /// No extension is updating the object in place.
        NoInPlaceUpdate = "unless an extension updates it in place";
    }
}

/// When two values mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// In any order of keys; what is absent is null, an empty list or an empty object.
    Value,
    /// As [`Same::Config`], but an empty list is different from an absent one.
    ListOrNone,
    /// As texts; an empty one is absent.
    Text,
    /// As texts; setting one that was absent is not an edit.
    OrFirst,
    /// As texts; what is absent is `cloud-config`.
    OrCloudConfig,
    /// As texts; what is absent is `IfNotPresent`.
    OrIfNotPresent,
    /// As Kubernetes versions, with or without their `v`.
    Version,
    /// As durations: `60s` is `1m0s`.
    Duration,
    /// As durations in whole seconds, to which v1beta2 converts them.
    Seconds,
    /// As references: group, kind and name.
    Reference,
    /// A time at which something happens: removing it is no edit.
    Appointment,
    /// As selectors: defaulting adds the name of the object's own Cluster, which is not an edit.
    Selector,
    /// As strategies: only a change from OnDelete to another one is an edit.
    NotFromOnDelete,
    /// As a pause: only its end is an edit.
    NotFromPaused,
    /// As the configuration of kubeadm in v1beta1: an empty text, `false` and 0 are absent, except where Go has a pointer.
    Config,
    /// As feature gates of kubeadm: what Cluster API sets by default is not an edit.
    FeatureGates,
}

impl EffectBlock {
    /// The condition for a row of this block to have its effect.
    pub fn condition(&self, row: &Row) -> Given {
        match row.given {
            Given::Always if row.effect > Effect::Nothing => self.given,
            given => given,
        }
    }
}

impl Row {
    /// Whether a version of Cluster API has this row.
    pub fn holds(&self, version: Version) -> bool {
        version.is_between(self.since, self.until)
    }

    /// The row's path from the object's root in v1beta1 and v1beta2, where it has one.
    pub fn paths(&self, block: &EffectBlock) -> [Option<String>; 2] {
        [self.v1beta1.map(|path| joined(block.v1beta1, path)), self.v1beta2.map(|path| joined(block.v1beta2, path))]
    }
}

impl Serialize for Effect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
