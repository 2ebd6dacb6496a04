//! `make mutants`: changes the decisions in every small way that cargo-mutants lists, one at a time, and reports the changes
//! that no test notices. All of them are built at once, each behind a switch, so that a mutant costs milliseconds.
//!
//!     mutants [--package NAME]... [--file GLOB]... [--diff FILE] [--tests corpus] [--result FILE]
//!
//! `--package tables` changes each cell of the tables once.
//!
//! `testdata/mutants.txt` has the mutants that make no difference, each with the reason.

mod cells;
mod list;
mod run;
mod syntax;
mod tree;
mod weave;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use testkit::results::{Counted, ResultPart};
use testkit::root;

use crate::list::Mutant;
use crate::run::{MutantResult, results};
use crate::tree::SourceTree;

/// The crates with the decisions.
const DECISIONS: &[&str] =
    &["raw-json", "kubernetes", "tag-rules", "cluster-api", "cloud-tags", "tag-delivery", "metadata-propagation"];

/// Beside them: the tables that decisions read.
const TABLES: &str = "tables";

/// What no decision depends on: sentences.
const WORDS: &[&str] = &["/messages", "_warning.rs", "/shortening.rs", "/capped.rs", "/fault.rs"];

#[derive(Debug, Default)]
struct Arguments {
    packages: Vec<String>,
    files: Vec<String>,
    diff: Option<PathBuf>,
    result: Option<PathBuf>,
    corpus_only: bool,
}

impl Arguments {
    fn read() -> Result<Self> {
        let mut read = Self::default();
        let mut given = std::env::args().skip(1);
        while let Some(name) = given.next() {
            let value = given.next().with_context(|| format!("{name} without a value"))?;
            match name.as_str() {
                "--package" => read.packages.push(value),
                "--file" => read.files.push(value),
                "--diff" => read.diff = Some(fs::canonicalize(value)?),
                "--result" => read.result = Some(value.into()),
                "--tests" => read.corpus_only = value == "corpus",
                _ => bail!(
                    "usage: mutants [--package NAME]... [--file GLOB]... [--diff FILE] [--tests corpus] [--result FILE]"
                ),
            }
        }
        if read.packages.is_empty() {
            read.packages = DECISIONS.iter().map(|name| (*name).to_owned()).collect();
        }
        Ok(read)
    }
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::read()?;
    let root = root().canonicalize()?;
    let mutants = numbered(&root, &arguments)?;
    if mutants.is_empty() {
        println!("no line of the decisions changes: no mutants");
        return Ok(ExitCode::SUCCESS);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut tree = SourceTree::new(&root, target.join("mutants/tree"), target.clone(), &mutants)?;
    eprintln!("{} mutants are built", mutants.len());
    let programs = tree.build(&root, arguments.corpus_only)?;
    let left: Vec<(u32, &str)> = mutants
        .iter()
        .filter(|(number, _)| !tree.unviable.contains(number) && !tree.fixed.contains(number))
        .map(|(number, mutant)| (*number, &*mutant.package))
        .collect();
    let count = AtomicUsize::new(0);
    let results = results(&programs, &tree.folder, &left, |after, number, result| {
        let count = count.fetch_add(1, Ordering::Relaxed) + 1;
        if matches!(result, MutantResult::Survived | MutantResult::Unreached | MutantResult::TimedOut)
            && let Some(mutant) = mutants.get(&number)
        {
            eprintln!("[{count}] {result:?} after {after}: {}", mutant.name);
        }
    })?;
    report(&arguments, &mutants, &tree, &results)
}

/// The mutants that are asked for, each with the number of its switch.
fn numbered(root: &std::path::Path, arguments: &Arguments) -> Result<BTreeMap<u32, Mutant>> {
    if arguments.packages == [TABLES] {
        return Ok((1..).zip(cells::listed(root)?).collect());
    }
    let listed = list::listed(root, &arguments.packages, &arguments.files, arguments.diff.as_deref())?;
    let mut by_file: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    for mutant in listed {
        if !WORDS.iter().any(|words| mutant.file.contains(words)) {
            by_file.entry(mutant.file.clone()).or_default().push(mutant);
        }
    }
    let mut all = Vec::new();
    for (file, of) in by_file {
        let source = fs::read_to_string(root.join(&file)).with_context(|| file.clone())?;
        let operands = weave::operands(&source, &of).with_context(|| file.clone())?;
        all.extend(of);
        all.extend(operands);
    }
    Ok((1..).zip(all).collect())
}

/// The figures of a crate.
#[derive(Debug, Default)]
struct Figures {
    unviable: u64,
    fixed: u64,
    by_corpus: u64,
    by_others: u64,
    timeouts: u64,
    argued: u64,
    survived: u64,
}

/// Prints the figures of each crate, and every mutant that survived without a reason.
fn report(
    arguments: &Arguments,
    mutants: &BTreeMap<u32, Mutant>,
    tree: &SourceTree<'_>,
    results: &BTreeMap<u32, MutantResult>,
) -> Result<ExitCode> {
    let reasons = fs::read_to_string(root().join("testdata/mutants.txt"))?;
    let mut argued: BTreeMap<&str, bool> =
        reasons.lines().filter_map(|line| line.rsplit_once(" | ")).map(|(title, _)| (title, false)).collect();
    let mut by_crate: BTreeMap<&str, Figures> = BTreeMap::new();
    let mut survivors = BTreeSet::new();
    for (number, mutant) in mutants {
        let figures = by_crate.entry(mutant.group()).or_default();
        match results.get(number) {
            None if tree.fixed.contains(number) => figures.fixed += 1,
            None => figures.unviable += 1,
            Some(MutantResult::Killed(by)) if by.starts_with("test ") => figures.by_others += 1,
            Some(MutantResult::Killed(_)) => figures.by_corpus += 1,
            Some(MutantResult::TimedOut) => figures.timeouts += 1,
            Some(MutantResult::Survived | MutantResult::Unreached) => match argued.get_mut(mutant.title().as_str()) {
                Some(used) => {
                    *used = true;
                    figures.argued += 1;
                }
                None => {
                    figures.survived += 1;
                    survivors.insert(mutant.name.as_str());
                }
            },
        }
    }
    println!(
        "| crate or table | viable | killed by the corpus | by other tests | timeouts | argued | survived | do not compile | have no switch |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut counted = Counted::default();
    for (name, f) in &by_crate {
        let viable = f.by_corpus + f.by_others + f.timeouts + f.argued + f.survived;
        println!(
            "| {name} | {viable} | {} | {} | {} | {} | {} | {} | {} |",
            f.by_corpus, f.by_others, f.timeouts, f.argued, f.survived, f.unviable, f.fixed
        );
        counted.parts.insert((*name).to_owned(), ResultPart { comparisons: viable, differences: f.survived });
    }
    for name in &survivors {
        println!("survived: {name}");
    }
    for (title, _) in argued.iter().filter(|(_, used)| !**used && arguments.is_whole()) {
        println!("testdata/mutants.txt has a line about a mutant that does not survive: {title}");
    }
    if let Some(file) = &arguments.result {
        // What is true of a crate is true without the others.
        let is_partial = arguments.packages != DECISIONS;
        let run = serde_json::json!({ "partial": is_partial, "alone": true, "versions": counted.versions, "parts": counted.parts });
        fs::write(file, run.to_string())?;
    }
    Ok(if survivors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Arguments {
    /// Whether all mutants run.
    fn is_whole(&self) -> bool {
        self.files.is_empty() && self.diff.is_none() && self.packages == DECISIONS
    }
}
