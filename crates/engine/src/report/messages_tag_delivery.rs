//! What users read about definitions and Compositions: whether `spec.cloudTags` is kept and reaches the cloud.

use std::fmt;

use crate::catalog::keys::EXEMPT;

/// One sentence about a CompositeResourceDefinition, behind the name of its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefinitionMessage<'a> {
    /// The version has no `openAPIV3Schema`.
    NoSchema,
    /// The schema does not know the field.
    NotDeclared,
    /// Another version's schema knows it.
    DeclaredElsewhere {
        version: &'a str,
    },
    /// Only a schema below `oneOf`, `anyOf` or `allOf` knows it.
    DeclaredBelow {
        keyword: &'a str,
    },
    /// `spec` has `additionalProperties`, which would keep it.
    LeftToAdditionalProperties,
    /// The document's root preserves unknown fields.
    LeftToRoot,
    /// `spec` preserves unknown fields.
    PreservedBySpec,
    /// It is listed in `required`.
    Required,
    NoType,
    WrongType {
        found: &'a str,
    },
    /// The field preserves unknown fields, and says nothing of its values.
    Preserved,
    /// It has `properties`, and no `additionalProperties`.
    ListedKeysOnly,
    /// It has neither, below a `spec` that preserves unknown fields or not.
    NoAdditionalProperties {
        spec_preserves: bool,
    },
    AdditionalPropertiesForbidden,
    AnyValue,
    ValuesOfAnyType,
    ValuesWithoutType,
    ValuesOfWrongType {
        found: &'a str,
    },
    /// `maxProperties` or `maxLength` is below what all profiles allow.
    BelowEveryProfile {
        keyword: &'a str,
        limit: u64,
        needed: usize,
        unit: &'a str,
    },
    /// … below what some profile allows.
    BelowOneProfile {
        keyword: &'a str,
        limit: u64,
        needed: usize,
        unit: &'a str,
    },
    MinProperties {
        least: &'a str,
    },
    MinLength,
    Enum,
    /// A keyword that rejects what it does not match.
    Condition {
        keyword: &'a str,
    },
}

impl fmt::Display for DefinitionMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DefinitionMessage as M;
        match self {
            M::NoSchema => f.write_str("there is no `openAPIV3Schema`, so its composites are not served"),
            M::NotDeclared => f.write_str("`spec.cloudTags` is not declared in the schema and is pruned"),
            M::DeclaredElsewhere { version } => {
                write!(f, "`spec.cloudTags` is declared in version `{version}` but not in this one, and is pruned")
            }
            M::DeclaredBelow { keyword } => {
                write!(f, "`spec.cloudTags` is declared under `{keyword}` only, and is pruned")
            }
            M::LeftToAdditionalProperties => {
                f.write_str("`spec.cloudTags` is pruned: Crossplane ignores `additionalProperties` of `spec`")
            }
            M::LeftToRoot => {
                f.write_str("`spec.cloudTags` is pruned: Crossplane ignores that the root preserves unknown fields")
            }
            M::PreservedBySpec => f.write_str(
                "`spec.cloudTags` is not declared, only preserved as an unknown field; values are not validated",
            ),
            M::Required => f.write_str("`spec.cloudTags` is required, so composites without tags are rejected"),
            M::NoType => f.write_str("`spec.cloudTags` has no `type`, so Crossplane cannot serve the version"),
            M::WrongType { found } => {
                write!(f, "`spec.cloudTags` has type `{found}`, so composites with tags are rejected")
            }
            M::Preserved => f.write_str("`spec.cloudTags` preserves unknown fields, so its values are not validated"),
            M::ListedKeysOnly => {
                f.write_str("`spec.cloudTags` keeps only the keys that its `properties` list; all others are pruned")
            }
            M::NoAdditionalProperties { spec_preserves: true } => f.write_str(
                "`spec.cloudTags` has no `additionalProperties`: its keys are pruned although `spec` is preserved",
            ),
            M::NoAdditionalProperties { spec_preserves: false } => {
                f.write_str("`spec.cloudTags` has no `additionalProperties`, so its keys are pruned")
            }
            M::AdditionalPropertiesForbidden => f.write_str(
                "`additionalProperties` of `spec.cloudTags` is `false`, so composites with tags are rejected",
            ),
            M::AnyValue => f.write_str("`spec.cloudTags` allows any value; what is nested in a value is pruned"),
            M::ValuesOfAnyType => f.write_str("values of `spec.cloudTags` need not be strings"),
            M::ValuesWithoutType => {
                f.write_str("values of `spec.cloudTags` have no `type`, so Crossplane cannot serve the version")
            }
            M::ValuesOfWrongType { found } => {
                write!(f, "values of `spec.cloudTags` have type `{found}`, so composites with tags are rejected")
            }
            M::BelowEveryProfile { keyword, limit, needed, unit } => {
                write!(f, "`{keyword}` {limit} is too low: every tag profile allows at least {needed} {unit}")
            }
            M::BelowOneProfile { keyword, limit, needed, unit } => {
                write!(f, "`{keyword}` {limit} may be too low: a tag profile allows {needed} {unit}")
            }
            M::MinProperties { least } => write!(f, "`minProperties` {least} rejects composites with fewer tags"),
            M::MinLength => f.write_str("`minLength` rejects tags with an empty value"),
            M::Enum => f.write_str("`enum` rejects all tags that it does not list"),
            M::Condition { keyword } => write!(f, "`{keyword}` may reject composites with tags"),
        }
    }
}

/// One sentence about a Composition, behind the name of the resource where it is about one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompositionMessage<'a> {
    /// Nothing brings the tags to the field that holds them.
    NotPatched {
        field: &'a str,
    },
    /// … here, nor in any other resource of the Composition.
    NotPatchedAnywhere {
        field: &'a str,
    },
    /// … and a function that is not known runs later.
    NotPatchedBefore {
        field: &'a str,
    },
    /// … and the kind may not have the field.
    NotPatchedIfDeclared {
        field: &'a str,
    },
    /// What a function does is not known.
    UnknownFunction {
        function: &'a str,
    },
    TagManagerTooEarly,
    TagManagerType {
        found: &'a str,
    },
    NoPatchSet {
        name: &'a str,
    },
    /// The resource has patches, and no step that is known has its base.
    NoBase,
    /// Where the kind has its tags is not known.
    UnknownKind {
        group: &'a str,
        kind: &'a str,
    },
    ListOfTags {
        kind: &'a str,
        field: &'a str,
    },
    ReplacedLater {
        field: &'a str,
    },
    FromEnvironment {
        field: &'a str,
    },
    NoToFieldPath {
        kind: &'a str,
    },
    RequiredSource,
    ReplacesBase,
    ReplacesEarlierPatch,
    Transforms,
    WrongField {
        kind: &'a str,
        to: &'a str,
        field: &'a str,
    },
    UnknownField {
        kind: &'a str,
        to: &'a str,
    },
    MapToList {
        field: &'a str,
    },
    NoTags {
        kind: &'a str,
        to: &'a str,
    },
}

impl fmt::Display for CompositionMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use CompositionMessage as M;
        match self {
            M::NotPatched { field } => write!(f, "`spec.cloudTags` is not patched to `{field}`"),
            M::NotPatchedAnywhere { field } => {
                write!(f, "`spec.cloudTags` is not patched to `{field}` of this or any other resource")
            }
            M::NotPatchedBefore { field } => {
                write!(f, "`spec.cloudTags` is not patched to `{field}`; a later function may set it")
            }
            M::NotPatchedIfDeclared { field } => {
                write!(f, "`spec.cloudTags` is not patched to `{field}`; its kind may not have this field")
            }
            M::UnknownFunction { function } => {
                write!(f, "what function `{function}` does with `spec.cloudTags` is unknown")
            }
            M::TagManagerTooEarly => f.write_str("function-tag-manager runs before any resource is composed"),
            M::TagManagerType { found } => {
                write!(f, "`addTags` of function-tag-manager has type `{found}`, which reads no field of the composite")
            }
            M::NoPatchSet { name } => write!(f, "patch set `{name}` does not exist"),
            M::NoBase => f.write_str("its kind is unknown, because its base is in no other step"),
            M::UnknownKind { group, kind } => write!(f, "where `{kind}` of group `{group}` has its tags is unknown"),
            M::ListOfTags { kind, field } => {
                write!(f, "tags of `{kind}` are a list in `{field}`, which no patch can fill from a map")
            }
            M::ReplacedLater { field } => write!(f, "a later patch replaces `{field}` and all tags in it"),
            M::FromEnvironment { field } => write!(f, "what the environment writes to `{field}` is unknown"),
            M::NoToFieldPath { kind } => {
                write!(f, "patch without `toFieldPath` writes to `spec.cloudTags`, which `{kind}` does not declare")
            }
            M::RequiredSource => f.write_str("policy `Required` blocks the resource of a composite without tags"),
            M::ReplacesBase => {
                f.write_str("patch replaces the tags of the base; `toFieldPath: MergeObjects` keeps them")
            }
            M::ReplacesEarlierPatch => {
                f.write_str("patch replaces the tags of an earlier patch; `toFieldPath: MergeObjects` keeps them")
            }
            M::Transforms => f.write_str("what the `transforms` of the patch make of the tags is unknown"),
            M::WrongField { kind, to, field } => {
                write!(f, "tags are patched to `{to}`; `{kind}` has them in `{field}`")
            }
            M::UnknownField { kind, to } => write!(f, "whether `{to}` of `{kind}` holds tags is unknown"),
            M::MapToList { field } => write!(f, "`spec.cloudTags` is a map and is patched to the list `{field}`"),
            M::NoTags { kind, to } => {
                write!(f, "`spec.cloudTags` is patched to `{to}`; `{kind}` has no map of tags")
            }
        }
    }
}

/// The beginning of sentences about one version of a definition.
pub(crate) fn about_version(name: &str) -> String {
    format!("version `{name}`: ")
}

/// The beginning of sentences about one resource of a Composition. Those of Crossplane 1 need no name.
pub(crate) fn about_resource(name: &str) -> String {
    if name.is_empty() { "resource without a name: ".to_owned() } else { format!("resource `{name}`: ") }
}

/// The annotation that exempts an object gives its reason.
pub(crate) fn exempt(reason: &str) -> String {
    format!("exempt: {reason}")
}

/// The annotation that exempts an object has no value.
pub(crate) fn exempt_without_reason() -> String {
    format!("annotation `{EXEMPT}` has no effect without a reason as its value")
}

/// Findings besides those that are listed.
pub(crate) fn more(count: usize) -> String {
    format!("and {count} more")
}

/// The rule of a declaration that is added to a definition.
pub(crate) const DECLARATION_RULE: &str = "a served version must declare `spec.cloudTags` as a map of strings";

/// A bound in a schema is something else than a number.
pub(crate) const NOT_A_WHOLE_NUMBER: &str = "is not a whole number";

/// Patch sets, once for every resource that names them, come to more than is read.
pub(crate) const TOO_MANY_PATCHES: &str = "exceeds the limit of 16 MiB for expanded patch sets";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::warnings::LONGEST;

    /// Names as long as they are in practice, and the longest path of `CARRIERS`.
    const FIELD: &str = "spec.forProvider.nodeConfig.resourceLabels";
    const TAGS: &str = "spec.forProvider.labels";

    #[track_caller]
    fn check(about: &str, sentences: &[&dyn fmt::Display]) {
        for sentence in sentences {
            let text = format!("{about}{sentence}");
            assert!(text.chars().count() <= LONGEST, "{} characters: {text}", text.chars().count());
            assert!(text.starts_with(|first: char| first.is_lowercase() || first == '`'), "{text}");
            assert!(!text.ends_with(['.', ' ']), "{text}");
        }
    }

    #[test]
    fn sentences_about_a_version_fit_a_warning() {
        use DefinitionMessage as M;
        let (keyword, unit) = ("maxProperties", "characters");
        check(
            &about_version("v1alpha1"),
            &[
                &M::NoSchema,
                &M::NotDeclared,
                &M::DeclaredElsewhere { version: "v1beta1" },
                &M::DeclaredBelow { keyword: "oneOf" },
                &M::LeftToAdditionalProperties,
                &M::LeftToRoot,
                &M::PreservedBySpec,
                &M::Required,
                &M::NoType,
                &M::WrongType { found: "integer" },
                &M::Preserved,
                &M::ListedKeysOnly,
                &M::NoAdditionalProperties { spec_preserves: true },
                &M::NoAdditionalProperties { spec_preserves: false },
                &M::AdditionalPropertiesForbidden,
                &M::AnyValue,
                &M::ValuesOfAnyType,
                &M::ValuesWithoutType,
                &M::ValuesOfWrongType { found: "integer" },
                &M::BelowEveryProfile { keyword, limit: 31, needed: 256, unit },
                &M::BelowOneProfile { keyword, limit: 63, needed: 256, unit },
                &M::MinProperties { least: "2" },
                &M::MinLength,
                &M::Enum,
                &M::Condition { keyword: "x-kubernetes-validations" },
            ],
        );
    }

    #[test]
    fn sentences_about_a_resource_fit_a_warning() {
        use CompositionMessage as M;
        let (kind, group, field, to) = ("SecurityGroup", "ec2.aws.m.upbound.io", TAGS, "spec.forProvider.metadata");
        check(
            &about_resource("instance"),
            &[
                &M::NotPatched { field: FIELD },
                &M::NotPatchedAnywhere { field },
                &M::NotPatchedBefore { field },
                &M::NotPatchedIfDeclared { field },
                &M::NoPatchSet { name: "tags" },
                &M::NoBase,
                &M::UnknownKind { group, kind },
                &M::ListOfTags { kind, field },
                &M::ReplacedLater { field: FIELD },
                &M::FromEnvironment { field: FIELD },
                &M::NoToFieldPath { kind },
                &M::RequiredSource,
                &M::ReplacesBase,
                &M::ReplacesEarlierPatch,
                &M::Transforms,
                &M::WrongField { kind: "Instance", to: TAGS, field: "spec.forProvider.tags" },
                &M::UnknownField { kind, to },
                &M::MapToList { field: FIELD },
                &M::NoTags { kind, to },
            ],
        );
        check(
            "",
            &[
                &M::UnknownFunction { function: "function-go-templating" },
                &M::TagManagerTooEarly,
                &M::TagManagerType { found: "FromEnvironmentFieldPath" },
                &exempt_without_reason(),
                &exempt("a reason"),
                &more(3),
                &DECLARATION_RULE,
            ],
        );
    }
}
