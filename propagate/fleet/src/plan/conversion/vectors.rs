//! The tables compared with what Cluster API's own conversion functions return: verification/conformance/functions writes the file.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::{convert, version_mismatches};
use crate::object::ObjectId;
use crate::plan::bare::bare;

/// Fields that v1beta1 cannot leave out are empty texts, which v1beta2 leaves out.
fn without_empty_texts(value: &Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => Value::Null,
        Value::Array(elements) => elements.iter().map(without_empty_texts).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), without_empty_texts(value))).collect())
        }
        other => other.clone(),
    }
}

#[test]
fn every_field_is_converted_as_cluster_api_converts_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/conversions/conversions.jsonl.gz");
    let mut seen = 0;
    for line in BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines() {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let [group, kind] = ["group", "kind"].map(|field| line[field].as_str().unwrap());
        let id = ObjectId::new(group, kind, "fleet", "o");
        let mut object = json!({ "spec": line["v1beta1"] });
        assert!(convert(&id, "v1beta1", &mut object), "{id}");
        let [converted, expected] = [&object["spec"], &line["v1beta2"]].map(|spec| bare(&without_empty_texts(spec)));
        assert_eq!(converted, expected, "{}", id.kind);
        for version in ["v1beta1", "v1beta2"] {
            let object = json!({ "apiVersion": format!("{}/{version}", id.group), "spec": line[version] });
            assert_eq!(version_mismatches(&id, &object), [], "{version} {}", id.kind);
        }
        seen += 1;
    }
    assert_eq!(seen, 132);
}
