//! The corpus, straight through `evaluate`.

use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    testkit::runner::run(testkit::runner::engine)
}
