//! Everything that propagates from sources, for callers that print propagation paths.

use super::expected::expected;
use super::sources;
use crate::json::Path;
use crate::settings::ClusterApi;
use crate::subject::Subject;
use kubernetes::{Lookups, MapKind, Stop, Value};

/// One entry of one map that propagates from a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Propagated {
    /// The map that it is in, such as `spec.template.metadata.labels`.
    pub at: String,
    /// The map that it is an entry of.
    pub map: MapKind,
    pub key: String,
    pub value: Value,
    /// The value in the object; absent if there is none.
    pub found: Option<Value>,
    pub rule: String,
    pub source: String,
    /// The map in that object; absent for labels that Cluster API sets itself.
    pub place: Option<String>,
}

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
