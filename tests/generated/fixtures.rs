//! Fixtures for kwctl, from the corpus; the page about the vectors; the grants of every manifest.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, anyhow, ensure};
use metadata_propagation::GRANTS;
use serde_json::Value;
use testkit::case::corpus;
use testkit::kwctl::fixture;
use testkit::module::Module;

use crate::documents::read;
use crate::file::check;

#[test]
fn the_conformance_page_counts_the_vectors() -> Result<()> {
    let page = testkit::agreement::page()?;
    check("conformance/README.md", &page)?;
    let sum = page.lines().find_map(|line| line.strip_prefix("| all | | | ")).context("no sum")?;
    let [all, agree, deviate, differ]: [&str; 4] =
        sum.trim_end_matches(" |").split(" | ").collect::<Vec<_>>().try_into().map_err(|cells| anyhow!("{cells:?}"))?;
    let sentence = format!(
        "{all} answers: {agree} are equal, {deviate} differ only by listed deviations, {differ} differ otherwise"
    );
    ensure!(read("docs/evidence.md")?.contains(&sentence), "docs/evidence.md does not say: {sentence}");
    Ok(())
}

#[test]
fn kwctl_fixtures_are_the_corpus() -> Result<()> {
    let policy = Module::policy()?;
    let wanted = read("e2e-tests/cases.txt")?;
    let wanted: Vec<&str> = wanted.lines().filter(|line| !line.starts_with('#')).collect();
    let corpus = corpus()?;
    for name in &wanted {
        let case = corpus.iter().find(|case| case.name == *name).with_context(|| format!("no case {name}"))?;
        for (file, content) in fixture(case, &policy)? {
            check(&format!("e2e-tests/data/{}/{file}", name.replace('/', "--")), &content)?;
        }
    }
    let mut bats =
        "#!/usr/bin/env bats\n# Generated from cases.txt: every fixture under data/ through kwctl.\n\nload helpers\n"
            .to_owned();
    for name in &wanted {
        write!(bats, "\n@test \"{name}\" {{\n    replay {}\n}}\n", name.replace('/', "--"))?;
    }
    check("e2e-tests/policy.bats", &bats)?;
    let stale = fs::read_dir(testkit::root().join("e2e-tests/data"))?.count() - wanted.len();
    ensure!(stale == 0, "{stale} folders in e2e-tests/data are not in e2e-tests/cases.txt");
    Ok(())
}

/// The core group has no name.
fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// The kinds that the policy is granted are the kinds that the engine asks for.
#[test]
fn the_metadata_grants_what_the_engine_reads() -> Result<()> {
    let mut granted: Vec<(String, String)> = GRANTS
        .iter()
        .flat_map(|grant| {
            grant.versions.iter().map(|version| (api_version(grant.group, version), grant.kind.to_owned()))
        })
        .collect();
    granted.sort();
    let metadata: Value = serde_yaml_ng::from_str(&read("policy-metadata.yml")?)?;
    let listed = metadata["contextAwareResources"].as_array().context("contextAwareResources")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut listed: Vec<_> = listed.iter().map(|grant| (text(&grant["apiVersion"]), text(&grant["kind"]))).collect();
    listed.sort();
    assert_eq!(listed, granted);
    Ok(())
}
