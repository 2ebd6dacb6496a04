//! What is said about a resource beside the fate of its own tags: what it creates without them, and that it can have none.

use super::field_path::FieldPathStep;
use super::resource::ComposedResource;
use super::types::steps_in;
use super::value::SimulatedValue;
use crate::carriers::{Launching, OtherObject, TaggedBy, launching, other_object};
use crate::fault::TagFault;
use crate::faults::FaultSeverity::{CannotTell, Note};
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
                let field = |name| element.get(&[FieldPathStep::Field(name)]).ok().map(|value| value.into_owned());
                field(name).is_none_or(|value| is_one_of(value, &[wanted])) && field("tags").is_some()
            };
            list.elements().iter().any(is_element)
        }),
    }
}

/// Says what is known about the tags of an object of a kind that is in no table of carriers.
pub(super) fn judge_other_object<'a>(resource: &ComposedResource<'a>, faults: &mut Faults<'a>) {
    let kind = resource.kind;
    match other_object(kind.group, kind.kind) {
        Some(OtherObject::OfKubernetes) => {}
        Some(OtherObject::Manifests) if !makes_unknown_object(resource) => {
            faults.add(Note, resource.at, TagFault::NoCloudTags { kind: kind.kind.into() });
        }
        Some(OtherObject::Manifests) | None => {
            let fault = TagFault::UnknownKind { kind: kind.kind.into(), group: kind.group.into() };
            faults.add(CannotTell, resource.at, fault);
        }
    }
}

/// Whether a resource makes an object, in a cluster, that may have tags in a cloud.
fn makes_unknown_object(resource: &ComposedResource<'_>) -> bool {
    let manifest = |field| {
        let value = resource.object.get(&["spec", "forProvider", "manifest", field].map(FieldPathStep::Field)).ok()?;
        match &*value {
            SimulatedValue::Given(json) => json.as_str(),
            _ => None,
        }
    };
    let group = manifest("apiVersion").map(|api_version| group_and_version(api_version).0);
    group.is_some_and(|group| other_object(group, manifest("kind").unwrap_or_default()).is_none())
}
