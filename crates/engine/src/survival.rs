//! Whether `spec.cloudTags` survives: the schema of a composite keeps it, and a Composition carries it to where a cloud
//! takes tags from.
//!
//! Both lose it in silence when they are written otherwise: pruning empties a map whose keys are not declared, and a
//! patch from a field to a wrong one writes what the API server drops.

mod carriers;
mod composition;
mod declare;
mod fault;
mod patches;
mod path;
mod schema;
mod xrd;

use std::borrow::Cow;

pub use self::carriers::{CARRIERS, Carrier, Tags};
use self::declare::Declared;
use self::fault::{Fault, Weight};
use crate::finding::{Finding, Stance};
use crate::json::Malformed;
use crate::keys::EXEMPT;
use crate::review::GroupVersionKind;
use crate::settings::{Mode, OnXrd, Settings};
use crate::subject::Subject;

/// The field of a composite that holds its tags.
const CLOUD_TAGS: [&str; 2] = ["spec", "cloudTags"];

/// The API group of definitions and Compositions, in v1 and v2.
const CROSSPLANE: &str = "apiextensions.crossplane.io";

/// Which of the two an object is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Checked {
    Xrd,
    Composition,
}

impl Checked {
    fn of(kind: &GroupVersionKind<'_>) -> Option<Checked> {
        match &*kind.kind {
            _ if kind.group != CROSSPLANE => None,
            "CompositeResourceDefinition" => Some(Checked::Xrd),
            "Composition" => Some(Checked::Composition),
            _ => None,
        }
    }

    /// The setting that decides what follows.
    fn setting(self) -> &'static str {
        match self {
            Checked::Xrd => "cloudTags.xrds",
            Checked::Composition => "cloudTags.compositions",
        }
    }

    /// What a loss leads to.
    fn stance(self, settings: &Settings) -> Stance {
        match (self, settings.survival.xrds) {
            (Checked::Composition, _) => settings.survival.compositions,
            (Checked::Xrd, OnXrd::Ignore) => Stance::Ignore,
            (Checked::Xrd, OnXrd::Reject) => Stance::Reject,
            (Checked::Xrd, OnXrd::Declare) if settings.mode == Mode::Verify => Stance::Reject,
            (Checked::Xrd, OnXrd::Warn | OnXrd::Declare) => Stance::Warn,
        }
    }

    /// The API group of the composites that the object is about.
    fn composites<'a>(self, subject: &Subject<'a>) -> Result<Cow<'a, str>, Malformed> {
        let spec = &subject.object.spec;
        match self {
            Checked::Xrd => Ok(spec.string(&["group"])?.unwrap_or_default()),
            Checked::Composition => {
                let version = spec.string(&["compositeTypeRef", "apiVersion"])?.unwrap_or_default();
                Ok(version.split_once('/').map(|(group, _)| group.to_owned()).unwrap_or_default().into())
            }
        }
    }
}

/// The value of a setting that refuses: `declare` refuses what it would write, where nothing is written.
pub(crate) fn refusing(check: &str, settings: &Settings) -> &'static str {
    match settings.survival.xrds {
        OnXrd::Declare if check == Checked::Xrd.setting() => "declare",
        _ => "reject",
    }
}

/// Whether objects of this kind are looked at.
pub(crate) fn concerns(kind: &GroupVersionKind<'_>) -> bool {
    Checked::of(kind).is_some()
}

/// Where and why a definition or a Composition loses `spec.cloudTags`.
///
/// What is being deleted is left alone. What is stored already, and not changed by this request, is not refused: a
/// controller that adds a finalizer could not do anything about it.
///
/// # Errors
/// When the object has another shape than Crossplane gives it.
pub(crate) fn findings(subject: &Subject<'_>, settings: &Settings) -> Result<Vec<Finding>, Malformed> {
    let Some((checked, mut stance)) = checked(subject, settings)? else {
        return Ok(Vec::new());
    };
    let unchanged = |old: &str| old == subject.object.spec.text();
    if settings.mode == Mode::Mutate && subject.old()?.is_some_and(|old| unchanged(old.spec.text())) {
        stance = Stance::Warn;
    }
    let mut faults = Vec::new();
    if !exempt(subject.object.annotations.get(EXEMPT).map(|reason| &**reason), "", "metadata.annotations", &mut faults)
    {
        let spec = &subject.object.spec;
        match checked {
            Checked::Xrd => xrd::faults(spec, &mut faults)?,
            Checked::Composition => composition::faults(spec, &settings.survival.groups, &mut faults)?,
        }
    }
    let mut findings: Vec<Finding> = faults.into_iter().map(|fault| fault.finding(checked.setting(), stance)).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.stance as u8));
    Ok(findings)
}

/// The object with the declarations that it lacks, and by version what was written; `None` where nothing is to be written.
///
/// # Errors
/// As [`findings`].
pub(crate) fn declared(subject: &Subject<'_>, settings: &Settings) -> Result<Option<Declared>, Malformed> {
    let wanted = settings.survival.xrds == OnXrd::Declare && settings.mode == Mode::Mutate;
    let is_exempt = subject.object.annotations.get(EXEMPT).is_some_and(|reason| !reason.trim().is_empty());
    match checked(subject, settings)? {
        Some((Checked::Xrd, _)) if wanted && !is_exempt => {
            declare::declared(subject.review.object.unwrap_or_default(), &subject.object.spec)
        }
        _ => Ok(None),
    }
}

/// What the object is and what a loss leads to, `None` where nothing is to be looked at.
fn checked(subject: &Subject<'_>, settings: &Settings) -> Result<Option<(Checked, Stance)>, Malformed> {
    let Some(checked) = Checked::of(&subject.review.kind).filter(|_| !subject.object.deleting) else {
        return Ok(None);
    };
    let stance = checked.stance(settings);
    if stance == Stance::Ignore || settings.survival.groups.is_empty() {
        return Ok(None);
    }
    let group = checked.composites(subject)?;
    let is_concerned = settings.survival.groups.iter().any(|known| *known == group);
    Ok(is_concerned.then_some((checked, stance)))
}

/// Whether an annotation says, with a reason, that nothing is to be checked here.
fn exempt(reason: Option<&str>, what: &str, at: &str, faults: &mut Vec<Fault>) -> bool {
    let Some(reason) = reason else {
        return false;
    };
    let at = format!("{at}[`{EXEMPT}`]");
    match reason.trim() {
        "" => faults.push(Fault::new(Weight::Lost, at, format!("{what}`{EXEMPT}` states no reason"))),
        reason => faults.push(Fault::new(Weight::Note, at, format!("{what}exempt: {reason}"))),
    }
    !reason.trim().is_empty()
}
