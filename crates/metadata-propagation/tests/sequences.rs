//! The sequences, straight through `evaluate`.

use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    Ok(testkit::runner::run(testkit::sequence::checks(testkit::runner::engine)?))
}
