//! Kinds of managed resources that no ManagedResourceActivationPolicy activates.
//!
//! Crossplane 2 has a ManagedResourceDefinition for each kind of a provider, and serves the kinds of providers with the
//! capability `safe-start` only once a policy activates them. Its chart makes a policy that activates all.
//!
//! Sources: crossplane, apis/apiextensions/v1alpha1: mrd_types.go, `ManagedResourceDefinitionState`, and
//! mrd_policy_types.go, `ActivationPolicy.Match`.

use std::collections::BTreeSet;

use metadata_propagation::tags_of_kind;
use serde_json::Value;

use crate::object::{CROSSPLANE_GROUP, FleetObject};
use crate::object_finding::{FindingLevel, ObjectFinding};

/// A Composition composes kinds that no policy activates.
pub const INACTIVE: &str = "inactive";

/// The policies and definitions among the objects.
#[derive(Default)]
pub struct Activation {
    /// What the policies activate: names of definitions, which may begin with `*`.
    patterns: Vec<String>,
    definitions: Vec<ManagedKind>,
}

struct ManagedKind {
    name: String,
    group: String,
    kind: String,
    is_active: bool,
}

/// A kind of managed resources that is not served.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InactiveKind {
    /// The API group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The path of the first resource with this kind.
    pub at: String,
}

impl Activation {
    /// The policies and definitions among objects.
    pub fn of<'f>(objects: impl Iterator<Item = &'f FleetObject>) -> Activation {
        let mut activation = Activation::default();
        for object in objects.filter(|object| object.id.group == CROSSPLANE_GROUP) {
            match &*object.id.kind {
                "ManagedResourceActivationPolicy" => {
                    let activated = object.value();
                    let patterns = activated.pointer("/spec/activate").and_then(Value::as_array);
                    activation
                        .patterns
                        .extend(patterns.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
                }
                "ManagedResourceDefinition" => {
                    let definition = object.value();
                    let text = |path| definition.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
                    activation.definitions.push(ManagedKind {
                        name: object.id.name.clone(),
                        group: text("/spec/group"),
                        kind: text("/spec/names/kind"),
                        is_active: text("/spec/state") == "Active",
                    });
                }
                _ => {}
            }
        }
        activation
    }

    /// The kinds of a Composition that no policy activates; none if no policy is known.
    pub fn inactive(&self, object: &FleetObject) -> Vec<InactiveKind> {
        if self.patterns.is_empty() || object.id.group != CROSSPLANE_GROUP || object.id.kind != "Composition" {
            return Vec::new();
        }
        let (composition, mut seen) = (object.value(), BTreeSet::new());
        let mut found = Vec::new();
        for (at, resource) in composed_resources(&composition) {
            let Some(base) = resource.get("base") else { continue };
            let text = |field| base.get(field).and_then(Value::as_str).unwrap_or_default();
            let Some((group, _)) = text("apiVersion").split_once('/') else { continue };
            let kind = text("kind");
            if seen.insert((group.to_owned(), kind.to_owned())) && self.is_inactive(group, kind) {
                found.push(InactiveKind { group: group.to_owned(), kind: kind.to_owned(), at });
            }
        }
        found
    }

    /// The same as findings of `propagate check`.
    pub(crate) fn findings(&self, object: &FleetObject) -> Vec<ObjectFinding> {
        let finding = |inactive: InactiveKind| {
            ObjectFinding::new(FindingLevel::Warning, INACTIVE, &inactive.at, inactive.sentence())
        };
        self.inactive(object).into_iter().map(finding).collect()
    }

    fn is_inactive(&self, group: &str, kind: &str) -> bool {
        let defined = self.definitions.iter().find(|definition| definition.group == group && definition.kind == kind);
        match defined {
            Some(ManagedKind { name, is_active, .. }) => {
                !is_active && !self.patterns.iter().any(|pattern| activates(pattern, name))
            }
            None => {
                let is_managed = tags_of_kind(group, kind).is_some();
                is_managed && !self.patterns.iter().any(|pattern| may_activate(pattern, group, kind))
            }
        }
    }
}

impl InactiveKind {
    /// The sentence about it.
    pub fn sentence(&self) -> String {
        let InactiveKind { group, kind, .. } = self;
        format!(
            "no ManagedResourceActivationPolicy activates `{kind}` of `{group}`: if its provider has the capability \
             `safe-start`, the kind is not served"
        )
    }
}

/// Whether a pattern matches the name of a definition. Crossplane's patterns are those of Go's `filepath.Match`: one with
/// other wildcards than a leading `*` is taken to match.
fn activates(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        _ if is_complex(pattern) => true,
        Some(rest) => name.ends_with(rest),
        None => name == pattern,
    }
}

/// Whether a pattern may match the name of the definition of a kind, which is its plural and its group.
fn may_activate(pattern: &str, group: &str, kind: &str) -> bool {
    let of_group = format!(".{group}");
    match pattern.strip_prefix('*') {
        _ if is_complex(pattern) => true,
        Some(rest) => of_group.ends_with(rest) || rest.ends_with(&of_group),
        None => {
            // The plural of `Policy` is `policies`.
            let kind = kind.to_lowercase();
            let stem = kind.strip_suffix('y').unwrap_or(&kind);
            pattern.strip_suffix(&*of_group).is_some_and(|plural| plural.starts_with(stem))
        }
    }
}

/// Whether a pattern has other wildcards than a leading `*`.
fn is_complex(pattern: &str) -> bool {
    pattern.strip_prefix('*').unwrap_or(pattern).contains(['*', '?', '[', '\\'])
}

/// The resources of a Composition, each with the path of its base.
pub(crate) fn composed_resources(composition: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    for (number, resource) in elements(composition, "/spec/resources") {
        found.push((format!("spec.resources[{number}].base"), resource));
    }
    for (step, one) in elements(composition, "/spec/pipeline") {
        for (number, resource) in elements(one, "/input/resources") {
            found.push((format!("spec.pipeline[{step}].input.resources[{number}].base"), resource));
        }
    }
    found
}

/// The elements of a list, each with its number.
fn elements<'v>(at: &'v Value, path: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    at.pointer(path).and_then(Value::as_array).into_iter().flatten().enumerate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Checker, Fleet, Source};
    use metadata_propagation::Settings;

    /// What `check` finds of inactive kinds in a Composition of two Buckets, a Queue and a ConfigMap, beside other
    /// objects.
    fn found(others: &str) -> Vec<String> {
        let base = |api, kind| format!("{{name: a, base: {{apiVersion: {api}, kind: {kind}}}}}");
        let bucket = base("s3.aws.m.upbound.io/v1beta1", "Bucket");
        let others_bases = [base("sqs.aws.m.upbound.io/v1beta1", "Queue"), base("v1", "ConfigMap")].join(", ");
        let text = format!(
            "{{apiVersion: apiextensions.crossplane.io/v1, kind: Composition, metadata: {{name: c}}, spec: {{pipeline: \
             [{{step: a, input: {{resources: [{bucket}, {bucket}, {others_bases}]}}}}]}}}}\n---\n{others}"
        );
        let fleet = Fleet::read(vec![Source { name: "all.yaml".into(), text }]);
        let checked = Checker::new(&Settings::default()).fleet(&fleet);
        let findings = checked.into_iter().flat_map(|checked| checked.findings);
        findings.filter(|finding| finding.check == INACTIVE).map(|finding| finding.at).collect()
    }

    #[test]
    fn a_kind_is_found_once_if_there_are_policies_and_none_activates_it() {
        let policy = |pattern: &str| {
            format!(
                "{{apiVersion: apiextensions.crossplane.io/v1alpha1, kind: ManagedResourceActivationPolicy, \
                 metadata: {{name: p}}, spec: {{activate: ['{pattern}']}}}}"
            )
        };
        let bucket = |state: &str| {
            format!(
                "{}\n---\n{{apiVersion: apiextensions.crossplane.io/v1alpha1, kind: ManagedResourceDefinition, metadata: \
                 {{name: buckets.s3.aws.m.upbound.io}}, spec: {{group: s3.aws.m.upbound.io, names: {{kind: Bucket}}, \
                 state: {state}}}}}",
                policy("*.sqs.aws.m.upbound.io")
            )
        };
        let [of_buckets, of_queues] = [0, 2].map(|number| format!("spec.pipeline[0].input.resources[{number}].base"));
        assert_eq!(found(""), Vec::<String>::new());
        assert_eq!(found(&policy("*")), Vec::<String>::new());
        assert_eq!(found(&policy("*.other.example.org")), [of_buckets.clone(), of_queues.clone()]);
        assert_eq!(found(&policy("buckets.s3.aws.m.upbound.io")), [of_queues]);
        assert_eq!(found(&bucket("Inactive")), [of_buckets]);
        assert_eq!(found(&bucket("Active")), Vec::<String>::new());
    }

    #[test]
    fn a_pattern_activates_a_definition_by_its_name() {
        let name = "buckets.s3.aws.m.upbound.io";
        for (pattern, expected) in [
            ("*", true),
            ("*.aws.m.upbound.io", true),
            ("*.s3.aws.m.upbound.io", true),
            ("buckets.s3.aws.m.upbound.io", true),
            ("bucketacls.s3.aws.m.upbound.io", false),
            ("*.s3.aws.upbound.io", false),
            ("b*.s3.aws.m.upbound.io", true),
        ] {
            assert_eq!(activates(pattern, name), expected, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_may_activate_a_kind_whose_plural_is_not_known() {
        for (pattern, kind, expected) in [
            ("*", "Bucket", true),
            ("*.aws.m.upbound.io", "Bucket", true),
            ("*s.s3.aws.m.upbound.io", "Bucket", true),
            ("buckets.s3.aws.m.upbound.io", "Bucket", true),
            ("bucketpolicies.s3.aws.m.upbound.io", "BucketPolicy", true),
            ("objects.s3.aws.m.upbound.io", "Bucket", false),
            ("buckets.s3.aws.upbound.io", "Bucket", false),
            ("*.ec2.aws.m.upbound.io", "Bucket", false),
        ] {
            assert_eq!(may_activate(pattern, "s3.aws.m.upbound.io", kind), expected, "{pattern}");
        }
    }
}
