//! What is known of providers and their kinds beyond the tables of tags.

use super::{AWS, GCP, provider_and_service};

/// The fields on the path to the tags of a kind: objects in new versions, and lists with one element in old ones.
struct NestedTags {
    /// Like [`ProviderCarriers::group`].
    provider: &'static str,
    /// The service and the kind.
    kind: (&'static str, &'static str),
    /// The version with lists. The namespaced groups never had it.
    lists: &'static str,
    /// The version with objects.
    objects: &'static str,
}

/// Every kind whose tags are not directly in `spec.forProvider`. Source: the CustomResourceDefinitions of
/// crossplane-contrib/provider-upjet-gcp v2.6.0, the last release with the old versions.
#[rustfmt::skip]
const NESTED_TAGS: &[NestedTags] = &[
    NestedTags { provider: GCP, kind: ("cloudrun", "DomainMapping"), lists: "v1beta1", objects: "v1beta2" },
    NestedTags { provider: GCP, kind: ("cloudrun", "Service"), lists: "v1beta1", objects: "v1beta2" },
    NestedTags { provider: GCP, kind: ("container", "NodePool"), lists: "v1beta1", objects: "v1beta2" },
    NestedTags { provider: GCP, kind: ("sql", "DatabaseInstance"), lists: "v1beta1", objects: "v1beta2" },
];

/// Whether the fields on the path to a kind's tags are lists in a version; `None` if there are none or it is not known.
///
/// ```
/// use tag_delivery::carriers::is_nested_in_lists;
///
/// let of = |group, version| is_nested_in_lists(group, version, "DatabaseInstance");
/// assert_eq!(of("sql.gcp.upbound.io", "v1beta1"), Some(true));
/// assert_eq!(of("sql.gcp.upbound.io", "v1beta2"), Some(false));
/// assert_eq!(of("sql.gcp.m.upbound.io", "v1beta1"), Some(false));
/// assert_eq!(of("sql.gcp.upbound.io", "v1beta3"), None);
/// ```
pub fn is_nested_in_lists(group: &str, version: &str, kind: &str) -> Option<bool> {
    let (provider, service) = provider_and_service(group)?;
    let row = NESTED_TAGS.iter().find(|row| row.provider == provider.group && row.kind == (service, kind))?;
    match version {
        _ if !group.ends_with(provider.group) => Some(false),
        version if version == row.lists => Some(true),
        version if version == row.objects => Some(false),
        _ => None,
    }
}

/// How many tags a provider adds to those in the field `tags` of its resources, with its default flags.
///
/// Source: crossplane-contrib/provider-upjet-aws, config/registry_cluster.go; crossplane-runtime,
/// pkg/resource/resource.go, `GetExternalTags`: kind, name and provider configuration of the resource.
const ADDED_TAGS: &[(&str, &str, usize)] = &[(AWS, "spec.forProvider.tags", 3)];

/// How many tags the provider of a group adds to those in a field.
pub fn added_tags(group: &str, field: &str) -> usize {
    let provider = provider_and_service(group).map_or("", |(provider, _)| provider.group);
    let row = ADDED_TAGS.iter().find(|(of, path, _)| *of == provider && *path == field);
    row.map_or(0, |(_, _, count)| *count)
}

/// The provider whose cloud a managed resource is of, as in the settings.
pub fn cloud_of(group: &str) -> Option<&'static str> {
    const CLOUDS: [(&str, &str); 9] = [
        ("aws", "aws"),
        ("azure", "azure"),
        ("gcp", "gcp"),
        ("hcloud", "hetzner"),
        ("hetzner", "hetzner"),
        ("openstack", "openstack"),
        ("digitalocean", "digitalocean"),
        ("oci", "oci"),
        ("alibabacloud", "alibaba"),
    ];
    let parts: Vec<&str> = group.split('.').collect();
    let is_provider =
        |part: &&str| ["upbound", "crossplane"].iter().any(|of| parts.contains(of)) && parts.contains(part);
    CLOUDS.iter().find(|(part, _)| is_provider(part)).map(|(_, provider)| *provider)
}

#[cfg(test)]
mod tests {
    use super::super::Tags::{List, Map};
    use super::super::{CARRIERS, Carrier};
    use super::*;

    #[test]
    fn versions_are_known_of_every_kind_with_nested_tags() {
        for provider in CARRIERS {
            for Carrier { service, tags, kinds } in provider.carriers {
                let is_nested = matches!(tags, Map(path) | List(path, _) if path.split('.').count() > 3);
                for kind in *kinds {
                    let is_row = |row: &NestedTags| row.provider == provider.group && row.kind == (*service, *kind);
                    assert_eq!(NESTED_TAGS.iter().any(is_row), is_nested, "{service} {kind}");
                }
            }
        }
    }
}
