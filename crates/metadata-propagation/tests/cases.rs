//! The corpus, cases and sequences, straight through `evaluate`.

use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    Ok(testkit::runner::run(testkit::runner::checks(testkit::runner::engine)?))
}
