//! Whether the API server accepts the values in the field for tags. Crossplane applies resources on the server's side:
//! a value of another type than the kind declares is refused, and the resource is never created.

use super::field_path::FieldPathStep;
use super::resource::ComposedResource;
use super::value::{ScalarType, SimulatedValue};
use crate::carriers::{Item, Tags, TagsOfKind, is_namespaced, nested_fields, newer_field};
use crate::fault::TagFault;
use crate::faults::FaultSeverity::Fails;
use crate::faults::Faults;
use crate::json::Json;
use kubernetes::Mentioned;

/// Fields of this name that are objects are maps of strings, in every kind of the carriers' providers.
const MAPS: [&str; 2] = ["tags", "labels"];

/// A boolean in the tags of Auto Scaling groups, the only kind with such a list that has one.
const PROPAGATE: &str = "propagateAtLaunch";

/// Fields of every managed resource.
const FIELDS: [&str; 5] = ["apiVersion", "kind", "metadata", "spec", "status"];

/// Fields of `spec` of every managed resource, and those that only cluster-scoped ones have.
///
/// Source: the CustomResourceDefinitions of the carriers' providers; crossplane-runtime, apis/common/v1/resource.go and
/// apis/common/v2/resource.go: the namespaced groups have neither a deletion policy nor a store for connection details.
const SPEC: [&str; 5] =
    ["forProvider", "initProvider", "managementPolicies", "providerConfigRef", "writeConnectionSecretToRef"];
const SPEC_OF_CLUSTER_SCOPED: [&str; 3] = ["deletionPolicy", "providerRef", "publishConnectionDetailsTo"];

/// Where namespaced kinds refer to Secrets: below which field, how the names of fields end, and whether only a reference
/// with `key` is to a Secret.
///
/// Source: Crossplane 2.4, apis/core/v2/resource.go, `LocalSecretReference` and `LocalSecretKeySelector`, and the
/// CustomResourceDefinitions of the carriers' providers.
const SECRETS: [(&str, &str, bool); 3] = [
    ("spec", "writeConnectionSecretToRef", false),
    ("spec.forProvider", "SecretRef", true),
    ("spec.initProvider", "SecretRef", true),
];

/// Adds a fault for every map that the kind does not have, and for every value that the API server refuses; returns
/// whether there is one.
pub(super) fn judge<'a>(resource: &ComposedResource<'a>, known: TagsOfKind, faults: &mut Faults<'a>) -> bool {
    let mut types = Types { resource, faults, is_refused: false };
    if !resource.kind.is_composite && !resource.is_pruned {
        types.judge_fields();
        types.judge_undeclared();
    }
    let is_undeclared = types.is_refused;
    judge_values(resource, known, faults) || is_undeclared
}

/// The same for the values in the field for tags.
pub fn judge_values<'a>(resource: &ComposedResource<'a>, known: TagsOfKind, faults: &mut Faults<'a>) -> bool {
    let mut types = Types { resource, faults, is_refused: false };
    types.judge_nested();
    if let Tags::Map(field) | Tags::List(field, _) = known.tags {
        let steps = steps_in(field, &resource.object);
        if let Ok(value) = resource.object.get(&steps) {
            match known.tags {
                Tags::List(_, item) => types.judge_list(field, item, &value),
                _ => types.judge_map(field, &value),
            }
        }
    }
    types.is_refused
}

/// The steps to a field: old versions of some kinds have a list with one element where newer ones have an object, and
/// the table of carriers omits elements.
pub fn steps_in<'a>(field: &'static str, object: &SimulatedValue<'a>) -> Vec<FieldPathStep<'a>> {
    let mut steps = Vec::new();
    let mut names = field.split('.').peekable();
    while let Some(name) = names.next() {
        steps.push(FieldPathStep::Field(name));
        let is_list = || object.get(&steps).is_ok_and(|value| value.other_than_text() == Some("a list"));
        if names.peek().is_some() && is_list() {
            steps.push(FieldPathStep::Element(0));
        }
    }
    steps
}

/// Whether the tags of the composite are in a value: of these [`super::delivery`] says more.
fn has_tags(value: &SimulatedValue<'_>) -> bool {
    !value.places().is_empty()
}

/// Whether a value is written in a base, and not in a composite.
pub fn is_within(value: Json<'_>, base: Json<'_>) -> bool {
    let [inner, outer] = [value, base].map(|json| json.text().as_bytes().as_ptr_range());
    outer.start <= inner.start && inner.end <= outer.end
}

fn no_such_field(path: String, kind: &str, meant: Option<String>) -> TagFault {
    let (path, kind) = (Mentioned(path), kind.into());
    match meant {
        Some(meant) => TagFault::NoSuchFieldBut { path, kind, meant: Mentioned(meant) },
        None => TagFault::NoSuchField { path, kind },
    }
}

struct Types<'r, 'a> {
    resource: &'r ComposedResource<'a>,
    faults: &'r mut Faults<'a>,
    is_refused: bool,
}

impl<'a> Types<'_, 'a> {
    fn refuse(&mut self, value: Option<&SimulatedValue<'a>>, key: &str, fault: TagFault) {
        let of_base = match value {
            Some(SimulatedValue::Given(json)) => Some(*json).filter(|json| is_within(*json, self.resource.base)),
            _ => None,
        };
        let written = || [key, ""].iter().find_map(|key| self.resource.writers.get(key).copied());
        let at = of_base.or_else(written).unwrap_or(self.resource.at);
        self.faults.add(Fails, at, fault);
        self.is_refused = true;
    }

    /// The same for a value that patches write, at a path or below it.
    fn refuse_below(&mut self, value: &SimulatedValue<'a>, path: &[FieldPathStep<'a>], fault: TagFault) {
        let mut patches = self.resource.patches.iter();
        let patched = patches.find(|(to, _)| to.starts_with(path)).map_or(self.resource.at, |(_, at)| *at);
        let at = match value {
            SimulatedValue::Given(json) if is_within(*json, self.resource.base) => *json,
            _ => patched,
        };
        self.faults.add(Fails, at, fault);
        self.is_refused = true;
    }

    fn judge_map(&mut self, field: &'static str, value: &SimulatedValue<'a>) {
        let found = match value {
            SimulatedValue::Scalar(_) => Some("a string"),
            SimulatedValue::Given(json) if json.as_str().is_some() => Some("a string"),
            _ => value.other_than_text().filter(|found| *found != "an object"),
        };
        if let Some(found) = found {
            return self.refuse(Some(value), "", TagFault::NotAMap { found, field: field.into() });
        }
        for (key, value) in value.entries().into_iter().filter(|(_, value)| !has_tags(value)) {
            // What is removed is absent; a null is sent to the API server, which refuses it: seen with Crossplane 2.4.2.
            let is_null = matches!(&value, SimulatedValue::Given(json) if json.is_null());
            if let Some(found) = value.other_than_text().or(is_null.then_some("null")) {
                let path = [field, "[", key, "]"].concat();
                self.refuse(Some(&value), key, TagFault::ValueNotText { path: Mentioned(path), found });
            }
        }
    }

    fn judge_list(&mut self, field: &'static str, item: Item, value: &SimulatedValue<'a>) {
        let is_object = |value: &SimulatedValue<'a>| value.other_than_text() == Some("an object");
        let is_text = |value: &SimulatedValue<'a>| match value {
            SimulatedValue::Scalar(of) => *of == ScalarType::Text,
            SimulatedValue::Given(json) => json.as_str().is_some(),
            _ => false,
        };
        let refused = value.elements().into_iter().filter(|element| !has_tags(element)).find_map(|element| {
            let found = match item {
                Item::String => element.other_than_text(),
                Item::Object if is_text(&element) => Some("a string"),
                Item::Object if is_object(&element) => {
                    let flag = element.get(&[FieldPathStep::Field(PROPAGATE)]);
                    flag.is_ok_and(|flag| is_text(&flag)).then_some("an object whose `propagateAtLaunch` is a string")
                }
                Item::Object => element.other_than_text(),
            };
            Some((found?, element))
        });
        if let Some((found, element)) = refused {
            let of = match item {
                Item::String => "strings",
                Item::Object if is_object(&element) => "objects where it is a boolean",
                Item::Object => "objects",
            };
            self.refuse(Some(&element), "", TagFault::NotAnItem { found, field: field.into(), of });
        }
    }

    /// The objects or lists on the paths to tags.
    fn judge_nested(&mut self) {
        let kind = self.resource.kind;
        for (field, is_list) in nested_fields(kind.group, kind.version, kind.kind) {
            let steps = steps_in(field, &self.resource.object);
            let Ok(value) = self.resource.object.get(&steps) else { continue };
            let (declared, found) = if is_list { ("a list", "an object") } else { ("an object", "a list") };
            if value.other_than_text() == Some(found) {
                let version = kind.version.into();
                let fault = TagFault::OtherVersion { field: field.into(), declared, version, found };
                self.refuse_below(&value, &steps, fault);
            }
        }
    }

    /// Fields beside those of every managed resource.
    fn judge_fields(&mut self) {
        let kind = self.resource.kind;
        let is_namespaced = is_namespaced(kind.group, kind.kind) == Some(true);
        let is_of_spec =
            |name: &str| SPEC.contains(&name) || (!is_namespaced && SPEC_OF_CLUSTER_SCOPED.contains(&name));
        let is_set = |(_, value): &(&str, SimulatedValue<'a>)| !value.is_absent() && !has_tags(value);
        let fields = |value: &SimulatedValue<'a>| value.entries().into_iter().filter(is_set).collect::<Vec<_>>();
        for (name, value) in fields(&self.resource.object).into_iter().filter(|(name, _)| !FIELDS.contains(name)) {
            let meant = SPEC.contains(&name).then(|| format!("spec.{name}"));
            self.refuse(Some(&value), "", no_such_field(name.to_owned(), kind.kind, meant));
        }
        let Ok(spec) = self.resource.object.get(&[FieldPathStep::Field("spec")]) else { return };
        for (name, value) in fields(&spec).into_iter().filter(|(name, _)| !is_of_spec(name)) {
            let meant = match name {
                "deletionPolicy" => Some("spec.managementPolicies".to_owned()),
                _ => Some(format!("spec.forProvider.{name}")).filter(|path| kind.field() == path),
            };
            self.refuse(Some(&value), "", no_such_field(format!("spec.{name}"), kind.kind, meant));
        }
        if is_namespaced {
            self.judge_secrets();
        }
    }

    /// References to Secrets, which are in the namespace of the resource.
    fn judge_secrets(&mut self) {
        let resource = self.resource;
        for (parent, suffix, needs_key) in SECRETS {
            let steps = steps_in(parent, &resource.object);
            let Ok(fields) = resource.object.get(&steps) else { continue };
            for (name, reference) in fields.entries().into_iter().filter(|(name, _)| name.ends_with(suffix)) {
                let of = |field| reference.get(&[FieldPathStep::Field(field)]);
                let Ok(namespace) = of("namespace") else { continue };
                if needs_key && of("key").is_err() {
                    continue;
                }
                let path: Vec<_> = steps.iter().copied().chain([name, "namespace"].map(FieldPathStep::Field)).collect();
                let name = [parent, ".", name, ".namespace"].concat();
                self.refuse_below(&namespace, &path, no_such_field(name, resource.kind.kind, None));
            }
        }
    }

    /// Maps of the base that the kind does not have.
    fn judge_undeclared(&mut self) {
        let kind = self.resource.kind;
        for name in MAPS {
            let steps = ["spec", "forProvider", name].map(FieldPathStep::Field);
            let path = ["spec.forProvider.", name].concat();
            let Ok(value) = self.resource.object.get(&steps) else { continue };
            let is_declared = kind.field() == path
                || kind.holds(&path).is_some()
                || newer_field(kind.group, kind.kind).is_some_and(|newer| newer.path == path);
            if value.other_than_text() == Some("an object") && !is_declared && !has_tags(&value) {
                let fault = TagFault::NoSuchMap { to: Mentioned(path), kind: kind.kind.into() };
                self.refuse(Some(&value), "", fault);
            }
        }
    }
}
