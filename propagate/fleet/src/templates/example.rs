//! Composites to evaluate templates with: those in the files, or one that is made from the schema of its definition.

use std::collections::BTreeMap;
use std::fmt;

use metadata_propagation::CloudTags;
use serde_json::{Map, Value, json};

use crate::member::SUFFIX;
use crate::object::{CROSSPLANE_GROUP, FleetObject, ObjectId, group_and_version};
use crate::selection::{is_manual, revision, selected};

/// The composites and definitions among objects.
pub(super) struct Examples<'f> {
    definitions: Vec<Value>,
    /// Objects of the groups of composites, by group and kind.
    objects: BTreeMap<(String, String), Vec<&'f FleetObject>>,
}

/// A composite.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Example {
    pub(crate) origin: ExampleOrigin,
    pub(crate) composite: Value,
}

/// Where a composite is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExampleOrigin {
    /// An object: its kind and name.
    Object(String),
    /// The schema of a definition.
    Schema(String),
}

/// The maximum number of composites that a template is evaluated with.
pub(super) const MOST_EXAMPLES: usize = 4;
/// The maximum number of composites that a Composition is checked with.
pub(super) const MOST_COMPOSITES: usize = 1000;
/// The maximum depth of what is made from a schema, and its maximum number of values.
const DEEPEST: usize = 16;
const MOST_VALUES: usize = 4096;
const UID: &str = "00000000-0000-4000-8000-000000000000";

impl Example {
    /// Whether it is among the files.
    pub(crate) fn is_object(&self) -> bool {
        matches!(self.origin, ExampleOrigin::Object(_))
    }
}

impl<'f> Examples<'f> {
    pub(super) fn of(objects: impl Iterator<Item = &'f FleetObject>, settings: &CloudTags) -> Examples<'f> {
        let mut examples = Examples { definitions: Vec::new(), objects: BTreeMap::new() };
        if settings.composites.is_empty() {
            return examples;
        }
        for object in objects {
            let (group, kind) = (&*object.id.group, &*object.id.kind);
            if group == CROSSPLANE_GROUP && kind == "CompositeResourceDefinition" {
                examples.definitions.extend(serde_json::from_str::<Value>(&object.json));
            } else if settings.has_group(group) {
                examples.objects.entry((group.to_owned(), kind.to_owned())).or_default().push(object);
            }
        }
        examples
    }

    /// Whether composites of a kind have a namespace, by their definition or, without one, by one of them that has.
    pub(super) fn are_namespaced(&self, api_version: &str, kind: &str) -> Option<bool> {
        let group = group_and_version(api_version).0;
        let has_namespace = |object: &&FleetObject| !object.id.namespace.is_empty();
        let objects = self.objects.get(&(group.to_owned(), kind.to_owned())).into_iter().flatten().copied();
        let written = || objects.into_iter().any(|object| has_namespace(&object)).then_some(true);
        self.definition(group, kind).map(is_namespaced).or_else(written)
    }

    /// A composite or a claim with the defaults of its definition, as the API server sends it to the policy; `None` if
    /// there are none.
    pub(super) fn defaulted(&self, id: &ObjectId, version: &str, json: &str) -> Option<String> {
        let is_of = |definition: &&Value| {
            let has_kind = |names| text(definition, names) == id.kind;
            text(definition, "/spec/group") == id.group
                && (has_kind("/spec/names/kind") || has_kind("/spec/claimNames/kind"))
        };
        let definition = self.definitions.iter().find(is_of)?;
        let schema = schema(definition, version)?;
        let mut value: Value = serde_json::from_str(json).ok()?;
        let spec = value.get_mut("spec")?;
        let written = spec.clone();
        set_defaults(spec, schema, 0);
        let is_changed = *spec != written;
        is_changed.then(|| value.to_string())
    }

    fn definition(&self, group: &str, kind: &str) -> Option<&Value> {
        let is_of = |definition: &&Value| {
            text(definition, "/spec/group") == group && text(definition, "/spec/names/kind") == kind
        };
        self.definitions.iter().find(is_of)
    }

    /// The composite that Crossplane makes of a claim, which appends something to its name.
    pub(super) fn of_claim(&self, claim: &FleetObject) -> Option<FleetObject> {
        let is_of = |definition: &&Value| {
            text(definition, "/spec/group") == claim.id.group
                && text(definition, "/spec/claimNames/kind") == claim.id.kind
        };
        let kind = text(self.definitions.iter().find(is_of)?, "/spec/names/kind");
        let name = [&claim.id.name, "-", SUFFIX].concat();
        let mut value = composite(&claim.value(), claim, true, [&claim.api_version(), kind]);
        value.get_mut("metadata")?.as_object_mut()?.insert("name".to_owned(), name.as_str().into());
        let id = ObjectId::new(&claim.id.group, kind, "", &name);
        Some(FleetObject { id, json: value.to_string().into(), ..claim.clone() })
    }

    /// Composites of a kind that stay at a revision of their Composition.
    pub(super) fn pinned_of_kind(&self, api_version: &str, kind: &str) -> Vec<String> {
        let group = group_and_version(api_version).0;
        let definition = self.definition(group, kind);
        let written = self.objects.get(&(group.to_owned(), kind.to_owned())).into_iter().flatten();
        written.filter(|object| is_pinned(object, definition)).map(|object| object.id.to_string()).collect()
    }

    /// Composites of a kind that may have a Composition, and follow it.
    pub(super) fn of_kind(&self, [api_version, kind]: [&str; 2], composition: &Value, most: usize) -> Vec<Example> {
        let (group, version) = group_and_version(api_version);
        let definition = self.definition(group, kind);
        let schema = definition.and_then(|definition| schema(definition, version));
        let claim = definition.map_or("", |definition| text(definition, "/spec/claimNames/kind"));
        let of = |kind: &str| self.objects.get(&(group.to_owned(), kind.to_owned())).into_iter().flatten();
        let claims = of(claim).filter(|_| !claim.is_empty()).map(|object| (object, true));
        let written = of(kind).map(|object| (object, false)).chain(claims);
        let follows = |(object, _): &(&&FleetObject, bool)| !is_pinned(object, definition);
        let examples = written.filter(follows).map(|(object, is_claim)| {
            let mut composite = composite(&object.value(), object, is_claim, [api_version, kind]);
            if let (Some(spec), Some(schema)) = (composite.get_mut("spec"), schema) {
                set_defaults(spec, schema, 0);
            }
            Example { origin: ExampleOrigin::Object(object.id.to_string()), composite }
        });
        let is_its_own = |example: &Example| selected(&example.composite, definition).fits(composition);
        let examples = examples.filter(is_its_own).take(most);
        let examples: Vec<Example> = examples.collect();
        if examples.is_empty() { self.made(api_version, kind).into_iter().collect() } else { examples }
    }

    /// A composite that is made from the schema of its definition.
    pub(super) fn made(&self, api_version: &str, kind: &str) -> Option<Example> {
        let (group, version) = group_and_version(api_version);
        let definition = self.definition(group, kind)?;
        let spec = made(schema(definition, version)?, 0, &mut MOST_VALUES.clone());
        let namespace = is_namespaced(definition).then_some("default");
        let labels = json!({"crossplane.io/composite": "example"});
        let metadata = json!({"name": "example", "namespace": namespace, "uid": UID, "labels": labels});
        let composite = json!({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec});
        Some(Example { origin: ExampleOrigin::Schema(text(definition, "/metadata/name").to_owned()), composite })
    }
}

/// The end of a sentence.
impl fmt::Display for ExampleOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExampleOrigin::Object(name) => write!(f, "`{name}`"),
            ExampleOrigin::Schema(name) => write!(f, "a composite made from the schema of `{name}`"),
        }
    }
}

/// Whether an object is `Manual` and names its revision.
fn is_pinned(object: &FleetObject, definition: Option<&Value>) -> bool {
    let has_revision = object.json.contains("\"compositionRevisionRef\"");
    has_revision && {
        let composite = object.value();
        is_manual(&composite, definition) && revision(&composite).is_some()
    }
}

fn text<'v>(value: &'v Value, path: &str) -> &'v str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// The default is `Namespaced` in version 2 of the definition, and `LegacyCluster` before.
fn is_namespaced(definition: &Value) -> bool {
    match text(definition, "/spec/scope") {
        "" => text(definition, "/apiVersion") == "apiextensions.crossplane.io/v2",
        scope => scope == "Namespaced",
    }
}

/// The schema of `spec` in a version of a definition.
pub(crate) fn schema<'d>(definition: &'d Value, version: &str) -> Option<&'d Value> {
    let versions = definition.pointer("/spec/versions")?.as_array()?;
    let version = versions.iter().find(|one| text(one, "/name") == version)?;
    version.pointer("/schema/openAPIV3Schema/properties/spec")
}

/// A composite before its first reconcile, from one or from a claim.
fn composite(read: &Value, object: &FleetObject, is_claim: bool, [api_version, kind]: [&str; 2]) -> Value {
    let mut metadata = read.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut spec = read.get("spec").and_then(Value::as_object).cloned().unwrap_or_default();
    let (name, namespace) = (&object.id.name, &object.id.namespace);
    metadata.insert("uid".to_owned(), UID.into());
    metadata.insert("name".to_owned(), name.as_str().into());
    if is_claim {
        let mut labels = metadata.get("labels").and_then(Value::as_object).cloned().unwrap_or_default();
        labels.retain(|key, _| is_copied(key));
        labels.insert("crossplane.io/claim-name".to_owned(), name.as_str().into());
        labels.insert("crossplane.io/claim-namespace".to_owned(), namespace.as_str().into());
        metadata.insert("labels".to_owned(), labels.into());
        metadata.remove("namespace");
        let claim =
            json!({"apiVersion": object.api_version(), "kind": object.id.kind, "name": name, "namespace": namespace});
        spec.insert("claimRef".to_owned(), claim);
    } else if !namespace.is_empty() {
        metadata.insert("namespace".to_owned(), namespace.as_str().into());
    }
    json!({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec})
}

/// Whether Crossplane copies a label of a claim to its composite.
///
/// Source: Crossplane 1.20 and 2.4, internal/controller/apiextensions/claim/object.go, `withoutReservedK8sEntries`.
pub(crate) fn is_copied(label: &str) -> bool {
    let domain = label.split('/').next().unwrap_or_default();
    !["kubernetes.io", "k8s.io"].iter().any(|reserved| domain.ends_with(reserved))
}

/// Sets the defaults of a schema and removes nulls that it does not allow, as the API server does.
fn set_defaults(value: &mut Value, schema: &Value, depth: usize) {
    match value {
        Value::Object(fields) if depth < DEEPEST => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
            for (name, schema) in properties {
                if fields.get(name).is_some_and(Value::is_null) && schema.get("nullable") != Some(&true.into()) {
                    fields.remove(name);
                }
                if let Some(default) = schema.get("default").filter(|_| !fields.contains_key(name)) {
                    fields.insert(name.clone(), default.clone());
                }
                if let Some(field) = fields.get_mut(name) {
                    set_defaults(field, schema, depth + 1);
                }
            }
        }
        Value::Array(elements) if depth < DEEPEST => {
            if let Some(items) = schema.get("items") {
                elements.iter_mut().for_each(|element| set_defaults(element, items, depth + 1));
            }
        }
        _ => {}
    }
}

/// A value for a schema: every field is set, and lists have one element.
fn made(schema: &Value, depth: usize, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    if let Some(default) = schema.get("default") {
        let mut default = default.clone();
        set_defaults(&mut default, schema, depth);
        return default;
    }
    let is_deep = depth >= DEEPEST || *left == 0;
    let first = schema.get("enum").and_then(Value::as_array).and_then(|options| options.first());
    let minimum = || schema.get("minimum").cloned().unwrap_or_else(|| 1.into());
    match schema.get("type").and_then(Value::as_str).unwrap_or_default() {
        _ if first.is_some() => first.cloned().unwrap_or_default(),
        "array" => match schema.get("items").filter(|_| !is_deep) {
            Some(items) => Value::Array(vec![made(items, depth + 1, left)]),
            None => json!([]),
        },
        "boolean" => true.into(),
        "integer" | "number" => minimum(),
        "string" => "example".into(),
        "object" => {
            let mut fields = Map::new();
            if !is_deep {
                let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
                fields.extend(properties.map(|(name, schema)| (name.clone(), made(schema, depth + 1, left))));
                let additional = schema.get("additionalProperties").filter(|it| it.is_object());
                fields.extend(additional.map(|schema| ("example".to_owned(), made(schema, depth + 1, left))));
            }
            fields.into()
        }
        _ if schema.get("x-kubernetes-int-or-string").is_some() => 1.into(),
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_that_a_schema_does_not_allow_is_as_if_it_was_not_written() {
        let of = |more: Value| json!({"properties": {"a": more, "b": {"properties": {"a": {"default": 1}}}}});
        for (schema, expected) in [
            (json!({"type": "string"}), json!({"b": {"a": 1}, "c": null})),
            (json!({"default": "x"}), json!({"a": "x", "b": {"a": 1}, "c": null})),
            (json!({"default": "x", "nullable": true}), json!({"a": null, "b": {"a": 1}, "c": null})),
        ] {
            let mut value = json!({"a": null, "b": {"a": null}, "c": null});
            set_defaults(&mut value, &of(schema), 0);
            assert_eq!(value, expected);
        }
    }
}
