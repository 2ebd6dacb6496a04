//! SARIF 2.1.0. Written here: the crate that has all its types generates them from the schema in every build, and a
//! report needs only a few.

use std::collections::BTreeSet;

use fleet::Severity;
use serde_json::{Value, json};

use super::report::{CheckReport, FindingEntry, Ignored, IgnoredEntry, Where};
use crate::checks::Check;

/// The report as a SARIF log with one run.
pub(crate) fn sarif(report: &CheckReport) -> Value {
    let problems = report.problems.iter().filter(|problem| problem.severity != Severity::Note);
    let problems =
        problems.map(|problem| result("document", json!(problem.severity), &problem.message, &problem.place));
    let ignored = report.ignored.iter().map(|IgnoredEntry { entry, ignored }| {
        let mut result = finding(entry);
        let kind = match ignored {
            Ignored::InSource(_) => "inSource",
            Ignored::External(_) => "external",
        };
        if let Some(fields) = result.as_object_mut() {
            let suppression = json!({ "kind": kind, "justification": ignored.reason() });
            fields.insert("suppressions".to_owned(), json!([suppression]));
        }
        result
    });
    let results: Vec<Value> = problems.chain(report.findings.iter().map(finding)).chain(ignored).collect();
    let rules: BTreeSet<&str> = results.iter().filter_map(|result| result.get("ruleId")?.as_str()).collect();
    let rules: Vec<Value> = rules.into_iter().map(rule).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "propagate", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "invocations": [invocation(report)],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// What was not read, and what was not checked.
fn invocation(report: &CheckReport) -> Value {
    let notes = report.problems.iter().filter(|problem| problem.severity == Severity::Note);
    let notes = notes.map(|problem| notification(&problem.message, &problem.place));
    let not_compared = report.not_compared.iter();
    let not_compared =
        not_compared.map(|it| notification(&format!("{} is skipped: {}", it.object.title, it.reason), &it.place));
    let not_checked = report.not_checked.iter().map(|it| notification(&it.whole(), &it.place));
    let notifications: Vec<Value> = notes.chain(not_compared).chain(not_checked).collect();
    json!({
        "executionSuccessful": report.summary.unreadable == 0,
        "toolExecutionNotifications": notifications,
    })
}

fn notification(message: &str, place: &Where) -> Value {
    json!({ "level": "note", "message": { "text": message }, "locations": [location(place)] })
}

/// What a check finds, and what to do about it.
fn rule(id: &str) -> Value {
    match Check::of(id) {
        Some(check) => json!({
            "id": id,
            "shortDescription": { "text": check.finds },
            "help": { "text": check.help },
            "helpUri": check.link(),
        }),
        None => json!({
            "id": id,
            "shortDescription": { "text": "a document or file cannot be read, or is ambiguous" },
            "help": { "text": "correct the document, or list files that are not manifests in `.propagateignore`" },
        }),
    }
}

fn finding(entry: &FindingEntry) -> Value {
    let message = format!("{}: {}", entry.object.title, entry.message);
    let mut result = result(entry.check, json!(entry.level), &message, &entry.place);
    if let Some(fields) = result.as_object_mut().filter(|_| entry.is_unknown()) {
        fields.insert("properties".to_owned(), json!({ "cannotTell": true }));
    }
    result
}

fn result(rule: &str, level: Value, message: &str, place: &Where) -> Value {
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": message },
        "locations": [location(place)],
    })
}

fn location(place: &Where) -> Value {
    let (file, position) = place.existing();
    let mut location = json!({ "artifactLocation": { "uri": file } });
    if let (Some(position), Some(location)) = (position, location.as_object_mut()) {
        location.insert("region".to_owned(), json!({ "startLine": position.line, "startColumn": position.column }));
    }
    json!({ "physicalLocation": location })
}
