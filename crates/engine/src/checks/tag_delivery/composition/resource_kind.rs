//! What is known of the kind of a resource that a Composition composes.

use super::field_path::FieldPathStep;
use crate::catalog::carriers::{Holds, Tags, TagsOfKind, other_field, tags_of_kind};
use crate::checks::tag_delivery::CLOUD_TAGS;
use crate::json::Malformed;
use crate::json::document::Json;
use crate::kube::object::group_and_version;
use crate::settings::CloudTags;

/// The kind of a resource.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResourceKind<'a> {
    pub(super) group: &'a str,
    pub(super) kind: &'a str,
    /// `None` where nothing is known of it.
    pub(super) known: Option<TagsOfKind>,
    /// Whether it is a composite of its own, which gets tags as its parent does.
    pub(super) is_composite: bool,
}

impl<'a> ResourceKind<'a> {
    /// The kind of a base; `composites` says which groups those of composites are.
    ///
    /// # Errors
    /// When the base has another shape than an object of Kubernetes.
    pub(super) fn of(base: Json<'a>, composites: &CloudTags) -> Result<Self, Malformed> {
        let group = group_and_version(base.string(&["apiVersion"])?.unwrap_or_default()).0;
        let kind = base.string(&["kind"])?.unwrap_or_default();
        let is_composite = composites.has_group(group);
        let known = match is_composite {
            true => Some(TagsOfKind { tags: Tags::Map(CLOUD_TAGS), managed: false }),
            false => tags_of_kind(group, kind),
        };
        Ok(ResourceKind { group, kind, known, is_composite })
    }

    /// The map that holds its tags; empty where it has none.
    pub(super) fn field(&self) -> &'static str {
        match self.known.map(|known| known.tags) {
            Some(Tags::Map(field)) => field,
            Some(Tags::List(_) | Tags::Nowhere) | None => "",
        }
    }

    /// The steps of [`ResourceKind::field`].
    pub(super) fn steps(&self) -> Vec<FieldPathStep<'static>> {
        self.field().split('.').map(FieldPathStep::Field).collect()
    }

    /// What another field holds, where that is known.
    pub(super) fn holds(&self, path: &str) -> Option<Holds> {
        other_field(self.group, self.kind, path)
    }
}
