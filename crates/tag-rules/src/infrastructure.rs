//! The kinds of infrastructure clusters whose tags can change, and where they have them.

use super::clouds::{Cloud, KeyCase, Text};
use super::text_limits::Alphabet::Ascii;
use super::text_limits::Form::Containing;
use super::text_limits::Length::Bytes;

/// The kinds that can get tags from the labels of their Cluster.
///
/// An OpenStackCluster is not among them: its webhook forbids every change of `spec.tags`
/// (cluster-api-provider-openstack, pkg/webhooks/openstackcluster_webhook.go, `ValidateUpdate`). Neither are templates,
/// which cannot change either and do not belong to a single Cluster.
#[rustfmt::skip]
pub const INFRA_CLUSTERS: &[InfraCluster] = &[
    row("AWSCluster",   "additionalTags",   "aws",   Some(&CAPA), "cluster-api-provider-aws, api/v1beta2/awscluster_webhook.go: `ValidateUpdate`"),
    row("AzureCluster", "additionalTags",   "azure", None,        "cluster-api-provider-azure, api/v1beta1/azurecluster_webhook.go: `ValidateUpdate`"),
    row("GCPCluster",   "additionalLabels", "gcp",   None,        "cluster-api-provider-gcp, webhooks/gcpcluster_webhook.go: `ValidateUpdate`"),
    row("OCICluster",   "freeformTags",     "oci",   None,        "cluster-api-provider-oci, api/v1beta2/ocicluster_webhook.go: `ValidateUpdate`"),
];

/// What the webhook of AWSCluster allows, which is less than AWS does. If it does not allow one entry, every write of
/// the object is rejected. It reserves `aws:` only in this spelling, AWS in every case.
const CAPA: Cloud = Cloud {
    provider: "aws",
    interface: "webhook of AWSCluster",
    key: Text { length: Bytes(128), form: Containing(Ascii, CAPA_CHARACTERS) },
    value: Text { length: Bytes(256), form: Containing(Ascii, CAPA_CHARACTERS) },
    joined: None,
    lists_texts: false,
    tags: Some(50),
    reserved: &["aws:"],
    free: &[],
    reserves_values: false,
    case: KeyCase::Matters,
    source: "cluster-api-provider-aws, api/v1beta2/tags.go: `Validate`",
};

/// The API group of these kinds.
const INFRASTRUCTURE_GROUP: &str = "infrastructure.cluster.x-k8s.io";

/// In addition to letters and digits. The webhook's `\s` also includes tabs and line breaks, which AWS does not accept.
const CAPA_CHARACTERS: &str = "_.:=+-@/ ";

/// A kind of infrastructure cluster with a map of tags that can change.
#[derive(Debug, PartialEq, Eq)]
pub struct InfraCluster {
    pub kind: &'static str,
    /// The map of tags, below `spec`.
    pub field: &'static str,
    /// The provider whose profile is used for the tags.
    pub provider: &'static str,
    /// What the kind's own webhook allows, if it checks tags at all.
    pub webhook: Option<&'static Cloud>,
    /// Where it is documented that the map can change.
    pub source: &'static str,
}

const fn row(
    kind: &'static str,
    field: &'static str,
    provider: &'static str,
    webhook: Option<&'static Cloud>,
    source: &'static str,
) -> InfraCluster {
    InfraCluster { kind, field, provider, webhook, source }
}

impl InfraCluster {
    pub fn of(group: &str, kind: &str) -> Option<&'static InfraCluster> {
        InfraCluster::named(kind).filter(|_| group == INFRASTRUCTURE_GROUP)
    }

    /// The row of a kind of the infrastructure group.
    pub fn named(kind: &str) -> Option<&'static InfraCluster> {
        INFRA_CLUSTERS.iter().find(|row| row.kind == kind)
    }
}

/// The kinds, in the order of the table.
pub(crate) fn infra_cluster_kinds() -> Vec<&'static str> {
    INFRA_CLUSTERS.iter().map(|row| row.kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_of_another_group_is_no_infrastructure_cluster() {
        let field = |group, kind| InfraCluster::of(group, kind).map(|row| row.field);
        assert_eq!(field(INFRASTRUCTURE_GROUP, "GCPCluster"), Some("additionalLabels"));
        assert_eq!(field("example.org", "GCPCluster"), None);
        for kind in ["GCPClusterTemplate", "OpenStackCluster", "gcpcluster", ""] {
            assert_eq!(field(INFRASTRUCTURE_GROUP, kind), None, "{kind}");
        }
    }
}
