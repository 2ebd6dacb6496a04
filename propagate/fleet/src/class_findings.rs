//! What a ClusterClass has and probably does not mean, as findings of `propagate check`.

use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;
use topology::class_notes;

use crate::fleet::Fleet;
use crate::made::template;
use crate::object::FleetObject;
use crate::object_finding::{FindingLevel, ObjectFinding};

/// The findings of one object; none if it is not a ClusterClass.
pub(crate) fn class_findings(object: &FleetObject, fleet: &Fleet) -> Vec<ObjectFinding> {
    if object.id.group != CORE_GROUP || object.id.kind != "ClusterClass" {
        return Vec::new();
    }
    let class = object.value();
    let templates = |reference: &Value| Some(fleet.find(&template(&object.id.namespace, reference))?.value());
    let notes = class_notes(&class, &templates).into_iter();
    let finding = |note: topology::ClassNote| {
        ObjectFinding::new(FindingLevel::Note, note.fact.reason(), &note.at, note.fact.to_string())
    };
    notes.map(finding).collect()
}
