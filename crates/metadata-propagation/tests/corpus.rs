//! The corpus has cases for every row of the tables that users choose by name: guard rails, tag profiles, editions.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use metadata_propagation::tags::{
    CLOUDS, Cloud, Form, INFRA_CLUSTERS, KeyCase, PROFILES, STRICT_PROFILES, TagSkipReason,
};
use metadata_propagation::{GUARDS, RULES, Version};
use serde_json::{Value, json};
use testkit::runner::{engine_of_files, walk};

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

#[test]
fn every_guard_rail_warns_and_refuses_in_some_case() -> Result<()> {
    let seen = seen()?.findings;
    let mut missing = Vec::new();
    for guard in GUARDS {
        for stance in ["warn", "reject"] {
            if !seen.contains(&(guard.setting.to_owned(), stance.to_owned())) {
                missing.push((guard.setting, stance));
            }
        }
    }
    assert_eq!(missing, Vec::<(&str, &str)>::new());
    Ok(())
}

#[test]
fn every_limit_of_every_profile_refuses_a_label_in_some_case() -> Result<()> {
    let seen = seen()?.refused;
    let mut missing = Vec::new();
    for profile in PROFILES {
        for reason in TagSkipReason::ALL {
            let has_limit = reason != TagSkipReason::ReservedPrefix || !profile.reserved.is_empty();
            if has_limit && !seen.contains(&(profile.name.to_owned(), reason.as_str().to_owned())) {
                missing.push((profile.name, reason.as_str()));
            }
        }
    }
    assert_eq!(missing, Vec::<(&str, &str)>::new());
    Ok(())
}

/// The rules by which a cloud can refuse a tag.
fn rules(cloud: &Cloud) -> Vec<TagSkipReason> {
    use TagSkipReason::{
        CountCap, KeyCharacterClass, KeyCollision, KeyTooLong, ReservedPrefix, ReservedValue, ValueCharacterClass,
        ValueTooLong,
    };
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

#[test]
fn every_rule_of_every_cloud_refuses_a_tag_in_some_case() -> Result<()> {
    let seen = seen()?.clouds;
    let mut missing = Vec::new();
    for cloud in CLOUDS {
        for rule in rules(cloud).into_iter().map(TagSkipReason::as_str).chain(["accepted"]) {
            if !seen.contains(&(cloud.provider.to_owned(), rule.to_owned())) {
                missing.push((cloud.provider, rule));
            }
        }
    }
    assert_eq!(missing, Vec::<(&str, &str)>::new());
    Ok(())
}

/// Except what a key of its spelling cannot do: begin as the cloud's own.
#[test]
fn every_limit_of_every_strict_profile_refuses_a_label_in_some_case() -> Result<()> {
    let seen = seen()?.refused;
    let mut missing = Vec::new();
    for profile in STRICT_PROFILES {
        let mut reasons = rules(profile.cloud);
        reasons.retain(|reason| *reason != TagSkipReason::ReservedPrefix);
        reasons.push(TagSkipReason::CountCap);
        if !profile.spelling.replaced.is_empty() || profile.spelling.lower_case {
            reasons.push(TagSkipReason::KeyCollision);
        }
        for reason in reasons {
            if !seen.contains(&(profile.name.to_owned(), reason.as_str().to_owned())) {
                missing.push((profile.name, reason.as_str()));
            }
        }
    }
    assert_eq!(missing, Vec::<(&str, &str)>::new());
    Ok(())
}

#[test]
fn every_kind_of_infrastructure_cluster_is_stamped_in_some_case() -> Result<()> {
    let seen = seen()?.stamped;
    let mut missing = Vec::new();
    for row in INFRA_CLUSTERS {
        if !seen.contains(&(row.kind.to_owned(), format!("spec.{}", row.field))) {
            missing.push(row.kind);
        }
    }
    assert_eq!(missing, Vec::<&str>::new());
    Ok(())
}

/// Except what a key of the policy's spelling cannot do: begin as the cloud's own.
#[test]
fn every_limit_of_every_webhook_refuses_a_label_in_some_case() -> Result<()> {
    let seen = seen()?.webhooks;
    let mut missing = Vec::new();
    for row in INFRA_CLUSTERS {
        let mut reasons = row.webhook.map(rules).unwrap_or_default();
        reasons.retain(|reason| *reason != TagSkipReason::ReservedPrefix);
        for reason in reasons {
            if !seen.contains(&(row.kind.to_owned(), reason.as_str().to_owned())) {
                missing.push((row.kind, reason.as_str()));
            }
        }
    }
    assert_eq!(missing, Vec::<(&str, &str)>::new());
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
