//! Runs the vectors of Cluster API's own functions through the compiled module.

use anyhow::Result;
use testkit::conformance::ask;
use testkit::module::Module;

#[test]
fn the_module_agrees_with_cluster_apis_functions() -> Result<()> {
    let policy = Module::policy()?;
    let findings = ask(&move |request, settings, cluster| policy.validate(request, settings, cluster))?;
    assert_eq!(findings.differences, Vec::<String>::new());
    Ok(())
}
