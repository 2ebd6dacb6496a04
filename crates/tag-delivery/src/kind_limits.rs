//! Kinds of managed resources whose clouds do not accept some tag keys that they accept elsewhere.

/// What becomes of a resource, or of its tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusedKeys {
    /// The cloud refuses the resource.
    Resource,
    /// It drops the tags, and creates the resource.
    Tags,
}

/// Keys that the cloud does not accept on some kinds.
#[derive(Debug)]
pub(crate) struct KindLimit {
    /// The provider, as in the settings.
    pub(crate) provider: &'static str,
    /// The API groups of the kinds.
    pub(crate) groups: &'static [&'static str],
    pub(crate) kinds: &'static [&'static str],
    /// Only if a field below `spec.forProvider` or `spec.initProvider` has this value.
    pub(crate) only_with: Option<([&'static str; 2], &'static str)>,
    /// Characters that a key must not have.
    pub(crate) refuses: &'static str,
    pub(crate) effect: RefusedKeys,
    /// A profile whose keys are accepted.
    pub(crate) profile: &'static str,
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
        refuses: "/ ", effect: RefusedKeys::Resource, profile: "aws-instance-metadata",
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
        only_with: None, refuses: ":/ ()", effect: RefusedKeys::Tags, profile: "azure",
        source: "Azure/azure-rest-api-specs#11748; hashicorp/terraform-provider-azurerm#6129; Azure/azure-cli#16820",
    },
    KindLimit {
        provider: "azure", groups: &["network.azure.upbound.io", "network.azure.m.upbound.io"],
        // Front Door had a limit that is gone: MicrosoftDocs/azure-docs#125966.
        kinds: &["TrafficManagerProfile"],
        only_with: None, refuses: ":#/ ", effect: RefusedKeys::Tags, profile: "azure",
        source: "Azure Resource Manager, Use tags to organize your Azure resources: limitations; MicrosoftDocs/azure-docs#90275",
    },
    KindLimit {
        provider: "openstack", groups: &["objectstorage.openstack.crossplane.io", "objectstorage.openstack.m.crossplane.io"],
        kinds: &["ContainerV1"],
        only_with: None, refuses: "()<>@,;:\\\"/[]?={} ", effect: RefusedKeys::Resource, profile: "openstack-strict",
        source: "OpenStack object storage API, X-Container-Meta-name; a header's name is a token: RFC 9110, 5.6.2",
    },
];

impl KindLimit {
    /// The limits of a kind.
    pub(crate) fn of(group: &str, kind: &str) -> impl Iterator<Item = &'static KindLimit> {
        KIND_LIMITS.iter().filter(move |limit| limit.groups.contains(&group) && limit.kinds.contains(&kind))
    }

    /// The first character of a key that is not accepted.
    pub(crate) fn refused(&self, key: &str) -> Option<char> {
        key.chars().find(|char| self.refuses.contains(*char))
    }
}

#[cfg(test)]
mod tests {
    use crate::carriers::{Tags, tags_of_kind};

    use super::*;
    use tag_rules::profiles::CLOUD_TAG_PREFIX;
    use tag_rules::strict::StrictProfile;

    #[test]
    fn every_row_is_about_kinds_with_tags_and_names_a_profile_that_they_accept() {
        for limit in KIND_LIMITS {
            assert!(!limit.source.is_empty());
            let profile = StrictProfile::named(limit.profile).unwrap();
            assert_eq!(
                limit.refused(&profile.spelling.of(CLOUD_TAG_PREFIX, "acme:checkout/owner")),
                None,
                "{}",
                limit.profile
            );
            assert!(limit.refused("plexsphere:platform/env").is_some());
            for (group, kind) in limit.groups.iter().flat_map(|group| limit.kinds.iter().map(move |kind| (group, kind)))
            {
                let tags = tags_of_kind(group, kind).map(|known| known.tags);
                assert!(matches!(tags, Some(Tags::Map(_))), "{group} {kind}");
            }
        }
    }
}
