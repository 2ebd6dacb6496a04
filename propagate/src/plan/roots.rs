//! The roots of a plan: directories and files that define objects of the same name are compared each with itself.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, FleetObject, ObjectId};
use metadata_propagation::Settings;

use crate::Failure;
use crate::classes::{cluster_name, is_definition, is_instance};
use crate::input::Input;
use crate::roots::{definitions, distinct, is_in, is_judged, leaves, parting, trimmed};

/// A root before and after.
pub(super) struct RootPair {
    /// The directory or file, relative to what is compared. Empty if all objects belong together.
    pub(super) root: String,
    /// The directory or file before, if it was moved.
    pub(super) former: Option<String>,
    /// Whether it has the objects that are in no root.
    pub(super) is_rest: bool,
    pub(super) old: Fleet,
    pub(super) new: Fleet,
    /// The roots that objects of this one were in before, with their number.
    pub(super) joined: BTreeMap<String, usize>,
}

/// The manifests before and after, by root. If no roots are named, they are found: where objects of the same name are
/// defined differently, or have Machines.
///
/// # Errors
/// When a named root contains none of the files, or two objects in one root have the same name.
pub(super) fn pairs(inputs: [&Input; 2], named: &[String], settings: &Settings) -> Result<Vec<RootPair>, Failure> {
    let sides = inputs.map(Side::of);
    let [before, after] = &sides;
    let mut roots: BTreeSet<String> = named.iter().map(|root| trimmed(root)).collect();
    for root in &roots {
        let has_any = |side: &Side<'_>| side.names().any(|name| is_in(name, root));
        if !sides.iter().any(has_any) {
            return Err(Failure(format!("--root: none of the files is in `{root}`")));
        }
    }
    if named.is_empty() {
        roots.extend(before.found(settings).chain(after.found(settings)));
        roots.extend(before.unmatched(after, settings).into_iter().chain(after.unmatched(before, settings)));
    }
    let leaves = leaves(&roots);
    if leaves.len() < 2 {
        let root = leaves.first().filter(|_| named.is_empty()).map_or_else(String::new, |root| (*root).clone());
        let [old, new] = sides.each_ref().map(|side| side.fleet.clone());
        distinct_in([&old, &new], settings)?;
        return Ok(vec![RootPair::new(root, false, [old, new])]);
    }
    let mut pairs = Vec::new();
    let mut used: Vec<(String, ObjectId)> = Vec::new();
    for leaf in &leaves {
        let is_of_leaf = |name: &str| roots.iter().filter(|root| is_in(name, root)).all(|root| is_in(leaf, root));
        let parts = sides.each_ref().map(|side| {
            let is_inside = |source| is_in(side.name(source), leaf);
            side.fleet.part(|object| is_of_leaf(side.name(object.origin.source)), is_inside)
        });
        let [old, new] = in_context(&parts, sides.each_ref(), |_, name| !is_in(name, leaf));
        distinct_in([&old, &new], settings)?;
        used.extend(from_around([&old, &new], &sides, |name| is_in(name, leaf)).map(|id| ((*leaf).clone(), id)));
        pairs.push(RootPair::new((*leaf).clone(), false, [old, new]));
    }
    let mut pairs = moved(pairs, &sides);
    let outer: Vec<&str> = roots.iter().filter(|root| !leaves.contains(root)).map(String::as_str).collect();
    let mut rest = outside(&pairs, &sides, (&outer, used), settings)?;
    let is_in_none = |name: &str| !pairs.iter().chain(&rest).any(|pair| pair.has(name));
    let has_unread = |input: &&Input| input.unread().any(|name| is_in_none(relative(name, &input.prefix)));
    if !rest.iter().any(|pair| pair.is_rest) && inputs.iter().any(has_unread) {
        rest.push(RootPair::new(String::new(), true, [Fleet::default(), Fleet::default()]));
    }
    pairs.append(&mut rest);
    let mut pairs = rejoined(pairs);
    pairs.sort_by(|a, b| (a.is_rest, &a.root).cmp(&(b.is_rest, &b.root)));
    Ok(pairs)
}

/// Objects in no root that no root needs, and what they need. Those of a root with others below it are compared separately
/// if another such root has objects of the same name. `used` has what roots need, each with the root.
///
/// # Errors
/// When two of the objects that are compared together have the same name.
fn outside(
    pairs: &[RootPair],
    sides: &[Side<'_>; 2],
    (outer, mut used): (&[&str], Vec<(String, ObjectId)>),
    settings: &Settings,
) -> Result<Vec<RootPair>, Failure> {
    let is_in_none = |name: &str| !pairs.iter().any(|pair| pair.has(name));
    let innermost = |name: &str, of: &[&'_ str]| {
        of.iter().filter(|root| is_in(name, root)).max_by_key(|root| root.len()).map(|root| (*root).to_owned())
    };
    let mut groups = BTreeSet::from([String::new()]);
    for side in sides {
        let names = |object: &FleetObject| Some(side.name(object.origin.source)).filter(|name| is_in_none(name));
        let doubles = side.fleet.doubles().filter(|(first, _)| is_judged(first, settings));
        let names = doubles.flat_map(|(first, later)| [names(first), names(later)]);
        groups.extend(names.flatten().filter_map(|name| innermost(name, outer)));
    }
    let named: Vec<&str> = groups.iter().map(String::as_str).collect();
    let group_of = |name: &str| innermost(name, &named).unwrap_or_default();
    let mut found = Vec::new();
    // What a root needs of those around it is not compared again there.
    for group in groups.iter().rev() {
        let is_used = |object: &FleetObject| used.iter().any(|(root, id)| is_in(root, group) && *id == object.id);
        let is_own = |name: &str| is_in_none(name) && group_of(name) == *group;
        let is_around = |name: &str| is_in_none(name) && is_in(group, &group_of(name));
        let parts = sides.each_ref().map(|side| {
            let name = |object: &FleetObject| side.name(object.origin.source);
            side.fleet.part(|object| is_around(name(object)), |source| is_own(side.name(source)))
        });
        let [old, new] = in_context(&parts, sides.each_ref(), |object, name| !is_own(name) || is_used(object));
        let has_any = |fleet: &Fleet| fleet.objects().any(|object| !is_used(object)) || !fleet.problems().is_empty();
        if has_any(&old) || has_any(&new) {
            distinct_in([&old, &new], settings)?;
            used.extend(from_around([&old, &new], sides, is_own).map(|id| (group.clone(), id)));
            found.push(RootPair::new(group.clone(), group.is_empty(), [old, new]));
        }
    }
    Ok(found)
}

/// The objects of a root that are defined outside it. Others there with the names of its own objects are other objects.
fn from_around<'f>(
    root: [&'f Fleet; 2],
    sides: &'f [Side<'_>; 2],
    is_own: impl Fn(&str) -> bool + Copy + 'f,
) -> impl Iterator<Item = ObjectId> + 'f {
    let of_side = move |(fleet, side): (&'f Fleet, &'f Side<'_>)| {
        fleet.objects().filter(move |object| !is_own(side.name(object.origin.source)))
    };
    root.into_iter().zip(sides).flat_map(of_side).map(|object| object.id.clone())
}

/// Roots that are only before and roots that are only after, as one where the files in them have the same names, and so has
/// the directory: it was moved.
fn moved(pairs: Vec<RootPair>, [before, after]: &[Side<'_>; 2]) -> Vec<RootPair> {
    let files = |side: &Side<'_>, pair: &RootPair| -> BTreeSet<String> {
        let files = side.names().filter_map(|name| name.strip_prefix(&*pair.root));
        files.map(str::to_owned).collect()
    };
    let last = |pair: &RootPair| pair.root.rsplit('/').next().unwrap_or_default().to_owned();
    let (mut gone, mut rest): (Vec<RootPair>, Vec<RootPair>) =
        pairs.into_iter().partition(|pair| files(after, pair).is_empty());
    for pair in rest.iter_mut().filter(|pair| files(before, pair).is_empty()) {
        let is_same = |former: &RootPair| last(former) == last(pair) && files(before, former) == files(after, pair);
        let mut same = gone.iter().enumerate().filter(|(_, former)| is_same(former)).map(|(number, _)| number);
        if let Some(number) = same.next().filter(|_| same.next().is_none()) {
            let former = gone.remove(number);
            (pair.old, pair.former) = (former.old, Some(former.root));
        }
    }
    rest.append(&mut gone);
    rest.sort_by(|a, b| a.root.cmp(&b.root));
    rest
}

/// Objects that one root loses and another one gets are in the one that gets them, before and after: an object is its name,
/// not its folder.
fn rejoined(mut pairs: Vec<RootPair>) -> Vec<RootPair> {
    let mut lost: BTreeMap<&ObjectId, Vec<usize>> = BTreeMap::new();
    let mut gained: BTreeMap<&ObjectId, Vec<usize>> = BTreeMap::new();
    for (number, RootPair { old, new, .. }) in pairs.iter().enumerate() {
        for (from, to, found) in [(old, new, &mut lost), (new, old, &mut gained)] {
            let only = from.objects().filter(|object| to.find(&object.id).is_none());
            only.for_each(|object| found.entry(&object.id).or_default().push(number));
        }
    }
    let mut moves: BTreeMap<(usize, usize), BTreeSet<ObjectId>> = BTreeMap::new();
    for (id, to) in gained {
        if let (Some([from]), [to]) = (lost.get(id).map(Vec::as_slice), &*to) {
            moves.entry((*from, *to)).or_default().insert(id.clone());
        }
    }
    for ((from, to), ids) in moves {
        let Some((source, name)) = pairs.get(from).map(|pair| (pair.old.clone(), pair.root.clone())) else { continue };
        if let Some(pair) = pairs.get_mut(to) {
            pair.old = pair.old.and(&source, |object| ids.contains(&object.id));
            pair.joined.insert(name, ids.len());
        }
        if let Some(pair) = pairs.get_mut(from) {
            pair.old = source.part(|object| !ids.contains(&object.id), |_| true);
        }
    }
    let is_void = |pair: &RootPair| {
        [&pair.old, &pair.new].iter().all(|it| it.objects().next().is_none() && it.problems().is_empty())
    };
    let names: BTreeSet<String> = pairs.iter().flat_map(|pair| pair.joined.keys()).cloned().collect();
    pairs.retain(|pair| pair.is_rest || !names.contains(&pair.root) || !is_void(pair));
    pairs
}

impl RootPair {
    fn new(root: String, is_rest: bool, [old, new]: [Fleet; 2]) -> RootPair {
        RootPair { root, former: None, is_rest, old, new, joined: BTreeMap::new() }
    }

    /// Whether a file is in the root, before or after.
    pub(super) fn has(&self, name: &str) -> bool {
        is_in(name, &self.root) || self.former.as_ref().is_some_and(|former| is_in(name, former))
    }

    /// The name of a file without the directory of the root, so that it is the same before and after a move.
    pub(super) fn inside<'n>(&self, name: &'n str) -> &'n str {
        match &self.former {
            Some(former) => name.strip_prefix(&*self.root).or_else(|| name.strip_prefix(&**former)).unwrap_or(name),
            None => name,
        }
    }
}

/// One side of a plan.
struct Side<'a> {
    fleet: &'a Fleet,
    prefix: &'a str,
    /// The folders whose kustomizations are rendered, and whether it is known what applies them.
    rendered: BTreeMap<&'a str, bool>,
}

impl<'a> Side<'a> {
    fn of(input: &'a Input) -> Side<'a> {
        let folders = input.rendered.iter().map(|folder| relative(folder, &input.prefix));
        let rendered = folders.map(|folder| (folder, !input.applied.appliers_of(folder).is_empty())).collect();
        Side { fleet: &input.fleet, prefix: &input.prefix, rendered }
    }

    /// Where two definitions of an object diverge.
    fn distinguishing(&self, names: [&str; 2]) -> Option<[String; 2]> {
        let are_rendered = names.iter().all(|name| self.rendered.contains_key(name));
        match names {
            [a, b] if are_rendered && a != b && (is_in(a, b) || is_in(b, a)) => Some([a.to_owned(), b.to_owned()]),
            [a, b] => parting(a, b),
        }
    }

    /// The name of a text on both sides.
    fn name(&self, source: usize) -> &'a str {
        relative(self.fleet.sources().get(source).map_or("", |source| &source.name), self.prefix)
    }

    fn names(&self) -> impl Iterator<Item = &'a str> {
        (0..self.fleet.sources().len()).map(|source| self.name(source))
    }

    /// Where the paths of objects with the same name diverge.
    fn found(&self, settings: &Settings) -> impl Iterator<Item = String> {
        let mut roots = BTreeSet::new();
        for all in definitions(self.fleet) {
            for (index, a) in all.iter().enumerate() {
                let is_judged = is_judged(a, settings);
                for b in all.iter().skip(index + 1) {
                    let names = [a, b].map(|object| self.name(object.origin.source));
                    // What two entry points render alike is one object.
                    let are_rendered = names.iter().all(|name| self.rendered.contains_key(name));
                    let differ = a.json != b.json;
                    if are_rendered && differ || !are_rendered && is_judged && (differ || is_instance(&a.id)) {
                        roots.extend(self.distinguishing(names).into_iter().flatten());
                    }
                }
            }
        }
        roots.into_iter()
    }
}

impl Side<'_> {
    /// Where the paths of objects that are defined more often than on the other side diverge: some of them are created or
    /// deleted, even if all are equal.
    fn unmatched(&self, other: &Side<'_>, settings: &Settings) -> BTreeSet<String> {
        let mut known: BTreeMap<&ObjectId, usize> = BTreeMap::new();
        for (first, _) in other.fleet.doubles() {
            *known.entry(&first.id).or_default() += 1;
        }
        let mut roots = BTreeSet::new();
        for all in definitions(self.fleet) {
            let Some(first) = all.first().filter(|first| is_judged(first, settings)) else { continue };
            let paths: Vec<&str> = all.iter().map(|it| self.name(it.origin.source)).collect();
            if paths.iter().any(|path| self.rendered.get(path) == Some(&true)) {
                continue;
            }
            let others = other.fleet.find(&first.id).map(|_| known.get(&first.id).copied().unwrap_or_default());
            if others.is_some_and(|others| others + 1 < all.len()) {
                let pairs = paths.iter().enumerate().flat_map(|(at, a)| paths.iter().skip(at + 1).map(move |b| (a, b)));
                roots.extend(pairs.filter_map(|(a, b)| self.distinguishing([a, b])).flatten());
            }
        }
        roots
    }
}

/// # Errors
/// When an object of a root is defined twice in different ways.
fn distinct_in(sides: [&Fleet; 2], settings: &Settings) -> Result<(), Failure> {
    let result = sides.into_iter().try_for_each(|side| distinct(side, settings));
    result.map_err(|Failure(problem)| {
        Failure(format!("{problem}; name the directory or file of each of them with `--root`"))
    })
}

/// A name without the part that the other side does not have.
pub(super) fn relative<'n>(name: &'n str, prefix: &str) -> &'n str {
    if name == prefix.trim_end_matches('/') {
        return "";
    }
    name.strip_prefix(prefix).unwrap_or(name)
}

/// Both sides with those others, by objects and the names of their files, that one of them needs: what is no longer needed is
/// not deleted.
fn in_context(parts: &[Fleet; 2], sides: [&Side<'_>; 2], is_other: impl Fn(&FleetObject, &str) -> bool) -> [Fleet; 2] {
    let [before, after] = sides;
    let is_other = |object: &FleetObject, side: &Side<'_>| is_other(object, side.name(object.origin.source));
    let [old, new] = parts;
    let mut others = needed(old, |object| is_other(object, before));
    others.extend(needed(new, |object| is_other(object, after)));
    let kept = |part: &Fleet, side| {
        let own = part.objects().filter(|object| !is_other(object, side)).map(|object| object.id.clone());
        let own: BTreeSet<ObjectId> = own.collect();
        part.part(|it| !is_other(it, side) || others.contains(&it.id) && !own.contains(&it.id), |_| true)
    };
    [kept(old, before), kept(new, after)]
}

/// The names of those others among some objects that the objects need, directly or not: what they name, such as a class and its
/// templates, and kinds that apply to all.
fn needed(part: &Fleet, is_other: impl Fn(&FleetObject) -> bool) -> BTreeSet<ObjectId> {
    let (others, own): (Vec<&FleetObject>, Vec<&FleetObject>) = part.objects().partition(|object| is_other(object));
    let applies = |object: &&FleetObject| object.id.applies_to_all();
    let (mut needed, mut others): (Vec<&FleetObject>, Vec<&FleetObject>) = others.into_iter().partition(applies);
    let (mut named, mut clusters) = (BTreeSet::new(), BTreeSet::new());
    let mut next = own;
    while !next.is_empty() {
        for object in &next {
            named.extend(object.references().into_iter().map(|id| (id.group, id.kind, id.name)));
            clusters.extend(cluster_name(object));
        }
        let is_needed = |object: &&FleetObject| match is_definition(&object.id) {
            true => {
                let id = object.id.clone();
                named.contains(&(id.group, id.kind, id.name))
            }
            false => cluster_name(object).is_some_and(|name| clusters.contains(&name) && object.id.kind == "Cluster"),
        };
        (next, others) = others.into_iter().partition(is_needed);
        needed.extend(&next);
    }
    needed.into_iter().map(|object| object.id.clone()).collect()
}
