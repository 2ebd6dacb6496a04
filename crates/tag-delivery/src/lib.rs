//! Whether `spec.cloudTags` is delivered: the definition of a composite must keep it, and a Composition must patch it
//! to the field that a cloud takes tags from.
//!
//! The API server silently prunes a field that is not declared, and tags in a field that the provider does not read
//! reach no cloud.

pub mod carriers;
mod checked_kind;
mod composition;
mod declare;
mod exemption;
pub mod fault;
mod faults;
pub mod functions;
mod kind_limits;
mod messages;
mod one_of;
mod path_problem;
mod refused_keywords;
mod schema;
mod structural;
pub mod tag_finding;
mod xrd;

use raw_json as json;

use self::checked_kind::CheckedKind;
pub use self::composition::{CROSSPLANE_PAUSED, simulation};
use self::exemption::{exempts, states_reason};
use self::faults::Faults;
use self::tag_finding::TagFinding;
use crate::json::Malformed;
use kubernetes::settings::{Mode, Stance};
use kubernetes::{Change, EXEMPT, GroupVersionKind, ReviewedObject};
use tag_rules::{OnXrd, TagSettings};

/// What one check of a definition or a Composition found.
pub type Finding = kubernetes::Finding<TagFinding>;

/// The field of a composite that holds its tags.
const CLOUD_TAGS: &str = "spec.cloudTags";

/// The value of a setting that refuses: `declare` refuses instead of writing if nothing may be written.
pub fn refusing(check: &str, settings: TagSettings<'_>) -> &'static str {
    match settings.cloud_tags.xrds {
        OnXrd::Declare if check == CheckedKind::Definition.setting() => "declare",
        _ => "reject",
    }
}

/// Whether objects of this kind are checked.
pub fn concerns(kind: &GroupVersionKind<'_>) -> bool {
    CheckedKind::of(kind).is_some()
}

/// How a definition or a Composition loses `spec.cloudTags`.
///
/// Nothing is checked in an object that is being deleted. A loss that is already stored and not changed by this request
/// is not refused: a controller that adds a finalizer could not fix it.
pub fn findings(subject: &ReviewedObject<'_>, settings: TagSettings<'_>) -> Result<Vec<Finding>, Malformed> {
    let Some((kind, mut stance)) = checked(subject, settings)? else {
        return Ok(Vec::new());
    };
    let spec = subject.object.spec;
    if settings.mode == Mode::Mutate && subject.old()?.is_some_and(|old| old.spec == spec) {
        stance = Stance::Warn;
    }
    let prefixes = settings.cloud_tags.prefixes();
    let mut faults = Faults::default();
    let reason = subject.object.annotations.get(EXEMPT);
    let annotations = subject.object.root.at(&["metadata", "annotations"])?;
    if reason.is_none_or(|reason| !exempts(reason, annotations, &mut faults)) {
        match kind {
            CheckedKind::Definition => xrd::faults(spec, settings.cloud_tags, &mut faults)?,
            CheckedKind::Composition => composition::faults(spec, settings.cloud_tags, &prefixes, &mut faults)?,
        }
    }
    Ok(faults.findings(spec, kind.setting(), stance))
}

/// The declarations that the object lacks and that will be written, each with the name of its version.
pub fn declarations(
    subject: &ReviewedObject<'_>,
    settings: TagSettings<'_>,
) -> Result<Vec<(String, Change)>, Malformed> {
    let is_exempt = subject.object.annotations.get(EXEMPT).is_some_and(states_reason);
    if settings.cloud_tags.xrds != OnXrd::Declare || settings.mode != Mode::Mutate || is_exempt {
        return Ok(Vec::new());
    }
    match checked(subject, settings)? {
        Some((CheckedKind::Definition, _)) => declare::missing(subject.object.spec),
        _ => Ok(Vec::new()),
    }
}

/// The kind of the object and the reaction to a loss, `None` if nothing is checked.
fn checked(
    subject: &ReviewedObject<'_>,
    settings: TagSettings<'_>,
) -> Result<Option<(CheckedKind, Stance)>, Malformed> {
    let Some(kind) = CheckedKind::of(&subject.review.kind).filter(|_| !subject.object.deleting) else {
        return Ok(None);
    };
    let (stance, composites) = (kind.stance(settings), &settings.cloud_tags);
    if stance == Stance::Ignore || composites.composites.is_empty() {
        return Ok(None);
    }
    let is_about_composites = kind.is_about(subject.object.spec, composites)?;
    Ok(is_about_composites.then_some((kind, stance)))
}
