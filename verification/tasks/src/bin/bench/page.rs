//! The measured part of verification/benches/README.md.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::json;
use testkit::markdown::table;
use testkit::module::Module;
use testkit::profile::{STOPS, part, stacks};
use testkit::recorded::{LIFE, play};
use testkit::results::{Counted, ResultPart};
use testkit::scenarios::{Scenario, namespace, scenarios};

use crate::measure::{Candidate, Cost, POLICY, measure, median};

/// How often each review is answered.
const ROUNDS: usize = 400;

/// The same for each recorded review: there are hundreds of them.
const ROUNDS_OF_RECORDED: usize = 7;

/// The cost of a review for each candidate, the no-op first.
struct ReviewCost {
    name: String,
    bytes: usize,
    costs: Vec<Cost>,
}

/// All measurements.
pub(crate) struct Measured {
    /// As Markdown.
    pub(crate) text: String,
    /// How many reviews each module answered: a measurement differs from nothing.
    pub(crate) counted: Counted,
}

/// Measures everything. The first candidate is the no-op; `named` is the policy with the names of its functions.
pub(crate) fn measured(candidates: &[Candidate], named: &Module) -> Result<Measured> {
    let mut rows = Vec::new();
    let is_comparison = candidates.len() > POLICY + 1;
    for scenario in scenarios()?.into_iter().chain(is_comparison.then(namespace).transpose()?) {
        let payload = scenario.payload();
        let costs = measure(candidates, &payload, &scenario.cluster, ROUNDS)?;
        rows.push(ReviewCost { name: scenario.name.to_owned(), bytes: payload.len(), costs });
    }
    let recorded = recorded(candidates)?;
    let parts = [
        "### Modules".to_owned(),
        modules(candidates)?,
        "### Time of a call, as a multiple of the no-op's".to_owned(),
        times(candidates, &rows, &recorded),
        "### Instructions of a call".to_owned(),
        instructions(candidates, &rows, &recorded),
        "### Pages of memory that a call touches".to_owned(),
        faults(candidates, &rows),
        "### Where the instructions go, in percent".to_owned(),
        parts(named)?,
        "### From 10 labels to 1,000".to_owned(),
        growth(candidates, &rows)?,
    ];
    let part = |name: &str, reviews: usize| {
        (name.to_owned(), ResultPart { comparisons: u64::try_from(reviews).unwrap_or(u64::MAX), differences: 0 })
    };
    let counted = Counted {
        parts: [part("kinds of reviews", rows.len()), part("recorded reviews", recorded.reviews)].into(),
        ..Counted::default()
    };
    Ok(Measured { text: parts.join("\n\n"), counted })
}

/// Every recorded review in order, with default settings: the median over the reviews, of ratios for times.
struct RecordedMedian {
    reviews: usize,
    gets: usize,
    bytes: f64,
    call: Vec<f64>,
    as_host: Vec<f64>,
    instructions: Vec<f64>,
}

fn recorded(candidates: &[Candidate]) -> Result<RecordedMedian> {
    let mut columns = vec![(Vec::new(), Vec::new(), Vec::new()); candidates.len()];
    let (mut bytes, mut gets) = (Vec::new(), 0);
    play(LIFE, |_, _, request, cluster| {
        let payload = json!({ "request": request, "settings": {} }).to_string();
        let costs = measure(candidates, &payload, cluster, ROUNDS_OF_RECORDED)?;
        let noop = costs.first().context("no candidates")?;
        for (cost, (call, as_host, instructions)) in costs.iter().zip(&mut columns) {
            call.push(cost.call / noop.call);
            as_host.push(cost.as_host / noop.as_host);
            instructions.push(cost.instructions);
        }
        bytes.push(payload.len() as f64);
        gets += costs.get(POLICY).map_or(0, |cost| cost.gets);
        Ok(())
    })?;
    let mut recorded = RecordedMedian {
        reviews: bytes.len(),
        gets,
        bytes: median(bytes),
        call: Vec::new(),
        as_host: Vec::new(),
        instructions: Vec::new(),
    };
    for (call, as_host, instructions) in columns {
        recorded.call.push(median(call));
        recorded.as_host.push(median(as_host));
        recorded.instructions.push(median(instructions));
    }
    Ok(recorded)
}

fn modules(candidates: &[Candidate]) -> Result<String> {
    let header = cells(["module", "KB", "compiled in ms", "start of an instance in µs"]);
    let rows: Vec<Vec<String>> = candidates
        .iter()
        .map(|candidate| {
            Ok(vec![
                candidate.name.clone(),
                (candidate.module.bytes.len() / 1000).to_string(),
                format!("{:.0}", candidate.compile()?),
                format!("{:.0}", candidate.start(ROUNDS)?),
            ])
        })
        .collect::<Result<_>>()?;
    Ok(table(&header, &rows))
}

fn times(candidates: &[Candidate], rows: &[ReviewCost], recorded: &RecordedMedian) -> String {
    let mut header = cells(["review", "bytes", "gets", "no-op in µs"]);
    header.extend(others(candidates));
    header.push("policy, with the host's own work".to_owned());
    let lines = rows.iter().map(|row| {
        let noop = |of: fn(&Cost) -> f64| row.costs.first().map_or(f64::NAN, of);
        let policy = row.costs.get(POLICY);
        let mut line = vec![
            row.name.clone(),
            row.bytes.to_string(),
            policy.map_or(0, |cost| cost.gets).to_string(),
            format!("{:.0}", noop(|cost| cost.call)),
        ];
        line.extend(row.costs.iter().skip(1).map(|cost| ratio(cost.call / noop(|cost| cost.call))));
        line.extend(policy.map(|cost| ratio(cost.as_host / noop(|cost| cost.as_host))));
        line
    });
    let mut lines: Vec<Vec<String>> = lines.collect();
    let mut line = vec![
        format!("{} recorded reviews, median", recorded.reviews),
        format!("{:.0}", recorded.bytes),
        format!("{} in all", recorded.gets),
        String::new(),
    ];
    line.extend(recorded.call.iter().skip(1).copied().map(ratio));
    line.extend(recorded.as_host.get(POLICY).copied().map(ratio));
    lines.push(line);
    table(&header, &lines)
}

fn instructions(candidates: &[Candidate], rows: &[ReviewCost], recorded: &RecordedMedian) -> String {
    let mut header = cells(["review", "log lines", "no-op"]);
    header.extend(others(candidates));
    let mut lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let log_lines = row.costs.get(POLICY).map_or(0, |cost| cost.log_lines);
            let mut line = vec![row.name.clone(), log_lines.to_string()];
            line.extend(row.costs.iter().map(|cost| whole(cost.instructions)));
            line
        })
        .collect();
    let mut line = vec![format!("{} recorded reviews, median", recorded.reviews), String::new()];
    line.extend(recorded.instructions.iter().copied().map(whole));
    lines.push(line);
    table(&header, &lines)
}

fn faults(candidates: &[Candidate], rows: &[ReviewCost]) -> String {
    let mut header = cells(["review", "no-op"]);
    header.extend(others(candidates));
    let line = |row: &ReviewCost| {
        let mut line = vec![row.name.clone()];
        line.extend(row.costs.iter().map(|cost| whole(cost.faults)));
        line
    };
    table(&header, &rows.iter().map(line).collect::<Vec<_>>())
}

/// The share of each part of the policy in the instructions of each review, without calls into other parts.
fn parts(named: &Module) -> Result<String> {
    let mut header = cells([""]);
    let mut by_part: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let profiled: Vec<Scenario> =
        scenarios()?.into_iter().filter(|scenario| !scenario.name.contains("1,000")).collect();
    for (column, scenario) in profiled.iter().enumerate() {
        header.push(scenario.name.to_owned());
        for stack in stacks(named, scenario)?.1 {
            let part = stack.first().map_or("", |function| part(function));
            let counts = by_part.entry(part.to_owned()).or_insert_with(|| vec![0; profiled.len()]);
            if let Some(count) = counts.get_mut(column) {
                *count += 1;
            }
        }
    }
    let mut rows: Vec<(String, Vec<u64>)> = by_part.into_iter().collect();
    rows.sort_by_key(|(_, counts)| Reverse(counts.iter().sum::<u64>()));
    let percent = |count: &u64| ((count * 100 + STOPS / 2) / STOPS).to_string();
    let rows = rows.iter().map(|(part, counts)| [part.clone()].into_iter().chain(counts.iter().map(percent)).collect());
    Ok(table(&header, &rows.collect::<Vec<_>>()))
}

/// The cost of a hundred times as many labels: the rows for 1,000 labels against the rows for 10.
fn growth(candidates: &[Candidate], rows: &[ReviewCost]) -> Result<String> {
    let mut header = cells(["review"]);
    for candidate in candidates.iter().skip(POLICY) {
        header.extend([format!("{}: time", candidate.name), format!("{}: instructions", candidate.name)]);
    }
    let mut lines = Vec::new();
    for many in rows.iter().filter(|row| row.name.contains("1,000")) {
        let few = many.name.replace("1,000", "10");
        let few = rows.iter().find(|row| row.name == few).with_context(|| format!("no review {few}"))?;
        let mut line = vec![many.name.replace("1,000 ", "")];
        for (many, few) in many.costs.iter().zip(&few.costs).skip(POLICY) {
            line.push(times_as_much(many.call / few.call));
            line.push(times_as_much(many.instructions / few.instructions));
        }
        lines.push(line);
    }
    Ok(table(&header, &lines))
}

fn others(candidates: &[Candidate]) -> impl Iterator<Item = String> {
    candidates.iter().skip(1).map(|candidate| candidate.name.clone())
}

fn cells<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

fn ratio(value: f64) -> String {
    if value.is_nan() { FAILS.to_owned() } else { format!("{value:.2}") }
}

fn whole(value: f64) -> String {
    if value.is_nan() { FAILS.to_owned() } else { format!("{value:.0}") }
}

fn times_as_much(value: f64) -> String {
    if value.is_nan() { FAILS.to_owned() } else { format!("× {value:.0}") }
}

/// Printed if a module cannot answer.
const FAILS: &str = "fails";
