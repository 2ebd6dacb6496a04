//! Sources and rules → the maps that an object must carry, each entry with its reason.

use std::borrow::Cow;
use std::{mem, ptr};

use crate::catalog::keys::{UPGRADE_HOLDS, is_never};
use crate::catalog::node_restriction::forbids;
use crate::catalog::{Criterion, FORCED, Forced, ForcedValue, Keys, Place, Rule, keys};
use crate::json::{Json, Map, plain};
use crate::label_value::formatted;
use crate::propagation::layers::{EntryOrigin, Facts, Sources};
use crate::settings::{ClusterApi, NodeSync};
use crate::skipped::{Carried, SkipReason, Skipped};
use kubernetes::settings::Pattern;
use kubernetes::{MapKind, is_annotation_key, is_label_key, is_label_value};

/// One entry that an object must carry.
pub(crate) struct Expected<'e> {
    pub(crate) value: Cow<'e, str>,
    pub(crate) why: Why,
    pub(crate) origin: EntryOrigin<'e>,
    /// The map has it already.
    pub(crate) is_set: bool,
}

/// The entries that one map must carry, by ascending key.
#[derive(Default)]
pub(crate) struct Entries<'e> {
    entries: Vec<(&'e str, Expected<'e>)>,
}

impl<'e> Entries<'e> {
    pub(crate) fn get(&self, key: &str) -> Option<&Expected<'e>> {
        let index = self.entries.binary_search_by_key(&key, |(known, _)| known).ok()?;
        self.entries.get(index).map(|(_, entry)| entry)
    }

    pub(crate) fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'e str, &Expected<'e>)> {
        self.entries.iter().map(|(key, entry)| (*key, entry))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &'e str> {
        self.entries.iter().map(|(key, _)| *key)
    }

    /// The entries of a map that are not among these, by ascending key.
    pub(crate) fn others<'m>(&self, map: &Map<'m>) -> impl Iterator<Item = (&'m str, &'m str)> {
        let mut known = self.keys().peekable();
        let is_other = move |(key, _): &(&str, Json<'_>)| {
            while known.next_if(|it| it < key).is_some() {}
            known.next_if(|it| it == key).is_none()
        };
        map.entries().filter(is_other).map(|(key, value)| (key, plain(value)))
    }

    /// Merges entries with higher precedence, by ascending key, into these. Those that they replace with another value
    /// are returned.
    fn overlay(&mut self, stronger: impl Iterator<Item = (&'e str, Expected<'e>)>) -> Vec<(&'e str, Expected<'e>)> {
        let mut lost = Vec::new();
        let mut weaker = mem::take(&mut self.entries).into_iter().peekable();
        for (key, entry) in stronger {
            while let Some(kept) = weaker.next_if(|(weaker, _)| *weaker < key) {
                self.entries.push(kept);
            }
            lost.extend(weaker.next_if(|(weaker, _)| *weaker == key).filter(|(_, lost)| lost.value != entry.value));
            self.entries.push((key, entry));
        }
        self.entries.extend(weaker);
        lost
    }

    /// Marks those that a map already has.
    fn compare_with(&mut self, actual: &Map<'_>) {
        let mut actual = actual.entries().peekable();
        for (key, entry) in &mut self.entries {
            while actual.next_if(|(other, _)| other < key).is_some() {}
            let value = actual.next_if(|(other, _)| other == key).map(|(_, value)| plain(value));
            entry.is_set = value == Some(&*entry.value);
        }
    }
}

impl<'e> Expected<'e> {
    /// It is not propagated.
    fn skipped(self, map: MapKind, key: &'e str, reason: SkipReason) -> Skip<'e> {
        Skip { map, key, reason, origin: self.origin, value: Some(self.value) }
    }
}

/// What sets an entry.
#[derive(Clone, Copy)]
pub(crate) enum Why {
    Rule(&'static Rule),
    Forced(&'static Forced),
}

/// One entry of a map that is not propagated.
pub(crate) struct Skip<'e> {
    pub(crate) map: MapKind,
    pub(crate) key: &'e str,
    pub(crate) reason: SkipReason,
    origin: EntryOrigin<'e>,
    /// The value that lost, if the same key has or may have another one.
    pub(crate) value: Option<Cow<'e, str>>,
}

/// The entries that one map of one place must carry, with `actual` as its current value. What is not propagated is
/// added to `skips`.
///
/// Later layers take precedence over earlier ones, forced labels over all. Entries that must not be written are removed
/// at the end: an entry that they replace does not come back.
pub(crate) fn expected<'e>(
    sources: &Sources<'e>,
    target: Place,
    map: MapKind,
    actual: &Map<'_>,
    settings: &ClusterApi,
    skips: &mut Vec<Skip<'e>>,
) -> Entries<'e> {
    let mut expected = Entries::default();
    let mut left = Vec::new();
    for layer in &sources.layers {
        let origin = layer.origin;
        // A key that is propagated beyond Cluster API is not missing in other maps.
        let rules = Rule::reading(layer.place, map, settings.version)
            .filter(|rule| !matches!(rule.keys, Keys::OptIn) || rule.to.contains(&target));
        for rule in rules {
            let carried = layer.map(map).iter().filter_map(|(key, value)| {
                if let Some(reason) = refusal(rule, target, map, key, settings) {
                    left.push(Skip { map, key, reason, origin, value: None });
                    return None;
                }
                Some((key, Expected { value: Cow::Borrowed(value), why: Why::Rule(rule), origin, is_set: false }))
            });
            let lost = expected.overlay(carried);
            skips.extend(lost.into_iter().map(|(key, entry)| entry.skipped(map, key, SkipReason::Overridden)));
        }
    }
    if let (MapKind::Labels, Some(strongest)) = (map, sources.layers.last()) {
        let origin = EntryOrigin { place: None, ..strongest.origin };
        let rows = FORCED.iter().filter(|row| row.from == strongest.place && row.to.contains(&target));
        let entry = |row: &'static Forced| {
            let value = value_of(row, &sources.facts)?;
            Some((row.key, Expected { value, why: Why::Forced(row), origin, is_set: false }))
        };
        let mut forced: Vec<_> = rows.filter_map(entry).collect();
        forced.sort_by_key(|(key, _)| *key);
        let lost = expected.overlay(forced.into_iter());
        skips.extend(lost.into_iter().map(|(key, entry)| entry.skipped(map, key, SkipReason::Forced)));
    }
    // A key that propagates from another place is not missing.
    skips.extend(left.into_iter().filter(|skip| !expected.contains_key(skip.key)));
    expected.compare_with(actual);
    expected.entries.retain(|(key, entry)| {
        let Some(reason) = withheld(sources, target, map, key, entry) else { return true };
        skips.push(Skip { map, key, reason, origin: entry.origin, value: Some(entry.value.clone()) });
        false
    });
    expected
}

/// The entries of sources that one map of the machine template does not get, because its class has no infrastructure for
/// Machines.
pub(crate) fn without_infrastructure<'e>(
    sources: &Sources<'e>,
    template: Place,
    map: MapKind,
    settings: &ClusterApi,
) -> Vec<Skip<'e>> {
    let entries = expected(sources, template, map, &Map::default(), settings, &mut Vec::new()).entries;
    let of_rules = entries.into_iter().filter(|(_, entry)| matches!(entry.why, Why::Rule(_)));
    let skip = |(key, Expected { origin, .. })| {
        let reason = SkipReason::NoMachineInfrastructure;
        Skip { map, key, reason, origin, value: None }
    };
    of_rules.map(skip).collect()
}

/// Why an entry from a source is not written; `None` if it is. An entry that the object already has is not checked.
fn withheld(sources: &Sources<'_>, target: Place, map: MapKind, key: &str, entry: &Expected<'_>) -> Option<SkipReason> {
    let by_class = target == Place::ControlPlane && !matches!(entry.why, Why::Forced(_));
    if by_class && sources.patches.may_decide(map, key) {
        return Some(SkipReason::ClassPatches);
    }
    if entry.is_set {
        return None;
    }
    let [labels, annotations] = &sources.of_provider;
    if map.of(labels, annotations).contains(key) {
        return Some(SkipReason::ControllerOwned);
    }
    // NodeRestriction only checks labels that change.
    let changes = |stored: &Map<'_>| stored.get(key) != Some(&*entry.value);
    if map == MapKind::Labels && sources.stored_for_kubelet.as_ref().is_some_and(changes) && forbids(key) {
        return Some(SkipReason::NodeRestriction);
    }
    match map {
        MapKind::Labels if !is_label_key(key) => Some(SkipReason::IllegalKey),
        MapKind::Labels if !is_label_value(&entry.value) => Some(SkipReason::IllegalValue),
        MapKind::Annotations if !is_annotation_key(key) => Some(SkipReason::IllegalKey),
        _ => None,
    }
}

/// Why a rule does not propagate a key to a place; `None` if it does.
fn refusal(rule: &Rule, target: Place, map: MapKind, key: &str, settings: &ClusterApi) -> Option<SkipReason> {
    if map == MapKind::Annotations && is_never(key) {
        return Some(SkipReason::ControllerOwned);
    }
    if !rule.to.contains(&target) {
        return Some(SkipReason::NotPropagated);
    }
    if rule.carries(key, settings) {
        return None;
    }
    Some(match rule.keys {
        Keys::Only(_) => SkipReason::NodeCriteria,
        Keys::OptIn => SkipReason::NotPropagated,
        _ if UPGRADE_HOLDS.contains(&key) => SkipReason::UpgradeHold,
        _ => SkipReason::ControllerOwned,
    })
}

fn value_of<'e>(row: &Forced, facts: &Facts<'e>) -> Option<Cow<'e, str>> {
    let value = match row.value {
        ForcedValue::Empty => Some(""),
        ForcedValue::ClusterName => facts.cluster_name,
        ForcedValue::TopologyName => facts.topology_name,
        ForcedValue::OwnerName => facts.owner_name,
        ForcedValue::OwnerNameFormatted => return facts.owner_name.map(formatted),
        ForcedValue::OwnersLabel => facts.owner_labels.get(row.key),
        ForcedValue::TemplateHash => facts.template_hash,
    };
    value.map(Cow::Borrowed)
}

impl Why {
    /// What sets an entry, as the page names it.
    pub(crate) fn line(self) -> String {
        match self {
            Why::Rule(rule) => rule.line(),
            Why::Forced(forced) => forced.line(),
        }
    }

    /// Whether both are the same row.
    pub(crate) fn is(self, other: Why) -> bool {
        match (self, other) {
            (Why::Rule(rule), Why::Rule(other)) => ptr::eq(rule, other),
            (Why::Forced(forced), Why::Forced(other)) => ptr::eq(forced, other),
            _ => false,
        }
    }
}

impl From<Skip<'_>> for Skipped {
    fn from(skip: Skip<'_>) -> Skipped {
        Skipped {
            carried: Carried::Map(skip.map),
            key: skip.key.to_owned(),
            from: skip.origin.into(),
            reason: skip.reason,
            value: skip.value.map(Cow::into_owned),
            instead: None,
        }
    }
}

impl Rule {
    /// Whether the rule propagates a key with these settings.
    pub(crate) fn carries(&self, key: &str, settings: &ClusterApi) -> bool {
        match &self.keys {
            Keys::Every => true,
            Keys::Except(keys) => !keys.contains(&key),
            Keys::Only(criteria) => criteria.iter().any(|criterion| criterion.is_met(key, &settings.node)),
            Keys::OptIn => settings.opt_in.machine_to_infra.iter().any(|selected| selected == key),
        }
    }
}

impl ClusterApi {
    /// Whether the settings propagate keys of a Machine without a controller to the objects that belong to it.
    pub(super) fn carries_from_machines(&self) -> bool {
        !self.opt_in.machine_to_infra.is_empty()
    }
}

impl Criterion {
    fn is_met(&self, key: &str, node: &NodeSync) -> bool {
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.is_match(key));
        match self {
            Criterion::Prefix(prefix) => keys::prefix(key) == *prefix,
            Criterion::Domain(domain) => keys::belongs_to(key, domain),
            Criterion::AdditionalLabels => any(&node.additional_labels),
            Criterion::AdditionalAnnotations => any(&node.additional_annotations),
        }
    }
}
