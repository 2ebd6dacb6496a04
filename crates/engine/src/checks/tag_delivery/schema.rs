//! What the schema of one version of a composite does to `spec.cloudTags`.
//!
//! Crossplane makes a CustomResourceDefinition of it, taking from `spec` little more than `properties`, `required` and
//! `x-kubernetes-preserve-unknown-fields`; the API server then prunes by that, and validates what is left. Source:
//! crossplane-runtime, pkg/xcrd/crd.go, `genCrdVersion`; Kubernetes, structural schemas and field pruning.

use super::faults::Faults;
use super::faults::Severity::{Loss, Risk};
use super::node::{Node, Wrong};
use crate::catalog::profiles::{self, Profile};
use crate::report::messages_tag_delivery::{DefinitionMessage as Message, NOT_A_WHOLE_NUMBER};

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

/// A keyword that bounds tags, and the limit of the profiles that it is held against.
struct Bound {
    keyword: &'static str,
    limit: fn(&Profile) -> usize,
    unit: &'static str,
}

const TAGS: Bound = Bound { keyword: "maxProperties", limit: |profile| profile.tags, unit: "tags" };
const VALUE: Bound = Bound { keyword: "maxLength", limit: Profile::value_characters, unit: "characters" };

/// Keywords that may refuse tags: which ones is not known without trying.
const CONDITIONS: [&str; 7] = ["pattern", "format", "x-kubernetes-validations", "allOf", "anyOf", "oneOf", "not"];

/// The schema of one version, as far as tags go.
pub(super) struct Schema<'a> {
    /// `openAPIV3Schema`.
    pub(super) root: Node<'a>,
    /// `properties.spec` below it.
    spec: Node<'a>,
    /// `properties.cloudTags` below that.
    pub(super) tags: Node<'a>,
    /// Whether `spec` preserves what it does not declare.
    pub(super) preserves: bool,
}

impl<'a> Schema<'a> {
    /// Reads the schema of one entry of `spec.versions`.
    ///
    /// # Errors
    /// When it has another shape than an OpenAPI schema.
    pub(super) fn read(version: Node<'a>) -> Result<Self, Wrong<'a>> {
        let root = version.get(&["schema", "openAPIV3Schema"])?;
        let spec = root.get(&["properties", "spec"])?;
        let tags = spec.get(&["properties", "cloudTags"])?;
        Ok(Schema { root, spec, tags, preserves: spec.get(&[PRESERVE])?.is_true() })
    }

    /// Whether the field is an object without a list of keys: all that is missing is `additionalProperties`.
    ///
    /// # Errors
    /// When the schema has another shape than an OpenAPI schema.
    pub(super) fn is_bare(&self) -> Result<bool, Wrong<'a>> {
        let tags = self.tags;
        Ok(tags.string(&["type"])? == "object"
            && tags.get(&["additionalProperties"])?.is_null()
            && tags.get(&["properties"])?.fields()?.is_empty()
            && !tags.get(&[PRESERVE])?.is_true())
    }

    /// All ways in which tags are lost or refused; `declaring` is a version that declares the field, if one does.
    ///
    /// # Errors
    /// When the schema has another shape than an OpenAPI schema.
    pub(super) fn faults(&self, version: Node<'a>, declaring: &str, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
        if self.tags.is_null() {
            self.undeclared(version, declaring, faults)?;
        } else {
            self.declared(faults)?;
        }
        for field in self.spec.get(&["required"])?.elements()? {
            if Node(field).string(&[])? == "cloudTags" {
                faults.add(Loss, Node(field), Message::Required);
            }
        }
        Ok(())
    }

    /// What becomes of a field that is not declared.
    fn undeclared(&self, version: Node<'a>, declaring: &str, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
        if self.root.is_null() {
            faults.add(Loss, version, Message::NoSchema);
            return Ok(());
        }
        let at = if self.spec.is_null() { self.root } else { self.spec };
        if self.preserves {
            faults.add(Risk, at, Message::PreservedBySpec);
            return Ok(());
        }
        for keyword in ["oneOf", "anyOf", "allOf"] {
            for schema in self.spec.get(&[keyword])?.elements()? {
                if !Node(schema).get(&["properties", "cloudTags"])?.is_null() {
                    faults.add(Loss, at, Message::DeclaredBelow { keyword });
                    return Ok(());
                }
            }
        }
        let message = if !self.spec.get(&["additionalProperties"])?.is_null() {
            Message::LeftToAdditionalProperties
        } else if self.root.get(&[PRESERVE])?.is_true() {
            Message::LeftToRoot
        } else if declaring.is_empty() {
            Message::NotDeclared
        } else {
            Message::DeclaredElsewhere { version: declaring }
        };
        faults.add(Loss, at, message);
        Ok(())
    }

    /// What becomes of a field that is declared.
    fn declared(&self, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
        let tags = self.tags;
        let preserves = tags.get(&[PRESERVE])?.is_true();
        match &*tags.string(&["type"])? {
            "object" => {}
            "" if preserves => {}
            "" => {
                faults.add(Loss, tags, Message::NoType);
                return Ok(());
            }
            found => {
                faults.add(Loss, tags, Message::WrongType { found });
                return Ok(());
            }
        }
        let values = tags.get(&["additionalProperties"])?;
        match values.0 {
            "null" if preserves => faults.add(Risk, tags, Message::Preserved),
            "null" if !self.is_bare()? => faults.add(Loss, tags, Message::ListedKeysOnly),
            "null" => {
                faults.add(Loss, tags, Message::NoAdditionalProperties { spec_preserves: self.preserves });
            }
            "false" => faults.add(Loss, values, Message::AdditionalPropertiesForbidden),
            "true" => faults.add(Risk, values, Message::AnyValue),
            _ => of_values(values, faults)?,
        }
        bounded(tags, &TAGS, faults)?;
        let least = tags.get(&["minProperties"])?;
        if !["null", "0", "1"].contains(&least.0) {
            faults.add(Loss, least, Message::MinProperties { least: least.0 });
        }
        conditions(tags, faults)
    }
}

/// What the schema of a value does to tags.
fn of_values<'a>(values: Node<'a>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    match &*values.string(&["type"])? {
        "string" => {}
        "" if values.get(&[PRESERVE])?.is_true() || values.get(&[INT_OR_STRING])?.is_true() => {
            faults.add(Risk, values, Message::ValuesOfAnyType);
        }
        "" => faults.add(Loss, values, Message::ValuesWithoutType),
        found => faults.add(Loss, values, Message::ValuesOfWrongType { found }),
    }
    bounded(values, &VALUE, faults)?;
    let least = values.get(&["minLength"])?;
    if !["null", "0"].contains(&least.0) {
        faults.add(Risk, least, Message::MinLength);
    }
    conditions(values, faults)
}

fn bounded<'a>(schema: Node<'a>, bound: &Bound, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    let found = schema.get(&[bound.keyword])?;
    if found.is_null() {
        return Ok(());
    }
    let limit: u64 = found.0.parse().map_err(|_| found.wrong(NOT_A_WHOLE_NUMBER))?;
    let (keyword, unit) = (bound.keyword, bound.unit);
    let (every, some) = profiles::range(bound.limit);
    if limit < every as u64 {
        faults.add(Loss, found, Message::BelowEveryProfile { keyword, limit, needed: every, unit });
    } else if limit < some as u64 {
        faults.add(Risk, found, Message::BelowOneProfile { keyword, limit, needed: some, unit });
    }
    Ok(())
}

fn conditions<'a>(schema: Node<'a>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    for field in schema.fields()? {
        let (keyword, value) = (&*field.key, Node(field.value));
        if value.is_null() {
            continue;
        }
        if keyword == "enum" {
            faults.add(Loss, value, Message::Enum);
        } else if CONDITIONS.contains(&keyword) {
            faults.add(Risk, value, Message::Condition { keyword });
        }
    }
    Ok(())
}
