//! Beyond Cluster API: selected keys of a Cluster's own metadata go to all of its topology.
//!
//! Cluster API carries them on from there, and its controllers own them below. A topology's own value of a key stands.

use std::collections::BTreeSet;

use crate::differences::{Differences, own_change, recorded};
use crate::json::{Json, Malformed, Map};
use crate::lookup::CORE;
use crate::object::Object;
use crate::place::MapKind;
use crate::report::{Action, Change, Value};
use crate::review::GroupVersionKind;
use crate::settings::OptIn;
use crate::splice::{Step, printed, steps};
use crate::stop::Stop;
use crate::subject::Subject;
use crate::tracking::Record;

/// Whether objects of this kind inherit keys within themselves.
pub(crate) fn concerns(kind: &GroupVersionKind<'_>, settings: &OptIn) -> bool {
    kind.group == CORE && kind.kind == "Cluster" && !settings.cluster_to_topology.is_empty()
}

/// What a Cluster's topology lacks of the selected keys, and what it has of keys that the Cluster dropped.
///
/// `records` says whether the policy's own record counts.
///
/// # Errors
/// When the Cluster has another shape.
pub(crate) fn differences(subject: &Subject<'_>, settings: &OptIn, records: bool) -> Result<Differences, Stop> {
    let mut found = Differences::default();
    let object = &subject.object;
    let idle = object.deleting || object.has_paused_annotation() || object.spec.is_true(&["paused"])?;
    if idle || !concerns(&subject.review.kind, settings) || object.spec.at(&["topology"], None)?.is_none() {
        return Ok(found);
    }
    let mut record = if records { Record::stored(subject)? } else { Record::default() };
    let mut written = if records { Record::of(object) } else { Record::default() };
    let old = subject.old()?;
    let old_receivers = old.map(receivers).transpose()?.unwrap_or_default();
    let receivers = receivers(object)?;
    let source = subject.title();
    for map in MapKind::BOTH {
        let known = record.keys(map);
        let mut keys: BTreeSet<String> = known.clone();
        keys.extend(settings.cluster_to_topology.iter().cloned());
        for key in &keys {
            let selected = settings.cluster_to_topology.contains(key);
            let value = object.top_level(map).get(key.as_str()).filter(|_| selected);
            let was = old.and_then(|old| old.top_level(map).get(key.as_str()));
            let mut added = false;
            for (index, receiver) in receivers.iter().enumerate() {
                let stands = receiver.map(map)?;
                let stands = stands.get(key.as_str());
                let stood = old_receivers.get(index).map(|old| old.map(map)).transpose()?.unwrap_or_default();
                // New is what was not stored: what this request lacks, and what an earlier evaluation of it recorded.
                let is_new = stands.is_none() || written.keys(map).contains(key);
                added |= is_new && !stood.contains_key(key.as_str());
                // What the record holds and the Cluster had is ours to follow up.
                let ours = known.contains(key) && stands.is_some() && stands == was;
                let action = match (value, stands) {
                    (Some(_), None) => Action::Added,
                    (Some(value), Some(stands)) if ours && value != stands => Action::Changed,
                    (None, Some(_)) if ours => Action::Removed,
                    _ => continue,
                };
                let path = [receiver.path.as_slice(), &[Step::Field(map.field())]].concat();
                found.changes.push(change(
                    &source,
                    path,
                    map,
                    key,
                    action,
                    stands.map(|text| &**text),
                    value.map(|text| &**text),
                ));
            }
            match value {
                None => known.remove(key),
                Some(_) => added && known.insert(key.clone()),
            };
        }
    }
    if records {
        found.changes.extend(recorded(object, &record));
    }
    Ok(found)
}

/// One `metadata` of the topology: where it stands, and what stands there.
struct Receiver<'a> {
    path: Vec<Step>,
    metadata: Option<Json<'a>>,
}

impl<'a> Receiver<'a> {
    fn map(&self, map: MapKind) -> Result<Map<'a>, Malformed> {
        match &self.metadata {
            Some(metadata) => metadata.map(&[map.field()]),
            None => Ok(Map::new()),
        }
    }
}

/// Every `metadata` of the topology that Cluster API carries on, whether it is there or not.
fn receivers<'a>(object: &Object<'a>) -> Result<Vec<Receiver<'a>>, Malformed> {
    let topology = &["spec", "topology"];
    let path = steps(&[topology as &[_], &["controlPlane", "metadata"]].concat());
    let metadata = object.spec.at(&["topology", "controlPlane", "metadata"], None)?;
    let mut receivers = vec![Receiver { path, metadata }];
    for list in ["machineDeployments", "machinePools"] {
        let entries = object.spec.at(&["topology", "workers", list], None)?;
        let entries = entries.map(|entries| entries.elements()).transpose()?.unwrap_or_default();
        for (index, entry) in entries.iter().enumerate() {
            let mut path = steps(&[topology as &[_], &["workers", list]].concat());
            path.extend([Step::Element(index), Step::Field("metadata")]);
            receivers.push(Receiver { path, metadata: entry.at(&["metadata"], None)? });
        }
    }
    Ok(receivers)
}

fn change(
    source: &str,
    path: Vec<Step>,
    map: MapKind,
    key: &str,
    action: Action,
    from: Option<&str>,
    to: Option<&str>,
) -> Change {
    let rule =
        format!("`Cluster.metadata.{map}` => `Cluster.{}` by `clusterApi.optIn.clusterToTopology`", printed(&path));
    let (from, to) = (from.map(Value::string), to.map(Value::string));
    Change {
        rule,
        source: source.to_owned(),
        place: Some(format!(".metadata.{map}")),
        ..own_change(path, map.entry(), key, action, from, to)
    }
}
