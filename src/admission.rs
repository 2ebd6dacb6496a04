//! Bytes of the host ⇄ review, settings and outcome of the engine. Never fails as a guest call: whatever comes in, a
//! structured answer goes out.

use kubewarden_policy_sdk::settings::SettingsValidationResponse;
use kubewarden_policy_sdk::wapc_guest::CallResult;
use metadata_propagation::{Outcome, Rejection, Settings, evaluate_payload};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::host::{HostCluster, log};

/// Answers one admission request.
pub(crate) fn validate(payload: &[u8]) -> CallResult {
    let outcome = evaluate_payload(payload, &HostCluster);
    for line in &outcome.log {
        log(line);
    }
    Ok(answer(outcome).or_else(|message| answer(refusal(message)))?)
}

/// Tells whether settings can be used; all problems in one message.
pub(crate) fn validate_settings(payload: &[u8]) -> CallResult {
    let judged = match str::from_utf8(payload) {
        Ok(text) => Settings::validate(text).map_err(|error| error.to_string()),
        Err(_) => Err("settings: not UTF-8".to_owned()),
    };
    Ok(serde_json::to_vec(&SettingsValidationResponse { valid: judged.is_ok(), message: judged.err() })?)
}

/// Kubewarden's validation response, with the object as text: the SDK's own has it as a tree, which loses bytes.
#[derive(Serialize)]
struct Response<'a> {
    accepted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mutated_object: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_annotations: Option<AuditAnnotations>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

fn refusal(message: String) -> Outcome {
    Outcome { rejection: Some(Rejection::unreadable(message)), ..Outcome::default() }
}

#[derive(Serialize)]
struct AuditAnnotations {
    report: String,
}

fn answer(outcome: Outcome) -> Result<Vec<u8>, String> {
    let report = outcome.report.as_ref().map(serde_json::to_string).transpose();
    let report = report.map_err(|error| format!("cannot write the report: {error}"))?;
    let rejection = outcome.rejection.as_ref();
    let response = Response {
        accepted: rejection.is_none(),
        message: rejection.map(|rejection| rejection.message.as_str()),
        code: rejection.map(|rejection| rejection.code),
        mutated_object: outcome.object.as_deref().filter(|_| rejection.is_none()),
        audit_annotations: report.map(|report| AuditAnnotations { report }),
        warnings: &outcome.warnings,
    };
    serde_json::to_vec(&response).map_err(|error| format!("cannot write the answer: {error}"))
}
