//! An API server behind Kubewarden's host: objects by version, field masks, and failures in the host's own words.

use std::sync::Arc;

use anyhow::{Context, Result};
use metadata_propagation::{Cluster, Get, LookupCause, LookupError};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Objects that can be asked for, and questions that fail.
#[derive(Debug, Clone, Default)]
pub struct ApiServer {
    objects: Arc<Vec<Value>>,
    failures: Arc<Vec<Failure>>,
}

/// A question that fails.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// `apiVersion kind`.
    pub get: String,
    /// The cause that the engine is told.
    pub cause: LookupCause,
    /// What the API server, or else the host, says. The policy shows its first line.
    pub text: String,
}

impl ApiServer {
    /// # Errors
    /// When an object has no apiVersion, kind or name.
    pub fn new(objects: Vec<Value>, failures: Vec<Failure>) -> Result<ApiServer> {
        for object in &objects {
            identity(object).with_context(|| format!("an object of the cluster has no identity: {object}"))?;
        }
        Ok(ApiServer { objects: Arc::new(objects), failures: Arc::new(failures) })
    }

    /// Adds an object, or replaces the one of the same kind and name.
    pub fn store(&mut self, object: Value) {
        let objects = Arc::make_mut(&mut self.objects);
        objects.retain(|known| identity(known) != identity(&object));
        objects.push(object);
    }

    /// All objects, in the order in which they came.
    #[must_use]
    pub fn objects(&self) -> &[Value] {
        &self.objects
    }

    /// The object that `Kind name` stands for, in any version and namespace.
    #[must_use]
    pub fn named(&self, of: &str) -> Option<&Value> {
        self.objects.iter().find(|object| is_named(object, of))
    }

    /// Removes the object that `Kind name` stands for.
    pub fn remove(&mut self, of: &str) {
        Arc::make_mut(&mut self.objects).retain(|object| !is_named(object, of));
    }

    /// How a `get` fails, where that is said.
    fn failure(&self, get: &Get) -> Option<&Failure> {
        let kind = format!("{} {}", get.api_version, get.kind);
        self.failures.iter().find(|failure| failure.get == kind)
    }

    /// The object as a `get` without masks returns it.
    fn find(&self, get: &Get) -> Result<&Value, LookupError> {
        if let Some(failure) = self.failure(get) {
            let detail = failure.text.lines().next().unwrap_or_default().to_owned();
            return Err(LookupError { cause: failure.cause, detail });
        }
        let namespace = get.namespace.as_deref().unwrap_or_default();
        let wanted = Some((get.api_version.as_str(), get.kind.as_str(), namespace, get.name.as_str()));
        if let Some(object) = self.objects.iter().find(|object| identity(object) == wanted) {
            return Ok(object);
        }
        let mut versions = self.objects.iter().filter_map(identity).filter(|(_, kind, ..)| *kind == get.kind);
        let served = versions.clone().any(|(api_version, ..)| api_version == get.api_version);
        let not_served = !served && versions.next().is_some();
        Err(if not_served {
            let detail = format!("Cannot find resource {}/{}", get.api_version, get.kind);
            LookupError { cause: LookupCause::NotServed, detail }
        } else {
            let (api_version, kind, name) = (&get.api_version, &get.kind, &get.name);
            let namespace = &get.namespace;
            let detail = format!("Cannot find {api_version}/{kind} named '{name}' inside of namespace '{namespace:?}'");
            LookupError { cause: LookupCause::NotFound, detail }
        })
    }
}

impl Failure {
    /// The failure as Kubewarden's callback tells it.
    #[cfg(feature = "host")]
    fn said(&self) -> String {
        match self.cause {
            LookupCause::Forbidden => api_error(&self.text, "Forbidden", 403),
            LookupCause::NotGranted | LookupCause::NoCapability => {
                format!("{}. The violation has been reported.", self.text)
            }
            _ => self.text.clone(),
        }
    }
}

/// What kube makes of the answer of an API server that is no object.
///
/// Source: kube-client, `Error::Api`; kube-core, `Status`.
#[must_use]
pub fn api_error(message: &str, reason: &str, code: u16) -> String {
    format!(
        "ApiError: {message}: {reason} (Status {{ status: Some(Failure), code: {code}, message: {message:?}, reason: {reason:?} }})"
    )
}

/// What answers `kubernetes/get_resource`.
pub trait Host: Send + Sync {
    /// Answers a payload as the callback of Kubewarden's host does.
    ///
    /// # Errors
    /// With the callback's text, when there is no answer.
    fn get_resource(&self, payload: &[u8]) -> Result<Vec<u8>, String>;
}

/// Payload of `kubernetes/get_resource`; tests/module.rs holds what the module sends to the SDK's own type.
#[cfg(feature = "host")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GetResource {
    api_version: String,
    kind: String,
    name: String,
    namespace: Option<String>,
    disable_cache: bool,
    field_masks: Option<Vec<String>>,
}

#[cfg(feature = "host")]
impl Host for ApiServer {
    fn get_resource(&self, payload: &[u8]) -> Result<Vec<u8>, String> {
        let request: GetResource = serde_json::from_slice(payload).map_err(|error| error.to_string())?;
        let get = Get {
            api_version: request.api_version,
            kind: request.kind,
            namespace: request.namespace,
            name: request.name,
            masks: &[],
            fresh: request.disable_cache,
        };
        let object = self.find(&get).map_err(|error| self.failure(&get).map_or(error.detail, Failure::said))?;
        Ok(masked(object, &request.field_masks.unwrap_or_default()).to_string().into_bytes())
    }
}

impl Cluster for ApiServer {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let masks: Vec<String> = get.masks.iter().map(|mask| (*mask).to_owned()).collect();
        self.find(get).map(|object| masked(object, &masks).to_string())
    }
}

fn is_named(object: &Value, of: &str) -> bool {
    identity(object).is_some_and(|(_, kind, _, name)| of.split_once(' ') == Some((kind, name)))
}

fn identity(object: &Value) -> Option<(&str, &str, &str, &str)> {
    let metadata = &object["metadata"];
    Some((
        object["apiVersion"].as_str()?,
        object["kind"].as_str()?,
        metadata["namespace"].as_str().unwrap_or_default(),
        metadata["name"].as_str()?,
    ))
}

/// The object with the masked fields only; apiVersion, kind and metadata always stay, no masks keep everything.
#[must_use]
pub fn masked(object: &Value, masks: &[String]) -> Value {
    let Some(fields) = object.as_object().filter(|_| !masks.is_empty()) else { return object.clone() };
    let paths: Vec<Vec<&str>> = masks.iter().map(|mask| mask.split('.').collect()).collect();
    let paths: Vec<&[&str]> = paths.iter().map(Vec::as_slice).collect();
    let mut kept = pruned(fields, &paths);
    for name in ["apiVersion", "kind", "metadata"] {
        if let Some(value) = fields.get(name) {
            kept.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(kept)
}

fn pruned(fields: &Map<String, Value>, paths: &[&[&str]]) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in fields {
        let below: Vec<&[&str]> = paths
            .iter()
            .filter_map(|path| path.split_first().filter(|(first, _)| *first == name).map(|(_, rest)| rest))
            .collect();
        if !below.is_empty() {
            kept.insert(name.clone(), prune(value, &below));
        }
    }
    kept
}

fn prune(value: &Value, paths: &[&[&str]]) -> Value {
    if paths.iter().any(|path| path.is_empty()) {
        return value.clone();
    }
    match value {
        Value::Object(fields) => Value::Object(pruned(fields, paths)),
        Value::Array(elements) => json!(elements.iter().map(|element| prune(element, paths)).collect::<Vec<_>>()),
        other => other.clone(),
    }
}
