//! The labels, annotations and cloud tags that differ between two worlds.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Entry;
use crate::each::each;
use crate::object::ObjectId;
use crate::way::blocks;
use crate::world::{Member, World};

/// What kubectl keeps of an object in an annotation: the object itself, and no entry of its own.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What differs, by object; of objects that are in both.
pub(super) fn differences(before: &World, after: &World) -> BTreeMap<ObjectId, Vec<Entry>> {
    let found = each(after.members(), |member| {
        let stored = before.number(&member.id).and_then(|number| before.member(number))?;
        if stored.json() == member.json() {
            return None;
        }
        let entries = entries(stored, member);
        (!entries.is_empty()).then(|| (member.id.clone(), entries))
    });
    found.into_iter().flatten().collect()
}

fn entries(stored: &Member, member: &Member) -> Vec<Entry> {
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
    entries.collect()
}

/// Every label, annotation and cloud tag by path and key.
fn maps(member: &Member) -> BTreeMap<(String, String), String> {
    let object = member.completed();
    let mut found = Vec::new();
    blocks(&object, String::new(), &mut found);
    let tags = object.pointer("/spec/cloudTags").and_then(Value::as_object);
    found.extend(tags.map(|tags| ("spec.cloudTags".to_owned(), tags)));
    let entries = found.into_iter().flat_map(|(at, map)| {
        let kept = map.iter().filter(|(key, _)| *key != LAST_APPLIED);
        kept.filter_map(move |(key, value)| Some(((at.clone(), key.clone()), value.as_str()?.to_owned())))
    });
    entries.collect()
}
