//! A plan for programs: docs/plan.schema.json describes it.

use fleet::{EntryDifference, Happens, Machines, ObjectId, Plan, Planned, PlannedEdit, PlannedOwner, Unknown, Verdict};
use serde_json::{Value, json};

use super::owners::{effect_name, owners};
use super::words;

/// The version of the format. It changes when something is removed or gets another meaning.
const FORMAT: u8 = 1;

pub(super) fn json(plan: &Plan) -> Value {
    let objects: Vec<Value> = plan.objects.iter().map(|object| planned(plan, object)).collect();
    let further: Vec<Value> = plan.further.iter().map(entry).collect();
    let unknown: Vec<Value> = plan.unknown.iter().map(unknown).collect();
    json!({
        "format": FORMAT,
        "objects": objects,
        "further": further,
        "unknown": unknown,
        "verdict": verdict(&plan.verdict),
    })
}

fn verdict(verdict: &Verdict) -> Value {
    let Verdict { replaces, creates, deletes, orphans, relabels, cloud_tags, cannot_tell, unknown, gravest } = *verdict;
    json!({
        "replaces": replaces,
        "creates": creates,
        "deletes": deletes,
        "orphans": orphans,
        "relabels": relabels,
        "cloudTags": cloud_tags,
        "cannotTell": cannot_tell,
        "unknown": unknown,
        "gravest": gravest,
        "text": words::verdict(verdict),
    })
}

fn object(id: &ObjectId) -> Value {
    json!({ "group": id.group, "kind": id.kind, "namespace": id.namespace, "name": id.name })
}

fn machines(machines: &Machines) -> Value {
    let named: Vec<Value> = machines.named.iter().map(object).collect();
    json!({ "count": machines.count(), "named": named })
}

fn entry(entry: &EntryDifference) -> Value {
    json!({
        "object": object(&entry.id),
        "isAmongTheFiles": !entry.is_predicted,
        "at": entry.at,
        "key": entry.key,
        "from": entry.from,
        "to": entry.to,
    })
}

fn unknown(unknown: &Unknown) -> Value {
    json!({ "object": object(&unknown.id), "isAmongTheFiles": !unknown.is_predicted, "reason": unknown.reason })
}

fn owner(owner: &PlannedOwner) -> Value {
    let because = owner.because.iter().map(|because| {
        json!({
            "kind": because.kind,
            "path": because.path,
            "from": because.from,
            "to": because.to,
            "patch": because.patch,
            "variable": because.variable,
        })
    });
    json!({
        "object": object(&owner.id),
        "effect": effect_name(owner),
        "machines": machines(&owner.machines),
        "reason": owner.reason,
        "because": because.collect::<Vec<Value>>(),
    })
}

fn edit(plan: &Plan, id: &ObjectId, planned: &PlannedEdit) -> Value {
    let scale = planned.scale.map(|(from, to)| json!({ "from": from, "to": to }));
    let owners: Vec<Value> = owners(plan, id, &planned.edit.at).iter().map(owner).collect();
    json!({
        "at": planned.edit.at,
        "effect": planned.edit.effect,
        "machines": machines(&planned.machines),
        "deletesMachines": planned.is_deletion,
        "scale": scale,
        "reason": planned.reason,
        "deferred": planned.deferred,
        "owners": owners,
    })
}

fn planned(plan: &Plan, planned: &Planned) -> Value {
    let happens = match planned.happens {
        Happens::Created => "created",
        Happens::Changed => "changed",
        Happens::Deleted => "deleted",
    };
    let edits: Vec<Value> = planned.edits.iter().map(|it| edit(plan, &planned.id, it)).collect();
    let entries: Vec<Value> = planned.entries.iter().map(entry).collect();
    json!({
        "object": object(&planned.id),
        "happens": happens,
        "effect": planned.effect,
        "machines": machines(&planned.machines),
        "replacedBy": planned.replaced_by.as_ref().map(object),
        "edits": edits,
        "entries": entries,
    })
}
