//! One side of a change: objects, settings, and which Composition a composite has.

use std::collections::BTreeSet;

use metadata_propagation::{Mode, OnXrd, Settings, Stance};
use serde_json::{Map, Value};

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
    /// What Compositions were, each with the object of a CompositionRevision.
    revisions: Vec<Composition<'f>>,
    /// Kinds with tags that cannot change, by their definitions.
    pub(super) immutable: BTreeSet<(String, String)>,
}

/// A Composition, or a CompositionRevision.
pub(super) struct Composition<'f> {
    pub(super) object: &'f FleetObject,
    value: Value,
}

impl Composition<'_> {
    fn label(&self, key: &str) -> Option<&str> {
        self.value.pointer("/metadata/labels")?.get(key)?.as_str()
    }

    fn has_labels(&self, wanted: &Map<String, Value>) -> bool {
        wanted.iter().all(|(key, value)| self.label(key).is_some_and(|label| value == label))
    }
}

/// A field that composites of Crossplane 2 have in `spec.crossplane`, and those of Crossplane 1 in `spec`.
fn of_crossplane<'v>(composite: &'v Value, path: &str) -> Option<&'v Value> {
    ["/spec/crossplane", "/spec"].into_iter().find_map(|place| composite.pointer(&[place, path].concat()))
}

/// The labels that a composite selects a Composition or a revision of it by.
pub(super) fn wanted_labels<'v>(composite: &'v Value, selector: &str) -> Option<&'v Map<String, Value>> {
    of_crossplane(composite, &[selector, "/matchLabels"].concat())?.as_object()
}

/// The name of the CompositionRevision that a composite has.
pub(super) fn revision_of(composite: &Value) -> Option<&str> {
    of_crossplane(composite, "/compositionRevisionRef/name")?.as_str()
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
        let composing = |kind| of_kind(kind).map(|object| Composition { object, value: object.value() }).collect();
        let (compositions, revisions) = (composing("Composition"), composing("CompositionRevision"));
        Side { fleet, claim_kinds, definitions, compositions, revisions, immutable: immutable(fleet), settings }
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

    /// What composes for a composite: its Composition, or the CompositionRevision that it has or selects.
    ///
    /// # Errors
    /// When it is not known which one it is: a sentence.
    ///
    /// Source: Crossplane 1.20.13 and 2.4.2, internal/controller/apiextensions/composite/api.go, `APIRevisionFetcher`; a revision
    /// has the labels of its Composition.
    pub(super) fn composing(&self, composite: &Value, id: &ObjectId) -> Result<&Composition<'f>, String> {
        let is_manual = self.is_manual(composite, id);
        if let Some(name) = revision_of(composite).filter(|_| is_manual) {
            let named = self.revisions.iter().find(|revision| revision.object.id.name == name);
            return named.ok_or_else(|| format!("CompositionRevision `{name}` is not in these files"));
        }
        let current = self.composition(composite, id)?;
        let Some(wanted) = wanted_labels(composite, "/compositionRevisionSelector").filter(|_| !is_manual) else {
            return Ok(current);
        };
        if current.has_labels(wanted) {
            return Ok(current);
        }
        let name = &*current.object.id.name;
        let is_of = |revision: &&Composition<'f>| {
            revision.label("crossplane.io/composition-name") == Some(name) && revision.has_labels(wanted)
        };
        let number = |revision: &&Composition<'f>| revision.value.pointer("/spec/revision").and_then(Value::as_u64);
        let latest = self.revisions.iter().filter(is_of).max_by_key(number);
        latest.ok_or_else(|| format!("no revision of Composition `{name}` with the selected labels is in these files"))
    }

    /// Whether a composite stays at its revision of the Composition; by default as the definition says.
    pub(super) fn is_manual(&self, composite: &Value, id: &ObjectId) -> bool {
        let definition = self.definition(&id.group, &id.kind);
        let policy = of_crossplane(composite, "/compositionUpdatePolicy")
            .or_else(|| definition?.value.pointer("/spec/defaultCompositionUpdatePolicy"));
        policy.and_then(Value::as_str) == Some("Manual")
    }

    /// The Composition of a composite.
    ///
    /// # Errors
    /// When it is not known which one it is: a sentence.
    ///
    /// Source: Crossplane, internal/controller/apiextensions/composite/api.go, `APILabelSelectorResolver`,
    /// `APIDefaultCompositionSelector` and `EnforcedCompositionSelector`.
    fn composition(&self, composite: &Value, id: &ObjectId) -> Result<&Composition<'f>, String> {
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
        let definition = self.definition(&id.group, &id.kind);
        let of_definition = |path: &str| definition.and_then(|it| it.value.pointer(path)).and_then(Value::as_str);
        let selector = wanted_labels(composite, "/compositionSelector");
        let named = of_definition("/spec/enforcedCompositionRef/name")
            .or_else(|| of_crossplane(composite, "/compositionRef/name").and_then(Value::as_str))
            .or_else(|| of_definition("/spec/defaultCompositionRef/name").filter(|_| selector.is_none()));
        if let Some(name) = named {
            let found = fitting.into_iter().find(|composition| composition.object.id.name == name);
            return found.ok_or_else(|| format!("Composition `{name}` is not in these files"));
        }
        if let Some(wanted) = selector {
            fitting.retain(|composition| composition.has_labels(wanted));
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
