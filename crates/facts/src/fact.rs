//! What a check found: a fact with its data. `Display` of a fact is its sentence.

use std::fmt;

use kubernetes::cluster::LookupCause;

use crate::change_reason::{ChangeReason, NamedSource};
use crate::change_rule::{ChangeRule, StoredTags};
use crate::datum::{Datum, EntryCount, Mentioned, MentionedKeys, NamedEntry, SetInstead, UnusableValue};
use crate::fact_table::facts;
use crate::json::Malformed;
use crate::tag_fault::TagFinding;
use crate::tag_reason::{LabelProblem, LimitSource, NoTagReason, TagSkipReason};

facts! {
    /// What a check found.
    Fact {
        /// An edit with this effect changes other paths as well, without replacing anything.
        AlsoInPlace { fact: Box<Fact>, others: InPlacePaths } "{}; {others}" with fact.without_advice();
        /// What is wrong with a definition or a Composition of cloud tags.
        TagDelivery { fault: TagFinding } "{fault}";
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
    NotFromTopology { entry: NamedEntry, instead: SetInstead } "not-from-topology"
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

    /// The class has no infrastructure for the Machines of its control plane.
    NoMachineInfrastructure { keys: MentionedKeys } "no-machine-infrastructure"
        "not set in `spec.machineTemplate`, as the ClusterClass has no `machineInfrastructure`: {keys}";

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
    RegistryUnread { registry: Mentioned, cause: LookupCause, keys: MentionedKeys } "registry-unread"
        "LabelRegistry `{registry}`: {cause}; cloud tags unchanged: {keys}";
    /// A registry changes a definition that every installation has.
    SeededDefinition { key: Mentioned, registry: Mentioned } "seeded-definition"
        "definition of `{key}` in LabelRegistry `{registry}` is ignored: a seeded definition cannot be changed";
    /// The assignments of a composite, or its tags, cannot be used.
    UnusableAssignments { problem: UnusableValue } "unusable-assignments"
        "cloud tags unchanged: {problem}";

    /// An entry was missing.
    EntryAdded { entry: NamedEntry, reason: ChangeReason } "entry-added"
        "{entry} added: {reason}";
    /// An entry had another value.
    EntryCorrected { entry: NamedEntry, reason: ChangeReason } "entry-corrected"
        "{entry} corrected: {reason}";
    /// The request changed or removed a correct entry.
    EntryRestored { entry: NamedEntry, reason: ChangeReason } "entry-restored"
        "{entry} restored: {reason}";
    /// The same, and the settings leave the edit.
    EntryEdited { entry: NamedEntry, reason: ChangeReason } "entry-edited"
        "{entry} edited but not restored: {reason}";
    /// The same, and restoring it could make the user its owner.
    EntryLeftToClusterApi { entry: NamedEntry } "entry-left-to-cluster-api"
        "{entry} not restored by this policy: no readable managedFields; Cluster API restores it";
    /// The policy had added the entry.
    EntryRemoved { entry: NamedEntry, reason: ChangeReason } "entry-removed"
        "{entry} removed: {reason}";
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
        "{entry} is not propagated from here; set it in {instead}";
    /// An account that is not listed writes as Cluster API's own controllers do.
    UnlistedController { account: Mentioned, manager: Mentioned } "unlisted-controller"
        "`{account}` (field manager `{manager}`) is not listed in `clusterApi.controllers`";
    /// An object that is needed could not be read.
    Unread { object: String, cause: LookupCause } "unread"
        "cannot read {object}: {cause}";

    /// A definition gets a declaration of the field for tags.
    Declared { version: Mentioned } "declared"
        "version `{version}`: declared `spec.cloudTags` as a map of strings";
    /// A request edits a tag.
    TagRestored { tag: Mentioned } "tag-restored"
        "cloud tag `{tag}` restored: its label sets the value; change the label";
    /// … that a parent's Composition forwards.
    ForwardedTagRestored { tag: Mentioned } "forwarded-tag-restored"
        "cloud tag `{tag}` restored: the parent composite forwards it; change it there";
    /// … of an object whose labels set no tags.
    StoredTagRestored { tag: Mentioned, reason: StoredTags } "stored-tag-restored"
        "cloud tag `{tag}` restored: {reason}";
    /// A request writes a tag with the policy's prefix.
    TagRemoved { tag: Mentioned, rule: ChangeRule } "tag-removed"
        "cloud tag `{tag}` removed: {rule}";
    /// The cloud's API rejects a tag.
    TagRefused { cloud: &'static str, tag: Mentioned, problem: TagSkipReason } "tag-refused"
        "the API of `{cloud}` does not accept cloud tag `{tag}`: {problem}";
    /// The cloud's API rejects several tags; one is named.
    TagsRefused { cloud: &'static str, count: usize, tag: Mentioned, problem: TagSkipReason } "tags-refused"
        "the API of `{cloud}` does not accept {count} cloud tags, such as `{tag}`: {problem}";
    /// A label does not become a tag.
    LabelNotAdded { label: Mentioned, problem: LabelProblem, limits: LimitSource } "label-not-added"
        "label `{label}` not added as a cloud tag: {problem} ({limits})";
    /// A composite does not have a required tag.
    RequiredTagMissing { label: Mentioned, reason: NoTagReason } "required-tag-missing"
        "required cloud tag of label `{label}` is missing: {reason}";
    /// The provider of a composite has no profile of its own.
    UnknownProvider { provider: Mentioned, setting: Mentioned, profile: &'static str } "unknown-provider"
        "no tag profile for provider `{provider}` (`{setting}`): profile `{profile}` is used";
    /// The value of the field for a composite's provider is not a string.
    UnusableProvider { problem: Malformed, setting: Mentioned, profile: &'static str } "unusable-provider"
        "{problem} (`{setting}`): profile `{profile}` is used";
    /// The composite names no provider at `place`, a path in it; or its kind names none, if the provider depends on the
    /// kind.
    NoProvider { place: Mentioned, setting: Mentioned, profile: &'static str } "no-provider"
        "`{place}` names no provider (`{setting}`): profile `{profile}` is used";

    /// Not all the other registry objects could be read for a comparison.
    RegistriesNotCompared { query: String, cause: LookupCause } "registries-not-compared"
        "not compared with all registries: {query}: {cause}";
    /// A registry object has a definition of another scope than its own.
    DefinitionOfAnotherScope { key: Mentioned, scope: &'static str } "definition-of-another-scope"
        "definition of `{key}` is ignored: scope `{scope}` is not the scope of this registry";
    /// Definitions whose keys have another form than those of their scope. They count anyway.
    KeysOfAnotherForm { form: Mentioned, scope: &'static str, keys: MentionedKeys } "keys-of-another-form"
        "these keys do not have the form `{form}` of scope `{scope}`: {keys}";
    /// Another object of the registry has a definition of the key that no longer counts.
    DefinitionOverridden { key: Mentioned, registry: Mentioned } "definition-overridden"
        "definition of `{key}` in LabelRegistry `{registry}` is ignored from now on: this scope is wider";
    /// Labels become tags of every composite that has them.
    LabelsBeginToPropagate { keys: MentionedKeys } "labels-begin-to-propagate"
        "labels begin to propagate to cloud tags: {keys}";
    /// … no longer become tags.
    LabelsStopPropagating { keys: MentionedKeys } "labels-stop-propagating"
        "labels stop propagating, and their cloud tags are removed: {keys}";
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
    pub(crate) fn without_advice(&self) -> String {
        fmt::from_fn(|f| self.write_sentence(f)).to_string()
    }
}

/// One sentence: lower case, no final stop, input in backticks; an advice follows after a semicolon.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_sentence(f)?;
        self.advice().map_or(Ok(()), |advice| write!(f, "; {advice}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_is_named_with_its_cause() {
        for (cause, expected) in [
            (LookupCause::NotFound, "not found"),
            (LookupCause::NotServed, "not served by the API server in this version"),
            (LookupCause::NotGranted, "not listed in the policy's `contextAwareResources`"),
            (LookupCause::NoCapability, "capability `kubernetes/get_resource` is not granted"),
            (LookupCause::Forbidden, "forbidden for the PolicyServer's ServiceAccount"),
            (LookupCause::Unavailable, "the Kubernetes API could not be queried"),
            (LookupCause::Unreadable, "not of the expected shape"),
            (LookupCause::TooManyReads, "too many reads"),
        ] {
            let fact = Fact::Unread { object: "v1 Kind a/b".to_owned(), cause };
            assert_eq!(fact.to_string(), format!("cannot read v1 Kind a/b: {expected}"));
        }
    }

    #[test]
    fn a_place_is_a_path_in_the_object_or_a_source() {
        let entry = NamedEntry { noun: "label", key: "team".to_owned() };
        for (instead, expected) in [
            (SetInstead::Here("spec.template.metadata.labels".to_owned()), "`spec.template.metadata.labels`"),
            (SetInstead::Source("MachineDeployment fleet/md".to_owned()), "MachineDeployment fleet/md"),
        ] {
            let fact = Fact::NotPropagatedFromHere { entry: entry.clone(), instead };
            assert_eq!(fact.to_string(), format!("label `team` is not propagated from here; set it in {expected}"));
        }
    }

    #[test]
    fn entries_are_counted_in_words() {
        let of = |count| Fact::AnnotationsTooLarge { entries: EntryCount(count) }.to_string();
        let rest = "not propagated: annotations of an object are limited to 256 KiB in total";
        assert_eq!([of(1), of(2)], [format!("1 entry {rest}"), format!("2 entries {rest}")]);
    }

    #[test]
    fn every_code_has_one_meaning() {
        let mut codes = [Fact::REASONS, crate::tag_fault::TagFault::REASONS].concat();
        codes.sort_unstable();
        let all = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), all);
    }
}
