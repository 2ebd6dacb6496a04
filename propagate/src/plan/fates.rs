//! Objects that are applied in another way than before: what applied them keeps, deletes or hands them over.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, FleetObject, ObjectId};

use super::fate::{Fate, Settled};
use super::not_read::{About, Matters, NotRead};
use super::protections::{Moment, Protects, protection};
use super::roots::relative;
use crate::applied::{Applied, AppliedNote, Applier, FolderGone, Pruning, ignored};
use crate::classes::is_instance;
use crate::input::Input;
use crate::output::report::Where;

/// The objects after the change with those that stay as they were, and what is said of them.
pub(super) fn settled(old: &Fleet, new: &Fleet, inputs: [&Input; 2]) -> (Option<Fleet>, Vec<NotRead>) {
    let [before, after] = inputs;
    let sides = Sides { before, after, live: live(after) };
    let mut fates: BTreeMap<Fate, Vec<(&FleetObject, &Fleet)>> = BTreeMap::new();
    for object in old.objects() {
        let now = new.find(&object.id);
        if let Some(fate) = sides.fate((object, old), now.map(|now| (now, new))) {
            fates.entry(fate).or_default().push((object, old));
        }
    }
    for object in new.objects().filter(|object| old.find(&object.id).is_none()) {
        if let Some(fate) = sides.waits(&after.applied.appliers_of(&source(new, object, after))) {
            fates.entry(fate).or_default().push((object, new));
        }
    }
    let of = |meant: Settled| -> BTreeSet<ObjectId> {
        let objects = fates.iter().filter(|(fate, _)| fate.outcome().0 == meant).flat_map(|(_, objects)| objects);
        objects.map(|(object, _)| object.id.clone()).collect()
    };
    let (stay, gone) = (of(Settled::AsBefore), of(Settled::Gone));
    let after = (!stay.is_empty() || !gone.is_empty()).then(|| {
        let others = new.part(|object| !stay.contains(&object.id) && !gone.contains(&object.id), |_| true);
        others.and(old, |object| stay.contains(&object.id))
    });
    let notes = fates.into_iter().filter_map(|(fate, objects)| {
        // The gravest is named.
        let rank = |(object, _): &&(&FleetObject, &Fleet)| (object.id.kind != "Cluster", !is_instance(&object.id));
        let (first, fleet) = objects.iter().min_by_key(rank)?;
        let text = fate.sentence(&first.id.to_string(), objects.len());
        let has_machines = objects.iter().any(|(object, _)| is_instance(&object.id));
        let matters = if has_machines { fate.outcome().1 } else { Matters::No };
        let file = fleet.sources().get(first.origin.source).map(|source| source.name.clone()).unwrap_or_default();
        Some(NotRead { place: Where::file(file), reason: text, matters, about: About::Applied })
    });
    (after, notes.collect())
}

/// Both sides.
struct Sides<'s> {
    before: &'s Input,
    after: &'s Input,
    /// The Applications that have objects after the change.
    live: BTreeSet<(String, String)>,
}

/// What an applier does with an object that it no longer applies.
struct Lost {
    pruning: Pruning,
    moment: Moment,
    fate: Option<Fate>,
}

impl Sides<'_> {
    fn fate(&self, (object, old): (&FleetObject, &Fleet), now: Option<(&FleetObject, &Fleet)>) -> Option<Fate> {
        let name = source(old, object, self.before);
        let reached = self.before.applied.folders_of(&name);
        let Some((is, new)) = now else { return self.removed(object, &name, &reached) };
        let name_now = source(new, is, self.after);
        let now = self.after.applied.appliers_of(&name_now);
        if let Some(fate) = self.edited(object, is, &reached, &now) {
            return Some(fate);
        }
        if let Some(title) = self.unjudged(&name, &name_now) {
            return Some(Fate::Unjudged(title));
        }
        let lost = reached.iter().filter(|(_, applier)| !now.iter().any(|known| known.is_same(applier)));
        let lost = lost.map(|(folder, applier)| (*applier, self.lost(folder, applier)));
        let is_rendered =
            |input: &Input, name: &str| input.rendered.iter().any(|it| relative(it, &input.prefix) == name);
        match lost.max_by_key(|(_, lost)| lost.pruning) {
            Some((_, Lost { fate: Some(fate @ (Fate::Missing(..) | Fate::Emptied(_))), .. })) if now.is_empty() => {
                return Some(fate);
            }
            Some((applier, lost)) if lost.pruning != Pruning::Kept => {
                let prunes = lost.moment == Moment::Pruned && lost.pruning == Pruning::Deleted;
                if prunes && now.is_empty() && !is_rendered(self.after, &name_now) {
                    return Some(Fate::Unapplied(applier.title(), name_now));
                }
                return Some(Fate::HandedOver(applier.title(), now.first().map(|now| now.title())));
            }
            _ => {}
        }
        let is_of = |folders: &[String]| folders.contains(&name) || folders.contains(&name_now);
        let is_told = self.after.applied_notes.iter().any(|note| is_of(note.folders()));
        let is_move =
            name != name_now && !is_told && (is_rendered(self.before, &name) || is_rendered(self.after, &name_now));
        is_move.then_some(Fate::Moved(name, name_now))
    }

    /// What becomes of an object that is not in the files any more, unless it is deleted.
    fn removed(&self, object: &FleetObject, name: &str, reached: &[(String, &Applier)]) -> Option<Fate> {
        let lost = reached.iter().map(|(folder, applier)| self.lost(folder, applier));
        let lost = lost.max_by_key(|lost| lost.pruning);
        let Lost { moment, fate, .. } = lost.unwrap_or(Lost::by(Pruning::Deleted, Moment::Pruned, None));
        if fate.as_ref().is_some_and(|fate| fate.outcome() == (Settled::AsBefore, Matters::No)) {
            return fate;
        }
        let appliers: Vec<&Applier> = reached.iter().map(|(_, applier)| *applier).collect();
        if let Some(row) = protection(object, moment, &appliers) {
            return Some(match row.protects {
                Protects::Stays => Fate::Protected(row),
                Protects::IfInCluster => Fate::IfProtected(row),
                Protects::UntilConfirmed => Fate::Unconfirmed(row),
            });
        }
        let gained = |note: &AppliedNote| matches!(note, AppliedNote::Gained { folders, .. } if folders.iter().any(|folder| folder == name));
        let is_gained = self.after.applied_notes.iter().any(gained);
        fate.or_else(|| is_gained.then(|| Fate::IfApplied(name.to_owned())))
    }

    /// Why an edit is not applied, or is applied over what is not known.
    fn edited(
        &self,
        was: &FleetObject,
        is: &FleetObject,
        reached: &[(String, &Applier)],
        now: &[&Applier],
    ) -> Option<Fate> {
        let is_edited = was.json != is.json;
        if is_edited && let Some(fate) = self.waits(now) {
            return Some(fate);
        }
        let resumed = |applier: &&&Applier| {
            self.before.applied.find(applier).is_some_and(|was| was.is_suspended) && !applier.is_suspended
        };
        if let Some(applier) = now.iter().find(resumed) {
            return Some(Fate::Resumed(applier.title()));
        }
        if !is_edited {
            return None;
        }
        if let Some(row) = protection(is, Moment::Edited, now) {
            return Some(Fate::NotEdited(row));
        }
        let appliers: Vec<&Applier> = reached.iter().map(|(_, applier)| *applier).collect();
        if let Some(row) = protection(was, Moment::Edited, &appliers) {
            return Some(Fate::Released(row));
        }
        if let Some(applier) = now.iter().find(|applier| applier.is_suspended) {
            return Some(Fate::SuspendedNow(applier.title()));
        }
        let mut with_rules = now.iter().filter(|applier| !applier.ignores.is_empty()).peekable();
        with_rules.peek()?;
        let (of_old, of_new) = (was.value(), is.value());
        let ignored = with_rules
            .filter_map(|it| Some((ignored(&it.ignores, &is.id, &of_old, &of_new)?, it.title(), it.is_of_flux())));
        let first = ignored.max_by_key(|(edit, title, _)| (Reverse(*edit), title.clone()));
        first.map(|(edit, title, is_of_flux)| Fate::Ignored(title, is_of_flux, edit))
    }

    /// Whether all that apply something were suspended before, and still are.
    fn waits(&self, now: &[&Applier]) -> Option<Fate> {
        let is_waiting = |applier: &&Applier| {
            applier.is_suspended && self.before.applied.find(applier).is_none_or(|was| was.is_suspended)
        };
        now.first().filter(|_| now.iter().all(is_waiting)).map(|applier| Fate::Waits(applier.title()))
    }

    /// What would no longer apply an object, if it is not known what kustomizations include.
    fn unjudged(&self, name: &str, name_now: &str) -> Option<String> {
        let [before, after]: [&Applied; 2] = [&self.before.unjudged, &self.after.unjudged];
        let now = after.appliers_of(name_now);
        let was = before.appliers_of(name);
        let mut lost = was.into_iter().filter(|applier| !now.iter().any(|known| known.is_same(applier)));
        let lost = lost.find(|applier| applier.pruning_after(after.find(applier)) != Pruning::Kept);
        lost.map(Applier::title)
    }

    fn lost(&self, folder: &str, applier: &Applier) -> Lost {
        let title = applier.title();
        let after = &self.after.applied;
        let Some(now) = after.find(applier) else {
            let fate = Fate::NotPruned(title, applier.is_suspended);
            let is_kept = applier.pruning_with_it == Pruning::Kept;
            return Lost::by(applier.pruning_with_it, Moment::WithApplier, is_kept.then_some(fate));
        };
        match after.folder_gone(folder, applier, now) {
            Some(FolderGone::Fails) => {
                let fate = Fate::Missing(title, now.instead_of(applier, folder));
                return Lost::by(Pruning::Kept, Moment::Pruned, Some(fate));
            }
            Some(FolderGone::Stays) => return Lost::by(Pruning::Kept, Moment::Pruned, Some(Fate::Continued(title))),
            Some(FolderGone::WithApplication) => {
                let is_kept = now.pruning_with_it == Pruning::Kept;
                let fate = is_kept.then_some(Fate::Preserved(title));
                return Lost::by(now.pruning_with_it, Moment::WithApplier, fate);
            }
            Some(FolderGone::Unapplied) | None => {}
        }
        let key = live_key(now, folder);
        let (pruning, fate) = match (applier.pruning, now.pruning) {
            (Pruning::Deleted, Pruning::Kept | Pruning::IfSynced) => {
                (Pruning::IfSynced, Some(Fate::Raced(title, now.is_suspended)))
            }
            (_, Pruning::Deleted) if !now.allows_empty && !self.live.contains(&key) => {
                (Pruning::Kept, Some(Fate::Emptied(title)))
            }
            (Pruning::Kept | Pruning::IfSynced, Pruning::Deleted) if !applier.is_suspended => {
                (Pruning::Deleted, Some(Fate::IfFirst(title)))
            }
            (_, Pruning::Deleted) => (Pruning::Deleted, None),
            (_, Pruning::IfSynced) => (Pruning::IfSynced, Some(Fate::IfSynced(title))),
            (_, Pruning::Kept) => (Pruning::Kept, Some(Fate::NotPruned(title, now.is_suspended))),
        };
        Lost::by(pruning, Moment::Pruned, fate)
    }
}

impl Lost {
    fn by(pruning: Pruning, moment: Moment, fate: Option<Fate>) -> Lost {
        Lost { pruning, moment, fate }
    }
}

/// The Applications that have objects.
fn live(input: &Input) -> BTreeSet<(String, String)> {
    if !input.applied.appliers.iter().any(|applier| !applier.allows_empty) {
        return BTreeSet::new();
    }
    let names: BTreeSet<usize> = input.fleet.objects().map(|object| object.origin.source).collect();
    let names = names.into_iter().filter_map(|number| input.fleet.sources().get(number));
    let keys = names.flat_map(|source| {
        let found = input.applied.folders_of(relative(&source.name, &input.prefix));
        found.into_iter().map(|(folder, applier)| live_key(applier, &folder)).collect::<Vec<_>>()
    });
    keys.collect()
}

/// An Application; of those of a set, the folder tells which.
fn live_key(applier: &Applier, folder: &str) -> (String, String) {
    let folder = if applier.is_set() { folder } else { "" };
    (applier.title(), folder.to_owned())
}

fn source(fleet: &Fleet, object: &FleetObject, input: &Input) -> String {
    let name = fleet.sources().get(object.origin.source).map_or("", |source| &*source.name);
    relative(name, &input.prefix).to_owned()
}
