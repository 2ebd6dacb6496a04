//! What composites among the files make of a Composition: what the API server or a cloud refuses in their resources.

use std::collections::BTreeSet;

use metadata_propagation::{Cluster, Report, Settings, Stance, evaluate, findings_of_composite, findings_of_scope};
use serde_json::{Value, json};

use crate::check::of_finding;
use crate::object::{ObjectId, create, group_and_version};
use crate::object_finding::ObjectFinding;
use crate::templates::{Example, ExampleOrigin};

/// What is refused in the resources that a Composition composes for one of these composites. The first one that a
/// finding is about is named; of further ones, only what is new is said.
pub(crate) fn composed_findings(
    composition: &str,
    composites: &[Example],
    settings: &Settings,
    cluster: &dyn Cluster,
) -> Vec<ObjectFinding> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for Example { origin, composite } in composites {
        let composite = tagged(composite, origin, settings, cluster).to_string();
        // What is malformed is found without a composite too.
        let of_composite = findings_of_composite(composition, &composite, settings).unwrap_or_default();
        let of_composite =
            of_composite.iter().filter(|finding| finding.stance != Stance::Ignore).filter_map(of_finding);
        let new: Vec<ObjectFinding> = of_composite.filter(|it| !seen.contains(&(it.at.clone(), it.reason))).collect();
        seen.extend(new.iter().map(|finding| (finding.at.clone(), finding.reason)));
        let named = |finding: ObjectFinding| {
            let message = format!("with {origin}, {}", finding.message);
            ObjectFinding { message, ..finding }
        };
        found.extend(new.into_iter().map(named));
    }
    found
}

/// What is not created because composites have a namespace, or because they have none.
pub(crate) fn scope_findings(composition: &str, are_namespaced: bool, settings: &Settings) -> Vec<ObjectFinding> {
    // What is malformed is found without a composite too.
    let found = findings_of_scope(composition, are_namespaced, settings).unwrap_or_default();
    found.iter().filter(|finding| finding.stance != Stance::Ignore).filter_map(of_finding).collect()
}

/// What the policy reports about a composite.
pub(crate) fn report_of(composite: &Value, settings: &Settings, cluster: &dyn Cluster) -> Option<Report> {
    let text = |path| composite.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = group_and_version(text("/apiVersion"));
    let id = ObjectId::new(group, text("/kind"), text("/metadata/namespace"), text("/metadata/name"));
    let json = composite.to_string();
    evaluate(&create(&id, version, &json), settings, cluster).report
}

/// A composite with the tags that the policy sets. Of one that is made from a schema, labels are not known, and neither
/// are fields without a type.
fn tagged(composite: &Value, origin: &ExampleOrigin, settings: &Settings, cluster: &dyn Cluster) -> Value {
    let report = report_of(composite, settings, cluster);
    let mut composite = composite.clone();
    let is_made = matches!(origin, ExampleOrigin::Schema(_));
    if let Some(spec) = composite.get_mut("spec") {
        if is_made {
            remove_empty(spec);
        }
        let tags =
            report.and_then(|report| report.cloud_tags).map(|report| report.tags).filter(|tags| !tags.is_empty());
        match (spec.as_object_mut(), tags) {
            (Some(spec), Some(tags)) => _ = spec.insert("cloudTags".to_owned(), json!(tags)),
            (Some(spec), None) if is_made => _ = spec.remove("cloudTags"),
            _ => {}
        }
    }
    composite
}

fn remove_empty(value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.values_mut().for_each(remove_empty);
        fields.retain(|_, field| field.as_object().is_none_or(|object| !object.is_empty()));
    }
}
