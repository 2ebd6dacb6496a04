//! Kinds of managed resources whose clouds do not accept some tags that they accept elsewhere.

use self::Limit::Characters;
use crate::carriers::{AWS, AZURE, OPENSTACK, kind_of};

/// What becomes of a resource, or of its tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedKeys {
    /// The cloud refuses the resource.
    Resource,
    /// It drops the tags, and creates the resource.
    Tags,
}

impl RefusedKeys {
    /// What the cloud does with a tag.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            RefusedKeys::Resource => "refuses",
            RefusedKeys::Tags => "drops",
        }
    }
}

/// What the cloud does not accept on a kind.
#[derive(Debug)]
pub enum Limit {
    /// Keys with these characters; a profile has keys without them.
    Characters {
        /// The characters.
        refuses: &'static str,
        /// What becomes of tags with them.
        effect: RefusedKeys,
        /// The profile.
        profile: &'static str,
    },
    /// Keys that begin with a digit, whose tags it may drop.
    FirstDigit,
    /// More tags.
    Tags(usize),
    /// Keys with more characters.
    KeyLength(usize),
    /// Two keys that differ in case only.
    SameKeys,
}

/// Tags that the cloud does not accept on some kinds.
#[derive(Debug)]
pub struct KindLimit {
    /// The suffix of the provider's groups, and the service.
    of: (&'static str, &'static str),
    kinds: &'static [&'static str],
    /// Only if a field below `spec.forProvider` or `spec.initProvider` has this value.
    pub(crate) only_with: Option<([&'static str; 2], &'static str)>,
    /// What is not accepted.
    pub limit: Limit,
    /// Where this is documented.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table"))]
    source: &'static str,
}

const fn on(
    of: (&'static str, &'static str),
    kinds: &'static [&'static str],
    limit: Limit,
    source: &'static str,
) -> KindLimit {
    KindLimit { of, kinds, only_with: None, limit, source }
}

/// Every limit that is known.
#[rustfmt::skip]
pub(crate) const KIND_LIMITS: &[KindLimit] = &[
    KindLimit {
        only_with: Some((["metadataOptions", "instanceMetadataTags"], "enabled")),
        ..on((AWS, "ec2"), &["Instance"], Characters { refuses: "/ ", effect: RefusedKeys::Resource, profile: "aws-instance-metadata" },
            "Amazon EC2 user guide, Enable access to tags in instance metadata; terraform-aws-modules/terraform-aws-eks#1785")
    },
    on((AZURE, "network"), &[
            "DNSAAAARecord", "DNSARecord", "DNSCAARecord", "DNSCNAMERecord", "DNSMXRecord", "DNSNSRecord", "DNSPTRRecord",
            "DNSSRVRecord", "DNSTXTRecord", "DNSZone", "PrivateDNSAAAARecord", "PrivateDNSARecord", "PrivateDNSCNAMERecord",
            "PrivateDNSMXRecord", "PrivateDNSPTRRecord", "PrivateDNSSRVRecord", "PrivateDNSTXTRecord", "PrivateDNSZone",
            "PrivateDNSZoneVirtualNetworkLink",
        ], Characters { refuses: ":/ ()", effect: RefusedKeys::Tags, profile: "azure" },
        "Azure/azure-rest-api-specs#11748; hashicorp/terraform-provider-azurerm#6129; Azure/azure-cli#16820"),
    // Front Door had a limit that is gone: MicrosoftDocs/azure-docs#125966.
    on((AZURE, "network"), &["TrafficManagerProfile"], Characters { refuses: ":#/ ", effect: RefusedKeys::Tags, profile: "azure" },
        "Azure Resource Manager, Use tags to organize your Azure resources: limitations; MicrosoftDocs/azure-docs#90275"),
    on((OPENSTACK, "objectstorage"), &["ContainerV1"],
        Characters { refuses: "()<>@,;:\\\"/[]?={} ", effect: RefusedKeys::Resource, profile: "openstack-strict" },
        "OpenStack object storage API, X-Container-Meta-name; a header's name is a token: RFC 9110, 5.6.2"),
    on((AWS, "s3"), &["BucketObject", "Object", "ObjectCopy"], Limit::Tags(10),
        "Amazon S3 user guide, Categorizing your objects using tags"),
    // Other resources of IAM, such as policies, distinguish case.
    on((AWS, "iam"), &["Role", "ServiceLinkedRole", "User"], Limit::SameKeys,
        "IAM user guide, Rules for tagging in IAM: case sensitivity; kubernetes/kops#11727; aws/aws-cdk#26253"),
    on((AZURE, "automation"), &["Account", "RunBook"], Limit::Tags(15),
        "Azure Resource Manager, Use tags to organize your Azure resources: limitations; MicrosoftDocs/azure-docs#58362"),
    on((AZURE, "cdn"), &["Endpoint", "Profile"], Limit::Tags(15),
        "Azure Resource Manager, Use tags to organize your Azure resources: limitations; MicrosoftDocs/azure-docs#59799"),
    on((AZURE, "network"), &["DNSZone", "PrivateDNSZone", "TrafficManagerProfile"], Limit::FirstDigit,
        "Azure Resource Manager, Use tags to organize your Azure resources: limitations; MicrosoftDocs/azure-docs#124115"),
    on((AZURE, "network"), &["DNSARecord", "DNSZone", "PrivateDNSARecord", "PrivateDNSZone", "PrivateDNSZoneVirtualNetworkLink"], Limit::Tags(15),
        "Azure Resource Manager, Use tags to organize your Azure resources: limitations; Azure/azure-rest-api-specs#13600; hashicorp/terraform-provider-azurerm#21749"),
    on((AZURE, "operationalinsights"), &["LogAnalyticsSavedSearch"], Limit::Tags(15),
        "Azure Resource Manager, Use tags to organize your Azure resources: limitations"),
    on((AZURE, "storage"), &["Account"], Limit::KeyLength(128),
        "Azure Resource Manager, Use tags to organize your Azure resources: limitations"),
];

impl KindLimit {
    /// The limits of a kind.
    pub fn of(group: &str, kind: &str) -> impl Iterator<Item = &'static KindLimit> {
        let of = kind_of(group);
        KIND_LIMITS.iter().filter(move |limit| Some(limit.of) == of && limit.kinds.contains(&kind))
    }
}

#[cfg(test)]
mod tests {
    use crate::carriers::{Tags, tags_of_kind};

    use super::*;
    use tag_rules::{CLOUD_TAG_PREFIX, StrictProfile};

    #[test]
    fn every_row_is_about_kinds_with_tags_and_names_a_profile_that_they_accept() {
        for limit in KIND_LIMITS {
            assert!(!limit.source.is_empty());
            if let Limit::Characters { refuses, profile, .. } = limit.limit {
                let of_profile = StrictProfile::named(profile).unwrap();
                let spelled = of_profile.spelling.of(CLOUD_TAG_PREFIX, "acme:checkout/owner");
                assert!(!spelled.contains(|char| refuses.contains(char)), "{profile}");
                assert!("plexsphere:platform/env".contains(|char| refuses.contains(char)));
            }
            let (provider, service) = limit.of;
            for kind in limit.kinds {
                let tags = tags_of_kind(&format!("{service}.{provider}"), kind).map(|known| known.tags);
                assert!(matches!(tags, Some(Tags::Map(_))), "{service} {kind}");
            }
        }
    }
}
