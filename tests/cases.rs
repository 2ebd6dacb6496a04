//! The corpus, cases and sequences, through the compiled module in a waPC host.

use std::process::ExitCode;

use testkit::module::Module;

fn main() -> anyhow::Result<ExitCode> {
    let policy = Module::policy()?;
    let checks =
        testkit::runner::checks(move |request, settings, cluster| policy.validate(request, settings, cluster))?;
    Ok(testkit::runner::run(checks))
}
