//! The labels and annotations that differ between two hierarchies.

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::cluster_api::{CLUSTER_NAME, CORE_GROUP};
use metadata_propagation::{NotApplicable, NotApplicableReason};
use serde_json::{Map, Value};
use topology::{ObjectPath, VisitedPath};

use super::conversion::in_one_version;
use super::{EntryDifference, Unknown};
use crate::each::each;
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::ObjectId;
use crate::propagation_path::blocks;

/// Annotations that repeat what other entries say: in which kubectl keeps the object itself, the Machine controller the keys
/// that it set on a Node, and the policy those that it set.
const REPEATED: [&str; 4] = [
    "cluster.x-k8s.io/annotations-from-machine",
    "cluster.x-k8s.io/labels-from-machine",
    "kubectl.kubernetes.io/last-applied-configuration",
    "metadata-propagation.plexsphere.com/managed",
];

/// The differences, by object; of objects that are in both.
pub(super) fn differences(before: &Hierarchy, after: &Hierarchy) -> BTreeMap<ObjectId, Vec<EntryDifference>> {
    let found = each(after.members(), |member| {
        let stored = before.find(&member.id)?;
        let is_unknown = || [before, after].iter().any(|side| is_unknown(&member.id, side));
        if stored.json() == member.json() || member.origin.is_none() && is_unknown() {
            return None;
        }
        let mut entries = entries(stored, member);
        entries.retain(|entry| !is_set_back(entry));
        (!entries.is_empty()).then(|| (member.id.clone(), entries))
    });
    found.into_iter().flatten().collect()
}

/// Whether webhooks or controllers set an entry, whatever is written: the name of a Cluster, which never changes.
///
/// Source: `Default` of each kind in core/webhooks/admission of Cluster API v1.14.
fn is_set_back(entry: &EntryDifference) -> bool {
    const KINDS: [&str; 5] = ["Machine", "MachineDeployment", "MachineHealthCheck", "MachinePool", "MachineSet"];
    let is_known = entry.id.group == CORE_GROUP && KINDS.contains(&&*entry.id.kind);
    let is_in_place = entry.is_own() || entry.id.kind == "MachineDeployment";
    entry.key == CLUSTER_NAME && (entry.is_predicted || is_known && is_in_place)
}

/// The objects for which it was known what propagates to them, and no longer is; if several are on one path, the
/// topmost.
pub(super) fn unknown(before: &Hierarchy, after: &Hierarchy) -> Vec<Unknown> {
    let tops = after.members().iter().filter_map(|member| {
        let reason = lost(&member.id, before, after)?;
        let above = member.parent.and_then(|number| after.member(number));
        let is_top = above.is_none_or(|above| lost(&above.id, before, after).is_none());
        let (id, is_predicted) = (member.id.clone(), member.origin.is_none());
        is_top.then(|| Unknown { id, is_predicted, reason: reason.to_string() })
    });
    tops.collect()
}

/// Why it is no longer known what propagates to an object.
fn lost<'w>(id: &ObjectId, before: &Hierarchy, after: &'w Hierarchy) -> Option<&'w NotApplicable> {
    let was_known = before.unknown(before.number(id)?).is_none();
    let lost = after.unknown(after.number(id)?).map(|(_, reason)| reason).filter(|_| was_known);
    // What a pause keeps stays as it is.
    lost.filter(|lost| lost.reason != NotApplicableReason::Paused)
}

/// Whether it is not known what propagates to an object.
fn is_unknown(id: &ObjectId, side: &Hierarchy) -> bool {
    side.number(id).is_some_and(|number| side.unknown(number).is_some())
}

fn entries(stored: &Member, member: &Member) -> Vec<EntryDifference> {
    let values = [stored, member].map(Member::completed);
    let versions = [stored.version(), member.version()];
    let converted = in_one_version(&member.id, versions, values.each_ref());
    let [was, is] = &values;
    let (was, is) = converted.as_ref().map_or((was, is), |(_, [was, is])| (was, is));
    let (id, is_predicted) = (&member.id, member.origin.is_none());
    let entry = |(at, key, from, to)| EntryDifference { id: id.clone(), is_predicted, at, key, from, to };
    differing(was, is).into_iter().map(entry).collect()
}

/// A label or annotation that differs: the path of the map, the key, and both values.
type DifferingEntry = (ObjectPath, String, Option<String>, Option<String>);

pub(super) fn differing(was: &Value, is: &Value) -> Vec<DifferingEntry> {
    let (was, is) = (maps(was), maps(is));
    let nothing = Map::new();
    let mut entries = Vec::new();
    for at in was.keys().chain(is.keys()).collect::<BTreeSet<_>>() {
        let [was, is] = [&was, &is].map(|maps| maps.get(at).copied().unwrap_or(&nothing));
        if was == is {
            continue;
        }
        let keys: BTreeSet<&String> =
            was.keys().chain(is.keys()).filter(|key| !REPEATED.contains(&key.as_str())).collect();
        let value = |map: &Map<String, Value>, key: &str| Some(map.get(key)?.as_str()?.to_owned());
        let values = keys.into_iter().map(|key| (at.clone(), key.clone(), value(was, key), value(is, key)));
        entries.extend(values.filter(|(_, _, from, to)| from != to));
    }
    entries
}

/// Every map of labels and annotations by its path.
fn maps(object: &Value) -> BTreeMap<ObjectPath, &Map<String, Value>> {
    let mut found = Vec::new();
    blocks(object, VisitedPath::Value(&[]), &mut found);
    found.into_iter().collect()
}
