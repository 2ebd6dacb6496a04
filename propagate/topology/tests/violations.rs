//! Definitions and values of variables, and what Cluster API's webhooks say about them: `verification/conformance/functions/topology`
//! wrote the answers. `TOPOLOGY_VIOLATIONS=FILE` compares others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use topology::{StoredDefaults, TopologyRefusal, class_refusals, value_refusals};

/// How many violations there are, by variable and path in its definition.
type Violations = BTreeMap<String, usize>;

fn counted(places: impl IntoIterator<Item = String>) -> Violations {
    let mut all = Violations::new();
    places.into_iter().for_each(|place| *all.entry(place).or_default() += 1);
    all
}

/// The variable, and the path of the default, example or option that does not fit.
fn definition(variable: &str, path: &str) -> String {
    let mut steps: Vec<String> = Vec::new();
    for step in path.split('.').filter(|step| !step.is_empty()) {
        let is_value = |step: &String| ["default", "example"].contains(&&**step) || step.starts_with("enum[");
        if steps.last().is_some_and(is_value) {
            break;
        }
        let property = step.strip_prefix("properties[").and_then(|step| step.strip_suffix(']'));
        steps.push(property.unwrap_or(step).to_owned());
    }
    format!("{variable} {}", steps.join("."))
}

/// What the webhook says: `spec.variables[size].schema.openAPIV3Schema.default: …`.
fn said(fields: &Value, root: &str) -> Vec<(String, String)> {
    let fields = fields.as_array().into_iter().flatten().filter_map(Value::as_str);
    fields
        .map(|field| {
            let (path, message) = field.split_once(": ").unwrap_or((field, ""));
            let excludes = if message.contains("mutually exclusive") { ".additionalProperties" } else { "" };
            let inner = format!("{}{excludes}", path.strip_prefix(root).unwrap_or_default());
            let quoted = || message.split('"').nth(1).unwrap_or_default().to_owned();
            match inner.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
                Some((name, path)) => (name.to_owned(), path.trim_start_matches('.').to_owned()),
                None => (quoted(), String::new()),
            }
        })
        .collect()
}

fn of_class(class: &Value) -> Violations {
    counted(class_refusals(class).into_iter().filter_map(|refusal| match refusal {
        TopologyRefusal::Definition { name, reason } if reason.contains("name") && !reason.contains(": ") => {
            Some(format!("{name} name"))
        }
        TopologyRefusal::Definition { name, reason } => {
            Some(definition(&name, reason.split_once(": ").map_or("", |(path, _)| path)))
        }
        _ => None,
    }))
}

fn of_cluster(cluster: &Value, class: &Value) -> BTreeSet<String> {
    let name = |refusal| match refusal {
        TopologyRefusal::InvalidVariable { name, .. }
        | TopologyRefusal::RequiredVariable(name)
        | TopologyRefusal::UndefinedVariable(name)
        | TopologyRefusal::SetTwice(name) => Some(name),
        _ => None,
    };
    value_refusals(cluster, class, &StoredDefaults::default()).into_iter().filter_map(name).collect()
}

#[test]
fn violations_are_those_that_the_webhooks_report() -> Result<(), Box<dyn std::error::Error>> {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/topology/violations.json");
    let file = std::env::var_os("TOPOLOGY_VIOLATIONS").unwrap_or_else(|| own.into());
    let rows: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let mut wrong = Vec::new();
    for row in &rows {
        let class = json!({"spec": {"variables": row["variables"]}});
        let cluster = json!({"spec": {"topology": {"variables": row["values"]}}});
        let expected = counted(said(&row["ofClass"], "spec.variables").into_iter().map(|(name, path)| {
            let path = path.strip_prefix("schema.openAPIV3Schema").unwrap_or(&path);
            definition(&name, path)
        }));
        let found = of_class(&class);
        if found != expected {
            wrong.push(format!("{}\n  {found:?}, not\n  {expected:?}", row["variables"]));
        } else if expected.is_empty() {
            let fields = said(&row["ofCluster"], "spec.topology.variables");
            let expected: BTreeSet<String> = fields.into_iter().map(|(name, _)| name).collect();
            let found = of_cluster(&cluster, &class);
            if found != expected {
                wrong.push(format!("{} {}\n  {found:?}, not\n  {expected:?}", row["variables"], row["values"]));
            }
        }
    }
    assert!(!rows.is_empty());
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    Ok(())
}
