//! What a change of manifests does: to each object, to the Machines below it, and to the labels further down.

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::{Edit, Effect, Mode, Operation, Review, Settings, Stance, evaluate};
use serde_json::Value;

use crate::fleet::Fleet;
use crate::object::{Object, ObjectId};
use crate::way::blocks;
use crate::world::{Member, World};

/// What a change of manifests does.
#[derive(Debug)]
pub struct Plan {
    /// The objects that are created, changed or deleted, in the order of the new files, the deleted last.
    pub objects: Vec<Planned>,
    /// Labels, annotations and cloud tags that arrive, change or leave further down, in objects whose own manifest does not change.
    pub further: Vec<Entry>,
}

/// One object that a change is about.
#[derive(Debug)]
pub struct Planned {
    /// What it is called.
    pub id: ObjectId,
    /// What happens to it.
    pub happens: Happens,
    /// What each edit does, the gravest first.
    pub edits: Vec<PlannedEdit>,
    /// Labels and annotations in it that arrive, change or leave, the rules' part included.
    pub entries: Vec<Entry>,
}

/// What happens to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happens {
    /// It is new.
    Created,
    /// It is another than before.
    Changed,
    /// It is gone, and with it what is below it.
    Deleted,
}

/// One path that differs.
#[derive(Debug)]
pub struct PlannedEdit {
    /// Path and effect, as the policy tells them.
    pub edit: Edit,
    /// The Machines below the path, as far as they are among the files.
    pub machines: Vec<ObjectId>,
}

/// A label or annotation that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The object.
    pub id: ObjectId,
    /// Whether the object is not among the files.
    pub is_foretold: bool,
    /// The map.
    pub at: String,
    /// The key.
    pub key: String,
    /// The value before; `None` where it arrives.
    pub from: Option<String>,
    /// The value after; `None` where it leaves.
    pub to: Option<String>,
}

impl Plan {
    /// What becomes of the objects of `old` when those of `new` take their place.
    #[must_use]
    pub fn of(old: &Fleet, new: &Fleet, settings: &Settings) -> Plan {
        let mut settings = Settings { mode: Mode::Mutate, ..settings.clone() };
        // Whatever the setting is: a plan tells of rollouts.
        settings.cluster_api.rollout = Stance::Warn;
        let (before, after) = (World::of(old, &settings), World::of(new, &settings));
        let mut entries = differences(&before, &after);
        let mut objects = Vec::new();
        let same = |a: &Object, b: &Object| {
            let parsed = |object: &Object| serde_json::from_str::<Value>(&object.json).ok();
            a.json == b.json || parsed(a) == parsed(b)
        };
        for object in new.objects() {
            let stored = old.find(&object.id);
            if stored.is_some_and(|stored| same(stored, object)) {
                continue;
            }
            let edits = stored.map(|stored| edits(stored, object, &settings, &before, &after)).unwrap_or_default();
            let happens = if stored.is_some() { Happens::Changed } else { Happens::Created };
            let entries = entries.remove(&object.id).unwrap_or_default();
            objects.push(Planned { id: object.id.clone(), happens, edits, entries });
        }
        for object in old.objects().filter(|object| new.find(&object.id).is_none()) {
            entries.remove(&object.id);
            let (id, happens) = (object.id.clone(), Happens::Deleted);
            objects.push(Planned { id, happens, edits: Vec::new(), entries: Vec::new() });
        }
        // From the top down, as labels go.
        let order = after.in_order();
        let members = order.into_iter().filter_map(|number| after.member(number));
        let further = members.filter_map(|member| entries.remove(&member.id)).flatten().collect();
        Plan { objects, further }
    }

    /// Whether nothing happens at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.further.is_empty()
    }
}

fn edits(old: &Object, new: &Object, settings: &Settings, before: &World, after: &World) -> Vec<PlannedEdit> {
    let review = Review { operation: Operation::Update, old_object: Some(&old.json), ..new.review() };
    let report = evaluate(&review, settings, after).report.unwrap_or_default();
    let edits = report.rollout.map(|impact| impact.edits).unwrap_or_default();
    let planned = |edit: Edit| {
        let replaces = !matches!(edit.effect, Effect::Nothing | Effect::InPlace);
        let machines = if replaces { machines(before, &new.id, &edit.at) } else { Vec::new() };
        PlannedEdit { edit, machines }
    };
    edits.into_iter().map(planned).collect()
}

/// The Machines below an object; of a topology those of the entry that a path leads through.
fn machines(world: &World, id: &ObjectId, at: &str) -> Vec<ObjectId> {
    let Some(top) = world.members().iter().position(|member| member.id == *id) else { return Vec::new() };
    let entry = ["machineDeployments[", "machinePools["].iter().find_map(|list| {
        let (_, rest) = at.split_once(list)?;
        rest.split_once(']').map(|(name, _)| name)
    });
    let is_control_plane = at.contains("controlPlane");
    let leads_to = |member: &Member| {
        let labels = member.written.pointer("/metadata/labels");
        let label = |key: &str| labels.and_then(|labels| labels.get(key)).and_then(Value::as_str);
        let name =
            label("topology.cluster.x-k8s.io/deployment-name").or_else(|| label("topology.cluster.x-k8s.io/pool-name"));
        match entry {
            Some(entry) => name == Some(entry),
            None => !is_control_plane || member.id.group == "controlplane.cluster.x-k8s.io",
        }
    };
    let mut found = Vec::new();
    let is_of_topology = id.kind == "Cluster";
    let mut next: Vec<usize> = world.member(top).map(|member| member.children.clone()).unwrap_or_default();
    if is_of_topology {
        next.retain(|number| world.member(*number).is_some_and(leads_to));
    }
    while let Some(number) = next.pop() {
        let Some(member) = world.member(number) else { continue };
        if member.id.kind == "Machine" && member.origin.is_some() {
            found.push(member.id.clone());
        }
        next.extend(&member.children);
    }
    found.sort();
    found.dedup();
    found
}

/// The labels, annotations and cloud tags that differ between two worlds, by object; of objects that are in both.
fn differences(before: &World, after: &World) -> BTreeMap<ObjectId, Vec<Entry>> {
    let maps = |member: &Member| -> BTreeMap<(String, String), String> {
        let object = member.completed();
        let mut found = Vec::new();
        blocks(&object, String::new(), &mut found);
        let tags = object.pointer("/spec/cloudTags").and_then(Value::as_object);
        found.extend(tags.map(|tags| ("spec.cloudTags".to_owned(), tags)));
        let entries = found.into_iter().flat_map(|(at, map)| {
            map.iter().filter_map(move |(key, value)| Some(((at.clone(), key.clone()), value.as_str()?.to_owned())))
        });
        entries.collect()
    };
    let old: BTreeMap<&ObjectId, &Member> = before.members().iter().map(|member| (&member.id, member)).collect();
    let mut found = BTreeMap::new();
    for member in after.members() {
        let Some(stored) = old.get(&member.id) else { continue };
        let (was, is) = (maps(stored), maps(member));
        let keys: BTreeSet<&(String, String)> = was.keys().chain(is.keys()).collect();
        let entries = keys.into_iter().filter(|key| was.get(*key) != is.get(*key)).map(|key| Entry {
            id: member.id.clone(),
            is_foretold: member.origin.is_none(),
            at: key.0.clone(),
            key: key.1.clone(),
            from: was.get(key).cloned(),
            to: is.get(key).cloned(),
        });
        let entries: Vec<Entry> = entries.collect();
        if !entries.is_empty() {
            found.insert(member.id.clone(), entries);
        }
    }
    found
}
