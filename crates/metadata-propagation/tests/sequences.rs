//! The sequences, straight through `evaluate`.

use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    testkit::sequence::run(testkit::runner::engine)
}
