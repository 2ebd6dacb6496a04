//! What documents say that the policy says: they name cases or examples, and the engine answers.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use testkit::case::Case;
use testkit::cluster::ApiServer;
use testkit::patch::patched;
use testkit::runner::{admit, engine};

use crate::documents::{blocks, documents, read};
use crate::file::{change, check_section};

const BEGIN: &str = "<!-- answers: ";
const END: &str = "<!-- answers: end -->";

/// Between `<!-- answers: TOPIC/CASE … -->` and `<!-- answers: end -->` stands what a user reads in these cases;
/// `TOPIC/CASE#2` is a case's second review alone.
#[test]
fn the_pages_show_what_the_policy_says() -> Result<()> {
    let corpus = Case::corpus()?;
    let mut shown = 0;
    for page in documents()?.into_iter().filter(|page| page != "CONTRIBUTING.md") {
        if read(&page)?.contains(BEGIN) {
            change(&page, |text| with_answers(text, &corpus).context(page.clone()))?;
            shown += 1;
        }
    }
    assert!(shown > 0, "no page shows an answer");
    Ok(())
}

fn with_answers(text: &str, corpus: &[Case]) -> Result<String> {
    let (mut whole, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (names, after) = after.split_once(" -->\n").context("a mark without end")?;
        let (_, after) = after.split_once(END).with_context(|| format!("no {END} after {names}"))?;
        let said = names.split(' ').map(|name| said(corpus, name)).collect::<Result<Vec<_>>>()?;
        write!(whole, "{before}{BEGIN}{names} -->\n\n```text\n{}```\n\n{END}", said.join("\n"))?;
        rest = after;
    }
    Ok(whole + rest)
}

/// What kubectl prints in a case.
fn said(corpus: &[Case], name: &str) -> Result<String> {
    let (name, only) = name.split_once('#').map_or((name, None), |(name, number)| (name, Some(number)));
    let case = corpus.iter().find(|case| case.name == name).with_context(|| format!("no case {name}"))?;
    let (mut cluster, mut text) = (case.cluster.clone(), String::new());
    for (number, review) in (1..).zip(&case.reviews) {
        let answer = engine(review, &case.settings, &cluster)?;
        admit(review, &answer, &mut cluster)?;
        if only.is_some_and(|only| only != number.to_string()) {
            continue;
        }
        for warning in &answer.warnings {
            writeln!(text, "Warning: {warning}")?;
        }
        if let Some(message) = &answer.message {
            writeln!(text, "Error from server: admission webhook \"…\" denied the request: {message}")?;
        }
    }
    ensure!(!text.is_empty(), "{name} says nothing");
    Ok(text)
}

/// docs/cloud-tags.md: its composite, under its first settings.
#[test]
fn the_page_shows_the_tags_of_its_example() -> Result<()> {
    const PAGE: &str = "docs/cloud-tags.md";
    let (blocks, _) = blocks(PAGE)?;
    let parsed = |kind: &str| -> Result<Vec<Value>> {
        let blocks = blocks.iter().filter(|block| block.kind == kind);
        blocks.map(|block| serde_yaml_ng::from_str(&block.text).context(block.at.clone())).collect()
    };
    let settings = parsed("yaml settings")?.into_iter().next().context("no settings")?;
    let composite = parsed("yaml manifest")?.into_iter().find(|object| object["kind"] != "LabelRegistry");
    let composite = composite.context("no composite")?;
    let (group, version) =
        composite["apiVersion"].as_str().and_then(|text| text.split_once('/')).context("no group")?;
    let request = json!({
        "uid": "page", "operation": "CREATE", "userInfo": { "username": "alice" }, "name": composite["metadata"]["name"],
        "kind": { "group": group, "version": version, "kind": composite["kind"] }, "object": composite,
    });
    let answer = engine(&request, &settings, &ApiServer::default())?;
    let stamped = patched(&composite, &answer.patch)?;
    let tags = json!({ "spec": { "cloudTags": stamped["spec"]["cloudTags"] } });
    check_section(PAGE, "cloud-tags-example", &format!("```yaml result\n{}```\n", serde_yaml_ng::to_string(&tags)?))
}
