//! Sources and rules → the maps that an object must carry, each entry with its reason.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::forced::{FORCED, Forced, ForcedValue};
use crate::catalog::keys::{UPGRADE_HOLDS, is_never};
use crate::catalog::place::{MapKind, Place};
use crate::catalog::rules::{Keys, Rule};
use crate::kube::label_value::formatted;
use crate::propagation::sources::{Facts, Sources};
use crate::report::skipped::{Carried, SkipReason, Skipped};
use crate::settings::ClusterApi;

/// One entry that an object must carry.
pub(crate) struct Expected<'s> {
    pub(crate) value: Cow<'s, str>,
    pub(crate) why: Why,
    /// The object it comes from: kind, namespace and name.
    pub(crate) source: &'s str,
    /// The place in that object; `None` for forced labels.
    pub(crate) place: Option<&'s str>,
}

/// The entries that one map must carry, by key.
pub(crate) type Entries<'s> = BTreeMap<&'s str, Expected<'s>>;

/// What asks for an entry.
#[derive(Clone, Copy)]
pub(crate) enum Why {
    Rule(&'static Rule),
    Forced(&'static Forced),
}

/// The entries that one map of one place must carry. What does not travel is added to `skipped`.
///
/// Later layers win over earlier ones, forced labels over all.
pub(crate) fn expected<'s>(
    sources: &'s Sources,
    target: Place,
    map: MapKind,
    settings: &ClusterApi,
    skipped: &mut BTreeSet<Skipped>,
) -> Entries<'s> {
    let mut expected = Entries::new();
    let mut overwrite = |expected: &mut Entries<'s>, key: &'s str, entry: Expected<'s>, reason| {
        let stands = entry.value.clone();
        if let Some(lost) = expected.insert(key, entry).filter(|lost| lost.value != stands) {
            let value = Some(lost.value.clone().into_owned());
            skipped.insert(Skipped {
                carried: Carried::Map(map),
                key: key.to_owned(),
                from: from(lost.source, lost.place),
                reason,
                value,
            });
        }
    };
    let mut left = Vec::new();
    for layer in &sources.layers {
        // What is asked for beyond Cluster API is missed nowhere else.
        let rules = Rule::reading(layer.place, map, settings.version)
            .filter(|rule| !matches!(rule.keys, Keys::OptIn) || rule.to.contains(&target));
        for rule in rules {
            for (key, value) in layer.map(map) {
                match refusal(rule, target, map, key, settings) {
                    None => {
                        let entry = Expected {
                            value: Cow::Borrowed(value),
                            why: Why::Rule(rule),
                            source: &layer.object,
                            place: Some(&layer.printed),
                        };
                        overwrite(&mut expected, key, entry, SkipReason::Overridden);
                    }
                    Some(reason) => left.push((key, reason, layer)),
                }
            }
        }
    }
    let hop = sources.layers.last().map(|layer| layer.place);
    let forced =
        FORCED.iter().filter(|row| map == MapKind::Labels && Some(row.from) == hop && row.to.contains(&target));
    for row in forced {
        if let Some(value) = value_of(row, &sources.facts) {
            let source = sources.layers.last().map(|layer| layer.object.as_str()).unwrap_or_default();
            overwrite(
                &mut expected,
                row.key,
                Expected { value, why: Why::Forced(row), source, place: None },
                SkipReason::Forced,
            );
        }
    }
    for (key, reason, layer) in left {
        // A key that arrives from elsewhere is not missed.
        if !expected.contains_key(&**key) {
            skipped.insert(Skipped {
                carried: Carried::Map(map),
                key: key.clone().into_owned(),
                from: from(&layer.object, Some(&layer.printed)),
                reason,
                value: None,
            });
        }
    }
    if sources.forced_only == Some(target) {
        let told = |entry: &Expected<'_>| matches!(entry.why, Why::Forced(_));
        for (key, entry) in expected.iter().filter(|(_, entry)| !told(entry)) {
            skipped.insert(Skipped {
                carried: Carried::Map(map),
                key: (*key).to_owned(),
                from: from(entry.source, entry.place),
                reason: SkipReason::ClassPatches,
                value: Some(entry.value.to_string()),
            });
        }
        expected.retain(|_, entry| told(entry));
    }
    expected
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

fn value_of<'s>(row: &Forced, facts: &'s Facts) -> Option<Cow<'s, str>> {
    let value = match row.value {
        ForcedValue::Empty => Some(""),
        ForcedValue::ClusterName => facts.cluster_name.as_deref(),
        ForcedValue::TopologyName => facts.topology_name.as_deref(),
        ForcedValue::OwnerName => facts.owner_name.as_deref(),
        ForcedValue::OwnerNameFormatted => return facts.owner_name.as_deref().map(formatted),
        ForcedValue::OwnersLabel => facts.owner_labels.get(row.key).map(|value| &**value),
        ForcedValue::TemplateHash => facts.template_hash.as_deref(),
    };
    value.map(Cow::Borrowed)
}

fn from(object: &str, place: Option<&str>) -> String {
    match place {
        None | Some("") => object.to_owned(),
        Some(place) => format!("{object} {place}"),
    }
}
