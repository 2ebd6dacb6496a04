//! What the API server refuses because it does not fit the definition of its kind.

use serde_json::Value;
use topology::{ObjectPath, SchemaViolation, definition_violations, is_newer, pruned};

use super::{Refusal, has_placeholder};
use crate::relations::text;

/// A list without elements, or an object without fields, which a patch of a kustomization may fill.
pub(crate) const EMPTY: [&str; 2] = ["the list must not be empty", "the object must not be empty"];

/// Fields that mutating webhooks fill before an object is compared with its definition: they may be missing, or empty.
///
/// Source: the `Default` of each kind in core/webhooks/admission and controlplane/kubeadm/webhooks/admission of Cluster API
/// v1.14.
#[rustfmt::skip]
const DEFAULTED: &[(&str, &[&str])] = &[
    ("KubeadmControlPlane", &["spec.rollout", "spec.rollout.strategy", "spec.rollout.strategy.rollingUpdate", "spec.rollout.strategy.type"]),
    ("Machine", &["spec.deletion"]),
    ("MachineDeployment", &["spec.rollout", "spec.rollout.strategy", "spec.rollout.strategy.rollingUpdate", "spec.rollout.strategy.type", "spec.selector", "spec.template.metadata"]),
    ("MachineHealthCheck", &["spec.checks"]),
    ("MachinePool", &["spec.template.spec.deletion"]),
    ("MachineSet", &["spec.selector", "spec.template.metadata"]),
];

/// Whether a webhook mends a violation.
fn is_mended(object: &Value, violation: &SchemaViolation<'_>) -> bool {
    // A template that is written there replaces the reference to one.
    let is_reference = matches!(violation.at.field(), Some("templateRef" | "ref"));
    if violation.part.is_none() && is_reference && is_newer(text(object, "kind"), &violation.at.beside("template")) {
        return true;
    }
    let is_empty = violation.part.is_none_or(|part| part.as_object().is_some_and(serde_json::Map::is_empty));
    let of_kind = DEFAULTED.iter().filter(|(kind, _)| *kind == text(object, "kind"));
    is_empty && of_kind.flat_map(|(_, paths)| *paths).any(|path| violation.at.fields().eq(path.split('.')))
}

/// What does not fit the definition of a kind, and what no webhook mends.
pub(super) struct Violation {
    pub(super) refusal: Refusal,
    /// Whether a required field is missing.
    pub(super) is_missing: bool,
    /// Whether a value does not fit. A field that is missing is one of them in an element of a list only, and a whole `spec`
    /// without fields is none: files may be parts of an object.
    pub(super) is_unfit: bool,
}

pub(super) fn violations(object: &Value) -> Vec<Violation> {
    let is_part = |part: &Value, at: &ObjectPath| {
        let is_spec = at.fields().eq(["spec"]) || at.fields().eq(["spec", "template", "spec"]);
        part.as_object().is_some_and(serde_json::Map::is_empty) && is_spec
    };
    let is_open = |part: &Value, at: &ObjectPath| part.as_str().is_some_and(has_placeholder) || is_part(part, at);
    let object = pruned(object);
    let mut found = definition_violations(&object);
    found.retain(|violation| !is_mended(&object, violation));
    let violation = |found: SchemaViolation<'_>| Violation {
        is_missing: found.part.is_none(),
        is_unfit: found.part.map_or(is_element(&found.at), |part| !is_open(part, &found.at)),
        refusal: refused(found),
    };
    found.into_iter().map(violation).collect()
}

/// Whether a missing field is one of an element of a list, which is written as a whole. Only the templates of worker classes
/// are left out in files that are about other things.
fn is_element(at: &ObjectPath) -> bool {
    at.is_in_entry() && !matches!(at.field(), Some("bootstrap" | "infrastructure" | "template"))
}

fn refused(SchemaViolation { at, reason, part }: SchemaViolation<'_>) -> Refusal {
    let [list, object] = EMPTY;
    let message = match part {
        None => "this field is required".to_owned(),
        Some(Value::Array(elements)) if elements.is_empty() => list.to_owned(),
        Some(Value::Object(fields)) if fields.is_empty() => object.to_owned(),
        Some(_) => reason,
    };
    Refusal { at, message, needs_path: true }
}
