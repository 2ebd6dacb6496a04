//! What a change reaches: only that is compared, however many other objects there are, and in parts that have nothing to do
//! with each other, because what is computed about objects takes more memory than they do.

use std::collections::{BTreeSet, HashMap};

use super::same::is_same;
use super::topology::redefined;
use super::whole;
use crate::each::each;
use crate::fleet::Fleet;
use crate::object::{FleetObject, ObjectId};

/// About the number of objects of a part; it is larger if more are related.
pub(super) const PART: usize = 1024;

/// The number of parts that are compared at once.
pub(super) const AT_ONCE: usize = 2;

/// The parts of two fleets that differ, each with everything that is made from it or that it is made from: numbers of the
/// objects of either. `None` if everything has to be compared at once.
///
/// Objects are related if one names the other. A class or template that does not differ is read by what names it, and
/// relates nothing else.
pub(super) fn parts(old: &Fleet, new: &Fleet, size: usize) -> Option<Vec<[Vec<usize>; 2]>> {
    let sides = [old, new].map(|fleet| fleet.objects().collect::<Vec<&FleetObject>>());
    let [stored, objects] = &sides;
    let differs =
        |object: &FleetObject| old.find(&object.id).is_none_or(|stored| !is_same([&stored.json, &object.json]));
    let changed = each(objects, |object| differs(object).then_some(&object.id)).into_iter().flatten();
    let deleted = stored.iter().map(|object| &object.id).filter(|id| new.find(id).is_none());
    let changed: Vec<&ObjectId> = changed.chain(deleted).chain(redefined(old, new)).collect();
    // To find what a change of most objects reaches is more work than it saves, unless there are many.
    if changed.len() > objects.len() / 2 && objects.len() <= size {
        return None;
    }
    // A Namespace contains objects that do not name it.
    let is_whole = |id: &ObjectId| old.find(id).is_none() || new.find(id).is_none();
    if changed.iter().any(|id| whole::is_namespace(id) && is_whole(id)) {
        return None;
    }
    let relations = Relations::of(&sides);
    let numbers = sides.each_ref().map(|objects| each(objects, |object| relations.number(&object.id)));
    let fitting = |wanted: &[bool], numbers: &[Option<usize>]| {
        let is_wanted = |number: &Option<usize>| number.and_then(|number| wanted.get(number)) == Some(&true);
        numbers.iter().enumerate().filter(|(_, number)| is_wanted(number)).map(|(at, _)| at).collect()
    };
    let groups = relations.groups(&changed, size).into_iter().map(|group| {
        let wanted = relations.with_what_it_reads(&group);
        numbers.each_ref().map(|numbers| fitting(&wanted, numbers))
    });
    Some(groups.collect())
}

/// Which objects name which, by number.
struct Relations<'f> {
    /// In order.
    ids: Vec<&'f ObjectId>,
    named: Vec<Vec<usize>>,
    naming: Vec<Vec<usize>>,
}

impl<'f> Relations<'f> {
    fn of(sides: &[Vec<&'f FleetObject>; 2]) -> Relations<'f> {
        let mut ids: Vec<&ObjectId> = sides.iter().flatten().map(|object| &object.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut by_name: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (number, id) in ids.iter().enumerate().filter(|(_, id)| is_related(id)) {
            by_name.entry((&id.kind, &id.name)).or_default().push(number);
        }
        let related: Vec<&FleetObject> = sides.iter().flatten().copied().filter(|it| is_related(&it.id)).collect();
        let found = each(&related, |object| {
            let own = ids.binary_search(&&object.id).ok()?;
            let is_near = |number: &usize| {
                let other = ids.get(*number);
                *number != own && other.is_some_and(|other| is_definition(other) || is_near(&object.id, other))
            };
            let references = object.references();
            let named = references.iter().filter_map(|id| by_name.get(&(&*id.kind, &*id.name))).flatten().copied();
            Some((own, named.filter(is_near).collect::<BTreeSet<usize>>()))
        });
        let mut named: Vec<Vec<usize>> = ids.iter().map(|_| Vec::new()).collect();
        let mut naming = named.clone();
        for (own, found) in found.into_iter().flatten() {
            let Some(known) = named.get_mut(own) else { continue };
            for number in found {
                // The object may be on both sides.
                if !known.contains(&number) {
                    known.push(number);
                    naming.get_mut(number).into_iter().for_each(|naming| naming.push(own));
                }
            }
        }
        Relations { ids, named, naming }
    }

    fn number(&self, id: &ObjectId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    fn is_definition(&self, number: usize) -> bool {
        self.ids.get(number).is_some_and(|id| is_definition(id))
    }

    fn named(&self, number: usize) -> impl Iterator<Item = usize> {
        self.named.get(number).into_iter().flatten().copied()
    }

    fn naming(&self, number: usize) -> impl Iterator<Item = usize> {
        self.naming.get(number).into_iter().flatten().copied()
    }

    /// The definitions that change, and those that name them.
    fn changed_definitions(&self, changed: &[&ObjectId]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let numbers = changed.iter().filter_map(|id| self.number(id));
        let mut next: Vec<usize> = numbers.filter(|number| self.is_definition(*number)).collect();
        while let Some(number) = next.pop() {
            if found.insert(number) {
                next.extend(self.naming(number).filter(|naming| self.is_definition(*naming)));
            }
        }
        found
    }

    /// What the changed objects reach, in groups of about this size without relations between them.
    fn groups(&self, changed: &[&ObjectId], size: usize) -> Vec<Vec<usize>> {
        let definitions = self.changed_definitions(changed);
        let mut reached: Vec<bool> = self.ids.iter().map(|_| false).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for start in changed.iter().filter_map(|id| self.number(id)) {
            let (mut group, mut next) = (Vec::new(), vec![start]);
            while let Some(number) = next.pop() {
                let Some(is_reached) = reached.get_mut(number).filter(|is_reached| !**is_reached) else { continue };
                *is_reached = true;
                group.push(number);
                let is_definition = self.is_definition(number);
                // What a definition names is only read, unless that changes as well.
                let named = self.named(number).filter(|named| !is_definition || definitions.contains(named));
                let related = self.naming(number).chain(named);
                next.extend(related.filter(|related| !self.is_definition(*related) || definitions.contains(related)));
            }
            match groups.last_mut().filter(|last| last.len() + group.len() <= size) {
                Some(last) => last.append(&mut group),
                None => groups.push(group),
            }
        }
        groups
    }

    /// The objects of a group, the definitions that they read, and what applies to all.
    fn with_what_it_reads(&self, group: &[usize]) -> Vec<bool> {
        let mut wanted: Vec<bool> = self.ids.iter().map(|id| id.applies_to_all()).collect();
        let mut next = group.to_vec();
        while let Some(number) = next.pop() {
            if let Some(is_wanted) = wanted.get_mut(number).filter(|is_wanted| !**is_wanted) {
                *is_wanted = true;
                next.extend(self.named(number).filter(|named| self.is_definition(*named)));
            }
        }
        wanted
    }
}

/// Whether objects may name each other: in one namespace, or one of them in none.
fn is_near(one: &ObjectId, other: &ObjectId) -> bool {
    one.namespace == other.namespace || one.namespace.is_empty() || other.namespace.is_empty()
}

/// Whether labels propagate between objects of this kind and others.
fn is_related(id: &ObjectId) -> bool {
    id.is_cluster_api() || id.group.is_empty() && id.kind == "Node"
}

/// Whether others are made from objects of this kind, and not the other way round.
fn is_definition(id: &ObjectId) -> bool {
    id.kind == "ClusterClass" || id.is_template()
}
