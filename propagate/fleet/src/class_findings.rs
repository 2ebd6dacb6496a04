//! What is refused in a ClusterClass, and what it has and probably does not mean, as findings of `propagate check`.

use std::collections::BTreeSet;

use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;
use topology::{ClassNote, TopologyRefusal, class_notes, class_refusals};

use crate::fleet::Fleet;
use crate::made::{self, template};
use crate::object::{FleetObject, ObjectId};
use crate::object_finding::{FindingLevel, MISSING_TEMPLATE, ObjectFinding};
use crate::refusal::Refusal;
use crate::relations::related;
use crate::scope::class_templates;

/// The findings of one object; none if it is not a ClusterClass.
pub(crate) fn class_findings(object: &FleetObject, fleet: &Fleet) -> Vec<ObjectFinding> {
    if object.id.group != CORE_GROUP || object.id.kind != "ClusterClass" {
        return Vec::new();
    }
    let class = object.value();
    let templates = |reference: &Value| Some(fleet.find(&template(&object.id.namespace, reference))?.value());
    let refusals = class_refusals(&class);
    let is_refused =
        |of: &str| refusals.iter().any(|it| matches!(it, TopologyRefusal::Selector { patch } if patch == of));
    let notes: Vec<ClassNote> = class_notes(&class, &templates);
    let is_noted = |refusal: &TopologyRefusal| {
        let TopologyRefusal::Selector { patch } = refusal else { return false };
        notes.iter().any(|note| note.fact.patch_with_idle_selector() == Some(patch))
    };
    let of_note = |note: &ClassNote| {
        let is_refused = note.fact.patch_with_idle_selector().is_some_and(is_refused);
        let level = if is_refused { FindingLevel::Error } else { FindingLevel::Note };
        ObjectFinding::new(level, note.fact.reason(), &note.at, note.fact.to_string())
    };
    let refused = refusals.iter().filter(|refusal| !is_noted(refusal)).cloned();
    let refused = refused.map(|refusal| ObjectFinding::refused(Refusal::of_topology(refusal, "ClusterClass")));
    refused.chain(notes.iter().map(of_note)).chain(missing_templates(object, &class, fleet)).collect()
}

/// The templates of a class that are not among the files, although a Cluster of the class is.
fn missing_templates(object: &FleetObject, class: &Value, fleet: &Fleet) -> Option<ObjectFinding> {
    let mut named = BTreeSet::new();
    class_templates(class, &mut named);
    let ids = named.into_iter().map(|(group, kind, name)| ObjectId::new(&group, &kind, &object.id.namespace, &name));
    let missing: Vec<String> = ids.filter(|id| fleet.find(id).is_none()).map(|id| id.to_string()).collect();
    let is_of_class =
        |cluster: &FleetObject| made::class(&related(&cluster.json), &cluster.id).as_ref() == Some(&object.id);
    let mut clusters = fleet.objects().filter(|it| it.id.group == CORE_GROUP && it.id.kind == "Cluster");
    if missing.is_empty() || !clusters.any(is_of_class) {
        return None;
    }
    let are = if missing.len() == 1 { "is" } else { "are" };
    let message = format!("{} {are} not in these files: what the class makes is not checked", missing.join(", "));
    Some(ObjectFinding::new(FindingLevel::Note, MISSING_TEMPLATE, "spec", message))
}
