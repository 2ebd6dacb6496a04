//! Wording that the formats of a plan share.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use fleet::{EntryDifference, Happens, Later, Machines, ObjectId, Plan, Planned, PlannedEdit, Unknown, Verdict, count};
use metadata_propagation::Effect;

use super::answer::{PlanAnswer, RootAnswer};
use super::not_read::{About, Matters, NotRead};
use super::roots::RootPair;
use crate::applied::{Entry, shown};
use crate::groups::{GroupKnowledge, knowledge};
use crate::output::text::visible;

/// The maximum number of Machines that are listed by name; more are counted.
const NAMED: usize = 5;

/// The effects of a change in total, on one line, with what is missing from the answer.
pub(super) fn total(answer: &PlanAnswer) -> String {
    let roots = answer.roots.iter().filter(|root| !root.pair.is_rest).count();
    let place = compared(roots, answer.roots.len() > roots);
    let others = answer.roots.iter().map(RootAnswer::others).sum();
    match (answer.has_no_change(), answer.is_incomplete()) {
        (true, false) if answer.matters() == Matters::Waits => "nothing changes yet".to_owned(),
        (true, false) if answer.roots.iter().all(RootAnswer::is_compared) => "nothing changes".to_owned(),
        (true, false) => "nothing changes in what was compared".to_owned(),
        (true, true) => "nothing changes in what was compared; not everything was".to_owned(),
        (false, false) => format!("{place}{}", verdict(&answer.verdict, others)),
        (false, true) if answer.roots.iter().all(RootAnswer::is_compared) => {
            format!("{place}{}", verdict(&answer.verdict, others))
        }
        (false, true) => format!("{place}{}; not everything was compared", verdict(&answer.verdict, others)),
    }
}

/// The first names of a list, and how many there are besides.
pub(super) fn some(names: &[&str]) -> String {
    let named = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// What a total is about, unless it is about one root or all files together: such as `2 roots and other files: `.
fn compared(roots: usize, has_others: bool) -> String {
    match (roots, has_others) {
        (0, _) | (1, false) => String::new(),
        (roots, false) => format!("{roots} roots: "),
        (roots, true) => format!("{} and other files: ", count(roots, "root")),
    }
}

/// The effects of a change in one root, on one line, and the number of objects whose effects are not computed.
pub(super) fn verdict(verdict: &Verdict, others: usize) -> String {
    let (of, all) = (*verdict, verdict.uncounted);
    let known = if others == 0 { "" } else { " of what is known" };
    let number = |machines: u64, owners| if owners == 0 { machines.to_string() } else { counted(machines, owners) };
    let verb = |number: u64, one: &'static str, many: &'static str| if number == 1 { one } else { many };
    let wait = verb(if all.waits == 0 { of.waits } else { 0 }, "waits", "wait");
    let [defer, wait_tags] = [of.deferred, of.waiting_resources].map(|number| verb(number, "waits", "wait"));
    let (stop, change) = (verb(of.stopped, "is", "are"), verb(of.cloud_tags, "changes", "change"));
    let parts = [
        (true, format!("replaces {}{known}", counted(of.replaces, all.replaces))),
        (true, format!("deletes {}", number(of.deletes, all.deletes))),
        (of.creates.max(all.creates) > 0, format!("creates {}", number(of.creates, all.creates))),
        (of.orphans.max(all.orphans) > 0, format!("orphans {}", number(of.orphans, all.orphans))),
        (of.outdates.max(all.outdates) > 0, format!("outdates {}", counted(of.outdates, all.outdates))),
        (of.waits.max(all.waits) > 0, format!("{} {wait} for the end of a pause", counted(of.waits, all.waits))),
        (of.deferred > 0, format!("{} {defer} for a deferred upgrade", count(of.deferred, "Machine"))),
        (of.stopped > 0, format!("{} {stop} not reconciled further", count(of.stopped, "Cluster"))),
        (of.relabels > 0, format!("relabels {}", count(of.relabels, "object"))),
        (of.cloud_tags > 0, format!("{} {change}", count(of.cloud_tags, "cloud tag"))),
        (of.tagged_resources > 0, format!("retags {}", count(of.tagged_resources, "managed resource"))),
        (
            of.waiting_resources > 0,
            format!("{} {wait_tags} for the end of a pause", count(of.waiting_resources, "managed resource")),
        ),
        (of.unknown_tags > 0, format!("cannot tell for the tags of {}", count(of.unknown_tags, "object"))),
        (of.refused > 0, format!("{} refused", count(of.refused, "edit"))),
        (of.cannot_tell > 0, format!("cannot tell for {}", count(of.cannot_tell, "edit"))),
        (of.unknown > 0, format!("cannot tell what propagates to {}", count(of.unknown, "object"))),
        (others > 0, format!("cannot tell for {} of other kinds", count(others, "object"))),
    ];
    let parts: Vec<String> = parts.into_iter().filter_map(|(is_told, part)| is_told.then_some(part)).collect();
    parts.join(", ")
}

/// Such as `2 Machines and all Machines of 1 owner (number not in the files)`.
fn counted(machines: u64, owners: u64) -> String {
    let all = format!("all Machines of {} (number not in the files)", count(owners, "owner"));
    match (machines, owners) {
        (machines, 0) => count(machines, "Machine"),
        (0, _) => all,
        (machines, _) => format!("{} and {all}", count(machines, "Machine")),
    }
}

/// The entry points, and why each is one.
pub(super) fn entries(answer: &PlanAnswer) -> Option<String> {
    let of =
        |why: Entry| answer.entries.iter().filter(move |(_, entry)| **entry == why).map(|(folder, _)| shown(folder));
    let parts = [
        (Entry::Root, "named by `--root`"),
        (Entry::Named, "named by objects of Flux or Argo CD"),
        (Entry::Top, "included by no other kustomization"),
    ];
    let parts = parts.into_iter().filter_map(|(why, words)| {
        let folders: Vec<String> = of(why).collect();
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        (!folders.is_empty()).then(|| format!("{} ({words})", some(&folders)))
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| format!("entry points: {}", parts.join("; ")))
}

/// A file, document or object that is not compared.
pub(super) fn not_read(not_read: &NotRead) -> String {
    let NotRead { place, reason, matters, about } = not_read;
    match matters {
        Matters::No if *about == About::Applied => reason.clone(),
        Matters::Waits if *about == About::Applied => format!("waits: {reason}"),
        _ if *about == About::Applied => format!("cannot tell: {reason}"),
        Matters::No | Matters::Waits => format!("{place}: {reason}"),
        Matters::Unreadable if place.position.is_none() => {
            // The top folder of a revision has no name.
            let file = if place.file.is_empty() || place.file.ends_with(':') { "." } else { "" };
            format!("cannot tell: cannot read `{place}{file}`: {reason}")
        }
        Matters::CannotTell | Matters::Unreadable => format!("{place}: cannot tell: {reason}"),
    }
}

/// The name of a root.
pub(super) fn root(pair: &RootPair) -> &str {
    if pair.is_rest { "other files" } else { &pair.root }
}

/// The effect of an edit.
pub(super) fn effect(effect: Effect) -> String {
    match effect {
        Effect::Nothing => "no effect".to_owned(),
        effect => effect.to_string(),
    }
}

/// The text after the path of an edit: how many Machines, and which, or why that is not known, and what waits.
pub(super) fn details(planned: &PlannedEdit) -> String {
    let now = || of_effect(planned, planned.effect, &planned.machines);
    let Some(Later { effect: then, waits_for }) = &planned.later else { return now() };
    if planned.effect == *then && *then > Effect::InPlace {
        return format!("{}; for {} it {waits_for}", now(), of_machines(&planned.waiting));
    }
    let later = of_effect(planned, *then, &planned.waiting);
    let later = if *then == Effect::CannotTell { format!("{then}{later}") } else { later };
    match then {
        Effect::Nothing => later,
        Effect::InPlace => format!(": {waits_for}"),
        _ => format!(": {waits_for}, then {}", later.trim_start_matches([':', ' '])),
    }
}

fn of_effect(planned: &PlannedEdit, effect: Effect, machines: &Machines) -> String {
    let PlannedEdit { is_deletion, scale, reason, deferred, changes_no_owner, .. } = planned;
    if let Some((from, to)) = scale {
        let change = match to.cmp(from) {
            Ordering::Less => format!("deletes {}", from - to),
            Ordering::Equal => "left to cluster-autoscaler".to_owned(),
            Ordering::Greater => format!("creates {}", to - from),
        };
        return format!(" {from} → {to}: {change}");
    }
    match (effect, reason) {
        (_, Some(reason)) => format!(": {reason}{}", of_unknown(effect, machines)),
        (Effect::Nothing, _) if *changes_no_owner => ": changes no owner".to_owned(),
        (Effect::Nothing, _) => ": replaces no Machines".to_owned(),
        (Effect::Rollout | Effect::Scheduled, _) if deferred.is_empty() => {
            format!(": replaces {}", of_machines(machines))
        }
        (Effect::Rollout | Effect::Scheduled, _) => {
            format!(": replaces {}; an annotation defers the rollout of {}", of_machines(machines), deferred.join(", "))
        }
        (Effect::ReplacedWhenDeleted, _) => format!(": outdates {}, until they are deleted", of_machines(machines)),
        (Effect::Destructive | Effect::Scale, _) if *is_deletion => format!(": deletes {}", of_machines(machines)),
        (Effect::Destructive, _) => format!(": orphans {}, and creates as many", of_machines(machines)),
        _ => String::new(),
    }
}

/// Which Machines an edit whose effect is not known may replace.
fn of_unknown(effect: Effect, machines: &Machines) -> String {
    let is_known = effect != Effect::CannotTell || machines.count() == 0;
    if is_known { String::new() } else { format!(" (up to {})", of_machines(machines)) }
}

/// What a created or deleted object does to Machines.
pub(super) fn whole(planned: &Planned) -> Option<String> {
    if let Some(Later { effect, waits_for }) = &planned.later {
        let later = whole_effect(planned, *effect);
        let later = later.split_once(": ").map_or(&*later, |(_, machines)| machines);
        return Some(format!("{}: {waits_for}, then {later}", planned.effect?));
    }
    Some(whole_effect(planned, planned.effect?))
}

fn whole_effect(planned: &Planned, effect: Effect) -> String {
    let is_namespace = planned.id.kind == "Namespace";
    match effect {
        Effect::Refused if is_namespace => return format!("{effect}: the API server does not delete this namespace"),
        Effect::Refused => {
            return format!("{effect}: Clusters use it, and the webhook of ClusterClass refuses this");
        }
        Effect::CannotTell if is_namespace => {
            return format!("{effect}: everything in it is deleted, and none of that is in the files");
        }
        Effect::CannotTell => return format!("{effect}: its provider decides what happens to Machines"),
        _ => {}
    }
    let (machines, others) = match planned.id.kind == "Machine" {
        true => ("this Machine".to_owned(), "a new one"),
        false => (of_machines(&planned.machines), "new ones"),
    };
    match (planned.happens, &planned.replaced_by) {
        (Happens::Deleted, None) => format!("{effect}: deletes {machines}"),
        (Happens::Deleted, Some(owner)) => format!("{effect}: deletes {machines}, and {owner} creates {others}"),
        _ => format!("{effect}: creates {machines}"),
    }
}

/// Such as `2 Machines (fleet/a, fleet/b)`.
fn of_machines(machines: &Machines) -> String {
    let uncounted = machines.uncounted.iter().map(full_name);
    let all = uncounted.map(|owner| format!("all Machines of {owner} (number not in the files)"));
    let all: Vec<String> = all.collect();
    let counted = count(machines.count(), "Machine");
    let is_named = !machines.named.is_empty() && machines.named.len() <= NAMED && machines.predicted.is_empty();
    let names = machines.named.iter().filter(|_| is_named).map(full_name).collect::<Vec<_>>().join(", ");
    let counted = if is_named { format!("{counted} ({names})") } else { counted };
    let counted = Some(counted).filter(|_| machines.count() > 0 || all.is_empty());
    counted.into_iter().chain(all).collect::<Vec<_>>().join(" and ")
}

fn full_name(id: &ObjectId) -> String {
    if id.namespace.is_empty() { id.name.clone() } else { format!("{}/{}", id.namespace, id.name) }
}

/// The sign of a change of an entry, and the rest of its line.
pub(super) fn change(EntryDifference { at, key, from, to, .. }: &EntryDifference) -> (char, String) {
    match (from, to) {
        (Some(from), Some(to)) => ('~', format!("{at} {key}={} (was {})", visible(to), visible(from))),
        (Some(from), None) => ('-', format!("{at} {key}={}", visible(from))),
        (None, to) => ('+', format!("{at} {key}={}", visible(to.as_deref().unwrap_or_default()))),
    }
}

/// The objects about which there is something to say: first those whose edits replace or delete Machines, then others of
/// Cluster API.
pub(super) fn in_order(plan: &Plan) -> Vec<&Planned> {
    let rank = |planned: &&Planned| {
        let edits = planned.edits.iter().map(|planned| planned.effect);
        let gravest = planned.effect.into_iter().chain(edits).max();
        let is_grave = gravest >= Some(Effect::Rollout) || planned.edits.iter().any(PlannedEdit::deletes);
        (!is_grave, gravest != Some(Effect::CannotTell), !planned.id.is_cluster_api())
    };
    let mut objects: Vec<&Planned> = plan.objects.iter().filter(|planned| !is_silent(planned)).collect();
    objects.sort_by_key(rank);
    objects
}

/// Objects about which there is nothing else to say, on one line: those of kinds that have nothing to do with Machines, and
/// those that only move to another version. Many are counted.
pub(super) fn silent(plan: &Plan) -> Option<String> {
    let silent: Vec<&Planned> = plan.objects.iter().filter(|planned| is_silent(planned)).collect();
    if silent.len() <= NAMED {
        let all: Vec<String> = silent.iter().map(|planned| format!("{} {}", planned.id, planned.happens)).collect();
        return (!all.is_empty()).then(|| all.join(", "));
    }
    let mut kinds: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for Planned { id, happens, .. } in silent {
        let [created, changed, deleted] = kinds.entry(&id.kind).or_default();
        *match happens {
            Happens::Created => created,
            Happens::Changed => changed,
            Happens::Deleted => deleted,
        } += 1;
    }
    let of_kind = |(kind, numbers): (&str, [usize; 3])| {
        let numbers = numbers.into_iter().zip(["created", "changed", "deleted"]).filter(|(number, _)| *number > 0);
        let numbers = numbers.map(|(number, happens)| format!("{number} {happens}"));
        format!("{kind}: {}", numbers.collect::<Vec<_>>().join(", "))
    };
    Some(kinds.into_iter().map(of_kind).collect::<Vec<_>>().join("; "))
}

/// Whether there is nothing to say about an object except that it changes; of Cluster API's objects, that they are created
/// or deleted says something. Labels of kinds from which no Machines are made do not.
pub(super) fn is_silent(planned: &Planned) -> bool {
    let Planned { id, effect, edits, entries, happens, .. } = planned;
    let is_foreign = !id.is_cluster_api() && id.kind != "Node" && knowledge(id, &[]) == GroupKnowledge::Harmless;
    let is_label = |entry: &EntryDifference| is_foreign && entry.is_own();
    let has_nothing = effect.is_none() && edits.is_empty() && entries.iter().all(is_label);
    has_nothing && (!id.is_cluster_api() || *happens == Happens::Changed)
}

/// An object for which it is no longer known what propagates to it.
pub(super) fn unknown(Unknown { id, is_predicted, reason }: &Unknown) -> String {
    let note = if *is_predicted { " (predicted)" } else { "" };
    format!("{id}{note}: {reason}")
}

/// Objects further down with the same changes, in the order of the first of each: all of one kind.
pub(super) struct Alike<'p> {
    pub(super) first: &'p ObjectId,
    pub(super) others: usize,
    pub(super) is_predicted: bool,
    pub(super) entries: &'p [EntryDifference],
}

/// Groups of objects further down.
pub(super) fn alike(plan: &Plan) -> Vec<Alike<'_>> {
    let mut groups: Vec<Alike<'_>> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    for entries in plan.further.chunk_by(|a, b| a.id == b.id) {
        let Some(first) = entries.first() else { continue };
        let edits: Vec<_> = entries.iter().map(|it| (&it.at, &it.key, &it.from, &it.to)).collect();
        let edits = (&first.id.kind, &first.id.group, first.is_predicted, edits);
        match known.get(&edits).and_then(|group: &usize| groups.get_mut(*group)) {
            Some(group) => group.others += 1,
            None => {
                known.insert(edits, groups.len());
                groups.push(Alike { first: &first.id, others: 0, is_predicted: first.is_predicted, entries });
            }
        }
    }
    groups
}

impl Alike<'_> {
    /// The name of the first, and how many others there are.
    pub(super) fn title(&self) -> String {
        let others = if self.others == 0 { String::new() } else { format!(" and {} like it", self.others) };
        let note = if self.is_predicted { " (predicted)" } else { "" };
        format!("{}{others}{note}", self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_no_root_are_no_root() {
        for (roots, has_others, expected) in [
            (0, true, ""),
            (1, false, ""),
            (1, true, "1 root and other files: "),
            (2, false, "2 roots: "),
            (2, true, "2 roots and other files: "),
        ] {
            assert_eq!(compared(roots, has_others), expected);
        }
    }
}
