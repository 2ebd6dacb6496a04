//! docs/grafana.json queries metrics that a PolicyServer exports, for the policies of deploy/.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use regex::Regex;
use serde_json::Value;

use documents::policies::{manifests, objects};
use documents::read;

/// What a PolicyServer of version 1.33 or later exports,
/// <https://docs.kubewarden.io/admission-controller/latest/en/reference/metrics-reference.html>. A
/// histogram is queried by its buckets.
const METRICS: [&str; 2] =
    ["kubewarden_policy_evaluation_latency_milliseconds_bucket", "kubewarden_policy_evaluations_total"];
const LABELS: [&str; 10] = [
    "accepted",
    "error_code",
    "le",
    "mutated",
    "policy_mode",
    "policy_name",
    "request_origin",
    "resource_kind",
    "resource_namespace",
    "resource_request_operation",
];
/// Functions and words of PromQL and of Grafana, and the values that the queries compare with.
const WORDS: [&str; 14] = [
    "__rate_interval",
    "by",
    "cap",
    "clusterwide-",
    "false",
    "histogram_quantile",
    "kw",
    "label_values",
    "metadata-propagation-policy",
    "policy",
    "rate",
    "sum",
    "true",
    "validate",
];
/// What precedes the name of a ClusterAdmissionPolicy in `policy_name`: since Kubewarden 1.37.2, and before. Source:
/// adm-controller, api/policies/v1, `GetUniqueName`.
const PREFIXES: [&str; 2] = ["kw.cap.", "clusterwide-"];

fn board() -> Result<Value> {
    Ok(serde_json::from_str(&read("docs/grafana.json")?)?)
}

fn queries() -> Result<Vec<String>> {
    let board = board()?;
    let panels = board["panels"].as_array().context("no panels")?;
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().into_iter().flatten());
    let mut queries: Vec<String> = targets.filter_map(|target| target["expr"].as_str()).map(str::to_owned).collect();
    let variables = board["templating"]["list"].as_array().context("no variables")?;
    queries.extend(variables.iter().filter_map(|variable| variable["query"]["query"].as_str()).map(str::to_owned));
    Ok(queries)
}

#[test]
fn every_query_asks_for_what_there_is() -> Result<()> {
    let queries = queries()?;
    let words = |query: &str| -> BTreeSet<String> {
        let words = query.split(|char: char| !(char.is_alphanumeric() || "_-".contains(char)));
        words.filter(|word| word.contains(char::is_alphabetic)).map(str::to_owned).collect()
    };
    let all: BTreeSet<String> = queries.iter().flat_map(|query| words(query)).collect();
    let known = |word: &str| METRICS.contains(&word) || LABELS.contains(&word) || WORDS.contains(&word);
    assert_eq!(all.iter().filter(|word| !known(word)).collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(METRICS.iter().all(|metric| all.contains(*metric)), "{all:?}");
    assert!(queries.len() > 8, "{queries:?}");
    Ok(())
}

/// The pattern of the variable `policy` matches every policy in deploy/, and no other one.
#[test]
fn the_dashboard_sees_every_policy() -> Result<()> {
    let board = board()?;
    let variables = board["templating"]["list"].as_array().context("no variables")?;
    let policy = variables.iter().find(|variable| variable["name"] == "policy").context("no variable `policy`")?;
    let pattern = policy["allValue"].as_str().context("no pattern")?;
    let query = policy["query"]["query"].as_str().context("no query")?;
    assert!(query.contains(&format!("policy_name=~\"{pattern}\"")), "{query}");
    // Prometheus matches the whole value.
    let pattern = Regex::new(&format!("^(?:{pattern})$"))?;
    for path in manifests()? {
        for policy in objects(&path)?.iter().filter(|object| object["kind"] == "ClusterAdmissionPolicy") {
            let name = policy["metadata"]["name"].as_str().unwrap_or_default();
            for prefix in PREFIXES {
                assert!(pattern.is_match(&format!("{prefix}{name}")), "{path}: {prefix}{name}");
            }
        }
    }
    for other in
        ["kw.cap.another-policy", "kw-cap-metadata-propagation-policy", "kw.ap.fleet.metadata-propagation-policy"]
    {
        assert!(!pattern.is_match(other), "{other}");
    }
    Ok(())
}
