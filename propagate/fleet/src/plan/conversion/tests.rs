//! The tables compared with what Cluster API's own conversion functions return: verification/conformance/functions writes the file.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::{convert, version_mismatches, with_defaults};
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

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/conversions")
}

#[test]
fn every_field_is_converted_as_cluster_api_converts_it() {
    let mut seen = 0;
    for line in BufReader::new(GzDecoder::new(File::open(folder().join("conversions.jsonl.gz")).unwrap())).lines() {
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

#[test]
fn what_no_vector_has_is_converted() {
    let others: Vec<Value> =
        serde_saphyr::from_str(&fs::read_to_string(folder().join("others.yaml")).unwrap()).unwrap();
    for other in &others {
        let [group, kind] = ["group", "kind"].map(|field| other[field].as_str().unwrap());
        let id = ObjectId::new(group, kind, "fleet", "o");
        let version = other["version"].as_str().unwrap_or("v1beta1");
        let mut object = json!({ "apiVersion": format!("{group}/{version}"), "spec": other["from"] });
        assert!(convert(&id, version, &mut object), "{id}");
        assert_eq!(object["apiVersion"], format!("{group}/v1beta2"));
        assert_eq!(bare(&object["spec"]), bare(&other["to"]), "{id}");
    }
    let id = ObjectId::new("controlplane.cluster.x-k8s.io", "KubeadmControlPlane", "fleet", "o");
    assert!(!convert(&id, "v1alpha1", &mut json!({ "spec": {} })));
}

/// The webhook takes the default of a field of v1beta1 from a deprecated one.
#[test]
fn a_deprecated_field_is_a_default() {
    let id = ObjectId::new("controlplane.cluster.x-k8s.io", "RKE2ControlPlane", "fleet", "o");
    let reference = json!({ "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "T", "name": "t" });
    let old = json!({ "spec": { "infrastructureRef": reference } });
    let new =
        json!({ "spec": { "infrastructureRef": reference, "machineTemplate": { "infrastructureRef": reference } } });
    assert_eq!(with_defaults(&id, "v1beta1", &old), with_defaults(&id, "v1beta1", &new));
}
