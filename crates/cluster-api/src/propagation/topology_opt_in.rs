//! Beyond Cluster API: selected keys of a Cluster's own metadata propagate to its whole topology.
//!
//! Cluster API propagates them from there, and its controllers own them below. A topology's own value of a key is not
//! changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::catalog::keys::is_never;
use crate::catalog::{CORE_GROUP, FORCED};
use crate::json::{Document, Json, Malformed, Map, Path};
use crate::propagation::managed::{Record, recorded};
use crate::propagation::metadata::Differences;
use crate::propagation::owned_path::OwnedChange;
use crate::propagation::room::leave_out_what_has_no_room;
use crate::settings::OptIn;
use crate::subject::{Subject, has_paused_annotation};
use kubernetes::managed_fields::ManagedFieldsEntry;
use kubernetes::{
    Action, Change, ChangeRule, GroupVersionKind, MapKind, Object, SourceObject, SourcePath, Stop, Value, own_change,
};

/// Whether objects of this kind inherit keys within themselves.
pub fn concerns(kind: &GroupVersionKind<'_>, settings: &OptIn) -> bool {
    kind.group == CORE_GROUP && kind.kind == "Cluster" && !settings.cluster_to_topology.is_empty()
}

/// The selected keys that a Cluster's topology lacks, and those in it that the Cluster dropped.
///
/// `records` says whether the policy's own record counts.
pub fn differences<'e>(subject: &Subject<'e>, settings: &OptIn, records: bool) -> Result<Differences<'e>, Stop> {
    let mut found = Differences::default();
    let object = &subject.object;
    let idle = object.deleting || has_paused_annotation(object) || object.spec.get("paused")?.is_true();
    if idle || !concerns(&subject.review.kind, settings) || object.spec.get("topology")?.is_null() {
        return Ok(found);
    }
    let mut record = if records { Record::stored(subject)? } else { Record::default() };
    let written = if records { Record::of(object) } else { Record::default() };
    let old = subject.old()?;
    let recording = old.filter(|_| record != Record::default());
    let inherited = Inherited {
        subject,
        old,
        source: SourceObject::from(&subject.title()),
        selected: settings.cluster_to_topology.iter().map(String::as_str).collect(),
        receivers: receivers(object)?,
        stored: old.map(receivers).transpose()?.unwrap_or_default(),
        owned: recording.map(|old| owned(old.managed_fields)).unwrap_or_default(),
        written,
    };
    for map in MapKind::BOTH {
        inherited.compare(map, record.keys(map), &mut found.changes);
    }
    if records {
        found.changes.extend(recorded(object, &record).map(OwnedChange::from));
    }
    leave_out_what_has_no_room(object, &mut found.changes, &mut found.skipped)?;
    Ok(found)
}

/// What a Cluster's topology inherits from the Cluster.
struct Inherited<'s, 'e> {
    subject: &'s Subject<'e>,
    old: Option<&'e Object<'e>>,
    source: SourceObject,
    /// The keys that the settings name.
    selected: BTreeSet<&'s str>,
    receivers: Vec<Receiver<'e>>,
    /// Those of the stored object.
    stored: Vec<Receiver<'e>>,
    /// What managers set in the stored topology, by entry.
    owned: BTreeSet<(String, MapKind, &'e str)>,
    /// The record as this request writes it.
    written: Record,
}

impl<'e> Inherited<'_, 'e> {
    /// Adds the changes of one map; `known` is what is recorded of it.
    fn compare(&self, map: MapKind, known: &mut BTreeSet<String>, changes: &mut Vec<OwnedChange>) {
        let mut keys: BTreeSet<String> = known.clone();
        keys.extend(self.selected.iter().map(|key| (*key).to_owned()));
        let mut having: BTreeMap<&str, Vec<&Receiver<'e>>> = BTreeMap::new();
        for receiver in self.receivers.iter().filter(|_| !known.is_empty()) {
            receiver.map(map).keys().for_each(|key| having.entry(key).or_default().push(receiver));
        }
        let stored: BTreeMap<&str, &Receiver<'_>> = self.stored.iter().map(|old| (old.entry.as_str(), old)).collect();
        for key in &keys {
            let is_selected = self.selected.contains(key.as_str()) && may_propagate(map, key);
            let value = self.subject.object.top_level(map).get(key).filter(|_| is_selected);
            let mut added = false;
            // A key that is not selected concerns those that have it.
            let concerned: Vec<&Receiver<'e>> = match is_selected {
                true => self.receivers.iter().collect(),
                false => having.get(key.as_str()).cloned().unwrap_or_default(),
            };
            for receiver in concerned {
                let stood = stored.get(receiver.entry.as_str()).is_some_and(|old| old.map(map).contains_key(key));
                // New means not stored before: what this request lacks, and what an earlier evaluation of it recorded.
                let is_new = !receiver.map(map).contains_key(key) || self.written.has(map, key);
                added |= is_new && !stood;
                changes.extend(self.change(receiver, map, key, value, known.contains(key)).map(OwnedChange::from));
            }
            match value {
                None => known.remove(key),
                Some(_) => added && known.insert(key.clone()),
            };
        }
    }

    /// The change of one key that a receiver must have, with this value; one that it must not have is removed if it is the
    /// policy's.
    fn change(
        &self,
        receiver: &Receiver<'_>,
        map: MapKind,
        key: &str,
        value: Option<&str>,
        is_known: bool,
    ) -> Option<Change> {
        let stands = receiver.map(map).get(key);
        // What the record contains and the Cluster had is updated by the policy, but where a manager has set it as well.
        let ours = is_known
            && stands.is_some()
            && stands == self.old.and_then(|old| old.top_level(map).get(key))
            && !self.owned.contains(&(receiver.entry.clone(), map, key));
        let action = match (value, stands) {
            (Some(_), None) => Action::Added,
            (Some(value), Some(stands)) if ours && value != stands => Action::Changed,
            (None, Some(_)) if ours => Action::Removed,
            _ => return None,
        };
        let path = receiver.path.clone().field(map.field());
        let change = own_change(path, map.into(), key, action, stands.map(Value::string), value.map(Value::string));
        Some(Change {
            rule: ChangeRule::ClusterToTopology { map, at: Arc::clone(&change.at) },
            source: Some(self.source.clone()),
            place: Some(SourcePath::of_own(map)),
            ..change
        })
    }
}

/// Whether a selected key propagates: neither what is about one object, nor the labels that Cluster API sets itself.
fn may_propagate(map: MapKind, key: &str) -> bool {
    match map {
        MapKind::Labels => !FORCED.iter().any(|forced| forced.key == key),
        MapKind::Annotations => !is_never(key),
    }
}

/// One `metadata` of the topology: its path, and its value.
struct Receiver<'a> {
    path: Path,
    /// The entry that it belongs to, at whatever index of its list.
    entry: String,
    labels: Map<'a>,
    annotations: Map<'a>,
}

impl<'a> Receiver<'a> {
    fn read(path: Path, entry: String, holder: Json<'a>) -> Result<Self, Malformed> {
        let metadata = holder.get("metadata")?;
        let map = |map: MapKind| metadata.get(map.field())?.as_map();
        Ok(Receiver { path, entry, labels: map(MapKind::Labels)?, annotations: map(MapKind::Annotations)? })
    }

    fn map(&self, map: MapKind) -> &Map<'a> {
        map.of(&self.labels, &self.annotations)
    }
}

/// The lists of workers in a topology, and their steps in a set of fields. For the API server they are maps by name.
const WORKERS: [(&str, &str); 2] = [("machineDeployments", "f:machineDeployments"), ("machinePools", "f:machinePools")];

/// The entries that managers set in a topology. Those that the policy adds have no owner: the API server records owners
/// before it calls webhooks.
fn owned<'e>(managed_fields: Json<'e>) -> BTreeSet<(String, MapKind, &'e str)> {
    let mut owned = BTreeSet::new();
    let mut add = |entry: &str, fields: Json<'e>| {
        for map in MapKind::BOTH {
            let keys = fields.at(&["f:metadata", map.of("f:labels", "f:annotations")]).ok().and_then(Json::as_fields);
            let keys = keys.into_iter().flatten().filter_map(|(step, _)| step.strip_prefix("f:"));
            owned.extend(keys.map(|key| (entry.to_owned(), map, key)));
        }
    };
    for manager in ManagedFieldsEntry::all(managed_fields).unwrap_or_default() {
        let Ok(topology) = manager.fields.at(&["f:spec", "f:topology"]) else { continue };
        if let Ok(fields) = topology.get("f:controlPlane") {
            add("", fields);
        }
        for (list, step) in WORKERS {
            let elements = topology.at(&["f:workers", step]).ok().and_then(Json::as_fields);
            for (step, fields) in elements.into_iter().flatten() {
                let element = step.strip_prefix("k:").map(Document::new);
                let name = element.as_ref().and_then(|element| element.root().string(&["name"]).ok().flatten());
                add(&[list, "/", name.unwrap_or_default()].concat(), fields);
            }
        }
    }
    owned
}

/// Every `metadata` of the topology that Cluster API propagates from, whether it exists or not.
fn receivers<'a>(object: &Object<'a>) -> Result<Vec<Receiver<'a>>, Malformed> {
    let path = Path::fields(&["spec", "topology", "controlPlane", "metadata"]);
    let topology = object.spec.get("topology")?;
    let mut receivers = vec![Receiver::read(path, String::new(), topology.get("controlPlane")?)?];
    for (list, _) in WORKERS {
        for (index, entry) in topology.at(&["workers", list])?.elements()?.enumerate() {
            let path = Path::fields(&["spec", "topology", "workers", list]).element(index).field("metadata");
            let name = [list, "/", entry.string(&["name"])?.unwrap_or_default()].concat();
            receivers.push(Receiver::read(path, name, entry)?);
        }
    }
    Ok(receivers)
}
