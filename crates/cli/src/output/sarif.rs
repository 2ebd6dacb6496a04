//! SARIF 2.1.0. Written out here: the crate that has all its types generates them from the schema at every build, and a
//! report needs a handful.

use std::collections::BTreeSet;

use fleet::{Level, Severity};
use serde_json::{Value, json};

use super::report::{Report, Where};

/// The report as a SARIF log with one run.
pub(crate) fn sarif(report: &Report) -> Value {
    let problems = report.problems.iter().filter_map(|told| {
        let level = match told.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => return None,
        };
        Some(result("document", level, &told.message, &told.place))
    });
    let findings = report.findings.iter().map(|entry| {
        let level = match entry.level {
            Level::Reject => "error",
            Level::Warn => "warning",
        };
        let message = format!("{}: {}", entry.object.title, entry.message);
        result(entry.check, level, &message, &entry.place)
    });
    let results: Vec<Value> = problems.chain(findings).collect();
    let rules: BTreeSet<&str> = results.iter().filter_map(|result| result.get("ruleId")?.as_str()).collect();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({ "id": id })).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "propagate", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(rule: &str, level: &str, message: &str, place: &Where) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": place.file } });
    if let (Some(position), Some(location)) = (place.position, location.as_object_mut()) {
        location.insert("region".to_owned(), json!({ "startLine": position.line, "startColumn": position.column }));
    }
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": message },
        "locations": [{ "physicalLocation": location }],
    })
}
