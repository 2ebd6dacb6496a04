//! Reads the tags of one resource from its simulation.

use std::collections::BTreeMap;

use kubernetes::Mentioned;
use kubernetes::settings::read::type_name;
use raw_json::{Json, push_string};
use tag_delivery::carriers::{Item, Tags, other_object};
use tag_delivery::fault::TagFault;
use tag_delivery::simulation::{
    ComposedResource, FieldPathStep, OtherFields, Policies, SimulatedValue, is_within, steps_in,
};

use crate::immutable::is_refused_later;
use crate::patched_text::{PatchedFrom, PatchedText, PatchedValue, patched_text, patched_value};
use crate::refused::refusal;
use crate::{FailingPatch, NoEffect, PatchFailure, ResourceTag, ResourceTags, TagUpdate};

/// A resource, and what it is composed for.
pub(crate) struct Reader<'r, 'a> {
    pub(crate) resource: &'r ComposedResource<'a>,
    pub(crate) from: PatchedFrom<'a>,
}

/// `None` if nothing writes the tags of the resource.
pub(crate) fn of_resource(reader: &Reader<'_, '_>) -> Option<ResourceTags> {
    let resource = reader.resource;
    let kind = resource.kind;
    let policies = Policies::of(resource);
    let field = kind.known.and_then(|known| known.tags.field()).unwrap_or_default();
    let steps = steps_in(field, &resource.object);
    let (tags, is_open) = kind.known.map(|known| reader.tags(known.tags, &steps)).unwrap_or_default();
    let unknown = || TagFault::UnknownKind { kind: kind.kind.into(), group: kind.group.into() };
    let doubt = match kind.known {
        None if other_object(kind.group, kind.kind).is_some() => None,
        None => Some(unknown()),
        Some(_) => resource.doubt().cloned().or(is_open.then_some(TagFault::Transforms)),
    };
    let doubt = doubt.filter(|_| policies != Policies::Observing);
    let update = match policies {
        Policies::Paused(_) => TagUpdate::Waits,
        Policies::Observing => TagUpdate::Never(NoEffect::Observing),
        Policies::Unsupported => TagUpdate::Never(NoEffect::UnsupportedPolicies),
        Policies::CreatingOnly => TagUpdate::Never(NoEffect::WithoutUpdate),
        _ if is_refused_later(kind.group, kind.kind) => TagUpdate::Refused,
        Policies::UpdatingOnly => TagUpdate::InPlaceOnly,
        Policies::Updating => TagUpdate::InPlace,
    };
    let nested = kind.is_composite.then(|| {
        let mut text = String::new();
        reader.write(&resource.object, &mut Vec::new(), &mut text);
        text
    });
    Some(ResourceTags {
        name: resource.name.to_owned(),
        at: resource.at.path().to_string(),
        group: kind.group.to_owned(),
        version: kind.version.to_owned(),
        kind: kind.kind.to_owned(),
        field: field.into(),
        has_empty_map: tags.is_empty() && reader.has_map(kind.known.map(|known| known.tags)),
        tags,
        is_exempt: resource.is_exempt(),
        conditions: Vec::new(),
        doubt,
        refused: refusal(resource, reader.from.composite),
        update,
        // The API server replaces a list.
        is_merged: resource.is_pruned && matches!(kind.known.map(|known| known.tags), Some(Tags::Map(_))),
        nested,
        has_known_metadata: resource.object.get(&[FieldPathStep::Field("metadata")]).is_ok_and(|it| is_known(&it)),
    })
}

impl<'a> Reader<'_, 'a> {
    /// The patches that fail because of what they read.
    pub(crate) fn failing(&self) -> Vec<FailingPatch> {
        let resource = self.resource;
        let field = match resource.kind.known.map(|known| known.tags) {
            Some(Tags::Map(field)) => field,
            _ => "",
        };
        let steps = steps_in(field, &resource.object);
        let failing = resource.patches.iter().filter_map(|(to, patch)| {
            let own = || Some(resource.name.to_owned());
            let (resource, failure) = match patched_value(*patch, self.from) {
                // Crossplane 1 composes the other resources.
                Err(failure) => (own().filter(|_| resource.is_pruned), PatchFailure::Transform(failure)),
                Ok(Some(PatchedValue::Known(value))) if !value.is_string() && !value.is_null() => {
                    let (FieldPathStep::Field(key), map) = to.split_last()? else { return None };
                    let path = || [field, "[", key, "]"].concat();
                    let fault = TagFault::ValueNotText { path: Mentioned(path()), found: type_name(&value) };
                    (own(), PatchFailure::Refused(Some(fault).filter(|_| !field.is_empty() && map == steps)?))
                }
                _ => return None,
            };
            Some(FailingPatch { at: patch.path().to_string(), resource, failure })
        });
        failing.collect()
    }

    /// Whether a map of tags is set.
    fn has_map(&self, tags: Option<Tags>) -> bool {
        let Some(Tags::Map(field)) = tags else { return false };
        let object = &self.resource.object;
        object.get(&steps_in(field, object)).is_ok_and(|value| match &*value {
            SimulatedValue::Given(json) => json.text().starts_with('{'),
            SimulatedValue::Object(object) => object.others == OtherFields::None,
            _ => false,
        })
    }

    /// The tags that the provider only reads when it creates the cloud's resource: those that its other field does not have.
    pub(crate) fn initial(&self, own: &ResourceTags) -> Option<ResourceTags> {
        let known = self.resource.kind.known?;
        let mut steps = steps_in(known.tags.field()?, &self.resource.object);
        let for_provider = steps.get_mut(1).filter(|step| **step == FieldPathStep::Field("forProvider"))?;
        *for_provider = FieldPathStep::Field("initProvider");
        let (mut tags, _) = self.tags(known.tags, &steps);
        tags.retain(|key, _| !own.tags.contains_key(key));
        let update = if own.update == TagUpdate::Waits { own.update } else { TagUpdate::Never(NoEffect::InitProvider) };
        let field = own.field.replacen("forProvider", "initProvider", 1).into();
        Some(ResourceTags { field, tags, update, refused: None, has_empty_map: false, is_merged: false, ..own.clone() })
    }

    /// The tags in a field that are known, and whether there may be others.
    pub(crate) fn tags(&self, of: Tags, steps: &[FieldPathStep<'a>]) -> (BTreeMap<String, ResourceTag>, bool) {
        let Ok(value) = self.resource.object.get(steps) else { return Default::default() };
        let is_open = match &*value {
            SimulatedValue::Unknown | SimulatedValue::OfAuthor => true,
            SimulatedValue::Object(object) => object.others != OtherFields::None,
            _ => false,
        };
        match of {
            Tags::List(_, item) => (self.listed(&value, steps, item), is_open),
            Tags::Map(_) => (self.entries(&value, steps), is_open),
            Tags::Nowhere => Default::default(),
        }
    }

    fn entries(&self, map: &SimulatedValue<'a>, steps: &[FieldPathStep<'a>]) -> BTreeMap<String, ResourceTag> {
        let entries = map.entries().into_iter().filter_map(|(key, value)| {
            let path: Vec<_> = steps.iter().copied().chain([FieldPathStep::Field(key)]).collect();
            Some((key.to_owned(), self.tag(&value, &path, Some(key))?))
        });
        entries.collect()
    }

    /// A list of strings, or of objects with `key` and `value`. An element that is not known is a key of its own.
    fn listed(
        &self,
        list: &SimulatedValue<'a>,
        steps: &[FieldPathStep<'a>],
        item: Item,
    ) -> BTreeMap<String, ResourceTag> {
        let mut tags = BTreeMap::new();
        for (index, element) in (0_u32..).zip(list.elements()) {
            let path: Vec<_> = steps.iter().copied().chain([FieldPathStep::Element(index)]).collect();
            let at = |field| path.iter().copied().chain([FieldPathStep::Field(field)]).collect::<Vec<_>>();
            let of = |field| self.tag(element.get(&[FieldPathStep::Field(field)]).ok().as_deref()?, &at(field), None);
            let key = match item {
                Item::String => self.tag(&element, &path, None),
                Item::Object => of("key"),
            };
            let Some(key) = key else { continue };
            let of_key = |value| Some(ResourceTag { value, is_kept: false, ..key.clone() });
            let empty = || of_key(PatchedText::Known(String::new()));
            let (key, tag) = match (key.value.clone(), item) {
                (PatchedText::Known(key), Item::String) => (key, empty()),
                (PatchedText::Known(key), Item::Object) => (key, of("value").or_else(empty)),
                (value, _) => (format!("[{index}]"), of_key(value)),
            };
            tags.extend(tag.map(|tag| (key, tag)));
        }
        tags
    }

    /// A value, and what sets it: with the key of a map, the patch of that key or of the whole map.
    fn tag(&self, value: &SimulatedValue<'a>, path: &[FieldPathStep<'a>], key: Option<&str>) -> Option<ResourceTag> {
        let patch = self.resource.patches.get(path).copied();
        let map = path.split_last().map_or(path, |(_, map)| map);
        // `writers` has those of the kind's own field.
        let own = || self.resource.kind.known.and_then(|known| known.tags.field());
        let is_beside = key.is_some() && own().is_none_or(|field| *steps_in(field, &self.resource.object) != *map);
        let of_map = || self.resource.patches.get(map).copied();
        let beside = || of_map().filter(|_| is_beside);
        let writer = || [key.unwrap_or_default(), ""].iter().find_map(|key| self.resource.writers.get(key)).copied();
        let writer = patch
            .or_else(beside)
            .or_else(writer)
            .or_else(of_map)
            .or(self.resource.managed_by)
            .unwrap_or(self.resource.at);
        let (value, at) = match value {
            SimulatedValue::Given(json) if is_within(*json, self.resource.base) => (text(*json)?, *json),
            SimulatedValue::Given(json) => (text(*json)?, writer),
            SimulatedValue::Absent => return None,
            SimulatedValue::Scalar(_) if patch.is_some() => (patched_text(writer, self.from)?, writer),
            SimulatedValue::Unknown if patch.is_some_and(|patch| self.from.knows(patch)) => {
                (patched_text(writer, self.from)?, writer)
            }
            _ => (PatchedText::Unknown([writer.text(), self.from.composite.text()].concat()), writer),
        };
        let mut prefixes = (0..=path.len()).filter_map(|length| path.get(..length));
        let is_kept = prefixes.any(|prefix| self.resource.kept.contains(prefix));
        let kind = at.string(&["type"]).ok().flatten();
        let is_of_environment = matches!(kind, Some("FromEnvironmentFieldPath" | "CombineFromEnvironment"));
        Some(ResourceTag { value, by: at.path().to_string(), is_kept, is_of_environment })
    }

    /// Writes what is known of a value as JSON.
    fn write(&self, value: &SimulatedValue<'a>, path: &mut Vec<FieldPathStep<'a>>, out: &mut String) {
        match value {
            SimulatedValue::Given(json) => out.push_str(json.text()),
            SimulatedValue::Object(object) => {
                out.push('{');
                let mut is_first = true;
                for (name, value) in object.fields.iter().filter(|(_, value)| !value.is_absent()) {
                    path.push(FieldPathStep::Field(name));
                    let mut inner = String::new();
                    self.write(value, path, &mut inner);
                    path.pop();
                    if inner.is_empty() {
                        continue;
                    }
                    out.push_str(if is_first { "" } else { "," });
                    is_first = false;
                    push_string(out, name);
                    out.push(':');
                    out.push_str(&inner);
                }
                out.push('}');
            }
            SimulatedValue::Scalar(_) => {
                let patch = self.resource.patches.get(&**path);
                if let Some(PatchedText::Known(text)) = patch.and_then(|patch| patched_text(*patch, self.from)) {
                    push_string(out, &text);
                }
            }
            SimulatedValue::Absent | SimulatedValue::List(_) | SimulatedValue::Unknown | SimulatedValue::OfAuthor => {}
        }
    }
}

/// Whether all fields of a value are known.
fn is_known(value: &SimulatedValue<'_>) -> bool {
    match value {
        SimulatedValue::Given(_) | SimulatedValue::Absent => true,
        SimulatedValue::Object(object) => object.others == OtherFields::None && object.fields.values().all(is_known),
        _ => false,
    }
}

/// The text of a scalar, as an API server would print it.
fn text(json: Json<'_>) -> Option<PatchedText> {
    let text = json.as_str().unwrap_or_else(|| json.text());
    (!json.is_null()).then(|| PatchedText::Known(text.to_owned()))
}
