//! Whether one composed resource gets the tags of its composite.

use std::borrow::Cow;

use super::beside::{judge_launched, judge_other_object};
use super::field_path::FieldPathStep;
use super::nested::{OwnTags, adopting};
use super::policies::Policies;
use super::resource::ComposedResource;
use super::resource_kind::ResourceKind;
use super::tag_keys::TagKeys;
use super::tag_manager::LEFT_ALONE;
use super::types::{self, steps_in};
use super::value::{OtherFields, SimulatedValue};
use super::{limits, other_cloud};
use crate::CLOUD_TAGS;
use crate::carriers::{Holds, Tags, TagsOfKind, cloud_of, newer_field};
use crate::exemption::exempts;
use crate::fault::TagFault;
use crate::faults::FaultSeverity::{CannotTell, Fails, Loss, Note, Risk};
use crate::faults::{FaultSeverity, Faults};
use crate::json::{Json, Malformed};
use kubernetes::{EXEMPT, Mentioned, is_annotation_key, is_label_key};
use tag_rules::CloudTags;
use tag_rules::keys::{ADOPTED, ORIGIN};

/// Suffixes of field names: the table of carriers has every map of strings in a field with such a name.
const TAG_LIKE: [&str; 3] = ["tags", "labels", "metadata"];
/// Where a managed resource has the fields that its provider reads.
const FOR_PROVIDER: &str = "spec.forProvider.";
/// … and those that it only reads when it creates the cloud's resource.
const INIT_PROVIDER: &str = "spec.initProvider.";

/// Finds out what happens to the tags of one resource; `is_unread_later` says whether a function that is not evaluated
/// runs later, `settings` which labels become tags.
pub(super) fn judge<'a>(
    resource: &ComposedResource<'a>,
    is_unread_later: bool,
    settings: &CloudTags,
    keys: TagKeys<'_>,
    faults: &mut Faults<'a>,
) -> Result<(), Malformed> {
    let (base, kind) = (resource.base, resource.kind);
    if base.is_null() {
        faults.add(CannotTell, resource.at, TagFault::NoBase);
        return Ok(());
    }
    let reason = base.at(&["metadata", "annotations", EXEMPT])?;
    if !reason.is_null() && exempts(reason.as_string()?, reason, faults) {
        return Ok(());
    }
    let Some(known) = kind.known else {
        judge_object_metadata(resource, keys, faults);
        judge_other_object(resource, is_unread_later, faults);
        return Ok(());
    };
    let policies = Policies::of(resource);
    if policies == Policies::Observing {
        return Ok(());
    }
    for (severity, at, fault) in &resource.faults {
        faults.add(*severity, *at, fault.clone());
    }
    if known.tags.field().is_some() {
        judge_policies(resource, policies, faults);
    }
    let is_delivered = resource.tags().is_some();
    let is_lost = resource.faults.iter().any(|(severity, ..)| *severity != CannotTell);
    let mut places = TagPlaces { resource, known, keys, is_delivered, is_lost, is_doubted: false };
    places.judge(faults);
    places.is_lost |= types::judge(resource, known, faults);
    other_cloud::judge_base(resource, settings, faults);
    if kind.is_composite && !is_delivered && is_of_author(resource) {
        faults.add(Loss, resource.at, TagFault::OfAuthor { field: kind.field().into() });
    }
    if kind.is_composite
        && let Some(label) = adopting(&resource.object)
    {
        faults.add(Loss, label, TagFault::NestedAdopted { label: ORIGIN.into(), value: ADOPTED.into() });
        places.is_lost = true;
    }
    if is_delivered && !places.is_lost {
        if policies == Policies::CreatingOnly {
            faults.add(Risk, resource.at, TagFault::NeverUpdated);
        }
        limits::judge_keys(resource, keys, faults);
    }
    if !places.is_lost && has_value(resource, known) {
        judge_launched(resource, faults);
    }
    if !places.is_lost && !is_delivered {
        for (at, doubt) in &resource.doubts {
            faults.add(CannotTell, *at, doubt.clone());
        }
        if !places.is_doubted && resource.doubts.is_empty() {
            judge_undelivered(resource, known, is_unread_later, settings, faults);
        }
    }
    Ok(())
}

/// Says that the provider does not create the resource.
fn judge_policies<'a>(resource: &ComposedResource<'a>, policies: Policies, faults: &mut Faults<'a>) {
    let (severity, fault) = match policies {
        Policies::Paused(by) if resource.kind.is_composite => (Risk, TagFault::PausedComposite { by }),
        Policies::Paused(by) => (Risk, TagFault::Paused { by }),
        Policies::Unsupported => (Risk, TagFault::UnsupportedPolicies),
        Policies::UpdatingOnly => (Note, TagFault::NeverCreated),
        Policies::Updating | Policies::CreatingOnly | Policies::Observing => return,
    };
    faults.add(severity, resource.at, fault);
}

/// Says that nothing fills the field for tags.
fn judge_undelivered<'a>(
    resource: &ComposedResource<'a>,
    known: TagsOfKind,
    is_unread_later: bool,
    settings: &CloudTags,
    faults: &mut Faults<'a>,
) {
    let kind = resource.kind;
    match known.tags {
        Tags::Nowhere => {}
        Tags::List(field, _) => {
            let severity = if is_unread_later || !is_given(resource, known) { CannotTell } else { Risk };
            faults.add(severity, resource.at, TagFault::ListOfTags { kind: kind.kind.into(), field: field.into() });
        }
        Tags::Map(_) if kind.is_composite => match OwnTags::of(resource, settings) {
            OwnTags::Made => faults.add(Note, resource.at, TagFault::LabelsOfItsOwn),
            OwnTags::Unknown => faults.add(CannotTell, resource.at, TagFault::LabelsOfTheRegistry),
            OwnTags::None if is_unread_later => {
                faults.add(CannotTell, resource.at, TagFault::NotPatchedSoFar { field: CLOUD_TAGS.into() })
            }
            OwnTags::None => faults.add(Loss, resource.at, TagFault::NestedWithoutTags),
        },
        Tags::Map(field) => {
            let field = Mentioned(written_path(field, &resource.object));
            match is_unread_later {
                true => faults.add(CannotTell, resource.at, TagFault::NotPatchedSoFar { field }),
                false if resource.is_ignored => {
                    faults.add(Loss, resource.at, TagFault::TagManagerSkips { mark: LEFT_ALONE });
                }
                false => faults.add(Loss, resource.at, TagFault::NotPatched { field }),
            }
        }
    }
}

fn has_value(resource: &ComposedResource<'_>, known: TagsOfKind) -> bool {
    known.tags.field().is_some_and(|field| resource.object.get(&steps_in(field, &resource.object)).is_ok())
}

/// Whether no patch writes into the field for tags.
fn is_given(resource: &ComposedResource<'_>, known: TagsOfKind) -> bool {
    let steps = known.tags.field().map(|field| steps_in(field, &resource.object)).unwrap_or_default();
    let value = resource.object.get(&steps);
    matches!(value.as_deref(), Err(_) | Ok(SimulatedValue::Given(_) | SimulatedValue::Absent))
}

/// Whether the field for tags has keys that the author of the composite chooses.
fn is_of_author(resource: &ComposedResource<'_>) -> bool {
    match resource.object.get(&resource.kind.steps()).as_deref() {
        Ok(SimulatedValue::OfAuthor) => true,
        Ok(SimulatedValue::Object(object)) => object.others == OtherFields::OfAuthor,
        _ => false,
    }
}

/// The places of one resource that patches copied tags to.
struct TagPlaces<'r, 'a> {
    resource: &'r ComposedResource<'a>,
    known: TagsOfKind,
    keys: TagKeys<'r>,
    /// Whether one of them is the field for tags.
    is_delivered: bool,
    /// A fault says how they are lost.
    is_lost: bool,
    /// Another field may hold tags.
    is_doubted: bool,
}

impl<'a> TagPlaces<'_, 'a> {
    fn judge(&mut self, faults: &mut Faults<'a>) {
        for (steps, entries) in self.resource.object.places() {
            let place = FieldPlace::of(&steps);
            let patch = entries.by.unwrap_or(self.resource.at);
            self.judge_place(&place, patch, faults);
        }
    }

    /// Evaluates one place. A field that the kind does not declare makes the write fail: it is not dropped.
    fn judge_place(&mut self, place: &FieldPlace, patch: Json<'a>, faults: &mut Faults<'a>) {
        let (kind, to) = (self.resource.kind, &*place.path);
        let fails = if self.resource.is_pruned { Loss } else { Fails };
        let is_text = |parent: &str| to.strip_prefix(parent).is_some_and(|rest| rest.starts_with('.'));
        let found = match self.known.tags {
            Tags::Map(field) if to == field && !place.is_element => return,
            _ if OBJECT_METADATA.contains(&to) => match object_metadata(kind, to, self.keys) {
                Some(fault) => Some(fault),
                None => return,
            },
            // Crossplane drops labels and annotations that are not strings, and creates the resource.
            _ if is_text("metadata.labels") || is_text("metadata.annotations") => return,
            Tags::Map(field) if is_text(field) => Some((Fails, TagFault::MapToText { to: to.into() })),
            // The types of values say so.
            Tags::Map(field) if to == field => return,
            Tags::List(field, _) if to == field || is_text(field) => {
                Some((Fails, TagFault::MapToList { field: field.into() }))
            }
            _ if kind.is_composite => None,
            _ if newer_field(kind.group, kind.kind).is_some_and(|newer| newer.path == to) => {
                let after = newer_field(kind.group, kind.kind).map_or("", |newer| newer.after);
                faults.add(CannotTell, patch, TagFault::NewerField { kind: kind.kind.into(), to: to.into(), after });
                self.is_doubted = true;
                return;
            }
            _ if !to.starts_with(FOR_PROVIDER) && !to.starts_with(INIT_PROVIDER) => {
                let is_default = to == CLOUD_TAGS && patch.get("toFieldPath").is_ok_and(Json::is_null);
                Some((fails, if is_default { TagFault::NoToFieldPath } else { self.misplaced(to) }))
            }
            Tags::Map(field) if to.strip_prefix(INIT_PROVIDER) == field.strip_prefix(FOR_PROVIDER) => {
                if !self.is_delivered {
                    faults.add(Risk, patch, TagFault::InitialTags);
                    self.is_doubted = true;
                }
                return;
            }
            tags => match (kind.holds(&of_provider(to)), tags) {
                (Some(Holds::TagsBesides), _) => return,
                (Some(_), _) if self.is_delivered => return,
                (Some(_), Tags::Map(field)) => Some((Loss, self.in_wrong_field(to, field))),
                (Some(Holds::NoTags), Tags::Nowhere | Tags::List(..)) => Some((Loss, self.misplaced(to))),
                (Some(Holds::Unknown), Tags::Nowhere | Tags::List(..)) => None,
                (None, _) if is_tag_like(to) => Some((fails, self.misplaced(to))),
                (None, Tags::Nowhere | Tags::List(..)) => Some((Loss, self.misplaced(to))),
                (None, Tags::Map(_)) if self.is_delivered => None,
                (None, Tags::Map(field)) => Some((Loss, self.in_wrong_field(to, field))),
            },
        };
        match found {
            Some((severity, fault)) => {
                self.is_lost = true;
                faults.add(severity, patch, fault);
            }
            None => {
                self.is_doubted = true;
                faults.add(CannotTell, patch, TagFault::UnknownField { to: to.into(), kind: kind.kind.into() });
            }
        }
    }

    /// Tags are in a field that is not for tags.
    fn misplaced(&self, to: &str) -> TagFault {
        let to = to.into();
        match self.known.tags {
            Tags::Map(field) => TagFault::UndeclaredField { to, field: field.into() },
            Tags::List(..) => TagFault::NoMapBesideList { to, kind: self.resource.kind.kind.into() },
            Tags::Nowhere => TagFault::NoTags { to, kind: self.resource.kind.kind.into() },
        }
    }

    /// The same if the kind has this other field.
    fn in_wrong_field(&self, to: &str, field: &'static str) -> TagFault {
        TagFault::WrongField { to: to.into(), kind: self.resource.kind.kind.into(), field: field.into() }
    }
}

/// Maps of every Kubernetes object.
const OBJECT_METADATA: [&str; 2] = ["metadata.labels", "metadata.annotations"];

/// What happens to an object with tags in its labels or annotations, whose keys the API server checks.
fn object_metadata(kind: ResourceKind<'_>, to: &str, keys: TagKeys<'_>) -> Option<(FaultSeverity, TagFault)> {
    let is_valid = if to == "metadata.labels" { is_label_key } else { is_annotation_key };
    let samples = keys.samples(cloud_of(kind.group));
    match samples.iter().filter(|key| is_valid(key)).count() {
        0 => Some((Fails, TagFault::NoLabelKeys { to: to.into() })),
        count if count == samples.len() => None,
        _ => Some((CannotTell, TagFault::MaybeNoLabelKeys { to: to.into() })),
    }
}

/// The same for an object of which nothing else is known.
fn judge_object_metadata<'a>(resource: &ComposedResource<'a>, keys: TagKeys<'_>, faults: &mut Faults<'a>) {
    for (steps, entries) in resource.object.places() {
        let place = FieldPlace::of(&steps);
        if OBJECT_METADATA.contains(&&*place.path)
            && let Some((severity, fault)) = object_metadata(resource.kind, &place.path, keys)
        {
            faults.add(severity, entries.by.unwrap_or(resource.at), fault);
        }
    }
}

/// A place in an object, without the elements of lists.
struct FieldPlace {
    path: String,
    is_element: bool,
}

impl FieldPlace {
    fn of(steps: &[FieldPathStep<'_>]) -> Self {
        let mut path = String::new();
        for step in steps {
            match step {
                FieldPathStep::Field(name) if name.contains('.') => path.push_str(&["[", name, "]"].concat()),
                FieldPathStep::Field(name) => {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(name);
                }
                FieldPathStep::Element(_) => {}
            }
        }
        FieldPlace { path, is_element: matches!(steps.last(), Some(FieldPathStep::Element(_))) }
    }
}

/// The field that a provider always reads, for one that it only reads when it creates the cloud's resource.
fn of_provider(path: &str) -> Cow<'_, str> {
    path.strip_prefix(INIT_PROVIDER).map_or(Cow::Borrowed(path), |rest| Cow::Owned([FOR_PROVIDER, rest].concat()))
}

/// The path of a field as a patch of this object must write it.
fn written_path(field: &'static str, object: &SimulatedValue<'_>) -> String {
    let mut path = String::new();
    for step in steps_in(field, object) {
        match step {
            FieldPathStep::Element(index) => path.push_str(&format!("[{index}]")),
            FieldPathStep::Field(name) if path.is_empty() => path.push_str(name),
            FieldPathStep::Field(name) => path.push_str(&[".", name].concat()),
        }
    }
    path
}

/// Whether the name of a field suggests tags.
fn is_tag_like(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    TAG_LIKE.iter().any(|end| path.ends_with(end))
}
