//! Whether the cloud accepts the tags of a resource: on some kinds it accepts fewer than elsewhere.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::field_path::FieldPathStep;
use super::other_cloud::refused_character;
use super::resource::ComposedResource;
use super::tag_keys::TagKeys;
use super::types::steps_in;
use super::value::{SimulatedValue, begins};
use crate::carriers::{Tags, added_tags, cloud_of};
use crate::fault::TagFault;
use crate::faults::FaultSeverity::{Fails, Loss, Risk};
use crate::faults::Faults;
use crate::kind_limits::{KindLimit, Limit, RefusedKeys};
use kubernetes::Mentioned;
use tag_rules::{Cloud, KeyCase};

/// Characters of every tag key that no strict profile spells.
const SEPARATORS: &str = ":/";

/// Whether the cloud accepts the tags that a resource gets from one composite; `is_of_composite` says which keys are
/// those of `spec.cloudTags`, and `limit` is the number of tags that the composite's profile allows, if that is known.
pub(super) fn judge_tags<'a>(
    resource: &ComposedResource<'a>,
    is_of_composite: impl Fn(&str) -> bool,
    limit: Option<usize>,
    faults: &mut Faults<'a>,
) {
    let kind = resource.kind;
    let Some(Tags::Map(field)) = kind.known.map(|known| known.tags) else { return };
    let Ok(map) = resource.object.get(&steps_in(field, &resource.object)).map(|map| map.into_owned()) else { return };
    let keys: Vec<&str> =
        map.entries().into_iter().filter(|(_, value)| !value.is_absent()).map(|(key, _)| key).collect();
    let mut most = cloud_of(kind.group).and_then(|provider| Cloud::of(provider)?.tags);
    for limit in KindLimit::of(kind.group, kind.kind) {
        let fault = match limit.limit {
            Limit::Characters { .. } if !is_as_limited(limit, &resource.object) => None,
            // Of the characters of every key, `judge_keys` says more.
            Limit::Characters { .. } | Limit::FirstDigit => keys
                .iter()
                .filter(|key| is_of_composite(key))
                .find_map(|key| refused_character(limit, key, kind.kind, SEPARATORS)),
            Limit::Tags(number) => {
                most = Some(number);
                None
            }
            Limit::KeyLength(number) => keys.iter().find(|key| key.chars().count() > number).map(|key| {
                let (key, kind) = ((*key).into(), kind.kind.into());
                TagFault::KeyTooLong { key, most: number, kind }
            }),
            Limit::SameKeys => same_keys(&keys),
        };
        if let Some(fault) = fault {
            let is_dropped =
                matches!(limit.limit, Limit::FirstDigit | Limit::Characters { effect: RefusedKeys::Tags, .. });
            faults.add(if is_dropped { Loss } else { Fails }, resource.at, fault);
        }
    }
    let added = added_tags(kind.group, field);
    let Some(most) = most.filter(|most| keys.len() + added > *most) else { return };
    let (count, others) = (keys.len() + added, added + keys.iter().filter(|key| !is_of_composite(key)).count());
    match most < keys.len() && others == added {
        true => {
            faults.add(Fails, resource.at, TagFault::TooManyTags { count: keys.len(), most, kind: kind.kind.into() })
        }
        false => faults.add(Risk, resource.at, no_room(count, most, others, limit)),
    }
}

/// What is reserved is subtracted from the number of tags that the profile allows, and that of the kind may be lower.
fn no_room(count: usize, most: usize, others: usize, limit: Option<usize>) -> TagFault {
    let left = most.saturating_sub(others);
    match limit.filter(|limit| left > 0 && *limit > left) {
        Some(limit) => TagFault::NoRoom { count, most, reserve: limit - left, limit },
        None => TagFault::NoRoomAtAll { count, most, others },
    }
}

/// Two keys that differ in case only.
fn same_keys(keys: &[&str]) -> Option<TagFault> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    keys.iter().find_map(|key| {
        let one = seen.insert(key.to_lowercase(), key)?;
        Some(TagFault::SameKeys { one: Mentioned(one.to_owned()), other: Mentioned((*key).to_owned()) })
    })
}

/// Whether the cloud accepts the keys on this kind.
pub(super) fn judge_keys<'a>(resource: &ComposedResource<'a>, keys: TagKeys<'_>, faults: &mut Faults<'a>) {
    let kind = resource.kind;
    for limit in KindLimit::of(kind.group, kind.kind).filter(|limit| is_as_limited(limit, &resource.object)) {
        let samples = keys.samples(cloud_of(kind.group));
        let Limit::Characters { refuses, effect, profile } = limit.limit else { continue };
        let refused = |key: &String| key.chars().find(|char| refuses.contains(*char));
        let Some(char) = samples.iter().find_map(refused) else { continue };
        let (severity, fault) = match effect {
            RefusedKeys::Resource => (Fails, TagFault::KeysRefuseResource { char, profile: profile.into() }),
            RefusedKeys::Tags => (Loss, TagFault::KeysDropped { char, profile: profile.into() }),
        };
        faults.add(severity, resource.at, fault);
    }
    judge_case(resource, faults);
}

/// Whether a key is one of the policy's for a cloud that ignores the case of keys.
fn judge_case<'a>(resource: &ComposedResource<'a>, faults: &mut Faults<'a>) {
    let kind = resource.kind;
    let cloud = cloud_of(kind.group).and_then(Cloud::of);
    let ignores_case = cloud.is_some_and(|cloud| matches!(cloud.case, KeyCase::Ignored | KeyCase::FirstStays))
        || KindLimit::of(kind.group, kind.kind).any(|limit| matches!(limit.limit, Limit::SameKeys));
    let Some(tags) = resource.tags().filter(|_| ignores_case) else { return };
    let Ok(map) = resource.object.get(&kind.steps()) else { return };
    let folded: Vec<Cow<'_, str>> = tags.prefixes.iter().map(|prefix| prefix.to_lowercase().into()).collect();
    for (key, value) in map.entries() {
        if begins(&folded, &key.to_lowercase()) && !begins(tags.prefixes, key) {
            let at = if let SimulatedValue::Given(json) = value { json } else { resource.at };
            faults.add(Loss, at, TagFault::KeyInAnotherCase { key: key.into() });
        }
    }
}

/// Whether an object has the value that a limit depends on.
pub(super) fn is_as_limited(limit: &KindLimit, object: &SimulatedValue<'_>) -> bool {
    let Some(([outer, inner], wanted)) = limit.only_with else { return true };
    let [spec, outer, inner] = ["spec", outer, inner].map(FieldPathStep::Field);
    let has = |path: &[FieldPathStep<'_>]| match object.get(path).as_deref() {
        Ok(SimulatedValue::Given(json)) => json.as_str() == Some(wanted),
        _ => false,
    };
    // Old versions of a kind have a list with one element where newer ones have an object.
    ["forProvider", "initProvider"].map(FieldPathStep::Field).into_iter().any(|provider| {
        has(&[spec, provider, outer, inner]) || has(&[spec, provider, outer, FieldPathStep::Element(0), inner])
    })
}
