//! Cloud tags of a composite, and labels that do not become tags.

mod labels;

pub use self::labels::*;
use crate::json::Malformed;
use crate::report::{IgnoredDefinition, IgnoredReason};
use facts::fact::Fact;
use facts::messages::SettingValue;
use tag_rules::Scope;

/// The warning about a tag that a request edits.
pub(crate) fn restored(tag: &str) -> String {
    format!("cloud tag `{tag}` restored: its label sets the value; change the label")
}

/// The warning about a tag that a request writes with the policy's prefix.
pub(crate) fn removed(tag: &str, rule: &str) -> String {
    format!("cloud tag `{tag}` removed: {rule}")
}

/// The provider of a composite has no profile of its own.
pub(crate) fn unknown_provider(provider: &str, setting: &str, profile: &str) -> String {
    format!("no tag profile for provider `{provider}` (`{setting}`): profile `{profile}` is used")
}

/// The value of the field for a composite's provider is not a string.
pub(crate) fn unusable_provider(malformed: &Malformed, setting: &str, profile: &str) -> String {
    format!("{malformed} (`{setting}`): profile `{profile}` is used")
}

/// The composite names no provider at `place`, a path in it; or its kind names none, if the provider depends on the
/// kind.
pub(crate) fn no_provider(place: &str, setting: &str, profile: &str) -> String {
    format!("`{place}` names no provider (`{setting}`): profile `{profile}` is used")
}

/// The warning, and with the composite's name the log line, about assignments that cannot be used.
pub fn left_alone(problem: &str) -> String {
    format!("cloud tags unchanged: {problem}")
}

/// The same, if the error does not fit.
pub const LEFT_ALONE: &str =
    "cloud tags unchanged: annotation `labels.plexsphere.com/assignments` is not a valid map of assignments";

/// An assignment has a value that cannot be converted to a text.
pub(crate) fn unusable_assignment(key: &str, found: &'static str) -> Fact {
    Fact::UnusableAssignment { key: key.into(), found }
}

/// The same for a field that is not a map.
pub const NO_MAP_LEFT_ALONE: &str = "cloud tags unchanged: the tag field is not a map";

/// Logged when tags are written.
pub fn updated(composite: &str) -> String {
    format!("updated the cloud tags of {composite}")
}

/// Verify mode refuses a composite whose tags are not those of its labels.
pub fn do_not_match(composite: &str, setting: SettingValue<'_>, differences: &str) -> String {
    format!("{composite}: cloud tags do not match the labels ({setting}): {differences}")
}

/// A LabelRegistry is refused for its definitions.
pub fn unusable_registry(registry: &str, problems: &str) -> String {
    format!("{registry}: {problems}")
}

/// A registry object keeps its scope: otherwise its owner could override those with a wider scope.
pub(crate) fn scope_stays(scope: Scope) -> String {
    format!("is `{scope}` and immutable; create a separate LabelRegistry for another scope")
}

/// A registry object keeps its domain and its project, too.
pub(crate) fn owner_stays(owner: &str) -> String {
    format!("is `{owner}` and immutable; create a separate LabelRegistry for another one")
}

/// A registry object with a scope says which domain or project it is of.
pub(crate) fn owner_missing(scope: Scope) -> String {
    format!("is missing: a registry of scope `{scope}` names it")
}

/// A registry object with a scope defines keys of its own form only.
pub(crate) fn key_of_another_owner(form: &str) -> String {
    format!("belongs to another registry: this one defines keys of the form `{form}`")
}

/// The name of a registry object follows from its scope.
pub(crate) fn name_follows(name: &str) -> String {
    format!("must be `{name}`, by which `cloudTags.registry.byScope` finds this registry")
}

/// The registry object with the name of an owner is another one's.
pub(crate) fn of_another_owner(scope: Scope) -> String {
    format!("spec.scope: its name belongs to the registry of another {scope}")
}

/// A registry object without a scope is not found.
pub(crate) const SCOPE_MISSING: &str = "is missing: `cloudTags.registry.byScope` finds registries by their scope";

/// Not all the other registry objects could be read for a comparison.
pub(crate) fn not_compared(query: &str, cause: &str) -> String {
    format!("not compared with all registries: {query}: {cause}")
}

/// The warning about a registry that cannot be read: the tags of the labels that it may define are left as they are.
pub(crate) fn registry_unread(registry: &str, cause: &str, keys: &[&str]) -> Fact {
    let keys = some_keys(keys).unwrap_or_default();
    Fact::RegistryUnread { registry: registry.into(), cause: cause.to_owned(), keys }
}

/// The rule behind each difference of a tag whose definition could not be read.
pub(crate) const UNREAD: &str = "the registry that may define its label cannot be read";

/// A registry object has a definition of another scope than its own.
pub(crate) fn definition_of_another_scope(key: &str, scope: Scope) -> String {
    format!("definition of `{key}` is ignored: scope `{scope}` is not the scope of this registry")
}

/// Logged, after the composite's name, about a definition of one of its labels that does not count.
pub fn ignored_definition(ignored: &IgnoredDefinition) -> String {
    let IgnoredDefinition { qualified_key, registry, scope, reason, counts } = ignored;
    let other = counts.as_deref().unwrap_or_default();
    let reason = match reason {
        IgnoredReason::AnotherScope => format!("scope `{scope}` is not the scope of the object"),
        IgnoredReason::WiderScope => format!("LabelRegistry `{other}` defines the key with a wider scope"),
        IgnoredReason::ListedFirst => format!("LabelRegistry `{other}`, which is listed earlier, also defines the key"),
        IgnoredReason::AnotherForm => "the key belongs to another domain or project".to_owned(),
        IgnoredReason::OwnerUnknown => format!("the object does not say which {scope} it is of"),
        IgnoredReason::AnotherOwner => format!("the composite belongs to another {scope}"),
    };
    format!("definition of `{qualified_key}` in LabelRegistry `{registry}` is ignored: {reason}")
}

/// Definitions whose keys have another form than those of their scope. They count anyway.
pub(crate) fn keys_of_another_form(scope: Scope, form: &str, keys: &[&str]) -> Option<String> {
    let keys = some_keys(keys)?;
    Some(format!("these keys do not have the form `{form}` of scope `{scope}`: {keys}"))
}

/// Another object of the registry has a definition of the key that counts.
pub(crate) fn already_defined(registry: &str, scope: Scope) -> String {
    format!("is already defined in LabelRegistry `{registry}` with scope `{scope}`, which takes precedence")
}

/// Another object of the registry has a definition of the key that no longer counts.
pub(crate) fn wins_over(key: &str, registry: &str) -> String {
    format!("definition of `{key}` in LabelRegistry `{registry}` is ignored from now on: this scope is wider")
}

/// Labels become tags of every composite that has them.
pub(crate) fn begin_to_propagate(keys: &[&str]) -> Option<String> {
    let keys = some_keys(keys)?;
    Some(format!("labels begin to propagate to cloud tags: {keys}"))
}

/// … no longer become tags.
pub(crate) fn stop_propagating(keys: &[&str]) -> Option<String> {
    let keys = some_keys(keys)?;
    Some(format!("labels stop propagating, and their cloud tags are removed: {keys}"))
}

fn some_keys(keys: &[&str]) -> Option<String> {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    (!quoted.is_empty()).then(|| quoted.join(", "))
}

/// A registry object that the settings name must not be deleted.
pub(crate) fn refused_deletion(registry: &str, exempt: &str) -> String {
    format!(
        "{registry} is used by `cloudTags.registry`: without it cloud tags cannot be set; to delete it, first remove it from the \
         settings, or set annotation `{exempt}: <reason>`"
    )
}

/// The rule behind a tag.
pub(crate) fn propagates(label: &str) -> String {
    ["label `", label, "` propagates to cloud tags"].concat()
}

/// The rule behind a tag of an infrastructure cluster.
pub(crate) fn propagates_from(label: &str, cluster: &str) -> String {
    format!("label `{label}` of {cluster} propagates to cloud tags")
}

/// The rule behind the removal of a tag with the policy's prefix.
pub(crate) const NO_LABEL: &str = "no label propagates to this tag";

/// The rule behind the restoration of a tag that a parent's Composition forwards.
pub(crate) const FORWARDED: &str = "the parent composite forwards it";

/// The warning about an edit of such a tag.
pub(crate) fn restored_forwarded(tag: &str) -> String {
    format!("cloud tag `{tag}` restored: the parent composite forwards it; change it there")
}

/// The rule behind each difference of an adopted composite.
pub(crate) const ADOPTED_STAYS: &str = "an adopted composite gets no new tags";

/// The rule behind each difference of the infrastructure cluster of an adopted Cluster.
pub(crate) const ADOPTED_CLUSTER: &str = "an adopted Cluster gets no new tags";

/// The rule behind each difference of a composite whose assignments cannot be used.
pub(crate) const UNUSABLE: &str = "its assignments cannot be used";

/// The same for the assignments of an object that it has labels from.
pub(crate) const UNUSABLE_SOURCE: &str = "assignments of another object cannot be used";

/// The rule behind each difference of an object that has labels from another one, which cannot be read.
pub(crate) const SOURCE_UNREAD: &str = "an object whose labels become tags cannot be read";

/// The rule behind each difference of an object if the registry cannot be read.
pub(crate) const REGISTRY_UNREAD: &str = "the label registry cannot be read";

/// The rule behind each difference of a claim.
pub(crate) const CLAIM_STAYS: &str = "a claim gets no new tags";

/// The rules behind differences that no label makes.
pub(crate) const WITHOUT_LABELS: [&str; 8] =
    [ADOPTED_STAYS, ADOPTED_CLUSTER, CLAIM_STAYS, UNUSABLE, UNUSABLE_SOURCE, SOURCE_UNREAD, REGISTRY_UNREAD, UNREAD];

/// The warning about an edit of a tag of an object whose labels set no tags.
pub(crate) fn restored_for(tag: &str, rule: &str) -> String {
    format!("cloud tag `{tag}` restored: {rule}")
}

/// The rule behind the removal of a map without entries.
pub(crate) const EMPTY_MAP: &str = "no tags are left";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{NoTagReason, TagSkipReason};
    use facts::messages::EntryName;
    use facts::messages::propagation::must_be_removed;
    use tag_rules::profiles::{KeyCharacters, Unit};

    const VM: &str = "XGenericVM team-a/vm-1";

    #[test]
    fn a_label_that_becomes_no_tag_names_limit_and_profile() {
        for (reason, profile, expected) in [
            (reserved_prefix("aws:"), "aws", "keys starting with `aws:` are reserved (profile `aws`)"),
            (key_too_long(128, Unit::Runes), "aws", "tag key longer than 128 characters (profile `aws`)"),
            (key_too_long(255, Unit::Bytes), "openstack", "tag key longer than 255 bytes (profile `openstack`)"),
            (value_too_long(63, Unit::Runes), "hetzner", "value longer than 63 characters (profile `hetzner`)"),
            (
                key_characters(KeyCharacters::LettersDigitsAnd("-_.:/")),
                "generic",
                "only letters, digits and `-_.:/` are allowed (profile `generic`)",
            ),
            (
                key_characters(KeyCharacters::NonControlBut("")),
                "openstack",
                "control characters are not allowed (profile `openstack`)",
            ),
            (
                key_characters(KeyCharacters::NonControlBut("<>%")),
                "azure",
                "control characters and `<>%` are not allowed (profile `azure`)",
            ),
            (limit_reached(32), "generic", "limit of 32 tags reached (profile `generic`)"),
        ] {
            let expected = format!("label `team` not added as a cloud tag: {expected}");
            assert_eq!(not_added("team", &reason, profile), expected);
        }
    }

    #[test]
    fn a_label_whose_tag_a_webhook_does_not_take_names_the_kind() {
        assert_eq!(
            not_taken("team", VALUE_CHARACTERS, "AWSCluster"),
            "label `team` not added as a cloud tag: value has invalid characters (webhook of AWSCluster)"
        );
    }

    #[test]
    fn a_composite_is_named_where_it_is_logged_or_refused() {
        assert_eq!(updated(VM), "updated the cloud tags of XGenericVM team-a/vm-1");
        let surplus = must_be_removed(EntryName { noun: "cloud tag", key: "plexsphere:a" }, "spec.cloudTags", NO_LABEL);
        assert_eq!(
            do_not_match(VM, SettingValue { setting: "mode", value: "verify" }, &surplus),
            "XGenericVM team-a/vm-1: cloud tags do not match the labels (`mode` is `verify`): cloud tag `plexsphere:a` \
             in `spec.cloudTags` must be removed: no label propagates to this tag"
        );
        assert_eq!(
            unusable_registry("LabelRegistry default", "`spec.definitions` is not an object"),
            "LabelRegistry default: `spec.definitions` is not an object"
        );
    }

    #[test]
    fn a_tag_says_where_it_comes_from() {
        assert_eq!(propagates("team"), "label `team` propagates to cloud tags");
        assert_eq!(
            propagates_from("team", "Cluster fleet/c1"),
            "label `team` of Cluster fleet/c1 propagates to cloud tags"
        );
        assert_eq!(
            restored("plexsphere:team"),
            "cloud tag `plexsphere:team` restored: its label sets the value; change the label"
        );
        assert_eq!(
            restored_forwarded("plexsphere:team"),
            "cloud tag `plexsphere:team` restored: the parent composite forwards it; change it there"
        );
        assert_eq!(
            restored_for("plexsphere:team", ADOPTED_STAYS),
            "cloud tag `plexsphere:team` restored: an adopted composite gets no new tags"
        );
        assert_eq!(
            removed("plexsphere:team", NO_LABEL),
            "cloud tag `plexsphere:team` removed: no label propagates to this tag"
        );
    }

    #[test]
    fn a_provider_without_a_profile_is_named_with_its_setting() {
        let setting = "cloudTags.composites[0].provider.path";
        assert_eq!(
            unknown_provider("gcp", setting, "generic"),
            "no tag profile for provider `gcp` (`cloudTags.composites[0].provider.path`): profile `generic` is used"
        );
        assert_eq!(
            no_provider("spec.provider", setting, "generic"),
            "`spec.provider` names no provider (`cloudTags.composites[0].provider.path`): profile `generic` is used"
        );
    }

    #[test]
    fn tags_that_a_cloud_does_not_accept_are_counted() {
        assert_eq!(
            refused_by_cloud("hetzner", 1, "plexsphere:a", rule(TagSkipReason::KeyCharacterClass)),
            "the API of `hetzner` does not accept cloud tag `plexsphere:a`: the key has invalid characters"
        );
        assert_eq!(
            refused_by_cloud("hetzner", 3, "plexsphere:a", rule(TagSkipReason::KeyCharacterClass)),
            "the API of `hetzner` does not accept 3 cloud tags, such as `plexsphere:a`: the key has invalid characters"
        );
    }

    #[test]
    fn a_required_tag_names_its_reason_and_setting() {
        let setting = SettingValue { setting: "cloudTags.required[0].onMissing", value: "reject" };
        assert_eq!(
            refused_without("team", NoTagReason::NoLabel, setting),
            "required cloud tag of label `team` is missing: the label is not set \
             (`cloudTags.required[0].onMissing` is `reject`)"
        );
    }

    #[test]
    fn assignments_that_cannot_be_used_are_named() {
        assert_eq!(
            left_alone("`metadata.annotations[a]` has a number under `team`, not a string"),
            "cloud tags unchanged: `metadata.annotations[a]` has a number under `team`, not a string"
        );
    }
}
