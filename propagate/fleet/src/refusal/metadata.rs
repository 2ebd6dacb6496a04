//! What the API server refuses in the metadata of an object itself.

use serde_json::Value;

use super::objects::invalid_entries;
use super::{Refusal, has_placeholder, path, refusal, written};

/// Labels and annotations that are no texts, or not valid.
///
/// Source: `ObjectMeta` in pkg/apis/meta/v1/types.go of k8s.io/apimachinery v0.36, and `ValidateObjectMetaAccessor` in
/// pkg/api/validation/objectmeta.go.
pub(crate) fn of_entries(object: &Value) -> Vec<Refusal> {
    let is_known = |value: &Value| value.as_str().is_none_or(|text| !has_placeholder(text));
    let mut found = object.get("metadata").map(|metadata| invalid_entries("metadata", metadata)).unwrap_or_default();
    for map in ["labels", "annotations"] {
        let at = format!("metadata.{map}");
        let value = object.pointer(&format!("/metadata/{map}")).filter(|value| !value.is_null() && is_known(value));
        match value {
            Some(Value::Object(entries)) => {
                let wrong = entries.iter().filter(|(_, value)| !value.is_string() && !value.is_null());
                found.extend(wrong.map(|(key, value)| refusal(format!("{at}.{key}"), format!("`{value}` is no text"))));
            }
            Some(value) => found.push(refusal(at, format!("`{value}` is no map"))),
            None => {}
        }
    }
    found
}

/// The same, and names that a custom resource cannot have.
///
/// Source: `NameIsDNSSubdomain` in pkg/api/validation/generic.go of k8s.io/apimachinery v0.36.
pub(crate) fn of_metadata(object: &Value) -> Vec<Refusal> {
    let names = [("/metadata/name", is_subdomain as fn(&str) -> bool), ("/metadata/namespace", is_label)];
    let wrong = names.into_iter().filter_map(|(pointer, is_valid)| {
        let name = written(object, pointer).filter(|name| !is_valid(name) && !name.contains(['@', '%']))?;
        Some(refusal(path(pointer), format!("`{name}` is no valid name")))
    });
    of_entries(object).into_iter().chain(wrong).collect()
}

fn is_subdomain(name: &str) -> bool {
    name.len() <= 253 && name.split('.').all(is_part)
}

fn is_label(name: &str) -> bool {
    name.len() <= 63 && is_part(name)
}

fn is_part(part: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !part.is_empty() && part.bytes().all(is_inner) && !part.starts_with('-') && !part.ends_with('-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_has_texts_and_names() {
        for (metadata, expected) in [
            (json!({"name": "a.b-1", "namespace": "c", "labels": {"x": "1", "y": null}, "annotations": null}), vec![]),
            (json!({"name": "${NAME}", "namespace": "@NS@", "labels": "${LABELS}"}), vec![]),
            (json!({"labels": {"x": true}, "annotations": []}), vec!["metadata.labels.x", "metadata.annotations"]),
            (
                json!({"labels": {"x": "a b"}, "annotations": {"bad key": "x"}}),
                vec!["metadata.labels.x", "metadata.annotations.bad key"],
            ),
            (json!({"name": "MD_1", "namespace": "a.b"}), vec!["metadata.name", "metadata.namespace"]),
        ] {
            let found = of_metadata(&json!({"metadata": metadata}));
            assert_eq!(found.iter().map(|it| it.at.to_string()).collect::<Vec<_>>(), expected, "{metadata}");
        }
    }
}
