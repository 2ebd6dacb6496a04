//! One side of a change: objects, settings, and which Composition a composite has.

use std::borrow::Cow;
use std::collections::BTreeSet;

use metadata_propagation::{Mode, OnXrd, Settings, Stance};
use serde_json::{Value, json};

use super::super::is_same;
use super::definitions::{Definition, immutable};
use crate::environment::{Environment, environment};
use crate::fleet::Fleet;
use crate::object::{CROSSPLANE_GROUP, FleetObject, ObjectId, group_and_version};
use crate::relations::text;
use crate::selection::{Selected, has_labels, is_manual, of_spec, revision, selected};
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
    revisions: Vec<Composition<'f>>,
    /// Kinds with tags that cannot change, by their definitions.
    pub(super) immutable: BTreeSet<(String, String)>,
}

/// A Composition, or a revision of one.
pub(super) struct Composition<'f> {
    /// As a Composition.
    pub(super) object: Cow<'f, FleetObject>,
    /// What it is among the files.
    pub(super) id: ObjectId,
    value: Value,
}

impl Composition<'_> {
    /// The environment of its resources, if all of it is among the objects.
    pub(super) fn environment(&self, fleet: &Fleet) -> Option<Environment> {
        environment(&self.value, fleet)
    }
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
        let compositions = of_kind("Composition")
            .map(|object| Composition { value: object.value(), id: object.id.clone(), object: Cow::Borrowed(object) })
            .collect();
        // A revision has the fields of its Composition.
        let revisions = of_kind("CompositionRevision").map(|object| {
            let id = ObjectId { kind: "Composition".to_owned(), ..object.id.clone() };
            let composition = FleetObject { id, ..object.clone() };
            Composition { value: object.value(), id: object.id.clone(), object: Cow::Owned(composition) }
        });
        let revisions = revisions.collect();
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

    /// A composite as the API server reads it: with the defaults of its definition, and without fields below those of
    /// `spec` that it does not declare. Beside them, Crossplane declares fields of its own. `None` without a definition.
    pub(super) fn as_declared(&self, id: &ObjectId, version: &str, json: &str) -> Option<String> {
        let schema = schema(&self.definition(&id.group, &id.kind)?.value, version)?;
        let mut value: Value = serde_json::from_str(json).ok()?;
        let spec = value.get_mut("spec")?;
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if let Some(field) = spec.get_mut(name) {
                topology::prune(field, schema, false);
            }
        }
        topology::set_defaults(spec, schema);
        Some(value.to_string())
    }

    pub(super) fn definition_name(&self, id: &ObjectId) -> Option<&str> {
        self.definition(&id.group, &id.kind).map(|definition| &*definition.object.id.name)
    }

    /// A Composition with its templates evaluated for one composite.
    pub(super) fn evaluated<'c>(
        &self,
        composition: &'c Composition<'f>,
        id: &ObjectId,
        composite: &Value,
    ) -> EvaluatedComposition<'c> {
        let version = group_and_version(text(composite, "apiVersion")).1.to_owned();
        let (json, origin) = (composite.to_string().into(), composition.object.origin.clone());
        let composite = FleetObject { id: id.clone(), version, json, origin };
        let definitions = self.definitions.iter().map(|definition| definition.object);
        // Without templates, nothing is asked of it.
        let is_templated = composition.object.json.contains("gotemplating");
        let known = definitions.chain([&composite]).filter(|_| is_templated);
        TemplateEvaluation::of(known, &self.settings).evaluated(&composition.object)
    }

    /// The Composition that a composite has; after a change with the files and the composite before it. One that is
    /// `Manual` stays at its revision.
    ///
    /// # Errors
    /// When it is not known which one it is: a sentence.
    ///
    /// Source: Crossplane 2.4.2, internal/controller/apiextensions/composite/api.go, `APIRevisionFetcher.Fetch`.
    pub(super) fn followed<'s>(
        &'s self,
        composite: &Value,
        id: &ObjectId,
        former: Option<(&'s Side<'f>, Option<&Value>)>,
    ) -> Result<&'s Composition<'f>, String> {
        let (old, before) = former.map_or((None, None), |(old, before)| (Some(old), before));
        // The definition that the composite was created with.
        let definition = old.filter(|_| before.is_some()).unwrap_or(self).definition(&id.group, &id.kind);
        let definition = definition.map(|definition| &definition.value);
        let composite = &self.with_selection(composite, id, old.zip(before), definition);
        let (is, was) = (is_manual(composite, definition), before.is_some_and(|before| is_manual(before, definition)));
        let (named, named_before, kind) = (revision(composite), before.and_then(revision), &id.kind);
        if was && !is && named_before.is_none() {
            return Err(format!("`{kind}` was `Manual`: these files do not show at which revision it was"));
        }
        match (named.filter(|_| is), old, before) {
            // One that is not `Manual` names the newest revision.
            (Some(_), Some(old), Some(before)) if !was && named == named_before => old.newest(before, id),
            (Some(named), ..) => {
                let revision = self.revisions.iter().find(|revision| revision.object.id.name == named);
                revision
                    .ok_or_else(|| format!("`{kind}` is `Manual`, and these files do not show its revision `{named}`"))
            }
            (None, Some(old), Some(before)) if was && named_before.is_none() => old.composition(before, id),
            (None, Some(old), _) if is => self.manual_from_now(before.filter(|_| !was).unwrap_or(composite), id, old),
            (None, Some(old), _) if self.composition(composite, id).is_ok() => {
                let newest = self.newest(composite, id);
                newest.or_else(|why| old.newest(composite, id).map_err(|_| why))
            }
            (None, ..) => self.newest(composite, id),
        }
    }

    /// A composite with what Crossplane writes into it when it selects a Composition, and files seldom have: the name of
    /// the one that was selected first, and the default selector of revisions. Neither changes later.
    ///
    /// Source: as above, `APILabelSelectorResolver` and `APIDefaultCompositionSelector`.
    fn with_selection(
        &self,
        composite: &Value,
        id: &ObjectId,
        stored: Option<(&Side<'f>, &Value)>,
        definition: Option<&Value>,
    ) -> Value {
        let names_one = |composite: &Value| of_spec(composite, "/compositionRef").is_some();
        let unnamed = stored.filter(|(_, before)| !names_one(before) && !names_one(composite));
        let first = unnamed.and_then(|(old, before)| old.composition(before, id).ok());
        let revisions = definition.and_then(|it| it.pointer("/spec/defaultCompositionRevisionSelector"));
        let revisions = revisions
            .filter(|_| of_spec(composite, "/compositionRevisionSelector").is_none() && revision(composite).is_none());
        let mut composite = composite.clone();
        if let Some(spec) = composite.get_mut("spec").and_then(Value::as_object_mut) {
            let named = first.map(|first| ("compositionRef", json!({ "name": first.object.id.name })));
            let selected = revisions.map(|selector| ("compositionRevisionSelector", selector.clone()));
            spec.extend(named.into_iter().chain(selected).map(|(field, value)| (field.to_owned(), value)));
        }
        composite
    }

    /// The Composition of a composite that stays at the revision that it has when it is made `Manual`.
    fn manual_from_now<'s>(
        &'s self,
        composite: &Value,
        id: &ObjectId,
        old: &'s Side<'f>,
    ) -> Result<&'s Composition<'f>, String> {
        match (old.newest(composite, id), self.newest(composite, id)) {
            (Ok(former), Ok(newest)) if !is_same([&former.value.to_string(), &newest.value.to_string()]) => {
                Err(format!(
                    "`{}` is made `Manual` by the change that edits Composition `{}`: it gets the edit only if Crossplane sees that first",
                    id.kind, newest.object.id.name
                ))
            }
            (_, newest) => newest,
        }
    }

    /// The newest revision that a composite selects; a revision has the labels of its Composition.
    fn newest(&self, composite: &Value, id: &ObjectId) -> Result<&Composition<'f>, String> {
        let found = self.composition(composite, id)?;
        let wanted = of_spec(composite, "/compositionRevisionSelector/matchLabels").and_then(Value::as_object);
        let Some(wanted) = wanted.filter(|wanted| !has_labels(&found.value, wanted)) else { return Ok(found) };
        let name = &*found.id.name;
        let is_of = |revision: &&Composition<'f>| {
            let labels = revision.value.pointer("/metadata/labels");
            let of = labels.and_then(|labels| labels.get("crossplane.io/composition-name")?.as_str());
            of == Some(name) && has_labels(&revision.value, wanted)
        };
        let number = |revision: &&Composition<'f>| revision.value.pointer("/spec/revision").and_then(Value::as_u64);
        self.revisions.iter().filter(is_of).max_by_key(number).ok_or_else(|| {
            format!("no revision of Composition `{name}` with the labels that `{}` selects is in these files", id.kind)
        })
    }

    /// Whether a composite stays at a revision; by default as its definition says.
    pub(super) fn is_manual(&self, composite: &Value, id: &ObjectId) -> bool {
        is_manual(composite, self.definition(&id.group, &id.kind).map(|definition| &definition.value))
    }

    /// The Composition of a composite.
    ///
    /// # Errors
    /// When it is not known which one it is: a sentence.
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
        let selected = selected(composite, self.definition(&id.group, &id.kind).map(|it| &it.value));
        fitting.retain(|composition| selected.fits(&composition.value));
        match &*fitting {
            [one] => Ok(one),
            [] if let Selected::Named(name) = selected => Err(format!("Composition `{name}` is not in these files")),
            [] => Err(format!("no Composition for `{}` is in these files", id.kind)),
            [first, second, ..] => Err(format!(
                "several Compositions are for `{}`, such as `{}` and `{}`, and nothing selects one",
                id.kind, first.object.id.name, second.object.id.name
            )),
        }
    }
}
