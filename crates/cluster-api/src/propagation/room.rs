//! Whether annotations fit: the API server limits the total size of a map.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::catalog::limits::MOST_ANNOTATION_BYTES;
use crate::json::{Json, Malformed, Path, Step};
use crate::propagation::owned_path::OwnedChange;
use crate::skipped::{Carried, SkipReason, Skipped};
use kubernetes::{Action, Change, EntryNoun, Object, SourcePath, SourcePlace};

/// Removes the changes that would make a map of annotations too large: everything that adds to that map or changes it,
/// so that the result does not depend on an order. If the policy's own record does not fit, nothing is added that would
/// have to be recorded. What is removed is added to `skipped`, which stays sorted.
pub(crate) fn leave_out_what_has_no_room(
    object: &Object<'_>,
    changes: &mut Vec<OwnedChange>,
    skipped: &mut Vec<Skipped>,
) -> Result<(), Malformed> {
    let bytes_of = |change: &OwnedChange| change.key.len() + change.to.as_ref().map_or(0, |to| to.as_json().len());
    // The object's text contains all of its annotations.
    if object.root.text().len() + changes.iter().map(bytes_of).sum::<usize>() <= MOST_ANNOTATION_BYTES {
        return Ok(());
    }
    let mut full = BTreeSet::new();
    for (at, WrittenAnnotations { path, bytes }) in written_annotations(changes) {
        if bytes.values().any(Option::is_some) && size(object, path, &bytes)? > MOST_ANNOTATION_BYTES {
            full.insert(Arc::clone(at));
        }
    }
    let has_no_room = |change: &Change| writes_annotation(change) && full.contains(&change.at);
    let cannot_record = changes.iter().any(|change| change.action == Action::Recorded && has_no_room(change));
    changes.retain(|change| {
        let goes = has_no_room(change) || (cannot_record && change.action == Action::Added);
        if goes && change.action != Action::Recorded {
            skipped.extend(left_out(change));
        }
        !goes
    });
    skipped.sort();
    skipped.dedup();
    Ok(())
}

fn writes_annotation(change: &Change) -> bool {
    change.entry == EntryNoun::Annotation && change.to.is_some()
}

/// What is changed in one map of annotations.
struct WrittenAnnotations<'c> {
    path: &'c Path,
    /// The bytes of each new entry, by key; `None` for one that is removed.
    bytes: BTreeMap<&'c str, Option<usize>>,
}

/// What is changed in each map of annotations, by its printed path.
fn written_annotations(changes: &[OwnedChange]) -> BTreeMap<&Arc<str>, WrittenAnnotations<'_>> {
    let mut written = BTreeMap::new();
    for change in changes.iter().filter(|change| change.entry == EntryNoun::Annotation) {
        let of_map = || WrittenAnnotations { path: &change.path, bytes: BTreeMap::new() };
        let map: &mut WrittenAnnotations<'_> = written.entry(&change.at).or_insert_with(of_map);
        map.bytes.insert(&change.key, change.to.as_ref().map(|to| change.key.len() + to.plain().len()));
    }
    written
}

/// Bytes of keys and values that the map at `path` has after all changes.
fn size(object: &Object<'_>, path: &Path, written: &BTreeMap<&str, Option<usize>>) -> Result<usize, Malformed> {
    let stored = at(object.root, path)?.as_map()?;
    let kept = stored.iter().filter(|(key, _)| !written.contains_key(key)).map(|(key, value)| key.len() + value.len());
    Ok(kept.chain(written.values().copied().flatten()).sum())
}

fn at<'a>(root: Json<'a>, path: &Path) -> Result<Json<'a>, Malformed> {
    path.steps().iter().try_fold(root, |json, step| match step {
        Step::Field(name) => json.get(name),
        Step::Element(index) => Ok(json.elements()?.nth(*index).unwrap_or(json.absent())),
    })
}

/// `None` for what no object above sets.
fn left_out(change: &Change) -> Option<Skipped> {
    let object = change.source.clone()?;
    let path = change.place.as_ref().and_then(SourcePath::place).map(Box::from);
    Some(Skipped {
        carried: change.entry.map().map_or(Carried::Field, Carried::Map),
        key: change.key.clone(),
        from: SourcePlace { object, path },
        reason: SkipReason::AnnotationsTooLarge,
        value: None,
        instead: None,
    })
}
