//! What the documentation claims about the checks that `make test` does not run: their files say it, with the commit.

use anyhow::Result;
use testkit::generated::check_section;

#[test]
fn the_last_results_of_the_long_checks_are_in_the_evidence() -> Result<()> {
    check_section("docs/evidence.md", "results", &testkit::results::claims()?)
}
