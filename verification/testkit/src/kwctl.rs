//! A case as `kwctl run` takes it: request, settings, a recorded session of the host, and the expected output.

use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::case::{Case, corpus};
use crate::cluster::ResourceHost;
use crate::module::Module;

/// Files by name, below the folder of one case.
pub type Files = Vec<(&'static str, String)>;

/// The cases that kwctl replays: those of e2e-tests/cases.txt.
pub fn cases() -> Result<Vec<Case>> {
    let corpus = corpus()?;
    let names = std::fs::read_to_string(crate::root().join("e2e-tests/cases.txt"))?;
    let case = |name: &str| {
        let case = corpus.iter().find(|case| case.name == name);
        case.cloned().with_context(|| format!("no case {name}"))
    };
    names.lines().filter(|line| !line.starts_with('#')).map(case).collect()
}

/// The folder of a case, below e2e-tests/data.
pub fn folder(case: &Case) -> String {
    case.name.replace('/', "--")
}

/// The files of a case's first review.
pub fn fixture(case: &Case, policy: &Module) -> Result<Files> {
    let review = case.reviews.first().cloned().unwrap_or_default();
    let cluster: Arc<dyn ResourceHost> = Arc::new(case.cluster.clone());
    let payload = json!({ "request": review, "settings": case.settings }).to_string();
    let call = policy.call("validate", payload.as_bytes(), &cluster)?;
    let session: Vec<Value> =
        call.gets.iter().map(|(payload, answer)| exchange(payload, answer)).collect::<Result<_>>()?;
    let answer = policy.validate(&review, &case.settings, &case.cluster)?;
    Ok(vec![
        ("request.json", pretty(&review)?),
        ("settings.json", pretty(&case.settings)?),
        ("session.yml", cases::yaml(&session)?),
        ("expected.json", pretty(&expected(&answer))?),
    ])
}

/// The parts of kwctl's output that the tests compare.
fn expected(answer: &Answer) -> Value {
    json!({
        "allowed": answer.accepted,
        "code": answer.code,
        "message": answer.message,
        "patch": answer.patch,
        "warnings": answer.warnings,
        "report": answer.report,
    })
}

/// One entry of a session: the request is a YAML document in a string, tagged with its variant.
fn exchange(payload: &[u8], answer: &Result<Vec<u8>, String>) -> Result<Value> {
    let request: Value = serde_json::from_slice(payload)?;
    let request = format!("!KubernetesGetResource\n{}", cases::yaml(&request)?);
    let response = match answer {
        Ok(object) => json!({ "type": "Success", "payload": String::from_utf8_lossy(object) }),
        Err(text) => json!({ "type": "Error", "message": text }),
    };
    Ok(json!({ "type": "Exchange", "request": request, "response": response }))
}

fn pretty(value: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
