//! Reviews that grow in one direction: with the number of labels, of owners of fields, of resources of a Composition. The
//! time of a review must grow with its size, and not faster, because one worker answers many users.

mod maps;
mod written;

use serde_json::{Value, json};

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
    let files = [include_str!("shapes/objects.yaml"), include_str!("shapes/tags.yaml")];
    files
        .into_iter()
        .map(written::shapes)
        .collect::<anyhow::Result<Vec<_>>>()
        .map(|shapes| shapes.into_iter().flatten().collect())
}
