//! `make run`: a fleet and composites go through the compiled policy object by object; then the recorded life of a real
//! fleet.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use testkit::case::Answer;
use testkit::cluster::{ApiServer, Host};
use testkit::module::Module;
use testkit::recorded::{LIFE, play};
use testkit::runner::patched;

fn main() -> Result<()> {
    let policy = Module::policy()?;
    println!("policy.wasm: {} KB", policy.bytes.len() / 1000);
    send(&policy, "examples/fleet.yaml", &json!({}))?;
    let settings = serde_yaml_ng::from_str(&read("examples/composites-settings.yaml")?)?;
    send(&policy, "examples/composites.yaml", &settings)?;
    recorded(&policy)
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(testkit::root().join(path)).with_context(|| path.to_owned())
}

/// Creates the objects of a file one after the other, in a cluster of its own.
fn send(policy: &Module, path: &str, settings: &Value) -> Result<()> {
    println!("\n{path}, written by alice");
    let mut cluster = ApiServer::default();
    for document in serde_yaml_ng::Deserializer::from_str(&read(path)?) {
        let object = Value::deserialize(document)?;
        let answer = policy.validate(&create(&object), settings, &cluster)?;
        print(&object, &answer);
        if answer.accepted {
            cluster.store(patched(&object, &answer.patch)?);
        }
    }
    Ok(())
}

fn create(object: &Value) -> Value {
    let api_version = object["apiVersion"].as_str().unwrap_or_default();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    json!({
        "uid": "run",
        "operation": "CREATE",
        "kind": { "group": group, "version": version, "kind": object["kind"] },
        "name": object["metadata"]["name"],
        "namespace": object["metadata"]["namespace"].as_str().unwrap_or_default(),
        "userInfo": { "username": "alice" },
        "object": object,
    })
}

fn print(object: &Value, answer: &Answer) {
    println!("\n{} {}", text(&object["kind"]), text(&object["metadata"]["name"]));
    let report = &answer.report;
    if report.is_null() {
        return println!("    read by others, written by no rule");
    }
    if let Some(message) = &answer.message {
        println!("    refused: {message}");
    }
    if let Some(inert) = report["inert"].as_object() {
        println!("    untouched: {} {}", text(&inert["reason"]), inert.get("because").map(text).unwrap_or_default());
    }
    if report["cloudTags"].is_object() {
        return print_tags(report);
    }
    // Entries that one rule brings to one map stand together, under the rule.
    let mut groups: BTreeMap<(String, String, String), Vec<String>> = BTreeMap::new();
    for change in report["changes"].as_array().into_iter().flatten() {
        let group = (text(&change["at"]), text(&change["source"]), text(&change["rule"]));
        groups.entry(group).or_default().push(format!("{}={}", text(&change["key"]), text(&change["to"])));
    }
    for ((at, source, rule), entries) in groups {
        println!("  + {at}");
        for entry in entries {
            println!("        {entry}");
        }
        println!("      from {source}\n      rule {rule}");
    }
    for skip in report["skipped"].as_array().into_iter().flatten() {
        let value = skip["value"].as_str().map(|value| format!("={value}")).unwrap_or_default();
        println!(
            "  - {}{value} not propagated: {}\n      at {} ({})",
            text(&skip["key"]),
            text(&skip["reason"]),
            text(&skip["from"]),
            text(&skip["map"])
        );
    }
    for warning in answer.warnings.iter().filter(|warning| warning.contains("is not propagated from here")) {
        println!("  ! {warning}");
    }
}

fn print_tags(report: &Value) {
    let tags = &report["cloudTags"];
    println!("    tags of profile {}:", text(&tags["profile"]));
    for (key, value) in tags["tags"].as_object().into_iter().flatten() {
        println!("  + {key}={}", text(value));
    }
    for change in report["changes"].as_array().into_iter().flatten().filter(|change| change["action"] == "removed") {
        println!("  - {} removed: {}", text(&change["key"]), text(&change["rule"]));
    }
    for skip in tags["skipped"].as_array().into_iter().flatten() {
        println!("  - {} is no tag: {}", text(&skip["qualifiedKey"]), text(&skip["reason"]));
    }
    for (key, reason) in tags["notPropagating"].as_object().into_iter().flatten() {
        println!("  . {key} is not meant to be one: {}", text(reason));
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// What the policy does to the writes of real controllers: nothing, and to everybody else's.
fn recorded(policy: &Module) -> Result<()> {
    let mut counts: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    play(LIFE, |_, _, request, cluster| {
        let payload = json!({ "request": request, "settings": {} }).to_string();
        let cluster: Arc<dyn Host> = Arc::new(cluster.clone());
        let call = policy.call("validate", payload.as_bytes(), &cluster)?;
        let response: Value = serde_json::from_slice(&call.response)?;
        let username = request["userInfo"]["username"].as_str().unwrap_or_default();
        let controller = username.starts_with("system:serviceaccount:capi-");
        let answered = match (&response["accepted"], response.get("mutated_object")) {
            (Value::Bool(true), None) => "accepted as they are",
            (Value::Bool(true), Some(_)) => "completed",
            _ => "refused",
        };
        *counts.entry((!controller, answered)).or_default() += 1;
        Ok(())
    })?;
    println!("\nReviews recorded from the life of a real cluster, in order:");
    for ((others, answered), count) in counts {
        println!(
            "  {count:>4} writes of {} {answered}",
            if others { "everybody else" } else { "Cluster API's controllers" }
        );
    }
    Ok(())
}
