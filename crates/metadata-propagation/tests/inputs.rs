//! What function-patch-and-transform itself says of the inputs of the corpus: the policy refuses the same ones.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;
use testkit::runner::walk;

const FUNCTION_RESULTS: &str = include_str!("../../../testdata/crossplane/inputs.txt");

/// Whether the function refuses the input of each case.
fn refused() -> BTreeMap<&'static str, bool> {
    let lines = FUNCTION_RESULTS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" |"));
    lines.map(|(case, refused_inputs)| (case, !refused_inputs.trim().is_empty())).collect()
}

/// Every case of the topic has a line, and every line a case.
#[test]
fn the_policy_refuses_the_inputs_that_the_function_refuses() -> Result<()> {
    let (refused_inputs, mut found) = (refused(), BTreeMap::new());
    walk(|case, _, answer| {
        if case.name.starts_with("tag-delivery-inputs/") || refused_inputs.contains_key(&*case.name) {
            let findings = answer.report.get("findings").and_then(Value::as_array).map(Vec::as_slice);
            let fails = |finding: &Value| finding.get("verdict").and_then(Value::as_str) == Some("fails");
            found.insert(case.name.clone(), findings.unwrap_or_default().iter().any(fails));
        }
        Ok(())
    })?;
    let refused_inputs: BTreeMap<String, bool> =
        refused_inputs.into_iter().map(|(case, refused)| (case.to_owned(), refused)).collect();
    assert_eq!(found, refused_inputs);
    Ok(())
}
