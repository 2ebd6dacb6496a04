//! What the schema of one version of a composite does to `spec.cloudTags`.
//!
//! Crossplane creates a CustomResourceDefinition from it, with little more from `spec` than `properties`, `required`,
//! `oneOf`, `x-kubernetes-validations` and `x-kubernetes-preserve-unknown-fields`, and with the validations of the
//! root; the API server then prunes by that, and validates the rest. Source: crossplane-runtime, pkg/xcrd/crd.go,
//! `genCrdVersion`; Kubernetes, structural schemas and field pruning.

use super::faults::FaultSeverity::{Loss, Risk};
use super::faults::Faults;
use super::one_of;
use super::refused_keywords::{EMBEDDED, INT_OR_STRING, PRESERVE, RefusedKeyword};
use super::structural::{JUNCTORS, Unstructural};
use crate::fault::TagFault;
use crate::json::{Json, Malformed};
use crate::messages;
use tag_rules::{CloudTags, PROFILES};

const VALIDATIONS: &str = "x-kubernetes-validations";

/// What profiles allow: the smallest and the largest of each limit.
pub(super) struct Limits {
    tags: (usize, usize),
    value: (usize, usize),
    /// The prefixes of the policy's own keys, in lower case.
    prefixes: Vec<String>,
}

impl Limits {
    /// Those of the specification's profiles, and of the strict ones that the settings name.
    pub(super) fn of(settings: &CloudTags) -> Self {
        let strict = || settings.strict_profiles();
        let tags = PROFILES.iter().map(|profile| profile.tags).chain(strict().map(|profile| profile.tags));
        let values = strict().map(|profile| profile.cloud.value.length.characters());
        let prefixes = settings.prefixes().iter().map(|prefix| prefix.to_lowercase()).collect();
        Limits { tags: range(tags), prefixes, value: range(PROFILES.iter().map(|profile| profile.value).chain(values)) }
    }
}

fn range(limits: impl Iterator<Item = usize>) -> (usize, usize) {
    limits.fold((usize::MAX, 0), |(least, most), limit| (least.min(limit), most.max(limit)))
}

/// A keyword that limits tags, and the limits of the profiles that it is compared with.
struct Bound {
    keyword: &'static str,
    limits: fn(&Limits) -> (usize, usize),
    unit: &'static str,
}

const TAGS: Bound = Bound { keyword: "maxProperties", limits: |limits| limits.tags, unit: "tags" };
const VALUE: Bound = Bound { keyword: "maxLength", limits: |limits| limits.value, unit: "characters" };

/// Keywords that may reject tags: which ones is not known without validating them.
const CONDITIONS: [&str; 7] = ["pattern", "format", VALIDATIONS, "allOf", "anyOf", "oneOf", "not"];

/// The schema of one version, as far as it concerns tags.
pub(super) struct Schema<'a> {
    /// `openAPIV3Schema`.
    pub(super) root: Json<'a>,
    /// `properties.spec` below it.
    spec: Json<'a>,
    /// `properties.cloudTags` below that.
    pub(super) tags: Json<'a>,
    /// Whether `spec` preserves undeclared fields.
    pub(super) preserves: bool,
}

impl<'a> Schema<'a> {
    /// Reads the schema of one entry of `spec.versions`.
    pub(super) fn read(version: Json<'a>) -> Result<Self, Malformed> {
        let root = version.at(&["schema", "openAPIV3Schema"])?;
        let spec = root.at(&["properties", "spec"])?;
        let tags = spec.at(&["properties", "cloudTags"])?;
        Ok(Schema { root, spec, tags, preserves: spec.get(PRESERVE)?.is_true() })
    }

    /// Whether the field is an object without a list of keys: only `additionalProperties` is missing.
    pub(super) fn is_bare(&self) -> Result<bool, Malformed> {
        let tags = self.tags;
        Ok(tags.string(&["type"])? == Some("object")
            && tags.get("additionalProperties")?.is_null()
            && tags.get("properties")?.fields()?.len() == 0
            && !tags.get(PRESERVE)?.is_true())
    }

    /// All ways in which tags are lost or rejected; `declaring` is a version that declares the field, if there is one.
    pub(super) fn faults(
        &self,
        version: Json<'a>,
        declaring: Option<&str>,
        limits: &Limits,
        faults: &mut Faults<'a>,
    ) -> Result<(), Malformed> {
        if let Some(unstructural) = self.unstructural()? {
            let Unstructural { keyword, below, at } = unstructural;
            faults.add(Loss, at, TagFault::NotStructural { keyword: keyword.into(), junctor: below.into() });
            return Ok(());
        }
        if let Some(RefusedKeyword { keyword, problem, at }) = self.refused()? {
            faults.add(Loss, at, TagFault::RefusedKeyword { keyword, problem });
            return Ok(());
        }
        if self.tags.is_null() {
            self.undeclared(version, declaring, faults)?;
        } else {
            self.declared(limits, faults)?;
        }
        let one_of = self.spec.get("oneOf")?;
        if (self.preserves || !self.tags.is_null())
            && one_of.elements()?.len() > 0
            && let Some((severity, fault)) = one_of::fault(one_of)?
        {
            faults.add(severity, one_of, fault);
        }
        for (schema, of) in [(self.root, "the root"), (self.spec, "`spec`")] {
            let rules = schema.get(VALIDATIONS)?;
            if rules.elements()?.len() > 0 {
                faults.add(Risk, rules, TagFault::Validations { of });
            }
        }
        for field in self.spec.get("required")?.elements()? {
            if field.string(&[])? == Some("cloudTags") {
                faults.add(Loss, field, TagFault::Required);
            }
        }
        Ok(())
    }

    /// The first keyword that the API server does not allow at this place. Of the junctors of `spec` Crossplane only
    /// copies `oneOf`.
    fn unstructural(&self) -> Result<Option<Unstructural<'a>>, Malformed> {
        let values = self.values()?;
        for (schema, junctors) in [(self.spec, &["oneOf"][..]), (self.tags, &JUNCTORS), (values, &JUNCTORS)] {
            if let Some(found) = Unstructural::find(schema, junctors)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The first keyword that Crossplane cannot read, or that the API server does not allow.
    fn refused(&self) -> Result<Option<RefusedKeyword<'a>>, Malformed> {
        let values = self.values()?;
        let undecodable = [self.root, self.spec, self.tags, values].into_iter().find_map(RefusedKeyword::undecodable);
        let refused = || {
            RefusedKeyword::of_spec(self.spec)
                .or_else(|| [self.tags, values].into_iter().find_map(RefusedKeyword::find))
        };
        Ok(undecodable.or_else(refused))
    }

    /// The schema of a value; absent if there is none.
    fn values(&self) -> Result<Json<'a>, Malformed> {
        let values = self.tags.get("additionalProperties")?;
        Ok(if values.as_fields().is_some() { values } else { values.absent() })
    }

    /// What happens to a field that is not declared.
    fn undeclared(&self, version: Json<'a>, declaring: Option<&str>, faults: &mut Faults<'a>) -> Result<(), Malformed> {
        if self.root.is_null() {
            faults.add(Loss, version, TagFault::NoSchema);
            return Ok(());
        }
        let at = if self.spec.is_null() { self.root } else { self.spec };
        if self.preserves {
            faults.add(Risk, at, TagFault::PreservingSpec);
            return Ok(());
        }
        for (keyword, fault) in [
            ("oneOf", TagFault::DeclaredUnderOneOf { keyword: "oneOf".into() }),
            ("anyOf", TagFault::DeclaredUnder { keyword: "anyOf".into() }),
            ("allOf", TagFault::DeclaredUnder { keyword: "allOf".into() }),
        ] {
            for schema in self.spec.get(keyword)?.elements()? {
                if !schema.at(&["properties", "cloudTags"])?.is_null() {
                    faults.add(Loss, at, fault);
                    return Ok(());
                }
            }
        }
        if !self.spec.get("additionalProperties")?.is_null() {
            faults.add(Loss, at, TagFault::AdditionalPropertiesOfSpec { keyword: "additionalProperties".into() });
        } else if self.root.get(PRESERVE)?.is_true() {
            faults.add(Loss, at, TagFault::PreservingRoot { keyword: PRESERVE.into() });
        } else if let Some(version) = declaring {
            faults.add(Loss, at, TagFault::DeclaredElsewhere { version: version.into() });
        } else {
            faults.add(Loss, at, TagFault::NotDeclared);
        }
        Ok(())
    }

    /// Defaults for the policy's own keys. The API server adds them again after every removal by a webhook.
    ///
    /// Source: Kubernetes, apiserver, pkg/admission/plugin/webhook/mutating/dispatcher.go, `callAttrMutatingHook`.
    fn defaults(&self, limits: &Limits, faults: &mut Faults<'a>) -> Result<(), Malformed> {
        let of_map = self.tags.get("default")?.as_fields().into_iter().flatten();
        let mut defaults: Vec<(&str, Json<'a>)> = of_map.collect();
        for (key, property) in self.tags.get("properties")?.fields()? {
            defaults.extend(property.get("default")?.present().map(|default| (key, default)));
        }
        for (key, default) in defaults {
            let key_in_lower_case = key.to_lowercase();
            if limits.prefixes.iter().any(|prefix| key_in_lower_case.starts_with(prefix)) {
                faults.add(Loss, default, TagFault::DefaultTag { key: key.into() });
            }
        }
        Ok(())
    }

    /// What happens to a field that is declared.
    fn declared(&self, limits: &Limits, faults: &mut Faults<'a>) -> Result<(), Malformed> {
        let tags = self.tags;
        let preserves = tags.get(PRESERVE)?.is_true();
        match tags.string(&["type"])?.unwrap_or_default() {
            "object" => {}
            "" if preserves => {}
            "" => {
                faults.add(Loss, tags, TagFault::NoType);
                return Ok(());
            }
            found => {
                faults.add(Loss, tags, TagFault::WrongType { found: found.into() });
                return Ok(());
            }
        }
        let embedded = tags.get(EMBEDDED)?;
        if embedded.is_true() {
            faults.add(Loss, embedded, TagFault::EmbeddedResource { keyword: EMBEDDED.into() });
        }
        for key in tags.get("required")?.elements()? {
            faults.add(Loss, key, TagFault::RequiredTag { key: key.as_string()?.into() });
        }
        let default = tags.get("default")?;
        if !default.is_null() {
            faults.add(Risk, default, TagFault::Default);
        }
        self.defaults(limits, faults)?;
        let values = tags.get("additionalProperties")?;
        let lists_keys = tags.get("properties")?.fields()?.len() > 0;
        match values.text() {
            text if lists_keys && !["null", "true"].contains(&text) => {
                faults.add(Loss, values, TagFault::PropertiesAndAdditional);
                return Ok(());
            }
            "null" if preserves => faults.add(Risk, tags, TagFault::Preserved),
            "null" if !self.is_bare()? => {
                faults.add(Loss, tags, TagFault::ListedKeysOnly { keyword: "properties".into() })
            }
            "null" if self.preserves => {
                faults.add(Loss, tags, TagFault::NoAdditionalPropertiesInPreservingSpec);
            }
            "null" => faults.add(Loss, tags, TagFault::NoAdditionalProperties),
            "false" => faults.add(Loss, values, TagFault::NoOtherKeys),
            "true" => faults.add(Risk, values, TagFault::AnyValue),
            _ => of_values(values, limits, faults)?,
        }
        bounded(tags, &TAGS, limits, faults)?;
        let least = tags.get("minProperties")?;
        if !["null", "0", "1"].contains(&least.text()) {
            faults.add(Loss, least, TagFault::MinProperties { least: least.text().to_owned() });
        }
        conditions(tags, faults)
    }
}

/// What the schema of a value does to tags.
fn of_values<'a>(values: Json<'a>, limits: &Limits, faults: &mut Faults<'a>) -> Result<(), Malformed> {
    match values.string(&["type"])?.unwrap_or_default() {
        "string" => {}
        "" if values.get(PRESERVE)?.is_true() || values.get(INT_OR_STRING)?.is_true() => {
            faults.add(Risk, values, TagFault::ValuesOfAnyType);
        }
        "" => faults.add(Loss, values, TagFault::ValuesWithoutType),
        found => faults.add(Loss, values, TagFault::ValuesOfWrongType { found: found.into() }),
    }
    bounded(values, &VALUE, limits, faults)?;
    let least = values.get("minLength")?;
    if !["null", "0"].contains(&least.text()) {
        faults.add(Risk, least, TagFault::MinLength);
    }
    conditions(values, faults)
}

fn bounded<'a>(schema: Json<'a>, bound: &Bound, limits: &Limits, faults: &mut Faults<'a>) -> Result<(), Malformed> {
    let found = schema.get(bound.keyword)?;
    if found.is_null() {
        return Ok(());
    }
    let limit: u64 = found.text().parse().map_err(|_| found.malformed(messages::NOT_A_WHOLE_NUMBER))?;
    let (keyword, unit) = (bound.keyword, bound.unit);
    let (every, some) = (bound.limits)(limits);
    if limit < every as u64 {
        faults.add(Loss, found, TagFault::BelowEveryProfile { keyword, limit, needed: every, unit });
    } else if limit < some as u64 {
        faults.add(Risk, found, TagFault::BelowSomeProfile { keyword, limit, needed: some, unit });
    }
    Ok(())
}

fn conditions<'a>(schema: Json<'a>, faults: &mut Faults<'a>) -> Result<(), Malformed> {
    if let Some(list) = schema.get("enum")?.present() {
        faults.add(Loss, list, TagFault::Enum);
    }
    for keyword in CONDITIONS {
        if let Some(condition) = schema.get(keyword)?.present() {
            faults.add(Risk, condition, TagFault::Condition { keyword });
        }
    }
    Ok(())
}
