//! What variables and patches of a ClusterClass make of edits: the objects of each topology before and after are computed
//! and compared, and each owner of Machines is judged once.

mod answer;
mod cause;
mod change;
mod changed_part;
mod health_checks;
mod owner;
mod placeholder;
mod refusals;
mod renewed;
mod sentence;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::Effect;
use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;
use topology::TopologyOwner;

use self::answer::{Computed, TopologyAnswer};
use self::owner::OwnerEffect;
use super::impact::Sides;
use super::machines::{Machines, Part, machines};
use super::path::{EditPath, EditPlace};
use super::refused::keep_only;
use super::stopped::StoppedTopologies;
use super::{Decided, EntryDifference, Happens, Plan, Planned, PlannedEdit, Unknown, conversion, deferred, reason};
use crate::each::each;
use crate::fleet::Fleet;
use crate::object::{ObjectId, group_and_version};
use crate::relations::text;

pub use self::owner::{Because, EditRef, PlannedOwner};
pub(crate) use self::refusals::{of_new_cluster, resolved};

impl Plan {
    /// Says of owners whose Machines an extension may update in place that it may: Cluster API's feature gate
    /// `InPlaceUpdates` (v1.12 and later) is on. Without an extension that accepts it, their Machines are replaced.
    pub fn allow_in_place_updates(&mut self) {
        self.owners
            .iter_mut()
            .for_each(|owner| owner.is_update_in_place = owner.can_be_in_place && owner.later.is_none());
    }
}

/// Why the effect of an edit that Cluster API refuses is not another one.
const REFUSED: &str = "Cluster API refuses it";

/// Why the effect of an edit on some owners is not known.
const SOME_UNKNOWN: &str = "what the patches of the ClusterClass make of it is not known for every owner";

/// Computes the topologies that edited objects are part of, and replaces what paths alone say by what becomes of each owner.
/// Returns the labels and annotations of new templates and of what is created from them, and where topologies stop.
pub(super) fn complete(
    plan: &mut Plan,
    (old, new): (&Fleet, &Fleet),
    around: Sides<'_>,
) -> (Vec<EntryDifference>, StoppedTopologies) {
    let mut added = BTreeSet::new();
    for object in plan.objects.iter_mut().filter(|object| is_edited(object) && object.edits.is_empty()) {
        object.edits = unnamed(&object.id, around);
        added.insert(object.id.clone());
    }
    let edited: BTreeMap<&ObjectId, &Planned> =
        plan.objects.iter().filter(|object| is_edited(object)).map(|object| (&object.id, object)).collect();
    if edited.is_empty() {
        return Default::default();
    }
    let is_cluster = |id: &&ObjectId| id.group == CORE_GROUP && id.kind == "Cluster" && new.find(id).is_some();
    let clusters: Vec<&ObjectId> = old.objects().map(|object| &object.id).filter(is_cluster).collect();
    let twice: BTreeSet<&ObjectId> = old.variants().keys().chain(new.variants().keys()).collect();
    let answers = each(&clusters, |cluster| TopologyAnswer::of(cluster, (&edited, &twice), around));
    let mut answers: Vec<TopologyAnswer<'_>> = answers.into_iter().flatten().collect();
    let objects: Vec<&Planned> = plan.objects.iter().collect();
    let decided = each(&objects, |object| decided(object, &answers));
    let freed = each(&objects, |object| if is_edited(object) { freed(object, &answers, around) } else { Vec::new() });
    let stopped = answers.iter().filter_map(|answer| Some((answer.cluster.clone(), answer.stopped.clone()?))).collect();
    let renewed = renewed::merged(answers.iter_mut().flat_map(|answer| std::mem::take(&mut answer.renewed)));
    plan.notes.extend(answers.iter_mut().flat_map(|answer| std::mem::take(&mut answer.notes)));
    let refused: BTreeSet<ObjectId> = answers.iter().flat_map(|answer| answer.refused.iter().cloned()).collect();
    // What is refused is not written, for the other Clusters of a class either.
    let stays = |owner: &PlannedOwner| {
        owner.effect != Effect::Refused
            && !owner.edits.is_empty()
            && owner.edits.iter().all(|it| refused.contains(&it.id))
    };
    plan.owners = answers.into_iter().flat_map(|answer| answer.owners).filter(|owner| !stays(owner)).collect();
    for (object, (decided, freed)) in plan.objects.iter_mut().zip(decided.into_iter().zip(freed)) {
        for (edit, decided) in object.edits.iter_mut().zip(decided) {
            decided.into_iter().for_each(|decided| apply(edit, decided));
            if edit.effect == Effect::Refused && refused.contains(&object.id) {
                edit.decided = Decided::ByWebhook;
            }
        }
        let mut known = BTreeSet::new();
        object.edits.retain(|edit| known.insert((edit.at.clone(), edit.effect, edit.reason.clone())));
        object.edits.extend(freed);
        // That an edit of a path in the table has no effect is known from the table.
        let is_added = added.contains(&object.id);
        object.edits.retain(|edit| !is_added || edit.effect != Effect::Nothing);
        keep_only(object);
        object.edits.sort_by_key(|edit| Reverse(edit.effect));
    }
    (renewed, stopped)
}

/// The objects of topologies that are defined twice and differently, if any of the definitions changes.
pub(super) fn redefined<'f>(old: &'f Fleet, new: &'f Fleet) -> BTreeSet<&'f ObjectId> {
    let twice = old.variants().keys().chain(new.variants().keys());
    let of = |fleet: &Fleet, id: &ObjectId| {
        let one = || Vec::from_iter(fleet.find(id).map(|object| object.json.to_string()));
        fleet.variants().get(id).cloned().unwrap_or_else(one)
    };
    twice.filter(|id| is_of_topologies(id) && of(old, id) != of(new, id)).collect()
}

/// That nothing is known about these objects.
pub(super) fn defined_twice(old: &Fleet, new: &Fleet) -> Vec<Unknown> {
    let unknown = |id: &ObjectId| Unknown { id: id.clone(), is_predicted: false, reason: DEFINED_TWICE.to_owned() };
    redefined(old, new).into_iter().map(unknown).collect()
}

/// Why nothing is known about an object with two definitions.
const DEFINED_TWICE: &str = "it is defined twice, and which definition is applied last is not known";

fn is_edited(object: &Planned) -> bool {
    object.happens == Happens::Changed && is_of_topologies(&object.id)
}

/// What the topologies say of one edit.
struct Decision {
    /// The most severe effect on an owner.
    effect: Effect,
    /// The Machines of the owners with this effect: what is milder, or not known, is not among them.
    machines: Machines,
    /// Those that are replaced only when they are deleted.
    on_delete: Machines,
    /// Whether the path alone says nothing.
    is_decisive: bool,
    /// Whether health checks differ, too.
    is_unchecked: bool,
    changes_no_owner: bool,
}

impl Decision {
    fn of<'e>(effects: impl Iterator<Item = &'e OwnerEffect> + Clone) -> Decision {
        let effect = effects.clone().map(|owner| owner.effect).max().unwrap_or(Effect::Nothing);
        let (mut machines, mut on_delete) = (Machines::default(), Machines::default());
        for owner in effects {
            match owner.effect {
                Effect::Scheduled if effect == Effect::Rollout => machines.add(&owner.machines),
                of if of == effect => machines.add(&owner.machines),
                Effect::ReplacedWhenDeleted => on_delete.add(&owner.machines),
                _ => {}
            }
        }
        Decision { effect, machines, on_delete, is_decisive: false, is_unchecked: false, changes_no_owner: false }
    }
}

/// For each edit of an object, what the topologies that it is part of say.
fn decided(object: &Planned, answers: &[TopologyAnswer<'_>]) -> Vec<Option<Decision>> {
    let concerned: Vec<&TopologyAnswer<'_>> = answers.iter().filter(|it| it.edited.contains(&object.id)).collect();
    let state = concerned.iter().map(|answer| answer.state).min().unwrap_or(Computed::Not);
    let decision = |edit: &PlannedEdit| {
        let reference = EditRef { id: object.id.clone(), at: edit.at.clone() };
        let effects = concerned.iter().filter_map(|answer| answer.of_edits.get(&reference)).flatten();
        let is_computed = matches!(edit.at.place, EditPlace::Class | EditPlace::FailureDomain);
        let is_decisive = is_decided_by_patches(&object.id, &edit.at) || state >= Computed::Unchecked && is_computed;
        let changes_no_owner = effects.clone().next().is_none() && state >= Computed::Owners;
        let is_unchecked = state == Computed::Unchecked && edit.at.place == EditPlace::Class;
        Decision { is_decisive, is_unchecked, changes_no_owner, ..Decision::of(effects) }
    };
    let is_told = |edit: &PlannedEdit| state > Computed::Not && edit.decided == Decided::ByPath;
    object.edits.iter().map(|edit| is_told(edit).then(|| decision(edit))).collect()
}

/// Whether the effect of an edit of a path is only what is made of the templates: variables, patches, and templates of
/// classes.
fn is_decided_by_patches(id: &ObjectId, at: &EditPath) -> bool {
    match &*id.kind {
        "Cluster" => matches!(at.place, EditPlace::Variables | EditPlace::ClusterNetwork),
        "ClusterClass" => {
            matches!(at.place, EditPlace::Patches | EditPlace::Variables | EditPlace::TemplateRef(_))
        }
        _ => at.is_in_spec(),
    }
}

/// The most severe effect of an edit on owners. A path alone may say more: a scale is one, whatever patches read.
fn apply(edit: &mut PlannedEdit, decision: Decision) {
    edit.changes_no_owner = decision.changes_no_owner;
    // What the path alone says of an edit without effect is more.
    let is_said = edit.effect == Effect::Nothing && edit.reason.is_some() && decision.effect <= Effect::InPlace;
    if is_said || !decision.is_decisive && decision.effect <= edit.effect {
        // A rollout does not include the owners that replace Machines only when they are deleted.
        if edit.effect == Effect::Rollout {
            let of =
                if decision.effect == Effect::ReplacedWhenDeleted { decision.machines } else { decision.on_delete };
            edit.machines.remove(&of);
        }
        return;
    }
    let is_known = edit.reason.is_some() && matches!(edit.at.place, EditPlace::Class | EditPlace::FailureDomain);
    edit.scale = edit.scale.filter(|_| decision.effect != Effect::Refused);
    edit.reason = match decision.effect {
        Effect::Refused => Some(Cow::Borrowed(REFUSED)),
        Effect::CannotTell if is_known => edit.reason.take(),
        Effect::CannotTell => Some(Cow::Borrowed(SOME_UNKNOWN)),
        _ => None,
    };
    (edit.effect, edit.machines) = (decision.effect, decision.machines);
    if decision.is_unchecked && edit.effect <= Effect::InPlace {
        (edit.effect, edit.reason) = (Effect::InPlace, Some(Cow::Borrowed(reason::HEALTH)));
    }
}

/// The entries of a topology that an edit of others no longer holds back. Unless the entry itself shows it, it is not known
/// whether its upgrade is pending. Those that an own annotation held back have an edit already.
///
/// Source: `isMachineDeploymentDeferred` in exp/topology/desiredstate/desired_state.go of Cluster API v1.14.
fn freed(object: &Planned, answers: &[TopologyAnswer<'_>], around: Sides<'_>) -> Vec<PlannedEdit> {
    let id = &object.id;
    let is_refused = object.edits.iter().any(|edit| edit.effect == Effect::Refused);
    let sides = [around.before, around.after].map(|side| change::written(side, id));
    let ([Some(was), Some(is)], "Cluster", false) = (sides, &*id.kind, is_refused) else { return Vec::new() };
    let version = is.pointer("/spec/topology/version").and_then(Value::as_str);
    let freed = deferred::freed([was, is]).into_iter().filter_map(|(list, name)| {
        let part = Part::Entry(list, name.clone());
        let child = part.child(around.before, id).and_then(|child| change::written(around.before, &child));
        let is_upgraded = version.is_some()
            && child.and_then(|child| child.pointer("/spec/template/spec/version")?.as_str()) == version;
        let at = EditPath::of_workers(list, &name);
        let is_named = |edit: &PlannedEdit| edit.at.part == at.part && edit.at.place == EditPlace::Annotation;
        if is_upgraded || object.edits.iter().any(is_named) {
            return None;
        }
        let machines = machines(around.before, id, &part);
        let own = answers.iter().filter(|answer| answer.cluster == id).flat_map(|answer| &answer.owners);
        let is_it = |owner: &&PlannedOwner| owner.part.as_ref().and_then(TopologyOwner::entry) == Some((list, &*name));
        let own: Vec<OwnerEffect> = own.filter(is_it).map(OwnerEffect::of_owner).collect();
        let mut edit =
            PlannedEdit { machines, ..PlannedEdit::new(at, Effect::CannotTell, Some(Cow::Borrowed(reason::FREED))) };
        apply(&mut edit, Decision::of(own.iter()));
        Some(edit)
    });
    freed.collect()
}

/// The fields that differ, without an effect, for an object whose paths the table of the policy does not classify.
fn unnamed(id: &ObjectId, around: Sides<'_>) -> Vec<PlannedEdit> {
    let [Some(was), Some(is)] = [around.before, around.after].map(|side| change::written(side, id)) else {
        return Vec::new();
    };
    let versions = [was, is].map(|object| group_and_version(text(object, "apiVersion")).1);
    let Some((_, [was, is])) = conversion::in_one_version(id, versions, [was, is]) else { return Vec::new() };
    let paths = topology::differing_paths(&was, &is).into_iter();
    paths.map(|fields| PlannedEdit::new(EditPath::of_fields(fields), Effect::Nothing, None)).collect()
}

fn is_of_topologies(id: &ObjectId) -> bool {
    id.group == CORE_GROUP && matches!(&*id.kind, "Cluster" | "ClusterClass") || super::template::is_template(id)
}
