//! What the API server refuses in definitions and Compositions.
//!
//! Source: Crossplane 2.4 and 1.20, apis/apiextensions: `CompositeResourceDefinitionSpec` in v1 and v2 xrd_types.go,
//! `CompositionSpec` in v1/composition_types.go, with the rules and list keys there.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::object::{CROSSPLANE_GROUP, FleetObject, group_and_version};
use crate::object_finding::ObjectFinding;
use crate::refusal::{Refusal, refusal};
use crate::relations::text;

/// Fields of a definition that only `LegacyCluster` has.
const OF_LEGACY: [&str; 2] = ["claimNames", "connectionSecretKeys"];

/// The refusals of one object, beside definitions.
pub(crate) fn crossplane_refusals(object: &FleetObject, definitions: &[Value]) -> Vec<ObjectFinding> {
    if object.id.group != CROSSPLANE_GROUP {
        return Vec::new();
    }
    let refusals = match &*object.id.kind {
        "CompositeResourceDefinition" => of_definition(&object.value(), &object.version),
        "Composition" => of_composition(&object.value(), definitions),
        _ => Vec::new(),
    };
    refusals.into_iter().map(ObjectFinding::refused).collect()
}

fn of_definition(definition: &Value, version: &str) -> Vec<Refusal> {
    let Some(spec) = definition.get("spec") else { return Vec::new() };
    let (scope, is_v2) = (text(spec, "scope"), version == "v2");
    let scopes: &[&str] = if is_v2 { &["Namespaced", "Cluster"] } else { &["LegacyCluster", "Namespaced", "Cluster"] };
    let mut found = Vec::new();
    if !scope.is_empty() && !scopes.contains(&scope) {
        let message =
            format!("`{scope}` is no scope of `{CROSSPLANE_GROUP}/{version}`, which are `{}`", scopes.join("`, `"));
        found.push(refusal("spec.scope", message));
    }
    if is_v2 || matches!(scope, "Namespaced" | "Cluster") {
        let set = OF_LEGACY.into_iter().filter(|field| spec.get(field).is_some_and(|value| !value.is_null()));
        found.extend(set.map(|field| {
            let message =
                format!("only definitions of `{CROSSPLANE_GROUP}/v1` with `scope: LegacyCluster` have `{field}`");
            refusal(format!("spec.{field}"), message)
        }));
    }
    found
}

fn of_composition(composition: &Value, definitions: &[Value]) -> Vec<Refusal> {
    let Some(spec) = composition.get("spec") else { return Vec::new() };
    let (mode, pipeline) = (text(spec, "mode"), spec.get("pipeline").and_then(Value::as_array));
    let is_of_resources =
        mode == "Resources" || mode.is_empty() && pipeline.is_none() && spec.get("resources").is_some();
    let mut found = Vec::new();
    if let Some(definition) = definitions.iter().find(|it| is_of_crossplane_2(it) && defines(it, spec))
        && is_of_resources
    {
        let name = definition.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let message = format!(
            "only Crossplane 1 has Compositions without a `pipeline`, and CompositeResourceDefinition `{name}` is for \
             Crossplane 2"
        );
        found.push(refusal(if mode.is_empty() { "spec" } else { "spec.mode" }, message));
    }
    if mode == "Pipeline" && pipeline.is_none_or(Vec::is_empty) && spec.get("compositeTypeRef").is_some() {
        found.push(refusal("spec.mode", "`mode: Pipeline` needs a `pipeline` with at least one step"));
    }
    let mut seen = BTreeSet::new();
    for (number, step) in pipeline.into_iter().flatten().enumerate() {
        let name = text(step, "step");
        if !name.is_empty() && !seen.insert(name) {
            let message = format!("another step has the name `{name}`");
            found.push(refusal(format!("spec.pipeline[{number}].step"), message));
        }
    }
    found
}

/// Whether only Crossplane 2 has a definition like this.
fn is_of_crossplane_2(definition: &Value) -> bool {
    let scope = definition.pointer("/spec/scope").and_then(Value::as_str);
    text(definition, "apiVersion").ends_with("/v2") || scope.is_some()
}

/// Whether a definition defines the composites of a Composition, given as its `spec`.
fn defines(definition: &Value, spec: &Value) -> bool {
    let of = spec.get("compositeTypeRef").unwrap_or(&Value::Null);
    let group = group_and_version(text(of, "apiVersion")).0;
    let spec = definition.get("spec").unwrap_or(&Value::Null);
    text(spec, "group") == group && spec.get("names").is_some_and(|names| text(names, "kind") == text(of, "kind"))
}
