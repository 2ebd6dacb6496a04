//! What an object carries, compared with what it must carry.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::dropped::dropped;
use super::fields::FieldDifferences;
use super::kept_record::RecordKeeping;
use super::{fields, node_record};
use crate::catalog::{FIELDS, Place, Version, may_be_begun, may_carry_record, responsible};
use crate::json::{Malformed, Map, Path};
use crate::parents::ClusterState;
use crate::propagation::expected::{Entries, Expected, Skip, Why, expected, without_infrastructure};
use crate::propagation::layers::{EntryOrigin, Sources};
use crate::propagation::owned_path::{OwnedChange, OwnedPath, OwnedValue};
use crate::propagation::ownership::Ownership;
use crate::propagation::room::leave_out_what_has_no_room;
use crate::propagation::sources;
use crate::settings::ClusterApi;
use crate::skipped::{Carried, SkipReason, Skipped};
use crate::subject::Subject;
use kubernetes::{
    Action, Change, ChangeRule, Lookups, MapKind, NotApplicableReason, Operation, SourceObject, SourcePath, Stop, Value,
};

/// Differences, entries that were skipped, and entries from sources.
#[derive(Default)]
pub struct Differences<'e> {
    /// Entries and fields that differ.
    pub changes: Vec<OwnedChange>,
    /// Sorted.
    pub skipped: Vec<Skipped>,
    /// Only of an object that propagates keys or has guards.
    pub source_keys: SourceKeys<'e>,
}

/// What the sources set.
#[derive(Debug, Default)]
pub struct SourceKeys<'e> {
    /// The keys that may be set, in sorted lists.
    carried: Vec<(MapKind, Vec<&'e str>)>,
    /// The labels by which the owner finds the objects that it controls, if it has a selector.
    pub selector: Option<BTreeSet<&'e str>>,
}

impl SourceKeys<'_> {
    /// Whether a key propagates from a source.
    pub(crate) fn has(&self, map: MapKind, key: &str) -> bool {
        self.carried.iter().any(|(of, keys)| *of == map && keys.binary_search(&key).is_ok())
    }
}

/// Compares an object with its sources, and, if `records` is set, with the record of what this policy added.
///
/// # Errors
/// When nothing propagates to the object, or when it is not known what does.
pub fn differences<'e>(
    subject: &Subject<'e>,
    settings: &ClusterApi,
    records: bool,
    lookups: &Lookups<'e>,
) -> Result<Differences<'e>, Stop> {
    let sources = sources::of(subject, settings, lookups)?;
    let mut skips = Vec::new();
    let mut compared = Vec::new();
    // In an object that is being deleted only fields are propagated.
    let targets: &[Place] = if subject.object.deleting { &[] } else { &sources.targets };
    for &target in targets {
        for map in MapKind::BOTH {
            let actual = target.map(&subject.object, map, None)?;
            let expected = expected(&sources, target, map, &actual, settings, &mut skips);
            compared.push(Compared { target, map, expected, actual });
        }
    }
    let template = sources.without_infrastructure.filter(|_| !subject.object.deleting);
    let of_template = |template| MapKind::BOTH.map(|map| without_infrastructure(&sources, template, map, settings));
    let left_out: Vec<Skip<'_>> = template.into_iter().flat_map(of_template).flatten().collect();
    let mut changes = missing(subject, &sources, &compared, settings.version)?;
    let mut source_keys = SourceKeys::default();
    if subject.template().is_some() || subject.place == Some(Place::Machine) {
        source_keys.carried = carried(subject, &sources, &compared, &skips);
    }
    skips.retain(|skip| is_reported(skip, subject, &compared, &left_out));
    let mut skipped: Vec<Skipped> = skips.into_iter().chain(left_out).map(Skip::into).collect();
    let mut fields = FieldDifferences::default();
    if settings.fields {
        fields = fields::differences(subject, &sources, settings, &mut skipped)?;
        changes.append(&mut fields.changes);
    }
    skipped.sort();
    skipped.dedup();
    // Read at most once: an object may have thousands of managers.
    let ownership = LazyCell::new(|| Ownership::of(subject));
    if records {
        for of in &compared {
            let held = held(&skipped, of.map);
            changes.extend(dropped(subject, &sources, of, settings.version, &held, &ownership)?);
        }
    }
    if records && subject.place.is_some_and(may_carry_record) && !subject.object.deleting {
        let (compared, of_fields, version) = (&compared, &fields, settings.version);
        RecordKeeping { subject, sources: &sources, compared, of_fields, skipped: &skipped, version }
            .keep(&ownership, &mut changes)?;
    }
    if records {
        let recorded = node_record::records(subject, &changes, settings.on_conflict, &ownership)?;
        changes.extend(recorded.into_iter().map(OwnedChange::from));
    }
    leave_out_what_has_no_room(&subject.object, &mut changes, &mut skipped)?;
    if let Some((namespace, name)) = sources.unread_cluster.filter(|_| !changes.is_empty())
        && ClusterState::read(lookups, namespace, name)?.is_paused
    {
        return Err(Stop::not_applicable(NotApplicableReason::Paused, format!("Cluster {namespace}/{name}")));
    }
    source_keys.selector = sources.selector;
    Ok(Differences { changes, skipped, source_keys })
}

/// Whether an entry that is skipped at one place is reported.
fn is_reported(skip: &Skip<'_>, subject: &Subject<'_>, compared: &[Compared<'_>], left_out: &[Skip<'_>]) -> bool {
    match skip.reason {
        // A key that propagates to one place of the object is not missing in another.
        SkipReason::NotPropagated => {
            !compared.iter().any(|of| of.map == skip.map && of.expected.contains_key(skip.key))
                && !left_out.iter().any(|other| (other.map, other.key) == (skip.map, skip.key))
        }
        // An entry that has the right value was propagated.
        SkipReason::ClassPatches => subject.object.top_level(skip.map).get(skip.key) != skip.value.as_deref(),
        _ => true,
    }
}

/// One map of the object, and what it must carry.
pub(super) struct Compared<'e> {
    pub(super) target: Place,
    pub(super) map: MapKind,
    pub(super) expected: Entries<'e>,
    pub(super) actual: Map<'e>,
}

impl<'e> Compared<'e> {
    /// The entries that the map lacks, or has with another value.
    fn missing(&self) -> impl Iterator<Item = (&'e str, &Expected<'e>)> {
        self.expected.iter().filter(|(_, entry)| !entry.is_set)
    }
}

/// The changes that set the entries that an object lacks.
fn missing(
    subject: &Subject<'_>,
    sources: &Sources<'_>,
    compared: &[Compared<'_>],
    version: Version,
) -> Result<Vec<OwnedChange>, Stop> {
    let mut changes = Vec::with_capacity(compared.iter().map(|of| of.missing().count()).sum());
    let mut descriptions = Descriptions::default();
    for of in compared.iter().filter(|of| of.missing().next().is_some()) {
        let Compared { target, map, actual, .. } = of;
        let old = subject.old_map(*target, *map)?;
        let written = WrittenMap::of(*target, *map, subject.object.version);
        let manager = responsible(sources.owner_kind, *target, version);
        changes.extend(of.missing().map(|(key, entry)| {
            let owned = OwnedPath {
                place: *target,
                value: OwnedValue::Entry(*map),
                elements: Vec::new(),
                is_as_stored: old.get(key) == Some(&*entry.value),
                can_wait: !(sources.tracked || *map == MapKind::Labels && sources.finds_by(key)),
                manager,
                begins: !sources.tracked && may_be_begun(version),
            };
            descriptions.change(&written, key, entry, actual, owned)
        }));
    }
    Ok(changes)
}

/// The keys that may propagate from sources, in sorted lists.
fn carried<'e>(
    subject: &Subject<'e>,
    sources: &Sources<'e>,
    compared: &[Compared<'e>],
    skips: &[Skip<'e>],
) -> Vec<(MapKind, Vec<&'e str>)> {
    let mut carried: Vec<_> = compared.iter().map(|of| (of.map, of.expected.keys().collect())).collect();
    for map in MapKind::BOTH {
        let of_class = skips.iter().filter(|skip| skip.map == map && skip.reason == SkipReason::ClassPatches);
        let mut of_class: Vec<&str> = of_class.map(|skip| skip.key).collect();
        of_class.sort_unstable();
        carried.push((map, of_class));
        // A new object may have everything that the patches of its class set.
        if subject.review.operation == Operation::Create {
            let of_patches = subject.object.top_level(map).keys().filter(|key| sources.patches.may_decide(map, key));
            carried.push((map, of_patches.collect()));
        }
    }
    carried
}

/// One map of the object, as the report names it.
struct WrittenMap {
    path: Arc<Path>,
    at: Arc<str>,
    map: MapKind,
}

impl WrittenMap {
    fn of(target: Place, map: MapKind, version: &str) -> Self {
        let path = Path::fields(target.path(version)).field(map.field());
        WrittenMap { at: path.to_string().into(), path: path.into(), map }
    }
}

/// What entries have in common in the report: few rules and sources give many entries.
#[derive(Default)]
struct Descriptions<'e> {
    /// For each rule and place that an entry propagates by and from.
    origins: Vec<(Why, EntryOrigin<'e>, Description)>,
}

/// The rule by which entries propagate, the object, and the map in it.
#[derive(Clone)]
struct Description {
    rule: ChangeRule,
    source: SourceObject,
    place: Option<SourcePath>,
}

impl<'e> Descriptions<'e> {
    fn of(&mut self, why: Why, origin: EntryOrigin<'e>, map: MapKind) -> Description {
        let known = self.origins.iter().find(|(of, from, _)| of.is(why) && *from == origin);
        if let Some((.., description)) = known {
            return description.clone();
        }
        let place = origin.place.map(|place| origin.map_path(place, map));
        let description =
            Description { rule: ChangeRule::Row(why.line().into()), source: SourceObject::from(&origin.object), place };
        self.origins.push((why, origin, description.clone()));
        description
    }

    /// One entry that differs.
    fn change(
        &mut self,
        written: &WrittenMap,
        key: &str,
        entry: &Expected<'e>,
        actual: &Map<'_>,
        owned: OwnedPath,
    ) -> OwnedChange {
        let from = actual.get(key).map(Value::string);
        let action = match from {
            _ if owned.is_as_stored => Action::Restored,
            Some(_) => Action::Changed,
            None => Action::Added,
        };
        let Description { rule, source, place } = self.of(entry.why, entry.origin, written.map);
        let change = Change {
            at: Arc::clone(&written.at),
            key: key.to_owned(),
            action,
            from,
            to: Some(Value::string(&entry.value)),
            rule,
            source: Some(source),
            path: Arc::clone(&written.path),
            entry: written.map.into(),
            place,
        };
        OwnedChange { change, owned: Some(owned) }
    }
}

/// The keys of a map that a source still has, with values that cannot be written.
pub(super) fn held(skipped: &[Skipped], map: MapKind) -> BTreeSet<&str> {
    let of_map = skipped.iter().filter(|skip| skip.carried == Carried::Map(map));
    of_map.filter(|skip| skip.reason.is_illegal()).map(|skip| &*skip.key).collect()
}

/// Whether an UPDATE changes no map and no field that the rules may write.
pub fn leaves_owned_as_stored(subject: &Subject<'_>) -> Result<bool, Malformed> {
    let (Some(old), Some(place)) = (subject.old()?, subject.place) else { return Ok(false) };
    let object = &subject.object;
    for place in [Some(place), subject.template()].into_iter().flatten() {
        for map in MapKind::BOTH {
            if place.map(object, map, None)? != place.map(old, map, None)? {
                return Ok(false);
            }
        }
    }
    for field in FIELDS {
        if field.read(place, object, None)? != field.read(place, old, None)? {
            return Ok(false);
        }
    }
    Ok(true)
}
