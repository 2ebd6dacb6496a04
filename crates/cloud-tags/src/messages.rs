//! Cloud tags of a composite, and labels that do not become tags.

use crate::report::{IgnoredDefinition, IgnoredReason};
use kubernetes::{SettingValue, sentences};
use tag_rules::Scope;

sentences! {
    /// Logged when tags are written.
    pub updated(composite: &str) "updated the cloud tags of {composite}";
    /// Verify mode refuses a composite whose tags are not those of its labels.
    pub do_not_match(composite: &str, setting: SettingValue<'_>, differences: &str)
        "{composite}: cloud tags do not match the labels ({setting}): {differences}";
    /// A LabelRegistry is refused for its definitions.
    pub unusable_registry(registry: &str, problems: &str) "{registry}: {problems}";
    /// A registry object keeps its scope: otherwise its owner could override those with a wider scope.
    pub(crate) scope_stays(scope: Scope)
        "is `{scope}` and immutable; create a separate LabelRegistry for another scope";
    /// A registry object keeps its domain and its project, too.
    pub(crate) owner_stays(owner: &str) "is `{owner}` and immutable; create a separate LabelRegistry for another one";
    /// A registry object with a scope says which domain or project it is of.
    pub(crate) owner_missing(scope: Scope) "is missing: a registry of scope `{scope}` names it";
    /// A registry object with a scope has definitions of that scope only.
    pub(crate) of_another_scope(scope: Scope) "would be ignored: scope `{scope}` is not the scope of this registry";
    /// A registry object with a scope defines keys of its own form only.
    pub(crate) key_of_another_owner(form: &str)
        "belongs to another registry: this one defines keys of the form `{form}`";
    /// The name of a registry object follows from its scope.
    pub(crate) name_follows(name: &str) "must be `{name}`, by which `cloudTags.registry.byScope` finds this registry";
    /// The registry object with the name of an owner is another one's.
    pub(crate) of_another_owner(scope: Scope) "spec.scope: its name belongs to the registry of another {scope}";
}

/// A registry object without a scope is not found.
pub(crate) const SCOPE_MISSING: &str = "is missing: `cloudTags.registry.byScope` finds registries by their scope";

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
        IgnoredReason::Seeded => "a seeded definition cannot be changed".to_owned(),
    };
    format!("definition of `{qualified_key}` in LabelRegistry `{registry}` is ignored: {reason}")
}

sentences! {
    /// Another object of the registry has a definition of the key that counts.
    pub(crate) already_defined(registry: &str, scope: Scope)
        "is already defined in LabelRegistry `{registry}` with scope `{scope}`, which takes precedence";
    /// A registry object that the settings name must not be deleted.
    pub(crate) refused_deletion(registry: &str, exempt: &str)
        "{registry} is used by `cloudTags.registry`: without it cloud tags cannot be set; to delete it, first remove it from the \
         settings, or set annotation `{exempt}: <reason>`";
}

/// Logged for each label that does not become a tag; its attributes say which, and why.
pub const LABEL_NOT_ADDED: &str = "label not added as a cloud tag";
