//! Whether the cloud accepts the tags of a resource: on some kinds it accepts fewer than elsewhere.

use std::borrow::Cow;

use super::field_path::FieldPathStep;
use super::resource::ComposedResource;
use super::tag_keys::TagKeys;
use super::value::{SimulatedValue, begins};
use crate::carriers::cloud_of;
use crate::fault::TagFault;
use crate::faults::FaultSeverity::{Fails, Loss};
use crate::faults::Faults;
use crate::kind_limits::{KindLimit, Limit, RefusedKeys};
use tag_rules::{Cloud, KeyCase};

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
pub fn is_as_limited(limit: &KindLimit, object: &SimulatedValue<'_>) -> bool {
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
