//! A plan for programs: docs/plan.schema.json describes it.

use fleet::{EntryDifference, Happens, Machines, ObjectId, Plan, Planned, PlannedEdit, PlannedOwner, Unknown, Verdict};
use serde_json::{Value, json};

use super::answer::PlanAnswer;
use super::not_read::{Matters, NotRead};
use super::words;

/// The version of the format. It changes when something is removed or gets another meaning.
const FORMAT: u8 = 1;

pub(super) fn json(answer: &PlanAnswer) -> Value {
    let (mut objects, mut further, mut unknown, mut not_read) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut roots = Vec::new();
    let is_one = answer.roots.len() < 2;
    for root in &answer.roots {
        let Plan { objects: of_root, further: further_of, unknown: unknown_of, .. } = &root.plan;
        let name = (!is_one).then(|| words::root(&root.pair));
        objects.extend(of_root.iter().map(|it| in_root(planned(&root.plan, it), name)));
        further.extend(further_of.iter().map(|it| in_root(entry(it), name)));
        unknown.extend(unknown_of.iter().map(|it| in_root(unknown_object(it), name)));
        not_read.extend(root.not_read.iter().map(|it| in_root(not_compared(it), name)));
        roots.extend(name.map(|name| {
            json!({ "root": name, "isComplete": root.matters() == Matters::No, "verdict": verdict(&root.plan.verdict) })
        }));
    }
    let mut of_all = verdict(&answer.verdict);
    if let Some(fields) = of_all.as_object_mut() {
        fields.insert("text".to_owned(), json!(words::total(answer)));
    }
    json!({
        "format": FORMAT,
        "objects": objects,
        "further": further,
        "unknown": unknown,
        "notRead": not_read,
        "roots": roots,
        "verdict": of_all,
    })
}

/// A part of the answer, with the root that it is about.
fn in_root(mut value: Value, root: Option<&str>) -> Value {
    if let (Some(root), Some(fields)) = (root, value.as_object_mut()) {
        fields.insert("root".to_owned(), json!(root));
    }
    value
}

fn not_compared(NotRead { place, reason, matters }: &NotRead) -> Value {
    let matters = match matters {
        Matters::No => "no",
        Matters::CannotTell => "cannot tell",
        Matters::Unreadable => "unreadable",
    };
    let line = place.position.map(|position| position.line);
    json!({ "file": place.file, "line": line, "reason": reason, "matters": matters })
}

fn verdict(verdict: &Verdict) -> Value {
    let Verdict {
        replaces,
        creates,
        deletes,
        orphans,
        outdates,
        relabels,
        cloud_tags,
        uncounted,
        refused,
        cannot_tell,
        unknown,
        gravest,
    } = *verdict;
    json!({
        "replaces": replaces,
        "creates": creates,
        "deletes": deletes,
        "orphans": orphans,
        "outdates": outdates,
        "relabels": relabels,
        "cloudTags": cloud_tags,
        "uncounted": {
            "replaces": uncounted.replaces,
            "creates": uncounted.creates,
            "deletes": uncounted.deletes,
            "orphans": uncounted.orphans,
            "outdates": uncounted.outdates,
        },
        "refused": refused,
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
    let uncounted: Vec<Value> = machines.uncounted.iter().map(object).collect();
    json!({ "count": machines.count(), "named": named, "uncounted": uncounted })
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

fn unknown_object(unknown: &Unknown) -> Value {
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
        "effect": owner.effect_name(),
        "machines": machines(&owner.machines),
        "reason": owner.reason,
        "because": because.collect::<Vec<Value>>(),
    })
}

fn edit(plan: &Plan, id: &ObjectId, planned: &PlannedEdit) -> Value {
    let scale = planned.scale.map(|(from, to)| json!({ "from": from, "to": to }));
    let owners: Vec<Value> = plan.owners_of(id, &planned.edit.at).iter().map(owner).collect();
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
