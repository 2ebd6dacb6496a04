//! Converts the host's bytes to the engine's review and settings, and its outcome back. The guest call never fails:
//! every input gets a structured answer.

use kubewarden_policy_sdk::settings::SettingsValidationResponse;
use kubewarden_policy_sdk::wapc_guest::CallResult;
use metadata_propagation::{
    Embedded, NotWritten, Outcome, Quoted, Rejection, Report, Settings, evaluate_payload, to_json,
};
use serde::Serialize;

use crate::host::{HostCluster, log};

/// The size limit of a request: 16 MiB. An API server accepts objects of up to 3 MiB; a request contains two, and
/// their managed fields. A larger one is refused while there is memory left for the answer: a guest that runs out of
/// memory can only trap.
const LARGEST_REQUEST: usize = 16 << 20;

/// Answers one admission request.
pub(crate) fn validate(payload: &[u8]) -> CallResult {
    if payload.len() > LARGEST_REQUEST {
        let bytes = payload.len();
        let message =
            format!("cannot read the request: it has {bytes} bytes; the policy reads at most {LARGEST_REQUEST}");
        return Ok(answer(&refusal(message))?);
    }
    let outcome = evaluate_payload(payload, &HostCluster);
    for line in &outcome.log {
        log(line);
    }
    Ok(answer(&outcome).or_else(|error| answer(&refusal(format!("cannot write the answer: {error}"))))?)
}

/// Reports whether settings are valid; all problems are in one message. What may be a mistake is logged.
pub(crate) fn validate_settings(payload: &[u8]) -> CallResult {
    let judged = match str::from_utf8(payload) {
        Ok(text) => Settings::validate(text)
            .and_then(|()| Settings::from_json(text))
            .map(|settings| settings.warnings().iter().for_each(log))
            .map_err(|error| error.to_string()),
        Err(_) => Err("settings: not UTF-8".to_owned()),
    };
    Ok(serde_json::to_vec(&SettingsValidationResponse { valid: judged.is_ok(), message: judged.err() })?)
}

/// Kubewarden's validation response, with the object as text: the SDK's own type has it as a tree, which loses bytes.
#[derive(Serialize)]
struct Response<'a> {
    accepted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mutated_object: Option<Embedded<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_annotations: Option<AuditAnnotations<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

fn refusal(message: String) -> Outcome {
    Outcome { rejection: Some(Rejection::unreadable(message)), ..Outcome::default() }
}

#[derive(Serialize)]
struct AuditAnnotations<'a> {
    report: Quoted<&'a Report>,
}

fn answer(outcome: &Outcome) -> Result<Vec<u8>, NotWritten> {
    let rejection = outcome.rejection.as_ref();
    let response = Response {
        accepted: rejection.is_none(),
        message: rejection.map(|rejection| rejection.message.as_str()),
        code: rejection.map(|rejection| rejection.code),
        mutated_object: outcome.object.as_deref().filter(|_| rejection.is_none()).map(Embedded),
        audit_annotations: outcome.report.as_ref().map(|report| AuditAnnotations { report: Quoted(report) }),
        warnings: &outcome.warnings,
    };
    to_json(&response).map(String::into_bytes)
}
