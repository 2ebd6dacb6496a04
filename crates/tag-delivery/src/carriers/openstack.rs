//! Made by `make carriers` of the CustomResourceDefinitions of crossplane-contrib/provider-openstack v0.9.0: not edited by hand.

use super::{Carrier, ProviderCarriers, Tags};

pub(crate) const PROVIDER: ProviderCarriers = ProviderCarriers {
    group: "openstack.crossplane.io",
    release: "crossplane-contrib/provider-openstack v0.9.0",
    carriers: &[
        Carrier { service: "blockstorage", tags: Tags::Nowhere, kinds: &[
            "QosAssociationV3",
            "QosV3",
            "QuotasetV3",
            "VolumeAttachV3",
            "VolumeTypeAccessV3",
            "VolumeTypeV3",
        ] },
        Carrier { service: "blockstorage", tags: Tags::Map("spec.forProvider.metadata"), kinds: &[
            "VolumeV3",
        ] },
        Carrier { service: "compute", tags: Tags::Nowhere, kinds: &[
            "AggregateV2",
            "FlavorAccessV2",
            "FlavorV2",
            "InterfaceAttachV2",
            "KeypairV2",
            "QuotasetV2",
            "ServergroupV2",
            "VolumeAttachV2",
        ] },
        Carrier { service: "compute", tags: Tags::Map("spec.forProvider.metadata"), kinds: &[
            "InstanceV2",
        ] },
        Carrier { service: "containerinfra", tags: Tags::Nowhere, kinds: &[
            "ClusterV1",
            "ClustertemplateV1",
            "NodegroupV1",
        ] },
        Carrier { service: "db", tags: Tags::Nowhere, kinds: &[
            "ConfigurationV1",
            "DatabaseV1",
            "InstanceV1",
            "UserV1",
        ] },
        Carrier { service: "dns", tags: Tags::Nowhere, kinds: &[
            "RecordsetV2",
            "TransferAcceptV2",
            "TransferRequestV2",
            "ZoneV2",
        ] },
        Carrier { service: "fw", tags: Tags::Nowhere, kinds: &[
            "GroupV2",
            "PolicyV2",
            "RuleV2",
        ] },
        Carrier { service: "identity", tags: Tags::Nowhere, kinds: &[
            "ApplicationCredentialV3",
            "EC2CredentialV3",
            "EndpointV3",
            "GroupV3",
            "InheritRoleAssignmentV3",
            "RoleAssignmentV3",
            "RoleV3",
            "ServiceV3",
            "UserMembershipV3",
            "UserV3",
        ] },
        Carrier { service: "identity", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "ProjectV3",
        ] },
        Carrier { service: "images", tags: Tags::Nowhere, kinds: &[
            "ImageAccessAcceptV2",
            "ImageAccessV2",
        ] },
        Carrier { service: "images", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "ImageV2",
        ] },
        Carrier { service: "keymanager", tags: Tags::Nowhere, kinds: &[
            "ContainerV1",
            "OrderV1",
        ] },
        Carrier { service: "keymanager", tags: Tags::Map("spec.forProvider.metadata"), kinds: &[
            "SecretV1",
        ] },
        Carrier { service: "lb", tags: Tags::Nowhere, kinds: &[
            "L7PolicyV2",
            "L7RuleV2",
            "MembersV2",
            "MonitorV2",
            "QuotaV2",
        ] },
        Carrier { service: "lb", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "ListenerV2",
            "LoadbalancerV2",
            "MemberV2",
            "PoolV2",
        ] },
        Carrier { service: "networking", tags: Tags::Nowhere, kinds: &[
            "AddressscopeV2",
            "FloatingipAssociateV2",
            "PortSecgroupAssociateV2",
            "PortforwardingV2",
            "QosBandwidthLimitRuleV2",
            "QosDscpMarkingRuleV2",
            "QosMinimumBandwidthRuleV2",
            "QuotaV2",
            "RbacPolicyV2",
            "RouterInterfaceV2",
            "RouterRouteV2",
            "SecgroupRuleV2",
            "SubnetRouteV2",
        ] },
        Carrier { service: "networking", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "FloatingipV2",
            "NetworkV2",
            "PortV2",
            "QosPolicyV2",
            "RouterV2",
            "SecgroupV2",
            "SubnetV2",
            "SubnetpoolV2",
            "TrunkV2",
        ] },
        Carrier { service: "objectstorage", tags: Tags::Nowhere, kinds: &[
            "TempurlV1",
        ] },
        Carrier { service: "objectstorage", tags: Tags::Map("spec.forProvider.metadata"), kinds: &[
            "ContainerV1",
        ] },
        Carrier { service: "orchestration", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "StackV1",
        ] },
        Carrier { service: "sharedfilesystem", tags: Tags::Nowhere, kinds: &[
            "SecurityserviceV2",
            "ShareAccessV2",
            "SharenetworkV2",
        ] },
        Carrier { service: "sharedfilesystem", tags: Tags::Map("spec.forProvider.metadata"), kinds: &[
            "ShareV2",
        ] },
        Carrier { service: "vpnaas", tags: Tags::Nowhere, kinds: &[
            "EndpointGroupV2",
            "IkePolicyV2",
            "IpsecPolicyV2",
            "ServiceV2",
            "SiteConnectionV2",
        ] },
    ],
    others: &[
        ("compute", "AggregateV2", "spec.forProvider.metadata"),
        ("containerinfra", "ClusterV1", "spec.forProvider.labels"),
        ("containerinfra", "ClustertemplateV1", "spec.forProvider.labels"),
        ("containerinfra", "NodegroupV1", "spec.forProvider.labels"),
    ],
};
