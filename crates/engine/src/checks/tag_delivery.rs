//! Whether `spec.cloudTags` survives: the schema of a composite keeps it, and a Composition carries it to where a cloud
//! takes tags from.
//!
//! Both lose it in silence when they are written otherwise: pruning empties a map whose keys are not declared, and a
//! patch from a field to a wrong one writes what the API server drops.

mod composition;
mod declare;
mod fault;
mod node;
mod patches;
mod path;
mod schema;
mod xrd;

use self::declare::Declared;
use self::fault::{Faults, Weight};
use self::node::{Node, Places, Wrong};
use crate::admission::request::GroupVersionKind;
use crate::admission::subject::Subject;
use crate::catalog::keys::EXEMPT;
use crate::json::Malformed;
use crate::kube::object::group_and_version;
use crate::report::finding::Finding;
use crate::settings::Stance;
use crate::settings::{CloudTags, Mode, OnXrd, Settings};

/// The field of a composite that holds its tags.
const CLOUD_TAGS: &str = "spec.cloudTags";

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
        match (self, settings.cloud_tags.xrds) {
            (Checked::Composition, _) => settings.cloud_tags.compositions,
            (Checked::Xrd, OnXrd::Ignore) => Stance::Ignore,
            (Checked::Xrd, OnXrd::Reject) => Stance::Reject,
            (Checked::Xrd, OnXrd::Declare) if settings.mode == Mode::Verify => Stance::Reject,
            (Checked::Xrd, OnXrd::Warn | OnXrd::Declare) => Stance::Warn,
        }
    }

    /// Whether the object is about composites of one of the API groups.
    fn concerns<'a>(self, spec: Node<'a>, composites: &CloudTags) -> Result<bool, Wrong<'a>> {
        let group = match self {
            Checked::Xrd => spec.string(&["group"])?,
            Checked::Composition => spec.string(&["compositeTypeRef", "apiVersion"])?,
        };
        let group = if self == Checked::Xrd { &*group } else { group_and_version(&group).0 };
        Ok(composites.has_group(group))
    }
}

/// The value of a setting that refuses: `declare` refuses what it would write, where nothing is written.
pub(crate) fn refusing(check: &str, settings: &Settings) -> &'static str {
    match settings.cloud_tags.xrds {
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
    let spec = Node(subject.object.spec.text());
    let Some((checked, mut stance)) = checked(subject, settings)? else {
        return Ok(Vec::new());
    };
    if settings.mode == Mode::Mutate && subject.old()?.is_some_and(|old| old.spec.text() == spec.0) {
        stance = Stance::Warn;
    }
    let mut faults = Faults::default();
    let reason = subject.object.annotations.get(EXEMPT);
    if reason.is_none_or(|reason| !exempt(reason, Node("metadata.annotations"), &mut faults)) {
        let found = match checked {
            Checked::Xrd => xrd::faults(spec, &mut faults),
            Checked::Composition => composition::faults(spec, &settings.cloud_tags, &mut faults),
        };
        found.map_err(|wrong| malformed(spec, wrong))?;
    }
    Ok(faults.findings(spec, checked.setting(), stance))
}

/// The `spec` of the object with the declarations that it lacks, and by version what was written; `None` where nothing is
/// to be written.
///
/// # Errors
/// As [`findings`].
pub(crate) fn declared(subject: &Subject<'_>, settings: &Settings) -> Result<Option<Declared>, Malformed> {
    let is_exempt = subject.object.annotations.get(EXEMPT).is_some_and(|reason| !is_blank(reason));
    if settings.cloud_tags.xrds != OnXrd::Declare || settings.mode != Mode::Mutate || is_exempt {
        return Ok(None);
    }
    let spec = Node(subject.object.spec.text());
    match checked(subject, settings)? {
        Some((Checked::Xrd, _)) => declare::declared(spec).map_err(|wrong| malformed(spec, wrong)),
        _ => Ok(None),
    }
}

/// What the object is and what a loss leads to, `None` where nothing is to be looked at.
fn checked(subject: &Subject<'_>, settings: &Settings) -> Result<Option<(Checked, Stance)>, Malformed> {
    let Some(checked) = Checked::of(&subject.review.kind).filter(|_| !subject.object.deleting) else {
        return Ok(None);
    };
    let (stance, composites) = (checked.stance(settings), &settings.cloud_tags);
    if stance == Stance::Ignore || composites.composites.is_empty() {
        return Ok(None);
    }
    let spec = Node(subject.object.spec.text());
    let is_concerned = checked.concerns(spec, composites).map_err(|wrong| malformed(spec, wrong))?;
    Ok(is_concerned.then_some((checked, stance)))
}

fn malformed(spec: Node<'_>, wrong: Wrong<'_>) -> Malformed {
    Malformed { path: Places::of(spec).locate(wrong.node), problem: wrong.problem.to_owned() }
}

/// Whether an annotation says, with a reason, that nothing is to be checked here.
fn exempt<'a>(reason: &str, at: Node<'a>, faults: &mut Faults<'a>) -> bool {
    if is_blank(reason) {
        faults.add(Weight::Lost, at, format_args!("`{EXEMPT}` states no reason"));
        return false;
    }
    faults.add(Weight::Note, at, format_args!("exempt: {reason}"));
    true
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}
