//! What a check found: a fact with its data. `Display` of a fact is its sentence.

use std::fmt;

use crate::messages::EntryName;

/// A key or a path that a fact is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mentioned(pub String);

impl From<&str> for Mentioned {
    fn from(text: &str) -> Mentioned {
        Mentioned(text.to_owned())
    }
}

impl fmt::Display for Mentioned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An entry that a fact is about: ``label `team` ``.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEntry {
    /// `label` or `annotation`.
    pub noun: &'static str,
    /// Its key.
    pub key: String,
}

impl From<EntryName<'_>> for NamedEntry {
    fn from(EntryName { noun, key }: EntryName<'_>) -> NamedEntry {
        NamedEntry { noun, key: key.to_owned() }
    }
}

impl fmt::Display for NamedEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        EntryName { noun: self.noun, key: &self.key }.fmt(f)
    }
}

/// What a fact is about, if a datum says so.
trait Datum {
    fn name(&self) -> Option<&str> {
        None
    }
}

impl Datum for Mentioned {
    fn name(&self) -> Option<&str> {
        Some(&self.0)
    }
}

impl Datum for NamedEntry {
    fn name(&self) -> Option<&str> {
        Some(&self.key)
    }
}

impl Datum for String {}
impl Datum for &str {}

/// The table of facts: a variant with its data, its code in the report, and its sentence.
macro_rules! facts {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* } $reason:literal $sentence:literal;)+) => {
        /// What a check found.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
        pub enum Fact {
            $($(#[$doc])* $name { $($field: $type),* },)+
            /// An edit with this effect changes other paths as well, without replacing anything.
            AlsoInPlace { fact: Box<Fact>, others: InPlacePaths },
            /// What happens to cloud tags on their way; the code says how bad it is.
            TagDelivery { reason: &'static str, sentence: String },
        }

        impl Fact {
            /// The code of the fact in the report: it stays when the sentence changes.
            #[must_use]
            pub fn reason(&self) -> &'static str {
                match self {
                    $(Fact::$name { .. } => $reason,)+
                    Fact::AlsoInPlace { fact, .. } => fact.reason(),
                    Fact::TagDelivery { reason, .. } => reason,
                }
            }

            /// The keys and paths that it is about.
            #[must_use]
            pub fn names(&self) -> Vec<&str> {
                match self {
                    $(Fact::$name { $($field),* } => {
                        let names: &[Option<&str>] = &[$($field.name()),*];
                        names.iter().copied().flatten().collect()
                    })+
                    Fact::AlsoInPlace { fact, .. } => fact.names(),
                    Fact::TagDelivery { sentence, .. } => sentence.split('`').skip(1).step_by(2).collect(),
                }
            }

            /// The sentence without the advice.
            fn write_without_advice(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Fact::$name { $($field),* } => {
                        $(let _ = $field;)*
                        write!(f, $sentence)
                    })+
                    Fact::AlsoInPlace { fact, others } => write!(f, "{}; {others}", fact.without_advice()),
                    Fact::TagDelivery { sentence, .. } => f.write_str(sentence),
                }
            }
        }
    };
}

facts! {
    /// An exemption or an approval does not say why.
    WaiverWithoutReason { annotation: Mentioned } "waiver-without-reason"
        "annotation `{annotation}` has no effect without a reason";
    /// A waiver is a copy of that of an object above.
    CopiedWaiver { annotation: Mentioned, above: String } "waiver-copied"
        "annotation `{annotation}` has no effect here: copied from {above}";
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
    /// A label by which the owner finds an object has another value.
    SelectedLabelChanged { label: Mentioned, owner: String, kind: String } "selected-label-changed"
        "label `{label}` changed: {owner} no longer selects this {kind} and replaces it";
    /// A label by which the owner finds an object is removed.
    SelectedLabelRemoved { label: Mentioned, owner: String, kind: String } "selected-label-removed"
        "label `{label}` removed: {owner} no longer selects this {kind} and replaces it";
    /// The ownerReference to the controller points to another object.
    OwnerChanged { owner: String, kind: String } "owner-changed"
        "ownerReference to {owner} changed: nothing restores it, and this {kind} may be replaced";
    /// The ownerReference to the controller is removed.
    OwnerRemoved { owner: String, kind: String } "owner-removed"
        "ownerReference to {owner} removed: nothing restores it, and this {kind} may be replaced";
    /// A key is in a map that propagates and must not be.
    ReservedKey { entry: NamedEntry, effect: &'static str } "reserved-key"
        "{entry} {effect}";
    /// A key is set on a template that a topology owns, and the topology does not have it: nothing reverts it, and it
    /// propagates to every object below.
    NotFromTopology { entry: NamedEntry, instead: String } "not-from-topology"
        "{entry} is missing from the topology";
    /// A key seems to be meant for Nodes, and another spelling would be synced to them.
    NotSynced { entry: NamedEntry, other: NamedEntry } "not-synced"
        "{entry} is not synced to Nodes";
    /// A label that kubelets and cloud providers set on Nodes, which is only synced with an expression of the user's
    /// own. With another name it would mean nothing.
    NotSyncedWithoutFlag { entry: NamedEntry } "not-synced-without-flag"
        "{entry} is not synced to Nodes";
    /// An annotation seems to be meant for Nodes, and a label of the same key would be synced to them.
    NotSyncedAsAnnotation { entry: NamedEntry } "not-synced-as-annotation"
        "{entry} is not synced to Nodes as an annotation";
    /// An entry seems to be meant for Nodes, and this version of Cluster API does not sync it.
    NotSyncedBefore { entry: NamedEntry, version: String } "not-synced-before"
        "{entry} is not synced to Nodes before Cluster API {version}";

    /// Machines are replaced.
    Replaces { path: Mentioned, machines: &'static str } "replaces-machines"
        "changing `{path}` replaces {machines}";
    /// Machines are outdated, and replaced when somebody deletes them.
    ReplacesWhenDeleted { path: Mentioned, machines: &'static str } "replaces-machines-when-deleted"
        "changing `{path}` replaces {machines} when they are deleted";
    /// Whether Machines are replaced depends on something that the policy does not see.
    MayReplace { path: Mentioned, machines: &'static str } "may-replace-machines"
        "changing `{path}` may replace {machines}";
    /// Whether Machines are replaced depends on patches of the class, which `propagate plan` evaluates.
    PatchesMayReplace { path: Mentioned } "patches-may-replace-machines"
        "changing `{path}` may replace Machines";
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

    /// A label that is meant to become a tag has a value that is no text.
    UnusableAssignment { key: Mentioned, found: &'static str } "unusable-assignment"
        "assignment of `{key}` not added as a cloud tag: its value is {found}";
    /// A composite is marked as adopted: it gets no tags, and needs none.
    AdoptedWaivesTags { label: Mentioned } "adopted-waives-tags"
        "with `{label}` no cloud tags are set, not even required ones";
    /// The origin of a composite is neither of the two known ones.
    UnknownOrigin { label: Mentioned, value: Mentioned, counts: Mentioned, other: Mentioned } "unknown-origin"
        "`{label}` is `{value}`, which counts as `{counts}`; use `{counts}` or `{other}`";
    /// A parent forwards a tag in the spelling of another profile than the composite's.
    ForwardedSpelling { tag: Mentioned, profile: Mentioned } "forwarded-spelling"
        "forwarded cloud tag `{tag}` is not spelled as profile `{profile}` does";
    /// A registry cannot be read, and the tags of labels that it may define are left as they are.
    RegistryUnread { registry: Mentioned, cause: String, keys: String } "registry-unread"
        "LabelRegistry `{registry}`: {cause}; cloud tags unchanged: {keys}";
    /// The assignments of a composite cannot be used.
    UnusableAssignments { problem: String } "unusable-assignments"
        "cloud tags unchanged: {problem}";
}

/// The other paths of an edit that are updated in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InPlacePaths {
    /// All of them.
    Listed(Vec<String>),
    /// How many, if they are too many to list.
    Counted(usize),
}

/// What else an edit changes that replaces Machines.
impl fmt::Display for InPlacePaths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InPlacePaths::Listed(paths) => write!(f, "updated in place: `{}`", paths.join("`, `")),
            InPlacePaths::Counted(1) => f.write_str("1 other field updated in place"),
            InPlacePaths::Counted(count) => write!(f, "{count} other fields updated in place"),
        }
    }
}

impl Fact {
    /// What the user can do instead: text to type, which is never elided.
    pub fn advice(&self) -> Option<String> {
        Some(match self {
            Fact::NotFromTopology { instead, .. } => format!("set it in {instead}"),
            Fact::NotSynced { other, .. } => format!("use {other}"),
            Fact::NotSyncedWithoutFlag { .. } => "to sync such labels, use the manager's flag \
                 `--additional-sync-machine-labels` and `clusterApi.node.additionalLabels`"
                .to_owned(),
            Fact::NotSyncedAsAnnotation { .. } => "use a label".to_owned(),
            Fact::ForwardedSpelling { .. } => "forward `metadata.labels`".to_owned(),
            Fact::PatchesMayReplace { .. } => "`propagate plan --live FILE` can tell".to_owned(),
            Fact::AlsoInPlace { fact, .. } => return fact.advice(),
            _ => return None,
        })
    }

    /// The sentence without the advice.
    pub fn without_advice(&self) -> String {
        fmt::from_fn(|f| self.write_without_advice(f)).to_string()
    }
}

/// One sentence: lower case, no final stop, input in backticks; an advice follows after a semicolon.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_without_advice(f)?;
        self.advice().map_or(Ok(()), |advice| write!(f, "; {advice}"))
    }
}
