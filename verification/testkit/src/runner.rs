//! Runs the corpus through an entry point: each document is one test, and every answer is checked against the same laws.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
pub use cases::engine::{admit, engine_of_files};
use libtest_mimic::{Arguments, Failed, Trial};
use metadata_propagation::GroupVersionKind;
use metadata_propagation::tags::{CLOUD_TAG_PREFIX, StrictProfile};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::case::{Case, CorpusDocument, corpus, documents};
use crate::cluster::ApiServer;
use crate::consistency::agrees;
use crate::difference::{self, yaml};
use crate::laws::TOPOLOGY_DRY_RUN;
use crate::owned::owned;
use crate::owners::MANAGED_FIELDS;
use crate::patch::patched;
use crate::request::request;
use crate::sequence;

/// An entry point: takes request, settings and cluster, returns the answer.
pub type EntryPoint = dyn Fn(&Value, &Value, &ApiServer) -> Result<Answer> + Send + Sync;

/// A check, by its name.
pub type Named = (String, Box<dyn Fn() -> Result<()> + Send>);

/// Every document and every sequence of the corpus through an entry point, each to be run as often as it is needed.
pub fn checks(
    entry_point: impl Fn(&Value, &Value, &ApiServer) -> Result<Answer> + Send + Sync + 'static,
) -> Result<Vec<Named>> {
    let entry_point: Arc<EntryPoint> = Arc::new(entry_point);
    let is_blessed = std::env::var_os("BLESS").is_some();
    let of = |of: CorpusDocument| -> Named {
        let entry_point = Arc::clone(&entry_point);
        (of.name().to_owned(), Box::new(move || check(&of, &*entry_point, is_blessed)))
    };
    Ok(documents()?.into_iter().map(of).chain(sequence::checks(&entry_point)?).collect())
}

/// Runs checks as the main function of a test without harness.
pub fn run(checks: Vec<Named>) -> ExitCode {
    let trial =
        |(name, check): Named| Trial::test(name, move || check().map_err(|error| Failed::from(format!("{error:#}"))));
    libtest_mimic::run(&Arguments::from_args(), checks.into_iter().map(trial).collect()).exit_code()
}

/// Compares the answers to all cases of a document with what is expected. If they are blessed, those that differ are written.
fn check(of: &CorpusDocument, entry_point: &EntryPoint, is_blessed: bool) -> Result<()> {
    let stated = |case: &Case| stated(case, entry_point).with_context(|| case.title());
    let answers = of.document.cases.iter().map(stated).collect::<Result<Vec<_>>>()?;
    let of_cases = || of.document.cases.iter().zip(&answers);
    if is_blessed && of_cases().any(|(case, answers)| case.expect.as_ref() != Some(answers)) {
        return of.bless(&answers);
    }
    for (case, answers) in of_cases() {
        let (title, expected) = (case.title(), case.expect.as_deref().unwrap_or_default());
        for (index, (stated, expect)) in answers.iter().zip(expected).enumerate() {
            ensure!(
                stated == expect,
                "{title}, step {index} answers otherwise\n{}",
                difference::values(expect, stated)
            );
        }
        let (found, expected) = (answers.len(), expected.len());
        ensure!(found == expected, "{title}: {found} answers, {expected} expected; BLESS=1 writes them");
    }
    Ok(())
}

/// What a case states of the answers to its reviews.
fn stated(case: &Case, entry_point: &EntryPoint) -> Result<Vec<Value>> {
    let mut cluster = case.cluster.clone();
    let mut answers = Vec::new();
    for (index, review) in case.reviews.iter().enumerate() {
        let answer = entry_point(review, &case.settings, &cluster)?;
        laws(review, &answer, &case.settings, &cluster, entry_point).with_context(|| format!("step {index}"))?;
        admit(review, &answer, &mut cluster)?;
        answers.push(case.form.stated(&case.settings, &answer)?);
    }
    Ok(answers)
}

/// Runs every case of the corpus through the engine, step by step, and passes each answer to `each`.
pub fn walk(mut each: impl FnMut(&Case, &Value, &Answer) -> Result<()>) -> Result<()> {
    for case in corpus()? {
        let mut cluster = case.cluster.clone();
        for review in &case.reviews {
            let answer = engine(review, &case.settings, &cluster)?;
            each(&case, review, &answer).with_context(|| case.title())?;
            admit(review, &answer, &mut cluster)?;
        }
    }
    Ok(())
}

/// The engine as an entry point, without a host in between.
pub fn engine(request: &Value, settings: &Value, cluster: &ApiServer) -> Result<Answer> {
    Ok(cases::engine::engine(request, settings, cluster)?)
}

/// The engine's answer to the creation of an object.
pub fn created(username: &str, object: &Value, settings: &Value, cluster: &ApiServer) -> Result<Answer> {
    engine(&request(json!({ "operation": "CREATE", "username": username, "object": object })), settings, cluster)
}

/// Laws for every answer: it is the same in a dry run that is not the topology controller's, it is complete, its
/// warnings are short, and it touches only what the policy owns.
fn laws(
    review: &Value,
    answer: &Answer,
    settings: &Value,
    cluster: &ApiServer,
    entry_point: &EntryPoint,
) -> Result<()> {
    for warning in &answer.warnings {
        ensure!(warning.chars().count() <= 120, "a warning of more than 120 characters: {warning}");
    }
    let part = |name: &str| review["kind"][name].as_str().unwrap_or_default().into();
    let kind = GroupVersionKind { group: part("group"), version: part("version"), kind: part("kind") };
    for operation in &answer.patch {
        let path = operation["path"].as_str().unwrap_or_default();
        // `consistency` compares it with the written values.
        if path.starts_with(MANAGED_FIELDS) {
            continue;
        }
        for leaf in leaves(path, &operation["value"]) {
            ensure!(may_be_written(&kind, &leaf, settings), "the patch touches {leaf}");
        }
    }
    agrees(review, settings, answer)?;
    if review["object"]["metadata"]["annotations"].get(TOPOLOGY_DRY_RUN).is_some() {
        return Ok(());
    }
    let Some(mut again) = review.as_object().cloned() else { return Ok(()) };
    let settings_say_check = settings["clusterApi"]["selfCheck"] == true;
    again.insert("dryRun".to_owned(), json!(review["dryRun"] != true));
    let dry = entry_point(&Value::Object(again.clone()), settings, cluster)?;
    let same = settings_say_check || dry == *answer;
    ensure!(same, "a dry run answers otherwise\n{}", difference::values(answer, &dry));
    if answer.accepted && review["object"].is_object() {
        again.insert("object".to_owned(), patched(&review["object"], &answer.patch)?);
        let second = entry_point(&Value::Object(again), settings, cluster)?;
        ensure!(
            second.accepted && second.patch.is_empty(),
            "evaluating the result again changes it: {}",
            yaml(&second)
        );
    }
    Ok(())
}

/// The paths of all leaves of a value that is set at a path.
fn leaves(path: &str, value: &Value) -> Vec<String> {
    match value.as_object() {
        Some(fields) if !fields.is_empty() => {
            fields.iter().flat_map(|(name, value)| leaves(&format!("{path}/{name}"), value)).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// Whether the policy owns a path of an object: what [`owned`] lists, its own keys among the cloud tags, and their
/// declaration.
fn may_be_written(kind: &GroupVersionKind<'_>, path: &str, settings: &Value) -> bool {
    let declares = path.starts_with("/spec/versions/") && path.contains("/schema/openAPIV3Schema/properties");
    let is_own_tag = || {
        let key = path.strip_prefix("/spec/cloudTags/").map(|key| key.replace("~1", "/")).unwrap_or_default();
        let profiles = settings["cloudTags"]["profiles"].as_object().into_iter().flat_map(|profiles| profiles.values());
        let strict = profiles.filter_map(|name| StrictProfile::named(name.as_str()?));
        let own = settings["cloudTags"]["prefix"].as_str().unwrap_or(CLOUD_TAG_PREFIX);
        let strict = strict.map(|profile| profile.spelling.prefix(own));
        // Where key and value are one text, with a colon between them, the prefix may end in the value.
        let (key, joined) = (key.to_lowercase(), key.to_lowercase() + ":");
        let is_own = |prefix: &str| key.starts_with(prefix) || prefix.starts_with(&joined);
        strict.chain([own.to_owned()]).any(|prefix| is_own(&prefix.to_lowercase()))
    };
    if declares || path == "/spec/cloudTags" || is_own_tag() {
        return true;
    }
    let mut at = String::new();
    for step in path.split('/').skip(1) {
        match step.parse::<usize>() {
            Ok(_) => at.push_str("[]"),
            Err(_) if at.is_empty() => at.push_str(step),
            Err(_) => at.extend([".", step]),
        }
    }
    owned(kind).iter().filter(|own| *own != "spec.cloudTags").any(|own| {
        let below = at.strip_prefix(own.as_str());
        // An object that contains nothing else is removed with its last field.
        let holds = at.ends_with("deletion") && own.starts_with(&at);
        holds || below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}
