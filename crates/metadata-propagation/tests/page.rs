//! `RULES` says what Cluster API's page says, line by line, in every edition; `FORCED` holds together; `PROFILES` and
//! `TagSkipReason` say what the tables of the specification of cloud tags say.

#![expect(clippy::disallowed_methods, reason = "the pages are files; it is the engine that reads none")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, anyhow};
use metadata_propagation::tags::{CLOUD_TAG_PREFIX, PROFILES, SEEDED, TagSkipReason};
use metadata_propagation::{FORCED, MapKind, RULES, Version};
use serde_json::{Value, json};
use testkit::cluster::ApiServer;

/// Slips of the page: what it says, what it means. An entry that no longer matches a line fails the test.
const ERRATA: &[(&str, &str)] = &[
    ("`.spec.topology.machineDeployments[i]", "`.spec.topology.workers.machineDeployments[i]"),
    ("`.spec.worker.machineDeployments[i]", "`.spec.workers.machineDeployments[i]"),
    ("=> MachineSet.annotations", "=> `MachineSet.annotations`"),
];

/// The pages in testdata/spec/cluster-api/, each with the version in the name of its file: the editions that this engine follows, oldest first.
fn editions() -> Result<BTreeMap<Version, String>> {
    let mut editions = BTreeMap::new();
    let folder = testkit::root().join("testdata/spec/cluster-api");
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(version) = name.strip_prefix("rules-").and_then(|rest| rest.strip_suffix(".txt")) {
            let version = version.parse().map_err(|error| anyhow!("{name}: {error}"))?;
            editions.insert(version, fs::read_to_string(folder.join(&name))?);
        }
    }
    Ok(editions)
}

/// The lines of a page as they are meant, and the slips that were found.
fn lines(page: &str) -> (Vec<String>, BTreeSet<&'static str>) {
    let mut used = BTreeSet::new();
    let lines = page.lines().filter(|line| !line.starts_with('#'));
    let meant = lines.map(|line| {
        ERRATA.iter().fold(line.to_owned(), |line, (says, means)| {
            if line.contains(says) {
                used.insert(*says);
            }
            line.replace(says, means)
        })
    });
    (meant.collect(), used)
}

#[test]
fn the_rules_of_an_edition_are_the_lines_of_its_page() -> Result<()> {
    let mut slips = BTreeSet::new();
    for (version, page) in editions()? {
        let (lines, used) = lines(&page);
        let rules = RULES.iter().filter(|rule| rule.on_page && rule.holds(version));
        assert_eq!(rules.map(ToString::to_string).collect::<Vec<_>>(), lines, "{version}");
        slips.extend(used);
    }
    assert_eq!(slips.len(), ERRATA.len(), "a slip is in no page any more: {slips:?}");
    Ok(())
}

#[test]
fn the_rules_change_where_an_edition_begins() -> Result<()> {
    let changes: BTreeSet<Version> = RULES.iter().flat_map(|rule| [Some(rule.since), rule.until]).flatten().collect();
    assert_eq!(changes, editions()?.into_keys().collect());
    assert_eq!(changes.first(), Some(&Version::OLDEST_EDITION));
    assert!(changes.last() <= Some(&Version::NEWEST));
    Ok(())
}

#[test]
fn machine_pools_have_the_rows_of_machine_deployments() {
    let rows = |kind: &str, other: &str| -> Vec<String> {
        let of_kind = |rule: &&metadata_propagation::Rule| {
            format!("{:?}", rule.from).starts_with(kind) && !format!("{:?}", rule.from).ends_with("Template")
        };
        let rows =
            RULES.iter().filter(of_kind).filter(|rule| rule.to.iter().all(|to| format!("{to:?}").starts_with(kind)));
        rows.map(|rule| rule.to_string().replace(kind, other).replace("machinePools", "machineDeployments")).collect()
    };
    // A MachineDeployment's annotations reach its MachineSets; a MachinePool has none.
    let mut of_pools = rows("MachinePool", "MachineDeployment");
    of_pools.retain(|line| line != "`.annotations` => Not propagated.");
    assert_eq!(of_pools, rows("MachineDeployment", "MachineDeployment"));
}

#[test]
fn no_map_of_a_place_has_two_rows_to_one_place_in_one_edition() -> Result<()> {
    for version in editions()?.into_keys() {
        let mut seen = BTreeSet::new();
        for rule in RULES.iter().filter(|rule| rule.holds(version)) {
            for to in rule.to {
                assert!(seen.insert((rule.from, rule.map, to)), "{rule}");
            }
            assert!(
                !rule.to.is_empty() || !seen.iter().any(|(from, map, _)| (rule.from, rule.map) == (*from, *map)),
                "{rule}"
            );
        }
    }
    Ok(())
}

#[test]
fn forced_labels_go_where_labels_of_the_same_hop_go() {
    for forced in FORCED {
        let targets: BTreeSet<_> = RULES
            .iter()
            .filter(|rule| rule.from == forced.from && rule.map == MapKind::Labels)
            .flat_map(|rule| rule.to)
            .collect();
        assert!(forced.to.iter().all(|to| targets.contains(to)), "{forced}");
    }
}

#[test]
fn no_hop_forces_a_label_twice() {
    let mut seen = BTreeSet::new();
    for forced in FORCED {
        for to in forced.to {
            assert!(seen.insert((forced.from, to, forced.key)), "{forced}");
        }
    }
}

const PROFILES_PAGE: &str = include_str!("../../../testdata/spec/policy/tag-profiles.txt");

fn uncommented(page: &str) -> Vec<&str> {
    page.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn the_profiles_are_the_rows_of_the_table() {
    let profiles: Vec<String> = PROFILES.iter().map(ToString::to_string).collect();
    assert_eq!(profiles, uncommented(PROFILES_PAGE));
}

#[test]
fn the_reasons_are_the_five_in_their_order() {
    let reasons: Vec<&str> = TagSkipReason::ALL.into_iter().map(TagSkipReason::as_str).collect();
    assert_eq!(reasons, uncommented(include_str!("../../../testdata/spec/policy/tag-skip-reasons.txt")));
    assert!(TagSkipReason::ALL.is_sorted());
}

#[test]
fn the_constants_are_the_specifications() {
    assert_eq!(CLOUD_TAG_PREFIX, "plexsphere:");
    assert_eq!(SEEDED, ["platform/origin", "platform/mesh-ip", "platform/domain"]);
}

/// The smallest and the largest number of one column of the profiles' table.
fn range(column: usize) -> Result<(u64, u64)> {
    let number = |line: &&str| -> Result<u64> {
        let cell = line.split('|').nth(column).context("a column is missing")?;
        Ok(cell.chars().filter(char::is_ascii_digit).collect::<String>().parse()?)
    };
    let numbers = uncommented(PROFILES_PAGE).iter().map(number).collect::<Result<Vec<_>>>()?;
    Ok((*numbers.iter().min().context("no profiles")?, *numbers.iter().max().context("no profiles")?))
}

/// What happens to a definition whose field has these bounds: `refused`, `warned about` or `accepted`.
fn verdict(tags: &Value) -> Result<&'static str> {
    let spec = json!({ "type": "object", "properties": { "cloudTags": tags } });
    let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } });
    let group = "blueprints.plexsphere.com";
    let object = json!({ "apiVersion": "apiextensions.crossplane.io/v2", "kind": "CompositeResourceDefinition",
        "metadata": { "name": "xvms.blueprints.plexsphere.com" },
        "spec": { "group": group, "versions": [{ "name": "v1", "served": true, "schema": schema }] } });
    let composites = json!([{ "apiGroups": [group], "provider": { "fixed": "aws" } }]);
    let settings = json!({ "cloudTags": { "composites": composites, "xrds": "reject" } });
    let answer = testkit::runner::created("alice", &object, &settings, &ApiServer::default())?;
    Ok(match (answer.accepted, answer.warnings.is_empty()) {
        (false, _) => "refused",
        (true, false) => "warned about",
        (true, true) => "accepted",
    })
}

/// A definition has to leave room for what every profile allows, and should for what the widest one does.
#[test]
fn the_bounds_of_the_field_are_the_limits_of_the_table() -> Result<()> {
    let of_tags: fn(u64) -> Value =
        |most| json!({ "type": "object", "maxProperties": most, "additionalProperties": { "type": "string" } });
    let of_values: fn(u64) -> Value =
        |most| json!({ "type": "object", "additionalProperties": { "type": "string", "maxLength": most } });
    for (column, bounded) in [(3, of_tags), (2, of_values)] {
        let (every, some) = range(column)?;
        assert!(every < some, "column {column}");
        let found = [every - 1, every, some - 1, some].map(|most| verdict(&bounded(most)));
        let found = found.into_iter().collect::<Result<Vec<_>>>()?;
        assert_eq!(found, ["refused", "warned about", "warned about", "accepted"], "column {column}");
    }
    Ok(())
}
