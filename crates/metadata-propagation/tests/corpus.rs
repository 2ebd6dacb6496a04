//! The corpus has cases for every row of the tables that users choose by name: guard rails, tag profiles, editions.

use std::collections::{BTreeMap, BTreeSet};

use TagSkipReason::{
    CountCap, KeyCharacterClass, KeyCollision, KeyTooLong, ReservedPrefix, ReservedValue, ValueCharacterClass,
    ValueTooLong,
};
use anyhow::{Context, Result};
use metadata_propagation::tags::{
    CLOUDS, Cloud, Form, INFRA_CLUSTERS, KeyCase, PROFILES, STRICT_PROFILES, TagSkipReason,
};
use metadata_propagation::{GUARDS, RULES, Version};
use serde_json::{Value, json};
use testkit::runner::{engine_of_files, walk};

/// What function-patch-and-transform itself says of the inputs of the corpus.
const FUNCTION_RESULTS: &str = include_str!("../../../testdata/crossplane/inputs.txt");

/// What the reports of the corpus say.
#[derive(Default)]
struct Seen {
    /// What each guard rail and check led to: its setting and the stance.
    findings: BTreeSet<(String, String)>,
    /// Why which profile refused a label.
    refused: BTreeSet<(String, String)>,
    /// Which cloud itself refused a tag by which rule, and `accepted` where it took one.
    clouds: BTreeSet<(String, String)>,
    /// Which webhook of an infrastructure cluster does not take which label.
    webhooks: BTreeSet<(String, String)>,
    /// The kinds of infrastructure clusters that got a tag, and where.
    stamped: BTreeSet<(String, String)>,
    versions: BTreeSet<Version>,
}

fn seen() -> Result<Seen> {
    let mut seen = Seen::default();
    walk(|_, review, answer| {
        let of = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
        let tags = answer.report.get("cloudTags").cloned().unwrap_or_default();
        seen.versions.extend(of(&answer.report, "clusterApi").parse::<Version>());
        for finding in list(answer.report.get("findings")) {
            seen.findings.insert((of(&finding, "check"), of(&finding, "stance")));
        }
        for verdict in tags.get("cloud").and_then(Value::as_object).into_iter().flat_map(|verdicts| verdicts.values()) {
            let verdict = verdict.as_str().unwrap_or_default().trim_start_matches("refused: ");
            seen.clouds.insert((of(&tags, "provider"), verdict.to_owned()));
        }
        for skip in list(tags.get("skipped")) {
            seen.refused.insert((of(&tags, "profile"), of(&skip, "reason")));
            seen.webhooks.insert((of(&skip, "provider"), of(&skip, "reason")));
        }
        let kind = review.get("kind").map(|kind| of(kind, "kind")).unwrap_or_default();
        for change in list(answer.report.get("changes")) {
            seen.stamped.insert((kind.clone(), of(&change, "at")));
        }
        Ok(())
    })?;
    Ok(seen)
}

/// The rules by which a cloud can refuse a tag.
fn rules(cloud: &Cloud) -> Vec<TagSkipReason> {
    let conditional = [
        (ReservedPrefix, !cloud.reserved.is_empty()),
        (ReservedValue, cloud.reserves_values),
        (ValueCharacterClass, cloud.value.form != Form::Any),
        (CountCap, cloud.tags.is_some()),
        (KeyCollision, cloud.case == KeyCase::Ignored),
    ];
    let conditional = conditional.into_iter().filter_map(|(reason, has)| has.then_some(reason));
    conditional.chain([KeyTooLong, ValueTooLong, KeyCharacterClass]).collect()
}

/// Pairs as `Seen` has them.
fn pairs<'a>(
    row: &'a str,
    found: impl IntoIterator<Item = &'a str> + 'a,
) -> impl Iterator<Item = (String, String)> + 'a {
    found.into_iter().map(|found| (row.to_owned(), found.to_owned()))
}

/// Both stances of each guard rail; each rule by which a profile, a cloud or a webhook refuses a label, and a tag that the cloud
/// accepts; each kind of infrastructure cluster.
#[test]
fn every_row_that_users_name_has_its_cases() -> Result<()> {
    let seen = seen()?;
    let guards = GUARDS.iter().flat_map(|guard| pairs(guard.setting, ["warn", "reject"]));
    let profiles = PROFILES.iter().flat_map(|profile| {
        let has_limit = |reason: &TagSkipReason| *reason != ReservedPrefix || !profile.reserved.is_empty();
        pairs(profile.name, TagSkipReason::ALL.into_iter().filter(has_limit).map(TagSkipReason::as_str))
    });
    let clouds = CLOUDS.iter().flat_map(|cloud| {
        pairs(cloud.provider, rules(cloud).into_iter().map(TagSkipReason::as_str).chain(["accepted"]))
    });
    // Except what a key of their spelling cannot do: begin as the cloud's own.
    let by_keys = |cloud| rules(cloud).into_iter().filter(|reason| *reason != ReservedPrefix);
    let strict = STRICT_PROFILES.iter().flat_map(|profile| {
        let are_one = !profile.spelling.replaced.is_empty() || profile.spelling.lower_case;
        let reasons = by_keys(profile.cloud).chain([CountCap]).chain(are_one.then_some(KeyCollision));
        pairs(profile.name, reasons.map(TagSkipReason::as_str))
    });
    let webhooks = INFRA_CLUSTERS
        .iter()
        .flat_map(|row| pairs(row.kind, row.webhook.into_iter().flat_map(by_keys).map(TagSkipReason::as_str)));
    let stamped = INFRA_CLUSTERS.iter().map(|row| (row.kind.to_owned(), format!("spec.{}", row.field)));
    for (needed, seen) in [
        (guards.collect::<BTreeSet<_>>(), &seen.findings),
        (profiles.chain(strict).collect(), &seen.refused),
        (clouds.collect(), &seen.clouds),
        (webhooks.collect(), &seen.webhooks),
        (stamped.collect(), &seen.stamped),
    ] {
        assert_eq!(needed.difference(seen).collect::<Vec<_>>(), Vec::<&(String, String)>::new());
    }
    Ok(())
}

/// The version before one: the patch before it, or else the minor version.
fn version_before(version: Version) -> Result<Version> {
    let text = version.to_string();
    let (above, last) = text.rsplit_once('.').context("a version without dot")?;
    let before = last.parse::<u16>()?.checked_sub(1).context("there is none")?;
    format!("{above}.{before}").parse().map_err(|problem: &str| anyhow::anyhow!(problem))
}

/// An edition has a case of its own, and one of the last version before it.
#[test]
fn every_edition_and_the_version_before_it_have_a_case() -> Result<()> {
    let seen = seen()?.versions;
    let editions: BTreeSet<Version> = RULES.iter().flat_map(|rule| [Some(rule.since), rule.until]).flatten().collect();
    let mut missing = Vec::new();
    for edition in editions {
        let next =
            RULES.iter().flat_map(|rule| [Some(rule.since), rule.until]).flatten().filter(|it| *it > edition).min();
        if !seen.iter().any(|version| *version >= edition && next.is_none_or(|next| *version < next)) {
            missing.push(edition);
        }
        if edition == Version::OLDEST_EDITION {
            continue;
        }
        let before = version_before(edition)?;
        if !seen.contains(&before) {
            missing.push(before);
        }
    }
    assert_eq!(missing, Vec::<Version>::new());
    Ok(())
}

#[test]
fn in_files_fields_have_no_owners() -> Result<()> {
    let recorded = r#"{"labels":["team"],"annotations":[],"fields":[]}"#;
    let recorded = json!({ "metadata-propagation.plexsphere.com/managed": recorded });
    let expected = [
        (
            "other-control-plane/what_is_added_enters_the_providers_entry",
            json!([
                { "op": "add", "path": "/metadata/annotations", "value": recorded },
                { "op": "add", "path": "/metadata/labels/team", "value": "red" },
            ]),
        ),
        (
            "ownership/without_managed_fields_an_edit_is_left_to_cluster_api",
            json!([{ "op": "replace", "path": "/metadata/labels/team", "value": "red" }]),
        ),
    ];
    let mut found = Vec::new();
    walk(|case, review, _| {
        if let Some((name, _)) = expected.iter().find(|(name, _)| **name == *case.name) {
            let answer = engine_of_files(review, &case.settings, &case.cluster)?;
            found.push((*name, serde_json::to_value(answer.patch)?));
        }
        Ok(())
    })?;
    assert_eq!(found, expected);
    Ok(())
}

/// Whether the function refuses the input of each case.
fn refused() -> BTreeMap<&'static str, bool> {
    let lines = FUNCTION_RESULTS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" |"));
    lines.map(|(case, refused_inputs)| (case, !refused_inputs.trim().is_empty())).collect()
}

/// Every case of the topic has a line, and every line a case.
#[test]
fn the_policy_refuses_the_inputs_that_the_function_refuses() -> Result<()> {
    let (refused_inputs, mut found) = (refused(), BTreeMap::new());
    walk(|case, _, answer| {
        if case.name.starts_with("tag-delivery-inputs/") || refused_inputs.contains_key(&*case.name) {
            let findings = answer.report.get("findings").and_then(Value::as_array).map(Vec::as_slice);
            let fails = |finding: &Value| finding.get("verdict").and_then(Value::as_str) == Some("fails");
            found.insert(case.name.clone(), findings.unwrap_or_default().iter().any(fails));
        }
        Ok(())
    })?;
    let refused_inputs: BTreeMap<String, bool> =
        refused_inputs.into_iter().map(|(case, refused)| (case.to_owned(), refused)).collect();
    assert_eq!(found, refused_inputs);
    Ok(())
}
