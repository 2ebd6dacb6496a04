//! What the checks that `make test` does not run found last: `testdata/results`.
//!
//!     results status                     which results are current, which are stale, and what to run
//!     results record FOLDER SECONDS      keeps what checks have just counted, with the digests of what they are about

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use testkit::results::{CHECKS, Counted, ExpensiveCheck, Freshness, ResultFile};
use testkit::root;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["status"] => status(),
        ["record", folder, seconds] => record(folder, seconds),
        _ => bail!("usage: results status\n       results record FOLDER SECONDS"),
    }
}

/// Prints a line for each check.
fn status() -> Result<()> {
    if !is_module_built()? {
        println!(
            "policy.wasm is older than its sources, or missing: what is said about it holds after `make policy.wasm`"
        );
    }
    for check in CHECKS {
        let name = check.name;
        let Some(found) = check.recorded()? else {
            println!("never    {name:26} run: {}", check.command);
            continue;
        };
        let ResultFile { date, commit, counted, seconds, .. } = &found;
        let summary = format!("{counted}; {commit}, {date}, {} min", seconds.div_ceil(60));
        match found.state(&check.digests()?) {
            Freshness::Current => println!("current  {name:26} {summary}"),
            Freshness::Stale(changed) => {
                println!("stale    {name:26} {summary}");
                println!("         {:26} changed since: {}; run: {}", "", shortened(&changed), check.command);
            }
        }
    }
    Ok(())
}

/// Whether the module is newer than the sources that it is built from. Building it takes minutes, so `status` does not.
fn is_module_built() -> Result<bool> {
    let Ok(module) = fs::metadata(root().join("policy.wasm")) else { return Ok(false) };
    let (built, mut folders) = (module.modified()?, vec![root().join("src"), root().join("crates")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let (entry, is_test) = entry.map(|entry| (entry.path(), entry.file_name() == "tests"))?;
            if entry.is_dir() && !is_test {
                folders.push(entry);
            } else if entry.metadata()?.modified()? > built && !is_test {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The first ones of a list.
fn shortened(changed: &[String]) -> String {
    const MOST: usize = 5;
    let mut named = changed.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    if changed.len() > MOST {
        named.push_str(&format!(" and {} more", changed.len() - MOST));
    }
    named
}

/// What a program has written of a check.
#[derive(Deserialize)]
struct CheckRun {
    /// Whether it left parts out.
    #[serde(default)]
    partial: bool,
    /// Whether its parts are a result without those that it left out.
    #[serde(default)]
    alone: bool,
    /// What it counted.
    #[serde(flatten)]
    counted: Counted,
}

/// Keeps what the checks of a folder have counted: each file has the name of its check.
fn record(folder: &str, seconds: &str) -> Result<()> {
    let seconds = seconds.parse().with_context(|| seconds.to_owned())?;
    for entry in fs::read_dir(folder).with_context(|| folder.to_owned())? {
        let file = entry?.path();
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let check = ExpensiveCheck::named(&name).with_context(|| format!("there is no check {name:?}"))?;
        let run = serde_json::from_str(&fs::read_to_string(&file)?).with_context(|| file.display().to_string())?;
        record_one(check, run, seconds).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// A whole run replaces the recorded result, a partial one only its own parts.
fn record_one(check: &ExpensiveCheck, run: CheckRun, seconds: u64) -> Result<()> {
    let counted = run.counted;
    ensure!(counted.parts.values().any(|part| part.comparisons > 0), "it has no comparison: nothing was checked");
    let inputs = check.digests()?;
    for input in check.inputs()? {
        ensure!(inputs.contains_key(&input), "{input} does not exist");
    }
    let date = output("date", &["+%F"])?;
    let mut result = ResultFile { date, commit: commit(check)?, seconds, inputs, counted };
    if run.partial {
        let merged = check.recorded()?.and_then(|recorded| recorded.with_parts(result.clone()));
        let Some(merged) = merged.or_else(|| run.alone.then_some(result)) else {
            eprintln!("{} is not written: it has no current result of the other parts", check.file());
            return Ok(());
        };
        result = merged;
    }
    let path = root().join(check.file());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, serde_json::to_string_pretty(&result)? + "\n")?;
    eprintln!("{} is written: {}", check.file(), result.counted);
    Ok(())
}

/// The commit that is checked out. The result is about other code if a file of its inputs, or of the policy, has changed.
fn commit(check: &ExpensiveCheck) -> Result<String> {
    let commit = output("git", &["rev-parse", "--short=8", "HEAD"])?;
    let inputs = check.inputs()?;
    let mut arguments = vec!["status", "--porcelain", "--", "src", "crates", "Cargo.lock", ":!*.md"];
    arguments.extend(inputs.iter().map(String::as_str).filter(|input| *input != "policy.wasm"));
    let changed = output("git", &arguments)?;
    Ok(if changed.is_empty() { commit } else { format!("{commit} with changes") })
}

/// What a program prints.
fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).current_dir(root()).output().context(program.to_owned())?;
    ensure!(output.status.success(), "{program} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
