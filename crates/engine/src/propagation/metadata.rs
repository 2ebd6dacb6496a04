//! What an object carries, held against what it must carry.

use std::collections::BTreeSet;

use super::fields::{self, FieldDifferences};
use super::managed::recorded;
use crate::admission::request::Operation;
use crate::admission::subject::Subject;
use crate::catalog::keys::TRACKING;
use crate::catalog::place::{MapKind, Place};
use crate::json::Map;
use crate::json::path::Path;
use crate::kube::lookup::Lookups;
use crate::kube::stop::Stop;
use crate::propagation::expected::{Entries, Expected, Why, expected};
use crate::propagation::managed::{Record, claimed};
use crate::propagation::sources::Sources;
use crate::report::change::own_change;
use crate::report::change::{Action, Change, Value};
use crate::report::not_applicable::NotApplicableReason;
use crate::report::skipped::{SkipReason, Skipped};
use crate::settings::ClusterApi;

/// What differs, what did not travel, and which keys come from above, to an object that hands them on or has guards.
#[derive(Default)]
pub(crate) struct Differences {
    pub(crate) changes: Vec<Change>,
    pub(crate) skipped: BTreeSet<Skipped>,
    pub(crate) carried: BTreeSet<(MapKind, String)>,
    /// The labels by which the owner finds what it controls, where it has a selector.
    pub(crate) selector: Option<Vec<String>>,
}

/// Holds an object against its sources, and where `records` is set, against the record of what this policy added.
///
/// # Errors
/// When nothing propagates to the object, or when it is not known what does.
pub(crate) fn differences(
    subject: &Subject<'_>,
    settings: &ClusterApi,
    records: bool,
    lookups: &Lookups<'_>,
) -> Result<Differences, Stop> {
    let sources = Sources::of(subject, lookups)?;
    let mut found = Differences::default();
    let mut own_maps = Vec::new();
    let mut arriving = BTreeSet::new();
    // Of an object that is being deleted only fields are kept.
    let targets: &[Place] = if subject.object.deleting { &[] } else { &sources.targets };
    for &target in targets {
        for map in MapKind::BOTH {
            let expected = expected(&sources, target, map, settings, &mut found.skipped);
            let actual = subject.object.map(target, map, None)?;
            let missing =
                |(key, entry): &(&&str, &Expected<'_>)| actual.get(**key).is_none_or(|value| *value != entry.value);
            let mut missing = expected.iter().filter(missing).peekable();
            if missing.peek().is_some() {
                let old = subject.old_map(target, map)?;
                let path = [target.path(subject.object.version()), &[map.field()]].concat();
                found.changes.extend(missing.map(|(key, entry)| change(&path, map, key, entry, &actual, &old)));
            }
            arriving.extend(expected.keys().map(|key| (map, *key)));
            if Some(target) == subject.place {
                own_maps.push((target, map, expected, actual));
            }
        }
    }
    if subject.template().is_some() || subject.place == Some(Place::Machine) {
        let arriving = arriving.iter().map(|(map, key)| (*map, (*key).to_owned()));
        let of_class = found.skipped.iter().filter(|skip| skip.reason == SkipReason::ClassPatches);
        let of_class = of_class.filter_map(|skip| Some((skip.carried.map()?, skip.key.clone())));
        found.carried = arriving.chain(of_class).collect();
        // A new object may carry whatever the patches of its class made.
        if sources.forced_only.is_some() && subject.review.operation == Operation::Create {
            for map in MapKind::BOTH {
                found.carried.extend(subject.object.top_level(map).keys().map(|key| (map, key.clone().into_owned())));
            }
        }
    }
    found.skipped.retain(|skip| match (skip.reason, skip.carried.map()) {
        // What reaches one place of the object is not missed at another.
        (SkipReason::NotPropagated, Some(map)) => !arriving.contains(&(map, &*skip.key)),
        // What stands as it should did arrive.
        (SkipReason::ClassPatches, Some(map)) => {
            subject.object.top_level(map).get(&*skip.key).map(|value| &**value) != skip.value.as_deref()
        }
        _ => true,
    });
    let mut fields = FieldDifferences::default();
    if settings.fields {
        fields = fields::differences(subject, &sources, settings, &mut found.skipped)?;
        found.changes.append(&mut fields.changes);
    }
    let may_carry_record = matches!(subject.place, Some(Place::Machine | Place::InfraMachine | Place::BootstrapConfig));
    if records && may_carry_record && !subject.object.deleting {
        keep_record(subject, sources.tracked, &own_maps, &fields, &mut found.changes)?;
    }
    if let Some((namespace, name)) = sources.unread_cluster.as_ref().filter(|_| !found.changes.is_empty())
        && lookups.cluster(namespace, name)?.is_paused
    {
        return Err(Stop::not_applicable(NotApplicableReason::Paused, format!("Cluster {namespace}/{name}")));
    }
    found.selector = sources.selector;
    Ok(found)
}

/// What becomes of an entry that is not as it should be, in the map at `path`.
fn change(
    path: &[&'static str],
    map: MapKind,
    key: &str,
    entry: &Expected<'_>,
    actual: &Map<'_>,
    old: &Map<'_>,
) -> Change {
    let from = actual.get(key).map(|value| Value::string(value));
    let was_right = old.get(key).is_some_and(|value| *value == entry.value);
    let action = match from {
        _ if was_right => Action::Restored,
        Some(_) => Action::Changed,
        None => Action::Added,
    };
    Change {
        at: path.join("."),
        key: key.to_owned(),
        action,
        from,
        to: Some(Value::string(&entry.value)),
        rule: entry.why.to_string(),
        source: entry.source.to_owned(),
        path: Path::fields(path),
        entry: map.entry(),
        // An object's own metadata is printed as nothing.
        place: entry.place.map(|place| format!("{}.{map}", if place.is_empty() { ".metadata" } else { place })),
    }
}

/// Removes what the record holds and the sources dropped, and brings the record up to date.
fn keep_record(
    subject: &Subject<'_>,
    tracked: bool,
    maps: &[(Place, MapKind, Entries<'_>, Map<'_>)],
    of_fields: &FieldDifferences,
    changes: &mut Vec<Change>,
) -> Result<(), Stop> {
    // A record may stand in the stored object only, when this request drops it.
    let old = subject.review.old_object.unwrap_or_default();
    if !tracked
        && of_fields.of_pool.is_empty()
        && !subject.object.annotations.contains_key(TRACKING)
        && !old.contains(TRACKING)
    {
        return Ok(());
    }
    let mut record = Record::stored(subject)?;
    let mut written = Record::of(&subject.object);
    for (place, map, expected, actual) in maps {
        let old = subject.old_map(*place, *map)?;
        let claimed = claimed(&subject.object, *map)?;
        let keys = record.keys(*map);
        keys.retain(|key| !claimed.contains(key));
        for key in keys.iter().filter(|key| !expected.contains_key(key.as_str())) {
            // A value that this request brings is its writer's own.
            let is_stored = subject.old()?.is_none() || old.get(key.as_str()) == actual.get(key.as_str());
            if let Some(value) = actual.get(key.as_str()).filter(|_| is_stored) {
                let path = Path::fields(&["metadata", map.field()]);
                changes.push(own_change(path, map.entry(), key, Action::Removed, Some(Value::string(value)), None));
            }
        }
        keys.retain(|key| tracked && expected.contains_key(key.as_str()));
        if tracked {
            // New is what the stored object has not: what this request lacks, and what an earlier evaluation of the
            // same request added and recorded. A key that stood before or is claimed is somebody else's.
            let written = written.keys(*map);
            let added = |key: &str| {
                !old.contains_key(key) && !claimed.contains(key) && (!actual.contains_key(key) || written.contains(key))
            };
            keys.extend(expected.keys().filter(|key| added(key)).map(|key| (*key).to_owned()));
        }
    }
    fields::keep_record(subject, of_fields, record.fields(), written.fields(), changes)?;
    changes.extend(recorded(&subject.object, &record));
    Ok(())
}

impl Differences {
    /// What comes from above, without what differs.
    pub(crate) fn above(&mut self) -> Differences {
        let (carried, selector) = (std::mem::take(&mut self.carried), self.selector.take());
        Differences { carried, selector, ..Differences::default() }
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Rule(rule) => rule.fmt(f),
            Why::Forced(forced) => forced.fmt(f),
        }
    }
}
