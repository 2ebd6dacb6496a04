//! What was read from the cluster.

use serde::Serialize;

/// One read, and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LookupRecord {
    /// Version, kind, namespace and name.
    pub get: String,
    /// `found`, or why there is no answer, or why it was not sent.
    pub result: String,
    /// Whether the read bypassed the host's cache.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
}
