//! Which edits of the infrastructure of a Cluster the webhook of its provider refuses.

use metadata_propagation::cluster_api::INFRASTRUCTURE_GROUP;
use serde_json::Value;

use self::ProviderWebhook::{Accepts, Fixed, FixedIfSet, Kept, MayRefuse};
use super::bare::bare;
use crate::object::ObjectId;

/// What a webhook makes of an edit of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProviderWebhook {
    /// It accepts it.
    Accepts,
    /// It refuses it.
    Fixed,
    /// It refuses another value. A value that is not written may have been set by a default or a controller, so whether it
    /// refuses to add or remove one is not known.
    FixedIfSet,
    /// It refuses to remove the field.
    Kept,
    /// It depends on other fields or on parts of this one.
    MayRefuse,
}

/// A path below `spec`, and what the webhook makes of it; the longest path counts.
type InfrastructureRow = (&'static str, ProviderWebhook);

/// Kinds of infrastructure clusters. For a kind without rows it is not known what its webhook accepts.
///
/// Sources, the `ValidateUpdate` of each kind: cluster-api-provider-azure 69ec3a4 internal/webhooks/azurecluster_webhook.go and
/// azurecluster_validation.go; cluster-api-provider-aws 2cf09d7 webhooks/awscluster_webhook.go;
/// cluster-api-provider-cloudstack 4ad583a api/v1beta3; cluster-api-provider-cloud-director adc480c api/v1beta3;
/// cluster-api-provider-gcp 5e0bb3b webhooks and exp/webhooks; cluster-api-provider-hetzner 1c4fe74 pkg/webhook;
/// cluster-api-provider-maas 030afed api/v1beta1; cluster-api-provider-metal3 2f6d76b internal/webhooks;
/// cluster-api-provider-oci f917d3c api/v1beta2; cluster-api-provider-openstack e52de58
/// pkg/webhooks/openstackcluster_webhook.go; cluster-api-provider-packet 762acd1 api/v1beta1; cluster-api-provider-proxmox
/// 38e3ded internal/webhook; Cluster API v1.14 test/infrastructure/docker/webhooks. For Linode 9d6f396 and IONOS Cloud
/// de375f0 the rules of their CustomResourceDefinitions. The kinds that accept everything have neither such rules nor a
/// webhook that checks an update: HivelocityCluster 5c192f5, KubevirtCluster, LXCCluster 01bf822, NutanixCluster, OscCluster
/// 503aa57, RemoteCluster 3897bbe, TinkerbellCluster 35ff4e5, VSphereCluster 111a1ba.
#[rustfmt::skip]
const KINDS: &[(&str, &[InfrastructureRow])] = &[
    ("AWSCluster",          AWS),
    ("AzureCluster",        AZURE),
    ("CloudStackCluster",   &[("", Accepts), ("controlPlaneEndpoint", FixedIfSet), ("failureDomains", MayRefuse)]),
    ("DevCluster",          &[("", Accepts), ("backend.docker.failureDomains", MayRefuse)]),
    ("DockerCluster",       &[("", Accepts), ("failureDomains", MayRefuse)]),
    ("GCPCluster",          GCP),
    ("GCPManagedCluster",   &[("", Accepts), ("credentialsRef", Fixed), ("project", Fixed), ("region", Fixed)]),
    ("HetznerCluster",      HETZNER),
    ("HivelocityCluster",   &[("", Accepts)]),
    ("IonosCloudCluster",   &[("", Accepts), ("location", FixedIfSet)]),
    ("KubevirtCluster",     &[("", Accepts)]),
    ("LinodeCluster",       LINODE),
    ("LXCCluster",          &[("", Accepts)]),
    ("MaasCluster",         &[("", Accepts), ("dnsDomain", Fixed)]),
    ("Metal3Cluster",       &[("", Accepts), ("controlPlaneEndpoint", MayRefuse)]),
    ("NutanixCluster",      &[("", Accepts)]),
    ("OCICluster",          OCI),
    ("OpenStackCluster",    OPENSTACK),
    ("OscCluster",          &[("", Accepts)]),
    ("PacketCluster",       PACKET),
    ("ProxmoxCluster",      PROXMOX),
    ("RemoteCluster",       &[("", Accepts)]),
    ("TinkerbellCluster",   &[("", Accepts)]),
    ("VCDCluster",          VCD),
    ("VSphereCluster",      &[("", Accepts)]),
];

#[rustfmt::skip]
const GCP: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("credentialsRef",                                        Fixed),
    ("loadBalancer",                                          FixedIfSet),
    ("network.firewall",                                      MayRefuse),
    ("network.mtu",                                           MayRefuse),
    ("project",                                               Fixed),
    ("region",                                                Fixed),
];

#[rustfmt::skip]
const LINODE: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("network.enableVPCBackends",                             FixedIfSet),
    ("network.useVlan",                                       FixedIfSet),
    ("nodeBalancerFirewallRef",                               FixedIfSet),
    ("vpcID",                                                 FixedIfSet),
    ("vpcRef",                                                FixedIfSet),
];

#[rustfmt::skip]
const OCI: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("compartmentId",                                         Fixed),
    ("networkSpec",                                           MayRefuse),
    ("ociResourceIdentifier",                                 FixedIfSet),
    ("region",                                                Fixed),
];

#[rustfmt::skip]
const PACKET: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("facility",                                              MayRefuse),
    ("metro",                                                 MayRefuse),
    ("projectID",                                             Fixed),
    ("vipManager",                                            FixedIfSet),
];

#[rustfmt::skip]
const PROXMOX: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("controlPlaneEndpoint",                                  MayRefuse),
    ("externalManagedControlPlane",                           MayRefuse),
    ("ipv4Config",                                            MayRefuse),
    ("ipv6Config",                                            MayRefuse),
];

#[rustfmt::skip]
const VCD: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("controlPlaneEndpoint",                                  FixedIfSet),
    ("multiZoneSpec",                                         MayRefuse),
    ("ovdc",                                                  MayRefuse),
    ("ovdcNetwork",                                           MayRefuse),
];

#[rustfmt::skip]
const AWS: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("controlPlaneEndpoint",                                  FixedIfSet),
    ("controlPlaneLoadBalancer.healthCheckProtocol",          MayRefuse),
    ("controlPlaneLoadBalancer.loadBalancerType",             MayRefuse),
    ("controlPlaneLoadBalancer.name",                         FixedIfSet),
    ("controlPlaneLoadBalancer.scheme",                       FixedIfSet),
    ("controlPlaneLoadBalancer.targetGroupIPType",            FixedIfSet),
    ("identityRef",                                           Kept),
    ("network.vpc.id",                                        FixedIfSet),
    ("region",                                                FixedIfSet),
    ("secondaryControlPlaneLoadBalancer",                     MayRefuse),
];

#[rustfmt::skip]
const AZURE: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("azureEnvironment",                                      FixedIfSet),
    ("bastionSpec.azureBastion",                              FixedIfSet),
    ("controlPlaneEndpoint",                                  FixedIfSet),
    ("location",                                              FixedIfSet),
    ("networkSpec.apiServerLB",                               MayRefuse),
    ("networkSpec.apiServerLB.availabilityZones",             Fixed),
    ("networkSpec.apiServerLB.idleTimeoutInMinutes",          FixedIfSet),
    ("networkSpec.apiServerLB.name",                          FixedIfSet),
    ("networkSpec.apiServerLB.sku",                           FixedIfSet),
    ("networkSpec.apiServerLB.type",                          FixedIfSet),
    ("networkSpec.controlPlaneOutboundLB",                    FixedIfSet),
    ("networkSpec.nodeOutboundLB",                            MayRefuse),
    ("networkSpec.privateDNSZone",                            FixedIfSet),
    ("networkSpec.privateDNSZoneName",                        FixedIfSet),
    ("networkSpec.privateDNSZoneResourceGroup",               FixedIfSet),
    ("networkSpec.subnets",                                   MayRefuse),
    ("resourceGroup",                                         FixedIfSet),
    ("subscriptionID",                                        FixedIfSet),
];

#[rustfmt::skip]
const HETZNER: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("controlPlaneLoadBalancer.enableProxyProtocol",          MayRefuse),
    ("controlPlaneLoadBalancer.enabled",                      FixedIfSet),
    ("controlPlaneLoadBalancer.port",                         FixedIfSet),
    ("controlPlaneLoadBalancer.region",                       FixedIfSet),
    ("controlPlaneRegions",                                   MayRefuse),
    ("hcloudNetwork",                                         FixedIfSet),
];

/// All of `spec` cannot change, but for these.
#[rustfmt::skip]
const OPENSTACK: &[InfrastructureRow] = &[
    ("",                                                      FixedIfSet),
    ("apiServer",                                             MayRefuse),
    ("apiServerFixedIP",                                      MayRefuse),
    ("apiServerFloatingIP",                                   MayRefuse),
    ("apiServerLoadBalancer",                                 MayRefuse),
    ("apiServerPort",                                         MayRefuse),
    ("bastion",                                               Accepts),
    ("controlPlaneAvailabilityZones",                         Accepts),
    ("controlPlaneEndpoint",                                  MayRefuse),
    ("controlPlaneOmitAvailabilityZone",                      Accepts),
    ("identityRef",                                           Accepts),
    ("managedSecurityGroups",                                 MayRefuse),
    ("managedSubnets",                                        MayRefuse),
    ("network",                                               MayRefuse),
    ("primarySubnet",                                         MayRefuse),
    ("subnets",                                               MayRefuse),
];

/// The rows of a kind; none if it is not known.
pub(super) fn rows(id: &ObjectId) -> &'static [InfrastructureRow] {
    let row = KINDS.iter().find(|(kind, _)| *kind == id.kind && id.group == INFRASTRUCTURE_GROUP);
    row.map_or(&[], |(_, rows)| rows)
}

impl ProviderWebhook {
    /// Whether an edit is refused; `None` if that is not known.
    pub(super) fn refuses(self, was: Option<&Value>, is: Option<&Value>) -> Option<bool> {
        let [was, is] = [was, is].map(|value| value.and_then(bare).is_some());
        match self {
            Accepts => Some(false),
            Fixed => Some(true),
            Kept => Some(was && !is),
            FixedIfSet if was && is => Some(true),
            FixedIfSet | MayRefuse => None,
        }
    }
}
