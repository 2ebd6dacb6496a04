//! The effects of a change in total, in numbers.

use std::collections::BTreeSet;

use metadata_propagation::Effect;

use super::reach::Machines;
use super::{EntryDifference, Happens, Plan, PlannedEdit};
use crate::hierarchy::Hierarchy;
use crate::object::ObjectId;

/// The effects of a change in total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    /// Objects with labels or annotations that are added, changed or removed, including objects that are not in the
    /// files.
    pub relabels: u64,
    /// Cloud tags that are added, changed or removed.
    pub cloud_tags: u64,
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    #[must_use]
    pub fn and(&self, other: &Verdict) -> Verdict {
        let of = |verdict: &Verdict| verdict.uncounted;
        let sum = |field: fn(&Verdict) -> u64| field(self).saturating_add(field(other));
        Verdict {
            replaces: sum(|verdict| verdict.replaces),
            creates: sum(|verdict| verdict.creates),
            deletes: sum(|verdict| verdict.deletes),
            orphans: sum(|verdict| verdict.orphans),
            outdates: sum(|verdict| verdict.outdates),
            relabels: sum(|verdict| verdict.relabels),
            cloud_tags: sum(|verdict| verdict.cloud_tags),
            uncounted: Uncounted {
                replaces: of(self).replaces.saturating_add(of(other).replaces),
                creates: of(self).creates.saturating_add(of(other).creates),
                deletes: of(self).deletes.saturating_add(of(other).deletes),
                orphans: of(self).orphans.saturating_add(of(other).orphans),
                outdates: of(self).outdates.saturating_add(of(other).outdates),
            },
            refused: sum(|verdict| verdict.refused),
            cannot_tell: sum(|verdict| verdict.cannot_tell),
            unknown: sum(|verdict| verdict.unknown),
            gravest: self.gravest.max(other.gravest),
        }
    }

    pub(super) fn of(plan: &Plan, after: &Hierarchy) -> Verdict {
        let mut verdict = Verdict::default();
        let [mut replaced, mut orphaned, mut deleted, mut created, mut outdated] = [Machines::NONE; 5];
        let mut scaled = Vec::new();
        for object in &plan.objects {
            verdict.gravest = verdict.gravest.max(object.effect);
            verdict.cannot_tell += u64::from(object.effect == Some(Effect::CannotTell));
            verdict.refused += u64::from(object.effect == Some(Effect::Refused));
            match object.happens {
                Happens::Created => created.add(&object.machines),
                Happens::Changed => {}
                Happens::Deleted if object.replaced_by.is_some() => replaced.add(&object.machines),
                Happens::Deleted => deleted.add(&object.machines),
            }
            for planned in &object.edits {
                verdict.gravest = verdict.gravest.max(Some(planned.edit.effect));
                match planned.edit.effect {
                    Effect::Rollout | Effect::Scheduled => replaced.add(&planned.machines),
                    Effect::Destructive | Effect::Scale if planned.is_deletion => deleted.add(&planned.machines),
                    Effect::Destructive => orphaned.add(&planned.machines),
                    Effect::ReplacedWhenDeleted => outdated.add(&planned.machines),
                    Effect::Refused => verdict.refused += 1,
                    Effect::Scale | Effect::InPlace | Effect::Nothing | Effect::CannotTell => {}
                }
                // What an edit changes in place is known for objects that are not, too.
                if planned.reason.is_some()
                    && planned.edit.effect > Effect::InPlace
                    && planned.edit.effect != Effect::Refused
                {
                    verdict.cannot_tell += 1;
                    verdict.gravest = verdict.gravest.max(Some(Effect::CannotTell));
                }
                if let Some((from, to)) = planned.scale {
                    verdict.creates += to.saturating_sub(from);
                    verdict.deletes += from.saturating_sub(to);
                    scaled.push((&planned.machines, from.saturating_sub(to)));
                }
            }
        }
        let is_partly_known = |planned: &PlannedEdit, id: &ObjectId| {
            let owners = plan.owners_of(id, &planned.edit.at);
            planned.edit.effect != Effect::CannotTell && owners.iter().any(|owner| owner.effect == Effect::CannotTell)
        };
        let edits =
            plan.objects.iter().flat_map(|object| object.edits.iter().map(move |planned| (planned, &object.id)));
        verdict.cannot_tell += edits.filter(|(planned, id)| is_partly_known(planned, id)).map(|_| 1).sum::<u64>();
        let owners = plan.owners.iter().flat_map(|edit| &edit.owners);
        let on_delete = owners.filter(|owner| owner.effect == Effect::ReplacedWhenDeleted);
        on_delete.for_each(|owner| outdated.add(&owner.machines));
        orphaned.remove(&deleted);
        replaced.remove(&deleted);
        replaced.remove(&orphaned);
        [&deleted, &orphaned, &replaced].into_iter().for_each(|others| outdated.remove(others));
        if !plan.unknown.is_empty() {
            verdict.gravest = verdict.gravest.max(Some(Effect::CannotTell));
        }
        verdict.unknown = plan.unknown.iter().map(|_| 1).sum();
        verdict.replaces = replaced.count();
        // A Machine that is deleted is not replaced.
        for (machines, deleted) in scaled {
            if replaced.have(machines) {
                verdict.replaces = verdict.replaces.saturating_sub(deleted);
            }
        }
        verdict.orphans = orphaned.count();
        verdict.outdates = outdated.count();
        verdict.deletes += deleted.count();
        // Others take the place of those that are orphaned.
        verdict.creates += created.count() + orphaned.count();
        let number = |machines: &Machines| machines.uncounted.iter().map(|_| 1).sum();
        verdict.uncounted = Uncounted {
            replaces: number(&replaced),
            creates: number(&created) + number(&orphaned),
            deletes: number(&deleted),
            orphans: number(&orphaned),
            outdates: number(&outdated),
        };
        let entries = || plan.objects.iter().flat_map(|object| &object.entries).chain(&plan.further);
        verdict.cloud_tags = entries().filter(|entry| entry.at == CLOUD_TAGS).map(|_| 1).sum();
        let is_label = |entry: &&EntryDifference| ["metadata.labels", "metadata.annotations"].contains(&&*entry.at);
        let relabelled: BTreeSet<&ObjectId> = entries().filter(is_label).map(|entry| &entry.id).collect();
        verdict.relabels = relabelled.into_iter().map(|id| after.represented_by(id)).sum();
        verdict
    }
}

const CLOUD_TAGS: &str = "spec.cloudTags";
