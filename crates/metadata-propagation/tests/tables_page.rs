//! The engine's tables, each on its page of docs/.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context, Result};
use metadata_propagation::tags::{CLOUDS, Cloud, INFRA_CLUSTERS, InfraCluster, PROFILES, STRICT_PROFILES};
use metadata_propagation::{
    CARRIERS, Criterion, FIELDS, FORCED, Field, GUARDS, Guard, Hop, Keys, MapKind, Place, ROUTES, RULES, Rule, Tags,
    Version,
};
use testkit::generated::check_section;

/// The head of a table of rules.
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
    check_section("docs/rules.md", "rules", &table)
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
    check_section("docs/rules.md", "rules-older", &text)
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
    check_section("docs/rules.md", "forced", &table)
}

/// A step of propagation, as the head of a column.
fn step(hop: &Hop) -> String {
    let mut from: Vec<&str> = hop.from.iter().map(|place| place.owner()).collect();
    from.dedup();
    let opt_in = if hop.opt_in { ", with `optIn.poolToMachine`" } else { "" };
    format!("{} → {}{opt_in}", from.join(", "), hop.to.owner())
}

#[test]
fn the_page_shows_which_step_carries_which_field() -> Result<()> {
    let mut steps = Vec::new();
    for hop in FIELDS.iter().flat_map(|field| field.hops) {
        if !steps.contains(&step(hop)) {
            steps.push(step(hop));
        }
    }
    let mut table = format!("| field | {} |\n|---{}|\n", steps.join(" | "), "|---".repeat(steps.len()));
    for field in FIELDS {
        let cell = |head: &String| match field.hops.iter().find(|hop| step(hop) == *head) {
            Some(hop) if hop.since > Version::OLDEST_EDITION => hop.since.to_string(),
            Some(_) => "yes".to_owned(),
            None => String::new(),
        };
        writeln!(table, "| {} | {} |", field.name, steps.iter().map(cell).collect::<Vec<_>>().join(" | "))?;
    }
    check_section("docs/fields.md", "fields", &table)
}

#[test]
fn the_page_shows_where_fields_are() -> Result<()> {
    let mut table = "| field | v1beta2 | v1beta1 | while deleting |\n|---|---|---|---|\n".to_owned();
    for field in FIELDS {
        let [new, old] = ["v1beta2", "v1beta1"].map(|version| path(field, version));
        let deleting = field.hops.iter().filter_map(|hop| Some((hop, hop.deleting?)));
        let deleting: Vec<String> =
            deleting.map(|(hop, since)| format!("{}, {since}", step(hop).replace(" → ", " to "))).collect();
        writeln!(table, "| {} | {new} | {old} | {} |", field.name, deleting.join("; "))?;
    }
    check_section("docs/fields.md", "field-paths", &table)
}

/// The path of a field on the last object that it propagates to.
fn path(field: &Field, version: &str) -> String {
    let reaches_machines = field.hops.iter().any(|hop| hop.to == Place::Machine);
    let last = if reaches_machines { Place::Machine } else { Place::MachineSet };
    let path = field.path(last, version);
    path.map_or_else(|| "none".to_owned(), |path| format!("{} `{}`", last.owner(), path.join(".")))
}

#[test]
fn the_page_shows_the_guards() -> Result<()> {
    let mut table = "| setting | default | checks | finds | because |\n|---|---|---|---|---|\n".to_owned();
    for Guard { setting, default, on, finds, because, .. } in GUARDS {
        let default = serde_json::to_value(default)?;
        writeln!(table, "| `{setting}` | {} | {on} | {finds} | {because} |", default.as_str().unwrap_or_default())?;
    }
    check_section("docs/guards.md", "guards", &table)
}

#[test]
fn the_page_shows_the_tag_profiles() -> Result<()> {
    let mut table = "| provider | tag key | value | tags | characters of a tag key | reserved |\n".to_owned();
    table.push_str("|---|---|---|---|---|---|\n");
    for profile in PROFILES {
        writeln!(table, "| {profile} |")?;
    }
    check_section("docs/tag-profiles.md", "tag-profiles", &table)
}

#[test]
fn the_page_shows_what_clouds_take() -> Result<()> {
    let mut table = "| provider | what | key | value | tags | reserved prefixes | case of keys | source |\n".to_owned();
    table.push_str("|---|---|---|---|---|---|---|---|\n");
    for cloud in CLOUDS {
        writeln!(table, "| {cloud} |")?;
    }
    check_section("docs/tag-profiles.md", "clouds", &table)
}

#[test]
fn the_page_shows_the_strict_profiles() -> Result<()> {
    let mut table = "| profile | limits of | tags | `platform/env` and `acme:checkout/owner.id` become |\n".to_owned();
    table.push_str("|---|---|---|---|\n");
    for profile in STRICT_PROFILES {
        writeln!(table, "| {profile} |")?;
    }
    check_section("docs/tag-profiles.md", "strict-profiles", &table)
}

#[test]
fn the_page_shows_the_infrastructure_clusters() -> Result<()> {
    let mut table = "| kind | tags | provider | its webhook accepts | source |\n|---|---|---|---|---|\n".to_owned();
    for InfraCluster { kind, field, provider, webhook, source } in INFRA_CLUSTERS {
        write!(table, "| {kind} | `spec.{field}` | {provider} | ")?;
        match webhook {
            Some(Cloud { key, value, tags, .. }) => {
                let tags = tags.map_or_else(|| "any number".to_owned(), |most| most.to_string());
                write!(table, "key {}, value {}; {}; {tags} in all", key.length, value.length, value.form)?;
            }
            None => table.push_str("every tag"),
        }
        writeln!(table, " | {source} |")?;
    }
    check_section("docs/tag-profiles.md", "infra-clusters", &table)
}

#[test]
fn the_page_shows_where_resources_have_their_tags() -> Result<()> {
    let mut summary =
        "| group | release | kinds with a map | with a list | without tags |\n|---|---|---:|---:|---:|\n".to_owned();
    for provider in CARRIERS {
        let (maps, lists, none) = (
            provider.count(|tags| matches!(tags, Tags::Map(_))),
            provider.count(|tags| matches!(tags, Tags::List(..))),
            provider.count(|tags| tags == Tags::Nowhere),
        );
        writeln!(summary, "| `{}` | {} | {maps} | {lists} | {none} |", provider.group, provider.release)?;
    }
    check_section("docs/delivery.md", "carriers", &summary)
}

#[test]
fn the_page_shows_every_read() -> Result<()> {
    let mut table = "| object | when | reads, in order |\n|---|---|---|\n".to_owned();
    for route in ROUTES {
        let gets: Vec<&str> = route.gets.iter().map(|(kind, _)| *kind).collect();
        writeln!(table, "| {} | {} | {} |", route.of, route.when, gets.join(", "))?;
    }
    check_section("docs/lookups.md", "lookups", &table)
}

/// One row for each set of fields that is read from a kind.
#[test]
fn the_page_shows_the_fields_that_are_read() -> Result<()> {
    let mut table = "| read | for | fields |\n|---|---|---|\n".to_owned();
    let mut read: Vec<(&str, &[&str], Vec<&str>)> = Vec::new();
    for route in ROUTES {
        for (kind, masks) in route.gets {
            match read.iter_mut().find(|(other, fields, _)| *other == *kind && **fields == **masks) {
                Some((_, _, objects)) if objects.contains(&route.of) => {}
                Some((_, _, objects)) => objects.push(route.of),
                None => read.push((kind, masks, vec![route.of])),
            }
        }
    }
    for (kind, masks, objects) in read {
        writeln!(table, "| {kind} | {} | `{}` |", objects.join(", "), masks.join("`, `"))?;
    }
    check_section("docs/lookups.md", "masks", &table)
}
