//! Texts in the settings of cloud tags. A text in another format cannot be read.

use kubernetes::{is_subdomain, text};

use crate::clouds::CLOUDS;
use crate::infrastructure::infra_cluster_kinds;
use crate::profiles::CLOUD_TAG_PREFIX;
use crate::strict::profile_names;

text!(
    /// An API group that composites can have, such as `blueprints.plexsphere.com`.
    CompositeGroup,
    is_group_of_composites,
    "an API group of composites such as `blueprints.plexsphere.com`"
);
text!(
    /// The prefix of every tag key, such as `plexsphere:`.
    TagPrefix,
    is_tag_prefix,
    "a prefix such as `acme:`: at most 254 bytes without control characters, the last one `:`, and not reserved by any cloud"
);
text!(
    /// The name of a LabelRegistry object, such as `default`.
    RegistryName,
    is_subdomain,
    "the name of an object such as `default`: lower-case letters, digits, `-` and `.`"
);

impl Default for TagPrefix {
    fn default() -> Self {
        TagPrefix(CLOUD_TAG_PREFIX.to_owned())
    }
}

/// Whether keys may have this prefix: with an empty one, the policy would remove everybody's tags. The longest key of the
/// specification's profiles has 255 bytes.
fn is_tag_prefix(text: &str) -> bool {
    text.strip_suffix(':').is_some_and(|name| !name.is_empty() && name.len() < 254 && !name.contains(char::is_control))
        && !CLOUDS.iter().any(|cloud| cloud.reserves(text))
}

text!(
    /// The name of a tag profile, such as `hetzner-strict`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = profile_names())))]
    ProfileName,
    |text| profile_names().contains(&text),
    "a tag profile such as `hetzner-strict`"
);

text!(
    /// A kind of infrastructure cluster that can get tags, such as `AWSCluster`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = infra_cluster_kinds())))]
    InfraClusterKind,
    |text| infra_cluster_kinds().contains(&text),
    format_args!("one of `{}`", infra_cluster_kinds().join("`, `"))
);

/// A group with its own domain that is not one of Cluster API, of Crossplane's own definitions or of the registry.
fn is_group_of_composites(text: &str) -> bool {
    const OTHERS: [&str; 3] = ["cluster.x-k8s.io", "apiextensions.crossplane.io", "labels.plexsphere.com"];
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    let is_of_others =
        OTHERS.iter().any(|other| text.strip_suffix(other).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    text.contains('.') && text.split('.').all(is_part) && !is_of_others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_others_are_no_groups_of_composites() {
        for (text, expected) in [
            ("blueprints.plexsphere.com", true),
            ("my-cluster.x-k8s.io", true),
            ("cluster.x-k8s.io", false),
            ("bootstrap.cluster.x-k8s.io", false),
            ("apiextensions.crossplane.io", false),
            ("labels.plexsphere.com", false),
            ("apps", false),
            ("A.b", false),
            ("a..b", false),
            ("", false),
        ] {
            assert_eq!(CompositeGroup::try_from(text.to_owned()).is_ok(), expected, "{text}");
        }
    }
}
