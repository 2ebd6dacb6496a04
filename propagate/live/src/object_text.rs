//! An object as a text.

use fleet::Source;
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Value, json};

use crate::list::ListedKind;

/// An object as `kubectl get RESOURCE NAME --output json --show-managed-fields` prints it, so that line numbers are the
/// same. The name of the text consists of the resource, the namespace and the name.
pub(crate) fn source(kind: &ListedKind, object: &str) -> Result<Source, serde_json::Error> {
    let mut object: Value = serde_json::from_str(object)?;
    if let Some(fields) = object.as_object_mut() {
        // The items of a list of the core group do not repeat them.
        fields.entry("apiVersion").or_insert_with(|| json!(kind.api_version()));
        fields.entry("kind").or_insert_with(|| json!(kind.kind));
    }
    let string = |path: &str| object.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty());
    let namespace = string("/metadata/namespace").map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let name = format!("{}/{namespace}{}", kind.resource(), string("/metadata/name").unwrap_or_default());
    let mut text = Vec::new();
    object.serialize(&mut Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b"    ")))?;
    text.push(b'\n');
    Ok(Source { name, text: String::from_utf8_lossy(&text).into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_printed_as_kubectl_prints_it() {
        let kind = ListedKind {
            group: String::new(),
            version: "v1".to_owned(),
            kind: "Node".to_owned(),
            resource: "nodes".to_owned(),
            is_namespaced: false,
        };
        let Source { name, text } =
            source(&kind, r#"{"spec":{},"metadata":{"name":"n-1","labels":{"b":"1","a":"2"}}}"#).unwrap();
        assert_eq!(name, "nodes/n-1");
        let expected = r#"{
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "labels": {
            "a": "2",
            "b": "1"
        },
        "name": "n-1"
    },
    "spec": {}
}
"#;
        assert_eq!(text, expected);
    }
}
