//! What was asked of the cluster.

use serde::Serialize;

/// One question that was asked, and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LookupRecord {
    /// Version, kind, namespace and name.
    pub get: String,
    /// `found`, or why there is no answer, or why it was not asked.
    pub result: String,
    /// Whether the question went past the host's cache.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
}
