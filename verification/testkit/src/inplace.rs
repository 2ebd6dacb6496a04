//! In-place mutable fields of a vector, compared with the policy's result.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::deviations::EntryDeviation;

/// Fields that differ from Cluster API's. If it sets none, and for list elements that it does not name, the
/// object's own values are kept.
pub fn differences(fields: &BTreeMap<String, Value>, object: &Value, result: &Value) -> Vec<EntryDeviation> {
    let at = |object: &Value, path: &str| {
        object.pointer(&format!("/{}", path.replace('.', "/"))).cloned().unwrap_or_default()
    };
    let text = |value: Option<&Value>| value.map(Value::to_string);
    let mut differences = Vec::new();
    for (path, expected) in fields {
        let (own, found) = (elements(&at(object, path)), elements(&at(result, path)));
        let expected = elements(expected);
        for key in own.keys().chain(expected.keys()).chain(found.keys()).collect::<BTreeSet<_>>() {
            let wanted = expected.get(key).or_else(|| own.get(key));
            if found.get(key) != wanted {
                differences.push(EntryDeviation {
                    map: "fields".to_owned(),
                    key: format!("{path}{key}"),
                    expected: text(wanted),
                    found: text(found.get(key)),
                    untouched: found.get(key) == own.get(key),
                    inert: Value::Null,
                });
            }
        }
    }
    differences
}

/// List elements by their key, such as `[Ready]`; a value that is not a list is the only element.
fn elements(value: &Value) -> BTreeMap<String, Value> {
    match value {
        Value::Null => BTreeMap::new(),
        Value::Array(elements) => {
            let name = |element: &Value| {
                let names = ["conditionType", "key", "effect"].iter().filter_map(|name| element[name].as_str());
                format!("[{}]", names.collect::<Vec<_>>().join(" "))
            };
            elements.iter().map(|element| (name(element), element.clone())).collect()
        }
        other => BTreeMap::from([(String::new(), other.clone())]),
    }
}
