//! The two kinds of Crossplane that decide whether `spec.cloudTags` is delivered.

use crate::json::{Json, Malformed};
use kubernetes::settings::{Mode, Stance};
use kubernetes::{GroupVersionKind, group_and_version};
use tag_rules::{CloudTags, OnXrd, TagSettings};

/// The API group of definitions and Compositions, in v1 and v2.
const CROSSPLANE: &str = "apiextensions.crossplane.io";

/// A kind that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckedKind {
    Definition,
    Composition,
}

impl CheckedKind {
    pub(super) fn of(kind: &GroupVersionKind<'_>) -> Option<CheckedKind> {
        match &*kind.kind {
            _ if kind.group != CROSSPLANE => None,
            "CompositeResourceDefinition" => Some(CheckedKind::Definition),
            "Composition" => Some(CheckedKind::Composition),
            _ => None,
        }
    }

    /// The setting that decides how the policy reacts.
    pub(super) fn setting(self) -> &'static str {
        match self {
            CheckedKind::Definition => "cloudTags.xrds",
            CheckedKind::Composition => "cloudTags.compositions",
        }
    }

    /// The reaction to a loss of tags.
    pub(super) fn stance(self, settings: TagSettings<'_>) -> Stance {
        match (self, settings.cloud_tags.xrds) {
            (CheckedKind::Composition, _) => settings.cloud_tags.compositions,
            (CheckedKind::Definition, OnXrd::Ignore) => Stance::Ignore,
            (CheckedKind::Definition, OnXrd::Reject) => Stance::Reject,
            (CheckedKind::Definition, OnXrd::Declare) if settings.mode == Mode::Verify => Stance::Reject,
            (CheckedKind::Definition, OnXrd::Warn | OnXrd::Declare) => Stance::Warn,
        }
    }

    /// Whether the object is about composites of one of the API groups.
    pub(super) fn is_about(self, spec: Json<'_>, composites: &CloudTags) -> Result<bool, Malformed> {
        match self {
            CheckedKind::Definition => Ok(composites.has_group(spec.string(&["group"])?.unwrap_or_default())),
            CheckedKind::Composition => {
                let api_version = spec.string(&["compositeTypeRef", "apiVersion"])?.unwrap_or_default();
                Ok(composites.has_group(group_and_version(api_version).0))
            }
        }
    }
}
