//! Rules in CEL. Those of Cluster API's own definitions are evaluated, others are not.

use serde_json::Value;

use super::{inner, schema_of};
use crate::fields::{get, list, text};
use crate::functions::whole_seconds;

/// Whether a value keeps a rule.
type Keeps = fn(&Value) -> bool;

/// Source: `x-kubernetes-validations` in the CustomResourceDefinitions of Cluster API v1.14.
const RULES: &[(&str, Keeps)] = &[
    ("self.all(x, self.exists_one(y, x == y))", |value| is_unique(value, |it| get(it, &[]))),
    ("self.all(x, self.exists_one(y, x.name == y.name))", |value| is_unique(value, |it| get(it, &["name"]))),
    ("[has(self.layout),has(self.diskLayout)].filter(x,x==true).size() == 1", |value| {
        get(value, &["layout"]).is_some() != get(value, &["diskLayout"]).is_some()
    }),
    ("!(self in ['Ready','Available','HealthCheckSucceeded','OwnerRemediated','ExternallyRemediated'])", |value| {
        let own = ["Ready", "Available", "HealthCheckSucceeded", "OwnerRemediated", "ExternallyRemediated"];
        !value.as_str().is_some_and(|value| own.contains(&value))
    }),
    (IS_DURATION, |value| value.as_str().is_none_or(|text| whole_seconds(text).is_some_and(|seconds| seconds >= 0))),
];

/// What the conversion from v1beta1 checks of durations. It drops fractions of a second.
pub(crate) const IS_DURATION: &str = "duration(self) > duration('-1s')";

/// The messages of the rules that a value does not keep.
pub(super) fn broken(value: &Value, schema: &Value) -> Vec<String> {
    let is_broken = |rule: &&Value| {
        let known = RULES.iter().find(|(known, _)| *known == text(rule, &["rule"]));
        known.is_some_and(|(_, keeps)| !keeps(value))
    };
    let broken = list(schema, &[KEYWORD]).iter().filter(is_broken);
    broken.map(|rule| text(rule, &["message"]).to_owned()).collect()
}

/// Where rules are that concern what differs between two values, such as `properties.mtu.x-kubernetes-validations`, or that
/// the former schema does not have. They are written in CEL, and are not evaluated. A value that is no longer there has no
/// rules.
///
/// Source: `ValidateClusterVariable`, which evaluates the rules of each part of a value on the whole part.
pub(crate) fn rules_of_difference(
    [was, is]: [Option<&Value>; 2],
    [former, schema]: [&Value; 2],
    at: &str,
) -> Vec<String> {
    let Some(is) = is.filter(|_| was != is || former != schema) else { return Vec::new() };
    let is_known =
        |rule: &Value| list(former, &[KEYWORD]).iter().any(|it| text(it, &["rule"]) == text(rule, &["rule"]));
    let concerns = |rule: &Value| was != Some(is) || !is_known(rule);
    let own = list(schema, &[KEYWORD]).iter().any(concerns).then(|| inner(at, KEYWORD));
    let below: Vec<String> = match is {
        Value::Object(fields) => {
            let of_field = |(name, is): (&String, &Value)| {
                let (schema, step) = place_of(schema, name)?;
                let former = place_of(former, name).map_or(&Value::Null, |(former, _)| former);
                let was = was.and_then(|was| was.get(name));
                Some(rules_of_difference([was, Some(is)], [former, schema], &inner(at, &step)))
            };
            fields.iter().filter_map(of_field).flatten().collect()
        }
        Value::Array(elements) => {
            let schemas = [former, schema].map(|schema| get(schema, &["items"]).unwrap_or(&Value::Null));
            let of_element = |(number, is): (usize, &Value)| {
                let was = was.and_then(|was| was.get(number));
                rules_of_difference([was, Some(is)], schemas, &inner(at, "items"))
            };
            elements.iter().enumerate().flat_map(of_element).collect()
        }
        _ => Vec::new(),
    };
    own.into_iter().chain(below).collect()
}

const KEYWORD: &str = "x-kubernetes-validations";

/// The schema of a field, and its place in that of the object.
fn place_of<'s>(schema: &'s Value, field: &str) -> Option<(&'s Value, String)> {
    let named = get(schema, &["properties", field]).map(|of_field| (of_field, format!("properties.{field}")));
    named.or_else(|| Some((schema_of(schema, field)?, "additionalProperties".to_owned())))
}

/// Whether no two elements of a list have the same of something.
fn is_unique(value: &Value, of: fn(&Value) -> Option<&Value>) -> bool {
    let elements: Vec<&Value> = value.as_array().into_iter().flatten().filter_map(of).collect();
    !elements.iter().enumerate().any(|(number, element)| elements.iter().take(number).any(|it| it == element))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_of_cluster_api_are_evaluated_and_others_are_not() {
        let schema = |rule: &str| json!({"x-kubernetes-validations": [{"rule": rule, "message": "m"}]});
        let cases = [
            (0, json!(["a", "b"]), json!(["a", "a"])),
            (1, json!([{"name": "a"}, {"name": "b"}]), json!([{"name": "a", "value": 1}, {"name": "a", "value": 2}])),
            (2, json!({"layout": true}), json!({"layout": true, "diskLayout": []})),
            (3, json!("EtcdMemberHealthy"), json!("Ready")),
            (4, json!("-0.5s"), json!("")),
            (4, json!("1h30m"), json!("-1s")),
        ];
        for (number, kept, not_kept) in cases {
            let schema = schema(RULES[number].0);
            assert_eq!(broken(&kept, &schema), Vec::<String>::new());
            assert_eq!(broken(&not_kept, &schema), ["m"]);
        }
        assert_eq!(broken(&json!(1), &schema("self == 2")), Vec::<String>::new());
    }
}
