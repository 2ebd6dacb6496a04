//! What to do about single facts of a check that finds several.

/// The help for each code of a fact; empty if there is nothing to do.
#[rustfmt::skip]
const HELP: &[(&str, &str)] = &[
    ("claim-label-not-copied", "give the label a key of another domain, or set it on the composite"),
    ("manual-revision", "see the CompositionRevision that it names; `--fail-on cannot-tell` makes this fail"),
    ("no-composition", "add the Composition, or correct its `spec.compositeTypeRef`, or what the composite selects"),
    ("tags-base-tag-refused", "correct the tag in the base"),
    ("tags-cluster-scoped", "use the namespaced kind (`.m.` in its group), or set `scope: Cluster` in the definition"),
    ("tags-environment-wins", "patch `spec.cloudTags` last, with `toFieldPath: ForceMergeObjects`"),
    ("tags-from-environment", "patch from `spec.cloudTags` of the composite instead of the environment"),
    ("tags-initial", "patch the field in `spec.forProvider`: `spec.initProvider` is only read at creation"),
    ("tags-invalid-expression", "correct the expression: its syntax is that of Go"),
    ("tags-kept-from-merge", "patch `spec.cloudTags` first, or with `toFieldPath: ForceMergeObjects`"),
    ("tags-key-in-another-case", "remove the key from the base"),
    ("tags-key-too-long", "shorten the key of the label"),
    ("tags-keys-dropped", "set the profile in `cloudTags.profiles`, for the provider of these composites"),
    ("tags-keys-refuse-resource", "set the profile in `cloudTags.profiles`, for the provider of these composites"),
    ("tags-list-of-tags", "fill the list in a step of function-go-templating"),
    ("tags-manager-ignores", "remove the key from `ignoreTags`"),
    ("tags-manager-keys-of-author", "write the keys in the input"),
    ("tags-manager-keys-unknown", "write the keys in the input"),
    ("tags-manager-may-ignore", "copy the tags with a patch, or patch other labels and annotations one by one"),
    ("tags-manager-overwrites", "remove the key from `addTags`, or set `policy: Retain`"),
    ("tags-manager-removes", "remove the key from `removeTags`"),
    ("tags-manager-retains", "set `policy: Replace` in the entry of `addTags`"),
    ("tags-manager-skips", "remove the annotation or label, or patch the tags to the resource"),
    ("tags-manager-too-early", "move the step behind those that compose resources"),
    ("tags-manager-type", "set `type: FromCompositeFieldPath`"),
    ("tags-map-to-list", "fill the list in a step of function-go-templating: patches cannot"),
    ("tags-map-to-text", "patch the whole map to the field that holds tags"),
    ("tags-missing-input-field", "add the field: the function requires it"),
    ("tags-nested-adopted", "remove the label from the base, or exempt the resource with a reason"),
    ("tags-nested-other", "patch `spec.cloudTags` or all of `metadata.labels` to this composite"),
    ("tags-nested-without-tags", "patch `spec.cloudTags` or `metadata.labels` to this composite"),
    ("tags-never-created", ""),
    ("tags-never-updated", "add `Update` to `managementPolicies`"),
    ("tags-newer-field", "update the provider to a later release"),
    ("tags-no-base", "see the step that composes the resource"),
    ("tags-no-cloud", ""),
    ("tags-no-earlier-base", "correct the name of the resource, or give it a base"),
    ("tags-no-label-keys", "patch the tags to the field of `spec.forProvider` that holds tags"),
    ("tags-no-map-beside-list", "remove the patch, and fill the list in a step of function-go-templating"),
    ("tags-no-match", "write an index instead of `*`, or patch the list first"),
    ("tags-no-patch-set",
        "define the patch set in `patchSets` of the function's input, not in `spec` of the Composition"),
    ("tags-no-room",
        "`cloudTags.reserve` leaves out labels for every resource; to keep theirs, remove this patch and exempt the resource"),
    ("tags-no-room-at-all", "remove tags from the base, or remove this patch and exempt the resource"),
    ("tags-no-such-field", "remove the field"),
    ("tags-no-such-field-but", "move the field to where the kind has it"),
    ("tags-no-such-map", "remove the map from the base; `docs/delivery.md` says where to find the field of each kind"),
    ("tags-no-tags", "remove the patch: the kind has no tags"),
    ("tags-no-to-field-path", "add `toFieldPath`, the field of the managed resource that holds tags"),
    ("tags-not-a-map", "set a map of strings"),
    ("tags-not-an-item", "write elements of the type that the kind declares"),
    ("tags-not-patched-so-far", "see the later function: it is not evaluated"),
    ("tags-other-cloud", "give resources of this cloud a composite of their own, whose provider has a profile for it"),
    ("tags-other-value", "patch `spec.cloudTags` last, with `toFieldPath: ForceMergeObjects`"),
    ("tags-other-version", "write the path for this `apiVersion`: with `[0]` for a list, without for an object"),
    ("tags-overwritten-later",
        "move the later patch before the one from `spec.cloudTags`, or merge with `MergeObjects`"),
    ("tags-patch-set-in-patch-set", "list the patches of the other set in this one"),
    ("tags-patched-tag-refused", "remove the tag, or change its key or value"),
    ("tags-paused", "end the pause once the resource may be created, or exempt the resource with a reason"),
    ("tags-paused-composite", "end the pause once its resources may be created, or exempt the resource with a reason"),
    ("tags-program", "see the program: it is not evaluated; `--fail-on cannot-tell` makes this fail"),
    ("tags-refused-character", "change the key of the tag, or of its label"),
    ("tags-replace-base", "set `policy: { toFieldPath: MergeObjects }` in the patch"),
    ("tags-replace-earlier-patch", "set `policy: { toFieldPath: MergeObjects }` in the patch"),
    ("tags-replaced-later", "set `policy: { toFieldPath: MergeObjects }` in the later patch"),
    ("tags-required-source", "remove `fromFieldPath: Required`: composites without labels have no tags"),
    ("tags-same-keys", "opt only one of the labels in, or set `cloudTags.profiles: { aws: aws-strict }`"),
    ("tags-stop-short", ""),
    ("tags-too-many", "opt fewer labels in: `cloudTagPropagation: false`"),
    ("tags-transform-fails", "correct the transform, or the value that it reads"),
    ("tags-transform-of-a-map", "remove the transform"),
    ("tags-transforms", "remove the transforms: tags are copied as they are"),
    ("tags-undeclared-field", "correct `toFieldPath`"),
    ("tags-unknown-field", ""),
    ("tags-unknown-function", "see the function: its effect is not known; `--fail-on cannot-tell` makes this fail"),
    ("tags-unknown-input-value", "write a value that the function knows"),
    ("tags-unknown-kind", "see the definition of the kind: it is in no table; `--fail-on cannot-tell` makes this fail"),
    ("tags-unknown-version", "correct `apiVersion`, unless a newer release of the provider has it"),
    ("tags-unsupported-policies", "write `*` alone, or a set with `Observe` that providers support"),
    ("tags-unusable-input-value", "write a value of the type that the function expects"),
    ("tags-unusable-path", "correct the path"),
    ("tags-validations", "read the rules: they are not evaluated"),
    ("tags-value-not-text",
        "quote the value in the base, or add a transform `convert` with `toType: string` to the patch"),
    ("tags-without-namespace", "set `metadata.namespace` in the base, or use the cluster-scoped kind"),
    ("tags-wrong-field", "correct `toFieldPath`"),
    ("template-evaluated", ""),
    ("template-list-without-tags", "add an element with key and value for each entry of `spec.cloudTags`"),
    ("template-refused", "correct the template"),
    ("template-refused-without-tags",
        "read `spec.cloudTags` with `range`, or only inside `{{ with .spec.cloudTags }}`"),
    ("template-separator", "write `:` between key and value"),
    ("template-unknown", ""),
    ("template-unquoted", "write `{{ $value | quote }}`"),
];

/// What to do about a fact, by its code.
pub(super) fn help_of_fact(reason: &str) -> Option<&'static str> {
    HELP.iter().find(|(code, _)| *code == reason).map(|(_, help)| *help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_help() {
        assert!(HELP.is_sorted_by(|(one, _), (other, _)| one < other));
        assert_eq!(help_of_fact("tags-unusable-path"), Some("correct the path"));
        assert_eq!(help_of_fact("another"), None);
    }
}
