//! What users read about the resources of a Composition, and about the functions that compose them.

use std::fmt::{Display, from_fn};

use setting_types::PatternError;

/// No patch copies the tags to the field that holds them.
pub(crate) fn not_patched(field: &str) -> impl Display {
    from_fn(move |f| write!(f, "`spec.cloudTags` is not patched to `{field}`"))
}

/// … and a function that is not known runs later.
pub(crate) fn not_patched_so_far(field: &str) -> impl Display {
    from_fn(move |f| write!(f, "`spec.cloudTags` is not patched to `{field}`; a later function may set it"))
}

/// A step runs a function that is not known.
pub(crate) fn unknown_function(function: &str) -> impl Display {
    from_fn(move |f| write!(f, "the effect of function `{function}` on `spec.cloudTags` is unknown"))
}

/// A step runs a function that composes resources by a program.
pub(crate) fn program(function: &str) -> impl Display {
    from_fn(move |f| write!(f, "function `{function}` composes resources with a program, which is not evaluated"))
}

/// function-tag-manager is in an earlier step than all resources.
pub(crate) const TAG_MANAGER_TOO_EARLY: &str =
    "function-tag-manager runs before any resource is composed and tags none";

/// function-tag-manager is configured to take `spec.cloudTags` from somewhere other than the composite.
pub(crate) fn tag_manager_type(found: &str) -> impl Display {
    from_fn(move |f| {
        write!(f, "`addTags` of function-tag-manager has type `{found}`, which does not read the composite")
    })
}

/// function-tag-manager is configured to remove a tag of a label.
pub(crate) fn tag_manager_removes(key: &str) -> String {
    format!("`removeTags` of function-tag-manager removes cloud tag `{key}`")
}

/// … to leave it as it is in the cloud.
pub(crate) fn tag_manager_ignores(key: &str) -> String {
    format!("`ignoreTags` of function-tag-manager keeps the cloud's value of cloud tag `{key}`")
}

/// … to set it to a fixed value.
pub(crate) fn tag_manager_overwrites(key: &str) -> String {
    format!("`addTags` of function-tag-manager overwrites cloud tag `{key}`")
}

/// Another step, or the function itself, overwrites single tags.
pub(crate) fn overwritten_later(field: &str) -> impl Display {
    from_fn(move |f| write!(f, "a later patch overwrites cloud tags in `{field}`"))
}

/// A patch refers to a patch set that does not exist.
pub(crate) fn no_patch_set(name: &str) -> String {
    format!("patch set `{name}` does not exist")
}

/// A patch of a patch set refers to a patch set.
pub(crate) const PATCH_SET_IN_PATCH_SET: &str = "a patch set names another patch set";

/// The input of a function is decoded strictly.
pub(crate) fn unknown_input_field(field: &str) -> String {
    format!("field `{field}` is unknown to the function")
}

/// A patch, a patch set or a resource lacks a required field.
pub(crate) fn missing_input_field(field: &str) -> String {
    format!("`{field}` is missing")
}

/// A patch has a type or a policy that does not exist.
pub(crate) fn unknown_input_value(field: &str, value: &str) -> String {
    format!("`{value}` is not a value of `{field}`")
}

/// A regular expression does not compile.
pub(crate) fn invalid_expression(field: &str, error: &PatternError) -> String {
    format!("`{field}`: {error}")
}

/// The input of a function has a value of another type.
pub(crate) const UNUSABLE_INPUT_VALUE: &str = "the value has another type than the function expects";

/// A path that Crossplane cannot parse or follow.
pub(crate) fn unusable_path(path: &str, problem: &str) -> String {
    format!("path `{path}`: {problem}")
}

/// A path with a wildcard that matches nothing.
pub(crate) fn no_match(path: &str) -> String {
    format!("path `{path}` matches nothing")
}

/// A resource without a base joins one of an earlier step, and there is none.
pub(crate) fn no_earlier_base(name: &str) -> String {
    format!("resource `{name}` has no base, and no earlier step composes it")
}

/// A resource has patches, and no known step has its base.
pub(crate) const NO_BASE: &str = "has no base in this step, so its kind is unknown";

/// No table of `CARRIERS` has the kind.
pub(crate) fn unknown_kind(group: &str, kind: &str) -> impl Display {
    from_fn(move |f| write!(f, "the tag field of `{kind}` (group `{group}`) is unknown"))
}

/// The kind has a list of tags.
pub(crate) fn list_of_tags(kind: &str, field: &str) -> impl Display {
    from_fn(move |f| write!(f, "tags of `{kind}` are a list in `{field}`: a function has to fill it"))
}

/// A patch after the one that copies the tags replaces them.
pub(crate) fn replaced_later(field: &str) -> impl Display {
    from_fn(move |f| write!(f, "a later patch replaces `{field}` and all tags in it"))
}

/// A patch fills the field from the environment.
pub(crate) fn from_environment(field: &str) -> impl Display {
    from_fn(move |f| write!(f, "the value that the environment provides for `{field}` is unknown"))
}

/// A patch from `spec.cloudTags` has no target, which means the field of the same name.
pub(crate) const NO_TO_FIELD_PATH: &str =
    "`toFieldPath` is missing, so tags are patched to `spec.cloudTags` of the resource";

/// A patch from `spec.cloudTags` requires the field to exist.
pub(crate) const REQUIRED_SOURCE: &str = "a patch with `fromFieldPath: Required` fails if there are no tags";

/// A patch from `spec.cloudTags` replaces tags of the resource's base.
pub(crate) const REPLACES_BASE: &str = "patch replaces the tags of the base; `toFieldPath: MergeObjects` keeps them";

/// … replaces what an earlier patch wrote.
pub(crate) const REPLACES_EARLIER_PATCH: &str =
    "patch replaces the tags of an earlier patch; `toFieldPath: MergeObjects` keeps them";

/// … merges into a field that already has cloud tags, which are kept.
pub(crate) fn kept_from_merge(field: &str) -> impl Display {
    from_fn(move |f| write!(f, "cloud tags already set in `{field}` take precedence over those of the composite"))
}

/// A transform is given a map, and fails.
pub(crate) fn transform_of_a_map(transform: &str) -> String {
    format!("transform `{transform}` does not accept a map such as `spec.cloudTags`")
}

/// … has transforms.
pub(crate) const TRANSFORMS: &str = "the effect of the patch's `transforms` on the tags is unknown";

/// … goes to a field other than the one for tags.
pub(crate) fn wrong_field(kind: &str, to: &str, field: &str) -> impl Display {
    from_fn(move |f| write!(f, "tags are patched to `{to}`, but `{kind}` uses `{field}`"))
}

/// … goes to a field that the kind has in newer releases of its provider.
pub(crate) fn newer_field(kind: &str, to: &str, after: &str) -> impl Display {
    from_fn(move |f| write!(f, "`{kind}` has `{to}` only in releases of its provider after {after}"))
}

/// … goes to a field that the kind does not have.
pub(crate) fn undeclared_field(to: &str, field: &str) -> impl Display {
    from_fn(move |f| write!(f, "tags are patched to `{to}` instead of `{field}`"))
}

/// … goes to labels or annotations of the Kubernetes object, whose keys have no colon.
pub(crate) fn no_label_keys(to: &str) -> impl Display {
    from_fn(move |f| write!(f, "tags are patched to `{to}`, where their keys are not valid"))
}

/// … the same if it depends on the composite's provider.
pub(crate) fn maybe_no_label_keys(to: &str) -> impl Display {
    from_fn(move |f| write!(f, "tags are patched to `{to}`, where the keys of some profiles are not valid"))
}

/// The cloud refuses a resource of this kind because of a character in the keys of its tags.
pub(crate) fn keys_refuse_resource(char: char, profile: &str) -> impl Display {
    from_fn(move |f| write!(f, "its cloud refuses tag keys with `{char}`; use profile `{profile}`"))
}

/// … drops the tags.
pub(crate) fn keys_dropped(char: char, profile: &str) -> impl Display {
    from_fn(move |f| write!(f, "its cloud drops tags whose keys have `{char}`; use profile `{profile}`"))
}

/// … goes to a place where a text is expected.
pub(crate) fn map_to_text(to: &str) -> impl Display {
    from_fn(move |f| write!(f, "a map is patched to `{to}`, which is a string"))
}

/// The field for tags has a value that is not a map.
pub(crate) fn not_a_map(found: &str, field: &str) -> impl Display {
    from_fn(move |f| write!(f, "{found} is patched to `{field}`, which is a map"))
}

/// A patch that requires a field which never exists.
pub(crate) fn required_and_absent(from: &str) -> impl Display {
    from_fn(move |f| write!(f, "`{from}` is `Required` and never exists"))
}

/// Tags reach the cloud only when the resource is created.
pub(crate) const INITIAL_TAGS: &str = "tags in `spec.initProvider` are set at creation only and never change";

/// The provider creates the cloud's resource, and never changes it.
pub(crate) const NEVER_UPDATED: &str = "without `Update` in `managementPolicies` tags are set at creation only";

/// A nested composite gets nothing that could become its tags.
pub(crate) const NESTED_WITHOUT_TAGS: &str =
    "neither `spec.cloudTags` nor labels that propagate to tags are patched to this composite";

/// … gets single labels that the registry defines.
pub(crate) const LABELS_OF_THE_REGISTRY: &str = "whether its labels propagate to tags depends on the label registry";

/// A nested composite gets no tags, and has its own from its labels.
pub(crate) const LABELS_OF_ITS_OWN: &str = "the nested composite has its own labels, and its tags are set from them";

/// … goes to a field that may hold tags.
pub(crate) fn unknown_field(kind: &str, to: &str) -> impl Display {
    from_fn(move |f| write!(f, "whether `{to}` of `{kind}` holds tags is unknown"))
}

/// … goes to a list.
pub(crate) fn map_to_list(field: &str) -> impl Display {
    from_fn(move |f| write!(f, "a map is patched to `{field}`, which is a list"))
}

/// … goes to a kind without a map of tags.
pub(crate) fn no_tags(kind: &str, to: &str) -> impl Display {
    from_fn(move |f| write!(f, "tags are patched to `{to}`; `{kind}` has no map of tags"))
}
