//! Whether a label selector matches labels.

use serde_json::{Map, Value};

use crate::relations::text;

/// Whether `spec.selector` matches the labels of `spec.template`, after a webhook has set its defaults: the name of the
/// Cluster is added to both, and an empty selector becomes one that matches. Expressions with an unknown operator match,
/// and so do values that are no strings.
///
/// Source: core/webhooks/admission/machinedeployment.go and machineset.go, `Default`.
pub(super) fn matches(object: &Value) -> bool {
    const CLUSTER: &str = metadata_propagation::cluster_api::CLUSTER_NAME;
    let none = Map::new();
    let map = |pointer: &str| object.pointer(pointer).and_then(Value::as_object).unwrap_or(&none);
    let (labels, wanted) = (map("/spec/template/metadata/labels"), map("/spec/selector/matchLabels"));
    let expressions = object.pointer("/spec/selector/matchExpressions").and_then(Value::as_array);
    wanted
        .iter()
        .filter(|(key, value)| *key != CLUSTER && value.is_string())
        .all(|(key, value)| labels.get(key) == Some(value))
        && expressions.into_iter().flatten().filter(|it| text(it, "key") != CLUSTER).all(|it| holds(it, labels))
}

/// Whether a selector matches labels; one without anything matches all.
pub(crate) fn are_selected(labels: &Map<String, Value>, selector: &Value) -> bool {
    let wanted = selector.get("matchLabels").and_then(Value::as_object);
    let expressions = selector.get("matchExpressions").and_then(Value::as_array);
    wanted.into_iter().flatten().all(|(key, value)| labels.get(key) == Some(value))
        && expressions.into_iter().flatten().all(|it| holds(it, labels))
}

pub(crate) fn holds(expression: &Value, labels: &Map<String, Value>) -> bool {
    let value = labels.get(text(expression, "key"));
    let values = expression.get("values").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_among = || value.is_some_and(|value| values.contains(value));
    match text(expression, "operator") {
        "In" => is_among(),
        "NotIn" => !is_among(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_and_expressions_all_have_to_hold() {
        for (selector, expected) in [
            (json!({}), true),
            (json!({ "matchLabels": { "pool": "a", "cluster.x-k8s.io/cluster-name": "c" } }), true),
            (json!({ "matchLabels": { "pool": "b" } }), false),
            (json!({ "matchLabels": { "pool": "a", "tier": "x" } }), false),
            (json!({ "matchExpressions": [{ "key": "pool", "operator": "In", "values": ["a", "b"] }] }), true),
            (json!({ "matchExpressions": [{ "key": "pool", "operator": "NotIn", "values": ["a"] }] }), false),
            (json!({ "matchExpressions": [{ "key": "tier", "operator": "Exists" }] }), false),
            (json!({ "matchExpressions": [{ "key": "tier", "operator": "DoesNotExist" }] }), true),
        ] {
            let template = json!({ "metadata": { "labels": { "pool": "a" } } });
            assert_eq!(
                matches(&json!({ "spec": { "selector": selector, "template": template } })),
                expected,
                "{selector}"
            );
        }
    }
}
