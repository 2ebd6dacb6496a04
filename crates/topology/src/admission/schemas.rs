//! What the webhook of ClusterClasses refuses in variables: their names and schemas.
//!
//! Source: `internal/topology/variables/clusterclass_variable_validation.go` of Cluster API, and the checks of structural
//! schemas that it calls.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fields::{get, list, text};
use crate::obstacle::TopologyRefusal;
use crate::schema::violation;

/// What is refused, whether or not a Cluster sets the variables.
pub(super) fn refusals(class: &Value) -> Vec<TopologyRefusal> {
    let mut found = Vec::new();
    let mut names = BTreeSet::new();
    for variable in list(class, &["spec", "variables"]) {
        let name = text(variable, &["name"]);
        let mut refused = |reason: String| {
            found.push(TopologyRefusal::Definition { name: name.to_owned(), reason });
        };
        if name.is_empty() || name == "builtin" || name.contains('.') {
            refused("this name is not allowed".to_owned());
        }
        if !names.insert(name) {
            refused("the names of variables must be unique".to_owned());
        }
        if let Some(reason) = get(variable, &["schema", "openAPIV3Schema"]).and_then(|schema| of_schema(schema, "")) {
            refused(reason);
        }
    }
    found
}

fn of_schema(schema: &Value, at: &str) -> Option<String> {
    let inner = |step: &str| if at.is_empty() { step.to_owned() } else { format!("{at}.{step}") };
    let is_on = |field: &str| get(schema, &[field]) == Some(&Value::Bool(true));
    let kind = text(schema, &["type"]);
    let is_untyped =
        kind.is_empty() && !is_on("x-kubernetes-int-or-string") && !is_on("x-kubernetes-preserve-unknown-fields");
    if is_untyped || !kind.is_empty() && !TYPES.contains(&kind) {
        return Some(format!("{}: must be one of {}", inner("type"), TYPES.join(", ")));
    }
    for field in ["default", "example"] {
        let reason = get(schema, &[field]).and_then(|value| violation(value, schema));
        if let Some(reason) = reason {
            return Some(format!("{}: {reason}", inner(field)));
        }
    }
    let options = list(schema, &["enum"]).iter().filter(|option| !option.is_null());
    if let Some(reason) = options.into_iter().find_map(|option| violation(option, schema)) {
        return Some(format!("{}: {reason}", inner("enum")));
    }
    let fields = get(schema, &["properties"]).and_then(Value::as_object);
    let others = get(schema, &["additionalProperties"]).filter(|it| it.is_object());
    if others.is_some() && fields.is_some_and(|fields| !fields.is_empty()) {
        return Some(format!("{}: excludes `properties`", inner("additionalProperties")));
    }
    let of_fields = fields.into_iter().flatten().find_map(|(name, schema)| of_schema(schema, &inner(name)));
    let items = || get(schema, &["items"]).and_then(|schema| of_schema(schema, &inner("items")));
    of_fields.or_else(|| others.and_then(|schema| of_schema(schema, &inner("additionalProperties")))).or_else(items)
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
            (json!({"type": "string", "enum": [1]}), Some("enum: must be of type string, not integer")),
            (json!({"type": "text"}), Some("type: must be one of array, boolean, integer, number, object, string")),
            (
                json!({"type": "object", "properties": {"a": {"type": "integer", "default": "1"}}}),
                Some("a.default: must be of type integer, not string"),
            ),
            (
                json!({"type": "object", "default": {"b": 1}, "properties": {"a": {"type": "integer"}}}),
                Some("default: b: not specified in the schema"),
            ),
        ];
        for (schema, expected) in cases {
            assert_eq!(of_schema(&schema, "").as_deref(), expected, "{schema}");
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
