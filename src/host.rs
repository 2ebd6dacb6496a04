//! The cluster and the log, as Kubewarden's host offers them.

use std::fmt::Display;
use std::str::Utf8Error;

use kubewarden_policy_sdk::wapc_guest::host_call;
use metadata_propagation::{Cluster, Get, LogLine, LookupCause, LookupError, Masks, to_json, utf8};
use serde::Serialize;

/// The cluster behind the host capability `kubernetes/get_resource`.
pub(crate) struct HostCluster;

/// The SDK's `GetResourceRequest`, with borrowed strings.
#[derive(Serialize)]
struct GetResource<'a> {
    api_version: &'a str,
    kind: &'a str,
    name: &'a str,
    namespace: Option<&'a str>,
    disable_cache: bool,
    field_masks: Masks,
}

impl Cluster for HostCluster {
    fn get(&self, get: &Get) -> Result<String, LookupError> {
        let request = to_json(&GetResource {
            api_version: &get.api_version,
            kind: &get.kind,
            name: &get.name,
            namespace: get.namespace.as_deref(),
            disable_cache: get.fresh,
            field_masks: get.masks,
        });
        let request = request.map_err(|error| unreadable(&error))?;
        let object = host_call("kubewarden", "kubernetes", "get_resource", request.as_bytes());
        let object = object.map_err(|error| failure(&error.to_string()))?;
        text(object).map_err(|error| unreadable(&error))
    }
}

/// As [`String::from_utf8`], sixteen bytes at a time.
#[expect(
    unsafe_code,
    reason = "the standard library's own takes four times as long, and a copy touches as many pages again"
)]
fn text(bytes: Vec<u8>) -> Result<String, Utf8Error> {
    utf8(&bytes)?;
    // SAFETY: the bytes were validated as UTF-8.
    Ok(unsafe { String::from_utf8_unchecked(bytes) })
}

fn unreadable(error: &dyn Display) -> LookupError {
    LookupError { cause: LookupCause::Unreadable, detail: error.to_string() }
}

/// Texts that distinguish the host's failures, in the order in which they are tried: the host passes errors on as
/// text only.
///
/// Source: Kubewarden, crates/policy-evaluator/src: callback_handler/kubernetes/client.rs, runtimes/callback.rs; kube
/// for the API server's own answers.
const FAILURES: &[(&str, LookupCause)] = &[
    ("has not been granted access to the 'kubernetes/get_resource' host capability", LookupCause::NoCapability),
    ("has not been granted access to Kubernetes", LookupCause::NotGranted),
    ("named '", LookupCause::NotFound),
    ("Cannot find resource", LookupCause::NotServed),
    // The only 404 that reaches a policy is that of discovery; the 404 of a read becomes "named '" above.
    ("404 page not found", LookupCause::NotServed),
    ("code: 404", LookupCause::NotServed),
    ("is forbidden", LookupCause::Forbidden),
    ("Forbidden", LookupCause::Forbidden),
];

/// Prefixes of an error that the host passes on, outermost first: by waPC, by the host's own callback, by kube.
const PREFIXES: &[&str] = &["Host error: ", "Callback evaluation failure: ", "ApiError: "];

/// The suffix of the host's own refusals: it refers to the host's log.
const NOTICE: &str = ". The violation has been reported.";

/// The cause of a failure, and its message in one line: without the host's prefixes and suffix, and without the
/// answer's fields and any stack trace.
fn failure(text: &str) -> LookupError {
    let text = text.split("Stack backtrace:").next().unwrap_or(text);
    let cause =
        FAILURES.iter().find(|(part, _)| text.contains(part)).map_or(LookupCause::Unavailable, |(_, cause)| *cause);
    let line = text.lines().next().unwrap_or_default();
    let text = PREFIXES.iter().fold(line, |line, prefix| line.strip_prefix(prefix).unwrap_or(line));
    let text = text.strip_suffix(NOTICE).unwrap_or(text);
    LookupError { cause, detail: message(text).trim().to_owned() }
}

/// The message of an API server's answer, which kube writes as `MESSAGE: REASON (Status { … })`.
fn message(text: &str) -> &str {
    let Some((answer, _)) = text.split_once(" (Status {") else { return text };
    answer.rsplit_once(": ").map_or(answer, |(message, _)| message)
}

/// Writes a line to the host's log, bypassing the SDK's drain, which adds file, line and column of this code. Logging
/// failures are ignored.
pub(crate) fn log(line: &LogLine) {
    if let Ok(message) = to_json(line) {
        let _ = host_call("kubewarden", "tracing", "log", message.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The host's own errors have no prefix; errors of its callback have one.
    #[test]
    fn every_failure_text_has_its_cause() {
        for (text, cause) in [
            (
                "Cannot find cluster.x-k8s.io/v1beta2/MachineSet named 'a' inside of namespace 'Some(\"b\")'",
                LookupCause::NotFound,
            ),
            ("Cannot find resource cluster.x-k8s.io/v1beta2/MachineSet", LookupCause::NotServed),
            (
                "error finding resource cluster.x-k8s.io/v1beta2 / MachineSet: ServiceError: client error (Connect)",
                LookupCause::Unavailable,
            ),
            (
                "Policy has not been granted access to Kubernetes cluster.x-k8s.io/v1beta2/MachineSet resources",
                LookupCause::NotGranted,
            ),
            (
                "Policy has not been granted access to the 'kubernetes/get_resource' host capability",
                LookupCause::NoCapability,
            ),
            ("kube::Client was not initialized properly", LookupCause::Unavailable),
            ("Error sending request over callback channel: Full(..)", LookupCause::Unavailable),
            ("the list of recorded responses is empty", LookupCause::Unavailable),
        ] {
            let wanted = LookupError { cause, detail: text.to_owned() };
            for text in [
                format!("Host error: {text}"),
                format!("Host error: {text}{NOTICE}"),
                format!("Host error: {text}\n\nStack backtrace:\n   0: a"),
                format!("Host error: Callback evaluation failure: {text}\n\nStack backtrace:\n   0: a"),
            ] {
                assert_eq!(failure(&text), wanted, "{text}");
            }
        }
    }

    /// kube's error as anyhow prints it; kube's own text is `ApiError: {status} ({status:?})`.
    fn answered(context: &str, message: &str, reason: &str, code: u16) -> String {
        let status = kube_core::Status::failure(message, reason).with_code(code);
        format!(
            "Host error: Callback evaluation failure: {context}ApiError: {status} ({status:?})\n\nCaused by:\n    {status}"
        )
    }

    #[test]
    fn the_api_servers_message_is_reported_without_what_the_host_adds() {
        let text = "machinesets.cluster.x-k8s.io \"a\" is forbidden: User \"u\" cannot get resource \"machinesets\" in API group \"cluster.x-k8s.io\" in the namespace \"fleet\"";
        let forbidden = LookupError { cause: LookupCause::Forbidden, detail: text.to_owned() };
        assert_eq!(failure(&answered("", text, "Forbidden", 403)), forbidden);
        let text = "etcdserver: request timed out";
        let unavailable = LookupError { cause: LookupCause::Unavailable, detail: text.to_owned() };
        assert_eq!(failure(&answered("", text, "InternalError", 500)), unavailable);
    }

    #[test]
    fn a_discovery_that_is_refused_does_not_mean_that_the_kind_is_not_served() {
        let context = "error finding resource cluster.x-k8s.io/v1beta1 / MachineSet: ";
        for (text, reason, code, cause) in [
            ("404 page not found\n", "Failed to parse error data", 404, LookupCause::NotServed),
            ("the server could not find the requested resource", "NotFound", 404, LookupCause::NotServed),
            ("forbidden: User \"u\" cannot get path \"/apis\"", "Forbidden", 403, LookupCause::Forbidden),
            ("service unavailable", "ServiceUnavailable", 503, LookupCause::Unavailable),
        ] {
            let detail = format!("{context}ApiError: {}", text.trim_end());
            assert_eq!(failure(&answered(context, text, reason, code)), LookupError { cause, detail });
        }
    }
}
