//! The blocks of metadata in an object that propagate: in a topology, a class, a template.

use std::collections::BTreeMap;

use crate::catalog::Place;
use crate::json::{Json, Malformed, Map};
use crate::subject::Subject;
use kubernetes::{MapKind, Object};

/// One block of metadata, as it would be stored and as it is stored.
pub(super) struct MetadataBlock<'a> {
    pub(super) place: Place,
    /// Its path, such as `spec.topology.workers.machineDeployments[0].metadata`.
    pub(super) at: String,
    /// The name of the list's entry that it is in.
    pub(super) entry: Option<&'a str>,
    labels: [Map<'a>; 2],
    annotations: [Map<'a>; 2],
}

impl<'a> MetadataBlock<'a> {
    /// One map: as it would be stored, and as it is stored.
    pub(super) fn map(&self, map: MapKind) -> (&Map<'a>, &Map<'a>) {
        let [new, old] = map.of(&self.labels, &self.annotations);
        (new, old)
    }
}

/// The blocks of an object that propagate to other objects; a Machine's propagate to its Node.
pub(super) fn propagating<'a>(subject: &Subject<'a>) -> Result<Vec<MetadataBlock<'a>>, Malformed> {
    let mut blocks = Vec::new();
    let (object, old) = (&subject.object, subject.old()?);
    for &(place, name) in subject.row.map_or(&[][..], |row| row.guarded) {
        let path = place.path(object.version);
        let Some(path) = path.strip_prefix(&["spec"]) else {
            blocks.push(MetadataBlock {
                place,
                at: "metadata".to_owned(),
                entry: None,
                labels: both(object, old, MapKind::Labels),
                annotations: both(object, old, MapKind::Annotations),
            });
            continue;
        };
        let (list, rest) = match path.iter().position(|step| *step == "[]").map(|at| path.split_at(at)) {
            Some((list, [_, rest @ ..])) => (Some(list), rest),
            _ => (None, path),
        };
        // A topology may have thousands of entries. Of several with one name, the first counts.
        let before = old.map(|old| entries(old, list, name)).transpose()?.unwrap_or_default();
        let before: BTreeMap<Option<&str>, Json<'a>> = before.into_iter().rev().collect();
        for (name, entry) in entries(object, list, name)? {
            let Some(metadata) = entry.at(rest)?.present() else { continue };
            let before = match before.get(&name) {
                Some(entry) => entry.at(rest)?,
                None => entry.absent(),
            };
            let of = |metadata: Json<'a>, map: MapKind| metadata.get(map.field())?.as_map();
            let map = |map: MapKind| Ok([of(metadata, map)?, of(before, map)?]);
            blocks.push(MetadataBlock {
                place,
                at: metadata.path().to_string(),
                labels: map(MapKind::Labels)?,
                annotations: map(MapKind::Annotations)?,
                entry: name,
            });
        }
    }
    Ok(blocks)
}

type Named<'a> = (Option<&'a str>, Json<'a>);

/// The entries of a list, each with its name; if there is no list, `spec` itself.
fn entries<'a>(object: &Object<'a>, list: Option<&[&str]>, name: &str) -> Result<Vec<Named<'a>>, Malformed> {
    let Some(list) = list else { return Ok(vec![(None, object.spec)]) };
    let entries = object.spec.at(list)?.elements()?;
    entries.map(|entry| Ok((entry.string(&[name])?, entry))).collect()
}

fn both<'a>(object: &Object<'a>, old: Option<&Object<'a>>, map: MapKind) -> [Map<'a>; 2] {
    [object.top_level(map).clone(), old.map(|old| old.top_level(map).clone()).unwrap_or_default()]
}
