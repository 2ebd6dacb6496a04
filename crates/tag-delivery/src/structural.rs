//! Keywords that a structural schema must not have below a junctor: the API server rejects a CustomResourceDefinition
//! that has one there, and no such composite can be created.
//!
//! Source: Kubernetes, apiextensions-apiserver, pkg/apiserver/schema/validation.go, `validateNestedValueValidation` and
//! `isIntOrStringAnyOfPattern`.

use crate::json::{Json, Malformed};

/// The keywords that combine schemas in lists.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// All keywords that combine schemas.
pub(super) const JUNCTORS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];

/// Keywords that are only allowed outside of them.
const OUTSIDE: [&str; 13] = [
    "type",
    "additionalProperties",
    "default",
    "title",
    "description",
    "nullable",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
];

/// Keywords that no schema of a CustomResourceDefinition may have.
pub(super) const UNSUPPORTED: [&str; 8] =
    ["$ref", "$schema", "additionalItems", "definitions", "dependencies", "id", "patternProperties", "uniqueItems"];

/// The maximum number of levels that are read: more than real schemas have, and few enough for a text that is nested on
/// purpose.
pub(super) const DEEPEST: usize = 16;

/// A keyword where it is not allowed.
pub(super) struct Unstructural<'a> {
    pub(super) keyword: &'static str,
    /// The outermost junctor above it.
    pub(super) below: &'static str,
    pub(super) at: Json<'a>,
}

impl<'a> Unstructural<'a> {
    /// The first such keyword below one of the `junctors` of a schema.
    pub(super) fn find(schema: Json<'a>, junctors: &[&'static str]) -> Result<Option<Self>, Malformed> {
        for below in junctors.iter().copied() {
            if below == "anyOf" && is_int_or_string(schema)? {
                continue;
            }
            for (index, nested) in parts(schema, below)?.into_iter().enumerate() {
                let is_int_or_string = below == "allOf" && index == 0 && is_int_or_string(nested)?;
                if let Some((keyword, at)) = keyword_in(nested, is_int_or_string, DEEPEST)? {
                    return Ok(Some(Unstructural { keyword, below, at }));
                }
            }
        }
        Ok(None)
    }
}

fn parts<'a>(schema: Json<'a>, junctor: &str) -> Result<Vec<Json<'a>>, Malformed> {
    let under = schema.get(junctor)?;
    if LISTS.contains(&junctor) { Ok(under.elements()?.collect()) } else { Ok(under.present().into_iter().collect()) }
}

/// Whether a keyword has a value that counts.
pub(super) fn is_set(value: Json<'_>) -> bool {
    !["null", "false", "\"\"", "[]"].contains(&value.text()) && value.as_fields().is_none_or(|fields| fields.len() > 0)
}

/// The first keyword of `OUTSIDE` or `UNSUPPORTED` in a schema, `levels` levels down at most.
fn keyword_in<'a>(
    schema: Json<'a>,
    is_int_or_string: bool,
    levels: usize,
) -> Result<Option<(&'static str, Json<'a>)>, Malformed> {
    for keyword in OUTSIDE.into_iter().chain(UNSUPPORTED) {
        let found = schema.get(keyword)?;
        if is_set(found) {
            return Ok(Some((keyword, found)));
        }
    }
    let Some(levels) = levels.checked_sub(1) else { return Ok(None) };
    let mut below: Vec<Json<'a>> = schema.get("items")?.present().into_iter().collect();
    below.extend(schema.get("properties")?.fields()?.map(|(_, property)| property));
    for junctor in JUNCTORS.into_iter().filter(|junctor| !(is_int_or_string && *junctor == "anyOf")) {
        below.extend(parts(schema, junctor)?);
    }
    for schema in below {
        let found = keyword_in(schema, false, levels)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Whether `anyOf` is the one that the API server allows: an integer or a string.
fn is_int_or_string(schema: Json<'_>) -> Result<bool, Malformed> {
    let mut types = Vec::new();
    for alternative in schema.get("anyOf")?.elements()? {
        let fields = alternative.fields()?;
        if fields.len() != 1 {
            return Ok(false);
        }
        types.push(alternative.string(&["type"])?);
    }
    Ok(types == [Some("integer"), Some("string")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[track_caller]
    fn check(schema: &str, expected: Option<(&str, &str, &str)>) {
        let document = Document::new(schema);
        let found = Unstructural::find(document.root(), &JUNCTORS).unwrap();
        let found = found.map(|it| (it.keyword, it.below, it.at.path().to_string()));
        assert_eq!(found, expected.map(|(keyword, below, at)| (keyword, below, at.to_owned())), "{schema}");
    }

    #[test]
    fn values_may_be_judged_and_shapes_may_not() {
        for schema in [
            "{}",
            r#"{"type":"object","default":{}}"#,
            r#"{"oneOf":[{"required":["a"]},{"maxProperties":1,"nullable":false,"title":""}]}"#,
            r#"{"not":{"enum":[1]},"allOf":[{"properties":{"a":{"minLength":1}}}]}"#,
        ] {
            check(schema, None);
        }
        check(r#"{"oneOf":[{},{"type":"object"}]}"#, Some(("type", "oneOf", "oneOf[1].type")));
        check(r#"{"not":{"nullable":true}}"#, Some(("nullable", "not", "not.nullable")));
        check(
            r#"{"allOf":[{"properties":{"a":{"anyOf":[{"default":1}]}}}]}"#,
            Some(("default", "allOf", "allOf[0].properties.a.anyOf[0].default")),
        );
        check(r#"{"anyOf":[{"items":{"type":"string"}}]}"#, Some(("type", "anyOf", "anyOf[0].items.type")));
    }

    #[test]
    fn what_is_nested_too_deeply_is_not_read() {
        let nested =
            |levels: usize| format!("{}{{\"type\":\"object\"}}{}", "{\"not\":".repeat(levels), "}".repeat(levels));
        let at = format!("{}type", "not.".repeat(DEEPEST + 1));
        check(&nested(DEEPEST + 1), Some(("type", "not", &at)));
        check(&nested(DEEPEST + 2), None);
        check(&nested(5_000), None);
    }

    #[test]
    fn an_integer_or_a_string_is_the_exception() {
        check(r#"{"anyOf":[{"type":"integer"},{"type":"string"}]}"#, None);
        check(r#"{"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]}]}"#, None);
        check(r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, Some(("type", "anyOf", "anyOf[0].type")));
        check(
            r#"{"allOf":[{},{"anyOf":[{"type":"integer"},{"type":"string"}]}]}"#,
            Some(("type", "allOf", "allOf[1].anyOf[0].type")),
        );
    }
}
