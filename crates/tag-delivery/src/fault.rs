//! What can be wrong with a definition or a Composition: how `spec.cloudTags` is lost, or why it is not known whether it is.

use crate::path_problem::PathProblem;
use kubernetes::settings::PatternError;
use kubernetes::{Mentioned, Sentence, facts};
use tag_rules::TagSkipReason;

facts! {
    /// What can be wrong with a definition or a Composition.
    TagFault {}

    /// An annotation exempts the object; its value is the reason.
    Exempt { reason: String } "tags-exempt"
        "exempt: {reason}";
    /// An annotation would exempt the object, and has no value.
    ExemptWithoutReason { annotation: Mentioned } "tags-exempt-without-reason"
        "annotation `{annotation}` has no effect without a reason";
    /// A definition gets a declaration of the field for tags: a warning only.
    Declared "declared"
        "declared `spec.cloudTags` as a map of strings";
    /// There are more findings than the report lists.
    More { count: usize } "tags-more"
        "and {count} more";

    /// A version has no schema at all.
    NoSchema "tags-no-schema"
        "no `openAPIV3Schema`, so composites of this version are not served";
    /// No version's schema declares the field.
    NotDeclared "tags-not-declared"
        "`spec.cloudTags` is not declared in the schema and is pruned";
    /// Another version's schema declares it.
    DeclaredElsewhere { version: Mentioned } "tags-declared-elsewhere"
        "`spec.cloudTags` is declared in version `{version}` but not in this one, and is pruned";
    /// Only a schema below `anyOf` or `allOf` of `spec` declares it, which Crossplane does not copy.
    DeclaredUnder { keyword: Mentioned } "tags-declared-under-junctor"
        "`spec.cloudTags` is declared under `{keyword}` only, and is pruned";
    /// Only a schema below `oneOf` of `spec` declares it, which Crossplane copies.
    DeclaredUnderOneOf { keyword: Mentioned } "tags-declared-under-one-of"
        "`spec.cloudTags` is declared under `{keyword}` only, so Crossplane cannot serve the version";
    /// A keyword is below a junctor, where the API server does not allow it.
    NotStructural { keyword: Mentioned, junctor: Mentioned } "tags-schema-not-structural"
        "`{keyword}` under `{junctor}` is not structural: Crossplane cannot serve the version";
    /// A keyword with which Crossplane cannot read the schema, or the API server refuses it.
    RefusedKeyword { keyword: &'static str, problem: &'static str } "tags-schema-refused"
        "`{keyword}` {problem}: Crossplane cannot serve the version";
    /// `oneOf` of `spec` accepts no composite that has tags.
    OneOf "tags-one-of"
        "`oneOf` of `spec` rejects composites with tags";
    /// The schema of `spec` or of the root has rules.
    Validations { of: &'static str } "tags-validations"
        "`x-kubernetes-validations` of {of} may reject composites with tags";
    /// The field has a default, in most cases an empty map.
    Default "tags-default"
        "`default` adds a map where tags are absent: `Required` patches run, and `Replace` removes base tags";
    /// … with a key of the policy's own, which no label sets.
    DefaultTag { key: Mentioned } "tags-default-tag"
        "`default` adds tag `{key}` again whenever the policy removes it";
    /// The field has both, and the second is a schema or `false`.
    PropertiesAndAdditional "tags-properties-and-additional"
        "`additionalProperties` beside `properties`: Crossplane cannot serve the version";
    /// The schema of `spec` has `additionalProperties`, which would keep it.
    AdditionalPropertiesOfSpec { keyword: Mentioned } "tags-additional-properties-of-spec"
        "`spec.cloudTags` is pruned: Crossplane ignores `{keyword}` of `spec`";
    /// The root of the schema preserves unknown fields.
    PreservingRoot { keyword: Mentioned } "tags-preserving-root"
        "`spec.cloudTags` is pruned: Crossplane ignores the root's `{keyword}`";
    /// `spec` preserves unknown fields.
    PreservingSpec "tags-preserving-spec"
        "`spec.cloudTags` is not declared, only preserved as an unknown field; values are not validated";
    /// The field is in the list `required`.
    Required "tags-required"
        "`spec.cloudTags` is required, so composites without tags are rejected";
    /// The field has no type.
    NoType "tags-no-type"
        "`spec.cloudTags` has no `type`, so Crossplane cannot serve the version";
    /// The field is not an object.
    WrongType { found: Mentioned } "tags-wrong-type"
        "`spec.cloudTags` has type `{found}`, so composites with tags are rejected";
    /// The field preserves unknown fields and does not declare its values.
    Preserved "tags-preserved"
        "`spec.cloudTags` preserves unknown fields, so its values are not validated";
    /// The field has `properties` and no `additionalProperties`.
    ListedKeysOnly { keyword: Mentioned } "tags-listed-keys-only"
        "`spec.cloudTags` keeps only the keys that its `{keyword}` list; all others are pruned";
    /// The field has neither.
    NoAdditionalProperties "tags-no-additional-properties"
        "`spec.cloudTags` has no `additionalProperties`, so its keys are pruned";
    /// The field has neither, and `spec` preserves unknown fields.
    NoAdditionalPropertiesInPreservingSpec "tags-no-additional-properties-in-preserving-spec"
        "`additionalProperties` is missing: tags are pruned although `spec` preserves unknown fields";
    /// `additionalProperties` is `false`.
    NoOtherKeys "tags-no-other-keys"
        "`additionalProperties` of `spec.cloudTags` is `false`, so composites with tags are rejected";
    /// `additionalProperties` is `true`.
    AnyValue "tags-any-value"
        "`spec.cloudTags` allows any value; what is nested in a value is pruned";
    /// A value may be a number, or anything.
    ValuesOfAnyType "tags-values-of-any-type"
        "values of `spec.cloudTags` need not be strings";
    /// The schema of a value has no type.
    ValuesWithoutType "tags-values-without-type"
        "values of `spec.cloudTags` have no `type`, so Crossplane cannot serve the version";
    /// A value is not a string.
    ValuesOfWrongType { found: Mentioned } "tags-values-of-wrong-type"
        "values of `spec.cloudTags` have type `{found}`, so composites with tags are rejected";
    /// `maxProperties` or `maxLength` is lower than the lowest limit of all profiles.
    BelowEveryProfile { keyword: &'static str, limit: u64, needed: usize, unit: &'static str }
        "tags-limit-below-every-profile"
        "`{keyword}` {limit} is too low: every tag profile allows at least {needed} {unit}";
    /// … lower than the highest.
    BelowSomeProfile { keyword: &'static str, limit: u64, needed: usize, unit: &'static str }
        "tags-limit-below-some-profile"
        "`{keyword}` {limit} may be too low: a tag profile allows {needed} {unit}";
    /// A composite needs more than one tag.
    MinProperties { least: String } "tags-min-properties"
        "`minProperties` {least} rejects composites with fewer tags";
    /// A composite needs a certain tag.
    RequiredTag { key: Mentioned } "tags-required-tag"
        "`required` rejects composites without tag `{key}`";
    /// The field must be a Kubernetes object.
    EmbeddedResource { keyword: Mentioned } "tags-embedded-resource"
        "`{keyword}` rejects composites with tags, which are no Kubernetes object";
    /// A value may not be empty.
    MinLength "tags-min-length"
        "`minLength` rejects tags with an empty value";
    /// The schema lists the allowed keys.
    Enum "tags-enum"
        "`enum` rejects all tags that it does not list";
    /// The schema has a condition that is not evaluated here.
    Condition { keyword: &'static str } "tags-condition"
        "`{keyword}` may reject composites with tags";

    /// No patch copies the tags to the field that holds them.
    NotPatched { field: Mentioned } "tags-not-patched"
        "`spec.cloudTags` is not patched to `{field}`";
    /// … and a function that is not known runs later.
    NotPatchedSoFar { field: Mentioned } "tags-not-patched-so-far"
        "`spec.cloudTags` is not patched to `{field}`; a later function may set it";
    /// A step runs a function that is not known.
    UnknownFunction { function: Mentioned } "tags-unknown-function"
        "the effect of function `{function}` on `spec.cloudTags` is unknown";
    /// A step runs a function that composes resources by a program.
    Program { function: Mentioned } "tags-program"
        "function `{function}` composes resources with a program, which is not evaluated";
    /// function-tag-manager is in an earlier step than all resources.
    TagManagerTooEarly "tags-manager-too-early"
        "function-tag-manager runs before any resource is composed and tags none";
    /// function-tag-manager is configured to take `spec.cloudTags` from somewhere other than the composite.
    TagManagerType { found: Mentioned } "tags-manager-type"
        "`addTags` of function-tag-manager has type `{found}`, which does not read the composite";
    /// function-tag-manager is configured to remove a tag of a label.
    TagManagerRemoves { key: Mentioned } "tags-manager-removes"
        "`removeTags` of function-tag-manager removes cloud tag `{key}`";
    /// … to leave it as it is in the cloud.
    TagManagerIgnores { key: Mentioned } "tags-manager-ignores"
        "`ignoreTags` of function-tag-manager keeps the cloud's value of cloud tag `{key}`";
    /// … to set it to a fixed value.
    TagManagerOverwrites { key: Mentioned } "tags-manager-overwrites"
        "`addTags` of function-tag-manager overwrites cloud tag `{key}`";
    /// … to remove or ignore keys that the author of the composite lists.
    TagManagerKeysOfAuthor { list: &'static str } "tags-manager-keys-of-author"
        "`{list}` of function-tag-manager has keys of the author: any cloud tag may be among them";
    /// … or that are not known.
    TagManagerKeysUnknown { list: &'static str } "tags-manager-keys-unknown"
        "which keys `{list}` of function-tag-manager has is unknown";
    /// A patch may write a mark with which function-tag-manager ignores the resource.
    TagManagerMayIgnore { map: &'static str, mark: Mentioned } "tags-manager-may-ignore"
        "function-tag-manager adds no tags if the patched `metadata.{map}` has `{mark}`";
    /// … to keep what a resource already has.
    TagManagerRetains { field: Mentioned } "tags-manager-retains"
        "`addTags` has `policy: Retain`: tags already set in `{field}` take precedence";
    /// A resource has the mark with which the function ignores it, and nothing else fills its field.
    TagManagerSkips { mark: &'static str } "tags-manager-skips"
        "function-tag-manager ignores it because of `{mark}`";
    /// A patch after the one that copies the tags, or the function itself, overwrites single tags.
    OverwrittenLater { field: Mentioned } "tags-overwritten-later"
        "a later patch overwrites cloud tags in `{field}`";
    /// A patch after the one that copies the tags replaces them.
    ReplacedLater { field: Mentioned } "tags-replaced-later"
        "a later patch replaces `{field}` and all tags in it";
    /// A patch fills the field from the environment.
    FromEnvironment { field: Mentioned } "tags-from-environment"
        "the value that the environment provides for `{field}` is unknown";

    /// A map of the environment is merged with the tags, and replaces those with the same keys.
    EnvironmentWins { field: Mentioned } "tags-environment-wins"
        "a map of the environment is merged in `{field}`: which cloud tags it replaces is unknown";

    /// A patch refers to a patch set that does not exist.
    NoPatchSet { name: Mentioned } "tags-no-patch-set"
        "patch set `{name}` does not exist";
    /// A patch of a patch set refers to a patch set.
    PatchSetInPatchSet "tags-patch-set-in-patch-set"
        "a patch set names another patch set";
    /// The input of a function is decoded strictly.
    UnknownInputField { field: Mentioned } "tags-unknown-input-field"
        "field `{field}` is unknown to the function";
    /// A patch, a patch set or a resource lacks a required field.
    MissingInputField { field: Mentioned } "tags-missing-input-field"
        "`{field}` is missing";
    /// A patch has a type or a policy that does not exist.
    UnknownInputValue { value: Mentioned, field: Mentioned } "tags-unknown-input-value"
        "`{value}` is not a value of `{field}`";
    /// A regular expression does not compile.
    InvalidExpression { field: Mentioned, error: PatternError } "tags-invalid-expression"
        "`{field}`: {error}";
    /// The input of a function has a value of another type.
    UnusableInputValue "tags-unusable-input-value"
        "the value has another type than the function expects";
    /// A path that Crossplane cannot parse or follow.
    UnusablePath { path: Mentioned, problem: PathProblem } "tags-unusable-path"
        "path `{path}`: {problem}";
    /// A path with a wildcard that matches nothing.
    NoMatch { path: Mentioned } "tags-no-match"
        "path `{path}` matches nothing";
    /// A resource without a base joins one of an earlier step, and there is none.
    NoEarlierBase { name: Mentioned } "tags-no-earlier-base"
        "resource `{name}` has no base, and no earlier step composes it";
    /// A transform is given a map, and fails.
    TransformOfAMap { transform: Mentioned } "tags-transform-of-a-map"
        "transform `{transform}` does not accept a map such as `spec.cloudTags`";
    /// A patch that requires a field which never exists.
    RequiredAndAbsent { from: Mentioned } "tags-required-and-absent"
        "`{from}` is `Required` and never exists";

    /// A resource has patches, and no known step has its base.
    NoBase "tags-no-base"
        "has no base in this step, so its kind is unknown";
    /// No table of `CARRIERS` has the kind.
    UnknownKind { kind: Mentioned, group: Mentioned } "tags-unknown-kind"
        "the tag field of `{kind}` (group `{group}`) is unknown";
    /// What a resource makes has no tags in a cloud.
    NoCloudTags { kind: Mentioned } "tags-no-cloud"
        "`{kind}` has no cloud tags";
    /// The kind has a list of tags.
    ListOfTags { kind: Mentioned, field: Mentioned } "tags-list-of-tags"
        "tags of `{kind}` are a list in `{field}`: a function has to fill it";
    /// A patch from `spec.cloudTags` has no target, which means the field of the same name.
    NoToFieldPath "tags-no-to-field-path"
        "`toFieldPath` is missing, so tags are patched to `spec.cloudTags` of the resource";
    /// A patch from `spec.cloudTags` requires the field to exist.
    RequiredSource "tags-required-source"
        "a patch with `fromFieldPath: Required` fails if there are no tags";
    /// A patch from `spec.cloudTags` replaces tags of the resource's base.
    ReplacesBase "tags-replace-base"
        "patch replaces the tags of the base; `toFieldPath: MergeObjects` keeps them";
    /// … replaces what an earlier patch wrote.
    ReplacesEarlierPatch "tags-replace-earlier-patch"
        "patch replaces the tags of an earlier patch; `toFieldPath: MergeObjects` keeps them";
    /// … which copied a map of the author.
    ReplacesMap "tags-replace-map"
        "patch replaces the tags of an earlier patch; `ForceMergeObjects` keeps them";
    /// … merges into a field that already has cloud tags, which are kept.
    KeptFromMerge { field: Mentioned } "tags-kept-from-merge"
        "cloud tags already set in `{field}` take precedence over those of the composite";
    /// A patch copies a map of the author to the tags of a nested composite, which keeps what Crossplane forwards.
    OfAuthor { field: Mentioned } "tags-of-author"
        "a map of the author is patched to `{field}` and may have any cloud tag";
    /// … has transforms.
    Transforms "tags-transforms"
        "the effect of the patch's `transforms` on the tags is unknown";
    /// … goes to a field other than the one for tags.
    WrongField { to: Mentioned, kind: Mentioned, field: Mentioned } "tags-wrong-field"
        "tags are patched to `{to}`, but `{kind}` uses `{field}`";
    /// … goes to a field that the kind has in newer releases of its provider.
    NewerField { kind: Mentioned, to: Mentioned, after: &'static str } "tags-newer-field"
        "`{kind}` has `{to}` only in releases of its provider after {after}";
    /// … goes to a field that the kind does not have.
    UndeclaredField { to: Mentioned, field: Mentioned } "tags-undeclared-field"
        "tags are patched to `{to}` instead of `{field}`";
    /// … goes to labels or annotations of the Kubernetes object, whose keys have no colon.
    NoLabelKeys { to: Mentioned } "tags-no-label-keys"
        "tags are patched to `{to}`, where their keys are not valid";
    /// … the same if it depends on the composite's provider.
    MaybeNoLabelKeys { to: Mentioned } "tags-maybe-no-label-keys"
        "tags are patched to `{to}`, where the keys of some profiles are not valid";
    /// … goes to a place where a text is expected.
    MapToText { to: Mentioned } "tags-map-to-text"
        "a map is patched to `{to}`, which is a string";
    /// … goes to a list.
    MapToList { field: Mentioned } "tags-map-to-list"
        "a map is patched to `{field}`, which is a list";
    /// … goes to a kind without a map of tags.
    NoTags { to: Mentioned, kind: Mentioned } "tags-no-tags"
        "tags are patched to `{to}`; `{kind}` has no map of tags";
    /// … goes to a kind with a list of tags.
    NoMapBesideList { to: Mentioned, kind: Mentioned } "tags-no-map-beside-list"
        "tags are patched to `{to}`; `{kind}` has a list of tags";
    /// … goes to a field that may hold tags.
    UnknownField { to: Mentioned, kind: Mentioned } "tags-unknown-field"
        "whether `{to}` of `{kind}` holds tags is unknown";
    /// The field for tags has a value that is not a map.
    NotAMap { found: &'static str, field: Mentioned } "tags-not-a-map"
        "{found} is set in `{field}`, which is a map";
    /// A value in the map of tags is not a string.
    ValueNotText { path: Mentioned, found: &'static str } "tags-value-not-text"
        "`{path}` is {found}, and tags are strings";
    /// The list of tags has an element of another type.
    NotAnItem { found: &'static str, field: Mentioned, of: &'static str } "tags-not-an-item"
        "{found} is set in `{field}`, which is a list of {of}";
    /// A field on the path to the tags has the type that it has in another version of the kind.
    OtherVersion { field: Mentioned, declared: &'static str, version: Mentioned, found: &'static str }
        "tags-other-version"
        "`{field}` is {declared} in `{version}`, and {found} is set";
    /// A base has a map that its kind does not declare.
    NoSuchMap { to: Mentioned, kind: Mentioned } "tags-no-such-map"
        "`{kind}` has no map `{to}`";
    /// A resource has a field that no managed resource has.
    NoSuchField { path: Mentioned, kind: Mentioned } "tags-no-such-field"
        "`{path}` is not a field of `{kind}`";
    /// … and another one was probably meant.
    NoSuchFieldBut { path: Mentioned, kind: Mentioned, meant: Mentioned } "tags-no-such-field-but"
        "`{path}` is not a field of `{kind}`; did you mean `{meant}`?";
    /// The cloud refuses a resource of this kind because of a character in the keys of its tags.
    KeysRefuseResource { char: char, profile: Mentioned } "tags-keys-refuse-resource"
        "its cloud refuses tag keys with `{char}`; use profile `{profile}`";
    /// … because a key has too many characters.
    KeyTooLong { key: Mentioned, most: usize, kind: Mentioned } "tags-key-too-long"
        "the key of tag `{key}` is longer than the {most} characters that `{kind}` accepts";
    /// … because it treats two keys as one.
    SameKeys { one: Mentioned, other: Mentioned } "tags-same-keys"
        "its cloud ignores the case of keys, so `{one}` and `{other}` are one";
    /// … because there are too many tags.
    TooManyTags { count: usize, most: usize, kind: Mentioned } "tags-too-many"
        "{count} tags of the composite, and `{kind}` accepts {most}";
    /// … because others add tags to those of the composite.
    NoRoom { count: usize, most: usize, reserve: usize, limit: usize } "tags-no-room"
        "{count} tags, and its cloud accepts {most}: `cloudTags.reserve: {reserve}` (of {limit}) leaves room for those of others";
    /// … and no number of reserved tags helps.
    NoRoomAtAll { count: usize, most: usize, others: usize } "tags-no-room-at-all"
        "{count} tags, {others} of them not of the composite, and its cloud accepts {most}";
    /// … drops the tags.
    KeysDropped { char: char, profile: Mentioned } "tags-keys-dropped"
        "its cloud drops tags whose keys have `{char}`; use profile `{profile}`";
    /// The cloud treats a key of another spelling as one of the policy's.
    KeyInAnotherCase { key: Mentioned } "tags-key-in-another-case"
        "its cloud ignores the case of keys, so tag `{key}` collides with cloud tags";
    /// … refuses or drops one tag because of a character that it accepts in keys of other kinds.
    RefusedCharacter { effect: &'static str, tag: Mentioned, kind: Mentioned, char: char, at: &'static str }
        "tags-refused-character"
        "its cloud {effect} tag `{tag}`: it accepts no `{char}` {at} keys of `{kind}`";
    /// The cloud does not accept a tag of the base, nor of any other resource.
    BaseTagRefused { tag: Mentioned, cloud: &'static str, problem: TagSkipReason } "tags-base-tag-refused"
        "the API of `{cloud}` does not accept tag `{tag}` of the base: {problem}";
    /// … a tag of the composite, whose keys are spelled for another cloud.
    OtherCloud { tag: Mentioned, cloud: &'static str, problem: TagSkipReason, profile: &'static str } "tags-other-cloud"
        "the API of `{cloud}` does not accept cloud tag `{tag}`, which is spelled by profile `{profile}`: {problem}";
    /// Tags reach the cloud only when the resource is created.
    InitialTags "tags-initial"
        "tags in `spec.initProvider` are set at creation only and never change";
    /// The provider creates the cloud's resource, and never changes it.
    NeverUpdated "tags-never-updated"
        "without `Update` in `managementPolicies` tags are set at creation only";
    /// A pause stops the provider.
    Paused { by: &'static str } "tags-paused"
        "`{by}` pauses it: its provider neither creates it nor changes its tags";
    /// … or Crossplane, of a nested composite.
    PausedComposite { by: &'static str } "tags-paused-composite"
        "`{by}` pauses it: Crossplane composes nothing for it";
    /// The provider refuses the set of policies.
    UnsupportedPolicies "tags-unsupported-policies"
        "providers refuse this set of `managementPolicies`: it is not created";
    /// The provider changes the tags of a resource that others create.
    NeverCreated "tags-never-created"
        "without `Create` in `managementPolicies` it is not created; an existing one gets the tags";
    /// What the resource creates does not get its tags.
    StopsShort { kind: Mentioned, launched: String, advice: &'static str } "tags-stop-short"
        "tags of `{kind}` do not reach its {launched}: {advice}";
    /// The composite has a namespace, and the resource cannot have one: Crossplane composes nothing.
    ClusterScoped { kind: Mentioned, composite: Mentioned } "tags-cluster-scoped"
        "`{kind}` is cluster-scoped and `{composite}` is namespaced, so Crossplane composes nothing";
    /// The composite has no namespace, and the resource needs one.
    WithoutNamespace { kind: Mentioned, composite: Mentioned } "tags-without-namespace"
        "`{kind}` is namespaced, `{composite}` is not, and `metadata.namespace` is not set";
    /// A nested composite gets nothing that could become its tags.
    NestedWithoutTags "tags-nested-without-tags"
        "neither `spec.cloudTags` nor labels that propagate to tags are patched to this composite";
    /// … is marked as adopted.
    NestedAdopted { label: Mentioned, value: Mentioned } "tags-nested-adopted"
        "with label `{label}: {value}` this composite gets no tags";
    /// … gets single labels that the registry defines.
    LabelsOfTheRegistry "tags-labels-of-the-registry"
        "whether its labels propagate to tags depends on the label registry";
    /// A nested composite gets no tags, and has its own from its labels.
    LabelsOfItsOwn "tags-labels-of-its-own"
        "the nested composite has its own labels, and its tags are set from them";
}
