//! Composites of a version that is not served, and those without a Composition.
//!
//! Source: Crossplane 2.4, internal/controller/apiextensions/composite/api.go, `APILabelSelectorResolver`.

use metadata_propagation::{CloudTags, Stance, TagDelivery};
use serde_json::Value;

use crate::crossplane_refusals::crossplane_refusals;
use crate::object::{CROSSPLANE_GROUP, FleetObject};
use crate::object_finding::{FindingLevel, ObjectFinding, REFUSED};
use crate::relations::text;
use crate::selection::{Selected, selected};

/// The definitions and Compositions among the objects.
pub(crate) struct CrossplaneObjects<'s> {
    definitions: Vec<Value>,
    compositions: Vec<Value>,
    settings: &'s CloudTags,
}

impl<'s> CrossplaneObjects<'s> {
    pub(crate) fn of<'f>(
        objects: impl Iterator<Item = &'f FleetObject>,
        settings: &'s CloudTags,
    ) -> CrossplaneObjects<'s> {
        let mut found = CrossplaneObjects { definitions: Vec::new(), compositions: Vec::new(), settings };
        for object in objects.filter(|object| object.id.group == CROSSPLANE_GROUP) {
            match &*object.id.kind {
                "CompositeResourceDefinition" => found.definitions.push(object.value()),
                "Composition" => found.compositions.push(object.value()),
                _ => {}
            }
        }
        found
    }

    /// What the API server refuses in a definition or a Composition, why a composite is refused, or has no Composition.
    pub(crate) fn findings(&self, object: &FleetObject) -> Vec<ObjectFinding> {
        let refused = crossplane_refusals(object, &self.definitions);
        refused.into_iter().chain(self.of_composite(object)).collect()
    }

    fn of_composite(&self, object: &FleetObject) -> Option<ObjectFinding> {
        if !self.settings.has_group(&object.id.group) {
            return None;
        }
        let is_of = |definition: &&Value| {
            let has_kind = |names| definition.pointer(names).is_some_and(|names| text(names, "kind") == object.id.kind);
            definition.get("spec").is_some_and(|spec| text(spec, "group") == object.id.group)
                && (has_kind("/spec/names") || has_kind("/spec/claimNames"))
        };
        let definition = self.definitions.iter().find(is_of)?;
        let versions = definition.pointer("/spec/versions")?.as_array()?;
        let is = |version: &Value, field, expected: bool| version.get(field) == Some(&Value::Bool(expected));
        let is_own = |version: &&Value| text(version, "name") == object.version && !is(version, "served", false);
        if !versions.iter().any(|version| is_own(&version)) {
            let message = format!("its definition does not serve version `{}`", object.version);
            return Some(ObjectFinding::new(FindingLevel::Error, REFUSED, "apiVersion", message));
        }
        // Crossplane reads composites in this version, whatever they are written in.
        let referenceable = versions.iter().find(|version| is(version, "referenceable", true));
        let version = referenceable.map_or(&*object.version, |version| text(version, "name"));
        self.without_composition(&object.value(), definition, version)
    }

    fn without_composition(&self, composite: &Value, definition: &Value, version: &str) -> Option<ObjectFinding> {
        let spec = definition.get("spec")?;
        let (group, kind) = (text(spec, "group"), text(spec.get("names")?, "kind"));
        let is_of = |composition: &&Value| {
            let of = composition.pointer("/spec/compositeTypeRef");
            of.is_some_and(|of| text(of, "apiVersion") == [group, "/", version].concat() && text(of, "kind") == kind)
        };
        let selected = selected(composite, Some(definition));
        let fits = |composition: &Value| selected.fits(composition);
        if self.settings.compositions == Stance::Ignore
            || self.compositions.is_empty()
            || self.compositions.iter().filter(is_of).any(fits)
        {
            return None;
        }
        let of = format!("`{kind}` of `{group}/{version}`");
        let which = match selected {
            Selected::Named(name) => format!("Composition `{name}` for {of} is not in these files"),
            Selected::Labeled(_) => format!("no Composition for {of} in these files has the labels that it selects"),
            Selected::OfKind => format!("no Composition in these files is for {of}"),
        };
        let message = format!("{which}: whether its tags arrive is unknown");
        let found = ObjectFinding::new(FindingLevel::Note, "cloudTags.compositions", "spec", message);
        Some(ObjectFinding { verdict: Some(TagDelivery::CannotTell), reason: "no-composition", ..found })
    }
}
