//! Objects that what applies them deletes and creates anew instead of changing them.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, FleetObject, Happens, ObjectId, Plan, Planned};
use metadata_propagation::{Effect, Settings};
use serde_json::Value;

use super::answer::name;
use super::not_read::{About, Matters, NotRead};
use super::words::some;
use crate::applied::{Applier, Pruning};
use crate::input::Input;
use crate::output::report::Where;

/// Why an object is deleted and created anew: the end of a sentence.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Recreated {
    /// Argo CD replaces it by force.
    Replaced,
    /// It is a hook now.
    Hook(String),
    /// Flux does so if the API server says that a field is immutable.
    IfImmutable(String),
}

/// What is said of such objects; their Machines are added to those that the plan deletes.
///
/// Sources: `shouldForceApply` in ssa/manager_apply.go of fluxcd/pkg, and `IsImmutableError` in its ssa/errors; `applyObject` in
/// pkg/sync/sync_context.go of Argo CD's engine, and its pkg/sync/hook for what deletes an object before a hook is created.
pub(super) fn objects(
    plan: &mut Plan,
    [old, new]: [&Fleet; 2],
    inputs: [&Input; 2],
    settings: &Settings,
) -> Vec<NotRead> {
    let mut found: BTreeMap<(Recreated, String), BTreeSet<&ObjectId>> = BTreeMap::new();
    for planned in plan.objects.iter().filter(|planned| planned.happens == Happens::Changed) {
        let Some((was, is)) = old.find(&planned.id).zip(new.find(&planned.id)) else { continue };
        let name = name(new, inputs[1], is.origin.source);
        if let Some(recreated) = recreated(planned, [was, is], &inputs[1].applied.appliers_of(name)) {
            found.entry((recreated, name.to_owned())).or_default().insert(&planned.id);
        }
    }
    let mut said = Vec::new();
    let mut deleted: BTreeSet<ObjectId> = BTreeSet::new();
    for ((recreated, file), ids) in found {
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let they = some(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let (reason, matters) = match recreated {
            Recreated::Replaced => {
                (format!("{they}: deleted and created anew, by `{OPTIONS}: {FORCE}` with `{REPLACE}`"), Matters::No)
            }
            Recreated::Hook(hook) => {
                (format!("{they}: deleted and created anew, because of `{HOOK}: {hook}`"), Matters::No)
            }
            Recreated::IfImmutable(by) => {
                let reason =
                    format!("{they}: deleted and created anew by {by}, if the refusal says that a field is immutable");
                (reason, Matters::CannotTell)
            }
        };
        if matters == Matters::No {
            deleted.extend(ids.into_iter().cloned());
        }
        let place = Where::file(format!("{}{file}", inputs[1].prefix));
        said.push(NotRead { place, reason, matters, about: About::Applied });
    }
    if !deleted.is_empty() {
        let others = old.part(|object| !deleted.contains(&object.id), |_| true);
        let gone = Plan::of(old, &others, settings).verdict;
        plan.verdict.deletes += gone.deletes;
        plan.verdict.uncounted.deletes += gone.uncounted.deletes;
        plan.verdict.gravest = plan.verdict.gravest.max(gone.gravest);
    }
    said
}

/// Namespaces that are deleted with what applies objects elsewhere.
pub(super) fn namespaces(plan: &Plan, old: &Fleet, before: &Input) -> Vec<NotRead> {
    let is_deleted = |planned: &&Planned| planned.happens == Happens::Deleted && planned.id.kind == "Namespace";
    let said = plan.objects.iter().filter(is_deleted).filter_map(|Planned { id, .. }| {
        let mut inside = before.applied.appliers.iter().filter(|applier| applier.id.namespace == id.name);
        let applier = inside.find(|applier| applier.pruning_with_it == Pruning::Deleted)?.title();
        let reason = format!("{id}: {applier} is deleted with it, and what that applies, if its controller still runs");
        let source = old.find(id).and_then(|object| old.sources().get(object.origin.source));
        let place = source.map(|source| Where::file(&source.name)).unwrap_or_default();
        Some(NotRead { place, reason, matters: Matters::CannotTell, about: About::Applied })
    });
    said.collect()
}

const OPTIONS: &str = "argocd.argoproj.io/sync-options";
const FORCE: &str = "Force=true";
const REPLACE: &str = "Replace=true";
const HOOK: &str = "argocd.argoproj.io/hook";
const FLUX_FORCE: &str = "kustomize.toolkit.fluxcd.io/force";

fn recreated(planned: &Planned, [was, is]: [&FleetObject; 2], appliers: &[&Applier]) -> Option<Recreated> {
    let is_of_argo = appliers.is_empty() || appliers.iter().any(|applier| !applier.is_of_flux());
    let is_refused = planned.edits.iter().any(|edit| edit.effect == Effect::Refused);
    let annotation = |object: &FleetObject, key: &str| {
        let json = object.value();
        json.pointer("/metadata/annotations")?.get(key).and_then(Value::as_str).map(str::to_owned)
    };
    if let Some(hook) = annotation(is, HOOK).filter(|_| is_of_argo && annotation(was, HOOK).is_none()) {
        return Some(Recreated::Hook(hook));
    }
    let options = annotation(is, OPTIONS).unwrap_or_default();
    let has = |option: &str| options.split(',').any(|it| it.trim() == option);
    let is_replaced = has(REPLACE) || appliers.iter().any(|applier| applier.replaces);
    if is_of_argo && is_replaced && has(FORCE) {
        return Some(Recreated::Replaced);
    }
    let is_forced = annotation(is, FLUX_FORCE).is_some_and(|value| value.eq_ignore_ascii_case("enabled"));
    let by = appliers.iter().find(|applier| applier.forces || applier.is_of_flux() && is_forced);
    by.filter(|_| is_refused).map(|applier| Recreated::IfImmutable(applier.title()))
}
