//! What the report contains about the tags of a composite or of an infrastructure cluster.

use std::collections::{BTreeMap, BTreeSet};

use crate::tag_reason::NoTagReason;
use kubernetes::{Value, names};
use serde::{Serialize, Serializer};
use tag_rules::{Cloud, KeyCase, Scope, TagSkipReason};

/// The tags of one composite or infrastructure cluster, and the labels that do not become tags.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TagReport {
    /// The provider that the settings lead to, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    pub profile: &'static str,
    /// The tags that the object must carry for its own labels, or for those of its Cluster.
    pub tags: BTreeMap<String, String>,
    /// Tags with the policy's prefix that no label of the composite becomes: the Composition of the parent composite
    /// forwards them, or the definition of their label could not be read.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub forwarded: BTreeMap<String, Value>,
    /// Whether the cloud's API accepts each tag that the object has, the policy's and others.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cloud: BTreeMap<String, CloudVerdict>,
    /// How many more labels could become tags.
    pub headroom: usize,
    /// Required tags that the composite does not have, and why: `no-label`, or as in `not_propagating` or `skipped`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, NoTagReason>,
    /// Labels that propagate and do not become tags.
    pub skipped: Vec<SkippedLabel>,
    /// Labels that are not meant to become tags, and why: `not-defined` in the registry, `not-opted-in` by their
    /// definition, `seeded`, which cannot be opted in, `not-a-string`, `another-source`, where the definition takes the label
    /// from another object, or `registry-unread`, where the registry that may define it could not be read.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_propagating: BTreeMap<String, NoTagReason>,
    /// Definitions of its labels that do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored_definitions: Vec<IgnoredDefinition>,
}

/// A definition in a LabelRegistry object that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IgnoredDefinition {
    /// The key that it defines.
    pub qualified_key: String,
    pub registry: String,
    pub scope: Scope,
    pub reason: IgnoredReason,
    /// The object whose definition counts instead, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<String>,
}

names! {
    /// Why a definition does not count.
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    IgnoredReason {
        /// Its scope is not that of its object.
        AnotherScope = "another-scope";
        /// Another object defines the key with a wider scope.
        WiderScope = "wider-scope";
        /// Another object that is listed earlier defines the key with the same scope.
        ListedFirst = "listed-first";
        /// Its key does not have the form of the object's domain or project.
        AnotherForm = "another-form";
        /// The object has a scope, and does not say which domain or project it is of.
        OwnerUnknown = "owner-unknown";
        /// The composite belongs to another domain or project.
        AnotherOwner = "another-owner";
        /// It changes a definition that every installation has.
        Seeded = "seeded";
    }
}

/// Whether a cloud's API accepts a tag, as far as its row in the table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudVerdict {
    Accepted,
    /// It rejects the tag, and possibly the whole resource.
    Refused(TagSkipReason),
    /// The provider has no row, or the value is not a string.
    Unknown,
}

impl Serialize for CloudVerdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            CloudVerdict::Accepted => serializer.serialize_str("accepted"),
            CloudVerdict::Refused(reason) => serializer.collect_str(&format_args!("refused: {}", reason.as_str())),
            CloudVerdict::Unknown => serializer.serialize_str("unknown"),
        }
    }
}

/// One label that does not become a tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedLabel {
    /// The label's key in the registry.
    pub qualified_key: String,
    /// The key that its tag would have.
    pub tag_key: String,
    /// The profile that rejected it, or the kind whose webhook does, such as `AWSCluster`.
    pub provider: &'static str,
    pub reason: TagSkipReason,
    /// How many of the tags that the profile allows are left to others.
    #[serde(skip)]
    pub reserve: usize,
}

/// The verdict of the cloud on each tag of a resource, by ascending key: of tags with equal keys, and of too many, the
/// later ones are rejected. A cloud that is `None` has unknown limits, and a value that is `None` is not a string.
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
