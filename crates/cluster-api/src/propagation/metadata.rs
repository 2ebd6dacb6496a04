//! What an object carries, compared with what it must carry.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::dropped::{ComparedMap, dropped};
use super::fields::{self, FieldDifferences};
use super::managed::recorded;
use super::node_record;
use crate::catalog::appliers::{may_be_begun, responsible};
use crate::catalog::keys::TRACKING;
use crate::catalog::kinds::may_carry_record;
use crate::catalog::place::Place;
use crate::catalog::version::Version;
use crate::json::Map;
use crate::json::document::Document;
use crate::json::path::Path;
use crate::parents::ClusterState;
use crate::propagation::expected::{Entries, Expected, Skip, Why, expected, without_infrastructure};
use crate::propagation::layers::{EntryOrigin, Sources};
use crate::propagation::managed::{Record, claimed};
use crate::propagation::owned_path::{OwnedChange, OwnedPath, OwnedValue};
use crate::propagation::ownership::Ownership;
use crate::propagation::room::leave_out_what_has_no_room;
use crate::propagation::sources;
use crate::settings::ClusterApi;
use crate::skipped::{Carried, SkipReason, Skipped};
use crate::subject::Subject;
use kubernetes::decision::change::{Action, Change, Value, own_change};
use kubernetes::decision::change_rule::ChangeRule;
use kubernetes::decision::not_applicable::NotApplicableReason;
use kubernetes::decision::source::{SourceObject, SourcePath};
use kubernetes::decision::stop::Stop;
use kubernetes::lookup::Lookups;
use kubernetes::map_kind::MapKind;
use kubernetes::request::Operation;

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
    let mut left_out = Vec::new();
    if let Some(template) = sources.without_infrastructure.filter(|_| !subject.object.deleting) {
        left_out.extend(MapKind::BOTH.map(|map| without_infrastructure(&sources, template, map, settings)));
    }
    let left_out: Vec<Skip<'_>> = left_out.into_iter().flatten().collect();
    let left_out_keys: BTreeSet<(MapKind, &str)> = left_out.iter().map(|skip| (skip.map, skip.key)).collect();
    let mut changes = missing(subject, &sources, &compared, settings.version)?;
    let mut source_keys = SourceKeys::default();
    if subject.template().is_some() || subject.place == Some(Place::Machine) {
        source_keys.carried = carried(subject, &sources, &compared, &skips);
    }
    skips.retain(|skip| match skip.reason {
        // A key that propagates to one place of the object is not missing in another.
        SkipReason::NotPropagated => {
            !compared.iter().any(|of| of.map == skip.map && of.expected.contains_key(skip.key))
                && !left_out_keys.contains(&(skip.map, skip.key))
        }
        // An entry that has the right value was propagated.
        SkipReason::ClassPatches => subject.object.top_level(skip.map).get(skip.key) != skip.value.as_deref(),
        _ => true,
    });
    let mut skipped: Vec<Skipped> = skips.into_iter().chain(left_out).map(Skip::into).collect();
    let mut fields = FieldDifferences::default();
    if settings.fields {
        fields = fields::differences(subject, &sources, settings, &mut skipped)?;
        changes.append(&mut fields.changes);
    }
    skipped.sort();
    skipped.dedup();
    if records {
        for Compared { target, map, expected, actual } in &compared {
            let compared = ComparedMap { place: *target, map: *map, expected, actual };
            changes.extend(dropped(subject, &sources, &compared, settings.version, &held(&skipped, *map))?);
        }
    }
    if records && subject.place.is_some_and(may_carry_record) && !subject.object.deleting {
        keep_record(subject, &sources, &compared, &fields, &skipped, settings.version, &mut changes)?;
    }
    if records {
        changes
            .extend(node_record::records(subject, &changes, settings.on_conflict)?.into_iter().map(OwnedChange::from));
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

/// One map of the object, and what it must carry.
struct Compared<'e> {
    target: Place,
    map: MapKind,
    expected: Entries<'e>,
    actual: Map<'e>,
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
fn held(skipped: &[Skipped], map: MapKind) -> BTreeSet<&str> {
    let of_map = skipped.iter().filter(|skip| skip.carried == Carried::Map(map));
    of_map.filter(|skip| skip.reason.is_illegal()).map(|skip| &*skip.key).collect()
}

/// Removes what the record contains and the sources dropped, and updates the record. Labels by which owners find their
/// objects stay: those that Cluster API forces, and those of the owner's selector.
fn keep_record(
    subject: &Subject<'_>,
    sources: &Sources<'_>,
    compared: &[Compared<'_>],
    of_fields: &FieldDifferences,
    skipped: &[Skipped],
    version: Version,
    changes: &mut Vec<OwnedChange>,
) -> Result<(), Stop> {
    let tracked = sources.tracked;
    // A record may only be in the stored object, if this request drops it.
    let old = subject.old()?;
    if !tracked
        && of_fields.of_pool.is_empty()
        && !subject.object.annotations.contains_key(TRACKING)
        && !old.is_some_and(|old| old.annotations.contains_key(TRACKING))
    {
        return Ok(());
    }
    let mut record = Record::stored(subject)?;
    let mut written = Record::of(&subject.object);
    let ownership = Ownership::of(subject);
    let returns_owners = ownership.can_be_returned();
    // What is written loses owners that the request names.
    let owners = old.and_then(|_| ownership.returned(changes)).map(Document::new);
    let own = compared.iter().filter(|of| Some(of.target) == subject.place);
    let applier = subject.place.and_then(|place| responsible(sources.owner_kind, place, version));
    let applier = applier.filter(|manager| ownership.applies(manager));
    for Compared { target, map, expected, actual } in own {
        let stored = subject.old_map(*target, *map)?;
        let was_right =
            |key: &str| stored.contains_key(key) && stored.get(key) == expected.get(key).map(|it| &*it.value);
        let restored = |key: &str| was_right(key) && actual.get(key) != stored.get(key);
        // A manager that changed a value which is restored no longer owns it, unless its owners cannot be restored.
        let mut claimed = claimed(subject.object.managed_fields, *map);
        if let Some(old) = old.filter(|_| returns_owners) {
            let before = self::claimed(old.managed_fields, *map);
            claimed.retain(|key| !restored(key) || before.contains(key));
            claimed.extend(before.into_iter().filter(|key| restored(key)));
        }
        if let Some(owners) = &owners {
            let after = self::claimed(owners.root(), *map);
            claimed.retain(|key| (returns_owners && restored(key)) || after.contains(key));
        }
        let keys = record.keys(*map);
        keys.retain(|key| !claimed.contains(&**key));
        // Its source still has it, with a value that cannot be written.
        let held = held(skipped, *map);
        let is_held = |key: &str| held.contains(key) && actual.contains_key(key);
        let finds = |key: &str| *map == MapKind::Labels && sources.finds_by(key);
        let stays = |key: &str| expected.contains_key(key) || is_held(key) || finds(key);
        for key in keys.iter().filter(|key| !stays(key)) {
            // A value changed by this request belongs to the user.
            let is_stored = old.is_none() || stored.get(key) == actual.get(key);
            if let Some(value) = actual.get(key).filter(|_| is_stored) {
                let path = Path::fields(&["metadata", map.field()]);
                let removed = own_change(path, (*map).into(), key, Action::Removed, Some(Value::string(value)), None);
                changes.push(removed.into());
            }
        }
        keys.retain(|key| tracked && (expected.contains_key(key.as_str()) || is_held(key)));
        if tracked {
            // New means not in the stored object: what this request lacks, and what an earlier evaluation of the same
            // request added and recorded. A key that was stored before or is claimed belongs to another owner, unless
            // it is restored and still belongs to the user who edited it.
            let written = written.keys(*map);
            let added = |key: &str| !stored.contains_key(key) && (!actual.contains_key(key) || written.contains(key));
            let taken = |key: &str| !returns_owners && (restored(key) || (was_right(key) && written.contains(key)));
            // A manager that will remove the key itself owns what is added.
            let is_given = |key: &str| !actual.contains_key(key) && applier.is_some();
            let ours = |key: &str| !claimed.contains(key) && !is_given(key) && (added(key) || taken(key));
            keys.extend(expected.keys().filter(|key| ours(key)).map(str::to_owned));
        }
    }
    fields::keep_record(subject, of_fields, returns_owners, record.fields(), written.fields(), changes)?;
    changes.extend(recorded(&subject.object, &record).map(OwnedChange::from));
    Ok(())
}
