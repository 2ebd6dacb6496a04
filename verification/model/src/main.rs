//! `model COMMAND`: every order of events, and random ones for the real API server. README.md explains
//! it.

use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use model::comparison::WorldComparison;
use model::defect::Defect;
use model::known::KnownDifference;
use model::search::{SEARCHES, SearchResult, find_defect, find_known, search};
use model::trace::traces;

const USAGE: &str = "usage: model explore [EVENTS] | defects | traces --seed SEED --count COUNT";

fn main() -> Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["explore"] => explore(None),
        ["explore", events] => explore(Some(events.parse().context("EVENTS is a number")?)),
        ["defects"] => Ok(defects()),
        ["traces", "--seed", seed, "--count", count] => {
            let seed = seed.parse().context("SEED is a number")?;
            println!("{}", traces(seed, count.parse().context("COUNT is a number")?));
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!(USAGE),
    }
}

/// Runs the searches with the number of events in the table, or fewer; the searches with listed controllers run in
/// parallel with those without.
fn explore(events: Option<usize>) -> Result<ExitCode> {
    println!(
        "{:<34} {:<11} {:>6} {:>9} {:>9} {:>11} {:>8}",
        "search", "controllers", "events", "states", "steps", "evaluations", "seconds"
    );
    let all = move |lists_controllers: bool| {
        SEARCHES.iter().all(|of| {
            let events = events.unwrap_or(of.most).min(of.most);
            let found = search(WorldComparison::new(None, lists_controllers, (of.alphabet)(), events));
            let SearchResult { states, steps, evaluations, time, counterexample } = found;
            let controllers = if lists_controllers { "listed" } else { "unlisted" };
            let seconds = time.as_secs_f64();
            println!(
                "{:<34} {controllers:<11} {events:>6} {states:>9} {steps:>9} {evaluations:>11} {seconds:>8.1}",
                of.name
            );
            if let Some(it) = &counterexample {
                println!("\ndoes not hold: {}\n\n{}", it.property, it.description);
            }
            counterexample.is_none()
        })
    };
    let unlisted = std::thread::spawn(move || all(false));
    let listed = all(true);
    let unlisted = unlisted.join().map_err(|_| anyhow!("the search with unlisted controllers failed"))?;
    Ok(if listed && unlisted { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reintroduces the defects one at a time and prints the shortest description of each; then those of the known differences.
fn defects() -> ExitCode {
    let mut is_right = true;
    let known = KnownDifference::ALL.map(|known| (known.name(), "known to differ", find_known(known)));
    let defects = Defect::ALL.map(|defect| (defect.name(), defect.sentence(), find_defect(defect)));
    for (name, sentence, found) in defects.into_iter().chain(known) {
        println!("== {name}: {sentence}");
        let Some((of, SearchResult { states, counterexample: Some(it), .. })) = found else {
            println!("not found\n");
            is_right = false;
            continue;
        };
        println!("found by the search \"{}\" after {} events and {states} states", of.name, it.actions.len());
        println!("does not hold: {}\n\n{}", it.property, it.description);
    }
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
