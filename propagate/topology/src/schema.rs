//! Why a value does not fit the schema of its variable, or that of its kind.
//!
//! Source: `ValidateClusterVariable` in `internal/topology/variables/cluster_variable_validation.go` of Cluster API, which
//! calls the validators of CustomResourceDefinitions: `pkg/validation/validate` of kube-openapi, then pruning of unknown
//! fields. The reasons are theirs.

mod formats;
mod rules;

use std::fmt;

use serde_json::{Map, Value};

pub(crate) use self::rules::{IS_DURATION, rules_of_difference};
use crate::fields::{get, is_true, list, text};
use crate::object_path::{ObjectPath, VisitedPath};

/// Why a part of a value does not fit its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaViolation<'v> {
    /// The path of the part.
    pub at: ObjectPath,
    /// Why, as the validators say it.
    pub reason: String,
    /// The part; `None` if it is missing.
    pub part: Option<&'v Value>,
}

impl fmt::Display for SchemaViolation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SchemaViolation { at, reason, .. } = self;
        if at.steps.is_empty() { f.write_str(reason) } else { write!(f, "{at}: {reason}") }
    }
}

/// The value itself.
pub(crate) const WHOLE: VisitedPath<'static> = VisitedPath::Value(&[]);

/// Why a value does not fit a schema, each with the path in the value. Unknown fields count if nothing else is wrong.
pub(crate) fn violations(value: &Value, schema: &Value) -> Vec<String> {
    let found: Vec<String> = of_schema(value, schema, WHOLE).iter().map(ToString::to_string).collect();
    let unknown = if found.is_empty() { unknown(value, schema, WHOLE) } else { Vec::new() };
    let unknown: Vec<String> = unknown.iter().map(ToString::to_string).collect();
    if unknown.is_empty() { found } else { vec![format!("{}: not specified in the schema", unknown.join(", "))] }
}

/// The paths of the fields that the schema of a value does not name. `at` is that of the value.
pub(crate) fn unknown(value: &Value, schema: &Value, at: VisitedPath<'_>) -> Vec<ObjectPath> {
    let mut unknown = Vec::new();
    unknown_fields(value, Some(schema), &at, &mut unknown);
    unknown
}

/// Removes the fields that the schema of a value does not name, as the API server does, and on demand the lists with keys
/// that are empty.
pub fn prune(value: &mut Value, schema: &Value, drops_empty: bool) {
    let keeps = is_true(schema, &["x-kubernetes-preserve-unknown-fields"]);
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| {
                let is_empty = || value.as_array().is_some_and(Vec::is_empty);
                schema_of(schema, name).map_or(keeps, |schema| !(drops_empty && is_empty() && is_keyed(schema)))
            });
            for (name, value) in fields {
                if let Some(schema) = schema_of(schema, name) {
                    prune(value, schema, drops_empty);
                }
            }
        }
        Value::Array(elements) => {
            if let Some(items) = get(schema, &["items"]) {
                elements.iter_mut().for_each(|element| prune(element, items, drops_empty));
            }
        }
        _ => {}
    }
}

/// Whether there is a list without elements in a value.
pub(crate) fn has_empty_list(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.is_empty() || elements.iter().any(has_empty_list),
        Value::Object(fields) => fields.values().any(has_empty_list),
        _ => false,
    }
}

/// Whether the elements of a list have keys.
pub(crate) fn is_keyed(schema: &Value) -> bool {
    !list(schema, &["x-kubernetes-list-map-keys"]).is_empty()
}

/// The same for a value whose unknown fields do not matter. `at` is its path.
pub(crate) fn of_schema<'v>(value: &'v Value, schema: &Value, at: VisitedPath<'_>) -> Vec<SchemaViolation<'v>> {
    let is_on = |field: &str| is_true(schema, &[field]);
    if value.is_null() && is_on("nullable") {
        return Vec::new();
    }
    let of_kind = match value {
        Value::Null => Vec::new(),
        Value::Number(_) => of_number(value, schema),
        Value::String(value) => of_text(value, schema),
        Value::Array(elements) => {
            let is_again = |(number, element)| elements.iter().take(number).any(|it| it == element);
            let has_duplicates = is_on("uniqueItems") && elements.iter().enumerate().any(is_again);
            let again = has_duplicates
                .then(|| "shouldn't contain duplicates".to_owned())
                .or_else(|| same_key(elements, schema));
            of_size(elements.len(), schema, ["minItems", "maxItems"], "items").into_iter().chain(again).collect()
        }
        Value::Object(fields) => of_size(fields.len(), schema, ["minProperties", "maxProperties"], "properties"),
        Value::Bool(_) => Vec::new(),
    };
    let own = of_type(value, schema).into_iter().chain(of_enum(value, schema)).chain(of_kind);
    let own = own.chain(rules::broken(value, schema));
    let combined = if value.is_null() { Vec::new() } else { combined(value, schema) };
    let violation = |reason| SchemaViolation { at: at.path(), reason, part: Some(value) };
    let mut found: Vec<SchemaViolation<'v>> = own.chain(combined).map(violation).collect();
    match value {
        Value::Array(elements) => {
            let items = get(schema, &["items"]);
            for (number, element) in elements.iter().enumerate() {
                let name = element_name(number, element, schema);
                found.extend(
                    items.into_iter().flat_map(|items| of_schema(element, items, VisitedPath::Entry(&at, &name))),
                );
            }
        }
        Value::Object(fields) => found.extend(of_fields(fields, schema, &at)),
        _ => {}
    }
    found
}

/// Two elements of a list that has keys with the same ones.
fn same_key(elements: &[Value], schema: &Value) -> Option<String> {
    let keys: Vec<&str> = list(schema, &["x-kubernetes-list-map-keys"]).iter().filter_map(Value::as_str).collect();
    let of = |element: &Value| keys.iter().map(|key| get(element, &[key]).cloned()).collect::<Option<Vec<_>>>();
    let found: Vec<Vec<Value>> = elements.iter().filter_map(of).filter(|values| !values.is_empty()).collect();
    let again = found.iter().enumerate().find(|(number, values)| found.iter().take(*number).any(|it| it == *values));
    again.map(|(_, values)| format!("duplicate entries for key {}", Value::Array(values.clone())))
}

/// The name of an element in paths: that of its key if the list has one, otherwise its number.
fn element_name(number: usize, element: &Value, schema: &Value) -> String {
    let [Value::String(key)] = list(schema, &["x-kubernetes-list-map-keys"]) else { return number.to_string() };
    get(element, &[key]).and_then(Value::as_str).map_or_else(|| number.to_string(), str::to_owned)
}

/// Why a value is not of the type of its schema.
pub(crate) fn of_type(value: &Value, schema: &Value) -> Option<String> {
    let is_integer = |value: &Value| value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let kind = text(schema, &["type"]);
    if is_true(schema, &["x-kubernetes-int-or-string"]) {
        return (!value.is_string() && !is_integer(value)).then(|| "must be of type integer or string".to_owned());
    }
    let fits = match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => is_integer(value),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        kind => kind.is_empty(),
    };
    let given = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) if is_integer(value) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    (!fits).then(|| format!("must be of type {kind}, not {given}"))
}

fn of_enum(value: &Value, schema: &Value) -> Option<String> {
    let options: Vec<&Value> = list(schema, &["enum"]).iter().filter(|option| !option.is_null()).collect();
    let is_equal = |option: &&Value| match (option.as_f64(), value.as_f64()) {
        (Some(option), Some(value)) => option == value,
        _ => *option == value,
    };
    let all = || options.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    (!options.is_empty() && !options.iter().any(is_equal)).then(|| format!("supported values: {}", all()))
}

fn of_number(value: &Value, schema: &Value) -> Vec<String> {
    let Some(number) = value.as_f64() else { return Vec::new() };
    let limit = |field: &str| get(schema, &[field]).and_then(Value::as_f64);
    let excludes = |field: &str| is_true(schema, &[field]);
    let least = limit("minimum").and_then(|least| match excludes("exclusiveMinimum") {
        true => (number <= least).then(|| format!("should be greater than {least}")),
        false => (number < least).then(|| format!("should be greater than or equal to {least}")),
    });
    let most = limit("maximum").and_then(|most| match excludes("exclusiveMaximum") {
        true => (number >= most).then(|| format!("should be less than {most}")),
        false => (number > most).then(|| format!("should be less than or equal to {most}")),
    });
    [formats::of_range(number, schema), least, most].into_iter().flatten().collect()
}

fn of_text(value: &str, schema: &Value) -> Vec<String> {
    let [pattern, format] = ["pattern", "format"].map(|field| text(schema, &[field]));
    let mut found = of_size(value.chars().count(), schema, ["minLength", "maxLength"], "characters");
    let differs = !pattern.is_empty() && formats::is_match(pattern, value) == Some(false);
    found.extend(differs.then(|| format!("should match `{pattern}`")));
    found.extend((!formats::fits(format, value)).then(|| format!("must be of type {format}")));
    found
}

fn of_size(size: usize, schema: &Value, [least, most]: [&str; 2], of: &str) -> Vec<String> {
    let limit = |field: &str| get(schema, &[field]).and_then(Value::as_u64);
    let size = u64::try_from(size).unwrap_or(u64::MAX);
    let least = limit(least).filter(|least| size < *least).map(|least| format!("should have at least {least} {of}"));
    let most = limit(most).filter(|most| size > *most).map(|most| format!("should have at most {most} {of}"));
    least.into_iter().chain(most).collect()
}

/// `allOf`, `anyOf`, `oneOf` and `not`.
fn combined(value: &Value, schema: &Value) -> Vec<String> {
    let fitting = |field: &str| {
        let schemas = list(schema, &[field]);
        (schemas.len(), schemas.iter().filter(|schema| of_schema(value, schema, WHOLE).is_empty()).count())
    };
    let (all, fitting_all) = fitting("allOf");
    let (any, fitting_any) = fitting("anyOf");
    let (one, fitting_one) = fitting("oneOf");
    let fits_not = get(schema, &["not"]).is_some_and(|not| of_schema(value, not, WHOLE).is_empty());
    let reasons = [
        (any > 0 && fitting_any == 0, "must validate at least one schema (anyOf)"),
        (one > 0 && fitting_one != 1, "must validate one and only one schema (oneOf)"),
        (fitting_all < all, "must validate all the schemas (allOf)"),
        (fits_not, "must not validate the schema (not)"),
    ];
    reasons.into_iter().filter(|(is_found, _)| *is_found).map(|(_, reason)| reason.to_owned()).collect()
}

fn of_fields<'v>(fields: &'v Map<String, Value>, schema: &Value, at: &VisitedPath<'_>) -> Vec<SchemaViolation<'v>> {
    let required = list(schema, &["required"]).iter().filter_map(Value::as_str);
    let missing = required.filter(|name| !fields.contains_key(*name)).map(|name| SchemaViolation {
        at: VisitedPath::Field(at, name).path(),
        reason: "required".to_owned(),
        part: None,
    });
    let of_field = |(name, value): (&'v String, &'v Value)| {
        schema_of(schema, name).map(|schema| of_schema(value, schema, VisitedPath::Field(at, name))).unwrap_or_default()
    };
    missing.chain(fields.iter().flat_map(of_field)).collect()
}

/// The schema of a field.
pub(crate) fn schema_of<'s>(schema: &'s Value, field: &str) -> Option<&'s Value> {
    get(schema, &["properties", field]).or_else(|| get(schema, &["additionalProperties"]).filter(|it| it.is_object()))
}

/// The path of a keyword or a property in a schema.
pub(crate) fn inner(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// The fields that the schema does not name.
fn unknown_fields(value: &Value, schema: Option<&Value>, at: &VisitedPath<'_>, found: &mut Vec<ObjectPath>) {
    let keeps = schema.is_some_and(|it| is_true(it, &["x-kubernetes-preserve-unknown-fields"]));
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let at = VisitedPath::Field(at, name);
                match schema.and_then(|schema| schema_of(schema, name)) {
                    Some(schema) => unknown_fields(value, Some(schema), &at, found),
                    None if keeps => {}
                    None => found.push(at.path()),
                }
            }
        }
        Value::Array(elements) => {
            let items = schema.and_then(|schema| get(schema, &["items"]));
            if items.is_some() || !keeps {
                for (number, element) in elements.iter().enumerate() {
                    let name = element_name(number, element, schema.unwrap_or(&Value::Null));
                    unknown_fields(element, items, &VisitedPath::Entry(at, &name), found);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_concern_what_differs_in_the_value_that_they_are_about() {
        let rules = json!([{"rule": "self != oldSelf"}]);
        let schema = json!({"type": "object", "x-kubernetes-validations": rules, "properties": {
            "mtu": {"type": "integer", "x-kubernetes-validations": rules},
            "dns": {"type": "string"},
            "ports": {"type": "array", "items": {"type": "integer", "x-kubernetes-validations": rules}}},
            "additionalProperties": {"type": "string", "x-kubernetes-validations": rules}});
        let own = "x-kubernetes-validations";
        let of = |step: &str| format!("{step}.x-kubernetes-validations");
        let was = json!({"mtu": 1, "dns": "a", "ports": [1], "other": "a"});
        let cases = [
            (json!({"mtu": 1, "dns": "a", "ports": [1], "other": "a"}), vec![]),
            (json!({"mtu": 1, "dns": "b", "ports": [1], "other": "a"}), vec![own.to_owned()]),
            (json!({"mtu": 2, "dns": "a", "ports": [1], "other": "a"}), vec![own.to_owned(), of("properties.mtu")]),
            (json!({"dns": "a", "ports": [1], "other": "a"}), vec![own.to_owned()]),
            (
                json!({"mtu": 1, "dns": "a", "ports": [1, 2], "other": "a"}),
                vec![own.to_owned(), of("properties.ports.items")],
            ),
            (
                json!({"mtu": 1, "dns": "a", "ports": [1], "other": "b"}),
                vec![own.to_owned(), of("additionalProperties")],
            ),
        ];
        for (is, expected) in cases {
            assert_eq!(rules_of_difference([Some(&was), Some(&is)], [&schema; 2], ""), expected, "{is}");
        }
        assert_eq!(rules_of_difference([None, Some(&json!({}))], [&schema; 2], ""), [own]);
        assert_eq!(rules_of_difference([Some(&was), None], [&schema; 2], ""), Vec::<String>::new());
        let mut former = schema.clone();
        former["properties"]["mtu"]["x-kubernetes-validations"] = json!([{"rule": "self > 0"}]);
        assert_eq!(rules_of_difference([Some(&was); 2], [&former, &schema], ""), [of("properties.mtu")]);
        assert_eq!(rules_of_difference([Some(&json!({"dns": "a"})); 2], [&former, &schema], ""), Vec::<String>::new());
    }

    #[test]
    fn values_fit_their_schemas() {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "enum": ["a", "b"]}, "port": {"type": "integer", "maximum": 65535},
            "hosts": {"type": "array", "uniqueItems": true, "maxItems": 2, "items": {"type": "string", "format": "ipv4"}},
            "share": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
            "size": {"x-kubernetes-int-or-string": true}, "id": {"type": "string", "pattern": "^i-", "minLength": 4},
            "tags": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}},
            "raw": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "zone": {"type": "string", "nullable": true},
            "args": {"type": "array", "x-kubernetes-list-map-keys": ["name", "value"], "items": {"type": "object",
                "properties": {"name": {"type": "string"}, "value": {"type": "string"}}}},
            "either": {"oneOf": [{"type": "string"}, {"type": "boolean"}], "not": {"enum": [false]}}}});
        let cases = [
            (
                json!({"name": "a", "port": 80.0, "hosts": ["10.0.0.1"], "zone": null, "size": "1", "either": true}),
                None,
            ),
            (json!({"port": 80}), Some("name: required")),
            (json!({"name": "c"}), Some("name: supported values: \"a\", \"b\"")),
            (json!({"name": "a", "port": 80.5}), Some("port: must be of type integer, not number")),
            (json!({"name": "a", "port": -1e19}), Some("port: must be of type integer")),
            (json!({"name": "a", "port": 70000}), Some("port: should be less than or equal to 65535")),
            (json!({"name": "a", "hosts": ["x"]}), Some("hosts[0]: must be of type ipv4")),
            (json!({"name": "a", "hosts": ["10.0.0.1", "10.0.0.1"]}), Some("hosts: shouldn't contain duplicates")),
            (
                json!({"name": "a", "hosts": ["10.0.0.1", "10.0.0.2", "10.0.0.3"]}),
                Some("hosts: should have at most 2 items"),
            ),
            (json!({"name": "a", "args": [{"name": "v", "value": "1"}, {"name": "v", "value": "2"}]}), None),
            (
                json!({"name": "a", "args": [{"name": "v", "value": "1"}, {"name": "v", "value": "1"}]}),
                Some("args: duplicate entries for key [\"v\",\"1\"]"),
            ),
            (json!({"name": "a", "share": 0}), Some("share: should be greater than 0")),
            (json!({"name": "a", "size": 1.5}), Some("size: must be of type integer or string")),
            (json!({"name": "a", "id": "i-1"}), Some("id: should have at least 4 characters")),
            (json!({"name": "a", "id": "j-12"}), Some("id: should match `^i-`")),
            (json!({"name": "a", "tags": {}}), Some("tags: should have at least 1 properties")),
            (json!({"name": "a", "tags": {"team": 1}}), Some("tags.team: must be of type string, not integer")),
            (json!({"name": "a", "other": 1}), Some("other: not specified in the schema")),
            (json!({"name": "a", "raw": {"other": {"further": 1}}}), None),
            (json!({"name": "a", "either": 1}), Some("either: must validate one and only one schema (oneOf)")),
            (json!({"name": "a", "either": false}), Some("either: must not validate the schema (not)")),
            (json!({"name": "a", "port": null}), Some("port: must be of type integer, not null")),
            (json!("a"), Some("must be of type object, not string")),
        ];
        for (value, expected) in cases {
            assert_eq!(violations(&value, &schema), Vec::from_iter(expected), "{value}");
        }
        let several = json!({"port": "80", "hosts": ["", ""], "id": "j"});
        let expected = [
            "name: required",
            "hosts: shouldn't contain duplicates",
            "hosts[0]: must be of type ipv4",
            "hosts[1]: must be of type ipv4",
            "id: should have at least 4 characters",
            "id: should match `^i-`",
            "port: must be of type integer, not string",
        ];
        assert_eq!(violations(&several, &schema), expected);
        let unknown = json!({"name": "a", "other": 1, "more": 2});
        assert_eq!(violations(&unknown, &schema), ["more, other: not specified in the schema"]);
    }
}
