//! The engine, asked what Cluster API's own functions were asked.

use anyhow::Result;
use testkit::conformance::ask;
use testkit::runner::engine;

#[test]
fn the_engine_agrees_with_cluster_apis_functions() -> Result<()> {
    let findings = ask(&engine)?;
    assert_eq!(findings.differences, Vec::<String>::new());
    Ok(())
}
