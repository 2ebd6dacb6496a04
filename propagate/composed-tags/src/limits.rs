//! Whether the cloud accepts the tags that a resource gets from one composite: on some kinds it accepts fewer than elsewhere,
//! and those of another cloud are spelled in another way.

use std::collections::BTreeMap;

use kubernetes::Mentioned;
use tag_delivery::carriers::{Tags, added_tags, cloud_of};
use tag_delivery::fault::TagFault;
use tag_delivery::simulation::FaultSeverity::{Fails, Loss, Risk};
use tag_delivery::simulation::{
    ComposedResource, Faults, KindLimit, Limit, MapOfTags, RefusedKeys, SimulatedValue, is_as_limited,
    refused_character, steps_in,
};
use tag_rules::{Cloud, TagRules};

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
            // Of the characters of every key, `findings` of the Composition say more.
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

/// Compares the tags of a composite of another cloud with what the cloud of a resource accepts. What the composite's own
/// cloud accepts is said about the composite.
pub(super) fn judge_other_cloud<'a>(
    resource: &ComposedResource<'a>,
    is_of_composite: impl Fn(&str) -> bool,
    (profile, cloud): (TagRules, Option<&Cloud>),
    faults: &mut Faults<'a>,
) {
    let Some(map) = MapOfTags::of(resource).filter(|map| cloud != Some(map.cloud)) else { return };
    let refused = map.entries.iter().filter(|(key, _)| is_of_composite(key)).find_map(|(key, value)| {
        let text = match value {
            SimulatedValue::Given(json) => json.as_str(),
            _ => None,
        };
        Some((*key, map.refusal(key, text.unwrap_or_default())?))
    });
    if let Some((tag, problem)) = refused {
        let (tag, cloud, profile) = (Mentioned(tag.to_owned()), map.cloud.provider, profile.name());
        faults.add(Risk, resource.at, TagFault::OtherCloud { tag, cloud, problem, profile });
    }
}
