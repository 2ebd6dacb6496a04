//! What the checks that `make test` does not run found last: `testdata/results`.
//!
//!     results status                        which results are current, which are stale, and what to run
//!     results record CHECK FILE SECONDS     keeps what a check has just counted, with the digests of what it is about

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use testkit::results::{CHECKS, Counted, ExpensiveCheck, Freshness, ResultFile};
use testkit::root;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["status"] => status(),
        ["record", name, file, seconds] => record(name, file, seconds),
        _ => bail!("usage: results status\n       results record CHECK FILE SECONDS"),
    }
}

/// Prints a line for each check.
fn status() -> Result<()> {
    for check in CHECKS {
        let name = check.name;
        let Some(found) = check.recorded()? else {
            println!("never    {name:26} run: {}", check.command);
            continue;
        };
        let ResultFile { date, commit, counted, seconds, .. } = &found;
        let summary = format!("{counted}; {commit}, {date}, {} min", seconds.div_ceil(60));
        match found.state(check, &check.digests()?) {
            Freshness::Current => println!("current  {name:26} {summary}"),
            Freshness::Stale(changed) => {
                println!("stale    {name:26} {summary}");
                println!("         {:26} changed since: {}; run: {}", "", changed.join(", "), check.command);
            }
        }
    }
    Ok(())
}

/// Keeps what a check has counted.
fn record(name: &str, file: &str, seconds: &str) -> Result<()> {
    let check = ExpensiveCheck::named(name).with_context(|| format!("there is no check {name:?}"))?;
    let counted: Counted = serde_json::from_str(&fs::read_to_string(file)?).with_context(|| file.to_owned())?;
    ensure!(counted.parts.values().any(|part| part.comparisons > 0), "{file} has no comparison: nothing was checked");
    let recorded = ResultFile {
        date: output("date", &["+%F"])?,
        commit: commit(check)?,
        seconds: seconds.parse().with_context(|| seconds.to_owned())?,
        inputs: check.digests()?,
        counted,
    };
    for input in check.inputs {
        ensure!(recorded.inputs.contains_key(*input), "{input} does not exist");
    }
    let path = root().join(check.file());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, serde_json::to_string_pretty(&recorded)? + "\n")?;
    eprintln!("{} is written: {}", check.file(), recorded.counted);
    Ok(())
}

/// The commit that is checked out. The result is about other code if a file of its inputs, or of the policy, has changed.
fn commit(check: &ExpensiveCheck) -> Result<String> {
    let commit = output("git", &["rev-parse", "--short=8", "HEAD"])?;
    let mut arguments = vec!["status", "--porcelain", "--", "src", "crates", "Cargo.lock", ":!*.md"];
    arguments.extend(check.inputs.iter().filter(|input| **input != "policy.wasm"));
    let changed = output("git", &arguments)?;
    Ok(if changed.is_empty() { commit } else { format!("{commit} with changes") })
}

/// What a program prints.
fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).current_dir(root()).output().context(program.to_owned())?;
    ensure!(output.status.success(), "{program} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
