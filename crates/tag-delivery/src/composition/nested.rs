//! Whether a nested composite gets its own tags: from labels that its parent's Composition sets.

use super::field_path::FieldPathStep;
use super::resource::ComposedResource;
use super::value::{OtherFields, SimulatedValue};
use crate::json::Json;
use tag_rules::CloudTags;
use tag_rules::keys::{ADOPTED, ASSIGNMENTS, ORIGIN};

/// What is known about the tags that a composite's own labels become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnTags {
    /// It has all labels of its parent, one that is opted in, or assignments.
    Made,
    /// It has labels, and the registry says whether tags are made from them.
    Unknown,
    /// It has no label that becomes a tag.
    None,
}

impl OwnTags {
    /// What is known about a composed object.
    pub(super) fn of(resource: &ComposedResource<'_>, settings: &CloudTags) -> Self {
        let object = &resource.object;
        let get = |path: &[&'static str]| {
            let path: Vec<FieldPathStep<'_>> = path.iter().copied().map(FieldPathStep::Field).collect();
            object.get(&path).ok().map(|found| found.into_owned())
        };
        let annotations = resource.patches.get(&["metadata", "annotations"].map(FieldPathStep::Field)[..]);
        // A label cannot hold assignments.
        let are_labels = annotations
            .is_some_and(|patch| patch.string(&["fromFieldPath"]).is_ok_and(|from| from == Some("metadata.labels")));
        if !are_labels && get(&["metadata", "annotations", ASSIGNMENTS]).is_some() {
            return OwnTags::Made;
        }
        let opts_in = |key: &str| settings.definitions.get(key).is_some_and(|known| known.cloud_tag_propagation);
        match get(&["metadata", "labels"]).map(|labels| keys(&labels)) {
            Some(None) => OwnTags::Made,
            Some(Some(keys)) if keys.iter().any(|key| opts_in(key)) => OwnTags::Made,
            Some(Some(keys)) if !keys.is_empty() && settings.registry.is_some() => OwnTags::Unknown,
            _ => OwnTags::None,
        }
    }
}

/// The label that says that a nested composite was adopted: then the policy removes the tags that it gets.
pub(super) fn adopting<'a>(object: &SimulatedValue<'a>) -> Option<Json<'a>> {
    match &*object.get(&["metadata", "labels", ORIGIN].map(FieldPathStep::Field)).ok()? {
        SimulatedValue::Given(label) => Some(*label).filter(|label| label.as_str() == Some(ADOPTED)),
        _ => None,
    }
}

/// The keys of a map; `None` if a patch copies a whole map, whose keys are unknown.
fn keys(map: &SimulatedValue<'_>) -> Option<Vec<String>> {
    match map {
        SimulatedValue::Given(json) => Some(json.as_fields()?.map(|(key, _)| key.to_owned()).collect()),
        SimulatedValue::Object(object) if object.others == OtherFields::None => {
            Some(object.fields.keys().map(|key| (*key).to_owned()).collect())
        }
        _ => None,
    }
}
