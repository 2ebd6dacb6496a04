//! A plan for programs: docs/plan.schema.json describes it.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{
    EditRef, EntryDifference, Happens, Later, Machines, ObjectId, Plan, PlanNote, Planned, PlannedEdit, PlannedOwner,
    ReachedResource, TagChange, TagFate, TaggedObject, Unknown, Verdict, WaitsFor,
};
use serde_json::{Value, json};

use super::answer::{PlanAnswer, RootAnswer};
use super::not_read::{Matters, NotRead};
use super::words;
use crate::applied::Entry;

/// The version of the format. It changes when something is removed or gets another meaning.
const FORMAT: u8 = 2;

pub(super) fn json(answer: &PlanAnswer) -> Value {
    let [mut objects, mut owners, mut notes, mut further, mut tags, mut unknown, mut not_read, mut roots] =
        [const { Vec::new() }; 8];
    let is_one = answer.roots.len() < 2;
    for root in &answer.roots {
        let Plan { objects: of_root, owners: owners_of, further: further_of, unknown: unknown_of, .. } = &root.plan;
        let name = (!is_one).then(|| words::root(&root.pair));
        let tagged = &root.plan.tags;
        let by_id: BTreeMap<&ObjectId, &TaggedObject> = tagged.iter().map(|it| (&it.id, it)).collect();
        let tags_of = |it: &Planned| by_id.get(&it.id).into_iter().flat_map(|it| it.entries()).collect();
        objects.extend(of_root.iter().map(|it| in_root(planned(it, tags_of(it)), name)));
        owners.extend(owners_of.iter().map(|it| in_root(owner(it), name)));
        notes.extend(root.plan.notes.iter().map(|it| in_root(note(it), name)));
        further.extend(further_of.iter().map(|it| in_root(entry(it), name)));
        let edited: BTreeSet<&ObjectId> = of_root.iter().map(|planned| &planned.id).collect();
        let is_further = |it: &&TaggedObject| !edited.contains(&it.id);
        let of_tags = tagged.iter().filter(is_further).flat_map(TaggedObject::entries);
        further.extend(of_tags.map(|it| in_root(entry(&it), name)));
        tags.extend(tagged.iter().map(|it| in_root(tagged_object(it), name)));
        unknown.extend(unknown_of.iter().map(|it| in_root(unknown_object(it), name)));
        not_read.extend(root.not_read.iter().map(|it| in_root(not_compared(it), name)));
        roots.extend(name.map(|name| {
            json!({ "root": name, "isComplete": root.matters() <= Matters::Waits, "verdict": verdict(&root.plan.verdict, root.others()) })
        }));
    }
    let others = answer.roots.iter().map(RootAnswer::others).sum();
    let mut of_all = verdict(&answer.verdict, others);
    if let Some(fields) = of_all.as_object_mut() {
        fields.insert("text".to_owned(), json!(words::total(answer)));
    }
    let entries = answer.entries.iter().map(|(folder, why)| {
        let why = match why {
            Entry::Root => "root",
            Entry::Named => "named",
            Entry::Top => "top",
        };
        json!({ "folder": folder, "why": why })
    });
    json!({
        "format": FORMAT,
        "entryPoints": entries.collect::<Vec<Value>>(),
        "objects": objects,
        "owners": owners,
        "notes": notes,
        "further": further,
        "tags": tags,
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

fn not_compared(NotRead { place, reason, matters, .. }: &NotRead) -> Value {
    let matters = match matters {
        Matters::No => "no",
        Matters::Waits => "waits",
        Matters::CannotTell => "cannot tell",
        Matters::Unreadable => "unreadable",
    };
    let line = place.position.map(|position| position.line);
    json!({ "file": place.file, "line": line, "reason": reason, "matters": matters })
}

fn verdict(verdict: &Verdict, others: usize) -> Value {
    let mut value = json!(verdict);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("text".to_owned(), json!(words::verdict(verdict, others)));
    }
    value
}

fn object(id: &ObjectId) -> Value {
    json!({ "group": id.group, "kind": id.kind, "namespace": id.namespace, "name": id.name })
}

fn machines(machines: &Machines) -> Value {
    let named: Vec<Value> = machines.named.iter().map(object).collect();
    let uncounted: Vec<Value> = machines.uncounted.iter().map(object).collect();
    json!({ "count": machines.count(), "named": named, "uncounted": uncounted })
}

fn later(later: Option<&Later>) -> Value {
    later.map_or(Value::Null, |Later { effect, waits_for }| json!({ "effect": effect, "waitsFor": waits_for.name() }))
}

fn entry(entry: &EntryDifference) -> Value {
    json!({
        "object": object(&entry.id),
        "isAmongTheFiles": !entry.is_predicted,
        "at": entry.at.to_string(),
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
            "edits": because.edits.iter().map(reference).collect::<Vec<Value>>(),
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
        "cluster": object(&owner.cluster),
        "part": owner.part.as_ref().map(ToString::to_string),
        "effect": owner.effect_name(),
        "later": later(owner.later.as_ref()),
        "machines": machines(&owner.machines),
        "steps": owner.steps,
        "reason": owner.reason,
        "edits": owner.edits.iter().map(reference).collect::<Vec<Value>>(),
        "because": because.collect::<Vec<Value>>(),
    })
}

fn note(note: &PlanNote) -> Value {
    let objects: Vec<Value> = note.objects().into_iter().map(object).collect();
    json!({ "about": note.name(), "objects": objects, "text": note.to_string() })
}

fn reference(edit: &EditRef) -> Value {
    json!({ "object": object(&edit.id), "at": edit.at.to_string() })
}

fn edit(planned: &PlannedEdit) -> Value {
    let scale = planned.scale.map(|(from, to)| json!({ "from": from, "to": to }));
    json!({
        "at": planned.at.to_string(),
        "effect": planned.effect,
        "later": later(planned.later.as_ref()),
        "machines": machines(&planned.machines),
        "waiting": machines(&planned.waiting),
        "deletesMachines": planned.is_deletion,
        "scale": scale,
        "reason": planned.reason,
        "deferred": planned.deferred,
        "changesNoOwner": planned.changes_no_owner,
    })
}

fn tagged_object(tagged: &TaggedObject) -> Value {
    let resource = |resource: &ReachedResource| {
        let (effect, reason) = match &resource.fate {
            TagFate::InPlace => ("in place", None),
            TagFate::Created => ("created", None),
            TagFate::Deleted => ("deleted", None),
            TagFate::Never(reason) => ("no effect", Some(reason.to_string())),
            TagFate::Waits(waits_for) => ("waits", Some(waits_for.to_string())),
            TagFate::Refused(reason) => ("refused", Some(reason.clone())),
            TagFate::CannotTell(reason) => ("cannot tell", Some(reason.clone())),
        };
        json!({
            "composition": resource.composition.name,
            "name": resource.name,
            "group": resource.group,
            "kind": resource.kind,
            "field": resource.field,
            "changes": tag_changes(&resource.changes, "by"),
            "effect": effect,
            "reason": reason,
        })
    };
    json!({
        "object": object(&tagged.id),
        "at": tagged.at,
        "isClaim": tagged.is_claim,
        "isCreated": tagged.happens == Happens::Created,
        "isDeleted": tagged.happens == Happens::Deleted,
        "waitsFor": tagged.later.map(WaitsFor::name),
        "because": tagged.because,
        "changes": tag_changes(&tagged.changes, "reason"),
        "resources": tagged.resources.iter().map(resource).collect::<Vec<Value>>(),
        "cannotTell": tagged.unknown,
    })
}

fn tag_changes(changes: &[TagChange], reason: &str) -> Vec<Value> {
    let of =
        |change: &TagChange| json!({ "key": change.key, "from": change.from, "to": change.to, reason: change.reason });
    changes.iter().map(of).collect()
}

fn planned(planned: &Planned, of_tags: Vec<EntryDifference>) -> Value {
    let happens = match planned.happens {
        Happens::Created => "created",
        Happens::Changed => "changed",
        Happens::Deleted => "deleted",
    };
    let edits: Vec<Value> = planned.edits.iter().map(edit).collect();
    let entries: Vec<Value> = planned.entries.iter().chain(&of_tags).map(entry).collect();
    json!({
        "object": object(&planned.id),
        "happens": happens,
        "effect": planned.effect,
        "later": later(planned.later.as_ref()),
        "machines": machines(&planned.machines),
        "replacedBy": planned.replaced_by.as_ref().map(object),
        "edits": edits,
        "entries": entries,
    })
}
