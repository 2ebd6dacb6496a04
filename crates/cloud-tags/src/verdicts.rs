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
    use TagSkipReason::{CountCap, KeyCollision};
    use tag_rules::clouds::{AWS, AZURE, DIGITALOCEAN, HETZNER, OCI};

    /// A text in which `x*128` is 128 times `x`.
    fn spelled(cell: &str) -> String {
        let (mut text, mut rest) = (String::new(), cell);
        while let Some((before, after)) = rest.split_once('*') {
            let number = after.split(|char: char| !char.is_ascii_digit()).next().unwrap_or_default();
            let repeated = before.chars().last().unwrap();
            text += before.strip_suffix(repeated).unwrap();
            text.extend(std::iter::repeat_n(repeated, number.parse().unwrap()));
            rest = &after[number.len()..];
        }
        text + rest
    }

    #[test]
    fn each_cloud_has_a_limit_on_each_side() {
        let lines = include_str!("../../../testdata/tag-limits.txt").lines();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let [provider, key, value, expected] = cells[..] else { panic!("{line}") };
            let refusal = Cloud::of(provider).unwrap().refusal(&spelled(key), &spelled(value));
            assert_eq!(refusal.map_or("accepted", TagSkipReason::as_str), expected, "{line}");
        }
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
