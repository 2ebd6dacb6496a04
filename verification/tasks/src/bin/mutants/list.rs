//! The mutants that `cargo mutants --list` names, and those of `&&` and `||` that it does not have.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// A change of the code, small and on purpose.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Mutant {
    pub(crate) package: String,
    /// From the root.
    pub(crate) file: String,
    pub(crate) genre: Genre,
    pub(crate) replacement: String,
    pub(crate) span: MutantSpan,
    pub(crate) function: Option<MutatedFunction>,
    /// Its place, and what it changes.
    pub(crate) name: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct MutatedFunction {
    pub(crate) function_name: String,
}

/// What is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(crate) enum Genre {
    /// The function returns at once.
    FnValue,
    BinaryOperator,
    UnaryOperator,
    /// The arm never matches.
    MatchArm,
    /// The guard is true, or false.
    MatchArmGuard,
    /// The field is the one of the base expression.
    StructField,
    /// One of the operands of `&&` or `||` is the whole expression. Only `weave` makes these.
    Operand,
    /// A cell of a table, which ends there, has another value, or none. Only `cells` makes these.
    Cell {
        end: usize,
    },
}

#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct MutantSpan {
    pub(crate) start: SourcePosition,
}

/// Both begin with 1.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct SourcePosition {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Asks cargo-mutants.
pub(crate) fn listed(root: &Path, packages: &[String], files: &[String], diff: Option<&Path>) -> Result<Vec<Mutant>> {
    let mut command = Command::new("cargo");
    command.current_dir(root).args(["mutants", "--list", "--json"]);
    for package in packages {
        command.args(["--package", package]);
    }
    for file in files {
        command.args(["--file", file]);
    }
    if let Some(diff) = diff {
        command.arg("--in-diff").arg(diff);
    }
    let output = command.output().context("cargo mutants")?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo install cargo-mutants --version 27.1.0 --locked: {stderr}");
    // A change without code has no list.
    if output.stdout.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    serde_json::from_slice(&output.stdout).context("what cargo mutants lists")
}

impl Mutant {
    /// What its result is counted under: the crate, or the table.
    pub(crate) fn group(&self) -> &str {
        let table = self.function.as_ref().filter(|_| matches!(self.genre, Genre::Cell { .. }));
        table.map_or(&self.package, |table| &table.function_name)
    }

    /// What it changes and in which function, without the place in the file: lines above it come and go.
    pub(crate) fn title(&self) -> String {
        let words = self.name.splitn(4, ':').nth(3).unwrap_or(&self.name);
        format!("{}:{words}", self.file)
    }
}
