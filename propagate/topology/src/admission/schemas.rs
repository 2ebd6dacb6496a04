//! What the webhook of ClusterClasses refuses in variables: their names and schemas.
//!
//! Source: `internal/topology/variables/clusterclass_variable_validation.go` of Cluster API, and the checks of structural
//! schemas that it calls.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::definitions::schema_keywords;
use crate::fields::{get, is_true, list, text};
use crate::obstacle::TopologyRefusal;
use crate::schema::{WHOLE, inner, of_schema, of_type, unknown};

/// What is refused, whether or not a Cluster sets the variables.
pub(super) fn refusals(class: &Value) -> Vec<TopologyRefusal> {
    let mut found = Vec::new();
    let mut names = BTreeSet::new();
    for variable in list(class, &["spec", "variables"]) {
        let name = text(variable, &["name"]);
        let mut refused = |reason: String| {
            found.push(TopologyRefusal::Definition { name: name.to_owned(), reason });
        };
        if !names.insert(name) {
            refused("the names of variables must be unique".to_owned());
        }
        if name.is_empty() || name == "builtin" || name.contains('.') {
            refused("this name is not allowed".to_owned());
        }
        let schema = get(variable, &["schema", "openAPIV3Schema"]);
        schema.map(of_definition).unwrap_or_default().into_iter().for_each(refused);
    }
    found
}

/// What is wrong with a definition: defaults are checked if it is structural, and the rest if they are right.
fn of_definition(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    typed(schema, "", &mut found);
    if found.is_empty() {
        structural(schema, "", &mut found);
    }
    if found.is_empty() {
        defaults(schema, "", &mut found);
    }
    if found.is_empty() {
        values(schema, "", &mut found);
    }
    found
}

/// The schemas of properties, other fields, and elements, each with its path.
fn below<'s>(schema: &'s Value, at: &str) -> Vec<(&'s Value, String)> {
    let fields = get(schema, &["properties"]).and_then(Value::as_object).into_iter().flatten();
    let fields = fields.map(|(name, schema)| (schema, inner(at, name)));
    let others = ["additionalProperties", "items"].into_iter();
    let others = others.filter_map(|name| Some((get(schema, &[name]).filter(|it| it.is_object())?, inner(at, name))));
    fields.chain(others).collect()
}

/// Defaults that do not fit. Those of fields without a name are not checked.
fn defaults(schema: &Value, at: &str, found: &mut Vec<String>) {
    found.extend(of_default(schema, at));
    let others = get(schema, &["additionalProperties"]);
    let named = below(schema, at).into_iter().filter(|(schema, _)| Some(*schema) != others);
    named.for_each(|(schema, at)| defaults(schema, &at, found));
}

/// Keywords with a value of another type, which Cluster API does not read.
fn typed(schema: &Value, at: &str, found: &mut Vec<String>) {
    let keywords = schema.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    found.extend(keywords.filter_map(|(keyword, value)| {
        let reason = of_type(value, get(schema_keywords()?, &["properties", keyword])?)?;
        Some(format!("{}: {reason}", inner(at, keyword)))
    }));
    let combined = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|field| list(schema, &[field]));
    combined.chain(get(schema, &["not"])).for_each(|schema| typed(schema, at, found));
    below(schema, at).into_iter().for_each(|(schema, at)| typed(schema, &at, found));
}

/// What is not structural.
fn structural(schema: &Value, at: &str, found: &mut Vec<String>) {
    let is_open = is_true(schema, &[INT_OR_STRING]) || is_true(schema, &[PRESERVE]);
    if text(schema, &["type"]).is_empty() && !is_open {
        found.push(format!("{}: must be one of {}", inner(at, "type"), TYPES.join(", ")));
    }
    if text(schema, &["type"]) == "array" && get(schema, &["items"]).is_none() {
        found.push(format!("{}: required", inner(at, "items")));
    }
    if is_true(schema, &[INT_OR_STRING]) && is_true(schema, &[PRESERVE]) {
        found.push(format!("{}: excludes `{INT_OR_STRING}`", inner(at, PRESERVE)));
    }
    validations(schema, at, found);
    below(schema, at).into_iter().for_each(|(schema, at)| structural(schema, &at, found));
}

const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// What `allOf`, `anyOf`, `oneOf` and `not` may not contain, and patterns that are none.
fn validations(schema: &Value, at: &str, found: &mut Vec<String>) {
    let of = |field: &str| {
        let all = list(schema, &[field]).iter().enumerate();
        all.map(|(number, schema)| (schema, inner(at, &format!("{field}[{number}]")))).collect::<Vec<_>>()
    };
    let not = get(schema, &["not"]).map(|schema| (schema, inner(at, "not")));
    for (schema, at) in ["anyOf", "allOf", "oneOf"].into_iter().flat_map(of).chain(not) {
        nested(schema, &at, found);
    }
    let pattern = text(schema, &["pattern"]);
    if regex_lite::Regex::new(pattern).is_err() && !pattern.contains("\\p") && !pattern.contains("\\P") {
        found.push(format!("{}: `{pattern}` is no pattern", inner(at, "pattern")));
    }
}

fn nested(schema: &Value, at: &str, found: &mut Vec<String>) {
    validations(schema, at, found);
    for field in ["type", "default", "description", "nullable", INT_OR_STRING, PRESERVE, "additionalProperties"] {
        if get(schema, &[field]).is_some_and(|value| *value != Value::Bool(false) && *value != "") {
            found.push(format!("{}: must be empty to be structural", inner(at, field)));
        }
    }
    below(schema, at).into_iter().for_each(|(schema, at)| nested(schema, &at, found));
}

fn of_default(schema: &Value, at: &str) -> Vec<String> {
    let Some(value) = get(schema, &["default"]) else { return Vec::new() };
    let at = inner(at, "default");
    let has_unknown = !unknown(value, schema, WHOLE).is_empty();
    let unknown = has_unknown.then(|| format!("{at}: has fields that the schema does not name"));
    unknown.into_iter().chain(reasons(value, schema, &at)).collect()
}

fn reasons(value: &Value, schema: &Value, at: &str) -> Vec<String> {
    of_schema(value, schema, WHOLE).iter().map(|violation| format!("{at}: {violation}")).collect()
}

/// Types that do not exist, and examples and options that do not fit.
fn values(schema: &Value, at: &str, found: &mut Vec<String>) {
    let kind = text(schema, &["type"]);
    if !kind.is_empty() && !TYPES.contains(&kind) {
        found.push(format!("{}: must be one of {}", inner(at, "type"), TYPES.join(", ")));
        return;
    }
    let example = get(schema, &["example"]).map(|value| reasons(value, schema, &inner(at, "example")));
    found.extend(example.unwrap_or_default());
    for (number, option) in list(schema, &["enum"]).iter().filter(|option| !option.is_null()).enumerate() {
        found.extend(reasons(option, schema, &inner(at, &format!("enum[{number}]"))));
    }
    let has_fields = get(schema, &["properties"]).and_then(Value::as_object).is_some_and(|fields| !fields.is_empty());
    if has_fields && get(schema, &["additionalProperties"]).is_some_and(Value::is_object) {
        found.push(format!("{}: excludes `properties`", inner(at, "additionalProperties")));
    }
    below(schema, at).into_iter().for_each(|(schema, at)| values(schema, &at, found));
}

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn definitions_are_those_that_the_webhook_admits() {
        let cases = [
            (json!({"type": "string", "default": "a", "enum": ["a", "b"]}), None),
            (json!({"type": "string", "default": "c", "enum": ["a"]}), Some("default: supported values: \"a\"")),
            (
                json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": "3"}}}),
                Some("a.maxLength: must be of type integer, not string"),
            ),
            (json!({"type": "string", "enum": [1]}), Some("enum[0]: must be of type string, not integer")),
            (json!({"type": "text"}), Some("type: must be one of array, boolean, integer, number, object, string")),
            (
                json!({"type": "object", "properties": {"a": {"type": "integer", "default": "1"}}}),
                Some("a.default: must be of type integer, not string"),
            ),
            (
                json!({"type": "object", "default": {"b": 1}, "properties": {"a": {"type": "integer"}}}),
                Some("default: has fields that the schema does not name"),
            ),
        ];
        for (schema, expected) in cases {
            assert_eq!(of_definition(&schema), Vec::from_iter(expected), "{schema}");
        }
        let class = json!({"spec": {"variables": [{"name": "a"}, {"name": "a"}, {"name": "builtin"}]}});
        let found: Vec<String> = refusals(&class).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "the class's definition of variable `a` is not valid: the names of variables must be unique",
                "the class's definition of variable `builtin` is not valid: this name is not allowed",
            ]
        );
    }
}
