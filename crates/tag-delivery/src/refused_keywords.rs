//! Keywords with which a schema cannot be decoded, or the API server refuses the CustomResourceDefinition that Crossplane
//! makes of it: then no composite of the version can be created.
//!
//! Source: Kubernetes, apiextensions-apiserver, pkg/apis/apiextensions/v1/types_jsonschema.go for the types;
//! pkg/apis/apiextensions/validation/validation.go, `ValidateCustomResourceDefinitionOpenAPISchema` and
//! `specStandardValidatorV3.validate`; pkg/apiserver/schema/validation.go, `validateStructuralInvariants`,
//! `validateExtensions` and `validateValueValidation`; pkg/apiserver/schema/defaulting/validation.go, `validate`.

use super::structural::{UNSUPPORTED, is_set};
use crate::json::Json;
use kubernetes::settings::Pattern;

pub(super) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
pub(super) const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
pub(super) const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const LIST_TYPE: &str = "x-kubernetes-list-type";
const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const MAP_TYPE: &str = "x-kubernetes-map-type";

type IsOfType = fn(Json<'_>) -> bool;

/// The keywords of each type that are not read elsewhere, and the values that they may have.
#[rustfmt::skip]
const TYPES: [(&[&str], IsOfType); 5] = [
    (&["$ref", "$schema", "description", "format", "id", "pattern", "title", LIST_TYPE, MAP_TYPE], |value| value.as_str().is_some()),
    (&["exclusiveMaximum", "exclusiveMinimum", "nullable", "uniqueItems", PRESERVE, EMBEDDED, INT_OR_STRING], |value| matches!(value.text(), "true" | "false")),
    (&["maxItems", "minItems", "minLength", "minProperties"], |value| value.text().parse::<i64>().is_ok()),
    (&["maximum", "minimum", "multipleOf"], |value| value.text().parse::<f64>().is_ok()),
    (&["enum", LIST_MAP_KEYS], |value| value.as_elements().is_some()),
];

/// A keyword, whether the API server refuses its value in a schema, and the rest of a sentence about it.
type Rule = (&'static str, fn(schema: Json<'_>, value: Json<'_>) -> bool, &'static str);

/// It also holds for `spec`, of which Crossplane copies little.
const TRUE_OR_ABSENT: Rule = (PRESERVE, |_, value| value.text() == "false", "must be `true` or absent");

#[rustfmt::skip]
const RULES: [Rule; 10] = [
    TRUE_OR_ABSENT,
    (PRESERVE, |schema, _| is_true(schema, INT_OR_STRING), "is not allowed beside `x-kubernetes-int-or-string`"),
    (EMBEDDED, |schema, value| value.is_true() && !has_fields(schema), "needs an object with `properties`, without `additionalProperties`"),
    (LIST_TYPE, |schema, _| type_of(schema) != "array", "needs `type: array`"),
    (LIST_MAP_KEYS, |schema, keys| is_set(keys) && schema.field(LIST_TYPE).is_none(), "needs `x-kubernetes-list-type: map`"),
    (MAP_TYPE, |schema, _| type_of(schema) != "object", "needs `type: object`"),
    (MAP_TYPE, |_, value| !matches!(value.as_str(), Some("atomic" | "granular")), "must be `atomic` or `granular`"),
    ("pattern", |_, value| Pattern::parse(value.as_str().unwrap_or_default()).is_err_and(|error| error.is_of_go()), "is not a regular expression"),
    ("x-kubernetes-validations", |_, rules| rules.as_elements().into_iter().flatten().any(|rule| !has_rule(rule)), "has an entry without `rule`"),
    ("default", |schema, value| type_of(schema) == "object" && !is_map_for(schema, value), "is not a map that its own schema accepts"),
];

/// Those of them that Crossplane sends to the API server with any value.
const KEPT_EMPTY: [&str; 2] = ["$ref", "additionalItems"];

pub(super) struct RefusedKeyword<'a> {
    pub(super) keyword: &'static str,
    /// The rest of a sentence that begins with the keyword.
    pub(super) problem: &'static str,
    pub(super) at: Json<'a>,
}

impl<'a> RefusedKeyword<'a> {
    /// The first keyword of a schema that cannot be decoded: then Crossplane cannot read the version.
    pub(super) fn undecodable(schema: Json<'a>) -> Option<Self> {
        TYPES.iter().find_map(|(keywords, is_of_type)| {
            let wrong = |keyword: &str| value_of(schema, keyword).filter(|value| !is_of_type(*value));
            keywords.iter().find_map(|keyword| {
                wrong(keyword).map(|at| RefusedKeyword { keyword, problem: "has a value of another type", at })
            })
        })
    }

    /// The same for what Crossplane copies from `spec`.
    pub(super) fn of_spec(spec: Json<'a>) -> Option<Self> {
        find(&TRUE_OR_ABSENT, spec)
    }

    /// The first keyword that the API server refuses in a schema.
    pub(super) fn find(schema: Json<'a>) -> Option<Self> {
        let unsupported = UNSUPPORTED.iter().find_map(|keyword| {
            let at = value_of(schema, keyword).filter(|value| is_set(*value) || KEPT_EMPTY.contains(keyword))?;
            Some(RefusedKeyword { keyword, problem: "is not supported", at })
        });
        unsupported.or_else(|| RULES.iter().find_map(|rule| find(rule, schema)))
    }
}

fn find<'a>(rule: &Rule, schema: Json<'a>) -> Option<RefusedKeyword<'a>> {
    let (keyword, is_refused, problem) = *rule;
    let at = value_of(schema, keyword).filter(|value| is_refused(schema, *value))?;
    Some(RefusedKeyword { keyword, problem, at })
}

fn value_of<'a>(schema: Json<'a>, keyword: &str) -> Option<Json<'a>> {
    schema.field(keyword)?.present()
}

fn is_true(schema: Json<'_>, keyword: &str) -> bool {
    schema.field(keyword).is_some_and(Json::is_true)
}

fn type_of(schema: Json<'_>) -> &str {
    schema.field("type").and_then(Json::as_str).unwrap_or_default()
}

/// Whether a schema is of an object whose fields are declared.
fn has_fields(schema: Json<'_>) -> bool {
    let is_map = schema.field("additionalProperties").is_some_and(|values| !values.is_null());
    let is_open = is_true(schema, PRESERVE) || schema.field("properties").is_some_and(is_set);
    type_of(schema) == "object" && !is_map && is_open
}

fn has_rule(validation: Json<'_>) -> bool {
    validation.field("rule").and_then(Json::as_str).is_some_and(|rule| !rule.trim().is_empty())
}

/// Whether a default is a map, of strings if the schema says so.
fn is_map_for(schema: Json<'_>, default: Json<'_>) -> bool {
    let is_of_strings = schema.field("additionalProperties").is_some_and(|values| type_of(values) == "string");
    let is_fit = |value: Json<'_>| !is_of_strings || value.is_null() || value.as_str().is_some();
    default.as_fields().is_some_and(|mut fields| fields.all(|(_, value)| is_fit(value)))
}
