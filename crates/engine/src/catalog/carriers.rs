//! Which field of a managed resource holds its tags, by kind.
//!
//! Read from the providers' CustomResourceDefinitions, or from the list that function-tag-manager makes of them; each row
//! names the revision. A provider's namespaced groups
//! (`ec2.aws.m.upbound.io`) have the fields of its cluster-scoped ones (`ec2.aws.upbound.io`), and share their row.

/// The field that holds the tags of some kinds.
#[derive(Debug, Clone, Copy)]
pub struct Carrier {
    /// The end of the API groups of the kinds, such as `aws.upbound.io` of `ec2.aws.upbound.io`.
    pub provider: &'static str,
    /// The kinds, as first part of the group and kind: `ec2/Instance`, or `/ResourceGroup` where the group is the
    /// provider's own. None for the provider's default, which holds for
    /// every kind that no other row names, as far as it has the field at all.
    pub kinds: &'static [&'static str],
    /// The field that holds their tags.
    pub tags: Tags,
    /// Where this was read, with its revision.
    pub source: &'static str,
}

/// A field that holds tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tags {
    /// A map of strings at this path.
    Map(&'static str),
    /// A list at this path, which no patch can fill from a map.
    List(&'static str),
    /// The kind has no tags.
    Nowhere,
}

use Tags::{List, Map, Nowhere};

const AWS: &str = "aws.upbound.io";
const AZURE: &str = "azure.upbound.io";
const GCP: &str = "gcp.upbound.io";
const HCLOUD: &str = "hcloud.crossplane.io";
const OPENSTACK: &str = "openstack.crossplane.io";
const DIGITALOCEAN: &str = "digitalocean.crossplane.io";

const AWS_SOURCE: &str = "provider-upjet-aws, as function-tag-manager 45fe4d1 lists it";
const AZURE_SOURCE: &str = "provider-upjet-azure, as function-tag-manager 45fe4d1 lists it";
const GCP_SOURCE: &str = "provider-upjet-gcp 8da2207";
const HCLOUD_SOURCE: &str = "transacid/provider-hcloud f461bbd";
const OPENSTACK_SOURCE: &str = "provider-openstack d9179bb";
const DIGITALOCEAN_SOURCE: &str = "provider-upjet-digitalocean 31576dd";

const TAGS: &str = "spec.forProvider.tags";
const LABELS: &str = "spec.forProvider.labels";
const METADATA: &str = "spec.forProvider.metadata";

const fn row(provider: &'static str, kinds: &'static [&'static str], tags: Tags, source: &'static str) -> Carrier {
    Carrier { provider, kinds, tags, source }
}

/// Every carrier that is known, exceptions before a provider's default.
pub const CARRIERS: &[Carrier] = &[
    row(
        AWS,
        &[
            "ec2/EBSVolume",
            "ec2/EIP",
            "ec2/Instance",
            "ec2/InternetGateway",
            "ec2/LaunchTemplate",
            "ec2/NATGateway",
            "ec2/NetworkInterface",
            "ec2/RouteTable",
            "ec2/SecurityGroup",
            "ec2/Subnet",
            "ec2/VPC",
            "ec2/VPCEndpoint",
            "eks/Cluster",
            "eks/NodeGroup",
            "iam/Policy",
            "iam/Role",
            "rds/Cluster",
            "rds/ClusterInstance",
            "rds/Instance",
            "s3/Bucket",
            "s3/Object",
        ],
        Map(TAGS),
        AWS_SOURCE,
    ),
    row(
        AWS,
        &[
            "ec2/EIPAssociation",
            "ec2/MainRouteTableAssociation",
            "ec2/Route",
            "ec2/RouteTableAssociation",
            "ec2/SecurityGroupRule",
            "ec2/VolumeAttachment",
            "iam/GroupPolicyAttachment",
            "iam/RolePolicy",
            "iam/RolePolicyAttachment",
            "iam/UserPolicyAttachment",
            "s3/BucketACL",
            "s3/BucketLifecycleConfiguration",
            "s3/BucketOwnershipControls",
            "s3/BucketPolicy",
            "s3/BucketPublicAccessBlock",
            "s3/BucketServerSideEncryptionConfiguration",
            "s3/BucketVersioning",
        ],
        Nowhere,
        AWS_SOURCE,
    ),
    // A list of objects with `propagateAtLaunch` at that.
    row(AWS, &["autoscaling/AutoscalingGroup"], List("spec.forProvider.tag"), "provider-upjet-aws 75a4c57"),
    row(AWS, &[], Map(TAGS), AWS_SOURCE),
    row(AZURE, &["network/Subnet", "storage/Container"], Nowhere, AZURE_SOURCE),
    row(
        AZURE,
        &[
            "/ResourceGroup",
            "compute/LinuxVirtualMachine",
            "compute/ManagedDisk",
            "compute/WindowsVirtualMachine",
            "containerservice/KubernetesCluster",
            "network/NetworkInterface",
            "network/PublicIP",
            "network/SecurityGroup",
            "network/VirtualNetwork",
            "storage/Account",
        ],
        Map(TAGS),
        AZURE_SOURCE,
    ),
    row(AZURE, &[], Map(TAGS), AZURE_SOURCE),
    // `tags` are firewall targets there, `metadata` is handed to the guest.
    row(
        GCP,
        &["compute/Disk", "compute/Instance", "compute/InstanceTemplate", "storage/Bucket"],
        Map(LABELS),
        GCP_SOURCE,
    ),
    row(GCP, &["container/Cluster"], Map("spec.forProvider.resourceLabels"), GCP_SOURCE),
    row(GCP, &["container/NodePool"], Map("spec.forProvider.nodeConfig.resourceLabels"), GCP_SOURCE),
    row(GCP, &["sql/DatabaseInstance"], Map("spec.forProvider.settings.userLabels"), GCP_SOURCE),
    row(
        GCP,
        &[
            "monitoring/AlertPolicy",
            "monitoring/CustomService",
            "monitoring/NotificationChannel",
            "monitoring/SLO",
            "monitoring/Service",
            "monitoring/UptimeCheckConfig",
        ],
        Map("spec.forProvider.userLabels"),
        GCP_SOURCE,
    ),
    row(GCP, &[], Map(LABELS), GCP_SOURCE),
    row(
        HCLOUD,
        &[
            "firewall/Attachment",
            "floatingip/IPAssignment",
            "loadbalancer/BalancerNetwork",
            "loadbalancer/BalancerService",
            "loadbalancer/BalancerTarget",
            "network/Route",
            "network/Subnet",
            "rdns/Rdns",
            "server/Network",
            "volume/Attachment",
        ],
        Nowhere,
        HCLOUD_SOURCE,
    ),
    row(
        HCLOUD,
        &[
            "firewall/Firewall",
            "floatingip/IP",
            "loadbalancer/Balancer",
            "managed/Certificate",
            "network/Network",
            "placementgroup/Group",
            "primaryip/IP",
            "server/Server",
            "snapshot/Snapshot",
            "sshkey/Key",
            "uploaded/Certificate",
            "volume/Volume",
        ],
        Map(LABELS),
        HCLOUD_SOURCE,
    ),
    row(HCLOUD, &[], Map(LABELS), HCLOUD_SOURCE),
    row(
        "hetzner.crossplane.io",
        &["cloud/Firewall", "cloud/Network", "cloud/PlacementGroup", "cloud/Server", "cloud/Volume"],
        Map(LABELS),
        "mrsimonemms/provider-hetzner b4a0cfd",
    ),
    row(
        OPENSTACK,
        &["blockstorage/VolumeV3", "compute/InstanceV2", "objectstorage/ContainerV1", "sharedfilesystem/ShareV2"],
        Map(METADATA),
        OPENSTACK_SOURCE,
    ),
    row(
        OPENSTACK,
        &[
            "identity/ProjectV3",
            "images/ImageV2",
            "lb/ListenerV2",
            "lb/LoadbalancerV2",
            "lb/MemberV2",
            "lb/PoolV2",
            "networking/FloatingipV2",
            "networking/NetworkV2",
            "networking/PortV2",
            "networking/QosPolicyV2",
            "networking/RouterV2",
            "networking/SecgroupV2",
            "networking/SubnetV2",
            "networking/SubnetpoolV2",
            "networking/TrunkV2",
            "orchestration/StackV1",
        ],
        List(TAGS),
        OPENSTACK_SOURCE,
    ),
    // `labels` are options of Magnum.
    row(
        OPENSTACK,
        &[
            "blockstorage/VolumeAttachV3",
            "compute/InterfaceAttachV2",
            "compute/KeypairV2",
            "compute/ServergroupV2",
            "compute/VolumeAttachV2",
            "containerinfra/ClusterV1",
            "containerinfra/ClustertemplateV1",
            "containerinfra/NodegroupV1",
            "networking/FloatingipAssociateV2",
            "networking/RouterInterfaceV2",
            "networking/SecgroupRuleV2",
        ],
        Nowhere,
        OPENSTACK_SOURCE,
    ),
    row(OPENSTACK, &[], Map(METADATA), OPENSTACK_SOURCE),
    row(
        DIGITALOCEAN,
        &[
            "custom/Image",
            "database/Cluster",
            "database/Replica",
            "droplet/Droplet",
            "kubernetes/Cluster",
            "kubernetes/NodePool",
            "networking/Firewall",
            "volume/Snapshot",
            "volume/Volume",
        ],
        List(TAGS),
        DIGITALOCEAN_SOURCE,
    ),
    row("oci.upbound.io", &[], Map("spec.forProvider.freeformTags"), "oracle/crossplane-provider-oci 271d549"),
    row("alibabacloud.crossplane.io", &[], Map(TAGS), "provider-upjet-alibabacloud 14560a3"),
];

/// A field of a kind that looks as if it held the kind's tags, and does not.
#[derive(Debug, Clone, Copy)]
pub struct OtherField {
    /// As in [`Carrier`].
    pub provider: &'static str,
    /// The kind, as in [`Carrier`].
    pub kind: &'static str,
    /// The field. Elements of lists on the way are left out.
    pub path: &'static str,
    /// What it holds.
    pub holds: Holds,
}

/// What a field besides a kind's own tags holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Tags of what is created along with the resource, such as its volumes.
    TagsBesides,
    /// Something else: labels of Nodes, HTTP metadata, options.
    NoTags,
}

use Holds::{NoTags, TagsBesides};

const fn other(provider: &'static str, kind: &'static str, path: &'static str, holds: Holds) -> OtherField {
    OtherField { provider, kind, path, holds }
}

/// Fields besides those of [`CARRIERS`], from the same sources.
#[rustfmt::skip]
pub const OTHER_FIELDS: &[OtherField] = &[
    other(AWS, "ec2/Instance", "spec.forProvider.volumeTags", TagsBesides),
    other(AWS, "ec2/Instance", "spec.forProvider.rootBlockDevice.tags", TagsBesides),
    other(AWS, "ec2/Instance", "spec.forProvider.ebsBlockDevice.tags", TagsBesides),
    other(AWS, "ec2/LaunchTemplate", "spec.forProvider.tagSpecifications.tags", TagsBesides),
    other(AWS, "eks/NodeGroup", LABELS, NoTags),
    other(AWS, "s3/Object", METADATA, NoTags),
    other(AZURE, "containerservice/KubernetesCluster", "spec.forProvider.defaultNodePool.tags", TagsBesides),
    other(AZURE, "storage/Container", METADATA, NoTags),
    other(GCP, "compute/Instance", METADATA, NoTags),
    other(GCP, "container/Cluster", "spec.forProvider.nodeConfig.resourceLabels", TagsBesides),
    other(GCP, "container/Cluster", "spec.forProvider.nodeConfig.labels", NoTags),
    other(GCP, "container/NodePool", "spec.forProvider.nodeConfig.labels", NoTags),
    other(OPENSTACK, "containerinfra/ClusterV1", LABELS, NoTags),
    other("oci.upbound.io", "compute/Instance", "spec.forProvider.createVnicDetails.freeformTags", TagsBesides),
];

/// What is known of the tags of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TagsOfKind {
    pub(crate) tags: Tags,
    /// Whether the kind itself is known, or its provider only.
    pub(crate) by_name: bool,
    /// Whether function-tag-manager serves the provider. Source: its filters/zz_provider-upjet-*.go.
    pub(crate) managed: bool,
}

/// What is known of the tags of a kind; `None` where nothing is known of its group.
pub(crate) fn tags_of_kind(group: &str, kind: &str) -> Option<TagsOfKind> {
    let (service, provider) = service_and_provider(group)?;
    let rows = || CARRIERS.iter().filter(|row| is_of(provider, row.provider));
    let names = |row: &&Carrier| row.kinds.iter().any(|name| is_kind(name, service, kind));
    let (row, by_name) = match rows().find(names) {
        Some(row) => (row, true),
        // A provider's own group has next to nothing but its configuration, so its default says nothing there.
        None => (rows().find(|row| row.kinds.is_empty() && !service.is_empty())?, false),
    };
    Some(TagsOfKind { tags: row.tags, by_name, managed: [AWS, AZURE].contains(&row.provider) })
}

/// What a field of a kind holds besides the kind's own tags, where that is known.
pub(crate) fn other_field(group: &str, kind: &str, path: &str) -> Option<Holds> {
    let (service, provider) = service_and_provider(group)?;
    let is_row =
        |row: &&OtherField| row.path == path && is_of(provider, row.provider) && is_kind(row.kind, service, kind);
    OTHER_FIELDS.iter().find(is_row).map(|row| row.holds)
}

/// The first part of a group, empty in the provider's own one, and the rest.
fn service_and_provider(group: &str) -> Option<(&str, &str)> {
    let is_own = CARRIERS.iter().any(|row| is_of(group, row.provider));
    if is_own { Some(("", group)) } else { group.split_once('.') }
}

fn is_kind(name: &str, service: &str, kind: &str) -> bool {
    name.split_once('/') == Some((service, kind))
}

/// `aws.upbound.io` and `aws.m.upbound.io` are one provider.
fn is_of(provider: &str, known: &str) -> bool {
    provider == known
        || provider.split_once(".m.").is_some_and(|(name, rest)| known.split_once('.') == Some((name, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(group: &str, kind: &str, expected: Option<(Tags, bool)>) {
        assert_eq!(tags_of_kind(group, kind).map(|known| (known.tags, known.by_name)), expected, "{group} {kind}");
    }

    #[test]
    fn a_kind_is_known_by_name_or_by_its_provider() {
        check("ec2.aws.upbound.io", "Instance", Some((Map(TAGS), true)));
        check("ec2.aws.m.upbound.io", "Instance", Some((Map(TAGS), true)));
        check("sqs.aws.m.upbound.io", "Queue", Some((Map(TAGS), false)));
        check("ec2.aws.upbound.io", "Route", Some((Nowhere, true)));
        check("azure.m.upbound.io", "ResourceGroup", Some((Map(TAGS), true)));
        check("server.hcloud.crossplane.io", "Server", Some((Map(LABELS), true)));
        check("compute.openstack.m.crossplane.io", "InstanceV2", Some((Map(METADATA), true)));
        check("networking.openstack.crossplane.io", "NetworkV2", Some((List(TAGS), true)));
        check("droplet.digitalocean.crossplane.io", "Droplet", Some((List(TAGS), true)));
    }

    #[test]
    fn another_field_is_known_by_its_kind() {
        let volumes = "spec.forProvider.volumeTags";
        assert_eq!(other_field("ec2.aws.m.upbound.io", "Instance", volumes), Some(TagsBesides));
        assert_eq!(other_field("ec2.aws.upbound.io", "Subnet", volumes), None);
        assert_eq!(other_field("eks.aws.upbound.io", "NodeGroup", LABELS), Some(NoTags));
    }

    #[test]
    fn an_unknown_group_or_kind_has_no_row() {
        check("aws.upbound.io", "ProviderConfig", None);
        check("kubernetes.crossplane.io", "Object", None);
        check("kubernetes.digitalocean.crossplane.io", "Else", None);
        check("", "ConfigMap", None);
        check("ec2.aws.upbound.io.example.com", "Instance", None);
    }

    /// A default behind which an exception stands would hide it; two rows for one kind would contradict each other.
    #[test]
    fn every_kind_has_one_row() {
        let mut seen = std::collections::BTreeSet::new();
        for row in CARRIERS {
            if row.kinds.is_empty() {
                assert!(seen.insert((row.provider, "")), "{} has two defaults", row.provider);
            }
            for kind in row.kinds {
                assert!(kind.split_once('/').is_some_and(|(_, kind)| !kind.contains('/')), "{kind}");
                assert!(seen.insert((row.provider, *kind)), "{} {kind} stands twice", row.provider);
            }
        }
    }
}
