//! The corpus, through the compiled module in a waPC host.

use std::sync::LazyLock;

use testkit::module::Module;

static POLICY: LazyLock<Module> = LazyLock::new(|| match Module::policy() {
    Ok(module) => module,
    Err(error) => panic!("{error:#}"),
});

fn main() -> anyhow::Result<std::process::ExitCode> {
    testkit::runner::run(&|request, settings, cluster| POLICY.validate(request, settings, cluster))
}
