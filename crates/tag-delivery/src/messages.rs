//! What users read about definitions and Compositions: whether `spec.cloudTags` is kept, and patched to where a cloud
//! takes tags from.

mod resources;

use std::fmt::{Display, from_fn};

pub(crate) use self::resources::*;

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
