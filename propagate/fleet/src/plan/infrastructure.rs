//! Which edits of the infrastructure of a Cluster, of control planes without Machines and of MachinePools the webhook of their
//! provider refuses.

use metadata_propagation::cluster_api::{CONTROL_PLANE_GROUP, INFRASTRUCTURE_GROUP};
use serde_json::Value;

use self::ProviderWebhook::{Accepts, Fixed, FixedIfSet, Kept, MayRefuse, Raised};
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
    /// It refuses a lower version.
    Raised,
    /// It depends on other fields or on parts of this one.
    MayRefuse,
}

/// A path below `spec`, and what the webhook makes of it; the longest path counts.
type InfrastructureRow = (&'static str, ProviderWebhook);

/// Kinds of infrastructure clusters, of control planes and of infrastructure of MachinePools. For a kind without rows it is not
/// known what its webhook accepts. Rows of a pool are those of what is refused; what else an edit does, its provider decides.
///
/// Sources, the `ValidateUpdate` of each kind: cluster-api-provider-azure 69ec3a4 internal/webhooks, of AzureCluster with
/// azurecluster_validation.go; cluster-api-provider-aws 2cf09d7 webhooks, exp/webhooks and controlplane/eks/webhooks;
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
    ("AWSCluster",                 AWS),
    ("AWSManagedCluster",          &[("", Accepts)]),
    ("AWSManagedControlPlane",     EKS),
    ("AWSManagedMachinePool",      EKS_POOL),
    ("AzureASOManagedCluster",     &[("", Accepts)]),
    ("AzureASOManagedControlPlane", &[("", Accepts)]),
    ("AzureCluster",               AZURE),
    ("AzureManagedCluster",        &[("", Accepts)]),
    ("AzureManagedControlPlane",   AKS),
    ("AzureManagedMachinePool",    AKS_POOL),
    ("CloudStackCluster",          &[("", Accepts), ("controlPlaneEndpoint", FixedIfSet), ("failureDomains", MayRefuse)]),
    ("DevCluster",                 &[("", Accepts), ("backend.docker.failureDomains", MayRefuse)]),
    ("DockerCluster",              &[("", Accepts), ("failureDomains", MayRefuse)]),
    ("GCPCluster",                 GCP),
    ("GCPManagedCluster",          &[("", Accepts), ("credentialsRef", Fixed), ("project", Fixed), ("region", Fixed)]),
    ("GCPManagedControlPlane",     GKE),
    ("GCPManagedMachinePool",      GKE_POOL),
    ("HetznerCluster",             HETZNER),
    ("HivelocityCluster",          &[("", Accepts)]),
    ("IonosCloudCluster",          &[("", Accepts), ("location", FixedIfSet)]),
    ("KubevirtCluster",            &[("", Accepts)]),
    ("LinodeCluster",              LINODE),
    ("LXCCluster",                 &[("", Accepts)]),
    ("MaasCluster",                &[("", Accepts), ("dnsDomain", Fixed)]),
    ("Metal3Cluster",              &[("", Accepts), ("controlPlaneEndpoint", MayRefuse)]),
    ("NutanixCluster",             &[("", Accepts)]),
    ("OCICluster",                 OCI),
    ("OCIManagedCluster",          OCI),
    ("OCIManagedControlPlane",     &[("", Accepts)]),
    ("OpenStackCluster",           OPENSTACK),
    ("OscCluster",                 &[("", Accepts)]),
    ("PacketCluster",              PACKET),
    ("ProxmoxCluster",             PROXMOX),
    ("RemoteCluster",              &[("", Accepts)]),
    ("ROSAMachinePool",            &[("additionalSecurityGroups", Fixed), ("additionalTags", Fixed)]),
    ("TinkerbellCluster",          &[("", Accepts)]),
    ("VCDCluster",                 VCD),
    ("VSphereCluster",             &[("", Accepts)]),
];

#[rustfmt::skip]
const AKS: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("aadProfile",                                            MayRefuse),
    ("addonProfiles",                                         MayRefuse),
    ("apiServerAccessProfile",                                MayRefuse),
    ("autoUpgradeProfile",                                    MayRefuse),
    ("azureEnvironment",                                      FixedIfSet),
    ("disableLocalAccounts",                                  MayRefuse),
    ("dnsPrefix",                                             FixedIfSet),
    ("dnsServiceIP",                                          FixedIfSet),
    ("extensions",                                            MayRefuse),
    ("fleetsMember",                                          MayRefuse),
    ("httpProxyConfig",                                       FixedIfSet),
    ("loadBalancerSKU",                                       FixedIfSet),
    ("location",                                              FixedIfSet),
    ("networkDataplane",                                      FixedIfSet),
    ("networkPlugin",                                         FixedIfSet),
    ("networkPluginMode",                                     MayRefuse),
    ("networkPolicy",                                         FixedIfSet),
    ("nodeResourceGroupName",                                 FixedIfSet),
    ("oidcIssuerProfile",                                     MayRefuse),
    ("outboundType",                                          FixedIfSet),
    ("resourceGroupName",                                     FixedIfSet),
    ("securityProfile",                                       MayRefuse),
    ("sshPublicKey",                                          FixedIfSet),
    ("subscriptionID",                                        FixedIfSet),
    ("version",                                               MayRefuse),
    ("virtualNetwork",                                        MayRefuse),
];

#[rustfmt::skip]
const AKS_POOL: &[InfrastructureRow] = &[
    ("availabilityZones",                                     FixedIfSet),
    ("enableEncryptionAtHost",                                FixedIfSet),
    ("enableFIPS",                                            FixedIfSet),
    ("enableNodePublicIP",                                    FixedIfSet),
    ("enableUltraSSD",                                        FixedIfSet),
    ("kubeletConfig",                                         FixedIfSet),
    ("kubeletDiskType",                                       FixedIfSet),
    ("linuxOSConfig",                                         FixedIfSet),
    ("maxPods",                                               FixedIfSet),
    ("name",                                                  FixedIfSet),
    ("nodePublicIPPrefixID",                                  FixedIfSet),
    ("osDiskSizeGB",                                          FixedIfSet),
    ("osDiskType",                                            FixedIfSet),
    ("osType",                                                FixedIfSet),
    ("scaleSetPriority",                                      FixedIfSet),
    ("sku",                                                   FixedIfSet),
    ("subnetName",                                            FixedIfSet),
];

#[rustfmt::skip]
const EKS: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("accessConfig",                                          Kept),
    ("accessConfig.authenticationMode",                       MayRefuse),
    ("eksClusterName",                                        FixedIfSet),
    ("encryptionConfig",                                      Kept),
    ("encryptionConfig.provider",                             FixedIfSet),
    ("identityRef",                                           Kept),
    ("network.vpc.ipv6",                                      MayRefuse),
    ("region",                                                FixedIfSet),
    ("version",                                               Raised),
];

#[rustfmt::skip]
const EKS_POOL: &[InfrastructureRow] = &[
    ("amiType",                                               FixedIfSet),
    ("availabilityZoneSubnetType",                            Fixed),
    ("availabilityZones",                                     Fixed),
    ("awsLaunchTemplate.name",                                FixedIfSet),
    ("capacityType",                                          FixedIfSet),
    ("diskSize",                                              Fixed),
    ("eksNodegroupName",                                      FixedIfSet),
    ("remoteAccess",                                          Fixed),
    ("roleName",                                              FixedIfSet),
    ("subnetIDs",                                             Fixed),
];

#[rustfmt::skip]
const GKE: &[InfrastructureRow] = &[
    ("",                                                      Accepts),
    ("clusterName",                                           FixedIfSet),
    ("controlPlaneVersion",                                   MayRefuse),
    ("enableAutopilot",                                       Fixed),
    ("location",                                              Fixed),
    ("loggingService",                                        MayRefuse),
    ("monitoringService",                                     MayRefuse),
    ("project",                                               Fixed),
];

#[rustfmt::skip]
const GKE_POOL: &[InfrastructureRow] = &[
    ("diskSizeGb",                                            FixedIfSet),
    ("diskType",                                              FixedIfSet),
    ("instanceType",                                          FixedIfSet),
    ("localSsdCount",                                         FixedIfSet),
    ("machineType",                                           FixedIfSet),
    ("management",                                            FixedIfSet),
    ("maxPodsPerNode",                                        FixedIfSet),
    ("nodeNetwork.createPodRange",                            FixedIfSet),
    ("nodeNetwork.podRangeCidrBlock",                         FixedIfSet),
    ("nodeNetwork.podRangeName",                              FixedIfSet),
    ("nodePoolName",                                          FixedIfSet),
    ("nodeSecurity",                                          FixedIfSet),
    ("preemptible",                                           FixedIfSet),
    ("spot",                                                  FixedIfSet),
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
    let is_provided = [INFRASTRUCTURE_GROUP, CONTROL_PLANE_GROUP].contains(&&*id.group);
    let row = KINDS.iter().find(|(kind, _)| *kind == id.kind && is_provided);
    row.map_or(&[], |(_, rows)| rows)
}

/// Major and minor number of a version.
fn minor(version: &Value) -> Option<(u64, u64)> {
    let mut numbers = version.as_str()?.trim_start_matches('v').split('.').map(|number| number.parse().ok());
    numbers.next()?.zip(numbers.next()?)
}

impl ProviderWebhook {
    /// Whether an edit is refused; `None` if that is not known.
    pub(super) fn refuses(self, was: Option<&Value>, is: Option<&Value>) -> Option<bool> {
        let lowers = || minor(was?).zip(minor(is?)).map(|(from, to)| to < from);
        let [was, is] = [was, is].map(|value| value.and_then(bare).is_some());
        match self {
            Accepts => Some(false),
            Raised => lowers(),
            Fixed => Some(true),
            Kept => Some(was && !is),
            FixedIfSet if was && is => Some(true),
            FixedIfSet | MayRefuse => None,
        }
    }
}
