//! The policy's findings about definitions and Compositions, compared with what Crossplane did with them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use metadata_propagation::{FUNCTIONS, FunctionEffect};
use serde::Deserialize;
use serde_json::{Value, json};
use testkit::cluster::ApiServer;
use testkit::generated::check_section;
use testkit::runner::created;

/// The result for one resource.
#[derive(Deserialize)]
struct Composed {
    resource: String,
    verdict: String,
}

/// One definition or Composition, and Crossplane's result.
#[derive(Deserialize)]
struct Case {
    name: String,
    verdict: String,
    composed: Vec<Composed>,
    object: Value,
}

/// The policy's findings when losses are refused.
fn findings(object: &Value) -> Result<Vec<Value>> {
    let composites = json!([{
        "apiGroups": ["blueprints.plexsphere.com"], "provider": { "path": "spec.parameters.provider" },
    }]);
    let settings = json!({ "cloudTags": { "composites": composites, "xrds": "reject", "compositions": "reject" } });
    let answer = created("alice", object, &settings, &ApiServer::default())?;
    Ok(answer.report.get("findings").and_then(Value::as_array).cloned().unwrap_or_default())
}

/// The most severe verdict of the findings about one resource, or about all of them.
fn verdict(findings: &[Value], resource: &str) -> &'static str {
    let is_about = |message: &str| {
        let about = format!("resource `{resource}`");
        message.starts_with(&about)
            || message.starts_with("no resource is composed")
            || !message.starts_with("resource `")
    };
    let of_resource: BTreeSet<&str> = findings
        .iter()
        .filter(|finding| finding["message"].as_str().is_some_and(is_about))
        .filter_map(|finding| finding["verdict"].as_str())
        .collect();
    ["fails", "lost", "cannot-tell"].into_iter().find(|verdict| of_resource.contains(verdict)).unwrap_or("kept")
}

/// The verdict that the policy must give for what Crossplane did.
fn expected(crossplane: &str) -> &'static str {
    match crossplane {
        "lost" | "partly" => "lost",
        "not created" => "fails",
        _ => "kept",
    }
}

#[test]
fn the_page_compares_verdicts_with_crossplane() -> Result<()> {
    let folder = testkit::root().join("testdata/crossplane");
    let text = std::fs::read_to_string(folder.join("cases.jsonl"))?;
    let listed = std::fs::read_to_string(folder.join("deviations.txt"))?;
    let mut deviations = BTreeMap::new();
    for line in listed.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, reason) = line.split_once(": ").with_context(|| format!("no reason: {line}"))?;
        deviations.insert(name, reason);
    }
    let mut rows: BTreeMap<(String, &str), [usize; 2]> = BTreeMap::new();
    let mut noted = Vec::new();
    for line in text.lines() {
        let case: Case = serde_json::from_str(line)?;
        let found = findings(&case.object)?;
        let mut compare = |name: &str, crossplane: &str, policy: &'static str, agrees: bool| {
            let counts = rows.entry((crossplane.to_owned(), policy)).or_default();
            counts[usize::from(!agrees)] += 1;
            if !agrees {
                noted.push(format!("{name} {crossplane}, here {policy}"));
            }
        };
        if case.object["kind"] == "Composition" {
            for Composed { resource, verdict: crossplane } in &case.composed {
                let policy = verdict(&found, resource);
                compare(&format!("{}/{resource}", case.name), crossplane, policy, policy == expected(crossplane));
            }
        } else {
            let stances: BTreeSet<&str> = found.iter().filter_map(|finding| finding["stance"].as_str()).collect();
            let policy = ["reject", "warn"].into_iter().find(|stance| stances.contains(stance)).unwrap_or("kept");
            let agrees = (case.verdict == "lost") == (policy == "reject");
            compare(&case.name, &format!("definition {}", case.verdict), policy, agrees);
        }
    }
    let unlisted: Vec<&String> =
        noted.iter().filter(|deviation| !deviations.contains_key(deviation.as_str())).collect();
    ensure!(unlisted.is_empty(), "not listed as deviations: {unlisted:#?}");
    let unused: Vec<&&str> = deviations.keys().filter(|name| !noted.iter().any(|noted| noted == *name)).collect();
    ensure!(unused.is_empty(), "no case deviates by: {unused:#?}");

    let mut table = "| Crossplane | the policy | agree | deviate |\n|---|---|---:|---:|\n".to_owned();
    for ((crossplane, policy), [agree, deviate]) in rows {
        writeln!(table, "| {crossplane} | {policy} | {agree} | {deviate} |")?;
    }
    table.push_str("\n| deviation | reason |\n|---|---|\n");
    for (deviation, reason) in deviations {
        writeln!(table, "| {deviation} | {reason} |")?;
    }
    check_section("docs/delivery.md", "verdicts", &table)
}

#[test]
fn the_page_shows_the_functions() -> Result<()> {
    let mut table = "| function | input | what it does | source |\n|---|---|---|---|\n".to_owned();
    for function in FUNCTIONS {
        let effect = match function.effect {
            FunctionEffect::Patches => "composes resources; bases and patches are read",
            FunctionEffect::TagManager => "tags resources of earlier steps; its input is read",
            FunctionEffect::ResourcesUnchanged => "composes nothing, changes no tags",
            FunctionEffect::Programs => "composes resources with a program, which is not evaluated",
        };
        let input = if function.input.is_empty() { String::new() } else { format!("`{}`", function.input) };
        writeln!(table, "| {} | {input} | {effect} | {} |", function.name, function.source)?;
    }
    check_section("docs/delivery.md", "functions", &table)
}
