//! What a change reaches: only that is compared, however many other objects there are.

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::cluster_api::CORE_GROUP;

use super::is_same;
use crate::each::each;
use crate::fleet::Fleet;
use crate::object::{FleetObject, ObjectId};

/// The parts of two fleets that differ, with everything that is made from them or that they are made from. `None` if that
/// may be everything.
///
/// Objects are related if one names the other. A class or template that does not differ is read by what names it, and
/// relates nothing else.
pub(super) fn reached(old: &Fleet, new: &Fleet) -> Option<[Fleet; 2]> {
    let differs = |object: &FleetObject| old.find(&object.id).is_none_or(|stored| !is_same(stored, object));
    let objects: Vec<&FleetObject> = new.objects().collect();
    let changed = each(&objects, |object| differs(object).then_some(&object.id)).into_iter().flatten();
    let deleted = old.objects().map(|object| &object.id).filter(|id| new.find(id).is_none());
    let changed: BTreeSet<&ObjectId> = changed.chain(deleted).collect();
    // To find what a change of most objects reaches is more work than it saves.
    if changed.len() > objects.len() / 2 {
        return None;
    }
    // They apply to objects that do not name them.
    if changed.iter().any(|id| applies_to_all(id)) {
        return None;
    }
    let objects: Vec<&FleetObject> = old.objects().chain(objects).collect();
    let names = NamedObjects::of(&objects);
    let mut reached: BTreeSet<&ObjectId> = BTreeSet::new();
    let mut next: Vec<&ObjectId> = changed.iter().copied().collect();
    while let Some(id) = next.pop() {
        if reached.insert(id) {
            // What a definition names is only read.
            let related = names.naming(id).chain(names.named(id).filter(|_| !is_definition(id)));
            next.extend(related.filter(|related| is_definition(id) || !is_definition(related)));
        }
    }
    let mut read: Vec<&ObjectId> = reached.iter().copied().collect();
    while let Some(id) = read.pop() {
        for definition in names.named(id).filter(|named| is_definition(named)) {
            if reached.insert(definition) {
                read.push(definition);
            }
        }
    }
    let is_kept = |object: &FleetObject| reached.contains(&object.id) || applies_to_all(&object.id);
    Some([old, new].map(|fleet| fleet.part(is_kept, |_| true)))
}

/// Which objects name which.
struct NamedObjects<'f> {
    named: BTreeMap<&'f ObjectId, BTreeSet<&'f ObjectId>>,
    naming: BTreeMap<&'f ObjectId, BTreeSet<&'f ObjectId>>,
}

impl<'f> NamedObjects<'f> {
    fn of(objects: &[&'f FleetObject]) -> NamedObjects<'f> {
        let related: Vec<&FleetObject> = objects.iter().copied().filter(|object| is_related(&object.id)).collect();
        let mut by_name: BTreeMap<&str, BTreeSet<&ObjectId>> = BTreeMap::new();
        for object in &related {
            by_name.entry(&object.id.name).or_default().insert(&object.id);
        }
        let found = each(&related, |object| {
            // Quotes in texts are escaped, so keys and texts are not every other part.
            let words: BTreeSet<&str> = object.json.split('"').collect();
            words.into_iter().filter_map(|word| by_name.get(word)).flatten().copied().collect::<Vec<_>>()
        });
        let mut names = NamedObjects { named: BTreeMap::new(), naming: BTreeMap::new() };
        for (object, found) in related.iter().zip(found) {
            for named in found.into_iter().filter(|named| **named != object.id) {
                names.named.entry(&object.id).or_default().insert(named);
                names.naming.entry(named).or_default().insert(&object.id);
            }
        }
        names
    }

    fn named(&self, id: &ObjectId) -> impl Iterator<Item = &'f ObjectId> {
        self.named.get(id).into_iter().flatten().copied()
    }

    fn naming(&self, id: &ObjectId) -> impl Iterator<Item = &'f ObjectId> {
        self.naming.get(id).into_iter().flatten().copied()
    }
}

/// Whether labels propagate between objects of this kind and others.
fn is_related(id: &ObjectId) -> bool {
    let is_cluster_api = id.group.strip_suffix(CORE_GROUP).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    is_cluster_api || id.group.is_empty() && id.kind == "Node"
}

/// Whether others are made from objects of this kind, and not the other way round.
fn is_definition(id: &ObjectId) -> bool {
    id.kind == "ClusterClass" || id.kind.ends_with("Template")
}

/// Label registries, and what Crossplane defines and composes.
fn applies_to_all(id: &ObjectId) -> bool {
    ["labels.plexsphere.com", "apiextensions.crossplane.io"].contains(&&*id.group)
}
