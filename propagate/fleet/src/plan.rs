//! The effects of a change of manifests: on each object, on the Machines below it, and on the labels further down.

mod bare;
mod class;
pub(crate) mod conversion;
mod deferred;
mod difference;
mod edits;
mod impact;
mod infrastructure;
mod initialized;
mod machines;
mod merged;
mod notes;
mod owned;
mod parts;
mod path;
mod placeholder;
mod provider;
mod reason;
mod refused;
mod remediation;
mod replicas;
mod same;
mod stopped;
mod tags;
mod template;
pub(crate) mod topology;
mod verdict;
mod waits;
mod whole;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ::topology::ObjectPath;
use metadata_propagation::{Effect, Mode, Settings, Stance};

use self::difference::{differences, unknown};
use self::edits::edits;
use self::impact::Sides;
use self::refused::is_refused;
use self::same::is_same;
use self::waits::Delays;
use crate::check::Checker;
use crate::each::each;
use crate::fleet::Fleet;
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::{FleetObject, ObjectId};
use crate::object_finding::UNREADABLE;
use crate::refusal::has_rules;

pub use self::machines::Machines;
pub use self::notes::{PlanNote, RolloutLimits};
pub use self::path::EditPath;
pub use self::tags::{ReachedResource, TagChange, TagFate, TaggedObject};
pub use self::topology::{Because, EditRef, PlannedOwner};
pub use self::verdict::{Uncounted, Verdict};
pub use self::waits::{Later, WaitsFor};

/// The effects of a change of manifests.
#[derive(Debug, Default)]
pub struct Plan {
    /// The objects that are created, changed or deleted: first deleted objects with Machines, then in the order of the
    /// new files, the other deleted ones last.
    pub objects: Vec<Planned>,
    /// Labels and annotations that are added, changed or removed further down, in objects whose own manifest does not
    /// change.
    pub further: Vec<EntryDifference>,
    /// Objects for which it is no longer known what propagates to them, and why. An object and everything created from
    /// it count as one.
    pub unknown: Vec<Unknown>,
    /// What edits of Clusters, classes and their templates do to the owners of a topology, each owner once, by Cluster.
    pub owners: Vec<PlannedOwner>,
    /// What matters around these effects.
    pub notes: Vec<PlanNote>,
    /// What becomes of cloud tags, in the order of the new files.
    pub tags: Vec<TaggedObject>,
    /// The effects of the change in total.
    pub verdict: Verdict,
}

/// An object for which it is no longer known what propagates to it.
#[derive(Debug)]
pub struct Unknown {
    /// The object.
    pub id: ObjectId,
    /// Whether the object is not among the files.
    pub is_predicted: bool,
    /// Why: one sentence, lower case, no final stop.
    pub reason: String,
}

/// One object that a change is about.
#[derive(Debug)]
pub struct Planned {
    /// The object's name.
    pub id: ObjectId,
    /// What happens to it.
    pub happens: Happens,
    /// What the creation or deletion of an object does to Machines; `None` if it does nothing to them, or is neither.
    pub effect: Option<Effect>,
    /// The Machines that are created or deleted with it.
    pub machines: Machines,
    /// If it waits: its effect then.
    pub later: Option<Later>,
    /// For a deletion: the owner that remains, and whose controller creates another one.
    pub replaced_by: Option<ObjectId>,
    /// The effect of each edit, the most severe first.
    pub edits: Vec<PlannedEdit>,
    /// Labels and annotations in it that are added, changed or removed, including those that propagate.
    pub entries: Vec<EntryDifference>,
}

impl Planned {
    fn new(id: &ObjectId, happens: Happens) -> Planned {
        Planned {
            id: id.clone(),
            happens,
            effect: None,
            machines: Machines::default(),
            later: None,
            replaced_by: None,
            edits: Vec::new(),
            entries: Vec::new(),
        }
    }
}

/// What happens to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happens {
    /// It is new.
    Created,
    /// It changes.
    Changed,
    /// It is deleted, with everything below it.
    Deleted,
}

impl fmt::Display for Happens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Happens::Created => "is created",
            Happens::Changed => "changes",
            Happens::Deleted => "is deleted",
        })
    }
}

/// One path that differs.
#[derive(Debug)]
pub struct PlannedEdit {
    /// The path.
    pub at: EditPath,
    /// What it does to Machines; if owners of a topology decide, the most severe of what it does to them.
    pub effect: Effect,
    /// The Machines below the path.
    pub machines: Machines,
    /// If it waits: its effect then.
    pub later: Option<Later>,
    /// The Machines that it reaches only later.
    pub waiting: Machines,
    /// Whether it deletes them.
    pub is_deletion: bool,
    /// For a scale: the number before and after, if both are known.
    pub scale: Option<(u64, u64)>,
    /// Why the effect, or the Machines that it reaches, are not known.
    pub reason: Option<Cow<'static, str>>,
    /// For an upgrade: the entries of the topology whose upgrade an annotation defers.
    pub deferred: Vec<String>,
    /// Whether every owner of the topologies that it is part of was computed, and none of them changes because of it.
    pub changes_no_owner: bool,
    decided: Decided,
}

/// What decides about an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decided {
    /// The path and the values, or what becomes of topologies.
    ByPath,
    /// A webhook or a schema, before anything becomes of it.
    ByWebhook,
}

impl PlannedEdit {
    /// An edit of a path with this effect, which reaches no Machines.
    fn new(at: EditPath, effect: Effect, reason: Option<Cow<'static, str>>) -> PlannedEdit {
        PlannedEdit {
            at,
            effect,
            machines: Machines::default(),
            later: None,
            waiting: Machines::default(),
            is_deletion: false,
            scale: None,
            reason,
            deferred: Vec::new(),
            changes_no_owner: false,
            decided: if effect == Effect::Refused { Decided::ByWebhook } else { Decided::ByPath },
        }
    }

    /// Whether it deletes Machines now and creates no others, as a scale down does.
    pub fn deletes(&self) -> bool {
        self.effect != Effect::Waits && (self.is_deletion || self.scale.is_some_and(|(from, to)| to < from))
    }
}

/// A label or annotation that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryDifference {
    /// The object.
    pub id: ObjectId,
    /// Whether the object is not among the files.
    pub is_predicted: bool,
    /// The map.
    pub at: ObjectPath,
    /// The key.
    pub key: String,
    /// The value before; `None` if it is added.
    pub from: Option<String>,
    /// The value after; `None` if it is removed.
    pub to: Option<String>,
}

impl EntryDifference {
    /// Whether it is one of the object itself, and not of what is made from it.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.at.fields().next() == Some("metadata")
    }

    fn place(&self) -> (&ObjectId, &ObjectPath, &str) {
        (&self.id, &self.at, &self.key)
    }
}

impl Plan {
    /// What happens to the objects of `old` when those of `new` replace them.
    pub fn of(old: &Fleet, new: &Fleet, settings: &Settings) -> Plan {
        Plan::with_settings([old, new], [settings, settings])
    }

    /// The same if the settings change too: those of before decide about tags before.
    pub fn with_settings([old, new]: [&Fleet; 2], [former, settings]: [&Settings; 2]) -> Plan {
        let tags = tags::tags([old, new], [former, settings]);
        let mut settings = Settings { mode: Mode::Mutate, ..settings.clone() };
        // Regardless of the setting: a plan reports rollouts.
        settings.cluster_api.rollout = Stance::Warn;
        let mut plan = Plan { tags, ..Plan::in_parts([old, new], &settings, parts::PART) };
        plan.verdict.add_tags(&plan.tags);
        plan.notes.extend(notes::of_owners(&plan.owners));
        plan
    }

    /// The same in parts of about this number of objects.
    fn in_parts([old, new]: [&Fleet; 2], settings: &Settings, size: usize) -> Plan {
        let Some(parts) = parts::parts(old, new, size) else { return Plan::at_once(old, new, settings) };
        let plan = |[of_old, of_new]: &[Vec<usize>; 2]| Plan::at_once(&old.only(of_old), &new.only(of_new), settings);
        merged::merged(parts.chunks(parts::AT_ONCE).flat_map(|some| each(some, plan)), [old, new])
    }

    /// The same for objects that have to be compared together.
    fn at_once(old: &Fleet, new: &Fleet, settings: &Settings) -> Plan {
        let before = Hierarchy::compared(old, settings, None);
        let after = Hierarchy::compared(new, settings, Some(&before));
        // Clusters are judged by the class that is stored.
        let stored = with_stored_classes((old, new), Sides { before: &before, after: &after, settings });
        let after = stored.as_ref().map_or(after, |stored| Hierarchy::compared(stored, settings, Some(&before)));
        let stored = stored.as_ref().unwrap_or(new);
        let sides = Sides { before: &before, after: &after, settings };
        let mut entries = differences(&before, &after);
        let mut plan = Plan::default();
        plan.add_objects((old, new, stored), sides, &mut entries);
        plan.unknown.extend(topology::defined_twice(old, new));
        let (renewed, stopped) = topology::complete(&mut plan, (old, new), sides);
        let delays = Delays::of(&before, &after, stopped);
        plan.objects.iter_mut().for_each(|object| delays.mark(object));
        plan.owners.iter_mut().for_each(|owner| delays.mark_owner(owner));
        plan.notes.extend(notes::of_templates(&plan.objects, [&before, &after]));
        plan.objects.sort_by_key(merged::severity);
        plan.add_further(entries, renewed, &delays);
        let unreadable: BTreeSet<ObjectId> = plan.unknown.iter().map(|object| object.id.clone()).collect();
        let refused: BTreeSet<&ObjectId> = plan.objects.iter().filter(|it| is_refused(it)).map(|it| &it.id).collect();
        // What is below an object that is not written stays as it is.
        let stays = |id: &ObjectId| {
            after.find(id).is_some_and(|member| after.upwards(member).any(|above| refused.contains(&above.id)))
        };
        let is_new = |object: &Unknown| !unreadable.contains(&object.id) && !stays(&object.id);
        plan.unknown.extend(unknown(&before, &after).into_iter().filter(is_new));
        plan.verdict = Verdict { stopped: delays.stopped(), ..Verdict::of(&plan, &after) };
        plan
    }

    /// Adds the objects that differ, with what differs in them.
    fn add_objects(
        &mut self,
        (old, new, stored): (&Fleet, &Fleet, &Fleet),
        sides: Sides<'_>,
        entries: &mut ObjectEntries,
    ) {
        let checker = Checker::new(sides.settings);
        let new_objects: Vec<&FleetObject> = new.objects().collect();
        let planned = each(&new_objects, |object| {
            let planned = planned(object, old.find(&object.id), stored, sides)?;
            let is_rejected = sides.after.find(&object.id).is_some_and(|member| member.rejection.is_some());
            Some((planned, is_rejected.then(|| unreadable(object, &checker, new)).flatten()))
        });
        for (mut planned, unreadable) in planned.into_iter().flatten() {
            let of_object = entries.remove(&planned.id).unwrap_or_default();
            planned.entries = if is_refused(&planned) { Vec::new() } else { of_object };
            self.unknown.extend(unreadable.filter(|_| !is_refused(&planned)));
            self.objects.push(planned);
        }
        for object in old.objects().filter(|object| new.find(&object.id).is_none()) {
            entries.remove(&object.id);
            self.objects.push(whole::deletion(&object.id, sides.before, new));
        }
    }

    /// Adds labels and annotations of objects whose own manifests do not change, from the top down.
    fn add_further(&mut self, mut entries: ObjectEntries, renewed: Vec<EntryDifference>, delays: &Delays<'_>) {
        let after = delays.after;
        let order = after.in_order();
        let members = order.into_iter().filter_map(|number| after.member(number));
        let is_orphaning = |planned: &PlannedEdit| planned.effect == Effect::Destructive && !planned.is_deletion;
        let is_cut = |object: &&Planned| is_refused(object) || object.edits.iter().any(is_orphaning);
        let cut: BTreeSet<&ObjectId> = self.objects.iter().filter(is_cut).map(|object| &object.id).collect();
        // What is orphaned stays as it is, and so does what is below an object that is not written.
        let is_below = |member: &Member| after.upwards(member).skip(1).any(|above| cut.contains(&above.id));
        let stays = |id: &ObjectId| after.find(id).is_some_and(is_below);
        let further = members.filter_map(|member| entries.remove(&member.id)).flatten();
        let changed: BTreeSet<&ObjectId> = self.objects.iter().map(|object| &object.id).collect();
        let waits = |id: &ObjectId| delays.stop_at(id, &changed);
        let further = further.filter(|entry| (cut.is_empty() || !stays(&entry.id)) && !waits(&entry.id));
        self.further = further.collect();
        let known = self.objects.iter().flat_map(|object| &object.entries).chain(&self.further);
        let known: BTreeSet<_> = known.map(EntryDifference::place).collect();
        let renewed: Vec<_> = renewed
            .iter()
            .filter(|entry| !known.contains(&entry.place()) && !delays.stop_at(&entry.id, &changed))
            .cloned()
            .collect();
        self.further.extend(renewed);
    }

    /// Whether nothing changes at all.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.further.is_empty() && self.tags.is_empty()
    }
}

/// The labels, annotations and cloud tags that differ, by object.
type ObjectEntries = BTreeMap<ObjectId, Vec<EntryDifference>>;

/// What happens to an object that is new or changes; `None` if it is the same.
fn planned(object: &FleetObject, stored: Option<&FleetObject>, new: &Fleet, sides: Sides<'_>) -> Option<Planned> {
    let has_rules = has_rules(&object.id);
    let Some(stored) = stored else {
        let mut planned = whole::creation(&object.id, sides.before, sides.after);
        match has_rules {
            true => refused::add(&mut planned, object, (None, &object.value()), (sides, new)),
            false => refused::add_entries(&mut planned, &object.value()),
        }
        refused::keep_only(&mut planned);
        return Some(planned);
    };
    if is_same([&stored.json, &object.json]) {
        return None;
    }
    let values = [stored, object].map(FleetObject::value);
    let [was, is] = values.each_ref();
    let edits = edits([stored, object], [was, is], sides);
    let mut planned = Planned { edits, ..Planned::new(&object.id, Happens::Changed) };
    match has_rules {
        true => refused::add(&mut planned, object, (Some(was), is), (sides, new)),
        false => refused::add_entries(&mut planned, is),
    }
    placeholder::unsettle(&mut planned, [stored, object], [was, is]);
    refused::keep_only(&mut planned);
    Some(planned)
}

/// The new objects, with the classes as they were that are refused; `None` if none is.
fn with_stored_classes((old, new): (&Fleet, &Fleet), sides: Sides<'_>) -> Option<Fleet> {
    let is_refused = |object: &&FleetObject| {
        let stored = old.find(&object.id).filter(|_| object.id.kind == "ClusterClass");
        stored.is_some_and(|_| planned(object, stored, new, sides).is_some_and(|planned| is_refused(&planned)))
    };
    let refused: BTreeSet<&ObjectId> = new.objects().filter(is_refused).map(|object| &object.id).collect();
    let is_kept = |object: &FleetObject| !refused.contains(&object.id);
    (!refused.is_empty()).then(|| new.part(is_kept, |_| true).and(old, |object| !is_kept(object)))
}

/// An object that does not have the structure of a Kubernetes object.
fn unreadable(object: &FleetObject, checker: &Checker, fleet: &Fleet) -> Option<Unknown> {
    let finding = checker.check(object, fleet).findings.into_iter().find(|finding| finding.check == UNREADABLE)?;
    Some(Unknown { id: object.id.clone(), is_predicted: false, reason: finding.message })
}

/// Whether a Cluster in the files uses a class.
fn has_cluster(hierarchy: &Hierarchy, class: &ObjectId) -> bool {
    hierarchy.find(class).is_some_and(|member| !member.children.is_empty())
}
