//! How many instructions the module executes for a review. The numbers are exact, the same on every machine, and recorded:
//! a change of more than three percent in either direction fails until `BLESS=1` accepts it.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use testkit::cluster::{ApiServer, ResourceHost};
use testkit::module::Module;
use testkit::recorded::{LIFE, play};
use testkit::scenarios::scenarios;

const RECORD: &str = "benches/instructions.txt";

/// The tolerated change, in percent, with the recorded compiler.
const TOLERANCE: u64 = 3;

/// The tolerated change with another compiler. rustc 1.95.0 of rustup and 1.96.0 of Debian differ by 0.3 percent; a
/// newer LLVM may differ by more.
const TOLERANCE_OF_OTHERS: u64 = 15;

#[test]
fn the_module_executes_as_many_instructions_as_recorded() -> Result<()> {
    // A module for WASI seeds its hash maps at random.
    if std::env::var("TARGET").is_ok_and(|target| target.contains("wasi")) {
        return Ok(());
    }
    let counted = counted()?;
    let compiler = compiler()?;
    let path = testkit::root().join(RECORD);
    if std::env::var_os("BLESS").is_some() {
        return Ok(fs::write(path, record(&compiler, &counted)?)?);
    }
    let recorded = fs::read_to_string(path).context(RECORD)?;
    let same_compiler = recorded.lines().any(|line| line == format!("# {compiler}"));
    let tolerance = if same_compiler { TOLERANCE } else { TOLERANCE_OF_OTHERS };
    let recorded: Vec<(String, u64)> = recorded
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (count, name) = line.trim_start().split_once("  ").context("a line without name")?;
            Ok((name.to_owned(), count.parse()?))
        })
        .collect::<Result<_>>()?;
    let names = |lines: &[(String, u64)]| lines.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&counted), names(&recorded), "`make bless` writes {RECORD}");
    let differ =
        counted.iter().zip(&recorded).filter(|((_, now), (_, then))| now.abs_diff(*then) * 100 > then * tolerance);
    let differ: Vec<String> =
        differ.map(|((name, now), (_, then))| format!("{name}: {now} instructions, not {then}")).collect();
    assert_eq!(differ, Vec::<String>::new(), "more than {tolerance} % different; `make bless` accepts it in {RECORD}");
    Ok(())
}

#[test]
fn every_scenario_is_what_its_name_says() -> Result<()> {
    let policy = Module::policy()?;
    for scenario in scenarios()? {
        let answer = policy.validate(&scenario.request, &scenario.settings, &scenario.cluster)?;
        let changes = answer.report["changes"].as_array().map_or(0, Vec::len);
        assert_eq!((answer.accepted, changes), (true, scenario.changes), "{}: {:?}", scenario.name, answer.warnings);
    }
    Ok(())
}

/// The instructions of each scenario, and of all recorded reviews together.
fn counted() -> Result<Vec<(String, u64)>> {
    let policy = Module::policy()?.counting()?;
    let count = |payload: String, cluster: ApiServer| -> Result<u64> {
        let cluster: Arc<dyn ResourceHost> = Arc::new(cluster);
        Ok(policy.call("validate", payload.as_bytes(), &cluster)?.instructions)
    };
    let mut counted = Vec::new();
    for scenario in scenarios()? {
        let instructions = count(scenario.payload(), scenario.cluster.clone())?;
        assert_eq!(count(scenario.payload(), scenario.cluster)?, instructions, "{} twice", scenario.name);
        counted.push((scenario.name.to_owned(), instructions));
    }
    let (mut reviews, mut all) = (0, 0);
    play(LIFE, |_, _, request: &Value, cluster| {
        reviews += 1;
        all += count(json!({ "request": request, "settings": {} }).to_string(), cluster.clone())?;
        Ok(())
    })?;
    counted.push((format!("{reviews} recorded reviews, all together"), all));
    Ok(counted)
}

/// The compiler that built the module, as scripts/wasm.sh left it.
fn compiler() -> Result<String> {
    let path = testkit::root().join("policy.wasm.rustc");
    let text = fs::read_to_string(&path).context("run `make policy.wasm` first")?;
    // Version only: the commit and the date add nothing.
    Ok(text.split(' ').take(2).collect::<Vec<_>>().join(" "))
}

fn record(compiler: &str, counted: &[(String, u64)]) -> Result<String> {
    let mut text = format!(
        "# Instructions of WebAssembly that policy.wasm executes for one review, start of the instance included.\n\
         # crates/testkit/tests/instructions.rs counts them; the module was built by\n# {compiler}\n"
    );
    for (name, count) in counted {
        writeln!(text, "{count:>11}  {name}")?;
    }
    Ok(text)
}
