//! The effect of each edit of one object.

use std::borrow::Cow;
use std::cmp::Reverse;

use metadata_propagation::Effect;
use serde_json::Value;
use topology::POOLS;

use super::class::{ClassChange, Judged, other_class};
use super::impact::{Sides, impact};
use super::initialized::{concerns_joined_only, concerns_none};
use super::machines::{self, Machines, Part, machines};
use super::path::{EditPath, EditPlace, EditedPart};
use super::template::{self, Acceptance, acceptance};
use super::{PlannedEdit, bare, conversion, deferred, has_cluster, owned, provider, reason, remediation, replicas};
use crate::made::class;
use crate::member::has_managed_replicas;
use crate::object::{FleetObject, ObjectId};
use crate::relations::is_of_topology;

/// What differs between two versions of an object, and what each difference does, the most severe effect first.
pub(super) fn edits(objects: [&FleetObject; 2], values: [&Value; 2], sides: Sides<'_>) -> Vec<PlannedEdit> {
    let [_, new] = objects;
    let of_machine = remediation::of_machine(&new.id, values, sides);
    let mut planned = by_path(objects, values, sides);
    planned.retain(|known| !of_machine.iter().any(|edit| edit.at == known.at));
    planned.extend(of_machine);
    planned.extend(owned::edit(&new.id, values, sides));
    planned.sort_by_key(|planned| Reverse(planned.effect));
    planned
}

/// The same by the paths that differ.
fn by_path([old, new]: [&FleetObject; 2], values: [&Value; 2], sides: Sides<'_>) -> Vec<PlannedEdit> {
    let converted = conversion::of_objects([old, new], values);
    let (old, new) = converted.as_ref().map_or((old, new), |[(old, _), (new, _)]| (old, new));
    let values = converted.as_ref().map_or(values, |[(_, was), (_, is)]| [was, is]);
    let is_template = template::is_template(&new.id);
    let classes = if is_template && !template::is_of_remediation(&new.id) {
        template::classes(sides.before, &new.id)
    } else {
        Vec::new()
    };
    let mut found = by_table([old, new], &classes, sides);
    if !found.iter().any(|(at, _)| at.is_in_spec()) {
        let of_provider = provider::edits(&new.id, [&old.version, &new.version], values, sides.before);
        if !of_provider.is_empty() {
            return of_provider;
        }
    }
    let [was, is] = values;
    let spec = |object: &Value| object.get("spec").and_then(bare::bare);
    if found.is_empty() && is_template && spec(was) != spec(is) {
        // Of another group than the policy's table has.
        found.push((EditPath::parse("spec"), Effect::Nothing));
    }
    // What the policy would add to the written object is no edit of the manifest.
    found.retain(|(at, _)| at.place != EditPlace::Map || at.value(was) != at.value(is));
    if found.is_empty() {
        return Vec::new();
    }
    let object = EditedObject::of([old, new], values, classes, sides);
    let mut planned: Vec<PlannedEdit> = found.into_iter().map(|(at, effect)| object.planned(at, effect)).collect();
    object.with_other_class(&mut planned);
    planned
}

/// The paths that differ, as the policy reports them.
fn by_table(objects: [&FleetObject; 2], classes: &[(ObjectId, Part)], sides: Sides<'_>) -> Vec<(EditPath, Effect)> {
    let [old, new] = objects.map(|object| match classes.is_empty() {
        true => Cow::Borrowed(object),
        false => Cow::Owned(template::owned(object, classes)),
    });
    impact(&new.id, &new.version, [&old.json, &new.json], sides).unwrap_or_default()
}

/// An object with edits, and what decides about them.
struct EditedObject<'e> {
    id: &'e ObjectId,
    values: [&'e Value; 2],
    sides: Sides<'e>,
    /// The classes that refer to it, if it is a template.
    classes: Vec<(ObjectId, Part)>,
    accepted: Acceptance,
    /// Whether it is a template of Machines that nothing refers to.
    is_unnamed: bool,
    /// Whether no known Cluster uses the class, or a class that refers to the template.
    has_no_cluster: bool,
    change: Option<ClassChange<'e>>,
}

impl<'e> EditedObject<'e> {
    fn of(
        [old, new]: [&'e FleetObject; 2],
        values: [&'e Value; 2],
        classes: Vec<(ObjectId, Part)>,
        sides: Sides<'e>,
    ) -> EditedObject<'e> {
        let (id, [was, is]) = (&new.id, values);
        let is_template = template::is_template(id);
        let is_class = id.kind == "ClusterClass";
        // A template of a topology was made for one Cluster from that of a class.
        let makes_machines = is_template && !id.kind.ends_with("ClusterTemplate") && !template::is_of_remediation(id);
        let is_unnamed =
            makes_machines && classes.is_empty() && !is_of_topology(was) && !template::is_named(sides.before, id);
        let accepted = match is_template {
            true if old.version != new.version => Acceptance::Unknown(reason::OTHER_VERSION),
            true => acceptance(id, was, is),
            false => Acceptance::Accepted,
        };
        let is_used = |class: &ObjectId| [sides.before, sides.after].iter().any(|side| has_cluster(side, class));
        let has_no_cluster =
            is_class && !is_used(id) || !classes.is_empty() && !classes.iter().any(|(class, _)| is_used(class));
        let change = is_class.then(|| ClassChange::of(sides, [&id.namespace; 2], values));
        EditedObject { id, values, sides, classes, accepted, is_unnamed, has_no_cluster, change }
    }

    fn planned(&self, at: EditPath, effect: Effect) -> PlannedEdit {
        let judged = self.judged(&at, effect);
        let (at, (mut effect, mut reason)) = self.admitted(at, judged);
        let mut machines = self.machines(&at, effect);
        if effect == Effect::InPlace && remediation::is_asked(&at, self.values) {
            machines = self.machines(&at, Effect::Rollout);
            (effect, reason) = remediation::effect(&machines, self.sides.after);
        }
        let deferred = deferred::entries(self.id, &at, self.values[1]);
        for (list, entry) in &deferred {
            machines.remove(&machines::machines(self.sides.before, self.id, &Part::Entry(list, entry.clone())));
        }
        let deferred = deferred.into_iter().map(|(_, entry)| entry).collect();
        let is_scale = effect == Effect::Scale;
        let scale = is_scale.then(|| replicas::scale(self.sides.before, self.id, &at, self.values)).flatten();
        // Of an unknown number, all are deleted.
        if is_scale && scale.is_none() && at.replicas(self.values[1]) != Some(0) {
            reason = reason.or(Some(reason::NO_NUMBER));
        }
        let is_deletion = match effect {
            Effect::Destructive => self.is_removed(&at),
            _ => is_scale && scale.is_none() && reason.is_none(),
        };
        let reason = reason.map(Cow::Borrowed);
        PlannedEdit { machines, is_deletion, scale, deferred, ..PlannedEdit::new(at, effect, reason) }
    }

    /// What the paths and values of the object alone say.
    fn judged(&self, at: &EditPath, effect: Effect) -> Judged {
        let judged = self.change.as_ref().and_then(|change| change.effect(at)).unwrap_or((effect, None));
        match judged.0 {
            Effect::Scale if self.is_managed(at) => (Effect::Nothing, Some(reason::MANAGED)),
            Effect::Destructive => remediation::of_selector(self.id, at, self.values).unwrap_or(judged),
            Effect::InPlace if at.place == EditPlace::HealthCheck => (Effect::InPlace, Some(reason::HEALTH)),
            Effect::Rollout if concerns_joined_only(self.id, at, self.values) => {
                (Effect::CannotTell, Some(reason::INITIALIZED))
            }
            Effect::CannotTell if concerns_none(at, self.values) => (Effect::InPlace, judged.1),
            Effect::CannotTell if at.place == EditPlace::Class && self.is_without_class() => {
                (Effect::CannotTell, Some(reason::NO_CLASS))
            }
            _ => judged,
        }
    }

    /// Whether the infrastructure decides about the number of replicas of a pool.
    fn is_managed(&self, at: &EditPath) -> bool {
        let is_pool =
            self.id.kind == "MachinePool" || matches!(&at.part, EditedPart::Workers(list, _) if *list == POOLS.list);
        let has_annotation = |object: &Value| {
            let holder = if self.id.kind == "MachinePool" { object } else { at.holder().value(object)? };
            holder.pointer("/metadata/annotations").map(has_managed_replicas)
        };
        at.place == EditPlace::Replicas && is_pool && has_annotation(self.values[1]) == Some(true)
    }

    /// What it is if webhooks and references to the object are regarded.
    fn admitted(&self, at: EditPath, (effect, reason): Judged) -> (EditPath, Judged) {
        let is_template = template::is_template(self.id) && at.is_in_spec();
        if let (Acceptance::Refused(fixed), true) = (self.accepted, is_template) {
            let fixed = EditPath::parse(fixed);
            if at.is_within(&fixed) || fixed.is_within(&at) {
                let at = if fixed.is_within(&at) { fixed } else { at };
                return (at, (Effect::Refused, Some(reason::IMMUTABLE)));
            }
        }
        let is_known = || reason.is_none() && self.has_no_cluster;
        let judged = match (self.accepted, effect) {
            // Whether it is accepted or not, Machines are only created from it.
            (Acceptance::Unknown(_), Effect::Nothing) if is_template && !self.is_unnamed => {
                (effect, Some(reason::UNKNOWN_WEBHOOK))
            }
            (Acceptance::Unknown(why), _) if is_template => (Effect::CannotTell, Some(why)),
            (_, Effect::Nothing) if self.is_unnamed && at.is_in_spec() => {
                (Effect::CannotTell, Some(reason::NAMED_BY_NOTHING))
            }
            (_, Effect::CannotTell) if reason.is_none() => {
                (effect, Some(if self.has_no_cluster { reason::NO_CLUSTER } else { reason::reason(self.id, &at) }))
            }
            (_, Effect::Nothing) if self.change.is_some() && self.is_removed(&at) && self.is_used(&at) => {
                (Effect::Refused, Some(reason::STILL_USED))
            }
            (_, Effect::Nothing) => (effect, reason),
            _ if is_known() => (effect, Some(reason::NO_CLUSTER)),
            _ => (effect, reason),
        };
        (at, judged)
    }

    /// Replaces the edit that another class is by its effects on the Cluster's Machines, if both classes are known.
    fn with_other_class(&self, planned: &mut Vec<PlannedEdit>) {
        let is_class = |edit: &PlannedEdit| edit.at.place == EditPlace::Class && edit.at.part == EditedPart::Whole;
        let found = planned.iter().find(|edit| is_class(edit)).filter(|_| self.id.kind == "Cluster");
        let Some(at) = found.map(|edit| edit.at.clone()) else { return };
        let Some(effects) = other_class(self.sides, self.id, self.values) else { return };
        planned.retain(|edit| !is_class(edit));
        planned.extend(effects.into_iter().map(|((effect, reason), machines)| PlannedEdit {
            machines,
            ..PlannedEdit::new(at.clone(), effect, reason.map(Cow::Borrowed))
        }));
    }

    /// Whether a class of the Cluster is not among the objects.
    fn is_without_class(&self) -> bool {
        let sides = [self.sides.before, self.sides.after].into_iter().zip(self.values);
        let mut classes = sides.map(|(side, cluster)| (side, class(cluster, self.id)));
        self.id.kind == "Cluster" && classes.any(|(side, id)| id.is_none_or(|id| side.find(&id).is_none()))
    }

    fn is_removed(&self, at: &EditPath) -> bool {
        at.is_entry() && at.value(self.values[1]).is_none()
    }

    /// Whether Clusters use it before and after the change.
    fn is_used(&self, at: &EditPath) -> bool {
        let Sides { before, after, .. } = self.sides;
        [before, after].iter().all(|side| !machines(side, self.id, &Part::of(self.id, at)).is_empty())
    }

    fn machines(&self, at: &EditPath, effect: Effect) -> Machines {
        match effect {
            Effect::Nothing | Effect::InPlace | Effect::Refused => Machines::default(),
            _ if template::is_template(self.id) => template::machines_of(self.sides.before, &self.classes),
            _ => machines(self.sides.before, self.id, &Part::of(self.id, at)),
        }
    }
}
