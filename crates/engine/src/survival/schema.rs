//! What the schema of one version of a composite does to `spec.cloudTags`.
//!
//! Crossplane makes a CustomResourceDefinition of it, taking from `spec` little more than `properties`, `required` and
//! `x-kubernetes-preserve-unknown-fields`; the API server then prunes by that, and validates what is left. Source:
//! crossplane-runtime, pkg/xcrd/crd.go, `genCrdVersion`; Kubernetes, structural schemas and field pruning.

use std::borrow::Cow;

use super::fault::Weight;
use crate::json::{Json, Malformed};

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

/// A keyword that bounds tags, and what the profiles ask of it.
struct Bound {
    keyword: &'static str,
    /// Below this, every provider's tags are refused.
    least: u64,
    /// Below this, some provider's tags are refused.
    enough: u64,
}

/// The smallest and the largest cap of the profiles.
const TAGS: Bound = Bound { keyword: "maxProperties", least: 32, enough: 64 };
/// The smallest and the largest ceiling of values, in characters.
const VALUE: Bound = Bound { keyword: "maxLength", least: 63, enough: 256 };

/// Keywords that may refuse tags, which cannot be told without trying.
const CONDITIONS: [&str; 7] = ["pattern", "format", "x-kubernetes-validations", "allOf", "anyOf", "oneOf", "not"];

/// Whether and how a version declares the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declaration {
    /// Not at all.
    Absent,
    /// As an object that names no keys: all that is missing is `additionalProperties`.
    Bare,
    /// In any other way.
    Present,
}

/// The schema of one version.
pub(super) struct Schema<'a> {
    /// `openAPIV3Schema`; `None` where the version has no schema.
    pub(super) root: Option<Json<'a>>,
    /// `properties.spec` below it.
    spec: Option<Json<'a>>,
    /// `properties.cloudTags` below that.
    pub(super) tags: Option<Json<'a>>,
    /// Whether `spec` preserves what it does not declare.
    pub(super) preserves: bool,
    pub(super) declaration: Declaration,
    /// Where the version stands.
    at: String,
}

type Loss = (Weight, String, Cow<'static, str>);

impl<'a> Schema<'a> {
    /// Reads the schema of one entry of `spec.versions`.
    ///
    /// # Errors
    /// When it has another shape than an OpenAPI schema.
    pub(super) fn read(version: &Json<'a>) -> Result<Self, Malformed> {
        let root = version.at(&["schema", "openAPIV3Schema"], None)?;
        let below = |json: &Option<Json<'a>>, path: &[&str]| match json {
            Some(json) => json.at(path, None),
            None => Ok(None),
        };
        let spec = below(&root, &["properties", "spec"])?;
        let tags = below(&spec, &["properties", "cloudTags"])?;
        let preserves = spec.as_ref().map(|spec| spec.is_true(&[PRESERVE])).transpose()?.unwrap_or_default();
        let declaration = match &tags {
            None => Declaration::Absent,
            Some(tags)
                if tags.string(&["type"])?.as_deref() == Some("object")
                    && tags.at(&["additionalProperties"], None)?.is_none()
                    && !has_entries(tags, "properties")?
                    && !tags.is_true(&[PRESERVE])? =>
            {
                Declaration::Bare
            }
            Some(_) => Declaration::Present,
        };
        Ok(Schema { root, spec, tags, preserves, declaration, at: version.path().to_owned() })
    }

    /// All ways in which tags are lost or refused; `elsewhere` is another version that declares the field.
    ///
    /// # Errors
    /// When the schema has another shape than an OpenAPI schema.
    pub(super) fn losses(&self, elsewhere: Option<&str>) -> Result<Vec<Loss>, Malformed> {
        let mut losses = Vec::new();
        match &self.tags {
            Some(tags) => self.declared(tags, &mut losses)?,
            None => {
                let (weight, what) = self.undeclared(elsewhere)?;
                let at = self.spec.as_ref().map_or(&*self.at, Json::path);
                losses.push((weight, at.to_owned(), what));
            }
        }
        if let Some(spec) = &self.spec
            && let Some(required) = spec.at(&["required"], None)?
        {
            for field in required.elements()? {
                if field.as_string()? == "cloudTags" {
                    let what =
                        "`spec.cloudTags` is required: an object without tags, which has no such field, is refused";
                    losses.push((Weight::Lost, field.path().to_owned(), what.into()));
                }
            }
        }
        Ok(losses)
    }

    /// What becomes of a field that is not declared.
    fn undeclared(&self, elsewhere: Option<&str>) -> Result<(Weight, Cow<'static, str>), Malformed> {
        let lost = |what: &'static str| Ok((Weight::Lost, Cow::Borrowed(what)));
        let Some(root) = &self.root else {
            return lost("there is no schema, so Crossplane serves no such composites");
        };
        if self.preserves {
            let what = "`spec.cloudTags` is not declared; `spec` preserves it, and nothing checks its values";
            return Ok((Weight::Weak, what.into()));
        }
        if let Some(spec) = &self.spec {
            for combined in ["oneOf", "anyOf", "allOf"] {
                if declares_in(spec, combined)? {
                    return Ok((
                        Weight::Lost,
                        format!("`spec.cloudTags` is declared below `{combined}` only, which keeps no field").into(),
                    ));
                }
            }
            if spec.at(&["additionalProperties"], None)?.is_some() {
                return lost("`spec.cloudTags` is left to `additionalProperties` of `spec`, which Crossplane drops");
            }
        }
        if root.is_true(&[PRESERVE])? {
            return lost("`spec.cloudTags` is left to the preserving document root, which Crossplane drops");
        }
        match elsewhere {
            Some(other) => {
                let what =
                    format!("`spec.cloudTags` is not declared, as it is in `{other}`: it is lost through this one");
                Ok((Weight::Lost, what.into()))
            }
            None => lost("`spec.cloudTags` is not declared: it is dropped in silence"),
        }
    }

    /// What becomes of a field that is declared.
    fn declared(&self, tags: &Json<'a>, losses: &mut Vec<Loss>) -> Result<(), Malformed> {
        let mut found =
            |weight, at: &Json<'_>, what: Cow<'static, str>| losses.push((weight, at.path().to_owned(), what));
        let preserves = tags.is_true(&[PRESERVE])?;
        match tags.string(&["type"])?.as_deref() {
            Some("object") => {}
            None if preserves => {}
            None => {
                found(Weight::Lost, tags, "`spec.cloudTags` has no type: the API server refuses the definition".into());
                return Ok(());
            }
            Some(other) => {
                let what = format!("`spec.cloudTags` has type `{other}`: every object with tags is refused");
                found(Weight::Lost, tags, what.into());
                return Ok(());
            }
        }
        let values = tags.at(&["additionalProperties"], None)?;
        match &values {
            None if preserves => {
                let what =
                    "`spec.cloudTags` is preserved, and nothing checks its values: numbers and objects get through";
                found(Weight::Weak, tags, what.into());
            }
            None if has_entries(tags, "properties")? => {
                found(Weight::Lost, tags, "`spec.cloudTags` keeps only the keys that its `properties` name".into());
            }
            None if self.preserves => {
                let what = "`spec.cloudTags` has no `additionalProperties`: it is emptied, although `spec` preserves";
                found(Weight::Lost, tags, what.into());
            }
            None => {
                let what = "`spec.cloudTags` has no `additionalProperties`: it is emptied in silence";
                found(Weight::Lost, tags, what.into());
            }
            Some(values) if values.text() == "false" => {
                found(Weight::Lost, values, "`spec.cloudTags` forbids `additionalProperties`: it is emptied".into());
            }
            Some(values) if values.text() == "true" => {
                let what = "`spec.cloudTags` lets every value through, and what is nested in one is lost";
                found(Weight::Weak, values, what.into());
            }
            Some(values) => of_values(values, &mut found)?,
        }
        bounded(tags, &TAGS, "tags", &mut found)?;
        if let Some(least) = tags.at(&["minProperties"], None)?.filter(|least| !["0", "1"].contains(&least.text())) {
            found(Weight::Lost, &least, format!("an object with fewer than {} tags is refused", least.text()).into());
        }
        conditions(tags, &mut found)
    }
}

/// What the schema of a value does to tags.
fn of_values(values: &Json<'_>, found: &mut impl FnMut(Weight, &Json<'_>, Cow<'static, str>)) -> Result<(), Malformed> {
    match values.string(&["type"])?.as_deref() {
        Some("string") => {}
        None if values.is_true(&[PRESERVE])? || values.is_true(&[INT_OR_STRING])? => {
            found(Weight::Weak, values, "values of `spec.cloudTags` may be other things than strings".into());
        }
        None => {
            found(Weight::Lost, values, "values of `spec.cloudTags` have no type: the API server refuses it".into());
        }
        Some(other) => {
            let what = format!("values of `spec.cloudTags` have type `{other}`: every object with tags is refused");
            found(Weight::Lost, values, what.into());
        }
    }
    bounded(values, &VALUE, "characters", found)?;
    if let Some(least) = values.at(&["minLength"], None)?.filter(|least| least.text() != "0") {
        found(Weight::Weak, &least, "`minLength` refuses objects with tags whose value is empty".into());
    }
    conditions(values, found)
}

fn bounded(
    schema: &Json<'_>,
    bound: &Bound,
    unit: &str,
    found: &mut impl FnMut(Weight, &Json<'_>, Cow<'static, str>),
) -> Result<(), Malformed> {
    let Some(limit) = schema.at(&[bound.keyword], None)? else {
        return Ok(());
    };
    let most: u64 = limit.text().parse().map_err(|_| limit.malformed("is not a whole number"))?;
    let (weight, whose, needed) = match most {
        most if most < bound.least => (Weight::Lost, "every profile allows", bound.least),
        most if most < bound.enough => (Weight::Weak, "a profile allows", bound.enough),
        _ => return Ok(()),
    };
    let what = format!("`{}` {most} refuses tags: {whose} {needed} {unit}", bound.keyword);
    found(weight, &limit, what.into());
    Ok(())
}

fn conditions(
    schema: &Json<'_>,
    found: &mut impl FnMut(Weight, &Json<'_>, Cow<'static, str>),
) -> Result<(), Malformed> {
    for (keyword, at) in schema.present_fields()? {
        if keyword == "enum" {
            found(Weight::Lost, &at, "`enum` refuses every object with other tags than it lists".into());
        } else if CONDITIONS.contains(&&*keyword) {
            found(Weight::Weak, &at, format!("`{keyword}` may refuse objects with tags").into());
        }
    }
    Ok(())
}

/// Whether one of the schemas in a list declares the field.
fn declares_in(spec: &Json<'_>, combined: &str) -> Result<bool, Malformed> {
    if let Some(schemas) = spec.at(&[combined], None)? {
        for schema in schemas.elements()? {
            if schema.at(&["properties", "cloudTags"], None)?.is_some() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn has_entries(schema: &Json<'_>, field: &str) -> Result<bool, Malformed> {
    Ok(match schema.at(&[field], None)? {
        Some(found) => !found.fields()?.is_empty(),
        None => false,
    })
}
