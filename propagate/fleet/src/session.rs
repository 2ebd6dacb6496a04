//! The questions of one evaluation to the cluster, in the format of Kubewarden's host, so that kwctl can replay them
//! without a cluster.
//!
//! Source: kwctl, `--record-host-capabilities-interactions`; policy-evaluator, `HostCapabilityRequest`.

use std::cell::RefCell;

use metadata_propagation::{Cluster, Get, LookupCause, LookupError, Review, Settings, evaluate};
use serde_json::{Value, json};

use crate::masks::masked;

/// One question to the host, and its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The payload of `kubernetes/get_resource`.
    pub request: Value,
    /// The object as JSON, or the host's error if there is none.
    pub response: Result<String, String>,
}

/// The questions of one evaluation, in order.
///
/// ```
/// use metadata_propagation::{Manifests, Review, Settings};
///
/// let review = Review::from_json(r#"{
///     "operation": "CREATE", "userInfo": {}, "kind": {"group": "apps", "version": "v1", "kind": "Deployment"},
///     "object": {"metadata": {"name": "web"}}}"#)?;
/// // A Deployment is of no kind that has rules: nothing is read.
/// assert_eq!(fleet::session(&review, &Settings::default(), &Manifests::default()), []);
/// # Ok::<(), metadata_propagation::Malformed>(())
/// ```
pub fn session(review: &Review<'_>, settings: &Settings, cluster: &dyn Cluster) -> Vec<Exchange> {
    let recorder = Recorder { cluster, exchanges: RefCell::default() };
    let _outcome = evaluate(review, settings, &recorder);
    recorder.exchanges.into_inner()
}

/// A whole AdmissionRequest for an object, as an API server sends it when `username` creates the object, or updates
/// `old`.
pub fn admission_request(review: &Review<'_>, old: Option<&str>, username: &str) -> Value {
    // The API server sets the namespace before it calls webhooks.
    let parsed = |text: &str| {
        let mut object = serde_json::from_str::<Value>(text).unwrap_or_default();
        let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
        if let Some(metadata) = metadata.filter(|_| !review.namespace.is_empty()) {
            metadata.entry("namespace").or_insert_with(|| json!(review.namespace));
        }
        object
    };
    let kind = json!({ "group": review.kind.group, "version": review.kind.version, "kind": review.kind.kind });
    let resource = plural(&review.kind.kind);
    let resource = json!({ "group": review.kind.group, "version": review.kind.version, "resource": resource });
    let (operation, options) = if old.is_some() { ("UPDATE", "UpdateOptions") } else { ("CREATE", "CreateOptions") };
    let mut request = json!({
        "uid": "00000000-0000-0000-0000-000000000000",
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "name": review.name,
        "operation": operation,
        "userInfo": { "username": username, "groups": ["system:authenticated"] },
        "object": review.object.map(parsed),
        "oldObject": old.map(parsed),
        "dryRun": false,
        "options": { "apiVersion": "meta.k8s.io/v1", "kind": options },
    });
    if let (false, Some(fields)) = (review.namespace.is_empty(), request.as_object_mut()) {
        fields.insert("namespace".to_owned(), json!(review.namespace));
    }
    request
}

/// The resource of a kind, as Kubernetes derives it without a definition.
///
/// Source: apimachinery, `meta.UnsafeGuessKindToResource`.
///
/// ```
/// let plurals = ["Machine", "ClusterClass", "NetworkPolicy"].map(fleet::plural);
/// assert_eq!(plurals, ["machines", "clusterclasses", "networkpolicies"]);
/// ```
pub fn plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    }
}

struct Recorder<'c> {
    cluster: &'c dyn Cluster,
    exchanges: RefCell<Vec<Exchange>>,
}

impl Cluster for Recorder<'_> {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let answer = self.cluster.get(get).map(|object| match serde_json::from_str::<Value>(&object) {
            Ok(read) => masked(&read, &get.masks).to_string(),
            Err(_) => object,
        });
        let request = json!({
            "api_version": get.api_version,
            "kind": get.kind,
            "name": get.name,
            "namespace": get.namespace,
            "disable_cache": get.fresh,
            "field_masks": get.masks,
        });
        let response = answer.clone().map_err(|error| message(&error, get));
        self.exchanges.borrow_mut().push(Exchange { request, response });
        answer
    }
}

/// The host's error if there is no such object.
///
/// Source: policy-evaluator, callback_handler/kubernetes.
fn message(error: &LookupError, get: &Get) -> String {
    let Get { api_version, kind, name, namespace, .. } = get;
    match error.cause {
        LookupCause::NotServed => format!("Cannot find resource {api_version}/{kind}"),
        _ => format!("Cannot find {api_version}/{kind} named '{name}' inside of namespace '{namespace:?}'"),
    }
}
