//! What is found about cloud tags and the label registry, with its data. `Display` of a fact is its sentence.

use crate::json::Malformed;
use crate::tag_reason::{LabelProblem, LimitSource, NoTagReason};
use kubernetes::{ChangeRule, InvolvedObject, LookupCause, Mentioned, MentionedKeys, Sentence, StoredTags, facts};
use tag_rules::TagSkipReason;

facts! {
    /// What is found about cloud tags and the label registry.
    CloudTagFact {}

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
        "forwarded cloud tag `{tag}` is not spelled as profile `{profile}` does"
        advice "forward `metadata.labels`";
    /// A registry cannot be read, and the tags of labels that it may define are left as they are.
    RegistryUnread { registry: Mentioned, cause: LookupCause, keys: MentionedKeys } "registry-unread"
        "LabelRegistry `{registry}`: {cause}; cloud tags unchanged: {keys}";
    /// A registry changes a definition that every installation has.
    SeededDefinition { key: Mentioned, registry: Mentioned } "seeded-definition"
        "definition of `{key}` in LabelRegistry `{registry}` is ignored: a seeded definition cannot be changed";
    /// The assignments of a composite, or its tags, cannot be used.
    UnusableAssignments { problem: InvolvedObject } "unusable-assignments"
        "cloud tags unchanged: {problem}";
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
    /// Definitions whose keys have another form than those of their scope. They count anyway.
    KeysOfAnotherForm { form: Mentioned, scope: &'static str, keys: MentionedKeys } "keys-of-another-form"
        "these keys do not have the form `{form}` of scope `{scope}`: {keys}";
    /// Another object of the registry has a definition of the key that no longer counts.
    DefinitionOverridden { key: Mentioned, registry: Mentioned } "definition-overridden"
        "definition of `{key}` in LabelRegistry `{registry}` is ignored from now on: this one precedes it";
    /// Labels become tags of every composite that has them.
    LabelsBeginToPropagate { keys: MentionedKeys } "labels-begin-to-propagate"
        "labels begin to propagate to cloud tags: {keys}";
    /// … no longer become tags.
    LabelsStopPropagating { keys: MentionedKeys } "labels-stop-propagating"
        "labels stop propagating, and their cloud tags are removed: {keys}";
}

/// What one check of cloud tags found.
pub type Finding = kubernetes::Finding<CloudTagFact>;
