//! What the schema of one version of a composite does to `spec.cloudTags`.
//!
//! Crossplane makes a CustomResourceDefinition of it, taking from `spec` little more than `properties`, `required` and
//! `x-kubernetes-preserve-unknown-fields`; the API server then prunes by that, and validates what is left. Source:
//! crossplane-runtime, pkg/xcrd/crd.go, `genCrdVersion`; Kubernetes, structural schemas and field pruning.

use super::fault::Faults;
use super::fault::Weight::{Lost, Weak};
use super::node::{Node, Wrong};
use crate::catalog::profiles::{self, Profile};

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

/// Keywords that may refuse tags, which cannot be told without trying.
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

    /// Whether the field is an object that names no keys: all that is missing is `additionalProperties`.
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

    /// Finds all ways in which tags are lost or refused; `declaring` is a version that declares the field, if one does.
    ///
    /// # Errors
    /// When the schema has another shape than an OpenAPI schema.
    pub(super) fn losses(&self, version: Node<'a>, declaring: &str, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
        if self.tags.is_null() {
            self.undeclared(version, declaring, faults)?;
        } else {
            self.declared(faults)?;
        }
        for field in self.spec.get(&["required"])?.elements()? {
            if Node(field).string(&[])? == "cloudTags" {
                let what = "`spec.cloudTags` is required: an object without tags, which has no such field, is refused";
                faults.add(Lost, Node(field), format_args!("{what}"));
            }
        }
        Ok(())
    }

    /// What becomes of a field that is not declared.
    fn undeclared(&self, version: Node<'a>, declaring: &str, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
        if self.root.is_null() {
            faults.add(Lost, version, format_args!("there is no schema, so Crossplane serves no such composites"));
            return Ok(());
        }
        let at = if self.spec.is_null() { self.root } else { self.spec };
        if self.preserves {
            let what = "`spec.cloudTags` is not declared; `spec` preserves it, and nothing checks its values";
            faults.add(Weak, at, format_args!("{what}"));
            return Ok(());
        }
        for combined in ["oneOf", "anyOf", "allOf"] {
            for schema in self.spec.get(&[combined])?.elements()? {
                if !Node(schema).get(&["properties", "cloudTags"])?.is_null() {
                    let what =
                        format_args!("`spec.cloudTags` is declared below `{combined}` only, which keeps no field");
                    faults.add(Lost, at, what);
                    return Ok(());
                }
            }
        }
        let what = if !self.spec.get(&["additionalProperties"])?.is_null() {
            "`spec.cloudTags` is left to `additionalProperties` of `spec`, which Crossplane drops"
        } else if self.root.get(&[PRESERVE])?.is_true() {
            "`spec.cloudTags` is left to the preserving document root, which Crossplane drops"
        } else if declaring.is_empty() {
            "`spec.cloudTags` is not declared: it is dropped in silence"
        } else {
            let what = format_args!(
                "`spec.cloudTags` is not declared, as it is in `{declaring}`: it is lost through this one"
            );
            faults.add(Lost, at, what);
            return Ok(());
        };
        faults.add(Lost, at, format_args!("{what}"));
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
                let what = "`spec.cloudTags` has no type: the API server refuses the definition";
                faults.add(Lost, tags, format_args!("{what}"));
                return Ok(());
            }
            other => {
                faults.add(
                    Lost,
                    tags,
                    format_args!("`spec.cloudTags` has type `{other}`: every object with tags is refused"),
                );
                return Ok(());
            }
        }
        let values = tags.get(&["additionalProperties"])?;
        let (weight, at, what) = match values.0 {
            "null" if preserves => {
                (Weak, tags, "is preserved, and nothing checks its values: numbers and objects get through")
            }
            "null" if !self.is_bare()? => (Lost, tags, "keeps only the keys that its `properties` name"),
            "null" if self.preserves => {
                (Lost, tags, "has no `additionalProperties`: it is emptied, although `spec` preserves")
            }
            "null" => (Lost, tags, "has no `additionalProperties`: it is emptied in silence"),
            "false" => (Lost, values, "forbids `additionalProperties`: it is emptied"),
            "true" => (Weak, values, "lets every value through, and what is nested in one is lost"),
            _ => (Lost, values, ""),
        };
        match what {
            "" => of_values(values, faults)?,
            what => faults.add(weight, at, format_args!("`spec.cloudTags` {what}")),
        }
        bounded(tags, &TAGS, faults)?;
        let least = tags.get(&["minProperties"])?;
        if !["null", "0", "1"].contains(&least.0) {
            faults.add(Lost, least, format_args!("an object with fewer than {} tags is refused", least.0));
        }
        conditions(tags, faults)
    }
}

/// What the schema of a value does to tags.
fn of_values<'a>(values: Node<'a>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    match &*values.string(&["type"])? {
        "string" => {}
        "" if values.get(&[PRESERVE])?.is_true() || values.get(&[INT_OR_STRING])?.is_true() => {
            faults.add(Weak, values, format_args!("values of `spec.cloudTags` may be other things than strings"));
        }
        "" => {
            let what = "values of `spec.cloudTags` have no type: the API server refuses it";
            faults.add(Lost, values, format_args!("{what}"));
        }
        other => {
            let what =
                format_args!("values of `spec.cloudTags` have type `{other}`: every object with tags is refused");
            faults.add(Lost, values, what);
        }
    }
    bounded(values, &VALUE, faults)?;
    let least = values.get(&["minLength"])?;
    if !["null", "0"].contains(&least.0) {
        faults.add(Weak, least, format_args!("`minLength` refuses objects with tags whose value is empty"));
    }
    conditions(values, faults)
}

fn bounded<'a>(schema: Node<'a>, bound: &Bound, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    let limit = schema.get(&[bound.keyword])?;
    if limit.is_null() {
        return Ok(());
    }
    let most: u64 = limit.0.parse().map_err(|_| limit.wrong("is not a whole number"))?;
    let (every, some) = profiles::range(bound.limit);
    let (weight, whose, needed) = match most {
        most if most < every as u64 => (Lost, "every profile allows", every),
        most if most < some as u64 => (Weak, "a profile allows", some),
        _ => return Ok(()),
    };
    let (keyword, unit) = (bound.keyword, bound.unit);
    faults.add(weight, limit, format_args!("`{keyword}` {most} refuses tags: {whose} {needed} {unit}"));
    Ok(())
}

fn conditions<'a>(schema: Node<'a>, faults: &mut Faults<'a>) -> Result<(), Wrong<'a>> {
    for field in schema.fields()? {
        let keyword = &*field.key;
        if field.value == "null" {
            continue;
        }
        if keyword == "enum" {
            let what = "`enum` refuses every object with other tags than it lists";
            faults.add(Lost, Node(field.value), format_args!("{what}"));
        } else if CONDITIONS.contains(&keyword) {
            faults.add(Weak, Node(field.value), format_args!("`{keyword}` may refuse objects with tags"));
        }
    }
    Ok(())
}
