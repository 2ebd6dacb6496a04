//! What is known about the kind of a composed resource.

use super::field_path::FieldPathStep;
use crate::CLOUD_TAGS;
use crate::carriers::{Holds, Tags, TagsOfKind, other_field, tags_of_kind};
use crate::json::{Json, Malformed};
use kubernetes::group_and_version;
use tag_rules::CloudTags;

/// The kind of a resource.
#[derive(Debug, Clone, Copy)]
pub struct ResourceKind<'a> {
    /// Its API group.
    pub group: &'a str,
    /// Its version.
    pub version: &'a str,
    /// Its name.
    pub kind: &'a str,
    /// `None` if nothing is known about it.
    pub known: Option<TagsOfKind>,
    /// Whether it is itself a composite, which gets tags as its parent does.
    pub is_composite: bool,
}

impl<'a> ResourceKind<'a> {
    /// The kind of a base; `composites` says which are the groups of composites.
    pub(super) fn of(base: Json<'a>, composites: &CloudTags) -> Result<Self, Malformed> {
        let (group, version) = group_and_version(base.string(&["apiVersion"])?.unwrap_or_default());
        let kind = base.string(&["kind"])?.unwrap_or_default();
        let is_composite = composites.has_group(group);
        let known = match is_composite {
            true => Some(TagsOfKind { tags: Tags::Map(CLOUD_TAGS), managed: false }),
            false => tags_of_kind(group, kind),
        };
        Ok(ResourceKind { group, version, kind, known, is_composite })
    }

    /// The map for its tags; empty if it has none.
    pub(super) fn field(&self) -> &'static str {
        match self.known.map(|known| known.tags) {
            Some(Tags::Map(field)) => field,
            Some(Tags::List(..) | Tags::Nowhere) | None => "",
        }
    }

    /// The steps of [`ResourceKind::field`].
    pub(super) fn steps(&self) -> Vec<FieldPathStep<'static>> {
        self.field().split('.').map(FieldPathStep::Field).collect()
    }

    /// What another field contains, if that is known.
    pub(super) fn holds(&self, path: &str) -> Option<Holds> {
        other_field(self.group, self.kind, path)
    }
}
