//! `RULES` says what Cluster API's page says, line by line, in both editions; `FORCED` holds together.

use std::collections::BTreeSet;

use metadata_propagation::{FORCED, MapKind, RULES, Version};

/// Slips of the page: what it says, what it means. An entry that no longer matches a line fails the test.
const ERRATA: &[(&str, &str)] = &[
    ("`.spec.topology.machineDeployments[i]", "`.spec.topology.workers.machineDeployments[i]"),
    ("`.spec.worker.machineDeployments[i]", "`.spec.workers.machineDeployments[i]"),
    ("=> MachineSet.annotations", "=> `MachineSet.annotations`"),
];

fn check(page: &str, version: Version) {
    let mut used = BTreeSet::new();
    let lines = page.lines().filter(|line| !line.starts_with('#'));
    let page: Vec<String> = lines
        .map(|line| {
            ERRATA.iter().fold(line.to_owned(), |line, (says, means)| {
                if line.contains(says) {
                    used.insert(*says);
                }
                line.replace(says, means)
            })
        })
        .collect();
    let rules: Vec<String> =
        RULES.iter().filter(|rule| rule.on_page && rule.holds(version)).map(ToString::to_string).collect();
    assert_eq!(rules, page);
    assert_eq!(used.len(), ERRATA.len(), "a slip of the page was mended: {used:?}");
}

#[test]
fn the_rules_of_v1_6_are_the_lines_of_its_page() {
    check(include_str!("../../../spec/rules-v1.6.txt"), Version::OLDEST_EDITION);
}

#[test]
fn the_rules_of_v1_10_are_the_lines_of_its_page() {
    check(include_str!("../../../spec/rules-v1.10.txt"), Version::NODE_EXPRESSIONS);
}

#[test]
fn the_newest_version_has_the_newest_edition() {
    for rule in RULES {
        assert_eq!(rule.holds(Version::NEWEST), rule.holds(Version::NODE_EXPRESSIONS), "{rule}");
    }
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
fn no_map_of_a_place_has_two_rows_to_one_place_in_one_edition() {
    for version in [Version::OLDEST_EDITION, Version::NEWEST] {
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
