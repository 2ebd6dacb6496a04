//! Keywords with which a schema cannot be decoded, or the API server refuses the CustomResourceDefinition that Crossplane
//! makes of it: then no composite of the version can be created.
//!
//! Source: Kubernetes, apiextensions-apiserver, pkg/apis/apiextensions/v1/types_jsonschema.go for the types;
//! pkg/apis/apiextensions/validation/validation.go, `ValidateCustomResourceDefinitionOpenAPISchema` and
//! `specStandardValidatorV3.validate`; pkg/apiserver/schema/validation.go, `validateStructuralInvariants`,
//! `validateExtensions` and `validateValueValidation`; pkg/apiserver/schema/defaulting/validation.go, `validate`.

use super::structural::{UNSUPPORTED, is_set};
use crate::json::document::Json;
use kubernetes::settings::Pattern;

pub(super) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
pub(super) const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
pub(super) const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// Which values a keyword may have.
type IsOfType = fn(Json<'_>) -> bool;

/// The keywords of each type that are not read elsewhere.
const TYPES: [(&[&str], IsOfType); 5] = [
    (
        &[
            "$ref",
            "$schema",
            "description",
            "format",
            "id",
            "pattern",
            "title",
            "x-kubernetes-list-type",
            "x-kubernetes-map-type",
        ],
        |value| value.as_str().is_some(),
    ),
    (
        &["exclusiveMaximum", "exclusiveMinimum", "nullable", "uniqueItems", PRESERVE, EMBEDDED, INT_OR_STRING],
        |value| matches!(value.text(), "true" | "false"),
    ),
    (&["maxItems", "minItems", "minLength", "minProperties"], |value| value.text().parse::<i64>().is_ok()),
    (&["maximum", "minimum", "multipleOf"], |value| value.text().parse::<f64>().is_ok()),
    (&["enum", "x-kubernetes-list-map-keys"], |value| value.as_elements().is_some()),
];

/// A keyword, when the API server refuses its value in a schema, and the rest of a sentence about it.
struct Rule {
    keyword: &'static str,
    is_refused: fn(schema: Json<'_>, value: Json<'_>) -> bool,
    problem: &'static str,
}

/// It also holds for `spec`, of which Crossplane copies little.
const TRUE_OR_ABSENT: Rule =
    Rule { keyword: PRESERVE, is_refused: |_, value| value.text() == "false", problem: "must be `true` or absent" };

const RULES: [Rule; 10] = [
    TRUE_OR_ABSENT,
    Rule {
        keyword: PRESERVE,
        is_refused: |schema, _| is_true(schema, INT_OR_STRING),
        problem: "is not allowed beside `x-kubernetes-int-or-string`",
    },
    Rule {
        keyword: EMBEDDED,
        is_refused: |schema, value| {
            let has_fields = is_true(schema, PRESERVE) || schema.field("properties").is_some_and(is_set);
            let is_map = schema.field("additionalProperties").is_some_and(|values| !values.is_null());
            value.is_true() && (type_of(schema) != "object" || is_map || !has_fields)
        },
        problem: "needs an object with `properties`, without `additionalProperties`",
    },
    Rule {
        keyword: "x-kubernetes-list-type",
        is_refused: |schema, _| type_of(schema) != "array",
        problem: "needs `type: array`",
    },
    Rule {
        keyword: "x-kubernetes-list-map-keys",
        is_refused: |schema, value| is_set(value) && schema.field("x-kubernetes-list-type").is_none(),
        problem: "needs `x-kubernetes-list-type: map`",
    },
    Rule {
        keyword: "x-kubernetes-map-type",
        is_refused: |schema, _| type_of(schema) != "object",
        problem: "needs `type: object`",
    },
    Rule {
        keyword: "x-kubernetes-map-type",
        is_refused: |_, value| !matches!(value.as_str(), Some("atomic" | "granular")),
        problem: "must be `atomic` or `granular`",
    },
    Rule {
        keyword: "pattern",
        is_refused: |_, value| Pattern::parse(value.as_str().unwrap_or_default()).is_err_and(|error| error.is_of_go()),
        problem: "is not a regular expression",
    },
    Rule {
        keyword: "x-kubernetes-validations",
        is_refused: |_, rules| rules.as_elements().into_iter().flatten().any(|rule| !has_rule(rule)),
        problem: "has an entry without `rule`",
    },
    Rule {
        keyword: "default",
        is_refused: |schema, value| type_of(schema) == "object" && !is_map_for(schema, value),
        problem: "is not a map that its own schema accepts",
    },
];

/// Those of them that Crossplane sends to the API server with any value.
const KEPT_EMPTY: [&str; 2] = ["$ref", "additionalItems"];

/// A keyword that is refused.
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
        TRUE_OR_ABSENT.find(spec)
    }

    /// The first keyword that the API server refuses in a schema.
    pub(super) fn find(schema: Json<'a>) -> Option<Self> {
        let unsupported = UNSUPPORTED.iter().find_map(|keyword| {
            let at = value_of(schema, keyword).filter(|value| is_set(*value) || KEPT_EMPTY.contains(keyword))?;
            Some(RefusedKeyword { keyword, problem: "is not supported", at })
        });
        unsupported.or_else(|| RULES.iter().find_map(|rule| rule.find(schema)))
    }
}

impl Rule {
    fn find<'a>(&self, schema: Json<'a>) -> Option<RefusedKeyword<'a>> {
        let at = value_of(schema, self.keyword).filter(|value| (self.is_refused)(schema, *value))?;
        Some(RefusedKeyword { keyword: self.keyword, problem: self.problem, at })
    }
}

fn value_of<'a>(schema: Json<'a>, keyword: &str) -> Option<Json<'a>> {
    schema.field(keyword)?.present()
}

fn is_true(schema: Json<'_>, keyword: &str) -> bool {
    schema.field(keyword).is_some_and(Json::is_true)
}

fn type_of<'a>(schema: Json<'a>) -> &'a str {
    schema.field("type").and_then(Json::as_str).unwrap_or_default()
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
