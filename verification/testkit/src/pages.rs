//! Pages of the documentation's site that nobody edits: long tables, made from the engine's tables and the corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use metadata_propagation::tags::PROFILES;
use metadata_propagation::{
    CARRIERS, Carrier, EFFECTS, Effect, EffectBlock, Given, Item, KeyEdit, MapKind, RULES, Row, Rule, Tags, Version,
};

use crate::case::files_of_cases;
use crate::runner::walk;

/// Tag fields by kind: `CARRIERS`.
pub fn carriers() -> Result<String> {
    let mut text = include_str!("pages/tag-carriers.md").to_owned();
    for provider in CARRIERS {
        let (group, release) = (provider.group, provider.release);
        let (maps, lists, none) = (
            provider.count(|tags| matches!(tags, Tags::Map(_))),
            provider.count(|tags| matches!(tags, Tags::List(..))),
            provider.count(|tags| tags == Tags::Nowhere),
        );
        writeln!(
            text,
            "\n## {group}\n\n{release}: {maps} kinds with a map of tags, {lists} with a list, {none} with none.\n"
        )?;
        writeln!(text, "| group | tags | kinds |\n|---|---|---|")?;
        for Carrier { service, tags, kinds } in provider.carriers {
            let service = if service.is_empty() { group.to_owned() } else { format!("{service}.{group}") };
            let tags = match tags {
                Tags::Map(path) => format!("`{path}`"),
                Tags::List(path, Item::Object) => format!("`{path}`, a list of objects"),
                Tags::List(path, Item::String) => format!("`{path}`, a list of strings"),
                Tags::Nowhere => "none".to_owned(),
            };
            writeln!(text, "| {service} | {tags} | {} |", kinds.join(", "))?;
        }
    }
    Ok(text)
}

/// The effect of an edit of each path, `EFFECTS`: one table for each kind of object, the most severe effect first.
pub fn effects() -> Result<String> {
    let mut text = include_str!("pages/effects.md").to_owned();
    let mut kinds: Vec<_> = EFFECTS.iter().map(|block| block.kind).collect();
    kinds.dedup();
    for kind in kinds {
        let mut by_effect: BTreeMap<Effect, String> = BTreeMap::new();
        for block in EFFECTS.iter().filter(|block| block.kind == kind) {
            for row in block.rows {
                for (effect, cells) in of_row(block, row) {
                    writeln!(by_effect.entry(effect).or_default(), "| {effect} | {cells} |")?;
                }
            }
        }
        let rows: String = by_effect.into_values().rev().collect();
        writeln!(text, "\n## {kind}\n\n| effect | path | in v1beta1 | only |\n|---|---|---|---|\n{}", rows.trim_end())?;
    }
    Ok(text)
}

/// The effects of the edits in one row: of the path, of a removed entry, and of specific keys.
fn of_row(block: &EffectBlock, row: &Row) -> Vec<(Effect, String)> {
    let paths = |suffix: &str, edit: &str| {
        let of = |path: Option<String>| code(path.map(|path| path + suffix)) + edit;
        let [old, new] = row.paths(block);
        let old = if old == new { String::new() } else { of(old) };
        format!("{} | {old}", of(new))
    };
    let only = |given: Given, since: Version| {
        let until = row.until.map(|until| format!("before {until}"));
        let since = (since > Version::OLDEST_EDITION).then(|| format!("since {since}"));
        let conditions = [Some(given.to_string()).filter(|given| !given.is_empty()), since, until];
        conditions.into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    let of_path = format!("{} | {}", paths("", ""), only(block.condition(row), row.since));
    let mut effects = vec![(row.effect, of_path)];
    effects.extend(
        row.removed.map(|effect| {
            (effect, format!("{} | {}", paths("", ", an entry removed"), only(Given::Replicas, row.since)))
        }),
    );
    effects.extend(row.keys.iter().map(|key| {
        let edit = match key.edit {
            KeyEdit::Removed => " removed",
            KeyEdit::Changed => " changed",
        };
        (key.effect, format!("{} | {}", paths(&format!("[{}]", key.key), edit), only(key.given, key.since)))
    }));
    effects
}

fn code(path: Option<String>) -> String {
    path.map_or_else(|| "none".to_owned(), |path| format!("`{path}`"))
}

/// From each rule of the documents that the policy follows to its row, its cases, or the deviation: `sources.md` with the tables that are generated, and a link for each case that it names, as `[[TOPIC/CASE]]`.
pub fn sources() -> Result<String> {
    let mut page = include_str!("pages/sources.md").to_owned();
    let files = CaseFiles(files_of_cases()?);
    let (on_page, in_code) = rules(&files)?;
    for (name, table) in
        [("rules", on_page), ("rules-in-code", in_code), ("profiles", profiles(&files)?), ("reasons", reasons()?)]
    {
        page = page.replace(&format!("{{{{{name}}}}}"), table.trim_end());
    }
    let mut linked = String::new();
    let mut rest = &*page;
    while let Some((before, after)) = rest.split_once("[[") {
        let (case, after) = after.split_once("]]").context("a name of a case that does not end")?;
        linked.extend([before, &*files.link(case)?]);
        rest = after;
    }
    Ok(linked + rest)
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

/// Why a label does not become a tag, as the specification names it.
fn reasons() -> Result<String> {
    let reasons = crate::read("testdata/spec/policy/tag-skip-reasons.txt")?;
    let reasons = reasons.lines().filter(|line| !line.starts_with('#'));
    Ok(reasons.map(|reason| format!("| reason `{reason}` | `{reason}`, in report, warning and log |\n")).collect())
}
