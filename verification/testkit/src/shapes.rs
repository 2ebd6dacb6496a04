//! Reviews that grow in one direction: with the number of labels, of owners of fields, of resources of a Composition. The
//! time of a review must grow with its size, and not faster, because one worker answers many users.

mod maps;
mod written;

use serde_json::{Map, Value, json};

use crate::cluster::ApiServer;
use crate::request::request;

/// The size of the largest objects that an API server stores, in bytes.
const LARGEST: usize = 1_500_000;

/// Reviews that differ in how often they have something.
pub struct Shape {
    /// What they have.
    pub name: String,
    make: Box<dyn Fn(usize) -> Grown>,
}

/// One review of a shape.
#[derive(Default)]
pub(crate) struct Grown {
    /// `None` for CREATE.
    old: Option<Value>,
    object: Value,
    settings: Value,
    reads: Vec<Value>,
    /// The user; `alice` if it is empty.
    username: String,
    field_manager: String,
    /// The texts that replace each [`HOLE`].
    filling: Vec<String>,
}

/// A value in a grown object that is too deep for a tree of values.
const HOLE: &str = "HOLE";

/// A review as the host gets it, and the cluster that the policy may read.
pub struct ShapedReview {
    /// What the host hands to `validate`.
    pub payload: String,
    /// The cluster.
    pub cluster: ApiServer,
    /// The bytes of the payload and of everything that may be read.
    pub bytes: usize,
}

impl Shape {
    fn new(name: impl Into<String>, make: impl Fn(usize) -> Grown + 'static) -> Shape {
        Shape { name: name.into(), make: Box::new(make) }
    }

    /// The number of entries with which the review is about as large as the largest objects that an API server stores.
    pub fn most(&self) -> anyhow::Result<usize> {
        let [few, many] = [1000, 2000].map(|entries| self.review(entries).map(|review| review.bytes));
        Ok(LARGEST * 1000 / (many? - few?).max(1))
    }

    /// The review with `count` entries.
    pub fn review(&self, count: usize) -> anyhow::Result<ShapedReview> {
        let Grown { old, object, settings, reads, username, field_manager, filling } = (self.make)(count);
        let read: usize = reads.iter().map(|object| object.to_string().len()).sum();
        let mut review = json!({
            "operation": if old.is_some() { "UPDATE" } else { "CREATE" },
            "username": if username.is_empty() { "alice" } else { &*username },
            "object": object,
            "options": { "fieldManager": field_manager },
        });
        if let Some(old) = old {
            review["oldObject"] = old;
        }
        let mut payload = json!({ "request": request(review), "settings": settings }).to_string();
        for text in &filling {
            payload = payload.replacen(&format!("\"{HOLE}\""), text, 1);
        }
        let bytes = payload.len() + read;
        Ok(ShapedReview { payload, cluster: ApiServer::new(reads, Vec::new())?, bytes })
    }
}

/// Every shape.
pub fn shapes() -> anyhow::Result<Vec<Shape>> {
    let mut shapes = maps::shapes();
    for written in [include_str!("shapes/objects.yaml"), include_str!("shapes/tags.yaml")] {
        shapes.extend(written::shapes(written)?);
    }
    Ok(shapes)
}

/// An object of Cluster API's core group.
fn core(kind: &str, name: &str, spec: Value) -> Value {
    of_group("cluster.x-k8s.io/v1beta2", kind, name, spec)
}

fn of_group(api_version: &str, kind: &str, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": api_version, "kind": kind,
        "metadata": { "namespace": "fleet", "name": name, "uid": format!("uid-{name}") }, "spec": spec,
    })
}

/// The reference to an owner.
fn owner(kind: &str, name: &str, controller: bool) -> Value {
    json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": kind, "name": name, "uid": format!("uid-{name}"),
        "controller": controller,
    })
}

/// An object with a value at a JSON pointer below its fields, which are created.
fn with(mut object: Value, pointer: &str, value: impl Into<Value>) -> Value {
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
    keys(prefix, count).map(|key| (key, json!(value))).collect()
}

fn keys(prefix: &str, count: usize) -> impl Iterator<Item = String> {
    let prefix = prefix.to_owned();
    (0..count).map(move |number| format!("{prefix}{number:06}"))
}

/// An entry of `managedFields` that owns these entries of a map.
fn owns(manager: &str, operation: &str, map: &str, keys: impl Iterator<Item = String>) -> Value {
    let fields: Map<String, Value> = keys.map(|key| (format!("f:{key}"), json!({}))).collect();
    json!({
        "manager": manager, "operation": operation, "apiVersion": "cluster.x-k8s.io/v1beta2",
        "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": { "f:metadata": { format!("f:{map}"): fields } },
    })
}
