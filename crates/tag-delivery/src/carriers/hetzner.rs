//! Made by `make carriers` of the CustomResourceDefinitions of mrsimonemms/provider-hetzner b4a0cfd: not edited by hand.

use super::{Carrier, ProviderCarriers, Tags};

pub(crate) const PROVIDER: ProviderCarriers = ProviderCarriers {
    group: "hetzner.crossplane.io",
    release: "mrsimonemms/provider-hetzner b4a0cfd",
    carriers: &[
        Carrier { service: "cloud", tags: Tags::Map("spec.forProvider.labels"), kinds: &[
            "Firewall",
            "Network",
            "PlacementGroup",
            "Server",
            "Volume",
        ] },
    ],
    others: &[
        ("cloud", "Firewall", "spec.forProvider.applyTo.labels"),
    ],
};
