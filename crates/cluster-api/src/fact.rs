//! What the checks of Cluster API's objects find, with its data. `Display` of a fact is its sentence.

use std::fmt;

use kubernetes::{Datum, Mentioned, MentionedKeys, NamedEntry, NamedSource, Sentence, Typed, facts};

facts! {
    /// What a check of Cluster API's objects found.
    ClusterApiFact {
        /// An edit with this effect changes other paths as well, without replacing anything.
        AlsoInPlace { fact: Box<ClusterApiFact>, others: InPlacePaths } "{}{others}" with fact.without_advice();
    }

    /// An exemption or an approval does not say why.
    WaiverWithoutReason { annotation: Mentioned } "waiver-without-reason"
        "annotation `{annotation}` has no effect without a reason";
    /// A waiver is a copy of that of an owner.
    CopiedWaiver { annotation: Mentioned, from: String } "waiver-copied"
        "annotation `{annotation}` has no effect here: copied from {from}";
    /// It is not known whether a waiver is a copy.
    UnreadWaiver { annotation: Mentioned, query: String } "waiver-source-unread"
        "annotation `{annotation}` has no effect: cannot read {query}";
    /// A stored waiver of an object whose creation is not checked does not count for users who may not set it.
    WaiverOfOthers { annotation: Mentioned, setting: Mentioned } "waiver-of-others"
        "annotation `{annotation}` is valid here only for users in `{setting}`";
    /// A user sets a waiver and may not.
    ForbiddenWaiver { annotation: Mentioned } "waiver-forbidden"
        "annotation `{annotation}` may not be set by this user";
    /// An object without controller gets a label that names an owner.
    Adoption { label: Mentioned, kind: String } "adoption"
        "label `{label}` without an ownerReference lets a controller adopt and delete this {kind}";
    /// A Machine of another controller gets the label of a control plane.
    MixedControlPlane { label: Mentioned, control_plane: String } "mixed-control-plane"
        "label `{label}` on a Machine that {control_plane} does not own blocks reconciliation of that control plane";
    /// An object gets the labels of a topology entry, which has its own object.
    SecondOfTopologyEntry { label: Mentioned, kind: String, entry: Mentioned, cluster: String }
        "second-of-topology-entry"
        "label `{label}` on a second {kind} for `{entry}` blocks topology reconciliation of Cluster {cluster}";
    /// An object gets the labels of a topology entry that does not exist.
    TopologyEntryMissing { label: Mentioned, kind: String, entry: Mentioned, cluster: String }
        "topology-entry-missing"
        "label `{label}`: Cluster {cluster} has no topology entry `{entry}`, so its controller deletes this {kind}";
    /// An object gets the label of a topology's objects without the one that names the entry.
    TopologyObjectWithoutName { label: Mentioned, name_label: Mentioned, cluster: String }
        "topology-object-without-name"
        "label `{label}` without `{name_label}` blocks topology reconciliation of Cluster {cluster}";
    /// The selector of a MachineDeployment or MachineSet changes.
    SelectorChanged { path: Mentioned } "selector-changed"
        "`{path}` changed: objects it no longer selects are orphaned, and new ones are created";
    /// A label that the owner needs has another value.
    SelectedLabelChanged { label: Mentioned, owner: String, effect: &'static str } "selected-label-changed"
        "label `{label}` changed: {owner} {effect}";
    /// A label that the owner needs is removed.
    SelectedLabelRemoved { label: Mentioned, owner: String, effect: &'static str } "selected-label-removed"
        "label `{label}` removed: {owner} {effect}";
    /// The ownerReference to the controller points to another object.
    OwnerChanged { owner: String, kind: String } "owner-changed"
        "ownerReference to {owner} changed: nothing restores it, and this {kind} may be replaced";
    /// The ownerReference to the controller is removed.
    OwnerRemoved { owner: String, kind: String } "owner-removed"
        "ownerReference to {owner} removed: any controller that selects this {kind} may adopt it";
    /// A key is in a map that propagates and must not be.
    ReservedKey { entry: NamedEntry, effect: &'static str } "reserved-key"
        "{entry} {effect}";
    /// A key is set on a template that a topology owns, and the topology does not have it: nothing reverts it, and it
    /// propagates to every object below.
    NotFromTopology { entry: NamedEntry, instead: SetInstead } "not-from-topology"
        "{entry} is missing from the topology"
        advice "set it in {instead}";
    /// A key seems to be meant for Nodes, and another spelling would be synced to them.
    NotSynced { entry: NamedEntry, other: Typed } "not-synced"
        "{entry} is not synced to Nodes"
        advice "use {other}";
    /// A label that kubelets and cloud providers set on Nodes, which is only synced with an expression of the user's
    /// own. With another name it would mean nothing.
    NotSyncedWithoutFlag { entry: NamedEntry } "not-synced-without-flag"
        "{entry} is not synced to Nodes"
        advice "to sync such labels, use the manager's flag `--additional-sync-machine-labels` and \
         `clusterApi.node.additionalLabels`";
    /// An annotation seems to be meant for Nodes, and a label of the same key would be synced to them.
    NotSyncedAsAnnotation { entry: NamedEntry } "not-synced-as-annotation"
        "{entry} is not synced to Nodes as an annotation"
        advice "use a label";
    /// An entry seems to be meant for Nodes, and this version of Cluster API does not sync it.
    NotSyncedBefore { entry: NamedEntry, version: String } "not-synced-before"
        "{entry} is not synced to Nodes before Cluster API {version}";
    /// The class has no infrastructure for the Machines of its control plane.
    NoMachineInfrastructure { keys: MentionedKeys } "no-machine-infrastructure"
        "not set in `spec.machineTemplate`, as the ClusterClass has no `machineInfrastructure`: {keys}";
    /// Machines are replaced.
    Replaces { path: Mentioned, machines: &'static str } "replaces-machines"
        "changing `{path}` replaces {machines}";
    /// Machines are replaced when the pause of the object ends.
    ReplacesAfterPause { path: Mentioned, machines: &'static str } "replaces-machines-after-pause"
        "changing `{path}` replaces {machines} when the pause ends";
    /// A pause ends, and it is not known whether something changed meanwhile.
    Resumes { path: Mentioned, machines: &'static str } "resumes"
        "ending the pause by `{path}` replaces {machines} if changes are pending";
    /// Machines are outdated, and replaced when somebody deletes them.
    ReplacesWhenDeleted { path: Mentioned, machines: &'static str } "replaces-machines-when-deleted"
        "changing `{path}` replaces {machines} when they are deleted";
    /// Whether Machines are replaced depends on something that the policy does not see.
    MayReplace { path: Mentioned, machines: &'static str } "may-replace-machines"
        "changing `{path}` may replace {machines}";
    /// Whether Machines are replaced depends on patches of the class, which `propagate plan` evaluates.
    PatchesMayReplace { path: Mentioned } "patches-may-replace-machines"
        "changing `{path}` may replace Machines"
        advice "`propagate plan --live FILE` can tell";
    /// Machines are replaced at a time that the edit sets.
    Schedules { path: Mentioned, machines: &'static str } "schedules-replacement"
        "changing `{path}` schedules the replacement of {machines}";
    /// The object loses its Machines, and others are created.
    Orphans { path: Mentioned, machines: &'static str } "orphans-machines"
        "changing `{path}` orphans existing {machines} and creates new ones";
    /// An entry of a topology is removed or renamed.
    Deletes { path: Mentioned } "deletes-machines"
        "removing `{path}` deletes its Machines";
    /// An annotation that defers an upgrade is removed, and an upgrade is pending.
    Releases { path: Mentioned } "releases-upgrade"
        "removing `{path}` lets a pending upgrade replace Machines";
    /// An annotation that defers an upgrade is removed, and it is not known whether an upgrade is pending.
    MayRelease { path: Mentioned } "may-release-upgrade"
        "removing `{path}` replaces Machines if an upgrade is pending";
    /// The API server would reject the key of an entry.
    InvalidKey { entry: NamedEntry, source: NamedSource } "invalid-key"
        "{entry} not propagated: the key is not valid; change it on {source}";
    /// … its value.
    InvalidValue { entry: NamedEntry, source: NamedSource } "invalid-value"
        "{entry} not propagated: the value is not valid; change it on {source}";
    /// … the length of a list.
    ListTooLong { entry: NamedEntry, source: NamedSource } "list-too-long"
        "{entry} not propagated: the list would be too long; change it on {source}";
    /// … the size of all annotations.
    AnnotationTooLarge { entry: NamedEntry, source: NamedSource } "annotation-too-large"
        "{entry} not propagated: the annotations would exceed 256 KiB; change it on {source}";
    /// The same, once for all entries that do not fit.
    AnnotationsTooLarge { entries: EntryCount } "annotations-too-large"
        "{entries} not propagated: annotations of an object are limited to 256 KiB in total";
    /// A request sets a key at a place from which nothing propagates, although the object has a place from which it
    /// would.
    NotPropagatedFromHere { entry: NamedEntry, instead: SetInstead } "not-propagated-from-here"
        "{entry} is not propagated from here"
        advice "set it in {instead}";
}

/// What one check of Cluster API's objects found.
pub type Finding = kubernetes::Finding<ClusterApiFact>;

/// The other paths of an edit that are updated in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlacePaths {
    /// The first of them; `None` if it does not fit into a warning.
    pub first: Option<String>,
    /// How many others there are.
    pub more: usize,
}

/// What else an edit changes that replaces Machines.
impl fmt::Display for InPlacePaths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.first, self.more) {
            (None, _) => Ok(()),
            (Some(first), 0) => write!(f, "; updated in place: `{first}`"),
            (Some(first), more) => write!(f, "; updated in place: `{first}` and {more} more"),
        }
    }
}

impl Datum for InPlacePaths {
    fn gives_way(&mut self) -> bool {
        self.first = None;
        false
    }
}

/// Where to set an entry that does not propagate from where it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetInstead {
    /// A path in the same object.
    Here(String),
    /// A path in the kind of a source of the object.
    Source(String),
}

impl fmt::Display for SetInstead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetInstead::Here(path) => write!(f, "`{path}`"),
            SetInstead::Source(place) => f.write_str(place),
        }
    }
}

impl Datum for SetInstead {}

/// How many entries: `1 entry`, `2 entries`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryCount(pub usize);

impl fmt::Display for EntryCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "entry" } else { "entries" })
    }
}

impl Datum for EntryCount {}
