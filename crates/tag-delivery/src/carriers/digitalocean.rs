//! Made by `make carriers` of the CustomResourceDefinitions of crossplane-contrib/provider-upjet-digitalocean v1.0.1: not edited by hand.

use super::{Carrier, ProviderCarriers, Tags};

pub(crate) const PROVIDER: ProviderCarriers = ProviderCarriers {
    group: "digitalocean.crossplane.io",
    release: "crossplane-contrib/provider-upjet-digitalocean v1.0.1",
    carriers: &[
        Carrier { service: "container", tags: Tags::Nowhere, kinds: &[
            "Registry",
            "RegistryDockerCredentials",
        ] },
        Carrier { service: "custom", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "Image",
        ] },
        Carrier { service: "database", tags: Tags::Nowhere, kinds: &[
            "ConnectionPool",
            "DB",
            "Firewall",
            "KafkaConfig",
            "KafkaSchemaRegistry",
            "KafkaTopic",
            "LogSinkOpenSearch",
            "LogSinkRsyslog",
            "MongoDBConfig",
            "MySQLConfig",
            "OnlineMigration",
            "OpenSearchConfig",
            "PostgreSQLConfig",
            "RedisConfig",
            "User",
            "ValkeyConfig",
        ] },
        Carrier { service: "database", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "Cluster",
            "Replica",
        ] },
        Carrier { service: "digitalocean", tags: Tags::Nowhere, kinds: &[
            "App",
            "Tag",
        ] },
        Carrier { service: "dns", tags: Tags::Nowhere, kinds: &[
            "Domain",
            "Record",
        ] },
        Carrier { service: "droplet", tags: Tags::Nowhere, kinds: &[
            "AutoscalePool",
            "Snapshot",
        ] },
        Carrier { service: "droplet", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "Droplet",
        ] },
        Carrier { service: "gradientai", tags: Tags::Nowhere, kinds: &[
            "AgentKnowledgeBaseAttachment",
            "AgentRoute",
            "Function",
            "IndexingJobCancel",
            "KnowledgeBaseDataSource",
            "OpenAIAPIKey",
        ] },
        Carrier { service: "gradientai", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "Agent",
            "KnowledgeBase",
        ] },
        Carrier { service: "kubernetes", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "Cluster",
            "NodePool",
        ] },
        Carrier { service: "monitor", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "Alert",
        ] },
        Carrier { service: "networking", tags: Tags::Nowhere, kinds: &[
            "BYOIPPrefix",
            "Certificate",
            "IP",
            "IPAssignment",
            "IPv6",
            "IPv6Assignment",
            "Loadbalancer",
        ] },
        Carrier { service: "networking", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "Firewall",
        ] },
        Carrier { service: "nfs", tags: Tags::Nowhere, kinds: &[
            "Attachment",
            "Snapshot",
        ] },
        Carrier { service: "nfs", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "NFSShare",
        ] },
        Carrier { service: "project", tags: Tags::Nowhere, kinds: &[
            "Project",
            "Resources",
        ] },
        Carrier { service: "spaces", tags: Tags::Nowhere, kinds: &[
            "Bucket",
            "BucketCorsConfiguration",
            "BucketLogging",
            "BucketObject",
            "BucketPolicy",
            "Cdn",
            "Key",
        ] },
        Carrier { service: "ssh", tags: Tags::Nowhere, kinds: &[
            "Key",
        ] },
        Carrier { service: "uptime", tags: Tags::Nowhere, kinds: &[
            "Alert",
            "Check",
        ] },
        Carrier { service: "volume", tags: Tags::Nowhere, kinds: &[
            "Attachment",
        ] },
        Carrier { service: "volume", tags: Tags::List("spec.forProvider.tags"), kinds: &[
            "Snapshot",
            "Volume",
        ] },
        Carrier { service: "vpc", tags: Tags::Nowhere, kinds: &[
            "NATGateway",
            "Peering",
            "VPC",
        ] },
    ],
    others: &[
        ("kubernetes", "Cluster", "spec.forProvider.nodePool.labels"),
        ("kubernetes", "NodePool", "spec.forProvider.labels"),
        ("spaces", "BucketObject", "spec.forProvider.metadata"),
    ],
};
