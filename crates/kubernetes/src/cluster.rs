//! How the engine reads objects other than the one under review.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::names;
use crate::object::group_and_version;
use crate::query::Masks;

/// Where the engine reads objects other than the one under review.
///
/// The implementation is responsible for caching, timeouts and permissions.
pub trait Cluster {
    /// The object as JSON text.
    ///
    /// # Errors
    /// When there is no such object, or when the cluster could not be asked.
    fn get(&self, get: &Get) -> Result<String, LookupError>;

    /// Whether the same question always has the same answer: then no answer is asked for again, past the cache.
    fn is_fixed(&self) -> bool {
        false
    }
}

/// One question to the cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Get {
    /// Group and version, such as `cluster.x-k8s.io/v1beta2`.
    pub api_version: String,
    /// Such as `MachineSet`.
    pub kind: String,
    /// `None` for cluster-scoped kinds.
    pub namespace: Option<String>,
    pub name: String,
    /// Dotted paths of the fields that are needed; apiVersion, kind and metadata are always returned.
    pub masks: Masks,
    /// Bypass any cache.
    pub fresh: bool,
}

impl fmt::Display for Get {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.api_version, self.kind)?;
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupError {
    pub cause: LookupCause,
    /// The message of the host or the API server, one line.
    pub detail: String,
}

names! {
    /// The kinds of failure.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    LookupCause {
        /// There is no such object.
        NotFound = "not found";
        /// The API server does not serve the kind in this version.
        NotServed = "not served by the API server in this version";
        /// The policy was not granted the kind in this version.
        NotGranted = "not listed in the policy's `contextAwareResources`";
        /// The policy was not granted the capability to read at all.
        NoCapability = "capability `kubernetes/get_resource` is not granted";
        /// The PolicyServer's account may not read the kind.
        Forbidden = "forbidden for the PolicyServer's ServiceAccount";
        /// The host has no connection, is overloaded, or failed for another reason.
        Unavailable = "the Kubernetes API could not be queried";
        /// The answer was not a readable object.
        Unreadable = "not of the expected shape";
        /// No request was sent: the evaluation has already used all its reads.
        TooManyReads = "too many reads";
    }
}

/// Objects in memory, such as a directory of manifests: a cluster that always answers.
#[derive(Debug, Clone, Default)]
pub struct Manifests {
    objects: BTreeMap<(String, String, String, String), String>,
}

impl Manifests {
    /// Adds or replaces an object. `api_version` is the version it is served in.
    pub fn insert(&mut self, api_version: &str, kind: &str, namespace: &str, name: &str, object: String) {
        let key = [api_version, kind, namespace, name].map(str::to_owned);
        let [api_version, kind, namespace, name] = key;
        self.objects.insert((api_version, kind, namespace, name), object);
    }
}

impl Cluster for Manifests {
    /// An object is found in the version it was added in; its kind is served in the versions that were added.
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let namespace = get.namespace.clone().unwrap_or_default();
        let key = (get.api_version.clone(), get.kind.clone(), namespace, get.name.clone());
        if let Some(object) = self.objects.get(&key) {
            return Ok(object.clone());
        }
        let mut versions = self.objects.keys().filter(|(api_version, kind, ..)| {
            *kind == get.kind && group_and_version(api_version).0 == group_and_version(&get.api_version).0
        });
        let served = versions.clone().any(|(api_version, ..)| *api_version == get.api_version);
        let cause = if served || versions.next().is_none() { LookupCause::NotFound } else { LookupCause::NotServed };
        Err(LookupError { cause, detail: get.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_served_in_the_versions_that_were_added() {
        let mut cluster = Manifests::default();
        cluster.insert("g/v1", "A", "n", "a", "{}".into());
        cluster.insert("g/v2", "B", "n", "b", "{}".into());
        let cause = |api_version: &str, kind: &str, name: &str| {
            let [api_version, kind, name] = [api_version, kind, name].map(str::to_owned);
            let namespace = Some("n".to_owned());
            let get = Get { api_version, kind, namespace, name, masks: Masks::NONE, fresh: false };
            cluster.get(&get).map_err(|error| error.cause)
        };
        assert_eq!(cause("g/v1", "A", "a"), Ok("{}".to_owned()));
        assert_eq!(cause("g/v1", "A", "b"), Err(LookupCause::NotFound));
        assert_eq!(cause("g/v2", "A", "a"), Err(LookupCause::NotServed));
        assert_eq!(cause("g/v1", "B", "a"), Err(LookupCause::NotServed));
        assert_eq!(cause("other/v2", "A", "a"), Err(LookupCause::NotFound));
        assert_eq!(cause("other/v2", "C", "a"), Err(LookupCause::NotFound));
    }
}
