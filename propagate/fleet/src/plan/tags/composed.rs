//! The resources that are composed for one composite, with those of the composites below it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use composed_tags::{FailingPatch, NoEffect, PatchedText, ResourceTag, ResourceTags, TagUpdate, composed_tags};
use metadata_propagation::TagDelivery;
use serde_json::{Value, json};

use super::super::WaitsFor;
use super::side::Side;
use super::stamped::{CLOUD_TAGS, Stamped, Subject};
use super::{ReachedResource, TagChange, TagFate};
use crate::object::ObjectId;

/// The maximum depth of composites below composites.
const DEEPEST: usize = 8;

/// One side of a change, and after the change what was before.
type Sides<'s, 'f> = (&'s Side<'f>, Option<(&'s Side<'f>, &'s ComposedResources)>);

/// The resources of one composite, by their names and fields.
#[derive(Default)]
pub(super) struct ComposedResources {
    resources: BTreeMap<(String, Cow<'static, str>), (ObjectId, ResourceTags)>,
    /// The composite and those below it, by what their resources' names begin with.
    composites: BTreeMap<String, Value>,
    /// The Compositions and EnvironmentConfigs that are used.
    pub(super) used: BTreeSet<ObjectId>,
    /// What is not known: sentences.
    pub(super) unknown: Vec<String>,
    /// Whether the composite is paused; `None` without a composite.
    pub(super) is_paused: Option<bool>,
}

impl ComposedResources {
    /// A resource by its name, with the tags in one of its fields, and its Composition.
    fn find(&self, key: &(String, Cow<'static, str>)) -> Option<(&ObjectId, Cow<'_, ResourceTags>)> {
        if let Some((composition, resource)) = self.resources.get(key) {
            return Some((composition, Cow::Borrowed(resource)));
        }
        let (name, field) = key;
        let first = (name.clone(), Cow::Borrowed(""));
        let mut named = self.resources.range(first..).take_while(|((other, _), _)| other == name);
        let (_, (composition, resource)) = named.next()?;
        let none = ResourceTags { field: field.clone(), tags: BTreeMap::new(), ..resource.clone() };
        Some((composition, Cow::Owned(none)))
    }

    /// The resources of a composite; after a change with the objects and resources before it.
    pub(super) fn of(
        side: &Side<'_>,
        id: &ObjectId,
        stamped: &Stamped,
        former: Option<(&Side<'_>, &ComposedResources)>,
    ) -> ComposedResources {
        let is_paused = Some(stamped.is_paused);
        let mut all = ComposedResources { is_paused, ..ComposedResources::default() };
        all.add((side, former), id, &stamped.composite, ("", false));
        all
    }

    /// Adds the resources of a composite below a prefix; `waits` says whether a nested composite is paused.
    fn add(&mut self, (side, former): Sides<'_, '_>, id: &ObjectId, composite: &Value, (prefix, waits): (&str, bool)) {
        self.composites.insert(prefix.to_owned(), composite.clone());
        let former_composite = former.map(|(old, before)| (old, before.composites.get(prefix)));
        let composition = match side.followed(composite, id, former_composite) {
            Ok(composition) => composition,
            Err(sentence) => return self.unknown.push(sentence),
        };
        let of = &composition.id;
        let title = format!("{} `{}`", of.kind, of.name);
        let evaluated = side.evaluated(composition, id, composite);
        let environment = composition.environment(side.fleet);
        let values = environment.as_ref().map(|environment| environment.values.to_string());
        self.used.insert(of.clone());
        self.used.extend(environment.into_iter().flat_map(|environment| environment.configs));
        let (text, tags) = (composite.to_string(), &side.settings.cloud_tags);
        let composed = match composed_tags(&evaluated.object.json, &text, values.as_deref(), tags) {
            Ok(composed) => composed,
            Err(malformed) => return self.unknown.push(format!("{title}: {malformed}")),
        };
        for (at, fault) in composed.unknown.iter().filter(|(at, _)| !evaluated.is_told(at)) {
            self.unknown.push(format!("{title} {}: {fault}", evaluated.written(at)));
        }
        if let Some((at, fault)) = &composed.failure {
            let at = evaluated.written(at);
            self.unknown.push(format!("{title} composes nothing: {at}: {fault}"));
        }
        if let Some(FailingPatch { at, failure, .. }) = composed.failing.iter().find(|patch| patch.resource.is_none()) {
            return self.unknown.push(format!("{title} composes nothing: {}: {failure}", evaluated.written(at)));
        }
        let findings = evaluated.findings.iter().filter(|it| it.verdict == Some(TagDelivery::CannotTell));
        self.unknown.extend(findings.map(|finding| format!("{title} {}: {}", finding.at, finding.message)));
        for resource in composed.resources {
            let at = |at: &str| evaluated.written(at);
            self.add_resource((side, former), (id, composite), (of, &at), (prefix, waits), resource);
        }
    }

    fn add_resource(
        &mut self,
        (side, former): Sides<'_, '_>,
        (parent, composite): (&ObjectId, &Value),
        (composition, written): (&ObjectId, &dyn Fn(&str) -> String),
        (prefix, waits): (&str, bool),
        mut resource: ResourceTags,
    ) {
        let name = [prefix, &resource.name].concat();
        for tag in resource.tags.values_mut() {
            tag.by = written(&tag.by);
        }
        let Some(nested) = resource.nested.take().filter(|_| prefix.matches('/').count() < DEEPEST) else {
            if waits {
                resource.update = TagUpdate::Waits;
            }
            self.resources.insert((name, resource.field.clone()), (composition.clone(), resource));
            return;
        };
        let mut value: Value = serde_json::from_str(&nested).unwrap_or_default();
        let owner = json!([{ "apiVersion": composite.get("apiVersion"), "kind": parent.kind, "name": parent.name,
            "uid": "", "controller": true }]);
        let id = ObjectId::new(&resource.group, &resource.kind, &parent.namespace, &name.replace('/', "-"));
        let metadata = value.as_object_mut().map(|fields| fields.entry("metadata").or_insert_with(|| json!({})));
        if let Some(metadata) = metadata.and_then(Value::as_object_mut) {
            metadata.insert("name".to_owned(), json!(id.name));
            metadata.insert("ownerReferences".to_owned(), owner);
        }
        let stamped = side.stamped(&Subject::nested(id.clone(), &resource.version, value.to_string()), None);
        match stamped.obstacle {
            Some(obstacle) => self.unknown.push(format!("{} `{name}`: {obstacle}", resource.kind)),
            None => {
                self.add((side, former), &id, &stamped.composite, (&format!("{name}/"), waits || stamped.is_paused))
            }
        }
    }
}

/// The resources of a composite before and after a change.
pub(super) struct Comparison<'c> {
    pub(super) before: &'c ComposedResources,
    pub(super) after: &'c ComposedResources,
    /// Whether the composite's own tags differ.
    pub(super) has_other_tags: bool,
    /// Whether the change is in several objects, of which one may begin a pause.
    pub(super) has_order: bool,
    /// Whether the composite itself changes later.
    pub(super) is_later: bool,
    /// Whether the change is in an EnvironmentConfig.
    pub(super) has_environment: bool,
    pub(super) side: &'c Side<'c>,
}

/// Of a map that is applied without the keys that it had, server-side apply makes null, which no definition admits.
///
/// Source: structured-merge-diff 6.4, typed/remove.go, `removingWalker.doMap`; seen with Crossplane 2.4.2 and an API server.
const EMPTIED: &str = "the API server refuses an empty map where tags were applied: none is removed";
/// What a change does that ends a pause.
pub(super) const PAUSE_ENDS: &str = "the pause ends, and what changed meanwhile takes effect";
/// … or adds `Update` to policies.
const UPDATES: &str = "its provider did not update it before, and what changed meanwhile takes effect";
/// An environment that has other values, which the tags of a resource may be made of.
pub(super) const ENVIRONMENT: &str = "an EnvironmentConfig changes, and what it makes of the tags is not evaluated";
/// A resource that another change may create or delete.
const FILTERED: &str = "function-cel-filter decides whether it is composed, and its expression is not evaluated";
/// What becomes of a change in several objects, one of which begins a pause.
const ORDER: &str = "the same change begins a pause, and what is applied first decides";

impl Comparison<'_> {
    /// The resources whose tags differ, or may, and those that are created or deleted with tags.
    ///
    /// A resource whose kind changes is created; Crossplane does not delete the former one while another has its name.
    /// Source: Crossplane 2.4.2, internal/controller/apiextensions/composite/composition_functions.go,
    /// `GarbageCollectComposedResources`.
    pub(super) fn differing(&self) -> Vec<ReachedResource> {
        let Comparison { before, after, .. } = self;
        let names: BTreeSet<_> = before.resources.keys().chain(after.resources.keys()).collect();
        let of_name = |key: &(String, Cow<'static, str>)| {
            let [was, is] = [before, after].map(|all| all.find(key));
            match (was, is) {
                (Some((_, was)), Some((composition, is))) if (&was.group, &was.kind) == (&is.group, &is.kind) => {
                    self.of_both((&key.0, composition), [&was, &is])
                }
                (_, Some((composition, is))) => alone((&key.0, composition), &is, TagFate::Created, before),
                (Some((composition, was)), None) => alone((&key.0, composition), &was, TagFate::Deleted, after),
                (None, None) => Vec::new(),
            }
        };
        let mut found: Vec<ReachedResource> = names.into_iter().flat_map(of_name).collect();
        if self.is_later || after.is_paused.or(before.is_paused) == Some(true) {
            let is_order = before.is_paused == Some(false) && self.has_order;
            for resource in &mut found {
                resource.fate = match std::mem::replace(&mut resource.fate, TagFate::Created) {
                    TagFate::InPlace | TagFate::Created | TagFate::Deleted if is_order => {
                        TagFate::CannotTell(ORDER.to_owned())
                    }
                    TagFate::InPlace | TagFate::Created | TagFate::Deleted => TagFate::Waits(WaitsFor::Pause),
                    fate => fate,
                };
            }
        }
        found
    }

    /// A resource that is on both sides; nothing if its tags do not differ.
    fn of_both(&self, of: (&str, &ObjectId), [was, is]: [&ResourceTags; 2]) -> Vec<ReachedResource> {
        let has_known = was.doubt.is_none() && is.doubt.is_none();
        let changes = if has_known { tag_changes(was, is) } else { Vec::new() };
        let is_refused = is.refused.as_ref().filter(|fault| was.refused.as_ref() != Some(*fault));
        let has_doubt = match (&was.doubt, &is.doubt) {
            (before, Some(doubt)) if self.has_other_tags || before.as_ref() != Some(doubt) => Some(doubt.to_string()),
            (Some(doubt), None) => Some(format!("before the change, {doubt}")),
            _ => None,
        };
        let is_resumed = is_stalled(was.update) && !is_stalled(is.update) && !is.tags.is_empty();
        let is_unread = |tag: &ResourceTag| matches!(tag.value, PatchedText::Unknown(_));
        let is_read = |side: &&ResourceTags| {
            side.doubt.is_none() && !side.tags.values().any(|tag| tag.is_of_environment && is_unread(tag))
        };
        let is_of_environment = self.has_environment && ![was, is].iter().all(is_read);
        let is_filtered = self.may_be_filtered(of.0, [was, is]);
        let has_none = is_refused.is_none() && has_doubt.is_none() && !is_resumed && !is_of_environment && !is_filtered;
        if changes.is_empty() && has_none {
            return Vec::new();
        }
        let is_changed_unread =
            |change: &TagChange| [was, is].iter().any(|side| side.tags.get(&change.key).is_some_and(is_unread));
        let is_fixed = self.side.immutable.contains(&(is.group.clone(), is.kind.clone()));
        let is_initial = |side: &&ResourceTags| side.update == TagUpdate::Never(NoEffect::InitProvider);
        let update = [was, is].into_iter().find(is_initial).unwrap_or(is).update;
        let fate = match (is_refused, has_doubt, update) {
            (Some(fault), ..) => TagFate::Refused(fault.to_string()),
            _ if is.has_empty_map && !was.tags.is_empty() && !is.is_merged => TagFate::Refused(EMPTIED.to_owned()),
            (_, Some(doubt), _) => TagFate::CannotTell(doubt),
            _ if is_of_environment => TagFate::CannotTell(ENVIRONMENT.to_owned()),
            _ if is_filtered => TagFate::CannotTell(FILTERED.to_owned()),
            _ if changes.iter().any(is_changed_unread) => {
                TagFate::CannotTell("what a patch makes of the value is not evaluated".to_owned())
            }
            _ if is_resumed && was.update == TagUpdate::Waits => TagFate::CannotTell(PAUSE_ENDS.to_owned()),
            _ if is_resumed => TagFate::CannotTell(UPDATES.to_owned()),
            _ if is_fixed => TagFate::Refused("by its definition, its tags cannot change".to_owned()),
            (.., TagUpdate::Refused) => TagFate::Refused("its provider cannot change its tags".to_owned()),
            (.., TagUpdate::Never(reason)) => TagFate::Never(reason),
            (.., TagUpdate::Waits) if was.update != TagUpdate::Waits && self.has_order => {
                TagFate::CannotTell(ORDER.to_owned())
            }
            (.., TagUpdate::Waits) => TagFate::Waits(WaitsFor::Pause),
            (.., TagUpdate::InPlace | TagUpdate::InPlaceOnly) => TagFate::InPlace,
        };
        by_effect(of, is, changes, fate)
    }

    /// Whether filters differ, or what they read of the composite beside its tags.
    fn may_be_filtered(&self, name: &str, [was, is]: [&ResourceTags; 2]) -> bool {
        let prefix = name.rsplit_once('/').map_or(String::new(), |(above, _)| [above, "/"].concat());
        let [before, after] = [self.before, self.after].map(|side| {
            let mut spec = side.composites.get(&prefix)?.get("spec")?.clone();
            spec.as_object_mut()?.remove(CLOUD_TAGS);
            Some(spec)
        });
        let has_tags = !was.tags.is_empty() || !is.tags.is_empty();
        has_tags && (was.conditions != is.conditions || !is.conditions.is_empty() && before != after)
    }
}

/// Whether the provider changes nothing.
fn is_stalled(update: TagUpdate) -> bool {
    use NoEffect::{Observing, UnsupportedPolicies, WithoutUpdate};
    matches!(update, TagUpdate::Waits | TagUpdate::Never(WithoutUpdate | UnsupportedPolicies | Observing))
}

/// The changes of a resource that have the effect, and those that have none because Crossplane merges what it applies.
fn by_effect(
    of: (&str, &ObjectId),
    resource: &ResourceTags,
    changes: Vec<TagChange>,
    fate: TagFate,
) -> Vec<ReachedResource> {
    let stays = |change: &TagChange| match (&change.from, &change.to) {
        (Some(_), None) => Some(NoEffect::MergePatch),
        (Some(_), Some(_)) => resource.tags.get(&change.key).filter(|tag| tag.is_kept).map(|_| NoEffect::KeepMapValues),
        (None, _) => None,
    };
    let mut fates: BTreeMap<TagFate, Vec<TagChange>> = BTreeMap::new();
    if changes.is_empty() {
        fates.insert(fate.clone(), Vec::new());
    }
    for change in changes {
        let none =
            stays(&change).filter(|_| resource.is_merged && matches!(fate, TagFate::InPlace | TagFate::Waits(_)));
        fates.entry(none.map_or_else(|| fate.clone(), TagFate::Never)).or_default().push(change);
    }
    fates.into_iter().map(|(fate, changes)| reached(of, resource, changes, fate)).collect()
}

/// A resource that is created or deleted. Nothing if it has no tags, may be on the other side as well, or is only observed.
fn alone(
    of: (&str, &ObjectId),
    resource: &ResourceTags,
    fate: TagFate,
    other: &ComposedResources,
) -> Vec<ReachedResource> {
    let none = ResourceTags { tags: BTreeMap::new(), ..resource.clone() };
    let is_created = fate == TagFate::Created;
    let changes = if is_created { tag_changes(&none, resource) } else { tag_changes(resource, &none) };
    let fate = match (&resource.refused, &resource.doubt, resource.update) {
        (Some(fault), ..) if is_created => TagFate::Refused(fault.to_string()),
        (_, Some(doubt), _) if is_created => TagFate::CannotTell(doubt.to_string()),
        _ if !resource.conditions.is_empty() && !changes.is_empty() => TagFate::CannotTell(FILTERED.to_owned()),
        (.., TagUpdate::Waits) => TagFate::Waits(WaitsFor::Pause),
        (.., TagUpdate::Never(reason @ NoEffect::UnsupportedPolicies)) => TagFate::Never(reason),
        (.., TagUpdate::InPlaceOnly) if is_created => TagFate::InPlace,
        _ => fate,
    };
    let has_more = matches!(fate, TagFate::Refused(_) | TagFate::CannotTell(_));
    let is_observed = resource.update == TagUpdate::Never(NoEffect::Observing);
    if is_observed || !other.unknown.is_empty() || !has_more && changes.is_empty() {
        return Vec::new();
    }
    vec![reached(of, resource, changes, fate)]
}

fn reached(
    (name, composition): (&str, &ObjectId),
    resource: &ResourceTags,
    changes: Vec<TagChange>,
    fate: TagFate,
) -> ReachedResource {
    ReachedResource {
        composition: composition.clone(),
        name: name.to_owned(),
        group: resource.group.clone(),
        kind: resource.kind.clone(),
        field: resource.field.to_string(),
        changes,
        fate,
    }
}

fn tag_changes(was: &ResourceTags, is: &ResourceTags) -> Vec<TagChange> {
    let keys: BTreeSet<&String> = was.tags.keys().chain(is.tags.keys()).collect();
    let value = |tag: Option<&ResourceTag>| {
        tag.map(|tag| match &tag.value {
            PatchedText::Known(text) => text.clone(),
            PatchedText::Unknown(_) => "?".to_owned(),
        })
    };
    let changes = keys.into_iter().filter_map(|key| {
        let [from, to] = [was, is].map(|resource| resource.tags.get(key));
        if from.map(|tag| &tag.value) == to.map(|tag| &tag.value) {
            return None;
        }
        let reason = to.or(from).map(|tag| tag.by.clone()).unwrap_or_default();
        Some(TagChange { key: key.clone(), from: value(from), to: value(to), reason })
    });
    changes.collect()
}
