//! Sessions are those that kwctl replays: the fixtures of e2e-tests were recorded from the module's own questions.

use std::fs;

use anyhow::{Context, Result, anyhow};
use fleet::{Exchange, session};
use metadata_propagation::{Review, Settings};
use serde_json::Value;
use testkit::case::corpus;

/// The exchanges of a recorded session.
fn recorded(text: &str) -> Result<Vec<Exchange>> {
    let entries: Vec<Value> = serde_yaml_ng::from_str(text)?;
    entries.iter().map(exchange).collect()
}

fn exchange(entry: &Value) -> Result<Exchange> {
    let part = |path: &str| entry.pointer(path).and_then(Value::as_str).context("no text");
    let request = part("/request")?.strip_prefix("!KubernetesGetResource\n").context("another request")?;
    let response = match part("/response/type")? {
        "Success" => Ok(part("/response/payload")?.to_owned()),
        _ => Err(part("/response/message")?.to_owned()),
    };
    Ok(Exchange { request: serde_yaml_ng::from_str(request)?, response })
}

#[test]
fn the_same_questions_are_recorded_as_the_module_asks() -> Result<()> {
    let data = testkit::root().join("e2e-tests/data");
    let mut compared = 0;
    for case in corpus()?.into_iter().filter(|case| case.cluster.is_always_in_reach()) {
        let Ok(text) = fs::read_to_string(data.join(case.name.replace('/', "--")).join("session.yml")) else {
            continue;
        };
        let request = case.reviews.first().context("no review")?.to_string();
        let review = Review::from_json(&request).map_err(|malformed| anyhow!("{malformed}"))?;
        let settings = Settings::from_json(&case.settings.to_string())?;
        assert_eq!(session(&review, &settings, &case.cluster), recorded(&text)?, "{}", case.name);
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
    Ok(())
}
