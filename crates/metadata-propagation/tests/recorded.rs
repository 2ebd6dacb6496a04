//! Recorded reviews against the guards: ordinary work of controllers, garbage collector, `clusterctl move` and people
//! trips none of them. What does is listed, line by line.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::cluster::ApiServer;
use testkit::recorded::{LIFE, SAMPLE, play, requests};
use testkit::runner::engine;

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// One line for each guard that found something, with the number of findings.
fn tripped(file: &str, number: usize, request: &Value, answer: &Answer, lines: &mut Vec<String>) {
    let findings = answer.report.get("findings").and_then(Value::as_array);
    let mut checks: Vec<&str> = findings.into_iter().flatten().map(|finding| text(finding, "/check")).collect();
    // What an edit does to Machines is no guard's business.
    checks.retain(|check| *check != "clusterApi.rollout");
    let all = checks.clone();
    checks.dedup();
    for check in checks {
        let (operation, object) = (text(request, "/operation"), text(&answer.report, "/object"));
        let count = all.iter().filter(|other| **other == check).count();
        let user = text(request, "/userInfo/username");
        let outcome = if answer.accepted { "warned about" } else { "refused" };
        lines.push(format!("{file} {number} {operation} {object} by {user}: {check} {count} times, {outcome}"));
    }
}

/// Two times: with the default settings, and where nobody counts as a controller.
#[test]
fn recorded_work_trips_no_guard_but_what_is_listed() -> Result<()> {
    let (default, anybody) = (json!({}), json!({ "clusterApi": { "controllers": [] } }));
    let (mut lines, mut of_anybody) = (Vec::new(), Vec::new());
    let mut both = |file: &str, number, request: &Value, cluster: &ApiServer| {
        tripped(file, number, request, &engine(request, &default, cluster)?, &mut lines);
        tripped(file, number, request, &engine(request, &anybody, cluster)?, &mut of_anybody);
        Ok(())
    };
    play(LIFE, &mut both)?;
    for (number, request) in requests(SAMPLE)?.iter().enumerate() {
        both(SAMPLE, number, request, &ApiServer::default())?;
    }
    let listed = include_str!("../../../testdata/recorded/guards.txt");
    let listed: Vec<&str> = listed.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines, listed, "testdata/recorded/guards.txt differs from what the guards find");
    assert_eq!(of_anybody, listed, "a controller's write trips a guard");
    Ok(())
}

/// A Cluster is created, and labels, annotations and fields change: no controller rolls out Machines of its own accord.
#[test]
fn nothing_is_refused_as_a_rollout_where_nobody_is_listed() -> Result<()> {
    let strict = json!({ "clusterApi": { "controllers": [], "rollout": "reject" } });
    play(LIFE, |_, _, request, cluster| {
        let answer = engine(request, &strict, cluster)?;
        ensure!(answer.accepted, "{:?}", answer.message);
        Ok(())
    })
}

/// What is stored at the end of the recorded scenario, as the audit scanner asks: a CREATE with a uid and an empty user name.
#[test]
fn the_audit_scanner_trips_no_guard_that_refuses() -> Result<()> {
    let strict = json!({ "mode": "verify", "guards": { "templateKeys": "reject" } });
    let (mut standing, mut last) = (BTreeMap::new(), ApiServer::default());
    play(LIFE, |_, _, request, cluster| {
        last = cluster.clone();
        if request["dryRun"] != true && request["object"].is_object() {
            last.store(request["object"].clone());
        }
        if text(request, "/object/metadata/uid").is_empty() || request["dryRun"] == true {
            return Ok(());
        }
        let object = (text(request, "/kind/kind").to_owned(), text(request, "/object/metadata/name").to_owned());
        standing.insert(object, request.clone());
        Ok(())
    })?;
    for ((kind, name), request) in &standing {
        let scan = json!({ "uid": "", "kind": request["kind"], "operation": "CREATE", "userInfo": {},
            "name": request["name"], "namespace": request["namespace"], "object": request["object"] });
        let answer = engine(&scan, &strict, &last)?;
        ensure!(answer.accepted, "{kind} {name}: {:?}", answer.message);
    }
    assert_eq!(standing.len(), 31);
    Ok(())
}
