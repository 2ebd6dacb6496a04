//! What `make bench` measures is what its tables say.

use anyhow::Result;
use testkit::module::Module;
use testkit::scenarios::scenarios;

#[test]
fn every_scenario_is_what_its_name_says() -> Result<()> {
    let policy = Module::policy()?;
    for scenario in scenarios()? {
        let answer = policy.validate(&scenario.request, &scenario.settings, &scenario.cluster)?;
        let changes = answer.report["changes"].as_array().map_or(0, Vec::len);
        assert_eq!((answer.accepted, changes), (true, scenario.changes), "{}: {:?}", scenario.name, answer.warnings);
    }
    Ok(())
}
