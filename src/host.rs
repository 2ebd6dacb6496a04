//! The cluster and the log, as Kubewarden's host offers them.

use metadata_propagation::{Cluster, Get, LogLine, LookupCause, LookupError};
use serde::Serialize;
use wapc_guest::host_call;

/// The cluster behind the host capability `kubernetes/get_resource`.
pub(crate) struct HostCluster;

impl Cluster for HostCluster {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let request = GetResource {
            api_version: &get.api_version,
            kind: &get.kind,
            name: &get.name,
            namespace: get.namespace.as_deref(),
            disable_cache: get.fresh,
            field_masks: get.masks,
        };
        let payload = serde_json::to_vec(&request).map_err(|error| unreadable(error.to_string()))?;
        let answer = host_call("kubewarden", "kubernetes", "get_resource", &payload);
        let object = answer.map_err(|error| failure(&error.to_string()))?;
        String::from_utf8(object).map_err(|error| unreadable(error.to_string()))
    }
}

/// Payload of `kubernetes/get_resource`.
#[derive(Serialize)]
struct GetResource<'a> {
    api_version: &'a str,
    kind: &'a str,
    name: &'a str,
    namespace: Option<&'a str>,
    disable_cache: bool,
    field_masks: &'a [&'static str],
}

fn unreadable(detail: String) -> LookupError {
    LookupError { cause: LookupCause::Unreadable, detail }
}

/// Texts by which the host's failures are told apart, in the order in which they are tried: the host hands errors on as
/// text only.
///
/// Source: Kubewarden, crates/policy-evaluator/src: callback_handler/kubernetes/client.rs, runtimes/callback.rs; kube
/// for the API server's own answers.
const FAILURES: &[(&str, LookupCause)] = &[
    ("has not been granted access to the 'kubernetes/get_resource' host capability", LookupCause::NoCapability),
    ("has not been granted access to Kubernetes", LookupCause::NotGranted),
    ("named '", LookupCause::NotFound),
    ("error finding resource", LookupCause::NotServed),
    ("Cannot find resource", LookupCause::NotServed),
    ("is forbidden", LookupCause::Forbidden),
    ("Forbidden", LookupCause::Forbidden),
];

/// The cause of a failure, and the first line of its text: what follows may be the host's stack trace.
fn failure(text: &str) -> LookupError {
    let text = text.split("Stack backtrace:").next().unwrap_or(text);
    let cause =
        FAILURES.iter().find(|(part, _)| text.contains(part)).map_or(LookupCause::Unavailable, |(_, cause)| *cause);
    let line = text.lines().next().unwrap_or_default();
    let detail = line.rsplit_once("Host error: ").map_or(line, |(_, said)| said);
    LookupError { cause, detail: detail.trim().to_owned() }
}

/// Hands a line to the host's log. A log that is not to be had is no reason to fail.
pub(crate) fn log(line: &LogLine) {
    if let Ok(message) = serde_json::to_vec(line) {
        let _ = host_call("kubewarden", "tracing", "log", &message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_text_has_its_cause() {
        for (said, cause) in [
            (
                "Cannot find cluster.x-k8s.io/v1beta2/MachineSet named 'a' inside of namespace 'b'",
                LookupCause::NotFound,
            ),
            ("error finding resource cluster.x-k8s.io/v1beta2 / MachineSet: ApiError", LookupCause::NotServed),
            ("Cannot find resource cluster.x-k8s.io/v1beta2/MachineSet", LookupCause::NotServed),
            (
                "ApiError: machinesets.cluster.x-k8s.io \"a\" is forbidden: User \"u\" cannot get resource: Forbidden (ErrorResponse)",
                LookupCause::Forbidden,
            ),
            (
                "Policy has not been granted access to Kubernetes cluster.x-k8s.io/v1beta2/MachineSet resources",
                LookupCause::NotGranted,
            ),
            (
                "Policy 'p' has not been granted access to the 'kubernetes/get_resource' host capability",
                LookupCause::NoCapability,
            ),
            ("kube::Client was not initialized properly", LookupCause::Unavailable),
            ("Error sending request over callback channel", LookupCause::Unavailable),
            ("the list of recorded responses is empty", LookupCause::Unavailable),
        ] {
            let text = format!("Host error: {said}\n\nStack backtrace:\n   0: a");
            assert_eq!(failure(&text), LookupError { cause, detail: said.to_owned() });
        }
    }
}
