//! Labels and annotations of templates that a topology replaces, and of what is created from the new ones.

use std::collections::BTreeMap;

use serde_json::Value;
use topology::{ObjectPath, PartChange, PartRole, TopologyOwner};

use super::changed_part::ChangedPart;
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::{ObjectId, group_and_version};
use crate::plan::EntryDifference;
use crate::plan::difference::differing;
use crate::plan::machines::Part;
use crate::plan::template::REFERENCES;
use crate::relations::text;

/// Object, path of the map, and key.
type EntryPlace = (ObjectId, ObjectPath, String);

/// The entries that differ in all topologies, once. A new object is named as the one that it replaces.
pub(super) fn merged(entries: impl Iterator<Item = EntryDifference>) -> Vec<EntryDifference> {
    let with_place = |entry: EntryDifference| ((entry.id.clone(), entry.at.clone(), entry.key.clone()), entry);
    let found: BTreeMap<EntryPlace, EntryDifference> = entries.map(with_place).collect();
    found.into_values().filter(|entry| entry.from != entry.to).collect()
}

/// The entries of one topology that differ.
pub(super) fn of_parts(parts: &[ChangedPart], cluster: &ObjectId, before: &Hierarchy) -> Vec<EntryDifference> {
    parts.iter().flat_map(|part| of_part(part, cluster, before)).collect()
}

fn of_part(part: &ChangedPart, cluster: &ObjectId, before: &Hierarchy) -> Vec<EntryDifference> {
    let difference = &part.difference;
    let is_template = matches!(difference.role, PartRole::InfrastructureTemplate | PartRole::BootstrapTemplate);
    let is_replaced = difference.because.iter().any(|cause| difference.differs_in_spec(cause));
    if !is_template || !is_replaced || difference.happens != PartChange::Changed {
        return Vec::new();
    }
    let Some(owner) = owner(&difference.owner, cluster, before) else { return Vec::new() };
    let mut entries: Vec<EntryDifference> = differing(&part.object, &part.edited())
        .into_iter()
        .filter(|(_, key, ..)| !key.starts_with("cluster.x-k8s.io/cloned-from-"))
        .map(|(at, key, from, to)| EntryDifference { id: ObjectId::default(), is_predicted: false, at, key, from, to })
        .collect();
    let of_objects: Vec<EntryDifference> = entries
        .iter()
        .filter_map(|entry| {
            let fields = || entry.at.fields().skip(2).take(1);
            let is_of_made = entry.at.fields().take(2).eq(["spec", "template"]) && fields().eq(["metadata"]);
            let steps = entry.at.steps.iter().skip(2).cloned().collect();
            is_of_made.then(|| EntryDifference { at: ObjectPath { steps }, ..entry.clone() })
        })
        .collect();
    match template(owner, &part.object, before) {
        Some(id) => entries.iter_mut().for_each(|entry| entry.id = id.clone()),
        None => entries.clear(),
    }
    let kind = difference.kind.strip_suffix("Template").unwrap_or(&difference.kind);
    let below = before.number(&owner.id).into_iter().flat_map(|number| before.downwards(number));
    for member in below.filter(|member| member.id.kind == kind) {
        let object = member.completed();
        let value = |entry: &EntryDifference| {
            let map = entry.at.fields().try_fold(&object, |here, field| here.get(field))?;
            Some(map.get(&entry.key)?.as_str()?.to_owned())
        };
        // What the Machine sets itself stays.
        let from_template = of_objects.iter().filter(|entry| value(entry) == entry.from);
        let is_predicted = member.origin.is_none();
        entries.extend(from_template.map(|entry| EntryDifference {
            id: member.id.clone(),
            is_predicted,
            ..entry.clone()
        }));
    }
    entries
}

/// The control plane or the workers.
fn owner<'h>(owner: &TopologyOwner, cluster: &ObjectId, before: &'h Hierarchy) -> Option<&'h Member> {
    let part = Part::of_owner(owner)?;
    before.find(&part.child(before, cluster)?)
}

/// The template of an owner, if it is among the objects; that of the class is not replaced.
fn template(owner: &Member, made: &Value, before: &Hierarchy) -> Option<ObjectId> {
    let kind = text(made, "kind");
    let mut references = REFERENCES.iter().filter_map(|path| owner.written.pointer(path));
    let name = text(references.find(|reference| text(reference, "kind") == kind)?, "name");
    let (group, _) = group_and_version(text(made, "apiVersion"));
    let id = ObjectId::new(group, kind, &owner.id.namespace, name);
    let is_there = owner.origin.is_some() && before.number(&id).is_some();
    is_there.then_some(id)
}
