//! The effect of each edit of one object.

use std::borrow::Cow;
use std::cmp::Reverse;

use metadata_propagation::{Effect, RolloutEdit};
use serde_json::Value;

use super::class::{ClassChange, other_class};
use super::impact::{Sides, impact};
use super::initialized::{concerns_joined_only, concerns_none};
use super::path::{at, scaled};
use super::reach::{self, Machines, Part, machines};
use super::template::{self, Acceptance, acceptance};
use super::{PlannedEdit, bare, conversion, deferred, has_cluster, provider, reason, replicas};
use crate::object::{FleetObject, ObjectId};
use crate::relations::is_of_topology;

/// What differs between two versions of an object, and what each difference does, the most severe effect first.
pub(super) fn edits([old, new]: [&FleetObject; 2], values: [&Value; 2], sides: Sides<'_>) -> Vec<PlannedEdit> {
    let Sides { before, after, .. } = sides;
    let converted = conversion::of_objects([old, new], values);
    let (old, new) = converted.as_ref().map_or((old, new), |[(old, _), (new, _)]| (old, new));
    let [was, is] = converted.as_ref().map_or(values, |[(_, was), (_, is)]| [was, is]);
    let is_template = template::is_template(&new.id);
    let classes = if is_template { template::classes(before, &new.id) } else { Vec::new() };
    let owned =
        |object| if classes.is_empty() { Cow::Borrowed(object) } else { Cow::Owned(template::owned(object, &classes)) };
    let (stored, written) = (owned(old), owned(new));
    let mut edits = impact(&new.id, &new.version, [&stored.json, &written.json], sides);
    if !edits.iter().any(|edit| edit.at.starts_with("spec")) {
        let of_provider = provider::edits(&new.id, [&old.version, &new.version], [was, is], before);
        if !of_provider.is_empty() {
            return of_provider;
        }
    }
    let spec = |object: &Value| object.get("spec").and_then(bare::bare);
    if edits.is_empty() && is_template && spec(was) != spec(is) {
        // Of another group than the policy's table has.
        edits.push(PlannedEdit::new("spec".to_owned(), Effect::Nothing, None).edit);
    }
    if edits.is_empty() {
        return Vec::new();
    }
    // What the policy would add to the written object is no edit of the manifest.
    let is_map = |path: &str| ["metadata.labels", "metadata.annotations"].iter().any(|map| path.ends_with(map));
    edits.retain(|edit| !is_map(&edit.at) || at(was, &edit.at) != at(is, &edit.at));
    // A template of a topology was made for one Cluster from that of a class.
    let makes_machines = is_template && !new.id.kind.ends_with("ClusterTemplate");
    let is_unnamed =
        makes_machines && classes.is_empty() && !is_of_topology(was) && !template::is_named(before, &new.id);
    let accepted = match is_template {
        true if old.version != new.version => Acceptance::Unknown(reason::OTHER_VERSION),
        true => acceptance(&new.id, was, is),
        false => Acceptance::Accepted,
    };
    let is_class = new.id.kind == "ClusterClass";
    let of_class = |class: &ObjectId| [before, after].iter().any(|hierarchy| has_cluster(hierarchy, class));
    let has_no_cluster =
        is_class && !of_class(&new.id) || !classes.is_empty() && !classes.iter().any(|(class, _)| of_class(class));
    let is_removed = |path: &str| path.ends_with(']') && at(is, path).is_none();
    let is_used = |path: &str| !machines(before, &new.id, &Part::of(&new.id, path)).is_empty();
    let change = is_class.then(|| ClassChange::of(sides, [&new.id.namespace; 2], [was, is]));
    let planned = |mut edit: RolloutEdit| {
        let mut reason = None;
        if let Some(judged) = change.as_ref().and_then(|change| change.effect(&edit.at)) {
            (edit.effect, reason) = judged;
        }
        if edit.effect == Effect::Rollout && concerns_joined_only(&new.id, &edit.at, [was, is]) {
            (edit.effect, reason) = (Effect::CannotTell, Some(reason::INITIALIZED));
        }
        if edit.effect == Effect::CannotTell && concerns_none(&edit.at, [was, is]) {
            edit.effect = Effect::InPlace;
        }
        let is_in_spec = is_template && edit.at.starts_with("spec");
        if let Acceptance::Refused(path) = accepted
            && is_in_spec
            && (edit.at.starts_with(path) || path.starts_with(&edit.at))
        {
            edit.at = if path.len() > edit.at.len() { path.to_owned() } else { edit.at };
            edit.effect = Effect::Refused;
            reason = Some(reason::IMMUTABLE);
        } else if let Acceptance::Unknown(why) = accepted
            && is_in_spec
        {
            edit.effect = Effect::CannotTell;
            reason = Some(why);
        } else if is_unnamed && edit.effect == Effect::Nothing && edit.at.starts_with("spec") {
            edit.effect = Effect::CannotTell;
            reason = Some(reason::NAMED_BY_NOTHING);
        } else if edit.effect == Effect::CannotTell && reason.is_none() {
            reason = Some(if has_no_cluster { reason::NO_CLUSTER } else { reason::reason(&new.id, &edit.at) });
        } else if is_class && edit.effect == Effect::Nothing && is_removed(&edit.at) && is_used(&edit.at) {
            edit.effect = Effect::Refused;
            reason = Some(reason::STILL_USED);
        } else if has_no_cluster && reason.is_none() && edit.effect != Effect::Nothing {
            reason = Some(reason::NO_CLUSTER);
        }
        let mut machines = match edit.effect {
            Effect::Nothing | Effect::InPlace | Effect::Refused => Machines::default(),
            _ if is_template => template::machines_of(before, &classes),
            _ => machines(before, &new.id, &Part::of(&new.id, &edit.at)),
        };
        let deferred = deferred::entries(&new.id, &edit.at, is);
        for (list, entry) in &deferred {
            machines.remove(&reach::machines(before, &new.id, &Part::Entry(list, entry.clone())));
        }
        let deferred = deferred.into_iter().map(|(_, entry)| entry).collect();
        let is_scale = edit.effect == Effect::Scale;
        let scale = is_scale.then(|| replicas::scale(before, &new.id, &edit.at, [was, is])).flatten();
        // Of an unknown number, all are deleted.
        if is_scale && scale.is_none() && scaled(is, &edit.at) != Some(0) {
            reason = reason.or(Some(reason::NO_NUMBER));
        }
        let is_deletion = match edit.effect {
            Effect::Destructive => is_removed(&edit.at),
            effect => effect == Effect::Scale && scale.is_none() && reason.is_none(),
        };
        PlannedEdit { edit, machines, is_deletion, scale, reason: reason.map(Cow::Borrowed), deferred }
    };
    let mut planned: Vec<PlannedEdit> = edits.into_iter().map(planned).collect();
    if new.id.kind == "Cluster" {
        with_other_class(&mut planned, &new.id, [was, is], sides);
    }
    planned.sort_by_key(|planned| Reverse(planned.edit.effect));
    planned
}

/// Replaces the edit that another class is by its effects on the Cluster's Machines, if both classes are known.
fn with_other_class(planned: &mut Vec<PlannedEdit>, cluster: &ObjectId, values: [&Value; 2], sides: Sides<'_>) {
    const PATHS: [&str; 3] = ["spec.topology.classRef", "spec.topology.class", "spec.topology.classNamespace"];
    let is_class = |planned: &PlannedEdit| PATHS.contains(&&*planned.edit.at);
    let Some(edit) = planned.iter().find(|planned| is_class(planned)).map(|planned| planned.edit.clone()) else {
        return;
    };
    match other_class(sides, cluster, values) {
        None => {
            let edits = planned.iter_mut().filter(|planned| is_class(planned));
            edits.for_each(|planned| planned.reason = Some(Cow::Borrowed(reason::NO_CLASS)));
        }
        Some(effects) => {
            planned.retain(|planned| !is_class(planned));
            planned.extend(effects.into_iter().map(|((effect, reason), machines)| {
                let mut edit = edit.clone();
                edit.effect = effect;
                let (reason, deferred) = (reason.map(Cow::Borrowed), Vec::new());
                PlannedEdit { edit, machines, is_deletion: false, scale: None, reason, deferred }
            }));
        }
    }
}
