//! Sources, rule by rule: from each rule of the documents that the policy follows to its row, its cases, or the deviation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use metadata_propagation::tags::PROFILES;
use metadata_propagation::{MapKind, RULES, Rule, Version};

use super::statements::{PAGES, PROPOSAL, SourceStatement, TAGS, TERMS};
use crate::case::files_of_cases;
use crate::runner::walk;

/// The page.
pub fn sources() -> Result<String> {
    let mut page = include_str!("sources.md").to_owned();
    let files = CaseFiles(files_of_cases()?);
    let (on_page, in_code) = rules(&files)?;
    for (name, table) in [
        ("rules", on_page),
        ("rules-in-code", in_code),
        ("pages", statements(PAGES, &files)?),
        ("proposal", statements(PROPOSAL, &files)?),
        ("tags", statements(TAGS, &files)?),
        ("profiles", profiles(&files)?),
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

/// The file of each case.
struct CaseFiles(BTreeMap<String, String>);

impl CaseFiles {
    /// A link to the file of a case, by the name of the case.
    fn link(&self, case: &str) -> Result<String> {
        let file = self.0.get(case).with_context(|| format!("no case {case}"))?;
        let name = case.split('/').next_back().unwrap_or(case);
        Ok(format!("[{name}](../{file}#{name})"))
    }
}

/// Two cases and the total count: those of the rules' own topics first, then those with the shortest names, which are
/// the most general.
fn links(cases: &BTreeSet<String>, files: &CaseFiles) -> Result<String> {
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
    let shown = ordered.iter().take(2).map(|name| files.link(name)).collect::<Result<Vec<_>>>()?.join(", ");
    Ok(match ordered.len() {
        count @ 3.. => format!("{shown}; {count} in all"),
        _ => shown,
    })
}

fn row(rule: &Rule, links: &str) -> String {
    let editions = match (rule.since, rule.until) {
        (_, Some(until)) => format!("before {until}"),
        (since, None) if since > Version::OLDEST_EDITION => format!("since {since}"),
        _ => "all".to_owned(),
    };
    let line = rule.to_string();
    format!("| {} {} | {editions} | {links} |\n", rule.from.owner(), line.trim_end_matches('.'))
}

/// The rules on Cluster API's page, and those of its code alone.
fn rules(files: &CaseFiles) -> Result<(String, String)> {
    const HEAD: &str = "| rule | editions | cases |\n|---|---|---|\n";
    let (mut on_page, mut in_code) = (HEAD.to_owned(), HEAD.to_owned());
    for (rule, cases) in RULES.iter().zip(cases()?) {
        ensure!(!cases.is_empty(), "a rule without a case: {} {rule}", rule.from.owner());
        let table = if rule.on_page { &mut on_page } else { &mut in_code };
        table.push_str(&row(rule, &links(&cases, files)?));
    }
    Ok((on_page, in_code))
}

fn statements(statements: &[SourceStatement], files: &CaseFiles) -> Result<String> {
    let mut table = "| the document | here | cases |\n|---|---|---|\n".to_owned();
    for SourceStatement { says, here, cases } in statements {
        let cases = cases.iter().map(|case| files.link(case)).collect::<Result<Vec<_>>>().context(*says)?;
        writeln!(table, "| {says} | {here} | {} |", cases.join(", "))?;
    }
    Ok(table)
}

/// The cases at the limits of each profile: their names begin with its name.
fn profiles(files: &CaseFiles) -> Result<String> {
    let mut of_profile: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for case in files.0.keys() {
        let Some(name) = case.strip_prefix("tags-profiles/") else { continue };
        let profile = PROFILES.iter().find(|profile| name.split('_').next() == Some(profile.name));
        if let Some(profile) = profile {
            of_profile.entry(profile.name).or_default().push(files.link(case)?);
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
    let reasons = std::fs::read_to_string(crate::root().join("testdata/spec/policy/tag-skip-reasons.txt"))?;
    let mut table = "| the specification | here |\n|---|---|\n".to_owned();
    for (term, here) in TERMS {
        writeln!(table, "| {term} | {here} |")?;
    }
    for reason in reasons.lines().filter(|line| !line.starts_with('#')) {
        writeln!(table, "| reason `{reason}` | `{reason}`, in report, warning and log |")?;
    }
    Ok(table)
}
