//! The resources that are composed for one composite, with those of the composites below it.

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::{PatchedText, ResourceTag, ResourceTags, TagDelivery, TagUpdate, composed_tags};
use serde_json::{Value, json};

use super::side::Side;
use super::stamped::{Stamped, Subject};
use super::{ReachedResource, TagChange, TagFate};
use crate::object::ObjectId;

/// The maximum depth of composites below composites.
const DEEPEST: usize = 8;

/// The resources of one composite, by their names and fields.
#[derive(Default)]
pub(super) struct ComposedResources {
    resources: BTreeMap<(String, &'static str), (String, ResourceTags)>,
    /// The names of the Compositions that are used.
    pub(super) compositions: BTreeSet<String>,
    /// What is not known: sentences.
    pub(super) unknown: Vec<String>,
}

impl ComposedResources {
    pub(super) fn of(side: &Side<'_>, id: &ObjectId, stamped: &Stamped) -> ComposedResources {
        let mut all = ComposedResources::default();
        all.add(side, id, &stamped.composite, "");
        all
    }

    fn add(&mut self, side: &Side<'_>, id: &ObjectId, composite: &Value, prefix: &str) {
        let composition = match side.composition(composite, id) {
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
            self.add_resource(side, (id, composite), (name, &at), prefix, resource);
        }
    }

    fn add_resource(
        &mut self,
        side: &Side<'_>,
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
            None => self.add(side, &id, &stamped.composite, &format!("{name}/")),
        }
    }
}

/// The resources whose tags differ, or may: those that are on both sides. `has_other_tags` says whether the composite's
/// own tags differ.
pub(super) fn differing_resources(
    before: &ComposedResources,
    after: &ComposedResources,
    has_other_tags: bool,
    side: &Side<'_>,
) -> Vec<ReachedResource> {
    let both = after.resources.iter().filter_map(|(name, is)| Some((name, before.resources.get(name)?, is)));
    // One of another kind is another resource.
    let both = both.filter(|(_, (_, was), (_, is))| (&was.group, &was.kind) == (&is.group, &is.kind));
    let differing = both.filter_map(|((name, _), (_, was), (composition, is))| {
        let has_known = was.doubt.is_none() && is.doubt.is_none();
        let changes = if has_known { tag_changes(was, is) } else { Vec::new() };
        let is_refused = is.refused.as_ref().filter(|fault| was.refused.as_ref() != Some(*fault));
        let has_doubt = is.doubt.as_ref().filter(|doubt| has_other_tags || was.doubt.as_ref() != Some(*doubt));
        let is_unknown = |change: &TagChange| {
            let of = |side: &ResourceTags| {
                matches!(side.tags.get(&change.key)?.value, PatchedText::Unknown(_)).then_some(())
            };
            of(was).or_else(|| of(is)).is_some()
        };
        let is_unread = changes.iter().any(is_unknown);
        if changes.is_empty() && is_refused.is_none() && has_doubt.is_none() {
            return None;
        }
        let is_fixed = side.immutable.contains(&(is.group.clone(), is.kind.clone()));
        let fate = match (is_refused, has_doubt, is.update) {
            (Some(fault), ..) => TagFate::Refused(fault.to_string()),
            (_, Some(doubt), _) => TagFate::CannotTell(doubt.to_string()),
            _ if is_unread => TagFate::CannotTell("what a patch makes of the value is not evaluated".to_owned()),
            _ if is_fixed => TagFate::Refused("by its definition, its tags cannot change".to_owned()),
            (.., TagUpdate::Refused) => TagFate::Refused("its provider cannot change its tags".to_owned()),
            (.., TagUpdate::Never) => TagFate::Never,
            (.., TagUpdate::InPlace) => TagFate::InPlace,
        };
        Some(ReachedResource {
            composition: composition.clone(),
            name: name.clone(),
            group: is.group.clone(),
            kind: is.kind.clone(),
            field: is.field.to_owned(),
            changes,
            fate,
        })
    });
    differing.collect()
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
