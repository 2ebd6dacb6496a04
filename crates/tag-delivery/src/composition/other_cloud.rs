//! Whether the cloud of a resource accepts the tags of its base one by one.

use super::limits::is_as_limited;
use super::resource::ComposedResource;
use super::types::{is_within, steps_in};
use super::value::SimulatedValue;
use crate::carriers::{Item, Tags, cloud_of};
use crate::fault::TagFault;
use crate::faults::FaultSeverity::Risk;
use crate::faults::Faults;
use crate::kind_limits::{KindLimit, Limit};
use tag_rules::{Cloud, CloudTags, TagSkipReason};

/// Groups whose services accept every character. Source: Amazon EC2 user guide, Tag your resources: restrictions.
const ANY_CHARACTERS: [&str; 2] = ["ec2.aws.upbound.io", "ec2.aws.m.upbound.io"];

/// The only kinds whose tags are what the table of clouds says about a cloud. Source:
/// [`tag_rules::clouds::OPENSTACK`] is about the metadata of servers.
const ONLY_KINDS: [(&str, &str); 1] = [("openstack", "InstanceV2")];

/// The tags of a resource that are in a map, and its cloud.
pub struct MapOfTags<'a> {
    /// The cloud of the resource.
    pub cloud: &'static Cloud,
    group: &'a str,
    /// The tags, by key.
    pub entries: Vec<(&'a str, SimulatedValue<'a>)>,
}

impl<'a> MapOfTags<'a> {
    /// The map of a resource, if the table of clouds is about it.
    pub fn of(resource: &ComposedResource<'a>) -> Option<Self> {
        let (kind, object) = (resource.kind, &resource.object);
        let cloud = cloud_of_tags(kind.group, kind.kind)?;
        let Some(Tags::Map(field)) = kind.known.map(|known| known.tags) else { return None };
        let entries = object.get(&steps_in(field, object)).ok()?.entries();
        Some(MapOfTags { cloud, group: kind.group, entries })
    }

    /// Why the cloud does not accept an entry.
    pub fn refusal(&self, key: &str, value: &str) -> Option<TagSkipReason> {
        refusal_by(self.cloud, self.group, (key, value))
    }
}

/// The cloud of a kind, if the table of clouds is about its tags.
fn cloud_of_tags(group: &str, kind: &str) -> Option<&'static Cloud> {
    let cloud = cloud_of(group).and_then(Cloud::of)?;
    let is_other = |(provider, only): &(&str, &str)| *provider == cloud.provider && *only != kind;
    (!ONLY_KINDS.iter().any(is_other)).then_some(cloud)
}

fn refusal_by(cloud: &Cloud, group: &str, (key, value): (&str, &str)) -> Option<TagSkipReason> {
    let is_of_characters =
        |it: &TagSkipReason| matches!(it, TagSkipReason::KeyCharacterClass | TagSkipReason::ValueCharacterClass);
    cloud.refusal(key, value).filter(|it| !ANY_CHARACTERS.contains(&group) || !is_of_characters(it))
}

/// Why the cloud of a kind does not accept an entry of its map of tags, and which cloud that is.
pub fn refusal_of_tag(group: &str, kind: &str, tag: (&str, &str)) -> Option<(&'static str, TagSkipReason)> {
    let cloud = cloud_of_tags(group, kind)?;
    refusal_by(cloud, group, tag).map(|reason| (cloud.provider, reason))
}

/// Compares the tags of the base with what the cloud accepts, and with what it accepts on this kind.
pub(super) fn judge_base<'a>(resource: &ComposedResource<'a>, settings: &CloudTags, faults: &mut Faults<'a>) {
    judge_strings(resource, settings, faults);
    let Some(map) = MapOfTags::of(resource) else { return };
    let kind = resource.kind;
    for (key, value) in &map.entries {
        let SimulatedValue::Given(json) = value else { continue };
        let Some(text) = json.as_str().filter(|_| is_within(*json, resource.base)) else { continue };
        let cloud = map.cloud.provider;
        if let Some(problem) = map.refusal(key, text) {
            faults.add(Risk, *json, TagFault::BaseTagRefused { tag: (*key).into(), cloud, problem });
        }
        let limits = KindLimit::of(kind.group, kind.kind).filter(|limit| is_as_limited(limit, &resource.object));
        for limit in limits {
            if let Some(fault) = refused_character(limit, key, kind.kind, "") {
                faults.add(Risk, *json, fault);
            }
        }
    }
}

/// Compares strings of a list with what the cloud accepts, if it has a rule for them. Tags of the composite are among them
/// in what a template composes.
fn judge_strings<'a>(resource: &ComposedResource<'a>, settings: &CloudTags, faults: &mut Faults<'a>) {
    let Some(Tags::List(field, Item::String)) = resource.kind.known.map(|known| known.tags) else { return };
    let cloud = cloud_of(resource.kind.group).and_then(Cloud::of).filter(|cloud| cloud.joined.is_some());
    let (Some(cloud), Ok(list)) = (cloud, resource.object.get(&steps_in(field, &resource.object))) else { return };
    let (prefixes, provider) = (settings.prefixes(), cloud.provider);
    for element in list.elements() {
        let SimulatedValue::Given(json) = element else { continue };
        let Some(text) = json.as_str().filter(|text| !prefixes.iter().any(|it| text.starts_with(&**it))) else {
            continue;
        };
        if let Some(problem) = cloud.refusal(text, "") {
            faults.add(Risk, json, TagFault::BaseTagRefused { tag: text.into(), cloud: provider, problem });
        }
    }
}

/// What a limit says about one key that has a character which it refuses, other than these.
pub fn refused_character(limit: &KindLimit, key: &str, kind: &str, but: &str) -> Option<TagFault> {
    let (char, effect, at) = match limit.limit {
        Limit::Characters { refuses, effect, .. } => {
            (key.chars().find(|char| refuses.contains(*char) && !but.contains(*char))?, effect.as_str(), "in")
        }
        Limit::FirstDigit => (key.chars().next().filter(char::is_ascii_digit)?, "may drop", "at the start of"),
        Limit::Tags(_) | Limit::KeyLength(_) | Limit::SameKeys => return None,
    };
    Some(TagFault::RefusedCharacter { effect, tag: key.into(), kind: kind.into(), char, at })
}
