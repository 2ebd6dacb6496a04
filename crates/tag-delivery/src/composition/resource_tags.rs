//! The tags that the resources of one composite get from its Composition: each with its value, and where it is set.

use std::collections::BTreeMap;

use super::delivery::{PAUSED, Policies};
use super::field_path::FieldPathStep;
use super::patched_text::{PatchedText, patched_text};
use super::pipeline::Pipeline;
use super::resource::ComposedResource;
use super::types::{is_within, judge_values, steps_in};
use super::value::{OtherFields, SimulatedValue};
use super::{Halt, limits};
use crate::carriers::{Item, Tags, fields_besides, other_object};
use crate::fault::TagFault;
use crate::faults::FaultSeverity::Fails;
use crate::faults::Faults;
use crate::immutable::is_refused_later;
use crate::json::{Json, Malformed, push_string};

use tag_rules::CloudTags;

/// What a Composition composes for one composite, as far as tags are concerned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Composed {
    /// The resources, in their order; one that has tags in several fields, such as those of its volumes, once for each.
    pub resources: Vec<ResourceTags>,
    /// Steps whose resources, or what they do to tags, are not known: the path of each, and why.
    pub unknown: Vec<(String, TagFault)>,
    /// Why nothing is composed, and the path.
    pub failure: Option<(String, TagFault)>,
}

/// The tags of one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTags {
    /// Its name in the Composition.
    pub name: String,
    /// The API group of its kind.
    pub group: String,
    /// The version of its kind.
    pub version: String,
    /// Its kind.
    pub kind: String,
    /// The field for tags; empty if the kind has none, or none is known.
    pub field: &'static str,
    /// The tags, by key. Of a list of strings, each is a key.
    pub tags: BTreeMap<String, ResourceTag>,
    /// Whether the map of tags is set, and has none.
    pub has_empty_map: bool,
    /// Why its tags are not known.
    pub doubt: Option<TagFault>,
    /// Why the API server or the cloud refuses it.
    pub refused: Option<TagFault>,
    /// What a provider does with a change of its tags.
    pub update: TagUpdate,
    /// What stays of the tags that it had.
    pub kept: KeptTags,
    /// For a nested composite: the object, as far as it is known.
    pub nested: Option<String>,
}

/// One tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTag {
    /// Its value.
    pub value: PatchedText,
    /// The path of the patch, or of the value in a base, that sets it.
    pub by: String,
}

/// What a provider does with a change of the tags of a resource that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagUpdate {
    /// It changes them in place.
    InPlace,
    /// It refuses the change.
    Refused,
    /// Nothing, because of this.
    Never(&'static str),
}

/// What stays in a resource that exists and is no longer composed.
///
/// Source: Crossplane 1.20.6, internal/controller/apiextensions/composite/composition_pt.go, `Compose`, which applies a
/// JSON merge patch, and merge.go, `mergeReplace`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptTags {
    /// Nothing.
    None,
    /// Tags that are removed, in Crossplane 1 without a pipeline.
    Removed,
    /// The same, and the values of tags that change, because of `keepMapValues`.
    Changed,
}

pub(crate) fn composed<'a>(spec: Json<'a>, composite: Json<'a>, composites: &CloudTags) -> Result<Composed, Malformed> {
    let (mut faults, mut found) = (Faults::default(), Composed::default());
    let pipeline = match Pipeline::play(spec, SimulatedValue::Given(composite), &[], composites, &mut faults) {
        Ok(pipeline) => pipeline,
        Err(Halt::Malformed(malformed)) => return Err(malformed),
        Err(Halt::Fails(at, fault)) => {
            found.failure = Some((at.path().to_string(), fault));
            return Ok(found);
        }
    };
    found.unknown = faults.unknown();
    for resource in pipeline.resources.iter().filter(|resource| !resource.base.is_null()) {
        let reader = Reader { resource, composite };
        let Some(own) = of_resource(&reader) else { continue };
        let besides = fields_besides(resource.kind.group, resource.kind.kind);
        let besides = besides.map(|field| {
            let (tags, _) = reader.tags(Tags::Map(field), field);
            ResourceTags { field, tags, refused: None, has_empty_map: false, ..own.clone() }
        });
        let besides: Vec<ResourceTags> = besides.filter(|resource| !resource.tags.is_empty()).collect();
        found.resources.push(own);
        found.resources.extend(besides);
    }
    Ok(found)
}

/// A resource, and the composite that it is composed for.
struct Reader<'r, 'a> {
    resource: &'r ComposedResource<'a>,
    composite: Json<'a>,
}

/// `None` if nothing writes the tags of the resource.
fn of_resource(reader: &Reader<'_, '_>) -> Option<ResourceTags> {
    let resource = reader.resource;
    let kind = resource.kind;
    let policies = Policies::of(&resource.object);
    if policies == Policies::Observing {
        return None;
    }
    let field = kind.known.and_then(|known| known.tags.field()).unwrap_or_default();
    let (tags, is_open) = kind.known.map(|known| reader.tags(known.tags, field)).unwrap_or_default();
    let unknown = || TagFault::UnknownKind { kind: kind.kind.into(), group: kind.group.into() };
    let doubt = match kind.known {
        None if other_object(kind.group, kind.kind).is_some() => None,
        None => Some(unknown()),
        Some(_) => resource.doubt().cloned().or(is_open.then_some(TagFault::Transforms)),
    };
    let update = match policies {
        Policies::CreatingOnly => TagUpdate::Never("without `Update` in `managementPolicies`"),
        Policies::Paused(PAUSED) => TagUpdate::Never("`crossplane.io/paused` is set"),
        Policies::Paused(_) => TagUpdate::Never("`managementPolicies` is empty"),
        _ if is_refused_later(kind.group, kind.kind) => TagUpdate::Refused,
        _ => TagUpdate::InPlace,
    };
    let nested = kind.is_composite.then(|| {
        let mut text = String::new();
        reader.write(&resource.object, &mut Vec::new(), &mut text);
        text
    });
    Some(ResourceTags {
        name: resource.name.to_owned(),
        group: kind.group.to_owned(),
        version: kind.version.to_owned(),
        kind: kind.kind.to_owned(),
        field,
        has_empty_map: tags.is_empty() && reader.has_map(kind.known.map(|known| known.tags)),
        tags,
        doubt,
        refused: reader.refusal(),
        update,
        kept: reader.kept(),
        nested,
    })
}

impl<'a> Reader<'_, 'a> {
    /// Why the API server or the cloud refuses the resource.
    fn refusal(&self) -> Option<TagFault> {
        let (resource, mut faults) = (self.resource, Faults::default());
        let tags = self.composite.at(&["spec", "cloudTags"]).ok();
        let has_tag = |key: &str| tags.is_some_and(|tags| tags.get(key).is_ok_and(|value| !value.is_null()));
        if resource.kind.known.is_some_and(|known| !judge_values(resource, known, &mut faults)) {
            limits::judge_tags(resource, has_tag, None, &mut faults);
        }
        // A field of the status exists once the resources that it is from do.
        let is_refusal =
            |fault: &&TagFault| !matches!(fault, TagFault::RequiredAndAbsent { from } if from.0.starts_with("status."));
        let own = resource.faults.iter().filter(|(severity, ..)| *severity == Fails).map(|(.., fault)| fault);
        faults.refusals().into_iter().chain(own).find(is_refusal).cloned()
    }

    fn kept(&self) -> KeptTags {
        let keeps = |patch: &Json<'_>| patch.at(&["policy", "mergeOptions", "keepMapValues"]).is_ok_and(Json::is_true);
        match self.resource.is_pruned {
            true if self.resource.writers.values().any(keeps) => KeptTags::Changed,
            true => KeptTags::Removed,
            false => KeptTags::None,
        }
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

    /// The tags in a field that are known, and whether there may be others.
    fn tags(&self, of: Tags, field: &'static str) -> (BTreeMap<String, ResourceTag>, bool) {
        let object = &self.resource.object;
        let steps = steps_in(field, object);
        let Ok(value) = object.get(&steps) else { return Default::default() };
        let is_open = match &*value {
            SimulatedValue::Unknown | SimulatedValue::OfAuthor => true,
            SimulatedValue::Object(object) => object.others != OtherFields::None,
            _ => false,
        };
        match of {
            Tags::List(_, item) => (self.listed(&value, &steps, item), is_open),
            Tags::Map(_) => (self.entries(&value, &steps), is_open),
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
            let by = key.by.clone();
            let empty = || Some(ResourceTag { value: PatchedText::Known(String::new()), by: by.clone() });
            let (key, tag) = match (key.value, item) {
                (PatchedText::Known(key), Item::String) => (key, empty()),
                (PatchedText::Known(key), Item::Object) => (key, of("value").or_else(empty)),
                (value, _) => (format!("[{index}]"), Some(ResourceTag { value, by: by.clone() })),
            };
            tags.extend(tag.map(|tag| (key, tag)));
        }
        tags
    }

    /// A value, and what sets it: with the key of a map, the patch of that key or of the whole map.
    fn tag(&self, value: &SimulatedValue<'a>, path: &[FieldPathStep<'a>], key: Option<&str>) -> Option<ResourceTag> {
        let patch = self.resource.patches.get(path).copied();
        let writer = || [key.unwrap_or_default(), ""].iter().find_map(|key| self.resource.writers.get(key)).copied();
        let of_map = || path.split_last().and_then(|(_, map)| self.resource.patches.get(map)).copied();
        let writer = patch.or_else(writer).or_else(of_map).or(self.resource.managed_by).unwrap_or(self.resource.at);
        let (value, at) = match value {
            SimulatedValue::Given(json) if is_within(*json, self.resource.base) => (text(*json)?, *json),
            SimulatedValue::Given(json) => (text(*json)?, writer),
            SimulatedValue::Absent => return None,
            SimulatedValue::Scalar(_) if patch.is_some() => (patched_text(writer, self.composite)?, writer),
            _ => (PatchedText::Unknown([writer.text(), self.composite.text()].concat()), writer),
        };
        Some(ResourceTag { value, by: at.path().to_string() })
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
                if let Some(PatchedText::Known(text)) = patch.and_then(|patch| patched_text(*patch, self.composite)) {
                    push_string(out, &text);
                }
            }
            SimulatedValue::Absent | SimulatedValue::List(_) | SimulatedValue::Unknown | SimulatedValue::OfAuthor => {}
        }
    }
}

/// The text of a scalar, as an API server would print it.
fn text(json: Json<'_>) -> Option<PatchedText> {
    let text = json.as_str().unwrap_or_else(|| json.text());
    (!json.is_null()).then(|| PatchedText::Known(text.to_owned()))
}
