//! What this policy added before the responsible manager had applied, and the sources have dropped since.
//!
//! The policy began the manager's entry for it. With the manager's first apply, that entry is the manager's own, and the
//! manager removes what it no longer declares. Until then, for example where no controller runs, the policy does so.

use std::collections::BTreeSet;
use std::ops::Deref;

use super::layers::Sources;
use super::metadata::Compared;
use super::owned_path::{OwnedChange, OwnedPath, OwnedValue};
use super::ownership::Ownership;
use crate::catalog::keys::is_never;
use crate::catalog::{Place, Version, responsible};
use crate::json::Path;
use crate::subject::Subject;
use kubernetes::{Action, MapKind, Stop, Value, own_change};

/// The changes that remove from one map what only an entry that was begun has, and no source any more. A value that this
/// request changes belongs to the user, labels by which owners find their objects stay, and so does what is `held`.
pub(super) fn dropped<'s, 'e: 's>(
    subject: &Subject<'_>,
    sources: &Sources<'_>,
    compared: &Compared<'_>,
    version: Version,
    held: &BTreeSet<&str>,
    ownership: &impl Deref<Target = Ownership<'s, 'e>>,
) -> Result<Vec<OwnedChange>, Stop> {
    let Compared { target: place, map, expected, actual } = compared;
    // Not every write reads a control plane's own template, which has entries for it too.
    if matches!(place, Place::ControlPlane | Place::ControlPlaneMachineTemplate) {
        return Ok(Vec::new());
    }
    let manager = responsible(sources.owner_kind, *place, version).filter(|_| !sources.tracked);
    let Some(manager) = manager.filter(|_| subject.review.is_of_api_server) else { return Ok(Vec::new()) };
    let stored = subject.old_map(*place, *map)?;
    let stays = |key: &str| match map {
        MapKind::Labels => sources.finds_by(key),
        MapKind::Annotations => is_never(key),
    };
    let may_go = |(key, value): &(&str, &str)| !stays(key) && stored.get(key) == Some(*value);
    let mut candidates = expected.others(actual).filter(may_go).peekable();
    // Owners are only read if there is something that the sources do not have.
    if candidates.peek().is_none() {
        return Ok(Vec::new());
    }
    let owned = OwnedPath {
        place: *place,
        value: OwnedValue::Entry(*map),
        elements: Vec::new(),
        is_as_stored: false,
        can_wait: true,
        manager: Some(manager),
        begins: false,
    };
    let begun = ownership.begun_alone(manager, &owned);
    let gone = candidates.filter(|(key, _)| begun.contains(key) && !held.contains(key));
    let removed = |(key, value): (&str, &str)| {
        let path = Path::fields(place.path(subject.object.version)).field(map.field());
        let change = own_change(path, (*map).into(), key, Action::Removed, Some(Value::string(value)), None);
        OwnedChange { change, owned: Some(owned.clone()) }
    };
    Ok(gone.map(removed).collect())
}
