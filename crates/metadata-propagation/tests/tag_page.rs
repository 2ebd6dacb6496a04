//! `PROFILES` and `TagSkipReason` say what the specification's tables say.

use anyhow::{Context, Result};
use metadata_propagation::tags::{CLOUD_TAG_PREFIX, PROFILES, SEEDED, TagSkipReason};
use serde_json::{Value, json};
use testkit::cluster::ApiServer;

const PROFILES_PAGE: &str = include_str!("../../../testdata/spec/policy/tag-profiles.txt");

fn lines(page: &str) -> Vec<&str> {
    page.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn the_profiles_are_the_rows_of_the_table() {
    let profiles: Vec<String> = PROFILES.iter().map(ToString::to_string).collect();
    assert_eq!(profiles, lines(PROFILES_PAGE));
}

#[test]
fn the_reasons_are_the_five_in_their_order() {
    let reasons: Vec<&str> = TagSkipReason::ALL.into_iter().map(TagSkipReason::as_str).collect();
    assert_eq!(reasons, lines(include_str!("../../../testdata/spec/policy/tag-skip-reasons.txt")));
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
    let numbers = lines(PROFILES_PAGE).iter().map(number).collect::<Result<Vec<_>>>()?;
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
