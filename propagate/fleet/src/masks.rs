//! Field masks, as Kubewarden's host applies them to the objects that a policy reads.

use serde_json::{Map, Value};

/// The object with only the masked fields; apiVersion, kind and metadata are always included, and without masks
/// everything is.
///
/// ```
/// use fleet::masked;
/// use serde_json::json;
///
/// let machine = json!({"kind": "Machine", "metadata": {"name": "m"}, "spec": {"clusterName": "c", "version": "v1.33.0"}});
/// let expected = json!({"kind": "Machine", "metadata": {"name": "m"}, "spec": {"clusterName": "c"}});
/// assert_eq!(masked(&machine, &["spec.clusterName"]), expected);
/// ```
pub fn masked<M: AsRef<str>>(object: &Value, masks: &[M]) -> Value {
    let Some(fields) = object.as_object().filter(|_| !masks.is_empty()) else { return object.clone() };
    let paths: Vec<Vec<&str>> = masks.iter().map(|mask| mask.as_ref().split('.').collect()).collect();
    let paths: Vec<&[&str]> = paths.iter().map(Vec::as_slice).collect();
    let mut kept = pruned(fields, &paths);
    for name in ["apiVersion", "kind", "metadata"] {
        if let Some(value) = fields.get(name) {
            kept.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(kept)
}

fn pruned(fields: &Map<String, Value>, paths: &[&[&str]]) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in fields {
        let below: Vec<&[&str]> = paths
            .iter()
            .filter_map(|path| path.split_first().filter(|(first, _)| *first == name).map(|(_, rest)| rest))
            .collect();
        if !below.is_empty() {
            kept.insert(name.clone(), prune(value, &below));
        }
    }
    kept
}

fn prune(value: &Value, paths: &[&[&str]]) -> Value {
    if paths.iter().any(|path| path.is_empty()) {
        return value.clone();
    }
    match value {
        Value::Object(fields) => Value::Object(pruned(fields, paths)),
        Value::Array(elements) => elements.iter().map(|element| prune(element, paths)).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_masked_goes() {
        let object = json!({
            "apiVersion": "v1",
            "metadata": { "name": "a" },
            "spec": { "a": { "b": 1, "c": 2 }, "list": [{ "x": 1, "y": 2 }], "d": 3 },
            "status": {},
        });
        let kept = json!({
            "apiVersion": "v1",
            "metadata": { "name": "a" },
            "spec": { "a": { "b": 1 }, "list": [{ "x": 1 }] },
        });
        assert_eq!(masked(&object, &["spec.a.b", "spec.list.x"]), kept);
        assert_eq!(masked::<&str>(&object, &[]), object);
    }
}
