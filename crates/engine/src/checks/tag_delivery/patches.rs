//! What the patches of one resource do to its tags.
//!
//! Source: function-patch-and-transform, input/v1beta1/resources_patches.go and patches.go; Crossplane 1.20,
//! apis/apiextensions/v1/composition_patches.go.

use std::fmt::Display;

use super::faults::Faults;
use super::faults::Severity::{Loss, Note};
use super::field_path::{self, CLOUD_TAGS};
use crate::catalog::carriers::{Tags, TagsOfKind};
use crate::json::Malformed;
use crate::json::document::Json;
use crate::report::messages::tag_delivery as messages;

/// Fields that are tags somewhere, and something else elsewhere.
const TAG_LIKE: [&str; 3] = ["spec.forProvider.tags", "spec.forProvider.labels", "spec.forProvider.metadata"];

/// Patches that write to the resource.
const WRITING: [&str; 4] =
    ["FromCompositeFieldPath", "CombineFromComposite", "FromEnvironmentFieldPath", "CombineFromEnvironment"];

/// The tags of one resource, patch by patch.
pub(super) struct PatchedTags<'k> {
    kind: &'k str,
    known: TagsOfKind,
    /// Its base has tags.
    has_base_tags: bool,
    /// An earlier patch wrote other tags there.
    has_other_tags: bool,
    /// `spec.cloudTags` is where it belongs.
    pub(super) is_delivered: bool,
    /// A fault says how it is lost.
    pub(super) is_lost: bool,
    /// What a patch does is not known.
    pub(super) is_unknown: bool,
}

impl<'k> PatchedTags<'k> {
    /// Before the first patch.
    pub(super) fn of_base(kind: &'k str, known: TagsOfKind, has_base_tags: bool) -> Self {
        PatchedTags {
            kind,
            known,
            has_base_tags,
            has_other_tags: false,
            is_delivered: false,
            is_lost: false,
            is_unknown: false,
        }
    }

    /// After one more patch.
    ///
    /// # Errors
    /// When the patch has another shape than Crossplane gives it.
    pub(super) fn apply<'a>(&mut self, patch: Json<'a>, faults: &mut Faults<'a>) -> Result<(), Malformed> {
        let patch_type = patch.string(&["type"])?;
        let patch_type = patch_type.unwrap_or("FromCompositeFieldPath");
        let to = field_path::plain(patch.string(&["toFieldPath"])?.unwrap_or_default());
        if patch_type == "FromCompositeFieldPath"
            && field_path::plain(patch.string(&["fromFieldPath"])?.unwrap_or_default()) == CLOUD_TAGS
        {
            return self.apply_from_cloud_tags(patch, &to, faults);
        }
        // What goes from the composite or the environment to the resource may meet the tags there.
        let Tags::Map(field) = self.known.tags else {
            return Ok(());
        };
        if !WRITING.contains(&patch_type) || (to != field && !field_path::below(&to, field)) {
            return Ok(());
        }
        self.has_other_tags = true;
        if to != field {
            return Ok(());
        }
        if self.is_delivered && !merges(patch)? {
            self.lose(patch, messages::replaced_later(field), faults);
        } else if patch_type == "FromEnvironmentFieldPath" && !self.is_delivered {
            self.doubt(patch, messages::from_environment(field), faults);
        }
        Ok(())
    }

    /// A patch from `spec.cloudTags` to the plain path `to`.
    fn apply_from_cloud_tags<'a>(
        &mut self,
        patch: Json<'a>,
        to: &str,
        faults: &mut Faults<'a>,
    ) -> Result<(), Malformed> {
        let kind = self.kind;
        if to.is_empty() {
            self.lose(patch, messages::no_to_field_path(kind), faults);
            return Ok(());
        }
        if patch.string(&["policy", "fromFieldPath"])? == Some("Required") {
            self.lose(patch, messages::REQUIRED_SOURCE, faults);
        }
        match self.known.tags {
            Tags::Map(field) if to == field => {
                if (self.has_base_tags || self.has_other_tags) && !merges(patch)? {
                    let replaced =
                        if self.has_base_tags { messages::REPLACES_BASE } else { messages::REPLACES_EARLIER_PATCH };
                    self.lose(patch, replaced, faults);
                } else if patch.get("transforms")?.elements()?.len() > 0 {
                    self.doubt(patch, messages::TRANSFORMS, faults);
                } else {
                    self.is_delivered = true;
                }
            }
            Tags::Map(field) if self.known.by_name || TAG_LIKE.contains(&to) => {
                self.lose(patch, messages::wrong_field(kind, to, field), faults);
            }
            Tags::Map(_) => self.doubt(patch, messages::unknown_field(kind, to), faults),
            Tags::List(field) if to == field => self.lose(patch, messages::map_to_list(field), faults),
            Tags::List(_) | Tags::Nowhere => self.lose(patch, messages::no_tags(kind, to), faults),
        }
        Ok(())
    }

    fn lose<'a>(&mut self, patch: Json<'a>, message: impl Display, faults: &mut Faults<'a>) {
        self.is_lost = true;
        faults.add(Loss, patch, message);
    }

    fn doubt<'a>(&mut self, patch: Json<'a>, message: impl Display, faults: &mut Faults<'a>) {
        self.is_unknown = true;
        faults.add(Note, patch, message);
    }
}

/// Whether a patch leaves what stands at its target: `Replace` is the default.
fn merges(patch: Json<'_>) -> Result<bool, Malformed> {
    let policy = patch.get("policy")?;
    let of_function = policy.string(&["toFieldPath"])?;
    Ok(of_function.is_some_and(|policy| policy != "Replace") || !policy.get("mergeOptions")?.is_null())
}
