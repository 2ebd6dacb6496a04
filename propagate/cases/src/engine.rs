//! The engine behind the types of a case: request, settings and cluster in, answer out.

use metadata_propagation::{Review, Settings, evaluate};
use serde_json::Value;

use crate::answer::Answer;
use crate::cluster::ApiServer;
use crate::fault::CaseFault;
use crate::patch::{patch, patched};

/// What the engine answers to an AdmissionRequest.
pub fn engine(request: &Value, settings: &Value, cluster: &ApiServer) -> Result<Answer, CaseFault> {
    answer(request, true, settings, cluster)
}

/// Like [`engine`], for a review that is made from files, in which fields have no owners.
pub fn engine_of_files(request: &Value, settings: &Value, cluster: &ApiServer) -> Result<Answer, CaseFault> {
    answer(request, false, settings, cluster)
}

fn answer(request: &Value, is_of_api_server: bool, settings: &Value, cluster: &ApiServer) -> Result<Answer, CaseFault> {
    let text = request.to_string();
    let review = Review::from_json(&text).map_err(|malformed| CaseFault::of("review", malformed))?;
    let review = Review { is_of_api_server, ..review };
    let settings =
        Settings::from_json(&settings.to_string()).map_err(|problems| CaseFault::of("settings", problems))?;
    let outcome = evaluate(&review, &settings, cluster);
    let patch = match &outcome.object {
        Some(object) => {
            let mutated = serde_json::from_str(object).map_err(|error| CaseFault::of("object", error))?;
            patch(&request["object"], &mutated)?
        }
        None => Vec::new(),
    };
    let log = outcome.log.iter().map(serde_json::to_value).collect::<Result<_, _>>();
    Ok(Answer {
        accepted: outcome.rejection.is_none(),
        code: outcome.rejection.as_ref().map(|rejection| rejection.code),
        message: outcome.rejection.map(|rejection| rejection.message),
        patch,
        warnings: outcome.warnings,
        report: serde_json::to_value(&outcome.report).map_err(|error| CaseFault::of("report", error))?,
        log: log.map_err(|error| CaseFault::of("log", error))?,
    })
}

/// Stores what an answered request leaves in the cluster.
pub fn admit(review: &Value, answer: &Answer, cluster: &mut ApiServer) -> Result<(), CaseFault> {
    if answer.accepted && review["dryRun"] != true && review["object"].is_object() {
        cluster.store(patched(&review["object"], &answer.patch)?);
    }
    Ok(())
}
