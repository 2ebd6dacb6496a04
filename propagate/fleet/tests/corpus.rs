//! The corpus as manifests: objects that go through YAML and a fleet lead to the same outcome as they do in the engine.

use anyhow::{Context, Result, anyhow, ensure};
use fleet::{Checker, FindingLevel, Fleet, Severity, Source};
use metadata_propagation::{Cluster, Embedded, Mode, NotApplicableReason, Outcome, Review, Settings, evaluate};
use serde_json::{Value, json};
use testkit::case::corpus;
use testkit::difference;
use testkit::runner::{admit, engine};

/// A value in block style. Strings are quoted: what is a string to YAML 1.2 may be a boolean to kubectl, as `n` is.
fn block(value: &Value, indent: usize) -> String {
    let spaces = " ".repeat(indent);
    match value {
        Value::Object(fields) if !fields.is_empty() => fields
            .iter()
            .map(|(name, value)| match block(value, indent + 2) {
                below if below.contains('\n') => format!("{spaces}{}:\n{below}", block(&json!(name), 0)),
                scalar => format!("{spaces}{}: {scalar}\n", block(&json!(name), 0)),
            })
            .collect(),
        Value::Array(elements) if !elements.is_empty() => elements
            .iter()
            .map(|element| match block(element, indent + 2) {
                below if below.contains('\n') => format!("{spaces}-\n{below}"),
                scalar => format!("{spaces}- {scalar}\n"),
            })
            .collect(),
        // JSON may have characters that YAML must not.
        scalar => {
            let escaped = |character: char| match character {
                '\u{7f}'..='\u{9f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                    format!("\\u{:04x}", u32::from(character))
                }
                other => other.to_string(),
            };
            scalar.to_string().chars().map(escaped).collect()
        }
    }
}

/// Objects as a stream of YAML documents.
fn stream<'a>(objects: impl Iterator<Item = &'a Value>) -> Result<Fleet> {
    let mut text = String::new();
    for object in objects {
        text += "---\n";
        text += &block(object, 0);
    }
    let fleet = Fleet::read(vec![Source { name: "cluster.yaml".to_owned(), text }]);
    let unreadable = fleet.problems().iter().find(|problem| problem.severity == Severity::Error);
    ensure!(unreadable.is_none(), "{unreadable:?}");
    Ok(fleet)
}

/// The object of a request as it is after a way through YAML; what is no object stays.
fn rewritten(request: &Value) -> Result<Value> {
    let mut request = request.clone();
    for name in ["object", "oldObject"] {
        let Some(object) = request.get_mut(name).filter(|object| object.pointer("/metadata/name").is_some()) else {
            continue;
        };
        let fleet = stream(std::iter::once(&*object))?;
        // What is no object to begin with is judged as it is.
        if let Some(read) = fleet.objects().next() {
            *object = serde_json::from_str(&read.json)?;
        }
    }
    Ok(request)
}

fn answered(request: &Value, settings: &Value, cluster: &dyn Cluster) -> Result<Value> {
    let text = request.to_string();
    let review = Review::from_json(&text).map_err(|malformed| anyhow!("{malformed}"))?;
    let outcome = evaluate(&review, &Settings::from_json(&settings.to_string())?, cluster);
    Ok(json!({
        "rejection": outcome.rejection.map(|rejection| json!([rejection.code, rejection.message])),
        "object": outcome.object.as_deref().map(Embedded),
        "warnings": outcome.warnings,
        "report": outcome.report,
    }))
}

#[test]
fn manifests_are_judged_as_the_engine_judges_objects() -> Result<()> {
    let (mut same, mut differing, mut left_out) = (0, Vec::new(), Vec::new());
    for case in corpus()? {
        let mut cluster = case.cluster.clone();
        if !cluster.is_always_in_reach() {
            left_out.push(case.name);
            continue;
        }
        for review in &case.reviews {
            let answer = engine(review, &case.settings, &cluster).with_context(|| case.name.clone())?;
            let direct = answered(review, &case.settings, &cluster)?;
            let fleet = stream(cluster.objects().iter())?;
            let found = answered(&rewritten(review)?, &case.settings, &fleet).with_context(|| case.name.clone())?;
            if found != direct {
                differing.push(format!("{}\n{}", case.name, difference::values(&direct, &found)));
            }
            admit(review, &answer, &mut cluster)?;
            same += 1;
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(same > 900 && left_out.len() < 80, "{same} compared, left out: {left_out:?}");
    Ok(())
}

/// Whether an object that is not among the files decides.
fn is_unanswered(outcome: &Outcome) -> bool {
    use NotApplicableReason::{LookupFailed, ParentMissing, RegistryUnavailable};
    let inert = outcome.report.as_ref().and_then(|report| report.inert.as_ref());
    inert.is_some_and(|inert| matches!(inert.reason, LookupFailed | ParentMissing | RegistryUnavailable))
}

/// What is added to a manifest is not missing from it, so a policy in verify mode is not meant.
#[test]
fn every_refusal_of_a_manifest_is_an_error() -> Result<()> {
    let (mut refused, mut missing) = (0, Vec::new());
    for case in corpus()? {
        let mut settings = Settings::from_json(&case.settings.to_string())?;
        settings.mode = Mode::Mutate;
        for review in case.reviews.iter().filter(|review| review["operation"] == "CREATE") {
            let Some(object) = review.get("object").filter(|object| object.pointer("/metadata/name").is_some()) else {
                continue;
            };
            let Ok(fleet) = stream(case.cluster.objects().iter().chain([object])) else { continue };
            let Some(written) = fleet.objects().last() else { continue };
            let outcome = evaluate(&written.review(), &settings, &fleet);
            if outcome.rejection.is_none() || is_unanswered(&outcome) {
                continue;
            }
            refused += 1;
            let found = Checker::new(&settings).fleet(&fleet);
            let is_error = |finding: &fleet::ObjectFinding| finding.level == FindingLevel::Error;
            if !found.last().is_some_and(|of| of.findings.iter().any(is_error)) {
                missing.push(format!("{}: {:?}", case.name, outcome.rejection));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(refused > 60, "{refused} refused");
    Ok(())
}
