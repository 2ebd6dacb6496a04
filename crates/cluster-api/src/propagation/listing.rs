//! Everything that propagates from sources, for callers that print propagation paths.

use super::expected::expected;
use super::sources;
use crate::json::Path;
use crate::propagated::Propagated;
use crate::settings::ClusterApi;
use crate::subject::Subject;
use kubernetes::{Lookups, MapKind, Stop, Value};

/// The entries that an object must carry, in the order of its places.
///
/// # Errors
/// When nothing propagates to the object, or when it is not known what does.
pub fn propagated<'e>(
    subject: &Subject<'e>,
    settings: &ClusterApi,
    lookups: &Lookups<'e>,
) -> Result<Vec<Propagated>, Stop> {
    let sources = sources::of(subject, settings, lookups)?;
    let mut all = Vec::new();
    for &target in &sources.targets {
        for map in MapKind::BOTH {
            let found = target.map(&subject.object, map, None)?;
            let entries = expected(&sources, target, map, &found, settings, &mut Vec::new());
            let path = Path::fields(target.path(subject.object.version)).field(map.field()).to_string();
            all.extend(entries.iter().map(|(key, entry)| Propagated {
                at: path.clone(),
                map,
                key: (*key).to_owned(),
                value: Value::string(&entry.value),
                found: found.get(key).map(Value::string),
                rule: entry.why.line(),
                source: entry.origin.object.to_string(),
                place: entry.origin.place.map(|place| entry.origin.map_path(place, map).as_str().to_owned()),
            }));
        }
    }
    Ok(all)
}
