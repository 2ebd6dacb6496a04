//! Whether one composed resource gets the tags of its composite.

use super::exemption::exempts;
use super::faults::Faults;
use super::faults::Severity::{Loss, Note};
use super::patches::PatchedTags;
use super::resource::ComposedResource;
use crate::catalog::carriers::{Tags, tags_of_kind};
use crate::catalog::keys::EXEMPT;
use crate::json::Malformed;
use crate::json::document::Json;
use crate::kube::object::group_and_version;
use crate::report::messages::tag_delivery as messages;
use crate::settings::CloudTags;

/// With the value `true` on a resource, function-tag-manager leaves it alone. Source: its tags.go.
const LEFT_ALONE: &str = "tag-manager.fn.crossplane.io/ignore-resource";

/// What is known of one resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// It gets the tags.
    Delivered,
    /// It does not get them, and a fault says so.
    Lost,
    /// It has no field for them, or it is not known.
    NotApplicable,
    /// No patch goes to this field, which kinds of the provider have, though maybe not this one.
    NotPatched(&'static str),
}

/// What becomes of the tags; `composites` says which groups are those of composites.
///
/// # Errors
/// When the resource has another shape than Crossplane gives it.
pub(super) fn delivery<'a>(
    resource: &ComposedResource<'a>,
    composites: &CloudTags,
    faults: &mut Faults<'a>,
) -> Result<Delivery, Malformed> {
    let base = resource.base;
    if base.is_null() {
        faults.add(Note, resource.at, messages::NO_BASE);
        return Ok(Delivery::NotApplicable);
    }
    let reason = base.at(&["metadata", "annotations", EXEMPT])?;
    if !reason.is_null() && exempts(reason.as_string()?, reason, faults) {
        return Ok(Delivery::NotApplicable);
    }
    let api_version = base.string(&["apiVersion"])?.unwrap_or_default();
    let kind = base.string(&["kind"])?.unwrap_or_default();
    let group = group_and_version(api_version).0;
    // A composite below this one has tags of its own.
    if composites.has_group(group) {
        return Ok(Delivery::NotApplicable);
    }
    let Some(known) = tags_of_kind(group, kind) else {
        faults.add(Note, resource.at, messages::unknown_kind(group, kind));
        return Ok(Delivery::NotApplicable);
    };
    let base_tags = match known.tags {
        Tags::Map(field) => content(base, field),
        Tags::List(_) | Tags::Nowhere => base.absent(),
    };
    let has_base_tags = base_tags.as_fields().is_some_and(|fields| fields.len() > 0);
    let mut tags = PatchedTags::of_base(kind, known, has_base_tags);
    for patch in &resource.patches {
        tags.apply(*patch, faults)?;
    }
    if tags.is_lost {
        return Ok(Delivery::Lost);
    }
    let can_be_tagged = known.managed && matches!(known.tags, Tags::Map(_));
    if tags.is_delivered || (can_be_tagged && resource.is_tagged_later && !is_left_alone(base)?) {
        return Ok(Delivery::Delivered);
    }
    match known.tags {
        _ if tags.is_unknown => Ok(Delivery::NotApplicable),
        Tags::Nowhere => Ok(Delivery::NotApplicable),
        Tags::List(field) => {
            faults.add(Note, resource.at, messages::list_of_tags(kind, field));
            Ok(Delivery::NotApplicable)
        }
        Tags::Map(field) if !known.by_name && base_tags.is_null() => Ok(Delivery::NotPatched(field)),
        Tags::Map(field) if resource.is_unknown_later => {
            faults.add(Note, resource.at, messages::not_patched_so_far(field));
            Ok(Delivery::NotApplicable)
        }
        Tags::Map(field) => {
            faults.add(Loss, resource.at, messages::not_patched(field));
            Ok(Delivery::Lost)
        }
    }
}

/// Whether function-tag-manager is told to leave a resource alone; the annotation wins over the label.
fn is_left_alone(base: Json<'_>) -> Result<bool, Malformed> {
    let mark = match base.string(&["metadata", "annotations", LEFT_ALONE])? {
        None => base.string(&["metadata", "labels", LEFT_ALONE])?,
        annotation => annotation,
    };
    Ok(mark.is_some_and(|mark| mark.eq_ignore_ascii_case("true")))
}

/// What the base has at a path; the base is the provider's, and what has another shape there has no tags.
fn content<'a>(base: Json<'a>, field: &str) -> Json<'a> {
    field.split('.').fold(base, |here, step| here.get(step).unwrap_or(base.absent()))
}
