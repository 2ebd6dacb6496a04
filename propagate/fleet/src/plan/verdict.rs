//! The effects of a change in total, in numbers.

use std::collections::BTreeSet;

use metadata_propagation::Effect;
use serde::Serialize;

use super::machines::Machines;
use super::waits::{Later, WaitsFor};
use super::{EditPath, EntryDifference, Happens, Plan, Planned, PlannedEdit, TaggedObject};
use crate::hierarchy::Hierarchy;
use crate::object::ObjectId;

/// The effects of a change in total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Machines that are replaced.
    pub replaces: u64,
    /// Machines that are created in addition, or instead of orphaned ones.
    pub creates: u64,
    /// Machines that are deleted and not replaced.
    pub deletes: u64,
    /// Machines that are orphaned.
    pub orphans: u64,
    /// Machines that are replaced once somebody deletes them: their strategy is `OnDelete`.
    pub outdates: u64,
    /// Machines that are replaced, created or deleted when a pause ends.
    pub waits: u64,
    /// Machines that are replaced, created or deleted when a deferred upgrade is made.
    pub deferred: u64,
    /// Topologies of which nothing more is reconciled, because something is refused that their controller writes.
    pub stopped: u64,
    /// Objects with labels or annotations that are added, changed or removed, including objects that are not in the
    /// files.
    pub relabels: u64,
    /// Cloud tags of composites and infrastructure clusters that are added, changed or lost; not those of new ones.
    pub cloud_tags: u64,
    /// Managed resources whose tags differ.
    pub tagged_resources: u64,
    /// … whose tags change after the end of a pause.
    pub waiting_resources: u64,
    /// Composites and managed resources of which it is not known what becomes of tags.
    pub unknown_tags: u64,
    /// Owners whose Machines are affected, and whose number of Machines is not in the files.
    pub uncounted: Uncounted,
    /// Edits that a webhook or a schema refuses.
    pub refused: u64,
    /// Edits whose effect, or the number of affected Machines, is not known.
    pub cannot_tell: u64,
    /// Objects for which it is no longer known what propagates to them.
    pub unknown: u64,
    /// The most severe effect of an edit or a deletion.
    pub gravest: Option<Effect>,
}

/// Owners with a number of Machines that is not in the files, by what happens to all of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Uncounted {
    /// They are replaced.
    pub replaces: u64,
    /// They are created in addition.
    pub creates: u64,
    /// They are deleted and not replaced.
    pub deletes: u64,
    /// They are orphaned.
    pub orphans: u64,
    /// They are replaced once somebody deletes them.
    pub outdates: u64,
    /// They wait for the end of a pause.
    pub waits: u64,
}

impl Verdict {
    /// The effects of two changes that have no object in common.
    ///
    /// ```
    /// use fleet::Verdict;
    ///
    /// let one = Verdict { replaces: 3, ..Verdict::default() };
    /// assert_eq!(one.and(&Verdict { replaces: 2, deletes: 1, ..one }), Verdict { replaces: 5, deletes: 1, ..one });
    /// ```
    pub fn and(&self, other: &Verdict) -> Verdict {
        let of = |verdict: &Verdict| verdict.uncounted;
        let sum = |field: fn(&Verdict) -> u64| field(self).saturating_add(field(other));
        Verdict {
            replaces: sum(|verdict| verdict.replaces),
            creates: sum(|verdict| verdict.creates),
            deletes: sum(|verdict| verdict.deletes),
            orphans: sum(|verdict| verdict.orphans),
            outdates: sum(|verdict| verdict.outdates),
            waits: sum(|verdict| verdict.waits),
            deferred: sum(|verdict| verdict.deferred),
            stopped: sum(|verdict| verdict.stopped),
            relabels: sum(|verdict| verdict.relabels),
            cloud_tags: sum(|verdict| verdict.cloud_tags),
            tagged_resources: sum(|verdict| verdict.tagged_resources),
            waiting_resources: sum(|verdict| verdict.waiting_resources),
            unknown_tags: sum(|verdict| verdict.unknown_tags),
            uncounted: Uncounted {
                replaces: of(self).replaces.saturating_add(of(other).replaces),
                creates: of(self).creates.saturating_add(of(other).creates),
                deletes: of(self).deletes.saturating_add(of(other).deletes),
                orphans: of(self).orphans.saturating_add(of(other).orphans),
                outdates: of(self).outdates.saturating_add(of(other).outdates),
                waits: of(self).waits.saturating_add(of(other).waits),
            },
            refused: sum(|verdict| verdict.refused),
            cannot_tell: sum(|verdict| verdict.cannot_tell),
            unknown: sum(|verdict| verdict.unknown),
            gravest: self.gravest.max(other.gravest),
        }
    }

    pub(super) fn of(plan: &Plan, after: &Hierarchy) -> Verdict {
        let mut verdict = Verdict::default();
        let mut reached = ReachedMachines::default();
        plan.objects.iter().for_each(|object| verdict.add_object(object, &mut reached));
        for owner in &plan.owners {
            verdict.gravest = verdict.gravest.max(Some(owner.effect));
            match owner.effect {
                Effect::Rollout | Effect::Scheduled => reached.replaced.add(&owner.machines),
                Effect::ReplacedWhenDeleted => reached.outdated.add(&owner.machines),
                Effect::Waits if owner.later.is_some_and(|later| later.effect != Effect::Scale) => {
                    reached.wait(owner.later.as_ref(), &owner.machines);
                }
                _ => {}
            }
        }
        verdict.cannot_tell += partly_known(plan);
        verdict.add_machines(&reached.once());
        if !plan.unknown.is_empty() {
            verdict.gravest = verdict.gravest.max(Some(Effect::CannotTell));
        }
        verdict.unknown = plan.unknown.iter().map(|_| 1).sum();
        let entries = || plan.objects.iter().flat_map(|object| &object.entries).chain(&plan.further);
        let is_label = |entry: &&EntryDifference| entry.is_own();
        let relabelled: BTreeSet<&ObjectId> = entries().filter(is_label).map(|entry| &entry.id).collect();
        verdict.relabels = relabelled.into_iter().map(|id| after.represented_by(id)).sum();
        verdict
    }

    pub(super) fn add_tags(&mut self, tags: &[TaggedObject]) {
        let changed = tags.iter().filter(|tagged| tagged.happens == Happens::Changed && tagged.later.is_none());
        self.cloud_tags = changed.flat_map(|tagged| &tagged.changes).map(|_| 1).sum();
        self.tagged_resources = tags.iter().map(|tagged| tagged.differing_resources(false)).sum();
        self.waiting_resources = tags.iter().map(|tagged| tagged.differing_resources(true)).sum();
        self.unknown_tags = tags.iter().map(TaggedObject::unknown).sum();
    }

    fn add_object<'p>(&mut self, object: &'p Planned, reached: &mut ReachedMachines<'p>) {
        self.gravest = self.gravest.max(object.effect);
        self.cannot_tell += u64::from(object.effect == Some(Effect::CannotTell));
        self.refused += u64::from(object.effect == Some(Effect::Refused));
        match object.happens {
            _ if object.effect == Some(Effect::Waits) => reached.wait(object.later.as_ref(), &object.machines),
            Happens::Created => reached.created.add(&object.machines),
            Happens::Changed => {}
            Happens::Deleted if object.replaced_by.is_some() => reached.replaced.add(&object.machines),
            Happens::Deleted => reached.deleted.add(&object.machines),
        }
        for planned in &object.edits {
            self.gravest = self.gravest.max(Some(planned.effect));
            match planned.effect {
                Effect::Rollout | Effect::Scheduled => reached.replaced.add(&planned.machines),
                Effect::Destructive | Effect::Scale if planned.is_deletion => reached.deleted.add(&planned.machines),
                Effect::Destructive => reached.orphaned.add(&planned.machines),
                Effect::ReplacedWhenDeleted => reached.outdated.add(&planned.machines),
                Effect::Refused => self.refused += 1,
                Effect::Scale | Effect::InPlace | Effect::Nothing | Effect::CannotTell | Effect::Waits => {}
            }
            let is_scale = planned.later.is_some_and(|later| later.effect == Effect::Scale);
            if !is_scale || planned.is_deletion {
                reached.wait(planned.later.as_ref(), &planned.waiting);
            }
            // What an edit changes in place is known for objects that are not, too.
            if planned.reason.is_some() && planned.effect > Effect::InPlace && planned.effect != Effect::Refused {
                self.cannot_tell += 1;
                self.gravest = self.gravest.max(Some(Effect::CannotTell));
            }
            let later = planned.later.filter(|_| planned.effect == Effect::Waits).map(|later| later.waits_for);
            if let Some((scale, waits_for)) = planned.scale.zip(later) {
                reached.scaled_later.push((&planned.waiting, scale, waits_for));
            }
            if let Some((from, to)) = planned.scale.filter(|_| later.is_none()) {
                self.creates += to.saturating_sub(from);
                self.deletes += from.saturating_sub(to);
                reached.scaled.push((&planned.machines, from.saturating_sub(to)));
            }
        }
    }

    fn add_machines(&mut self, reached: &ReachedMachines<'_>) {
        let ReachedMachines { replaced, orphaned, deleted, created, outdated, waiting, deferred, scaled, scaled_later } =
            reached;
        self.replaces = replaced.count();
        // A Machine that is deleted is not replaced.
        for (_, deleted) in scaled.iter().filter(|(machines, _)| replaced.have(machines)) {
            self.replaces = self.replaces.saturating_sub(*deleted);
        }
        self.orphans = orphaned.count();
        self.outdates = outdated.count();
        self.waits = waiting.count();
        self.deferred = deferred.count();
        for (machines, (from, to), waits_for) in scaled_later {
            let (sum, others) = match waits_for {
                WaitsFor::Pause => (&mut self.waits, waiting),
                WaitsFor::Upgrade | WaitsFor::Hook => (&mut self.deferred, deferred),
                WaitsFor::Refusal => continue,
            };
            // Machines that are replaced and those that are deleted are the same.
            *sum += if others.have(machines) { to.saturating_sub(*from) } else { from.abs_diff(*to) };
        }
        self.deletes += deleted.count();
        // Others take the place of those that are orphaned.
        self.creates += created.count() + orphaned.count();
        let number = |machines: &Machines| machines.uncounted.iter().map(|_| 1).sum();
        self.uncounted = Uncounted {
            replaces: number(replaced),
            creates: number(created) + number(orphaned),
            deletes: number(deleted),
            orphans: number(orphaned),
            outdates: number(outdated),
            waits: number(waiting),
        };
    }
}

/// The Machines that a change reaches, by what happens to them.
#[derive(Default)]
struct ReachedMachines<'p> {
    replaced: Machines,
    orphaned: Machines,
    deleted: Machines,
    created: Machines,
    outdated: Machines,
    waiting: Machines,
    deferred: Machines,
    /// Those of owners that are scaled, and how many of them are deleted.
    scaled: Vec<(&'p Machines, u64)>,
    /// Those that are scaled later, from and to which number.
    scaled_later: Vec<(&'p Machines, (u64, u64), WaitsFor)>,
}

impl ReachedMachines<'_> {
    /// Adds Machines to which something happens later, if it is known what.
    fn wait(&mut self, later: Option<&Later>, machines: &Machines) {
        match later.filter(|later| later.effect != Effect::CannotTell) {
            Some(Later { waits_for: WaitsFor::Upgrade | WaitsFor::Hook, .. }) => self.deferred.add(machines),
            Some(Later { waits_for: WaitsFor::Refusal, .. }) => {}
            Some(Later { waits_for: WaitsFor::Pause, .. }) => self.waiting.add(machines),
            None => {}
        }
    }

    /// Each Machine once: where the most severe happens to it.
    fn once(mut self) -> Self {
        self.orphaned.remove(&self.deleted);
        self.replaced.remove(&self.deleted);
        self.replaced.remove(&self.orphaned);
        [&self.deleted, &self.orphaned, &self.replaced].into_iter().for_each(|others| self.outdated.remove(others));
        self
    }
}

/// The number of edits with an effect that is known for some owners, and not for others.
fn partly_known(plan: &Plan) -> u64 {
    let unknown = plan.owners.iter().filter(|owner| owner.effect == Effect::CannotTell);
    let unknown: BTreeSet<(&ObjectId, &EditPath)> =
        unknown.flat_map(|owner| &owner.edits).map(|edit| (&edit.id, &edit.at)).collect();
    let edits = plan.objects.iter().flat_map(|object| object.edits.iter().map(move |edit| (&object.id, edit)));
    let is_it = |(id, edit): &(&ObjectId, &PlannedEdit)| {
        edit.effect != Effect::CannotTell && unknown.contains(&(*id, &edit.at))
    };
    edits.filter(is_it).map(|_| 1).sum()
}
