//! Objects that are applied in another way than before: what applied them keeps, deletes or hands them over.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fleet::{Fleet, FleetObject, ObjectId, count};
use serde_json::Value;

use super::not_read::{About, Matters, NotRead};
use super::roots::relative;
use crate::applied::{Applied, AppliedNote, Applier, Pruning};
use crate::classes::is_instance;
use crate::input::Input;
use crate::output::report::Where;

/// Annotations and labels with which objects stay as they are.
///
/// Sources: `apply` and `deleteObjects` in internal/controller/kustomization_controller.go of Flux's kustomize-controller;
/// docs/user-guide/sync-options.md of Argo CD, "No Prune Resources"; Helm's documentation of charts, "Tell Helm Not To
/// Uninstall a Resource".
const PROTECTIONS: &[Protection] = &[
    protection("kustomize.toolkit.fluxcd.io/prune", "disabled", false, Tool::Flux),
    protection("kustomize.toolkit.fluxcd.io/reconcile", "disabled", true, Tool::Flux),
    protection("kustomize.toolkit.fluxcd.io/ssa", "Ignore", true, Tool::Flux),
    protection("kustomize.toolkit.fluxcd.io/ssa", "IfNotPresent", true, Tool::FluxEdits),
    protection("argocd.argoproj.io/sync-options", "Prune=false", false, Tool::Argo),
    protection("helm.sh/resource-policy", "keep", false, Tool::Helm),
];

/// A row of [`PROTECTIONS`].
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Protection {
    key: &'static str,
    /// One of the values, which commas separate.
    value: &'static str,
    /// Whether edits are not applied either.
    is_of_edits: bool,
    tool: Tool,
}

/// What obeys an annotation.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tool {
    Flux,
    /// Flux, which prunes the object all the same.
    FluxEdits,
    Argo,
    Helm,
}

const fn protection(key: &'static str, value: &'static str, is_of_edits: bool, tool: Tool) -> Protection {
    Protection { key, value, is_of_edits, tool }
}

/// Why an object stays as it was, or what happens to it depends on what is not known.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Protected(&'static Protection, bool),
    NotPruned(String, bool),
    IfSynced(String),
    /// The kustomization that it was in is included by another one now, in which it has another name.
    IfApplied(String),
    /// What applied it prunes, and nothing in the files applies the folder that it is in now.
    Unapplied(String, String),
    HandedOver(String, Option<String>),
    Moved(String, String),
}

/// The objects after the change with those that stay as they were, and what is said of them.
pub(super) fn settled(old: &Fleet, new: &Fleet, inputs: [&Input; 2]) -> (Option<Fleet>, Vec<NotRead>) {
    let mut fates: BTreeMap<Fate, Vec<&FleetObject>> = BTreeMap::new();
    for object in old.objects() {
        let now = new.find(&object.id);
        if let Some(fate) = fate_of((object, old), now.map(|now| (now, new)), inputs) {
            fates.entry(fate).or_default().push(object);
        }
    }
    let stay = fates.iter().filter(|(fate, _)| matches!(fate, Fate::Protected(..) | Fate::NotPruned(..)));
    let stay: BTreeSet<ObjectId> = stay.flat_map(|(_, objects)| objects).map(|object| object.id.clone()).collect();
    let gone = fates.iter().filter(|(fate, _)| matches!(fate, Fate::Unapplied(..))).flat_map(|(_, objects)| objects);
    let gone: BTreeSet<&ObjectId> = gone.map(|object| &object.id).collect();
    let after = (!stay.is_empty() || !gone.is_empty()).then(|| {
        let others = new.part(|object| !stay.contains(&object.id) && !gone.contains(&object.id), |_| true);
        others.and(old, |object| stay.contains(&object.id))
    });
    let notes = fates.into_iter().filter_map(|(fate, objects)| {
        let first = objects.first()?;
        let text = fate.sentence(&first.id.to_string(), objects.len());
        let is_uncertain = matches!(fate, Fate::HandedOver(..)) && objects.iter().any(|it| is_instance(&it.id));
        let matters = if is_uncertain { Matters::CannotTell } else { Matters::No };
        let file = old.sources().get(first.origin.source).map(|source| source.name.clone()).unwrap_or_default();
        Some(NotRead { place: Where { file, ..Where::default() }, reason: text, matters, about: About::Applied })
    });
    (after, notes.collect())
}

fn fate_of(
    (object, old): (&FleetObject, &Fleet),
    now: Option<(&FleetObject, &Fleet)>,
    [before, after]: [&Input; 2],
) -> Option<Fate> {
    let name = source(old, object, before);
    let appliers = before.applied.appliers_of(&name);
    let protection = |object: &FleetObject, is_edit: bool| {
        // Most objects have none of the keys anywhere.
        if !PROTECTIONS.iter().any(|row| object.json.contains(row.key)) {
            return None;
        }
        let json = object.value();
        PROTECTIONS.iter().find(|row| row.is_of(&json, is_edit, &appliers))
    };
    let Some((is, new)) = now else {
        if let Some(row) = protection(object, false) {
            return Some(Fate::Protected(row, false));
        }
        let gained =
            |note: &AppliedNote| matches!(note, AppliedNote::Gained { folders, .. } if folders.contains(&name));
        let is_gained = after.applied_notes.iter().any(gained);
        return not_pruned(&appliers, &after.applied).or_else(|| is_gained.then(|| Fate::IfApplied(name.clone())));
    };
    if is.json != object.json
        && let Some(row) = protection(object, true).or_else(|| protection(is, true))
    {
        return Some(Fate::Protected(row, true));
    }
    let name_now = source(new, is, after);
    let now = after.applied.appliers_of(&name_now);
    let mut lost = appliers.iter().filter(|applier| !now.iter().any(|known| known.is_same(applier)));
    let deleting = lost.find(|applier| applier.pruning_after(after.applied.find(applier)) != Pruning::Kept);
    let is_rendered = |input: &Input, name: &str| input.rendered.iter().any(|it| relative(it, &input.prefix) == name);
    if let Some(applier) = deleting {
        let prunes = after.applied.find(applier).is_some_and(|now| now.pruning == Pruning::Deleted);
        if prunes && now.is_empty() && !is_rendered(after, &name_now) {
            return Some(Fate::Unapplied(applier.title(), name_now));
        }
        return Some(Fate::HandedOver(applier.title(), now.first().map(|now| now.title())));
    }
    let is_of = |folders: &[String]| folders.contains(&name) || folders.contains(&name_now);
    let is_told = after.applied_notes.iter().any(|note| is_of(note.folders()));
    let is_move = name != name_now && !is_told && (is_rendered(before, &name) || is_rendered(after, &name_now));
    is_move.then_some(Fate::Moved(name, name_now))
}

/// What becomes of an object that is no longer applied, unless it is deleted.
fn not_pruned(appliers: &[&Applier], after: &Applied) -> Option<Fate> {
    let fates = appliers.iter().map(|applier| (applier.pruning_after(after.find(applier)), *applier));
    let (pruning, applier) = fates.max_by_key(|(pruning, _)| *pruning)?;
    match pruning {
        Pruning::Deleted => None,
        Pruning::IfSynced => Some(Fate::IfSynced(applier.title())),
        Pruning::Kept => {
            let is_suspended = after.find(applier).map_or(applier.is_suspended, |now| now.is_suspended);
            Some(Fate::NotPruned(applier.title(), is_suspended))
        }
    }
}

fn source(fleet: &Fleet, object: &FleetObject, input: &Input) -> String {
    let name = fleet.sources().get(object.origin.source).map_or("", |source| &*source.name);
    relative(name, &input.prefix).to_owned()
}

impl Protection {
    /// Whether an object has it, and what applies the object obeys it.
    fn is_of(&self, object: &Value, is_edit: bool, appliers: &[&Applier]) -> bool {
        let entry = |map: &str| object.pointer(map)?.get(self.key)?.as_str();
        let label = |key: &str| object.pointer("/metadata/labels")?.get(key)?.as_str();
        let has = |value: &str| value.split(',').any(|value| value.trim().eq_ignore_ascii_case(self.value));
        let is_of_group = |group: &str| appliers.is_empty() || appliers.iter().any(|it| it.id.group.contains(group));
        let is_obeyed = || match self.tool {
            Tool::Flux => is_of_group("fluxcd"),
            Tool::FluxEdits => is_edit && is_of_group("fluxcd"),
            Tool::Argo => is_of_group("argoproj"),
            Tool::Helm => appliers.is_empty() && label("app.kubernetes.io/managed-by") == Some("Helm"),
        };
        let is_edited = !is_edit || self.is_of_edits;
        let value = entry("/metadata/annotations").or_else(|| entry("/metadata/labels"));
        is_edited && value.is_some_and(has) && is_obeyed()
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}: {}`", self.key, self.value)
    }
}

impl Fate {
    /// Such as `MachineDeployment fleet/md and 2 more objects stay: …`.
    fn sentence(&self, first: &str, objects: usize) -> String {
        let (they, is_one) = match objects {
            0 | 1 => (first.to_owned(), true),
            more => (format!("{first} and {}", count(more - 1, "more object")), false),
        };
        let verb = |one: &'static str, several: &'static str| if is_one { one } else { several };
        match self {
            Fate::Protected(row, false) => {
                format!("{they} {} no longer applied and {}: {row}", verb("is", "are"), verb("stays", "stay"))
            }
            Fate::Protected(row, true) => format!("edits of {they} are not applied: {row}"),
            Fate::NotPruned(applier, is_suspended) => {
                let why = if *is_suspended { "is suspended" } else { "does not prune" };
                let stay = verb("stays", "stay");
                format!("{they} {} no longer applied and {stay}: {applier} {why}", verb("is", "are"))
            }
            Fate::IfSynced(applier) => format!("{they} {} deleted, if a sync of {applier} prunes", verb("is", "are")),
            Fate::IfApplied(folder) => {
                let folder = crate::applied::shown(folder);
                format!("{they} {} deleted, if something applied {folder} by itself", verb("is", "are"))
            }
            Fate::Unapplied(from, file) => {
                let is_there = verb("is", "are");
                format!("{they} {is_there} deleted by {from}, unless something else applies {file}")
            }
            Fate::HandedOver(from, to) => {
                let is_adopted = verb("it is adopted", "they are adopted");
                let may = format!("{from} may delete {} before {is_adopted}", verb("it", "them"));
                match to {
                    Some(to) => format!("{they} {} from {from} to {to}: {may}", verb("moves", "move")),
                    None => format!("{they} {} no longer applied by {from}: {may}", verb("is", "are")),
                }
            }
            Fate::Moved(from, to) => {
                let [from, to] = [from, to].map(|folder| crate::applied::shown(folder));
                format!("{they} {} from {from} to {to}", verb("moves", "move"))
            }
        }
    }
}
