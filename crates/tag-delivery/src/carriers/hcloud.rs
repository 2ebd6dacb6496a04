//! Made by `make carriers` of the CustomResourceDefinitions of transacid/provider-hcloud v0.2.0: not edited by hand.

use super::{Carrier, ProviderCarriers, Tags};

pub(crate) const PROVIDER: ProviderCarriers = ProviderCarriers {
    group: "hcloud.crossplane.io",
    release: "transacid/provider-hcloud v0.2.0",
    carriers: &[
        Carrier { service: "firewall", tags: Tags::Nowhere, kinds: &[
            "Attachment",
        ] },
        Carrier { service: "firewall", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Firewall",
        ] },
        Carrier { service: "floatingip", tags: Tags::Nowhere, kinds: &[
            "IPAssignment",
        ] },
        Carrier { service: "floatingip", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "IP",
        ] },
        Carrier { service: "loadbalancer", tags: Tags::Nowhere, kinds: &[
            "BalancerNetwork",
            "BalancerService",
            "BalancerTarget",
        ] },
        Carrier { service: "loadbalancer", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Balancer",
        ] },
        Carrier { service: "managed", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Certificate",
        ] },
        Carrier { service: "network", tags: Tags::Nowhere, kinds: &[
            "Route",
            "Subnet",
        ] },
        Carrier { service: "network", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Network",
        ] },
        Carrier { service: "placementgroup", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Group",
        ] },
        Carrier { service: "primaryip", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "IP",
        ] },
        Carrier { service: "rdns", tags: Tags::Nowhere, kinds: &[
            "Rdns",
        ] },
        Carrier { service: "server", tags: Tags::Nowhere, kinds: &[
            "Network",
        ] },
        Carrier { service: "server", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Server",
        ] },
        Carrier { service: "snapshot", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Snapshot",
        ] },
        Carrier { service: "sshkey", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Key",
        ] },
        Carrier { service: "uploaded", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Certificate",
        ] },
        Carrier { service: "volume", tags: Tags::Nowhere, kinds: &[
            "Attachment",
        ] },
        Carrier { service: "volume", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Volume",
        ] },
    ],
    others: &[
    ],
};
