//! AdmissionReviews: bytes in, bytes out, as Kubewarden's PolicyServer does it.
//!
//! Source: Kubewarden, crates/policy-evaluator/src/admission_response.rs.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::journal::{JournalEntry, RequestParts};
use crate::policy::ReviewHandler;

#[derive(Deserialize)]
struct AdmissionReview<'a> {
    #[serde(borrow)]
    request: &'a RawValue,
}

/// The AdmissionReview that answers `body`, and its journal entry.
pub(crate) fn answer(policy: &ReviewHandler, body: &[u8]) -> Result<(Vec<u8>, JournalEntry)> {
    let review: AdmissionReview<'_> = serde_json::from_slice(body).context("no AdmissionReview")?;
    let text = review.request.get();
    let begin = Instant::now();
    let verdict = policy.validate(text)?;
    let microseconds = begin.elapsed().as_micros();

    let request: RequestParts = serde_json::from_str(text)?;
    let response = &verdict.response;
    let accepted = response["accepted"].as_bool().context("no `accepted` in the response")?;
    let patch = match response.get("mutated_object").filter(|_| accepted) {
        Some(mutated) => patch(text, mutated)?,
        None => Vec::new(),
    };
    let mut answered = json!({ "uid": request.uid, "allowed": accepted });
    if !patch.is_empty() {
        answered["patchType"] = json!("JSONPatch");
        answered["patch"] = json!(BASE64_STANDARD.encode(serde_json::to_vec(&patch)?));
    }
    for (from, to) in [("warnings", "warnings"), ("audit_annotations", "auditAnnotations")] {
        if let Some(value) = response.get(from).filter(|value| !value.is_null()) {
            answered[to] = value.clone();
        }
    }
    if !accepted {
        answered["status"] = json!({ "message": response["message"], "code": response["code"] });
    }
    let review = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": answered });
    let entry = JournalEntry::new(request, microseconds, verdict, patch);
    Ok((serde_json::to_vec(&review)?, entry))
}

/// The operations that change the request's object into the mutated one.
fn patch(request: &str, mutated: &Value) -> Result<Vec<Value>> {
    let request: Value = serde_json::from_str(request)?;
    match serde_json::to_value(json_patch::diff(&request["object"], mutated))? {
        Value::Array(operations) => Ok(operations),
        other => bail!("a patch is no list: {other}"),
    }
}
