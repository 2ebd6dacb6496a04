//! Kinds of managed resources whose clouds do not accept some tags that they accept elsewhere.

/// What becomes of a resource, or of its tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusedKeys {
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
pub(crate) enum Limit {
    /// Keys with these characters; a profile has keys without them.
    Characters { refuses: &'static str, effect: RefusedKeys, profile: &'static str },
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
pub(crate) struct KindLimit {
    /// The provider, as in the settings.
    pub(crate) provider: &'static str,
    /// The API groups of the kinds.
    pub(crate) groups: &'static [&'static str],
    pub(crate) kinds: &'static [&'static str],
    /// Only if a field below `spec.forProvider` or `spec.initProvider` has this value.
    pub(crate) only_with: Option<([&'static str; 2], &'static str)>,
    pub(crate) limit: Limit,
    /// Where this is documented.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table"))]
    pub(crate) source: &'static str,
}

/// Every limit that is known.
#[rustfmt::skip]
pub(crate) const KIND_LIMITS: &[KindLimit] = &[
    KindLimit {
        provider: "aws", groups: &["ec2.aws.upbound.io", "ec2.aws.m.upbound.io"], kinds: &["Instance"],
        only_with: Some((["metadataOptions", "instanceMetadataTags"], "enabled")),
        limit: Limit::Characters { refuses: "/ ", effect: RefusedKeys::Resource, profile: "aws-instance-metadata" },
        source: "Amazon EC2 user guide, Enable access to tags in instance metadata; terraform-aws-modules/terraform-aws-eks#1785",
    },
    KindLimit {
        provider: "azure", groups: &["network.azure.upbound.io", "network.azure.m.upbound.io"],
        kinds: &[
            "DNSAAAARecord", "DNSARecord", "DNSCAARecord", "DNSCNAMERecord", "DNSMXRecord", "DNSNSRecord", "DNSPTRRecord",
            "DNSSRVRecord", "DNSTXTRecord", "DNSZone", "PrivateDNSAAAARecord", "PrivateDNSARecord", "PrivateDNSCNAMERecord",
            "PrivateDNSMXRecord", "PrivateDNSPTRRecord", "PrivateDNSSRVRecord", "PrivateDNSTXTRecord", "PrivateDNSZone",
            "PrivateDNSZoneVirtualNetworkLink",
        ],
        only_with: None, limit: Limit::Characters { refuses: ":/ ()", effect: RefusedKeys::Tags, profile: "azure" },
        source: "Azure/azure-rest-api-specs#11748; hashicorp/terraform-provider-azurerm#6129; Azure/azure-cli#16820",
    },
    KindLimit {
        provider: "azure", groups: &["network.azure.upbound.io", "network.azure.m.upbound.io"],
        // Front Door had a limit that is gone: MicrosoftDocs/azure-docs#125966.
        kinds: &["TrafficManagerProfile"],
        only_with: None, limit: Limit::Characters { refuses: ":#/ ", effect: RefusedKeys::Tags, profile: "azure" },
        source: "Azure Resource Manager, Use tags to organize your Azure resources: limitations; MicrosoftDocs/azure-docs#90275",
    },
    KindLimit {
        provider: "openstack", groups: &["objectstorage.openstack.crossplane.io", "objectstorage.openstack.m.crossplane.io"],
        kinds: &["ContainerV1"],
        only_with: None, limit: Limit::Characters { refuses: "()<>@,;:\\\"/[]?={} ", effect: RefusedKeys::Resource, profile: "openstack-strict" },
        source: "OpenStack object storage API, X-Container-Meta-name; a header's name is a token: RFC 9110, 5.6.2",
    },
    KindLimit {
        provider: "aws", groups: &["s3.aws.upbound.io", "s3.aws.m.upbound.io"], kinds: &["BucketObject", "Object", "ObjectCopy"],
        only_with: None, limit: Limit::Tags(10),
        source: "Amazon S3 user guide, Categorizing your objects using tags",
    },
    // Other resources of IAM, such as policies, distinguish case.
    KindLimit {
        provider: "aws", groups: &["iam.aws.upbound.io", "iam.aws.m.upbound.io"], kinds: &["Role", "ServiceLinkedRole", "User"],
        only_with: None, limit: Limit::SameKeys,
        source: "IAM user guide, Rules for tagging in IAM: case sensitivity; kubernetes/kops#11727; aws/aws-cdk#26253",
    },
    KindLimit {
        provider: "azure", groups: &["automation.azure.upbound.io", "automation.azure.m.upbound.io"], kinds: &["Account", "RunBook"],
        only_with: None, limit: Limit::Tags(15),
        source: "Azure Resource Manager, Use tags to organize your Azure resources: limitations; MicrosoftDocs/azure-docs#58362",
    },
    KindLimit {
        provider: "azure", groups: &["cdn.azure.upbound.io", "cdn.azure.m.upbound.io"], kinds: &["Endpoint", "Profile"],
        only_with: None, limit: Limit::Tags(15),
        source: "Azure Resource Manager, Use tags to organize your Azure resources: limitations; MicrosoftDocs/azure-docs#59799",
    },
    KindLimit {
        provider: "azure", groups: &["network.azure.upbound.io", "network.azure.m.upbound.io"],
        kinds: &["DNSZone", "PrivateDNSZone", "TrafficManagerProfile"],
        only_with: None, limit: Limit::FirstDigit,
        source: "Azure Resource Manager, Use tags to organize your Azure resources: limitations; MicrosoftDocs/azure-docs#124115",
    },
    KindLimit {
        provider: "azure", groups: &["network.azure.upbound.io", "network.azure.m.upbound.io"],
        kinds: &["DNSARecord", "DNSZone", "PrivateDNSARecord", "PrivateDNSZone", "PrivateDNSZoneVirtualNetworkLink"],
        only_with: None, limit: Limit::Tags(15),
        source: "Azure Resource Manager, Use tags to organize your Azure resources: limitations; Azure/azure-rest-api-specs#13600; hashicorp/terraform-provider-azurerm#21749",
    },
    KindLimit {
        provider: "azure", groups: &["storage.azure.upbound.io", "storage.azure.m.upbound.io"], kinds: &["Account"],
        only_with: None, limit: Limit::KeyLength(128),
        source: "Azure Resource Manager, Use tags to organize your Azure resources: limitations",
    },
];

impl KindLimit {
    pub(crate) fn of(group: &str, kind: &str) -> impl Iterator<Item = &'static KindLimit> {
        KIND_LIMITS.iter().filter(move |limit| limit.groups.contains(&group) && limit.kinds.contains(&kind))
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
            for (group, kind) in limit.groups.iter().flat_map(|group| limit.kinds.iter().map(move |kind| (group, kind)))
            {
                let tags = tags_of_kind(group, kind).map(|known| known.tags);
                assert!(matches!(tags, Some(Tags::Map(_))), "{group} {kind}");
            }
        }
    }
}
