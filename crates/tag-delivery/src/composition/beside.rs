//! What is said about a resource beside the fate of its own tags: what it creates without them, and that it can have none.

use super::field_path::FieldPathStep;
use super::policies::is_observed;
use super::resource::ComposedResource;
use super::types::steps_in;
use super::value::SimulatedValue;
use crate::carriers::{Launching, OtherObject, TaggedBy, Tags, launching, other_object, tags_of_kind};
use crate::fault::TagFault;
use crate::faults::FaultSeverity::{CannotTell, Loss, Note};
use crate::faults::Faults;
use kubernetes::group_and_version;

/// Says what a resource creates without its tags.
pub(super) fn judge_launched<'a>(resource: &ComposedResource<'a>, faults: &mut Faults<'a>) {
    let rows = launching(resource.kind.group, resource.kind.kind);
    let rows: Vec<&Launching> = rows.filter(|row| !has_tags_by(&resource.object, row.unless)).collect();
    let Some(first) = rows.first() else { return };
    let launched = rows.iter().map(|row| row.launched).collect::<Vec<_>>().join(" and ");
    let fault = TagFault::StopsShort { kind: first.kind.1.into(), launched, advice: first.advice };
    faults.add(Note, resource.at, fault);
}

/// Whether an object gives tags to what it creates. A value that is not known may do so.
fn has_tags_by(object: &SimulatedValue<'_>, by: TaggedBy) -> bool {
    let get = |path| object.get(&steps_in(path, object)).ok().map(|value| value.into_owned());
    let is_one_of = |value: SimulatedValue<'_>, wanted: &[&str]| match value {
        SimulatedValue::Given(json) => wanted.contains(&json.as_str().unwrap_or_else(|| json.text())),
        _ => true,
    };
    match by {
        TaggedBy::Nothing => false,
        TaggedBy::Field(paths) => paths.iter().any(|path| get(path).is_some()),
        TaggedBy::Value(path, wanted) => get(path).is_some_and(|value| is_one_of(value, wanted)),
        TaggedBy::Element(path, name, wanted) => get(path).is_some_and(|list| {
            let is_element = |element: &SimulatedValue<'_>| {
                field(element, name).is_none_or(|value| is_one_of(value, &[wanted])) && field(element, "tags").is_some()
            };
            list.elements().iter().any(is_element)
        }),
        TaggedBy::EveryElement(path, name, wanted) => get(path).is_none_or(|list| {
            let is_tagged =
                |element: &SimulatedValue<'_>| field(element, name).is_some_and(|value| is_one_of(value, &[wanted]));
            list.elements().iter().all(is_tagged)
        }),
    }
}

fn field<'a>(element: &SimulatedValue<'a>, name: &'static str) -> Option<SimulatedValue<'a>> {
    element.get(&[FieldPathStep::Field(name)]).ok().map(|value| value.into_owned())
}

/// Says what is known about the tags of an object of a kind that is in no table of carriers.
pub(super) fn judge_other_object<'a>(resource: &ComposedResource<'a>, is_unread_later: bool, faults: &mut Faults<'a>) {
    let kind = resource.kind;
    match other_object(kind.group, kind.kind) {
        Some(OtherObject::OfKubernetes) => {}
        Some(OtherObject::Manifests) if !makes_unknown_object(resource) => {
            faults.add(Note, resource.at, TagFault::NoCloudTags { kind: kind.kind.into() });
        }
        Some(OtherObject::Manifests) if !is_unread_later && judge_manifest(resource, faults).is_some() => {}
        Some(OtherObject::Manifests) | None => {
            let fault = TagFault::UnknownKind { kind: kind.kind.into(), group: kind.group.into() };
            faults.add(CannotTell, resource.at, fault);
        }
    }
}

/// Whether a resource makes an object, in a cluster, that may have tags in a cloud.
fn makes_unknown_object(resource: &ComposedResource<'_>) -> bool {
    kind_of_manifest(resource).is_some_and(|(group, kind)| other_object(group, kind).is_none())
}

/// The API group and the kind of the object that a resource makes in a cluster.
fn kind_of_manifest<'a>(resource: &ComposedResource<'a>) -> Option<(&'a str, &'a str)> {
    let text = |field| match resource.object.get(&in_manifest(field)).ok().as_deref() {
        Some(SimulatedValue::Given(json)) => json.as_str(),
        _ => None,
    };
    Some((group_and_version(text("apiVersion")?).0, text("kind").unwrap_or_default()))
}

fn in_manifest(field: &'static str) -> Vec<FieldPathStep<'static>> {
    MANIFEST.split('.').chain(field.split('.')).map(FieldPathStep::Field).collect()
}

/// Where an object of provider-kubernetes has the manifest of another one.
const MANIFEST: &str = "spec.forProvider.manifest";

/// Says whether the managed resource in a manifest gets the tags; `None` if that is not known.
fn judge_manifest<'a>(resource: &ComposedResource<'a>, faults: &mut Faults<'a>) -> Option<()> {
    let (group, kind) = kind_of_manifest(resource)?;
    let Tags::Map(field) = tags_of_kind(group, kind)?.tags else { return None };
    if is_observed(resource) {
        return None;
    }
    let steps = in_manifest(field);
    match (resource.object.tags_at(&steps, &mut 0), resource.object.get(&steps).as_deref()) {
        (Some(tags), _) => tags.is_whole.then_some(()),
        (None, Err(_) | Ok(SimulatedValue::Given(_) | SimulatedValue::Absent)) if resource.doubts.is_empty() => {
            let field = [MANIFEST, ".", field].concat().as_str().into();
            faults.add(Loss, resource.at, TagFault::NotPatched { field });
            Some(())
        }
        (None, _) => None,
    }
}
