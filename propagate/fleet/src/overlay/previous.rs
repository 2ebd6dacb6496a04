//! What was applied to a stored object before.

use serde_json::{Map, Value};

/// The annotation with the manifest that kubectl applied.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The prefix of the field managers of Cluster API's own controllers: what they apply is not in a manifest.
const CONTROLLERS: &str = "capi-";

/// The manifest that was applied last: as kubectl keeps it, or else what the only field manager that applied owns.
/// `None` if neither is known.
pub(super) fn previous(stored: &Value) -> Option<Value> {
    let kept = stored.pointer("/metadata/annotations").and_then(|annotations| annotations.get(LAST_APPLIED));
    if let Some(kept) = kept.and_then(Value::as_str) {
        return serde_json::from_str(kept).ok();
    }
    let managers = stored.pointer("/metadata/managedFields")?.as_array()?;
    let text = |manager: &Value, field: &str| manager.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut appliers = managers.iter().filter(|manager| {
        text(manager, "operation") == "Apply"
            && text(manager, "subresource").is_empty()
            && !text(manager, "manager").starts_with(CONTROLLERS)
    });
    let only = appliers.next().filter(|_| appliers.next().is_none())?;
    Some(owned(stored, only.get("fieldsV1")?))
}

/// Whether kubectl applied an object, and not a server-side apply.
pub(super) fn has_last_applied(stored: &Value) -> bool {
    stored.pointer("/metadata/annotations").is_some_and(|annotations| annotations.get(LAST_APPLIED).is_some())
}

/// The part of a value that is owned.
///
/// Source: structured-merge-diff, fieldpath/serialize.go.
fn owned(value: &Value, fields: &Value) -> Value {
    let steps = || fields.as_object().into_iter().flatten().filter(|(step, _)| *step != ".");
    if steps().next().is_none() {
        return value.clone();
    }
    match value {
        Value::Object(_) => {
            let field = |(step, below): (&String, &Value)| {
                let name = step.strip_prefix("f:")?;
                Some((name.to_owned(), owned(value.get(name)?, below)))
            };
            Value::Object(steps().filter_map(field).collect())
        }
        Value::Array(elements) => {
            let element = |(step, below): (&String, &Value)| {
                let key: Map<String, Value> = serde_json::from_str(step.strip_prefix("k:")?).ok()?;
                let is_meant = |element: &&Value| key.iter().all(|(name, value)| element.get(name) == Some(value));
                Some(owned(elements.iter().find(is_meant)?, below))
            };
            steps().filter_map(element).collect()
        }
        value => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kubectl_keeps_what_it_applied() {
        let stored = json!({ "metadata": { "annotations": { LAST_APPLIED: "{\"spec\":{\"a\":1}}" } } });
        assert_eq!(previous(&stored), Some(json!({ "spec": { "a": 1 } })));
    }

    #[test]
    fn the_only_manager_that_applied_says_what_it_was() {
        let applied = |manager: &str| {
            json!({ "manager": manager, "operation": "Apply", "fieldsV1": {
                "f:metadata": { "f:labels": { "f:team": {} } },
                "f:spec": { "f:list": { "k:{\"name\":\"x\"}": { ".": {}, "f:name": {} } }, "f:all": {} },
            } })
        };
        let stored = |managers: Value| {
            json!({
                "metadata": { "labels": { "team": "a", "other": "b" }, "managedFields": managers },
                "spec": { "list": [{ "name": "w" }, { "name": "x", "default": 1 }], "all": { "a": 1 }, "none": 1 },
            })
        };
        let updated =
            json!({ "manager": "manager", "operation": "Update", "fieldsV1": { "f:spec": { "f:none": {} } } });
        let expected = json!({ "metadata": { "labels": { "team": "a" } }, "spec": { "list": [{ "name": "x" }], "all": { "a": 1 } } });
        let only = stored(json!([updated, applied("kustomize-controller"), applied("capi-topology")]));
        assert_eq!(previous(&only), Some(expected));
        assert_eq!(previous(&stored(json!([applied("a"), applied("b")]))), None);
        assert_eq!(previous(&json!({ "metadata": {} })), None);
    }
}
