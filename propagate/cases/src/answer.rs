//! What an entry point answers to one request.

use serde::Serialize;
use serde_json::Value;

/// Everything that an entry point answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    /// Whether the request is admitted.
    pub accepted: bool,
    /// HTTP status of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// Reason of a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// RFC 6902: from the request's object to the mutated one.
    pub patch: Vec<Value>,
    /// Warnings, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The audit annotation `report`, parsed; null where there is none.
    pub report: Value,
    /// Log lines, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<Value>,
}
