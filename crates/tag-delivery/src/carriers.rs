//! Which field of a managed resource holds its tags, by kind.
//!
//! The tables in `carriers/` are generated, complete, from the providers' CustomResourceDefinitions: `make carriers`
//! writes one of them from a directory of definitions, see CONTRIBUTING.md. They contain both answers: where a kind has
//! its tags, and that it has none. `build.rs` makes [`CARRIERS`] of them. Nothing is known about a kind that is in no
//! table, because it is newer or of another provider. A provider's namespaced groups (`ec2.aws.m.upbound.io`) have the same fields as its cluster-scoped ones
//! (`ec2.aws.upbound.io`) and share their rows.

mod launching;
mod other_objects;
mod providers;
mod scopes;

pub use self::launching::{Launching, TaggedBy, launching};
pub use self::other_objects::{OtherObject, other_object};
pub use self::providers::{added_tags, cloud_of, nested_fields};
pub use self::scopes::is_namespaced;

include!(concat!(env!("OUT_DIR"), "/carriers.rs"));

/// The kinds of one provider.
#[derive(Debug)]
pub struct ProviderCarriers {
    /// The suffix of their API groups, such as `aws.upbound.io` in `ec2.aws.upbound.io`.
    pub group: &'static str,
    /// The release whose definitions were read.
    pub release: &'static str,
    /// Where they have their tags, by ascending service.
    pub carriers: &'static [Carrier],
    /// Other maps of strings that are called tags, labels or metadata, by service, kind and path. Elements of lists on the way
    /// are left out.
    pub others: &'static [(&'static str, &'static str, &'static str)],
}

/// The field that holds the tags of some kinds.
#[derive(Debug)]
pub struct Carrier {
    /// The first part of their API group; empty if the group is the provider's own.
    pub service: &'static str,
    /// The field that holds their tags.
    pub tags: Tags,
    /// The kinds, in ascending order.
    pub kinds: &'static [&'static str],
}

/// A field that holds tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tags {
    /// A map of strings at this path.
    Map(&'static str),
    /// A list at this path, which no patch can fill from a map.
    List(&'static str, Item),
    /// The kind has no tags.
    Nowhere,
}

impl Tags {
    /// The field, if there is one.
    pub fn field(self) -> Option<&'static str> {
        match self {
            Tags::Map(field) | Tags::List(field, _) => Some(field),
            Tags::Nowhere => None,
        }
    }
}

/// What a list of tags consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// Objects with a key and a value.
    Object,
    /// Strings.
    String,
}

/// What a field contains that is not the map of the kind's own tags, although its name suggests it.
#[derive(Debug)]
pub struct OtherField {
    /// Like [`ProviderCarriers::group`].
    pub provider: &'static str,
    /// The service and the kind.
    pub kind: (&'static str, &'static str),
    /// The field, among [`ProviderCarriers::others`].
    pub path: &'static str,
    /// What it contains.
    pub holds: Holds,
}

/// What a field other than that of the kind's own tags contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Tags of what is created along with the resource, such as its volumes.
    TagsBesides,
    /// Something else: labels of Nodes, HTTP metadata, options.
    NoTags,
    /// A map of strings whose purpose is not known.
    Unknown,
}

use Holds::{NoTags, TagsBesides};

pub(crate) const AWS: &str = "aws.upbound.io";
pub(crate) const AZURE: &str = "azure.upbound.io";
const GCP: &str = "gcp.upbound.io";
pub(crate) const OPENSTACK: &str = "openstack.crossplane.io";
const OCI: &str = "oci.upbound.io";
const DIGITALOCEAN: &str = "digitalocean.crossplane.io";

const fn other(
    provider: &'static str,
    kind: (&'static str, &'static str),
    path: &'static str,
    holds: Holds,
) -> OtherField {
    OtherField { provider, kind, path, holds }
}

/// What the definitions do not say about some of [`ProviderCarriers::others`]. Source: the fields' descriptions in the
/// same definitions.
#[rustfmt::skip]
pub const OTHER_FIELDS: &[OtherField] = &[
    other(AWS, ("batch", "ComputeEnvironment"), "spec.forProvider.computeResources.tags", TagsBesides),
    other(AWS, ("ec2", "Instance"), "spec.forProvider.volumeTags", TagsBesides),
    other(AWS, ("ec2", "Instance"), "spec.forProvider.rootBlockDevice.tags", TagsBesides),
    other(AWS, ("ec2", "Instance"), "spec.forProvider.ebsBlockDevice.tags", TagsBesides),
    other(AWS, ("ec2", "LaunchTemplate"), "spec.forProvider.tagSpecifications.tags", TagsBesides),
    other(AWS, ("ec2", "SpotFleetRequest"), "spec.forProvider.launchSpecification.tags", TagsBesides),
    other(AWS, ("ec2", "SpotInstanceRequest"), "spec.forProvider.rootBlockDevice.tags", TagsBesides),
    other(AWS, ("ec2", "SpotInstanceRequest"), "spec.forProvider.volumeTags", TagsBesides),
    other(AWS, ("eks", "NodeGroup"), "spec.forProvider.labels", NoTags),
    other(AWS, ("s3", "Object"), "spec.forProvider.metadata", NoTags),
    // Labels of Kubernetes' Nodes.
    other(DIGITALOCEAN, ("kubernetes", "Cluster"), "spec.forProvider.nodePool.labels", NoTags),
    other(DIGITALOCEAN, ("kubernetes", "NodePool"), "spec.forProvider.labels", NoTags),
    other(AZURE, ("containerservice", "KubernetesCluster"), "spec.forProvider.defaultNodePool.tags", TagsBesides),
    other(AZURE, ("storage", "Container"), "spec.forProvider.metadata", NoTags),
    other(GCP, ("compute", "Instance"), "spec.forProvider.bootDisk.initializeParams.labels", TagsBesides),
    other(GCP, ("compute", "Instance"), "spec.forProvider.metadata", NoTags),
    other(GCP, ("container", "Cluster"), "spec.forProvider.nodeConfig.resourceLabels", TagsBesides),
    other(GCP, ("container", "Cluster"), "spec.forProvider.nodeConfig.labels", NoTags),
    other(GCP, ("container", "NodePool"), "spec.forProvider.nodeConfig.labels", NoTags),
    other(OPENSTACK, ("containerinfra", "ClusterV1"), "spec.forProvider.labels", NoTags),
    other(OPENSTACK, ("containerinfra", "ClustertemplateV1"), "spec.forProvider.labels", NoTags),
    other(OPENSTACK, ("containerinfra", "NodegroupV1"), "spec.forProvider.labels", NoTags),
    other(OPENSTACK, ("compute", "AggregateV2"), "spec.forProvider.metadata", NoTags),
    other(OCI, ("compute", "Instance"), "spec.forProvider.createVnicDetails.freeformTags", TagsBesides),
];

/// A tag field that a kind got after the last release of its provider.
#[derive(Debug)]
pub struct NewerField {
    /// Like [`ProviderCarriers::group`].
    pub provider: &'static str,
    /// The service and the kind.
    pub kind: (&'static str, &'static str),
    /// The field.
    pub path: &'static str,
    /// The last release without it.
    pub after: &'static str,
}

/// Fields that kinds got after the last release: the tables are made of later definitions, which leave these fields to
/// this table. A row goes when a release has the field.
///
/// Source: the types in apis/ of the provider's repository.
#[rustfmt::skip]
pub const NEWER_FIELDS: &[NewerField] = &[
    NewerField { provider: AWS, kind: ("cloudfront", "Function"), path: "spec.forProvider.tags", after: "v2.6.0" },
    NewerField { provider: AWS, kind: ("ec2", "VPCIpamPoolCidrAllocation"), path: "spec.forProvider.tags", after: "v2.6.0" },
];

/// The tag field that a kind got after the last release, if it did.
pub fn newer_field(group: &str, kind: &str) -> Option<&'static NewerField> {
    let (provider, service) = provider_and_service(group)?;
    NEWER_FIELDS.iter().find(|row| row.provider == provider.group && row.kind == (service, kind))
}

/// What is known about the tags of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagsOfKind {
    /// The field, if there is one.
    pub tags: Tags,
    /// Whether function-tag-manager supports it. Source: its filters/zz_provider-upjet-*.go list the kinds of two
    /// providers that declare `spec.forProvider.tags`.
    pub managed: bool,
}

/// What is known about the tags of a kind; `None` if nothing is.
///
/// ```
/// use tag_delivery::carriers::{Tags, tags_of_kind};
///
/// let queue = tags_of_kind("sqs.aws.m.upbound.io", "Queue").map(|known| known.tags);
/// assert_eq!(queue, Some(Tags::Map("spec.forProvider.tags")));
/// assert_eq!(tags_of_kind("", "ConfigMap"), None);
/// ```
pub fn tags_of_kind(group: &str, kind: &str) -> Option<TagsOfKind> {
    let (provider, service) = provider_and_service(group)?;
    let tags = provider.carrier(service, kind)?.tags;
    let managed = [AWS, AZURE].contains(&provider.group) && tags == Tags::Map("spec.forProvider.tags");
    Some(TagsOfKind { tags, managed })
}

/// What a field contains that a kind declares in addition to its own tags and that has a similar name; `None` if it
/// declares no such field.
///
/// ```
/// use tag_delivery::carriers::{Holds, other_field};
///
/// let volumes = other_field("ec2.aws.upbound.io", "Instance", "spec.forProvider.volumeTags");
/// assert_eq!(volumes, Some(Holds::TagsBesides));
/// ```
pub fn other_field(group: &str, kind: &str, path: &str) -> Option<Holds> {
    let (provider, service) = provider_and_service(group)?;
    provider.others.binary_search(&(service, kind, path)).ok()?;
    let is_row = |row: &&OtherField| row.provider == provider.group && row.kind == (service, kind) && row.path == path;
    Some(OTHER_FIELDS.iter().find(is_row).map_or(Holds::Unknown, |row| row.holds))
}

impl ProviderCarriers {
    /// How many kinds have such tags.
    pub fn count(&self, is_counted: impl Fn(Tags) -> bool) -> usize {
        self.carriers.iter().filter(|carrier| is_counted(carrier.tags)).map(|carrier| carrier.kinds.len()).sum()
    }

    fn carrier(&self, service: &str, kind: &str) -> Option<&Carrier> {
        let first = self.carriers.partition_point(|carrier| carrier.service < service);
        let of_service = self.carriers.get(first..)?.iter().take_while(|carrier| carrier.service == service);
        of_service.into_iter().find(|carrier| carrier.kinds.binary_search(&kind).is_ok())
    }
}

/// The provider of a group, and the first part of the group, empty for the provider's own group. `aws.upbound.io` and
/// `aws.m.upbound.io` are one provider.
fn provider_and_service(group: &str) -> Option<(&'static ProviderCarriers, &str)> {
    CARRIERS.iter().find_map(|provider| {
        let is_own = |group: &str| {
            let namespaced =
                || group.split_once(".m.").is_some_and(|ends| provider.group.split_once('.') == Some(ends));
            group == provider.group || namespaced()
        };
        let service = match group.split_once('.') {
            _ if is_own(group) => Some(""),
            Some((service, rest)) if is_own(rest) => Some(service),
            _ => None,
        };
        Some((*provider, service?))
    })
}

/// The fields of a kind for tags of what is created along with it.
pub fn fields_besides<'g>(group: &'g str, kind: &'g str) -> impl Iterator<Item = &'static str> + 'g {
    let of = kind_of(group);
    let rows = OTHER_FIELDS.iter().filter(move |row| Some((row.provider, row.kind.0)) == of && row.kind.1 == kind);
    rows.filter(|row| row.holds == TagsBesides).map(|row| row.path)
}

/// The suffix of a provider's groups, and the service, of a group.
pub fn kind_of(group: &str) -> Option<(&'static str, &str)> {
    provider_and_service(group).map(|(provider, service)| (provider.group, service))
}

#[cfg(test)]
mod tests {
    use super::Item::{Object, String};
    use super::Tags::{List, Map, Nowhere};
    use super::*;

    const TAGS: &str = "spec.forProvider.tags";
    const LABELS: &str = "spec.forProvider.labels";

    #[track_caller]
    fn check(group: &str, kind: &str, expected: Option<Tags>) {
        assert_eq!(tags_of_kind(group, kind).map(|known| known.tags), expected, "{group} {kind}");
    }

    #[test]
    fn a_kind_has_its_tags_somewhere_or_nowhere() {
        check("ec2.aws.upbound.io", "Instance", Some(Map(TAGS)));
        check("ec2.aws.m.upbound.io", "Instance", Some(Map(TAGS)));
        check("sqs.aws.m.upbound.io", "Queue", Some(Map(TAGS)));
        check("route53.aws.upbound.io", "Record", Some(Nowhere));
        check("inspector.aws.upbound.io", "ResourceGroup", Some(Nowhere));
        check("autoscaling.aws.upbound.io", "AutoscalingGroup", Some(List("spec.forProvider.tag", Object)));
        check("azure.m.upbound.io", "ResourceGroup", Some(Map(TAGS)));
        check("authorization.azure.upbound.io", "RoleAssignment", Some(Nowhere));
        check("apimanagement.azure.upbound.io", "NamedValue", Some(Nowhere));
        check("compute.gcp.upbound.io", "Subnetwork", Some(Nowhere));
        check("cloudidentity.gcp.upbound.io", "Group", Some(Nowhere));
        check("cloudrun.gcp.upbound.io", "Service", Some(Map("spec.forProvider.metadata.labels")));
        check("monitoring.gcp.upbound.io", "NotificationChannel", Some(Map("spec.forProvider.userLabels")));
        check("server.hcloud.crossplane.io", "Server", Some(Map(LABELS)));
        check("compute.openstack.m.crossplane.io", "InstanceV2", Some(Map("spec.forProvider.metadata")));
        check("networking.openstack.crossplane.io", "NetworkV2", Some(List(TAGS, String)));
        check("compute.openstack.crossplane.io", "AggregateV2", Some(Nowhere));
        check("droplet.digitalocean.crossplane.io", "Droplet", Some(List(TAGS, String)));
    }

    #[test]
    fn of_a_kind_that_is_in_no_table_nothing_is_known() {
        check("sqs.aws.upbound.io", "QueueOfTomorrow", None);
        check("tomorrow.aws.upbound.io", "Queue", None);
        check("objectstorage.openstack.crossplane.io", "ObjectV1", None);
        check("aws.upbound.io", "ProviderConfig", None);
        check("kubernetes.crossplane.io", "Object", None);
        check("", "ConfigMap", None);
        check("ec2.aws.upbound.io.example.com", "Instance", None);
        check("a.ec2.aws.upbound.io", "Instance", None);
    }

    #[test]
    fn another_field_is_known_by_its_kind() {
        let volumes = "spec.forProvider.volumeTags";
        assert_eq!(other_field("ec2.aws.m.upbound.io", "Instance", volumes), Some(TagsBesides));
        assert_eq!(other_field("ec2.aws.upbound.io", "Subnet", volumes), None);
        assert_eq!(other_field("eks.aws.upbound.io", "NodeGroup", LABELS), Some(NoTags));
        let filter = "spec.forProvider.filter.tags";
        assert_eq!(other_field("s3.aws.upbound.io", "BucketMetric", filter), Some(Holds::Unknown));
    }

    /// Lookups rely on the order; two rows for one kind would contradict each other.
    #[test]
    fn every_kind_has_one_row_in_order() {
        for provider in CARRIERS {
            assert!(provider.carriers.is_sorted_by_key(|carrier| carrier.service), "{}", provider.group);
            assert!(provider.others.is_sorted(), "{}", provider.group);
            let mut seen = std::collections::BTreeSet::new();
            for carrier in provider.carriers {
                assert!(carrier.kinds.is_sorted(), "{} {}", provider.group, carrier.service);
                assert!(carrier.kinds.iter().all(|kind| seen.insert((carrier.service, kind))), "{}", provider.group);
            }
        }
    }

    #[test]
    fn what_other_fields_hold_is_said_of_fields_that_are_there() {
        for OtherField { provider, kind, path, .. } in OTHER_FIELDS {
            let others = CARRIERS.iter().find(|known| known.group == *provider).unwrap().others;
            assert!(others.contains(&(kind.0, kind.1, path)), "{kind:?} {path}");
        }
    }
}
