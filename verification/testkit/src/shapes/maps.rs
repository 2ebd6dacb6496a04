//! Labels and annotations: of each object that receives them, and what happens to them.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::written::grown;
use super::{Grown, Shape};

/// An object that receives entries of a map, and the object that has them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Receiver {
    kind: String,
    object: Value,
    /// What it inherits from.
    source: Value,
    /// The path of metadata there.
    at: String,
    /// The manager that applies what propagates to it.
    #[serde(default)]
    applier: String,
    /// Other objects that are read.
    others: Vec<Value>,
    /// How keys begin that propagate to it.
    #[serde(default = "propagated")]
    key: String,
    /// Settings that refuse what they can.
    strict: Value,
}

fn propagated() -> String {
    "team.example.com/key-".to_owned()
}

const MAPS: [&str; 2] = ["labels", "annotations"];

/// The shapes of one receiver.
pub(super) fn shapes(mut receiver: Receiver) -> Vec<Shape> {
    for object in [&mut receiver.object, &mut receiver.source].into_iter().chain(&mut receiver.others) {
        *object = grown(object, 0);
    }
    let receiver = Arc::new(receiver);
    let shape = |map: &'static str, change: &str, make: Made| {
        let receiver = Arc::clone(&receiver);
        Shape::new(format!("{map} {change}: {}", receiver.kind), move |count| make(&receiver, map, count))
    };
    MAPS.into_iter().flat_map(|map| CHANGES.map(|(change, make)| shape(map, change, make))).collect()
}

/// What happens to the entries of a map.
type Made = fn(&Receiver, &str, usize) -> Grown;

const CHANGES: [(&str, Made); 6] = [
    ("of a new object, complete", |of, map, count| of.grown(map, count, Some("a"), None)),
    ("missing from a new object", |of, map, count| of.grown(map, count, None, None)),
    ("missing from a stored object", |of, map, count| of.grown(map, count, None, Some(None))),
    ("changed", |of, map, count| of.grown(map, count, Some("b"), Some(Some("a")))),
    ("removed", |of, map, count| of.grown(map, count, None, Some(Some("a")))),
    ("of no source, with strict settings", Receiver::own),
];

impl Receiver {
    /// The object with entries of a map, and everything that is read for it.
    fn grown(&self, map: &str, count: usize, new: Option<&str>, old: Option<Option<&str>>) -> Grown {
        let source = with(&self.source, &format!("{}/{map}", self.at), entries(&self.key, count, "a"));
        let state = |value: Option<&str>| {
            let entries = value.map(|value| entries(&self.key, count, value)).unwrap_or_default();
            let is_applied = value == Some("a");
            let (manager, operation) = if is_applied { (&*self.applier, "Apply") } else { ("kubectl-edit", "Update") };
            let owned = owns(manager, operation, map, entries.keys().cloned());
            let applied = owns(&self.applier, "Apply", map, ["x".to_owned()].into_iter());
            let managers = if manager == self.applier { json!([owned]) } else { json!([applied, owned]) };
            let object = with(&self.object, &format!("/metadata/{map}"), entries);
            with(&object, "/metadata/managedFields", managers)
        };
        Grown { object: state(new), old: old.map(state), reads: self.reads(source), ..Grown::default() }
    }

    /// The object with keys that no source has and that are wrong there.
    fn own(&self, map: &str, count: usize) -> Grown {
        let own = entries("own.node.cluster.x-k8s.io/key-", count, "b");
        let mut object = with(&self.object, &format!("/metadata/{map}"), own);
        if object.pointer("/spec/template").is_some() {
            let labels = entries("my.node.cluster.x-k8s.io/key-", count, "b");
            object = with(&object, "/spec/template/metadata/labels", labels);
        }
        let (old, reads) = (Some(self.object.clone()), self.reads(self.source.clone()));
        Grown { old, object, reads, settings: self.strict.clone(), ..Grown::default() }
    }

    fn reads(&self, source: Value) -> Vec<Value> {
        [&[source], self.others.as_slice()].concat()
    }
}

/// An object with a value at a JSON pointer below its fields, which are created.
fn with(object: &Value, pointer: &str, value: impl Into<Value>) -> Value {
    let mut object = object.clone();
    let mut here = &mut object;
    for step in pointer.split('/').skip(1) {
        here = match step.parse::<usize>() {
            Ok(index) => &mut here[index],
            Err(_) => &mut here[step],
        };
    }
    match (here, value.into()) {
        (Value::Object(entries), Value::Object(more)) => entries.extend(more),
        (here, value) => *here = value,
    }
    object
}

/// Numbered entries with one value.
fn entries(prefix: &str, count: usize, value: &str) -> Map<String, Value> {
    (0..count).map(|number| (format!("{prefix}{number:06}"), json!(value))).collect()
}

/// An entry of `managedFields` that owns these entries of a map.
fn owns(manager: &str, operation: &str, map: &str, keys: impl Iterator<Item = String>) -> Value {
    let fields: Map<String, Value> = keys.map(|key| (format!("f:{key}"), json!({}))).collect();
    json!({
        "manager": manager, "operation": operation, "apiVersion": "cluster.x-k8s.io/v1beta2",
        "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": { "f:metadata": { format!("f:{map}"): fields } },
    })
}
