//! What users read about definitions and Compositions: whether `spec.cloudTags` is kept, and patched to where a cloud
//! takes tags from.

use std::fmt::{Display, from_fn};

/// The beginning of sentences about one version of a definition.
pub(crate) fn about_version(name: &str) -> String {
    format!("version `{name}`: ")
}

/// The beginning of sentences about one resource of a Composition. Those of Crossplane 1 need no name.
pub(crate) fn about_resource(name: &str) -> String {
    if name.is_empty() { "resource without a name: ".to_owned() } else { format!("resource `{name}`: ") }
}

/// … that is never created for the reason in the sentence.
pub(crate) fn about_failed_resource(name: &str) -> String {
    if name.is_empty() {
        "a resource is not created: ".to_owned()
    } else {
        format!("resource `{name}` is not created: ")
    }
}

/// The beginning of sentences about a function that fails: then Crossplane composes nothing at all.
pub(crate) const ABOUT_FAILED_COMPOSITION: &str = "no resource is composed: ";

/// An annotation exempts the object; its value is the reason.
pub(crate) fn exempt(reason: &str) -> impl Display {
    from_fn(move |f| write!(f, "exempt: {reason}"))
}

/// An annotation would exempt the object, and has no value.
pub(crate) fn exempt_without_reason(annotation: &str) -> impl Display {
    from_fn(move |f| write!(f, "annotation `{annotation}` has no effect without a reason"))
}

/// There are more findings than the report lists.
pub(crate) fn more(count: usize) -> String {
    format!("and {count} more")
}

/// The warning, and with the definition's name the log line, when a definition gets a declaration.
pub fn declared(version: &str) -> String {
    format!("version `{version}`: declared `spec.cloudTags` as a map of strings")
}

/// The rule behind a declaration that is added to a definition.
pub(crate) const DECLARATION_RULE: &str = "a served version must declare `spec.cloudTags` as a map of strings";

/// A bound in a schema is not a number.
pub(crate) const NOT_A_WHOLE_NUMBER: &str = "is not a whole number";

/// The expanded size of patch sets and wildcards is over the limit.
pub(crate) fn too_many_patches(mebibytes: usize) -> String {
    format!("exceeds the limit of {mebibytes} MiB for expanded patches")
}

/// A field path has more steps than an object can have levels.
pub(crate) fn too_deep(steps: usize) -> String {
    format!("has more than {steps} segments")
}

/// A version has no schema at all.
pub(crate) const NO_SCHEMA: &str = "no `openAPIV3Schema`, so composites of this version are not served";

/// No version's schema declares the field.
pub(crate) const NOT_DECLARED: &str = "`spec.cloudTags` is not declared in the schema and is pruned";

/// Another version's schema declares it.
pub(crate) fn declared_elsewhere(version: &str) -> impl Display {
    from_fn(move |f| {
        write!(f, "`spec.cloudTags` is declared in version `{version}` but not in this one, and is pruned")
    })
}

/// Only a schema below `anyOf` or `allOf` of `spec` declares it, which Crossplane does not copy.
pub(crate) fn declared_under(keyword: &str) -> String {
    format!("`spec.cloudTags` is declared under `{keyword}` only, and is pruned")
}

/// Only a schema below `oneOf` of `spec` declares it, which Crossplane copies.
pub(crate) const DECLARED_UNDER_ONE_OF: &str =
    "`spec.cloudTags` is declared under `oneOf` only, so Crossplane cannot serve the version";

/// A keyword is below a junctor, where the API server does not allow it.
pub(crate) fn not_structural(keyword: &str, junctor: &str) -> impl Display {
    from_fn(move |f| write!(f, "`{keyword}` under `{junctor}` is not structural: Crossplane cannot serve the version"))
}

/// The schema of `spec` or of the root has rules.
pub(crate) fn validations_of(of: &str) -> impl Display {
    from_fn(move |f| write!(f, "`x-kubernetes-validations` of {of} may reject composites with tags"))
}

/// The field has a default, in most cases an empty map.
pub(crate) const DEFAULT: &str =
    "`default` adds a map where tags are absent: `Required` patches run, and `Replace` removes base tags";

/// The field has both, and the second is a schema or `false`.
pub(crate) const PROPERTIES_AND_ADDITIONAL: &str =
    "`additionalProperties` beside `properties`: Crossplane cannot serve the version";

/// The schema of `spec` has `additionalProperties`, which would keep it.
pub(crate) const ADDITIONAL_PROPERTIES_OF_SPEC: &str =
    "`spec.cloudTags` is pruned: Crossplane ignores `additionalProperties` of `spec`";

/// The root of the schema preserves unknown fields.
pub(crate) const PRESERVING_ROOT: &str =
    "`spec.cloudTags` is pruned: Crossplane ignores the root's `x-kubernetes-preserve-unknown-fields`";

/// `spec` preserves unknown fields.
pub(crate) const PRESERVING_SPEC: &str =
    "`spec.cloudTags` is not declared, only preserved as an unknown field; values are not validated";

/// The field is in the list `required`.
pub(crate) const REQUIRED: &str = "`spec.cloudTags` is required, so composites without tags are rejected";

/// The field has no type.
pub(crate) const NO_TYPE: &str = "`spec.cloudTags` has no `type`, so Crossplane cannot serve the version";

/// The field is not an object.
pub(crate) fn wrong_type(found: &str) -> impl Display {
    from_fn(move |f| write!(f, "`spec.cloudTags` has type `{found}`, so composites with tags are rejected"))
}

/// The field preserves unknown fields and does not declare its values.
pub(crate) const PRESERVED: &str = "`spec.cloudTags` preserves unknown fields, so its values are not validated";

/// The field has `properties` and no `additionalProperties`.
pub(crate) const LISTED_KEYS_ONLY: &str =
    "`spec.cloudTags` keeps only the keys that its `properties` list; all others are pruned";

/// The field has neither.
pub(crate) const NO_ADDITIONAL_PROPERTIES: &str =
    "`spec.cloudTags` has no `additionalProperties`, so its keys are pruned";

/// The field has neither, and `spec` preserves unknown fields.
pub(crate) const NO_ADDITIONAL_PROPERTIES_IN_PRESERVING_SPEC: &str =
    "`additionalProperties` is missing: tags are pruned although `spec` preserves unknown fields";

/// `additionalProperties` is `false`.
pub(crate) const NO_OTHER_KEYS: &str =
    "`additionalProperties` of `spec.cloudTags` is `false`, so composites with tags are rejected";

/// `additionalProperties` is `true`.
pub(crate) const ANY_VALUE: &str = "`spec.cloudTags` allows any value; what is nested in a value is pruned";

/// A value may be a number, or anything.
pub(crate) const VALUES_OF_ANY_TYPE: &str = "values of `spec.cloudTags` need not be strings";

/// The schema of a value has no type.
pub(crate) const VALUES_WITHOUT_TYPE: &str =
    "values of `spec.cloudTags` have no `type`, so Crossplane cannot serve the version";

/// A value is not a string.
pub(crate) fn values_of_wrong_type(found: &str) -> impl Display {
    from_fn(move |f| write!(f, "values of `spec.cloudTags` have type `{found}`, so composites with tags are rejected"))
}

/// `maxProperties` or `maxLength` is lower than the lowest limit of all profiles.
pub(crate) fn below_every_profile(keyword: &str, limit: u64, needed: usize, unit: &str) -> impl Display {
    from_fn(move |f| write!(f, "`{keyword}` {limit} is too low: every tag profile allows at least {needed} {unit}"))
}

/// … lower than the highest.
pub(crate) fn below_some_profile(keyword: &str, limit: u64, needed: usize, unit: &str) -> impl Display {
    from_fn(move |f| write!(f, "`{keyword}` {limit} may be too low: a tag profile allows {needed} {unit}"))
}

/// A composite needs more than one tag.
pub(crate) fn min_properties(least: &str) -> impl Display {
    from_fn(move |f| write!(f, "`minProperties` {least} rejects composites with fewer tags"))
}

/// A value may not be empty.
pub(crate) const MIN_LENGTH: &str = "`minLength` rejects tags with an empty value";

/// The schema lists the allowed keys.
pub(crate) const ENUM: &str = "`enum` rejects all tags that it does not list";

/// The schema has a condition that is not evaluated here.
pub(crate) fn condition(keyword: &str) -> impl Display {
    from_fn(move |f| write!(f, "`{keyword}` may reject composites with tags"))
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use facts::annotations::EXEMPT;
    use facts::shortening::LONGEST;

    /// The longest path of `CARRIERS`, and one of those that are common.
    const LONG: &str = "spec.forProvider.nodeConfig.resourceLabels";
    const FIELD: &str = "spec.forProvider.labels";

    #[track_caller]
    fn check(about: &str, sentences: &[&dyn Display]) {
        for sentence in sentences {
            let text = format!("{about}{sentence}");
            assert!(text.chars().count() <= LONGEST, "{} characters: {text}", text.chars().count());
            assert!(text.starts_with(|first: char| first.is_lowercase() || first == '`'), "{text}");
            assert!(!text.ends_with(['.', ' ']), "{text}");
        }
    }

    #[test]
    fn sentences_about_a_version_fit_a_warning() {
        check(
            &about_version("v1alpha1"),
            &[
                &NO_SCHEMA,
                &NOT_DECLARED,
                &declared_elsewhere("v1beta1"),
                &declared_under("anyOf"),
                &DECLARED_UNDER_ONE_OF,
                &not_structural("x-kubernetes-int-or-string", "oneOf"),
                &validations_of("the root"),
                &DEFAULT,
                &PROPERTIES_AND_ADDITIONAL,
                &ADDITIONAL_PROPERTIES_OF_SPEC,
                &PRESERVING_ROOT,
                &PRESERVING_SPEC,
                &REQUIRED,
                &NO_TYPE,
                &wrong_type("integer"),
                &PRESERVED,
                &LISTED_KEYS_ONLY,
                &NO_ADDITIONAL_PROPERTIES,
                &NO_ADDITIONAL_PROPERTIES_IN_PRESERVING_SPEC,
                &NO_OTHER_KEYS,
                &ANY_VALUE,
                &VALUES_OF_ANY_TYPE,
                &VALUES_WITHOUT_TYPE,
                &values_of_wrong_type("integer"),
                &below_every_profile("maxLength", 62, 256, "characters"),
                &below_some_profile("maxProperties", 63, 256, "tags"),
                &min_properties("2"),
                &MIN_LENGTH,
                &ENUM,
                &condition("x-kubernetes-validations"),
            ],
        );
    }

    #[test]
    fn sentences_about_a_resource_fit_a_warning() {
        let kind = "SecurityGroup";
        check(
            &about_resource("instance"),
            &[
                &not_patched(LONG),
                &exempt_without_reason(EXEMPT),
                &replaced_later(LONG),
                &overwritten_later(LONG),
                &kept_from_merge(FIELD),
                &REPLACES_BASE,
                &REPLACES_EARLIER_PATCH,
                &wrong_field("Instance", FIELD, "spec.forProvider.tags"),
                &NESTED_WITHOUT_TAGS,
                &list_of_tags("AutoscalingGroup", "spec.forProvider.tag"),
                &newer_field("Function", FIELD, "v2.6.0"),
                &INITIAL_TAGS,
                &NEVER_UPDATED,
            ],
        );
        check(
            &about_failed_resource("instance"),
            &[
                &NO_TO_FIELD_PATH,
                &REQUIRED_SOURCE,
                &required_and_absent("spec.parameters.owner"),
                &undeclared_field(FIELD, "spec.forProvider.tags"),
                &no_label_keys("metadata.labels"),
                &maybe_no_label_keys("metadata.labels"),
                &keys_refuse_resource(':', "openstack-strict"),
                &keys_dropped(':', "azure"),
                &map_to_text(FIELD),
                &not_a_map("a string", FIELD),
                &map_to_list("spec.forProvider.tags"),
                &no_tags(kind, "spec.forProvider.tags"),
            ],
        );
        check(
            "",
            &[
                &TAG_MANAGER_TOO_EARLY,
                &tag_manager_type("FromEnvironmentFieldPath"),
                &tag_manager_removes("plexsphere:a"),
                &tag_manager_ignores("plexsphere:platform/env"),
                &tag_manager_overwrites("plexsphere:platform/env"),
            ],
        );
    }

    #[test]
    fn sentences_about_a_function_that_fails_fit_a_warning() {
        let check_all = |problems: &[&dyn Display]| check(ABOUT_FAILED_COMPOSITION, problems);
        check_all(&[
            &no_patch_set("tags"),
            &PATCH_SET_IN_PATCH_SET,
            &unknown_input_field("comment"),
            &missing_input_field("patchSetName"),
            &UNUSABLE_INPUT_VALUE,
            &unknown_input_value("policy.toFieldPath", "MergeAll"),
            &unusable_path(".spec.forProvider.tags", "unexpected `.` at position 0"),
            &no_match("spec.forProvider.tags[*]"),
            &transform_of_a_map("convert"),
            &no_earlier_base("instance"),
        ]);
    }

    /// They are in the report only, which cuts nothing.
    #[test]
    fn what_is_unknown_is_a_sentence_too() {
        let (kind, group) = ("SecurityGroup", "ec2.aws.m.upbound.io");
        check(
            &about_resource(""),
            &[
                &not_patched_so_far(FIELD),
                &NO_BASE,
                &unknown_kind(group, kind),
                &from_environment(FIELD),
                &TRANSFORMS,
                &unknown_field(kind, FIELD),
                &LABELS_OF_ITS_OWN,
                &LABELS_OF_THE_REGISTRY,
            ],
        );
        check("", &[&unknown_function("function-of-ours"), &program("function-kcl"), &exempt("a reason"), &more(3)]);
        check("", &[&DECLARATION_RULE]);
    }

    #[test]
    fn a_declaration_names_its_version() {
        assert_eq!(declared("v1"), "version `v1`: declared `spec.cloudTags` as a map of strings");
    }

    #[test]
    fn a_resource_is_named_where_it_has_a_name() {
        assert_eq!(about_resource("vm"), "resource `vm`: ");
        assert_eq!(about_resource(""), "resource without a name: ");
    }
}
