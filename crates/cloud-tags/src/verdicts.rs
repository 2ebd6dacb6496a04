//! Whether clouds' APIs accept tags, regardless of what a profile allows.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::CloudVerdict;
use tag_rules::{Cloud, KeyCase, TagSkipReason};

/// The verdict of the cloud on each tag of a resource, by ascending key: of tags with equal keys, and of too many, the
/// later ones are rejected. A cloud that is `None` has unknown limits, and a value that is `None` is not a string.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use cloud_tags::{CloudVerdict, verdicts};
/// use tag_rules::{CLOUDS, TagSkipReason};
///
/// let aws = CLOUDS.iter().find(|cloud| cloud.provider == "aws");
/// let judged = verdicts(aws, &BTreeMap::from([("aws:team", Some("red"))]));
/// assert_eq!(judged["aws:team"], CloudVerdict::Refused(TagSkipReason::ReservedPrefix));
/// ```
pub fn verdicts(cloud: Option<&Cloud>, tags: &BTreeMap<&str, Option<&str>>) -> BTreeMap<String, CloudVerdict> {
    let (mut seen, mut taken) = (BTreeSet::new(), 0);
    let verdict = |(key, value): (&&str, &Option<&str>)| {
        let verdict = match (cloud, value) {
            (Some(cloud), Some(value)) => {
                let is_twice = cloud.case == KeyCase::Ignored && !seen.insert(key.to_lowercase());
                let is_over = cloud.tags.is_some_and(|most| taken >= most);
                taken += 1;
                cloud
                    .refusal(key, value)
                    .or(is_twice.then_some(TagSkipReason::KeyCollision))
                    .or(is_over.then_some(TagSkipReason::CountCap))
                    .map_or(CloudVerdict::Accepted, CloudVerdict::Refused)
            }
            _ => CloudVerdict::Unknown,
        };
        ((*key).to_owned(), verdict)
    };
    tags.iter().map(verdict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use TagSkipReason::{
        CountCap, KeyCharacterClass, KeyCollision, KeyTooLong, ReservedPrefix, ReservedValue, ValueCharacterClass,
        ValueTooLong,
    };
    use tag_rules::clouds::{ALIBABA, AWS, AZURE, DIGITALOCEAN, GCP, HETZNER, OCI, OPENSTACK};

    #[track_caller]
    fn check(cloud: &Cloud, cases: &[(&str, &str, Option<TagSkipReason>)]) {
        for (key, value, expected) in cases {
            assert_eq!(cloud.refusal(key, value), *expected, "{} {key} {value}", cloud.provider);
        }
    }

    fn of(char: &str, times: usize) -> String {
        char.repeat(times)
    }

    #[test]
    fn aws_has_a_limit_on_each_side() {
        let cases: &[(&str, &str, Option<TagSkipReason>)] = &[
            (&of("ä", 128), "", None),
            (&of("ä", 129), "", Some(KeyTooLong)),
            ("a", &of("ä", 256), None),
            ("a", &of("ä", 257), Some(ValueTooLong)),
            ("plexsphere:platform/env", "a + b@c", None),
            ("a&b", "", Some(KeyCharacterClass)),
            ("a", "R&D", Some(ValueCharacterClass)),
            ("AWS:a", "", Some(ReservedPrefix)),
            ("a", "Aws:a", Some(ReservedValue)),
            ("aws", "aws", None),
            ("", "", Some(KeyCharacterClass)),
        ];
        check(&AWS, cases);
    }

    #[test]
    fn hetzner_has_a_limit_on_each_side() {
        let prefixed = |prefix: usize, name: usize| format!("{}/{}", of("p", prefix), of("n", name));
        let cases: &[(&str, &str, Option<TagSkipReason>)] = &[
            (&prefixed(253, 63), "", None),
            (&prefixed(254, 63), "", Some(KeyTooLong)),
            (&prefixed(253, 64), "", Some(KeyTooLong)),
            (&of("n", 64), "", Some(KeyTooLong)),
            ("a", &of("v", 63), None),
            ("a", &of("v", 64), Some(ValueTooLong)),
            ("plexsphere/platform.env", "a.b", None),
            ("plexsphere:platform/env", "", Some(KeyCharacterClass)),
            ("a/b/c", "", Some(KeyCharacterClass)),
            ("a", "a b", Some(ValueCharacterClass)),
            ("hetzner.cloud/a", "", Some(ReservedPrefix)),
        ];
        check(&HETZNER, cases);
    }

    #[test]
    fn openstack_has_a_limit_on_each_side() {
        let cases: &[(&str, &str, Option<TagSkipReason>)] = &[
            (&of("k", 255), "", None),
            (&of("k", 256), "", Some(KeyTooLong)),
            ("a", &of("ä", 127), None),
            ("a", &of("ä", 128), Some(ValueTooLong)),
            ("plexsphere:platform.env", "/", None),
            ("plexsphere:platform/env", "", Some(KeyCharacterClass)),
        ];
        check(&OPENSTACK, cases);
    }

    #[test]
    fn azure_has_a_limit_on_each_side() {
        let cases: &[(&str, &str, Option<TagSkipReason>)] = &[
            (&of("ä", 512), "", None),
            (&of("ä", 513), "", Some(KeyTooLong)),
            ("a", &of("ä", 256), None),
            ("a", &of("ä", 257), Some(ValueTooLong)),
            ("plexsphere:platform.env", "<%>", None),
            ("plexsphere:platform/env", "", Some(KeyCharacterClass)),
            ("Windows11", "", Some(ReservedPrefix)),
        ];
        check(&AZURE, cases);
    }

    #[test]
    fn gcp_has_a_limit_on_each_side() {
        let cases: &[(&str, &str, Option<TagSkipReason>)] = &[
            (&of("ß", 63), "", None),
            (&of("ß", 64), "", Some(KeyTooLong)),
            ("a", &of("ß", 63), None),
            ("a", &of("ß", 64), Some(ValueTooLong)),
            ("plexsphere_platform_env", "9-", None),
            ("9", "", Some(KeyCharacterClass)),
            ("plexsphere:platform/env", "", Some(KeyCharacterClass)),
            ("a", "Prod", Some(ValueCharacterClass)),
        ];
        check(&GCP, cases);
    }

    #[test]
    fn oci_has_a_limit_on_each_side() {
        let cases: &[(&str, &str, Option<TagSkipReason>)] = &[
            (&of("k", 100), "", None),
            (&of("k", 101), "", Some(KeyTooLong)),
            ("a", &of("ä", 256), None),
            ("a", &of("ä", 257), Some(ValueTooLong)),
            ("plexsphere:platform/env", "ä.", None),
            ("plexsphere:example.org/env", "", Some(KeyCharacterClass)),
            ("a b", "", Some(KeyCharacterClass)),
        ];
        check(&OCI, cases);
    }

    #[test]
    fn digitalocean_has_a_limit_on_each_side() {
        let cases: &[(&str, &str, Option<TagSkipReason>)] = &[
            (&of("k", 200), &of("v", 54), None),
            (&of("k", 200), &of("v", 55), Some(ValueTooLong)),
            (&of("k", 255), "", Some(KeyTooLong)),
            ("plexsphere:platform:env", "a_b", None),
            ("plexsphere:platform/env", "", Some(KeyCharacterClass)),
            ("a", "a.b", Some(ValueCharacterClass)),
        ];
        check(&DIGITALOCEAN, cases);
    }

    #[test]
    fn alibaba_has_a_limit_on_each_side() {
        let cases: &[(&str, &str, Option<TagSkipReason>)] = &[
            (&of("ä", 128), "", None),
            (&of("ä", 129), "", Some(KeyTooLong)),
            ("a", &of("ä", 128), None),
            ("a", &of("ä", 129), Some(ValueTooLong)),
            ("plexsphere:platform/env", "a&b", None),
            ("a", "see http://x", Some(ValueCharacterClass)),
            ("see HTTPS://x", "", Some(KeyCharacterClass)),
            ("Aliyun", "aliyun", Some(ReservedPrefix)),
            ("acs:a", "", Some(ReservedPrefix)),
        ];
        check(&ALIBABA, cases);
    }

    #[test]
    fn tags_above_the_number_and_keys_that_are_one_are_refused_from_the_top() {
        let numbered: Vec<String> = (0..12).map(|number| format!("k{number:02}")).collect();
        let mut tags: BTreeMap<&str, Option<&str>> = numbered.iter().map(|key| (key.as_str(), Some("v"))).collect();
        let refused = |cloud: &Cloud, tags: &BTreeMap<&str, Option<&str>>| {
            let refused = |(key, verdict)| match verdict {
                CloudVerdict::Refused(reason) => Some((key, reason)),
                _ => None,
            };
            verdicts(Some(cloud), tags).into_iter().filter_map(refused).collect::<Vec<_>>()
        };
        assert_eq!(refused(&OCI, &tags), [("k10".to_owned(), CountCap), ("k11".to_owned(), CountCap)]);
        tags.retain(|key, _| *key < "k02");
        tags.insert("K01", Some("v"));
        assert_eq!(refused(&AZURE, &tags), [("k01".to_owned(), KeyCollision)]);
        for cloud in [&OCI, &AWS, &DIGITALOCEAN, &HETZNER] {
            assert_eq!(refused(cloud, &tags), []);
        }
    }

    #[test]
    fn a_cloud_without_known_limits_is_unknown() {
        let tags: BTreeMap<&str, Option<&str>> = [("a", Some("1")), ("b", None)].into();
        let verdicts = |cloud| verdicts(cloud, &tags).into_values().collect::<Vec<_>>();
        assert_eq!(verdicts(None), [CloudVerdict::Unknown; 2]);
        assert_eq!(verdicts(Some(&AWS)), [CloudVerdict::Accepted, CloudVerdict::Unknown]);
    }
}
