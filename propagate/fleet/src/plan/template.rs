//! Templates that a ClusterClass refers to: the topology controller creates new ones from them, and replaces Machines.

mod acceptance;

use std::collections::BTreeSet;

use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::{Value, json};

use super::machines::{Machines, Part, machines};
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::{FleetObject, ObjectId};
use crate::relations::{references, text};
use crate::scope::class_templates;
use crate::workers::{LISTS, workers};

pub(super) use self::acceptance::{Acceptance, DryRun, acceptance, dry_run};

/// The classes among the objects that refer to a template, and in which part.
pub(super) fn classes(hierarchy: &Hierarchy, template: &ObjectId) -> Vec<(ObjectId, Part)> {
    let is_class = |member: &&Member| member.id.kind == "ClusterClass" && member.id.namespace == template.namespace;
    let classes = hierarchy.members().iter().filter(is_class);
    classes.filter_map(|class| Some((class.id.clone(), part(&class.written, template)?))).collect()
}

/// The part of a class that is created from a template; `None` if the class does not refer to it.
fn part(class: &Value, template: &ObjectId) -> Option<Part> {
    let names = |section: Option<&Value>| {
        let mut found = BTreeSet::new();
        section.iter().for_each(|section| class_templates(section, &mut found));
        found.contains(&(template.group.clone(), template.kind.clone(), template.name.clone()))
    };
    if !names(class.get("spec")) {
        return None;
    }
    let mut found = BTreeSet::new();
    for list in LISTS {
        let named = workers(class, list).filter(|worker| names(Some(worker.value)));
        found.extend(named.map(|worker| (list, worker.name.to_owned())));
    }
    Some(Part::Class { control_plane: names(class.pointer("/spec/controlPlane")), workers: found, field: None })
}

/// The Machines of every Cluster of these classes that are created from the template.
pub(super) fn machines_of(hierarchy: &Hierarchy, classes: &[(ObjectId, Part)]) -> Machines {
    let mut found = Machines::default();
    for (class, part) in classes {
        found.add(&machines(hierarchy, class, part));
    }
    found
}

/// A template with the owner that the ClusterClass controller sets.
pub(super) fn owned(template: &FleetObject, classes: &[(ObjectId, Part)]) -> FleetObject {
    let mut json = template.value();
    if let Some(metadata) = json.get_mut("metadata").and_then(Value::as_object_mut) {
        let owners = metadata.entry("ownerReferences").or_insert_with(|| json!([]));
        let owner = |(class, _): &(ObjectId, Part)| json!({ "apiVersion": format!("{}/v1beta2", class.group), "kind": class.kind, "name": class.name, "uid": "" });
        if let Some(owners) = owners.as_array_mut() {
            owners.extend(classes.iter().map(owner));
        }
    }
    FleetObject { json: json.to_string().into(), ..template.clone() }
}

/// Whether a kind is a template from which parts of Machines or control planes are created.
pub(super) fn is_template(id: &ObjectId) -> bool {
    id.is_template() && id.is_cluster_api() && id.group != CORE_GROUP
}

/// Whether a kind is a template from which a MachineHealthCheck makes an object for an unhealthy Machine, and nothing else.
///
/// Source: `reconcile` in core/reconcilers/machinehealthcheck/machinehealthcheck_controller.go of Cluster API v1.14.
pub(super) fn is_of_remediation(id: &ObjectId) -> bool {
    id.kind.ends_with("RemediationTemplate")
}

/// Where workers and control planes refer to the templates of their Machines.
pub(super) const REFERENCES: [&str; 4] = [
    "/spec/machineTemplate/spec/infrastructureRef",
    "/spec/machineTemplate/infrastructureRef",
    "/spec/template/spec/infrastructureRef",
    "/spec/template/spec/bootstrap/configRef",
];

/// Whether an object other than a class refers to a template: its controller only reads the template when it creates a
/// Machine.
pub(super) fn is_named(hierarchy: &Hierarchy, template: &ObjectId) -> bool {
    hierarchy.members().iter().filter(|member| member.id.namespace == template.namespace).any(|member| {
        let is_meant =
            |reference: &Value| text(reference, "name") == template.name && text(reference, "kind") == template.kind;
        REFERENCES.iter().filter_map(|path| member.written.pointer(path)).any(is_meant)
            || references(&member.id, &member.written).contains(template)
    })
}
