//! One side of a change: objects, settings, and which Composition a composite has.

use std::collections::BTreeSet;

use metadata_propagation::{Mode, OnXrd, Settings, Stance};
use serde_json::Value;

use super::definitions::{Definition, immutable};
use crate::fleet::Fleet;
use crate::object::{CROSSPLANE_GROUP, FleetObject, ObjectId, group_and_version};
use crate::relations::text;
use crate::templates::{EvaluatedComposition, TemplateEvaluation, schema};

/// The objects and the settings before or after a change.
pub(super) struct Side<'f> {
    pub(super) fleet: &'f Fleet,
    /// The settings, so that tags are set, and what loses them is found.
    pub(super) settings: Settings,
    /// Kinds that the settings list as claims.
    pub(super) claim_kinds: BTreeSet<(String, String)>,
    definitions: Vec<Definition<'f>>,
    compositions: Vec<Composition<'f>>,
    /// Kinds with tags that cannot change, by their definitions.
    pub(super) immutable: BTreeSet<(String, String)>,
}

/// A Composition.
pub(super) struct Composition<'f> {
    pub(super) object: &'f FleetObject,
    value: Value,
}

impl<'f> Side<'f> {
    pub(super) fn of(fleet: &'f Fleet, settings: &Settings) -> Side<'f> {
        let mut settings = Settings { mode: Mode::Mutate, ..settings.clone() };
        let tags = &mut settings.cloud_tags;
        if tags.compositions == Stance::Ignore {
            tags.compositions = Stance::Warn;
        }
        if tags.xrds == OnXrd::Ignore {
            tags.xrds = OnXrd::Warn;
        }
        let mut claim_kinds = BTreeSet::new();
        for entry in &mut tags.composites {
            let kinds = std::mem::take(&mut entry.claim_kinds);
            let of_group = |group: &str| kinds.iter().map(|kind| (group.to_owned(), kind.clone())).collect::<Vec<_>>();
            claim_kinds.extend(entry.api_groups.iter().flat_map(|group| of_group(group)));
        }
        let of_kind = |kind: &'static str| {
            let is_it = move |id: &ObjectId| id.group == CROSSPLANE_GROUP && id.kind == kind;
            fleet.objects().filter(move |object| is_it(&object.id))
        };
        let definitions = of_kind("CompositeResourceDefinition");
        let definitions = definitions.map(|object| Definition::of(object, &settings, fleet)).collect();
        let compositions = of_kind("Composition").map(|object| Composition { object, value: object.value() }).collect();
        Side { fleet, claim_kinds, definitions, compositions, immutable: immutable(fleet), settings }
    }

    pub(super) fn prefix(&self) -> &str {
        &self.settings.cloud_tags.prefix
    }

    /// The definition of a kind of composites.
    pub(super) fn definition(&self, group: &str, kind: &str) -> Option<&Definition<'f>> {
        self.defining(group, "/spec/names", kind)
    }

    /// The definition of a kind of claims.
    pub(super) fn definition_of_claim(&self, group: &str, kind: &str) -> Option<&Definition<'f>> {
        self.defining(group, "/spec/claimNames", kind)
    }

    fn defining(&self, group: &str, names: &str, kind: &str) -> Option<&Definition<'f>> {
        let is_it = |definition: &&Definition<'f>| {
            definition.value.get("spec").is_some_and(|spec| text(spec, "group") == group)
                && definition.value.pointer(names).is_some_and(|names| text(names, "kind") == kind)
        };
        self.definitions.iter().find(is_it)
    }

    /// A composite with the defaults of its definition; `None` if there are none.
    pub(super) fn defaulted(&self, id: &ObjectId, version: &str, json: &str) -> Option<String> {
        let definition = self.definition(&id.group, &id.kind)?;
        let schema = schema(&definition.value, version).filter(|_| definition.object.json.contains("\"default\""))?;
        let mut value: Value = serde_json::from_str(json).ok()?;
        topology::set_defaults(value.get_mut("spec")?, schema);
        Some(value.to_string())
    }

    pub(super) fn definition_name(&self, id: &ObjectId) -> Option<&str> {
        self.definition(&id.group, &id.kind).map(|definition| &*definition.object.id.name)
    }

    /// A Composition with its templates evaluated for one composite.
    pub(super) fn evaluated(
        &self,
        composition: &Composition<'f>,
        id: &ObjectId,
        composite: &Value,
    ) -> EvaluatedComposition<'f> {
        let version = group_and_version(text(composite, "apiVersion")).1.to_owned();
        let (json, origin) = (composite.to_string().into(), composition.object.origin.clone());
        let composite = FleetObject { id: id.clone(), version, json, origin };
        let definitions = self.definitions.iter().map(|definition| definition.object);
        // Without templates, nothing is asked of it.
        let is_templated = composition.object.json.contains("gotemplating");
        let known = definitions.chain([&composite]).filter(|_| is_templated);
        TemplateEvaluation::of(known, &self.settings).evaluated(composition.object)
    }

    /// The Composition of a composite.
    ///
    /// # Errors
    /// When it is not known which one it is: a sentence.
    ///
    /// Source: Crossplane, internal/controller/apiextensions/composite/api.go, `APILabelSelectorResolver`,
    /// `APIDefaultCompositionSelector` and `EnforcedCompositionSelector`.
    pub(super) fn composition(&self, composite: &Value, id: &ObjectId) -> Result<&Composition<'f>, String> {
        let version = group_and_version(text(composite, "apiVersion")).1;
        let is_of = |composition: &&Composition<'f>| {
            let of = composition.value.pointer("/spec/compositeTypeRef");
            of.is_some_and(|of| group_and_version(text(of, "apiVersion")).0 == id.group && text(of, "kind") == id.kind)
        };
        let is_of_version = |composition: &&Composition<'f>| {
            let of = composition.value.pointer("/spec/compositeTypeRef");
            of.is_some_and(|of| group_and_version(text(of, "apiVersion")).1 == version)
        };
        let mut fitting: Vec<&Composition<'f>> = self.compositions.iter().filter(is_of).collect();
        if fitting.iter().any(is_of_version) {
            fitting.retain(is_of_version);
        }
        let of_spec = |path: &str| {
            let places = ["/spec/crossplane", "/spec"];
            places.into_iter().find_map(|place| composite.pointer(&[place, path].concat()))
        };
        let definition = self.definition(&id.group, &id.kind);
        let of_definition = |path: &str| definition.and_then(|it| it.value.pointer(path)).and_then(Value::as_str);
        let selector = of_spec("/compositionSelector/matchLabels").and_then(Value::as_object);
        let named = of_definition("/spec/enforcedCompositionRef/name")
            .or_else(|| of_spec("/compositionRef/name").and_then(Value::as_str))
            .or_else(|| of_definition("/spec/defaultCompositionRef/name").filter(|_| selector.is_none()));
        if let Some(name) = named {
            let found = fitting.into_iter().find(|composition| composition.object.id.name == name);
            return found.ok_or_else(|| format!("Composition `{name}` is not in these files"));
        }
        if let Some(wanted) = selector {
            let label = |composition: &Composition<'f>, key: &str| {
                composition.value.pointer("/metadata/labels")?.get(key).cloned()
            };
            fitting.retain(|composition| {
                wanted.iter().all(|(key, value)| label(composition, key).as_ref() == Some(value))
            });
        }
        match &*fitting {
            [one] => Ok(one),
            [] => Err(format!("no Composition for `{}` is in these files", id.kind)),
            [first, second, ..] => Err(format!(
                "several Compositions are for `{}`, such as `{}` and `{}`, and nothing selects one",
                id.kind, first.object.id.name, second.object.id.name
            )),
        }
    }
}
