//! The corpus, straight through `evaluate`.

fn main() -> anyhow::Result<std::process::ExitCode> {
    testkit::runner::run(&testkit::runner::engine)
}
