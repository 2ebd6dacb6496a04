//! Whether `spec.cloudTags` is delivered: the definition of a composite has to keep it, and a Composition to patch it to
//! the field that a cloud takes tags from.
//!
//! The API server prunes a field that is not declared without a word, and tags in another field than the one that a
//! provider reads reach no cloud.

mod composition;
mod declare;
mod delivery;
mod exemption;
mod faults;
mod field_path;
mod kind;
mod node;
mod patch_sets;
mod patches;
mod pipeline;
mod resource;
mod schema;
mod xrd;

use self::declare::Declared;
use self::exemption::{exempts, states_reason};
use self::faults::Faults;
use self::kind::CheckedKind;
use self::node::{Node, Places, Wrong};
use crate::admission::request::GroupVersionKind;
use crate::admission::subject::Subject;
use crate::catalog::keys::EXEMPT;
use crate::json::Malformed;
use crate::report::finding::Finding;
use crate::settings::Stance;
use crate::settings::{Mode, OnXrd, Settings};

/// The value of a setting that refuses: `declare` refuses what it would write, where nothing is written.
pub(crate) fn refusing(check: &str, settings: &Settings) -> &'static str {
    match settings.cloud_tags.xrds {
        OnXrd::Declare if check == CheckedKind::Definition.setting() => "declare",
        _ => "reject",
    }
}

/// Whether objects of this kind are looked at.
pub(crate) fn concerns(kind: &GroupVersionKind<'_>) -> bool {
    CheckedKind::of(kind).is_some()
}

/// How a definition or a Composition loses `spec.cloudTags`.
///
/// What is being deleted is left alone. What is stored already, and not changed by this request, is not refused: a
/// controller that adds a finalizer could not do anything about it.
///
/// # Errors
/// When the object has another shape than Crossplane gives it.
pub(crate) fn findings(subject: &Subject<'_>, settings: &Settings) -> Result<Vec<Finding>, Malformed> {
    let spec = Node(subject.object.spec.text());
    let Some((kind, mut stance)) = checked(subject, settings)? else {
        return Ok(Vec::new());
    };
    if settings.mode == Mode::Mutate && subject.old()?.is_some_and(|old| old.spec.text() == spec.0) {
        stance = Stance::Warn;
    }
    let mut faults = Faults::default();
    let reason = subject.object.annotations.get(EXEMPT);
    if reason.is_none_or(|reason| !exempts(reason, Node("metadata.annotations"), &mut faults)) {
        let read = match kind {
            CheckedKind::Definition => xrd::faults(spec, &mut faults),
            CheckedKind::Composition => composition::faults(spec, &settings.cloud_tags, &mut faults),
        };
        read.map_err(|wrong| malformed(spec, wrong))?;
    }
    Ok(faults.findings(spec, kind.setting(), stance))
}

/// The `spec` of the object with the declarations that it lacks, and by version what was written; `None` where nothing is
/// to be written.
///
/// # Errors
/// As [`findings`].
pub(crate) fn declared(subject: &Subject<'_>, settings: &Settings) -> Result<Option<Declared>, Malformed> {
    let is_exempt = subject.object.annotations.get(EXEMPT).is_some_and(|reason| states_reason(reason));
    if settings.cloud_tags.xrds != OnXrd::Declare || settings.mode != Mode::Mutate || is_exempt {
        return Ok(None);
    }
    let spec = Node(subject.object.spec.text());
    match checked(subject, settings)? {
        Some((CheckedKind::Definition, _)) => declare::declared(spec).map_err(|wrong| malformed(spec, wrong)),
        _ => Ok(None),
    }
}

/// What the object is and what a loss leads to, `None` where nothing is to be checked.
fn checked(subject: &Subject<'_>, settings: &Settings) -> Result<Option<(CheckedKind, Stance)>, Malformed> {
    let Some(kind) = CheckedKind::of(&subject.review.kind).filter(|_| !subject.object.deleting) else {
        return Ok(None);
    };
    let (stance, composites) = (kind.stance(settings), &settings.cloud_tags);
    if stance == Stance::Ignore || composites.composites.is_empty() {
        return Ok(None);
    }
    let spec = Node(subject.object.spec.text());
    let is_about_composites = kind.is_about(spec, composites).map_err(|wrong| malformed(spec, wrong))?;
    Ok(is_about_composites.then_some((kind, stance)))
}

fn malformed(spec: Node<'_>, wrong: Wrong<'_>) -> Malformed {
    Malformed { path: Places::of(spec).locate(wrong.node), problem: wrong.problem.to_owned() }
}
