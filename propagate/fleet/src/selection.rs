//! Which Composition a composite has, and at which revision.
//!
//! Source: Crossplane 2.4.2, internal/controller/apiextensions/composite/api.go: `EnforcedCompositionSelector`,
//! `APIDefaultCompositionSelector`, `APILabelSelectorResolver` and `APIRevisionFetcher`.

use serde_json::{Map, Value};

/// What determines the Composition of a composite.
pub(crate) enum Selected<'c> {
    /// Its name.
    Named(&'c str),
    /// Its labels.
    Labeled(&'c Map<String, Value>),
    /// Only the kind that it is for.
    OfKind,
}

pub(crate) fn selected<'c>(composite: &'c Value, definition: Option<&'c Value>) -> Selected<'c> {
    let of_definition = |path: &str| definition?.pointer(path)?.as_str();
    let labels = of_spec(composite, "/compositionSelector/matchLabels").and_then(Value::as_object);
    let named = of_definition("/spec/enforcedCompositionRef/name")
        .or_else(|| of_spec(composite, "/compositionRef/name").and_then(Value::as_str))
        .or_else(|| of_definition("/spec/defaultCompositionRef/name").filter(|_| labels.is_none()));
    match (named, labels) {
        (Some(name), _) => Selected::Named(name),
        (None, Some(labels)) => Selected::Labeled(labels),
        (None, None) => Selected::OfKind,
    }
}

impl Selected<'_> {
    /// Whether a Composition for the kind of the composite may be its own.
    pub(crate) fn fits(&self, composition: &Value) -> bool {
        match self {
            Selected::Named(name) => composition.pointer("/metadata/name").and_then(Value::as_str) == Some(name),
            Selected::Labeled(labels) => has_labels(composition, labels),
            Selected::OfKind => true,
        }
    }
}

/// Whether a Composition has these labels.
pub(crate) fn has_labels(composition: &Value, wanted: &Map<String, Value>) -> bool {
    let labels = composition.pointer("/metadata/labels");
    wanted.iter().all(|(key, value)| labels.and_then(|labels| labels.get(key)) == Some(value))
}

/// What a composite says about its Composition: in `spec.crossplane`, or in `spec` as in Crossplane 1.
pub(crate) fn of_spec<'c>(composite: &'c Value, path: &str) -> Option<&'c Value> {
    ["/spec/crossplane", "/spec"].into_iter().find_map(|place| composite.pointer(&[place, path].concat()))
}

/// Whether a composite stays at the revision that it has. By default its definition says so, when it is created.
pub(crate) fn is_manual(composite: &Value, definition: Option<&Value>) -> bool {
    let default = || definition?.pointer("/spec/defaultCompositionUpdatePolicy");
    of_spec(composite, "/compositionUpdatePolicy").or_else(default).and_then(Value::as_str) == Some("Manual")
}

/// The name of the revision that a composite has.
pub(crate) fn revision(composite: &Value) -> Option<&str> {
    of_spec(composite, "/compositionRevisionRef/name").and_then(Value::as_str)
}
