//! Values without what means the same as its absence.

use serde_json::Value;

/// A value without null, empty lists and empty objects at any depth; `None` if nothing is left.
pub(super) fn bare(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Object(fields) => {
            let fields: serde_json::Map<_, _> =
                fields.iter().filter_map(|(name, value)| Some((name.clone(), bare(value)?))).collect();
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
        Value::Array(elements) if elements.is_empty() => None,
        // The number of elements counts, whatever they are.
        Value::Array(elements) => {
            Some(Value::Array(elements.iter().map(|element| bare(element).unwrap_or_default()).collect()))
        }
        other => Some(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_empty_is_absent() {
        assert_eq!(
            bare(&json!({ "a": null, "b": { "c": [] }, "d": [{}, { "e": {} }], "f": "" })),
            Some(json!({ "d": [null, null], "f": "" }))
        );
        assert_eq!(bare(&json!({ "a": {} })), None);
    }
}
