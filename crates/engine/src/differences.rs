//! What an object carries, held against what it must carry.

use std::collections::BTreeMap;

use crate::expected::{Expected, Why, expected};
use crate::json::Map;
use crate::keys::TRACKING;
use crate::lookup::Lookups;
use crate::place::{MapKind, Place};
use crate::report::{Action, Change, SkipReason, Skipped};
use crate::settings::{Mode, Settings};
use crate::sources::Sources;
use crate::splice::Write;
use crate::stop::{InertReason, Stop};
use crate::subject::Subject;
use crate::tracking::{Record, claimed};

/// What differs, and what did not travel.
#[derive(Default)]
pub(crate) struct Differences {
    pub(crate) changes: Vec<Change>,
    pub(crate) skipped: Vec<Skipped>,
}

/// Holds an object against its sources.
///
/// # Errors
/// When nothing propagates to the object, or when it is not known what does.
pub(crate) fn differences(subject: &Subject<'_>, settings: &Settings, lookups: &Lookups<'_>) -> Result<Differences, Stop> {
    let sources = Sources::of(subject, lookups)?;
    let mut found = Differences::default();
    let mut own_maps = Vec::new();
    let mut arriving = Vec::new();
    for &target in &sources.targets {
        for map in MapKind::BOTH {
            let expected = expected(&sources, target, map, &settings.cluster_api, &mut found.skipped);
            let actual = subject.object.map(target, map, None)?;
            for (key, entry) in &expected {
                if actual.get(key.as_str()).is_none_or(|value| *value != entry.value) {
                    found.changes.push(change(subject, target, map, key, entry, &actual)?);
                }
                arriving.push((map, key.clone()));
            }
            if target == subject.place {
                own_maps.push((map, expected, actual));
            }
        }
    }
    // What reaches one place of the object is not missed at another.
    found.skipped.retain(|skip| {
        skip.reason != SkipReason::NotPropagated || !arriving.iter().any(|(map, key)| *map == skip.map && *key == skip.key)
    });
    let may_carry_record = matches!(subject.place, Place::Machine | Place::InfraMachine | Place::BootstrapConfig);
    if settings.mode == Mode::Mutate && may_carry_record {
        keep_record(subject, sources.tracked, &own_maps, &mut found.changes)?;
    }
    if let Some((namespace, name)) = sources.unread_cluster.filter(|_| !found.changes.is_empty())
        && lookups.cluster_is_paused(&namespace, &name)?
    {
        return Err(Stop::inert(InertReason::Paused, format!("Cluster {namespace}/{name}")));
    }
    Ok(found)
}

fn change(
    subject: &Subject<'_>,
    target: Place,
    map: MapKind,
    key: &str,
    entry: &Expected,
    actual: &Map<'_>,
) -> Result<Change, Stop> {
    let from = actual.get(key).map(|value| value.clone().into_owned());
    let was_right = subject.old_map(target, map)?.get(key).is_some_and(|value| *value == entry.value);
    let action = match from {
        _ if was_right => Action::Restored,
        Some(_) => Action::Changed,
        None => Action::Added,
    };
    let mut path = target.path(subject.object.version()).to_vec();
    path.push(map.field());
    Ok(Change {
        at: path.join("."),
        key: key.to_owned(),
        action,
        from,
        to: Some(entry.value.clone()),
        rule: entry.why.to_string(),
        source: entry.source.clone(),
        path,
        map: Some(map),
    })
}

/// Removes what the record holds and the sources dropped, and brings the record up to date.
fn keep_record(
    subject: &Subject<'_>,
    tracked: bool,
    maps: &[(MapKind, BTreeMap<String, Expected>, Map<'_>)],
    changes: &mut Vec<Change>,
) -> Result<(), Stop> {
    let mut record = Record::stored(subject)?;
    for (map, expected, actual) in maps {
        let claimed = if record.keys(*map).is_empty() { Default::default() } else { claimed(&subject.object, *map)? };
        let keys = record.keys(*map);
        keys.retain(|key| !claimed.contains(key));
        for key in keys.iter().filter(|key| !expected.contains_key(*key)) {
            if let Some(value) = actual.get(key.as_str()) {
                changes.push(own_change(*map, key, Action::Removed, Some(value.clone().into_owned()), None));
            }
        }
        keys.retain(|key| tracked && expected.contains_key(key));
        if tracked {
            keys.extend(expected.keys().filter(|key| !actual.contains_key(key.as_str())).cloned());
        }
    }
    let stands = subject.object.annotations.get(TRACKING).map(|value| value.clone().into_owned());
    let wanted = record.to_annotation();
    if stands != wanted {
        changes.push(own_change(MapKind::Annotations, TRACKING, Action::Recorded, stands, wanted));
    }
    Ok(())
}

fn own_change(map: MapKind, key: &str, action: Action, from: Option<String>, to: Option<String>) -> Change {
    let rule = match action {
        Action::Removed => "added by this policy, dropped by its source",
        _ => "record of what this policy added",
    };
    Change {
        at: format!("metadata.{map}"),
        key: key.to_owned(),
        action,
        from,
        to,
        rule: rule.to_owned(),
        source: String::new(),
        path: vec!["metadata", map.field()],
        map: Some(map),
    }
}

impl Change {
    pub(crate) fn write(&self) -> Write {
        Write { map: self.path.clone(), key: self.key.clone(), value: self.to.clone() }
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
