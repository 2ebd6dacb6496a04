//! Runs the tests with one mutant after the other.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, available_parallelism};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use crate::tree::Programs;

/// What became of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MutantResult {
    /// A case of the corpus failed, or another test.
    Killed(String),
    /// The tests did not end.
    TimedOut,
    Survived,
    /// No case of the corpus executes it, and no other test notices it.
    Unreached,
}

/// How long a case may take. Other work on the machine makes it slower.
const PATIENCE: Duration = Duration::from_secs(20);

/// The results of mutants, by their numbers, each given with its package. `done` gets each after the corpus, and those that
/// it leaves again after the other tests.
pub(crate) fn results(
    programs: &Programs,
    folder: &Path,
    mutants: &[(u32, &str)],
    done: impl Fn(&str, u32, &MutantResult) + Sync,
) -> Result<BTreeMap<u32, MutantResult>> {
    let mut results = by_workers(mutants, |queue| {
        let (mut results, mut corpus) = (BTreeMap::new(), None);
        while let Some((mutant, _)) = queue.take() {
            let mut process = match corpus.take() {
                Some(process) => process,
                None => Corpus::start(&programs.corpus, folder)?,
            };
            let (result, goes_on) = process.judge(mutant)?;
            done("the corpus", mutant, &result);
            results.insert(mutant, result);
            corpus = goes_on.then_some(process);
        }
        Ok(results)
    })?;
    // Processes of their own, so only for those that are left.
    let mut left = mutants.to_vec();
    left.retain(|(mutant, _)| matches!(results.get(mutant), Some(MutantResult::Survived | MutantResult::Unreached)));
    results.extend(by_workers(&left, |queue| {
        let mut killed = BTreeMap::new();
        while let Some((mutant, package)) = queue.take() {
            let result = killed_by_others(programs, folder, mutant, package)?;
            done("all tests", mutant, result.as_ref().unwrap_or(&MutantResult::Survived));
            killed.extend(result.map(|result| (mutant, result)));
        }
        Ok(killed)
    })?);
    Ok(results)
}

/// The mutants that are left, each with its package.
struct Queue<'m> {
    mutants: &'m [(u32, &'m str)],
    next: AtomicUsize,
}

impl<'m> Queue<'m> {
    fn take(&self) -> Option<(u32, &'m str)> {
        self.mutants.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }
}

/// What the workers find that share a queue, one for each processor.
fn by_workers(
    mutants: &[(u32, &str)],
    work: impl Fn(&Queue<'_>) -> Result<BTreeMap<u32, MutantResult>> + Sync,
) -> Result<BTreeMap<u32, MutantResult>> {
    let queue = Queue { mutants, next: AtomicUsize::new(0) };
    let count = available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(|| work(&queue))).collect();
        let mut results = BTreeMap::new();
        for worker in workers {
            results.extend(worker.join().map_err(|_| anyhow!("a worker panics"))??);
        }
        Ok(results)
    })
}

/// The process with the corpus.
struct Corpus {
    process: Child,
    to: ChildStdin,
    lines: Receiver<String>,
}

impl Corpus {
    fn start(program: &Path, folder: &Path) -> Result<Self> {
        let mut process = limited(program, folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let to = process.stdin.take().context("no standard input")?;
        let from = process.stdout.take().context("no standard output")?;
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let corpus = Self { process, to, lines };
        match corpus.lines.recv_timeout(PATIENCE * 30) {
            Ok(line) if line.starts_with("ready ") => Ok(corpus),
            other => bail!("the corpus does not pass without a mutant: {other:?}"),
        }
    }

    /// The result of a mutant, and whether the process goes on.
    fn judge(&mut self, mutant: u32) -> Result<(MutantResult, bool)> {
        writeln!(self.to, "{mutant}")?;
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => match line.split(' ').collect::<Vec<_>>().as_slice() {
                    ["begin", _] => {}
                    [_, "killed", name @ ..] => return Ok((MutantResult::Killed(name.join(" ")), true)),
                    [_, "survived", _] => return Ok((MutantResult::Survived, true)),
                    [_, "unreached"] => return Ok((MutantResult::Unreached, true)),
                    _ => bail!("the corpus prints {line:?}"),
                },
                Err(RecvTimeoutError::Timeout) => {
                    self.process.kill()?;
                    return Ok((MutantResult::TimedOut, false));
                }
                // No more memory or stack.
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok((MutantResult::Killed("it aborts".to_owned()), false));
                }
            }
        }
    }
}

impl Drop for Corpus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The first other test that fails with a mutant: those of its own package run first, then those that compare tables with
/// pages, which take milliseconds.
fn killed_by_others(programs: &Programs, folder: &Path, mutant: u32, package: &str) -> Result<Option<MutantResult>> {
    let own = package.replace('-', "_");
    let mut others: Vec<(String, &PathBuf)> = programs.others.iter().map(|program| (name(program), program)).collect();
    others.sort_by_key(|(name, _)| (*name != own, !name.ends_with("page")));
    for (name, program) in others {
        let status = Command::new("timeout")
            .args(["--kill-after=5", "120"])
            .arg(program)
            .arg("--quiet")
            .env("MUTANT", mutant.to_string())
            .current_dir(folder.join("crates/metadata-propagation"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        match status.code() {
            Some(0) => {}
            Some(124 | 137) => return Ok(Some(MutantResult::TimedOut)),
            _ => return Ok(Some(MutantResult::Killed(format!("test {name}")))),
        }
    }
    Ok(None)
}

/// The name of a test, without the hash that Cargo adds.
fn name(program: &Path) -> String {
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-').map_or(&*name, |(name, _)| name).to_owned()
}

/// A program with little memory: a loop without an end may need all there is.
fn limited(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -v 6000000; exec \"$0\""])
        .arg(program)
        .current_dir(folder.join("crates/metadata-propagation"));
    command
}
