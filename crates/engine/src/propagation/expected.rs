//! Sources and rules → the maps that an object must carry, each entry with its reason.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ptr;

use crate::catalog::forced::{FORCED, Forced, ForcedValue};
use crate::catalog::keys::{UPGRADE_HOLDS, is_never};
use crate::catalog::node_restriction::forbids;
use crate::catalog::place::{MapKind, Place};
use crate::catalog::rules::{Keys, Rule};
use crate::json::Map;
use crate::kube::label_value::formatted;
use crate::kube::metadata_key::{is_annotation_key, is_label_key, is_label_value};
use crate::propagation::layers::{Facts, Origin, Sources};
use crate::report::skipped::{Carried, SkipReason, Skipped};
use crate::settings::ClusterApi;

/// One entry that an object must carry.
pub(crate) struct Expected<'e> {
    pub(crate) value: Cow<'e, str>,
    pub(crate) why: Why,
    pub(crate) origin: Origin<'e>,
}

/// The entries that one map must carry, by key.
pub(crate) type Entries<'e> = BTreeMap<&'e str, Expected<'e>>;

/// What asks for an entry.
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
    origin: Origin<'e>,
    /// The value that lost, where another one stands or may stand under the same key.
    pub(crate) value: Option<Cow<'e, str>>,
}

/// The entries that one map of one place must carry, where it is `actual` so far. What is not propagated is added to
/// `skips`.
///
/// Later layers win over earlier ones, forced labels over all. What must not be written is left out in the end: it does
/// not give way to what it overwrites.
pub(crate) fn expected<'e>(
    sources: &Sources<'e>,
    target: Place,
    map: MapKind,
    actual: &Map<'_>,
    settings: &ClusterApi,
    skips: &mut Vec<Skip<'e>>,
) -> Entries<'e> {
    let mut expected = Entries::new();
    let mut left = Vec::new();
    for layer in &sources.layers {
        let origin = layer.origin;
        // What is asked for beyond Cluster API is missed nowhere else.
        let rules = Rule::reading(layer.place, map, settings.version)
            .filter(|rule| !matches!(rule.keys, Keys::OptIn) || rule.to.contains(&target));
        for rule in rules {
            for (key, value) in layer.map(map).iter() {
                if let Some(reason) = refusal(rule, target, map, key, settings) {
                    left.push(Skip { map, key, reason, origin, value: None });
                } else {
                    let entry = Expected { value: Cow::Borrowed(value), why: Why::Rule(rule), origin };
                    skips.extend(overwrite(&mut expected, map, key, entry, SkipReason::Overridden));
                }
            }
        }
    }
    if let (MapKind::Labels, Some(strongest)) = (map, sources.layers.last()) {
        let origin = Origin { place: None, ..strongest.origin };
        for row in FORCED.iter().filter(|row| row.from == strongest.place && row.to.contains(&target)) {
            if let Some(value) = value_of(row, &sources.facts) {
                let entry = Expected { value, why: Why::Forced(row), origin };
                skips.extend(overwrite(&mut expected, map, row.key, entry, SkipReason::Forced));
            }
        }
    }
    // A key that arrives from elsewhere is not missed.
    skips.extend(left.into_iter().filter(|skip| !expected.contains_key(skip.key)));
    expected.retain(|key, entry| {
        let Some(reason) = withheld(sources, target, map, key, entry, actual) else { return true };
        skips.push(Skip { map, key, reason, origin: entry.origin, value: Some(entry.value.clone()) });
        false
    });
    expected
}

/// Why an entry that comes from above is not written; `None` where it is. What the object has already needs no judgement.
fn withheld(
    sources: &Sources<'_>,
    target: Place,
    map: MapKind,
    key: &str,
    entry: &Expected<'_>,
    actual: &Map<'_>,
) -> Option<SkipReason> {
    let by_class = target == Place::ControlPlane && !matches!(entry.why, Why::Forced(_));
    if by_class && sources.patches.may_decide(map, key) {
        return Some(SkipReason::ClassPatches);
    }
    if actual.get(key) == Some(&*entry.value) {
        return None;
    }
    // What is as it was is no change to NodeRestriction.
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

/// Sets an entry; what it overwrites, where that has another value, does not travel.
fn overwrite<'e>(
    expected: &mut Entries<'e>,
    map: MapKind,
    key: &'e str,
    entry: Expected<'e>,
    reason: SkipReason,
) -> Option<Skip<'e>> {
    let value = entry.value.clone();
    let lost = expected.insert(key, entry).filter(|lost| lost.value != value)?;
    Some(Skip { map, key, reason, origin: lost.origin, value: Some(lost.value) })
}

/// Why a rule does not bring a key to a place; `None` where it does.
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
    /// What asks for an entry, in the page's words.
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
            from: skip.origin.to_string(),
            reason: skip.reason,
            value: skip.value.map(Cow::into_owned),
            advice: None,
        }
    }
}
