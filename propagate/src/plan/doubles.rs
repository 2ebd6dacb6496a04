//! Objects that are defined more than once on one side: which definition counts, and what is said of the others.

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Fleet, FleetObject, Locator, count};

use super::answer::name;
use super::not_read::{Matters, NotRead};
use super::roots::relative;
use crate::input::Input;
use crate::output::report::Where;
use crate::renderers::is_renderer;

/// Both sides. Of several definitions of an object, the one counts whose file is on the other side too, and of others one
/// that is applied or rendered: a definition that is new elsewhere is not the object that was there.
pub(super) fn chosen([old, new]: [Input; 2]) -> [Input; 2] {
    let names = |input: &Input| -> BTreeSet<String> {
        input.fleet.sources().iter().map(|source| relative(&source.name, &input.prefix).to_owned()).collect()
    };
    if [&old, &new].iter().all(|side| side.fleet.doubles().next().is_none()) {
        return [old, new];
    }
    let (of_old, of_new) = (names(&old), names(&new));
    [(old, of_new), (new, of_old)].map(|(side, others)| {
        let rendered: BTreeSet<&str> = side.rendered.iter().map(|it| relative(it, &side.prefix)).collect();
        let rank = |object: &FleetObject| {
            let name = name(&side.fleet, &side, object.origin.source);
            (others.contains(name), !side.applied.appliers_of(name).is_empty(), rendered.contains(name))
        };
        let fleet = side.fleet.preferring(rank);
        Input { fleet, ..side }
    })
}

/// The objects that are skipped because another one in another file has their name, and differ: one line for the objects of
/// two files. What is rendered from one of them is not known.
pub(super) fn skipped(sides: [(&Fleet, &Input); 2]) -> Vec<NotRead> {
    let [old, new] = sides.map(|(fleet, input)| {
        let differing = fleet.doubles().filter(|(first, later)| first.json != later.json);
        let key = |(first, later): (&'_ FleetObject, &'_ FleetObject)| {
            let file = name(fleet, input, later.origin.source).to_owned();
            ((file, later.id.clone(), later.json.to_string()), (first.origin.source, later.clone()))
        };
        differing.map(key).collect::<BTreeMap<_, _>>()
    });
    let of_new: Vec<_> = new.iter().filter(|(key, _)| !old.contains_key(*key)).collect();
    let is_in_new = |(file, id, _): &(String, _, String)| new.keys().any(|(known, of, _)| (known, of) == (file, id));
    let of_old: Vec<_> = old.iter().filter(|(key, _)| !is_in_new(key)).collect();
    let mut found = Vec::new();
    for ((fleet, input), differing) in sides.into_iter().zip([of_old, of_new]).rev() {
        let mut groups: BTreeMap<(Matters, &str, usize), Vec<&FleetObject>> = BTreeMap::new();
        for ((file, id, _), (first, later)) in differing {
            let matters = if is_renderer(id) { Matters::CannotTell } else { Matters::No };
            groups.entry((matters, file, *first)).or_default().push(later);
        }
        let mut locator = Locator::new(fleet.sources());
        for ((matters, _, first), objects) in groups {
            let Some(object) = objects.first() else { continue };
            let place = Where::of_object(fleet, object, &mut locator);
            let (before, id) = (name(fleet, input, first), &object.id);
            let reason = match objects.len() {
                1 => format!("{id} is already defined in {before}; this one is not compared"),
                more => {
                    let more = count(more - 1, "more object");
                    format!("{id} and {more} are already defined in {before}; these are not compared")
                }
            };
            found.push(NotRead::file(place, reason, matters));
        }
    }
    found
}
