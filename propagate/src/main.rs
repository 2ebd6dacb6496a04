//! `propagate`: what the rules of metadata propagation say about manifests, before they are applied.
//!
//! An entry point, like the policy: it reads files and prints. Findings are the engine's, in the engine's words;
//! objects, positions and results are those of `fleet`.

mod applied;
mod apply;
mod args;
mod autoscaler;
mod backfill;
mod check;
mod checks;
mod classes;
mod config;
mod doctor;
mod explain;
mod file;
mod git;
mod graph;
mod groups;
mod input;
mod kustomizations;
#[cfg(feature = "cluster")]
mod live;
#[cfg(not(feature = "cluster"))]
#[path = "files_only.rs"]
mod live;
mod names;
mod output;
mod plan;
mod progress;
mod registries;
mod rendered_files;
mod renderers;
mod rendering;
mod roots;
mod session;
mod settings;
mod shell;
mod sources;
mod style;
mod tables;
mod testing;
mod topology;
mod walk;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use mimalloc::MiMalloc;

use crate::args::{Cli, Verb};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The exit status of a call, which does not depend on the output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// Nothing was found.
    Clean = 0,
    /// Something was found.
    Found = 1,
    /// The call is invalid, or something cannot be read.
    Unreadable = 2,
    /// There is nothing that the policy checks.
    Nothing = 3,
}

impl Exit {
    /// The first one whose condition holds.
    fn first<const N: usize>(conditions: [(bool, Exit); N]) -> Exit {
        conditions.into_iter().find(|(holds, _)| *holds).map_or(Exit::Clean, |(_, exit)| exit)
    }
}

fn main() -> ExitCode {
    let result = Cli::parse().completed().and_then(|cli| {
        cli.color.unwrap_or_default().write_global();
        progress::watch();
        match &cli.verb {
            Verb::Check(args) => check::run(args),
            Verb::Explain(args) => explain::run(args),
            Verb::Plan(args) => plan::run(args),
            Verb::Apply(args) => apply::run(args),
            Verb::Backfill(args) => backfill::run(args),
            Verb::Graph(args) => graph::run(args),
            Verb::Topology(args) => topology::run(args),
            Verb::Autoscaler(args) => autoscaler::run(args),
            Verb::Doctor(args) => doctor::run(args),
            Verb::Session(args) => session::run(args),
            Verb::Test(args) => testing::run(args),
            Verb::Rules { version } => tables::rules(*version),
            Verb::Profiles => tables::profiles(),
            Verb::Settings(args) => tables::settings(args),
            Verb::Completions { shell } => {
                let mut completions = Vec::new();
                clap_complete::generate(*shell, &mut Cli::command(), "propagate", &mut completions);
                output::print(&completions)
            }
            Verb::Man { directory: None } => {
                let mut page = Vec::new();
                clap_mangen::Man::new(Cli::command()).render(&mut page)?;
                output::print(&page)
            }
            Verb::Man { directory: Some(folder) } => {
                clap_mangen::generate_to(Cli::command(), folder)
                    .map_err(|error| Failure(format!("cannot write `{}`: {error}", folder.display())))?;
                Ok(Exit::Clean)
            }
        }
    });
    progress::end();
    match result {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(failure) => {
            anstream::eprintln!("{}error{}: {failure}", style::ERROR.render(), style::ERROR.render_reset());
            ExitCode::from(Exit::Unreadable as u8)
        }
    }
}

/// Why a call fails: one sentence.
#[derive(Debug)]
struct Failure(String);

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure(error.to_string())
    }
}
