//! What variables and patches of a ClusterClass make of an edit: the objects of each topology before and after are
//! computed and compared.

mod attribution;
mod changed_part;
mod health_checks;
mod owner;
mod placeholder;
mod refusals;
mod renewed;
mod sentence;
mod stage;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use metadata_propagation::Effect;
use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;

use self::attribution::{is_due_to, is_of_whole};
use self::owner::{judged, not_known, refused, whole};
use self::stage::{ObjectChange, TopologyChange, changes};
use super::impact::Sides;
use super::reach::{Machines, Part, machines};
use super::refused::keep_only;
use super::{EntryDifference, Happens, Plan, Planned, PlannedEdit, Unknown, at, conversion, deferred, reason};
use crate::each::each;
use crate::fleet::Fleet;
use crate::object::{ObjectId, group_and_version};
use crate::relations::text;

pub use self::owner::{Because, PlannedOwner};
pub(super) use self::refusals::of_new_cluster;

/// The owners that each edit affects through variables and patches.
#[derive(Debug)]
pub struct EditOwners {
    /// The edited object.
    pub id: ObjectId,
    /// The path of the edit.
    pub at: String,
    /// Its effects by owner.
    pub owners: Vec<PlannedOwner>,
}

impl Plan {
    /// The owners that an edit affects through variables and patches.
    #[must_use]
    pub fn owners_of(&self, id: &ObjectId, at: &str) -> &[PlannedOwner] {
        owners_of(&self.owners, id, at)
    }

    /// Says of owners whose Machines an extension may update in place that it may: Cluster API's feature gate
    /// `InPlaceUpdates` (v1.12 and later) is on. Without an extension that accepts it, their Machines are replaced.
    pub fn allow_in_place_updates(&mut self) {
        for owner in self.owners.iter_mut().flat_map(|edit| &mut edit.owners) {
            owner.is_update_in_place = owner.can_be_in_place;
        }
    }
}

fn owners_of<'o>(owners: &'o [EditOwners], id: &ObjectId, at: &str) -> &'o [PlannedOwner] {
    let found = owners.iter().find(|edit| edit.id == *id && edit.at == at);
    found.map_or(&[], |edit| &edit.owners)
}

/// Why the effect of an edit that Cluster API refuses is not another one.
const REFUSED: &str = "Cluster API refuses it";

/// Why the effect of an edit on some owners is not known.
const SOME_UNKNOWN: &str = "what the patches of the ClusterClass make of it is not known for every owner";

/// Replaces what the paths of edits alone say about them by what variables and patches make of them, wherever the
/// topologies can be computed. Returns the labels and annotations of new templates and of what is created from them.
pub(super) fn complete(plan: &mut Plan, (old, new): (&Fleet, &Fleet), around: Sides<'_>) -> Vec<EntryDifference> {
    let edited: Vec<&ObjectId> =
        plan.objects.iter().filter(|object| is_edited(object)).map(|object| &object.id).collect();
    if edited.is_empty() {
        return Vec::new();
    }
    let changes = changes(&edited, (old, new), around);
    for object in plan.objects.iter_mut().filter(|object| object.id.kind == "Cluster" && is_edited(object)) {
        object.edits.extend(freed(object, around));
    }
    let mut added = BTreeSet::new();
    for object in plan.objects.iter_mut().filter(|object| object.edits.is_empty() && is_edited(object)) {
        object.edits = unnamed(&object.id, around);
        added.insert(object.id.clone());
    }
    let objects: Vec<&Planned> = plan.objects.iter().collect();
    let answers = each(&objects, |object| {
        let concerned: Vec<&TopologyChange<'_>> = changes.iter().filter(|change| change.concerns(&object.id)).collect();
        answers(object, &concerned, around)
    });
    for (object, answers) in plan.objects.iter_mut().zip(answers) {
        for (edit, answer) in object.edits.iter_mut().zip(answers) {
            // What is refused has no effect on owners, and what was refused before is not what is stored.
            let is_told = edit.edit.effect == Effect::Refused
                || edit.edit.at == "spec" && matches!(edit.reason, Some(Cow::Owned(_)));
            let Some(answer) = answer.filter(|_| !is_told) else { continue };
            apply(edit, &answer);
            if !answer.owners.is_empty() && owners_of(&plan.owners, &object.id, &edit.edit.at).is_empty() {
                plan.owners.push(EditOwners { id: object.id.clone(), at: edit.edit.at.clone(), owners: answer.owners });
            }
        }
        let has_owner = |edit: &PlannedEdit| !owners_of(&plan.owners, &object.id, &edit.edit.at).is_empty();
        keep_different(&mut object.edits);
        // That an edit of a path in the table has no effect is known from the table.
        let is_added = added.contains(&object.id);
        object.edits.retain(|edit| !is_added || edit.edit.effect != Effect::Nothing || has_owner(edit));
        // Nothing is made of the topology of a Cluster that is refused.
        if object.id.kind == "Cluster" {
            keep_only(object);
        }
        object.edits.sort_by_key(|edit| Reverse(edit.edit.effect));
    }
    renewed::entries(&changes, around)
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

/// The entries of a topology that an edit of others no longer holds back, as edits with an effect that is not known: whether
/// their upgrade is pending, only their objects show. Those that an own annotation held back have an edit already.
///
/// Source: `isMachineDeploymentDeferred` in exp/topology/desiredstate/desired_state.go of Cluster API v1.14.
fn freed(object: &Planned, around: Sides<'_>) -> Vec<PlannedEdit> {
    let id = &object.id;
    let [Some(was), Some(is)] = [around.before, around.after].map(|side| stage::written(side, id)) else {
        return Vec::new();
    };
    let is_refused = object.edits.iter().any(|edit| edit.edit.effect == Effect::Refused);
    let version = at(was, "spec.topology.version").and_then(Value::as_str);
    let is_upgraded = |part: &Part| {
        let child = part.child(around.before, id).and_then(|child| stage::written(around.before, &child));
        version.is_some() && child.and_then(|child| child.pointer("/spec/template/spec/version")?.as_str()) == version
    };
    let freed = deferred::freed([was, is]).into_iter().filter(|_| !is_refused).filter_map(|(list, name)| {
        let part = Part::Entry(list, name.clone());
        let path = format!("spec.topology.workers.{list}[{name}]");
        let is_named =
            object.edits.iter().any(|edit| edit.edit.at.starts_with(&format!("{path}.metadata.annotations[")));
        if is_named || is_upgraded(&part) {
            return None;
        }
        let machines = machines(around.before, id, &part);
        Some(PlannedEdit { machines, ..PlannedEdit::new(path, Effect::CannotTell, Some(Cow::Borrowed(reason::FREED))) })
    });
    freed.collect()
}

/// The fields that differ, without an effect, for an object whose paths the table of the policy does not classify.
fn unnamed(id: &ObjectId, around: Sides<'_>) -> Vec<PlannedEdit> {
    let [Some(was), Some(is)] = [around.before, around.after].map(|side| stage::written(side, id)) else {
        return Vec::new();
    };
    let versions = [was, is].map(|object| group_and_version(text(object, "apiVersion")).1);
    let Some((_, [was, is])) = conversion::in_one_version(id, versions, [was, is]) else { return Vec::new() };
    let paths = topology::differing_paths(&was, &is).into_iter().map(|steps| steps.join("."));
    paths.map(|at| PlannedEdit::new(at, Effect::Nothing, None)).collect()
}

fn is_of_topologies(id: &ObjectId) -> bool {
    id.group == CORE_GROUP && matches!(&*id.kind, "Cluster" | "ClusterClass") || super::template::is_template(id)
}

/// What the topologies say about one edit.
struct TopologyAnswer {
    owners: Vec<PlannedOwner>,
    /// Whether the path alone says nothing.
    is_decisive: bool,
}

/// For each edit of an object, what the topologies say.
fn answers(object: &Planned, changes: &[&TopologyChange<'_>], around: Sides<'_>) -> Vec<Option<TopologyAnswer>> {
    let none = || object.edits.iter().map(|_| None).collect();
    let is_unknown = |change: &&TopologyChange<'_>| matches!(change.of(&object.id), ObjectChange::Unknown(None));
    if changes.is_empty() || changes.iter().any(is_unknown) {
        return none();
    }
    let is_decided = |edit: &PlannedEdit| is_decided_by_patches(&object.id, &edit.edit.at);
    let mut owners: Vec<Vec<PlannedOwner>> = object.edits.iter().map(|_| Vec::new()).collect();
    for change in changes {
        match change.of(&object.id) {
            ObjectChange::Unknown(None) => {}
            ObjectChange::Unknown(Some(gap)) => {
                for (edit, owners) in object.edits.iter().zip(&mut owners) {
                    if is_decided(edit) {
                        owners.extend(not_known(change.cluster(), gap, around));
                    }
                }
            }
            ObjectChange::Refused(refusal) => {
                // If none of the edits is about patches, each may be why.
                let is_any = object.edits.iter().any(is_decided);
                for (edit, owners) in object.edits.iter().zip(&mut owners) {
                    if is_decided(edit) || !is_any && edit.edit.at.starts_with("spec") {
                        owners.push(refused(change.cluster(), refusal));
                    }
                }
            }
            ObjectChange::Parts(parts) => {
                let paths: Vec<&str> = object.edits.iter().map(|edit| &*edit.edit.at).collect();
                let first = paths.iter().position(|path| is_decided_by_patches(&object.id, path)).unwrap_or_default();
                for part in parts.iter().filter(|part| part.is_of(&object.id)) {
                    for (number, owners) in owners.iter_mut().enumerate() {
                        if change.adds_workers(&object.id) && is_of_whole(part.owner(), &paths, number) {
                            owners.extend(whole(part, change.cluster(), around));
                        }
                        let is_due = |cause: &_| is_due_to((&object.id, part.owner()), cause, change, (&paths, number));
                        owners.extend(judged(part, is_due, (change.cluster(), number == first), around));
                    }
                }
            }
        }
    }
    let is_complete = changes.iter().all(|change| change.is_complete());
    let answer = |(edit, owners): (&PlannedEdit, Vec<PlannedOwner>)| {
        let is_decisive = is_decided(edit) || is_complete && is_computed(&edit.edit.at);
        (is_decisive || !owners.is_empty()).then(|| TopologyAnswer { owners: owner::merged(owners), is_decisive })
    };
    object.edits.iter().zip(owners).map(answer).collect()
}

/// Whether the effect of an edit of a path is only what is made of the templates: variables, patches, and templates of
/// classes.
fn is_decided_by_patches(id: &ObjectId, path: &str) -> bool {
    match &*id.kind {
        "Cluster" => path.contains("variables") || path.starts_with("spec.clusterNetwork"),
        "ClusterClass" => {
            path.starts_with("spec.patches")
                || path.starts_with("spec.variables")
                || path.ends_with("emplateRef")
                || path.ends_with(".ref")
        }
        _ => path.starts_with("spec"),
    }
}

/// Whether all that an edit of a path does is in the objects of the topology: another class, or the failure domain, which
/// an entry of the topology may set as well as its class.
///
/// Source: `computeMachineDeployment` in exp/topology/desiredstate/desired_state.go of Cluster API v1.14.
fn is_computed(path: &str) -> bool {
    const FIELDS: [&str; 5] = ["class", "classNamespace", "classRef", "failureDomain", "failureDomains"];
    path.rsplit('.').next().is_some_and(|field| FIELDS.contains(&field))
}

/// Keeps one of the edits of a path that the topologies gave the same effect and reason: another class is one edit for each
/// effect that the classes alone have.
fn keep_different(edits: &mut Vec<PlannedEdit>) {
    let mut known = BTreeSet::new();
    edits.retain(|edit| known.insert((edit.edit.at.clone(), edit.edit.effect, edit.reason.clone())));
}

/// The most severe effect of the owners on an edit. A path alone may say more: a scale is one, whatever patches read.
fn apply(edit: &mut PlannedEdit, answer: &TopologyAnswer) {
    let gravest = answer.owners.iter().map(|owner| owner.effect).max().unwrap_or(Effect::Nothing);
    if !answer.is_decisive && gravest <= edit.edit.effect {
        // A rollout does not include the owners that replace Machines only when they are deleted.
        let on_delete = |owner: &&PlannedOwner| owner.effect == Effect::ReplacedWhenDeleted;
        if edit.edit.effect == Effect::Rollout {
            answer.owners.iter().filter(on_delete).for_each(|owner| edit.machines.remove(&owner.machines));
        }
        return;
    }
    edit.edit.effect = gravest;
    edit.scale = edit.scale.filter(|_| gravest != Effect::Refused);
    let mut machines = Machines::default();
    // What is milder, or not known, is not among the Machines of this effect.
    let is_meant = |effect: Effect| effect == gravest || effect == Effect::Scheduled && gravest == Effect::Rollout;
    for owner in answer.owners.iter().filter(|owner| is_meant(owner.effect)) {
        machines.add(&owner.machines);
    }
    edit.machines = machines;
    edit.reason = match gravest {
        Effect::Refused => Some(Cow::Borrowed(REFUSED)),
        Effect::CannotTell if is_computed(&edit.edit.at) && edit.reason.is_some() => return,
        Effect::CannotTell => Some(Cow::Borrowed(SOME_UNKNOWN)),
        _ => None,
    };
}
