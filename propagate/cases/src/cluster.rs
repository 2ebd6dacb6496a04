//! An API server behind Kubewarden's host: objects by version, field masks, and failures in the host's own words.

use std::collections::BTreeMap;
use std::sync::Arc;

pub use fleet::masked;
use metadata_propagation::{Cluster, Get, LookupCause, LookupError};
use serde::Deserialize;
use serde_json::Value;

use crate::fault::CaseFault;

/// Objects that can be asked for, what the host's cache still has of them, and questions that fail.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ApiServer {
    objects: Arc<Vec<Value>>,
    /// Copies of another time: a cached read finds them first. What was not found is not in the host's cache.
    cache: Arc<Vec<Value>>,
    failures: Arc<Vec<QuestionFailure>>,
}

/// A question that fails.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionFailure {
    /// `apiVersion kind`, of all objects, or with the name of one.
    pub get: String,
    /// The reads that fail; both where it is absent.
    #[serde(default)]
    pub only: Option<ReadMode>,
    /// The cause that the engine gets.
    pub cause: LookupCause,
    /// What the API server, or else the host, says. The policy shows its first line.
    pub text: String,
}

/// How an object is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadMode {
    /// From the host's cache.
    Cached,
    /// Past it, with `disable_cache`.
    Fresh,
}

impl ReadMode {
    fn of(get: &Get) -> ReadMode {
        if get.fresh { ReadMode::Fresh } else { ReadMode::Cached }
    }
}

impl ApiServer {
    /// # Errors
    /// When an object has no apiVersion, kind or name, or two have the same.
    pub fn new(objects: Vec<Value>, failures: Vec<QuestionFailure>) -> Result<ApiServer, CaseFault> {
        let mut known = BTreeMap::new();
        for (number, object) in objects.iter().enumerate() {
            let at = format!("cluster[{number}]");
            let Some(id) = identity(object) else {
                return Err(CaseFault::of(at, "`apiVersion`, `kind` or `metadata.name` is missing"));
            };
            if let Some(first) = known.insert(id, number) {
                return Err(CaseFault::of(at, format!("is the same object as `cluster[{first}]`")));
            }
        }
        Ok(ApiServer { objects: Arc::new(objects), cache: Arc::default(), failures: Arc::new(failures) })
    }

    /// Changes an object and leaves the host's cache as it is: `change` is merged onto it (RFC 7386), null deletes it.
    /// `of` is its `Kind name`.
    ///
    /// # Errors
    /// When there is no such object, or the change makes another one of it or none.
    pub fn change(&mut self, of: &str, change: &Value) -> Result<(), CaseFault> {
        let before = self.named(of).cloned();
        let mut after = before.clone().unwrap_or_default();
        json_patch::merge(&mut after, change);
        if change.is_null() {
            if before.is_none() {
                return Err(CaseFault::new(format!("there is no {of} in `cluster`")));
            }
            self.remove(of);
        } else {
            if !is_named(&after, of) {
                return Err(CaseFault::new(format!("the changed object is not a {of}: {after}")));
            }
            if before.as_ref() == Some(&after) {
                return Err(CaseFault::new("nothing changes"));
            }
            put(&mut self.objects, after);
        }
        Arc::make_mut(&mut self.cache).extend(before);
        Ok(())
    }

    /// The same cluster, of which cached reads find what was in another.
    pub fn cached_as(&self, earlier: &ApiServer) -> ApiServer {
        ApiServer { cache: Arc::clone(&earlier.objects), ..self.clone() }
    }

    /// Adds an object, or replaces the one of the same kind and name, for every read.
    pub fn store(&mut self, object: Value) {
        Arc::make_mut(&mut self.cache).retain(|known| identity(known) != identity(&object));
        put(&mut self.objects, object);
    }

    /// Whether every read finds what is stored: nothing fails, and no cache is behind.
    pub fn is_always_in_reach(&self) -> bool {
        self.cache.is_empty() && self.failures.is_empty()
    }

    /// All objects, in the order in which they came.
    pub fn objects(&self) -> &[Value] {
        &self.objects
    }

    /// The object that `Kind name` names, in any version and namespace.
    pub fn named(&self, of: &str) -> Option<&Value> {
        self.objects.iter().find(|object| is_named(object, of))
    }

    /// Deletes the object that `Kind name` names.
    pub fn remove(&mut self, of: &str) {
        Arc::make_mut(&mut self.objects).retain(|object| !is_named(object, of));
    }

    /// How a `get` fails, if the case states it.
    pub fn failure(&self, get: &Get) -> Option<&QuestionFailure> {
        let kind = format!("{} {}", get.api_version, get.kind);
        let read = ReadMode::of(get);
        let named = get.to_string();
        let is_of = |failure: &QuestionFailure| failure.get == kind || failure.get == named;
        self.failures.iter().find(|failure| is_of(failure) && failure.only.is_none_or(|only| only == read))
    }

    /// The object as a `get` without masks returns it.
    ///
    /// # Errors
    /// When the `get` fails, or there is no such object.
    pub fn find(&self, get: &Get) -> Result<&Value, LookupError> {
        if let Some(failure) = self.failure(get) {
            let detail = failure.text.lines().next().unwrap_or_default().to_owned();
            return Err(LookupError { cause: failure.cause, detail });
        }
        let namespace = get.namespace.as_deref().unwrap_or_default();
        let wanted = Some((get.api_version.as_str(), get.kind.as_str(), namespace, get.name.as_str()));
        let cache = self.cache.iter().filter(|_| !get.fresh);
        if let Some(object) = cache.chain(&*self.objects).find(|object| identity(object) == wanted) {
            return Ok(object);
        }
        let known = self.cache.iter().chain(&*self.objects);
        let mut versions = known.filter_map(identity).filter(|(_, kind, ..)| *kind == get.kind);
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

impl Cluster for ApiServer {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        self.find(get).map(|object| masked(object, &get.masks).to_string())
    }
}

fn put(objects: &mut Arc<Vec<Value>>, object: Value) {
    let objects = Arc::make_mut(objects);
    objects.retain(|known| identity(known) != identity(&object));
    objects.push(object);
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

#[cfg(test)]
mod tests {
    use metadata_propagation::Masks;
    use serde_json::json;

    use super::*;

    fn get(name: &str, fresh: bool) -> Get {
        Get {
            api_version: "cluster.x-k8s.io/v1beta2".to_owned(),
            kind: "MachineSet".to_owned(),
            namespace: None,
            name: name.to_owned(),
            masks: Masks::NONE,
            fresh,
        }
    }

    fn machine_set(name: &str, team: &str) -> Value {
        json!({
            "apiVersion": "cluster.x-k8s.io/v1beta2",
            "kind": "MachineSet",
            "metadata": { "name": name, "labels": { "team": team } },
        })
    }

    /// The team of an object, or why it cannot be read, by a cached and by a fresh read.
    fn teams(server: &ApiServer, name: &str) -> [Result<String, LookupCause>; 2] {
        [false, true].map(|fresh| match server.find(&get(name, fresh)) {
            Ok(object) => Ok(object["metadata"]["labels"]["team"].to_string()),
            Err(error) => Err(error.cause),
        })
    }

    fn server(failures: Vec<QuestionFailure>) -> ApiServer {
        ApiServer::new(vec![machine_set("a", "red"), machine_set("b", "red")], failures).unwrap()
    }

    #[test]
    fn a_cached_read_finds_what_stood_before_a_change() {
        let mut server = server(Vec::new());
        server.change("MachineSet a", &json!({ "metadata": { "labels": { "team": "blue" } } })).unwrap();
        assert_eq!(teams(&server, "a"), [Ok("\"red\"".to_owned()), Ok("\"blue\"".to_owned())]);
        assert_eq!(teams(&server, "b"), [Ok("\"red\"".to_owned()), Ok("\"red\"".to_owned())]);
        server.store(machine_set("a", "green"));
        assert_eq!(teams(&server, "a"), [Ok("\"green\"".to_owned()), Ok("\"green\"".to_owned())]);
    }

    #[test]
    fn a_cached_read_finds_what_was_deleted() {
        let mut server = server(Vec::new());
        server.change("MachineSet a", &Value::Null).unwrap();
        assert_eq!(teams(&server, "a"), [Ok("\"red\"".to_owned()), Err(LookupCause::NotFound)]);
        assert!(server.change("MachineSet a", &Value::Null).is_err());
    }

    #[test]
    fn what_was_not_found_before_is_found_by_every_read() {
        let mut server = server(Vec::new());
        server.change("MachineSet c", &machine_set("c", "blue")).unwrap();
        assert_eq!(teams(&server, "c"), [Ok("\"blue\"".to_owned()), Ok("\"blue\"".to_owned())]);
        assert!(server.change("MachineSet d", &json!({})).is_err());
        assert!(server.change("MachineSet c", &json!({})).is_err());
    }

    #[test]
    fn a_failure_can_be_one_of_cached_or_of_fresh_reads_only() {
        let failure = |only: Option<ReadMode>| QuestionFailure {
            get: "cluster.x-k8s.io/v1beta2 MachineSet".to_owned(),
            only,
            cause: LookupCause::Forbidden,
            text: "no".to_owned(),
        };
        let (red, forbidden) = (Ok("\"red\"".to_owned()), Err(LookupCause::Forbidden));
        for (only, wanted) in [
            (None, [forbidden.clone(), forbidden.clone()]),
            (Some(ReadMode::Cached), [forbidden.clone(), red.clone()]),
            (Some(ReadMode::Fresh), [red, forbidden]),
        ] {
            assert_eq!(teams(&server(vec![failure(only)]), "a"), wanted, "{only:?}");
        }
    }
}
