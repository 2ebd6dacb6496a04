//! `PROFILES` and `TagSkipReason` say what the specification's tables say.

use metadata_propagation::tags::{CLOUD_TAG_PREFIX, PROFILES, SEEDED, TagSkipReason};

fn lines(page: &str) -> Vec<&str> {
    page.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn the_profiles_are_the_rows_of_the_table() {
    let profiles: Vec<String> = PROFILES.iter().map(ToString::to_string).collect();
    assert_eq!(profiles, lines(include_str!("../../../spec/tag-profiles.txt")));
}

#[test]
fn the_reasons_are_the_five_in_their_order() {
    let reasons: Vec<&str> = TagSkipReason::ALL.into_iter().map(TagSkipReason::as_str).collect();
    assert_eq!(reasons, lines(include_str!("../../../spec/tag-skip-reasons.txt")));
    assert!(TagSkipReason::ALL.is_sorted());
}

#[test]
fn the_constants_are_the_specifications() {
    assert_eq!(CLOUD_TAG_PREFIX, "plexsphere:");
    assert_eq!(SEEDED, ["platform/origin", "platform/mesh-ip", "platform/domain"]);
}
