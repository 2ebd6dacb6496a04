//! The policy's answers in documents: a document names cases or examples, and the engine's answers are inserted.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use regex::Regex;
use serde_json::{Value, json};
use similar::TextDiff;
use testkit::answer::Answer;
use testkit::case::{Case, corpus};
use testkit::cluster::ApiServer;
use testkit::generated::{change, check_section};
use testkit::patch::patched;
use testkit::runner::{self, admit, engine};

use documents::{blocks, documents, read};

const BEGIN: &str = "<!-- answers: ";
const END: &str = "<!-- answers: end -->";

/// Between `<!-- answers: TOPIC/CASE … -->` and `<!-- answers: end -->` are the messages that a user sees in these
/// cases; `TOPIC/CASE#2` is only the second review of a case.
#[test]
fn the_pages_show_what_the_policy_says() -> Result<()> {
    let corpus = corpus()?;
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
        let messages = names.split(' ').map(|name| messages(corpus, name)).collect::<Result<Vec<_>>>()?;
        write!(whole, "{before}{BEGIN}{names} -->\n\n```text\n{}```\n\n{END}", messages.join("\n"))?;
        rest = after;
    }
    Ok(whole + rest)
}

/// Between `<!-- change: TOPIC/CASE -->` and `<!-- change: end -->` is what the policy changes in the object of a case.
#[test]
fn the_readme_shows_what_the_policy_changes() -> Result<()> {
    let (corpus, mut shown) = (corpus()?, 0);
    change("README.md", |text| {
        let mark = Regex::new(r"(?s)(<!-- change: (\S+/\S+) -->\n).*?(<!-- change: end -->)")?;
        let mut whole = text.to_owned();
        for found in mark.captures_iter(text) {
            let case = corpus.iter().find(|case| case.name == found[2]).with_context(|| found[2].to_owned())?;
            let block = format!("{}\n```diff\n{}```\n\n{}", &found[1], changed(case)?, &found[3]);
            whole = whole.replace(&found[0], &block);
            shown += 1;
        }
        Ok(whole)
    })?;
    ensure!(shown == 2, "{shown} changes are shown");
    Ok(())
}

/// The labels, annotations and tags of a case's object, before and after the policy, as a diff.
fn changed(case: &Case) -> Result<String> {
    let review = case.reviews.first().context("no review")?;
    let object = &review["object"];
    let patched = patched(object, &engine(review, &case.settings, &case.cluster)?.patch)?;
    let of = |object: &Value| {
        let mut shown = Value::Null;
        for pointer in [
            "/kind",
            "/metadata/name",
            "/metadata/labels",
            "/metadata/annotations",
            "/spec/template/metadata",
            "/spec/cloudTags",
        ] {
            if let Some(value) = object.pointer(pointer) {
                let keys = pointer.trim_start_matches('/').split('/');
                *keys.fold(&mut shown, |at, key| &mut at[key]) = value.clone();
            }
        }
        testkit::to_yaml(&shown)
    };
    let (before, after) = (of(object)?, of(&patched)?);
    let diff = TextDiff::from_lines(&before, &after);
    Ok(diff.iter_all_changes().map(|change| format!("{} {change}", change.tag())).collect())
}

/// What kubectl prints in a case.
fn messages(corpus: &[Case], name: &str) -> Result<String> {
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

/// docs/cloud-tags.md: its complete example, and its composite with assignments under the settings before it.
#[test]
fn the_page_shows_the_tags_of_its_examples() -> Result<()> {
    for (section, kind, settings) in
        [("cloud-tags-complete", "XBucket", 0), ("cloud-tags-example", "XHetznerServer", 2)]
    {
        let tags = tags_of(kind, settings)?;
        let text = testkit::to_yaml(&json!({ "spec": { "cloudTags": tags } }))?;
        check_section(TAGS, section, &format!("```yaml result\n{text}```\n"))?;
    }
    Ok(())
}

/// The page about cloud tags.
const TAGS: &str = "docs/cloud-tags.md";

/// The tags that the page's composite of a kind gets with settings of the page.
fn tags_of(kind: &str, settings: usize) -> Result<Value> {
    let objects = of_the_page("yaml manifest")?;
    let composite = objects.iter().find(|object| object["kind"] == kind).with_context(|| format!("no {kind}"))?;
    let settings = of_the_page("yaml settings")?.into_iter().nth(settings).context("no settings")?;
    let stamped = patched(composite, &created(composite, &settings, &objects)?.patch)?;
    Ok(stamped["spec"]["cloudTags"].clone())
}

/// The definition and the Composition of the complete example lose no tags under the strictest settings.
#[test]
fn the_complete_example_loses_no_tags() -> Result<()> {
    let (objects, mut settings) = (of_the_page("yaml manifest")?, of_the_page("yaml settings")?.remove(0));
    settings["cloudTags"]["xrds"] = json!("reject");
    settings["cloudTags"]["compositions"] = json!("reject");
    let mut judged = Vec::new();
    for object in &objects {
        if ["CompositeResourceDefinition", "Composition"].iter().any(|kind| object["kind"] == *kind) {
            let answer = created(object, &settings, &objects)?;
            assert_eq!((answer.accepted, answer.warnings.as_slice()), (true, [].as_slice()), "{object}");
            judged.push(object["kind"].as_str());
        }
    }
    assert_eq!(judged, [Some("CompositeResourceDefinition"), Some("Composition")]);
    Ok(())
}

/// The blocks of a kind on the page, in order.
fn of_the_page(kind: &str) -> Result<Vec<Value>> {
    let (blocks, _) = blocks(TAGS)?;
    let blocks = blocks.iter().filter(|block| block.kind == kind);
    blocks.map(|block| serde_saphyr::from_str(&block.text).context(block.at.clone())).collect()
}

/// The answer to the creation of an object, with the registries among others in the cluster.
fn created(object: &Value, settings: &Value, others: &[Value]) -> Result<Answer> {
    let registries = others.iter().filter(|other| other["kind"] == "LabelRegistry").cloned().collect();
    runner::created("alice", object, settings, &ApiServer::new(registries, Vec::new())?)
}
