//! Fixtures for kwctl, from the corpus; the page about the vectors; the last results of the long checks.

use std::fmt::Write as _;

use anyhow::{Context, Result, anyhow, ensure};
use fleet::{Exchange, session};
use metadata_propagation::{Review, Settings};
use serde_json::Value;
use testkit::generated::{check, check_section};
use testkit::kwctl;
use testkit::module::Module;

use documents::read;

/// The cases that README.md sends through kwctl.
const SHOWN: [&str; 2] =
    ["machine-set/template_labels_reach_the_set_and_its_template", "tags-composites/a_composite_of_v1_is_stamped"];

#[test]
fn the_conformance_page_counts_the_vectors() -> Result<()> {
    let page = testkit::agreement::page()?;
    check("verification/conformance/README.md", &page)?;
    let sum = page.lines().find_map(|line| line.strip_prefix("| all | | ")).context("no sum")?;
    let [all, agree, deviate, differ]: [&str; 4] =
        sum.trim_end_matches(" |").split(" | ").collect::<Vec<_>>().try_into().map_err(|cells| anyhow!("{cells:?}"))?;
    let sentence = format!(
        "{all} answers: {agree} are equal, {deviate} differ only by listed deviations, {differ} differ otherwise"
    );
    ensure!(read("docs/evidence.md")?.contains(&sentence), "docs/evidence.md does not say: {sentence}");
    Ok(())
}

/// What `make test` does not run: the files of the checks say it, with the commit.
#[test]
fn the_last_results_of_the_long_checks_are_in_the_evidence() -> Result<()> {
    check_section("docs/evidence.md", "results", &testkit::results::claims()?)
}

/// The session of each case has the questions that `propagate` records, and those that the README shows are in git.
#[test]
fn kwctl_fixtures_are_the_corpus() -> Result<()> {
    let policy = Module::policy()?;
    let mut bats =
        "#!/usr/bin/env bats\n# Generated from cases.txt: every case through kwctl.\n\nload helpers\n".to_owned();
    for case in kwctl::cases()? {
        let folder = kwctl::folder(&case);
        write!(bats, "\n@test \"{}\" {{\n    replay {folder}\n}}\n", case.name)?;
        let files = kwctl::fixture(&case, &policy)?;
        let recorded = files.iter().find(|(name, _)| *name == "session.yml").context("no session")?;
        if case.cluster.is_always_in_reach() {
            let request = case.reviews.first().context("no review")?.to_string();
            let review = Review::from_json(&request).map_err(|malformed| anyhow!("{malformed}"))?;
            let settings = Settings::from_json(&case.settings.to_string())?;
            assert_eq!(session(&review, &settings, &case.cluster), exchanges(&recorded.1)?, "{}", case.name);
        }
        if SHOWN.contains(&&*case.name) {
            for (file, content) in files {
                check(&format!("e2e-tests/data/{folder}/{file}"), &content)?;
            }
        }
    }
    check("e2e-tests/policy.bats", &bats)
}

/// The exchanges of a recorded session.
fn exchanges(text: &str) -> Result<Vec<Exchange>> {
    let entries: Vec<Value> = serde_saphyr::from_str(text)?;
    entries.iter().map(exchange).collect()
}

fn exchange(entry: &Value) -> Result<Exchange> {
    let part = |path: &str| entry.pointer(path).and_then(Value::as_str).context("no text");
    let request = part("/request")?.strip_prefix("!KubernetesGetResource\n").context("another request")?;
    let response = match part("/response/type")? {
        "Success" => Ok(part("/response/payload")?.to_owned()),
        _ => Err(part("/response/message")?.to_owned()),
    };
    Ok(Exchange { request: serde_saphyr::from_str(request)?, response })
}
