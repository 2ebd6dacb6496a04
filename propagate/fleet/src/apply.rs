//! Manifests with everything that the rules set.

use metadata_propagation::Settings;

use crate::fleet::Fleet;
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::{ObjectId, Origin};
use crate::splice::spliced;

/// The texts of a fleet with everything propagated.
#[derive(Debug)]
pub struct Applied {
    /// The texts, in the order of the sources. Everything that the rules do not change is identical, byte for byte.
    pub texts: Vec<String>,
    /// Objects that lack something and are written in a format that cannot be edited in place.
    pub left: Vec<(ObjectId, Origin)>,
}

impl Applied {
    /// Writes into every object what propagates to it, assuming that the objects above already have it.
    pub fn of(fleet: &Fleet, settings: &Settings) -> Applied {
        let hierarchy = Hierarchy::of_changes(fleet, settings);
        let mut left = Vec::new();
        let changed = |member: &&Member| !member.report.changes.is_empty();
        let origin = |member: &Member| member.origin.clone();
        let mut members: Vec<(&Member, Origin)> =
            hierarchy.members().iter().filter(changed).filter_map(|member| Some((member, origin(member)?))).collect();
        // The items of one list share a document.
        members.sort_by_key(|(_, origin)| (origin.source, origin.document.start, origin.item));
        let same =
            |a: &(&Member, Origin), b: &(&Member, Origin)| (a.1.source, &a.1.document) == (b.1.source, &b.1.document);
        let mut documents = members.chunk_by(same).peekable();
        let mut texts = Vec::new();
        for (number, source) in fleet.sources().iter().enumerate() {
            let mut text = String::new();
            let mut end = 0;
            let is_of_source =
                |objects: &&[(&Member, Origin)]| objects.first().is_some_and(|(_, origin)| origin.source == number);
            while let Some(objects) = documents.next_if(is_of_source) {
                let Some((_, Origin { document, .. })) = objects.first() else { continue };
                let mut written = source.text.get(document.clone()).unwrap_or_default().to_owned();
                for (member, origin) in objects {
                    match spliced(&written, origin.item, &member.report.changes, &member.completed()) {
                        Some(next) => written = next,
                        None => left.push((member.id.clone(), origin.clone())),
                    }
                }
                text.push_str(source.text.get(end..document.start).unwrap_or_default());
                text.push_str(&written);
                end = document.end;
            }
            text.push_str(source.text.get(end..).unwrap_or_default());
            texts.push(text);
        }
        Applied { texts, left }
    }
}
