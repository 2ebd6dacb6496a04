//! The resources that are composed for one composite, with those of the composites below it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::{
    KeptTags, PAUSED, PatchedText, ResourceTag, ResourceTags, TagDelivery, TagUpdate, composed_tags,
};
use serde_json::{Value, json};

use super::side::{Side, is_paused};
use super::stamped::Subject;
use super::{ReachedResource, TagChange, TagFate};
use crate::object::ObjectId;

/// The maximum depth of composites below composites.
const DEEPEST: usize = 8;

/// One side of a change, and after the change what was before.
type Sides<'s, 'f> = (&'s Side<'f>, Option<(&'s Side<'f>, &'s ComposedResources)>);

/// The resources of one composite, by their names and fields.
#[derive(Default)]
pub(super) struct ComposedResources {
    resources: BTreeMap<(String, &'static str), (String, ResourceTags)>,
    /// The composite and those below it, by what their resources' names begin with.
    composites: BTreeMap<String, Value>,
    /// Of those that are paused, what the names of their resources begin with.
    paused: Vec<String>,
    /// The names of the Compositions that are used.
    pub(super) compositions: BTreeSet<String>,
    /// What is not known: sentences.
    pub(super) unknown: Vec<String>,
}

impl ComposedResources {
    /// A resource by its name, with the tags in one of its fields, and the name of its Composition.
    fn find(&self, name: &str, field: &'static str) -> Option<(&str, Cow<'_, ResourceTags>)> {
        if let Some((composition, resource)) = self.resources.get(&(name.to_owned(), field)) {
            return Some((composition, Cow::Borrowed(resource)));
        }
        let mut named = self.resources.range((name.to_owned(), "")..).take_while(|((other, _), _)| other == name);
        let (_, (composition, resource)) = named.next()?;
        Some((composition, Cow::Owned(ResourceTags { field, tags: BTreeMap::new(), ..resource.clone() })))
    }

    /// The resources of a composite; after a change with the objects and resources before it.
    pub(super) fn of(
        side: &Side<'_>,
        id: &ObjectId,
        composite: &Value,
        former: Option<(&Side<'_>, &ComposedResources)>,
    ) -> ComposedResources {
        let mut all = ComposedResources::default();
        all.add((side, former), id, composite, "");
        all
    }

    fn add(&mut self, (side, former): Sides<'_, '_>, id: &ObjectId, composite: &Value, prefix: &str) {
        self.composites.insert(prefix.to_owned(), composite.clone());
        if is_paused(composite) {
            self.paused.push(prefix.to_owned());
        }
        let former_composite = former.map(|(old, before)| (old, before.composites.get(prefix)));
        let composition = match side.followed(composite, id, former_composite) {
            Ok(composition) => composition,
            Err(sentence) => return self.unknown.push(sentence),
        };
        let name = &*composition.object.id.name;
        self.compositions.insert(name.to_owned());
        let evaluated = side.evaluated(composition, id, composite);
        let composed = match composed_tags(&evaluated.object.json, &composite.to_string(), &side.settings) {
            Ok(composed) => composed,
            Err(malformed) => return self.unknown.push(format!("Composition `{name}`: {malformed}")),
        };
        for (at, fault) in composed.unknown.iter().filter(|(at, _)| !evaluated.is_told(at)) {
            self.unknown.push(format!("Composition `{name}` {}: {fault}", evaluated.written(at)));
        }
        if let Some((at, fault)) = &composed.failure {
            let at = evaluated.written(at);
            self.unknown.push(format!("Composition `{name}` composes nothing: {at}: {fault}"));
        }
        let findings = evaluated.findings.iter().filter(|it| it.verdict == Some(TagDelivery::CannotTell));
        self.unknown
            .extend(findings.map(|finding| format!("Composition `{name}` {}: {}", finding.at, finding.message)));
        for resource in composed.resources {
            let at = |at: &str| evaluated.written(at);
            self.add_resource((side, former), (id, composite), (name, &at), prefix, resource);
        }
    }

    fn add_resource(
        &mut self,
        (side, former): Sides<'_, '_>,
        (parent, composite): (&ObjectId, &Value),
        (composition, written): (&str, &dyn Fn(&str) -> String),
        prefix: &str,
        mut resource: ResourceTags,
    ) {
        let name = [prefix, &resource.name].concat();
        for tag in resource.tags.values_mut() {
            tag.by = written(&tag.by);
        }
        let Some(nested) = resource.nested.take().filter(|_| prefix.matches('/').count() < DEEPEST) else {
            self.resources.insert((name, resource.field), (composition.to_owned(), resource));
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
            None => self.add((side, former), &id, &stamped.composite, &format!("{name}/")),
        }
    }
}

/// The resources whose tags differ, or may, and those that are created or deleted with tags. `has_other_tags` says whether
/// the composite's own tags differ.
///
/// A resource whose kind changes is created; Crossplane does not delete the former one while another has its name.
/// Source: Crossplane 2.4.2, internal/controller/apiextensions/composite/composition_functions.go,
/// `GarbageCollectComposedResources`.
pub(super) fn differing_resources(
    before: &ComposedResources,
    after: &ComposedResources,
    has_other_tags: bool,
    side: &Side<'_>,
) -> Vec<ReachedResource> {
    let names: BTreeSet<_> = before.resources.keys().chain(after.resources.keys()).collect();
    let of_name = |(name, field): &(String, &'static str)| {
        let [was, is] = [before, after].map(|all| all.find(name, field));
        let mut reached = match (was, is) {
            (Some((_, was)), Some((composition, is))) if (&was.group, &was.kind) == (&is.group, &is.kind) => {
                differing((name, composition), [&was, &is], has_other_tags, side)
            }
            (_, Some((composition, is))) => alone((name, composition), &is, TagFate::Created, before),
            (Some((composition, was)), None) => alone((name, composition), &was, TagFate::Deleted, after),
            (None, None) => Vec::new(),
        };
        if after.paused.iter().any(|prefix| name.starts_with(prefix)) {
            let fate = TagFate::Never(format!("the composite has `{PAUSED}`"));
            reached.iter_mut().for_each(|resource| resource.fate = fate.clone());
        }
        reached
    };
    names.into_iter().flat_map(of_name).collect()
}

/// A resource that is created or deleted. None if it has no tags, or may be on the other side as well.
fn alone(of: (&str, &str), resource: &ResourceTags, fate: TagFate, other: &ComposedResources) -> Vec<ReachedResource> {
    let none = ResourceTags { tags: BTreeMap::new(), ..resource.clone() };
    let is_created = fate == TagFate::Created;
    let changes = if is_created { tag_changes(&none, resource) } else { tag_changes(resource, &none) };
    let fate = match (&resource.refused, &resource.doubt) {
        (Some(fault), _) if is_created => TagFate::Refused(fault.to_string()),
        (_, Some(doubt)) if is_created => TagFate::CannotTell(doubt.to_string()),
        _ => fate,
    };
    let has_more = !matches!(fate, TagFate::Created | TagFate::Deleted);
    let is_reached = other.unknown.is_empty() && (has_more || !changes.is_empty());
    Vec::from_iter(is_reached.then(|| reached(of, resource, changes, fate)))
}

fn reached(
    (name, composition): (&str, &str),
    resource: &ResourceTags,
    changes: Vec<TagChange>,
    fate: TagFate,
) -> ReachedResource {
    ReachedResource {
        composition: composition.to_owned(),
        name: name.to_owned(),
        group: resource.group.clone(),
        kind: resource.kind.clone(),
        field: resource.field.to_owned(),
        changes,
        fate,
    }
}

/// Of a map that is applied without the keys that it had, server-side apply makes null, which no definition admits.
///
/// Source: structured-merge-diff 6.4, typed/remove.go, `removingWalker.doMap`; seen with Crossplane 2.4.2 and an API server.
const EMPTIED: &str = "the API server refuses an empty map where tags were applied: none is removed";

/// Why a tag stays that is no longer composed.
const KEPT: &str = "without a pipeline, Crossplane 1 merges what it composes into the resource";

/// A resource that is on both sides: what changes, and what stays although it is no longer composed. None if its tags do
/// not differ.
fn differing(
    of: (&str, &str),
    [was, is]: [&ResourceTags; 2],
    has_other_tags: bool,
    side: &Side<'_>,
) -> Vec<ReachedResource> {
    let has_known = was.doubt.is_none() && is.doubt.is_none();
    let changes = if has_known { tag_changes(was, is) } else { Vec::new() };
    let stays = |change: &TagChange| match is.kept {
        KeptTags::None => false,
        KeptTags::Removed => change.to.is_none(),
        KeptTags::Changed => change.from.is_some(),
    };
    let (kept, changes): (Vec<TagChange>, Vec<TagChange>) = changes.into_iter().partition(stays);
    let kept = (!kept.is_empty()).then(|| reached(of, is, kept, TagFate::Never(KEPT.to_owned())));
    let is_refused = is.refused.as_ref().filter(|fault| was.refused.as_ref() != Some(*fault));
    let has_doubt = is.doubt.as_ref().filter(|doubt| has_other_tags || was.doubt.as_ref() != Some(*doubt));
    let is_unknown = |change: &TagChange| {
        let of =
            |side: &ResourceTags| matches!(side.tags.get(&change.key)?.value, PatchedText::Unknown(_)).then_some(());
        of(was).or_else(|| of(is)).is_some()
    };
    let is_unread = changes.iter().any(is_unknown);
    if changes.is_empty() && is_refused.is_none() && has_doubt.is_none() {
        return Vec::from_iter(kept);
    }
    let is_fixed = side.immutable.contains(&(is.group.clone(), is.kind.clone()));
    let fate = match (is_refused, has_doubt, is.update) {
        (Some(fault), ..) => TagFate::Refused(fault.to_string()),
        _ if is.has_empty_map && !was.tags.is_empty() && is.kept == KeptTags::None => {
            TagFate::Refused(EMPTIED.to_owned())
        }
        (_, Some(doubt), _) => TagFate::CannotTell(doubt.to_string()),
        _ if is_unread => TagFate::CannotTell("what a patch makes of the value is not evaluated".to_owned()),
        _ if is_fixed => TagFate::Refused("by its definition, its tags cannot change".to_owned()),
        (.., TagUpdate::Refused) => TagFate::Refused("its provider cannot change its tags".to_owned()),
        (.., TagUpdate::Never(by)) => TagFate::Never(by.to_owned()),
        (.., TagUpdate::InPlace) => TagFate::InPlace,
    };
    [reached(of, is, changes, fate)].into_iter().chain(kept).collect()
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
