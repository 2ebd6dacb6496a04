//! Manifests with everything that the rules bring.

use metadata_propagation::Settings;

use crate::fleet::Fleet;
use crate::member::Member;
use crate::object::{ObjectId, Origin};
use crate::splice::spliced;
use crate::world::World;

/// The texts of a fleet with everything propagated.
#[derive(Debug)]
pub struct Applied {
    /// The texts, in the order of the sources. What the rules do not touch is as it was, byte for byte.
    pub texts: Vec<String>,
    /// Objects that lack something and are written in a way that cannot be edited in place.
    pub left: Vec<(ObjectId, Origin)>,
}

impl Applied {
    /// Writes into every object what the rules bring it, given that the objects above have it already.
    #[must_use]
    pub fn of(fleet: &Fleet, settings: &Settings) -> Applied {
        let world = World::of_changes(fleet, settings);
        let mut texts: Vec<String> = fleet.sources().iter().map(|source| source.text.clone()).collect();
        let mut left = Vec::new();
        let changed = |member: &&Member| !member.report.changes.is_empty();
        let origin = |member: &Member| member.origin.clone();
        let mut members: Vec<(&Member, Origin)> =
            world.members().iter().filter(changed).filter_map(|member| Some((member, origin(member)?))).collect();
        // From the end: what stands before keeps its place. The items of one list share a document.
        members.sort_by_key(|(_, origin)| (origin.source, origin.document.start, origin.item));
        let same =
            |a: &(&Member, Origin), b: &(&Member, Origin)| (a.1.source, &a.1.document) == (b.1.source, &b.1.document);
        let documents: Vec<&[(&Member, Origin)]> = members.chunk_by(same).collect();
        for objects in documents.into_iter().rev() {
            let Some((_, Origin { source, document, .. })) = objects.first() else { continue };
            let Some(text) = texts.get_mut(*source) else { continue };
            let mut written = text.get(document.clone()).unwrap_or_default().to_owned();
            for (member, origin) in objects {
                match spliced(&written, origin.item, &member.report.changes, &member.completed()) {
                    Some(next) => written = next,
                    None => left.push((member.id.clone(), origin.clone())),
                }
            }
            text.replace_range(document.clone(), &written);
        }
        left.reverse();
        Applied { texts, left }
    }
}
