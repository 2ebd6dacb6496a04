//! Sources, rule by rule: from each rule of the documents that the policy follows to its row, its cases, or the deviation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Result, ensure};
use metadata_propagation::tags::PROFILES;
use metadata_propagation::{MapKind, RULES, Rule, Version};

use super::statements::{PAGES, PROPOSAL, SourceStatement, TAGS, TERMS};
use crate::case::corpus;
use crate::runner::walk;

/// The page.
///
/// # Errors
/// When a rule has no case, a statement names a case that does not exist, or a profile has too few.
pub fn sources() -> Result<String> {
    let mut page = include_str!("sources.md").to_owned();
    let (on_page, in_code) = rules()?;
    for (name, table) in [
        ("rules", on_page),
        ("rules-in-code", in_code),
        ("pages", statements(PAGES)?),
        ("proposal", statements(PROPOSAL)?),
        ("tags", statements(TAGS)?),
        ("profiles", profiles()?),
        ("terms", terms()?),
    ] {
        page = page.replace(&format!("{{{{{name}}}}}"), table.trim_end());
    }
    Ok(page)
}

/// The kind of an object that has a rule's source, as the report names it.
fn is_source(owner: &str, kind: &str) -> bool {
    match owner {
        "ControlPlane" => kind == "KubeadmControlPlane",
        "OtherControlPlane" => kind.ends_with("ControlPlane") && kind != "KubeadmControlPlane",
        "ControlPlaneTemplate" => kind.ends_with("ControlPlaneTemplate"),
        _ => kind == owner,
    }
}

/// The cases in which each row of `RULES` sets a key, or, if the row propagates nothing, leaves one unchanged.
fn cases() -> Result<Vec<BTreeSet<String>>> {
    let mut cases = vec![BTreeSet::new(); RULES.len()];
    walk(|case, _, answer| {
        let entries = |name: &str| answer.report[name].as_array().cloned().unwrap_or_default();
        let (changes, skipped) = (entries("changes"), entries("skipped"));
        for (rule, cases) in RULES.iter().zip(&mut cases) {
            let is_met = if rule.to.is_empty() {
                skipped.iter().any(|skip| {
                    let from: Vec<&str> = skip["from"].as_str().unwrap_or_default().split(' ').collect();
                    let map = if rule.map == MapKind::Labels { "labels" } else { "annotations" };
                    // The place itself is two words; a nested place has its path after them.
                    from.len() == 2
                        && is_source(rule.from.owner(), from.first().copied().unwrap_or_default())
                        && skip["reason"] == "not-propagated"
                        && skip["map"] == map
                })
            } else {
                changes.iter().any(|change| {
                    let kind = change["source"].as_str().unwrap_or_default().split(' ').next().unwrap_or_default();
                    is_source(rule.from.owner(), kind) && change["rule"] == *rule.to_string().trim_end_matches('.')
                })
            };
            if is_met {
                cases.insert(case.name.clone());
            }
        }
        Ok(())
    })?;
    Ok(cases)
}

/// Two cases and the total count: those of the rules' own topics first, then those with the shortest names, which are
/// the most general.
fn links(cases: &BTreeSet<String>) -> String {
    const TOPICS: [&str; 9] = [
        "control-plane/",
        "machine-deployment/",
        "machine-set/",
        "machine/",
        "machine-parts/",
        "node/",
        "machine-pool/",
        "pool-machine/",
        "other-control-plane/",
    ];
    let mut ordered: Vec<&str> = cases.iter().map(String::as_str).collect();
    ordered.sort_by_key(|name| (!TOPICS.iter().any(|topic| name.starts_with(topic)), name.len()));
    let shown: Vec<String> = ordered.iter().take(2).map(|name| link(name)).collect();
    match ordered.len() {
        count @ 3.. => format!("{}; {count} in all", shown.join(", ")),
        _ => shown.join(", "),
    }
}

fn link(case: &str) -> String {
    let name = case.split('/').next_back().unwrap_or(case);
    format!("[{name}](../testdata/cases/{case}.yaml)")
}

fn row(rule: &Rule, cases: &BTreeSet<String>) -> String {
    let editions = match (rule.since, rule.until) {
        (_, Some(until)) => format!("before {until}"),
        (since, None) if since > Version::OLDEST_EDITION => format!("since {since}"),
        _ => "all".to_owned(),
    };
    let line = rule.to_string();
    format!("| {} {} | {editions} | {} |\n", rule.from.owner(), line.trim_end_matches('.'), links(cases))
}

/// The rules on Cluster API's page, and those of its code alone.
fn rules() -> Result<(String, String)> {
    const HEAD: &str = "| rule | editions | cases |\n|---|---|---|\n";
    let (mut on_page, mut in_code) = (HEAD.to_owned(), HEAD.to_owned());
    for (rule, cases) in RULES.iter().zip(cases()?) {
        ensure!(!cases.is_empty(), "a rule without a case: {} {rule}", rule.from.owner());
        let table = if rule.on_page { &mut on_page } else { &mut in_code };
        table.push_str(&row(rule, &cases));
    }
    Ok((on_page, in_code))
}

fn statements(statements: &[SourceStatement]) -> Result<String> {
    let corpus: BTreeSet<String> = corpus()?.into_iter().map(|case| case.name).collect();
    let mut table = "| the document | here | cases |\n|---|---|---|\n".to_owned();
    for SourceStatement { says, here, cases } in statements {
        for case in *cases {
            ensure!(corpus.contains(*case), "no case {case}: {says}");
        }
        let cases: Vec<String> = cases.iter().map(|case| link(case)).collect();
        writeln!(table, "| {says} | {here} | {} |", cases.join(", "))?;
    }
    Ok(table)
}

/// The cases at the limits of each profile: their names begin with its name.
fn profiles() -> Result<String> {
    let mut of_profile: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for case in corpus()? {
        let Some(name) = case.name.strip_prefix("tags-profiles/") else { continue };
        let profile = PROFILES.iter().find(|profile| name.split('_').next() == Some(profile.name));
        if let Some(profile) = profile {
            of_profile.entry(profile.name).or_default().push(link(&case.name));
        }
    }
    let mut table = "| profile | cases at its limits |\n|---|---|\n".to_owned();
    for profile in PROFILES {
        let cases = of_profile.remove(profile.name).unwrap_or_default();
        ensure!(cases.len() >= 4, "{}: {cases:?}", profile.name);
        writeln!(table, "| `{}` | {} |", profile.name, cases.join(", "))?;
    }
    Ok(table)
}

fn terms() -> Result<String> {
    let reasons = std::fs::read_to_string(crate::root().join("spec/policy/tag-skip-reasons.txt"))?;
    let mut table = "| the specification | here |\n|---|---|\n".to_owned();
    for (term, here) in TERMS {
        writeln!(table, "| {term} | {here} |")?;
    }
    for reason in reasons.lines().filter(|line| !line.starts_with('#')) {
        writeln!(table, "| reason `{reason}` | `{reason}`, in report, warning and log |")?;
    }
    Ok(table)
}
