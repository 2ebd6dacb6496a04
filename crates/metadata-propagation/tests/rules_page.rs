//! docs/rules.md: which labels and annotations are propagated.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context, Result};
use metadata_propagation::{Criterion, FORCED, Keys, MapKind, Place, RULES, Rule, Version};
use testkit::generated::check_section;

const PAGE: &str = "docs/rules.md";
const HEAD: &str = "| from | keys | to |\n|---|---|---|\n";

/// The versions in which the rules changed, oldest first.
fn editions() -> BTreeSet<Version> {
    RULES.iter().flat_map(|rule| [Some(rule.since), rule.until]).flatten().collect()
}

/// The rows of one edition, in the page's order, each with the map that it reads.
fn rows(edition: Version) -> Result<Vec<((Place, MapKind), String)>> {
    let row = |rule: &Rule| {
        let printed = rule.to_string();
        let (from, to) = printed.split_once(" => ").context("a rule without arrow")?;
        let note = if rule.on_page { "" } else { " \\*" };
        let condition = if rule.needs_machine_infrastructure() { " †" } else { "" };
        let (owner, to, keys) = (rule.from.owner(), to.trim_end_matches('.'), keys(rule, edition));
        Ok(((rule.from, rule.map), format!("| {owner} {from}{note} | {keys} | {to}{condition} |")))
    };
    RULES.iter().filter(|rule| rule.holds(edition)).map(row).collect()
}

fn keys(rule: &Rule, edition: Version) -> String {
    match &rule.keys {
        Keys::Every => "all".to_owned(),
        Keys::OptIn => "those of `clusterApi.optIn.machineToInfra`".to_owned(),
        Keys::Except(keys) => {
            let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            format!("all but {}", keys.join(", "))
        }
        Keys::Only(criteria) => {
            let fixed = |criterion: &&Criterion| matches!(criterion, Criterion::Prefix(_) | Criterion::Domain(_));
            let expressions = edition.at_least(Version::NODE_LABEL_EXPRESSIONS);
            let criteria = criteria.iter().filter(|criterion| expressions || fixed(criterion));
            criteria.map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
    }
}

#[test]
fn the_page_shows_the_newest_edition() -> Result<()> {
    let newest = *editions().last().context("no editions")?;
    let mut table = format!("Cluster API {newest} and later:\n\n{HEAD}");
    for (_, row) in rows(newest)? {
        writeln!(table, "{row}")?;
    }
    check_section(PAGE, "rules", &table)
}

/// Every older edition, as its differences from the next one.
#[test]
fn the_page_shows_what_older_editions_do_otherwise() -> Result<()> {
    let mut text = String::new();
    let mut newer: Option<Version> = None;
    for edition in editions().into_iter().rev() {
        if let Some(newer) = newer {
            let (old, new) = (rows(edition)?, rows(newer)?);
            writeln!(text, "### From {edition}, before {newer}\n\n{HEAD}{}", differences(&old, &new))?;
        }
        newer = Some(edition);
    }
    check_section(PAGE, "rules-older", &text)
}

/// The rows of an older edition that a newer one does not have, and the maps without a row in it.
fn differences(old: &[((Place, MapKind), String)], new: &[((Place, MapKind), String)]) -> String {
    let mut text: String = old.iter().filter(|row| !new.contains(row)).map(|(_, row)| format!("{row}\n")).collect();
    for ((place, map), _) in new {
        if !old.iter().any(|(read, _)| *read == (*place, *map)) {
            text += &format!("| {} `{place}.{map}` | none | no rule |\n", place.owner());
        }
    }
    text
}

#[test]
fn the_page_shows_the_forced_labels() -> Result<()> {
    let mut table = "| below | label | forced on | value |\n|---|---|---|---|\n".to_owned();
    for forced in FORCED {
        let to: Vec<String> = forced.to.iter().map(|to| format!("`{}{to}.labels`", to.owner())).collect();
        let (from, to) = (format!("{}{}", forced.from.owner(), forced.from), to.join(", "));
        writeln!(table, "| `{from}` | `{}` | {to} | {} |", forced.key, forced.value)?;
    }
    check_section(PAGE, "forced", &table)
}
