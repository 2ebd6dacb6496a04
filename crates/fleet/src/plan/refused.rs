//! Refusals of webhooks as effects of a plan.

use std::borrow::Cow;
use std::cmp::Reverse;

use metadata_propagation::{Effect, RolloutEdit};
use serde_json::Value;

use super::reach::Machines;
use super::{Planned, PlannedEdit};
use crate::hierarchy::Hierarchy;
use crate::object::{FleetObject, ObjectId};
use crate::refusal::{Refusal, of_edit, of_object, skipped_by_topology};
use crate::relations::class_of;

/// Adds what a webhook refuses in a new or changed object. An edit of a refused field has no other effect.
pub(super) fn add(planned: &mut Planned, old: Option<&FleetObject>, new: &FleetObject, after: &Hierarchy) {
    if !crate::refusal::has_rules(&new.id) {
        return;
    }
    let value = |object: &FleetObject| serde_json::from_str::<Value>(&object.json).unwrap_or_default();
    let is = value(new);
    let refusals = match old.map(value) {
        None => of_object(&new.id, &is),
        Some(was) => {
            let class = || class(&new.id, &is, after);
            let skipped = skipped_by_topology(&was, &is).filter(|_| class().is_some_and(|class| !chains(class)));
            of_edit(&new.id, &was, &is).into_iter().chain(skipped).collect()
        }
    };
    for Refusal { at, message } in refusals {
        let reason = Some(Cow::Owned(message));
        let is_below = |path: &str| path.strip_prefix(&*at).is_some_and(|rest| rest.starts_with(['.', '[']));
        planned.edits.retain(|planned| !is_below(&planned.edit.at));
        match planned.edits.iter_mut().find(|planned| planned.edit.at == at) {
            Some(planned) => {
                planned.edit.effect = Effect::Refused;
                (planned.machines, planned.scale, planned.reason) = (Machines::default(), None, reason);
            }
            None => planned.edits.push(PlannedEdit {
                edit: RolloutEdit::refused(at),
                machines: Machines::default(),
                is_deletion: false,
                scale: None,
                reason,
                deferred: Vec::new(),
            }),
        }
    }
    planned.edits.sort_by_key(|planned| Reverse(planned.edit.effect));
}

fn class<'h>(cluster: &ObjectId, value: &Value, hierarchy: &'h Hierarchy) -> Option<&'h Value> {
    let (name, namespace) = class_of(value)?;
    let namespace = namespace.unwrap_or(&cluster.namespace).to_owned();
    let id = ObjectId { kind: "ClusterClass".to_owned(), namespace, name: name.to_owned(), ..cluster.clone() };
    hierarchy.number(&id).and_then(|number| hierarchy.member(number)).map(|class| &*class.written)
}

/// Whether a class lets its Clusters upgrade over several minor versions: it lists versions, or an extension plans them.
fn chains(class: &Value) -> bool {
    let versions = class.pointer("/spec/kubernetesVersions").and_then(Value::as_array);
    versions.is_some_and(|versions| !versions.is_empty())
        || class.pointer("/spec/upgrade/external/generateUpgradePlanExtension").is_some_and(Value::is_string)
}
