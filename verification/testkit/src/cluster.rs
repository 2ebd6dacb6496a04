//! An API server as Kubewarden's host answers for it: payloads, and failures in the host's own words.

pub use cases::cluster::*;
#[cfg(feature = "host")]
use metadata_propagation::{Get, LookupCause};
#[cfg(feature = "host")]
use serde::Deserialize;

/// The failure in the words of Kubewarden's callback.
#[cfg(feature = "host")]
fn message(failure: &QuestionFailure) -> String {
    match failure.cause {
        LookupCause::Forbidden => api_error(&failure.text, "Forbidden", 403),
        LookupCause::NotGranted | LookupCause::NoCapability => {
            format!("{}. The violation has been reported.", failure.text)
        }
        _ => failure.text.clone(),
    }
}

/// kube's error for an API server's answer that is not an object.
///
/// Source: kube-client, `Error::Api`; kube-core, `Status`.
pub fn api_error(message: &str, reason: &str, code: u16) -> String {
    format!(
        "ApiError: {message}: {reason} (Status {{ status: Some(Failure), code: {code}, message: {message:?}, reason: {reason:?} }})"
    )
}

/// A host that answers `kubernetes/get_resource`.
pub trait ResourceHost: Send + Sync {
    /// Answers a payload as the callback of Kubewarden's host does.
    fn get_resource(&self, payload: &[u8]) -> Result<Vec<u8>, String>;
}

/// Payload of `kubernetes/get_resource`; tests/module.rs compares the module's payload with the SDK's own type.
#[cfg(feature = "host")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResourceQuery {
    api_version: String,
    kind: String,
    name: String,
    namespace: Option<String>,
    disable_cache: bool,
    field_masks: Option<Vec<String>>,
}

#[cfg(feature = "host")]
impl ResourceHost for ApiServer {
    fn get_resource(&self, payload: &[u8]) -> Result<Vec<u8>, String> {
        let request: ResourceQuery = serde_json::from_slice(payload).map_err(|error| error.to_string())?;
        let get = Get {
            api_version: request.api_version,
            kind: request.kind,
            namespace: request.namespace,
            name: request.name,
            masks: metadata_propagation::Masks::NONE,
            fresh: request.disable_cache,
        };
        let object = self.find(&get).map_err(|error| self.failure(&get).map_or(error.detail, message))?;
        Ok(masked(object, &request.field_masks.unwrap_or_default()).to_string().into_bytes())
    }
}
