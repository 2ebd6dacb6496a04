//! What is known of providers and their kinds beyond the tables of tags.

use super::{AWS, AZURE, GCP, kind_of, provider_and_service};

/// A field on the path to tags: an object in `v1beta2` of its kind, and a list with one element in `v1beta1`. The
/// namespaced groups have objects only.
struct NestedField {
    /// Like [`ProviderCarriers::group`].
    provider: &'static str,
    /// The service and the kind.
    kind: (&'static str, &'static str),
    path: &'static str,
}

const fn nested(provider: &'static str, kind: (&'static str, &'static str), path: &'static str) -> NestedField {
    NestedField { provider, kind, path }
}

/// Every such field. Source: the CustomResourceDefinitions of crossplane-contrib/provider-upjet-gcp v2.6.0, the last
/// release with the old versions, of provider-upjet-aws v2.6.0 and of provider-upjet-azure v2.7.0.
#[rustfmt::skip]
const NESTED_FIELDS: &[NestedField] = &[
    nested(AWS, ("ec2", "Instance"), "spec.forProvider.rootBlockDevice"),
    nested(AWS, ("ec2", "SpotInstanceRequest"), "spec.forProvider.rootBlockDevice"),
    nested(AZURE, ("containerservice", "KubernetesCluster"), "spec.forProvider.defaultNodePool"),
    nested(GCP, ("cloudrun", "DomainMapping"), "spec.forProvider.metadata"),
    nested(GCP, ("cloudrun", "Service"), "spec.forProvider.metadata"),
    nested(GCP, ("compute", "Instance"), "spec.forProvider.bootDisk"),
    nested(GCP, ("compute", "Instance"), "spec.forProvider.bootDisk.initializeParams"),
    nested(GCP, ("container", "Cluster"), "spec.forProvider.nodeConfig"),
    nested(GCP, ("container", "NodePool"), "spec.forProvider.nodeConfig"),
    nested(GCP, ("sql", "DatabaseInstance"), "spec.forProvider.settings"),
];

/// The fields on the paths to the tags of a kind, and whether they are lists in a version.
///
/// ```
/// use tag_delivery::carriers::nested_fields;
///
/// let of = |group, version| nested_fields(group, version, "DatabaseInstance").next();
/// assert_eq!(of("sql.gcp.upbound.io", "v1beta1"), Some(("spec.forProvider.settings", true)));
/// assert_eq!(of("sql.gcp.upbound.io", "v1beta2"), Some(("spec.forProvider.settings", false)));
/// assert_eq!(of("sql.gcp.m.upbound.io", "v1beta1"), Some(("spec.forProvider.settings", false)));
/// assert_eq!(of("sql.gcp.upbound.io", "v1beta3"), None);
/// ```
pub fn nested_fields(group: &str, version: &str, kind: &str) -> impl Iterator<Item = (&'static str, bool)> {
    let of = kind_of(group).map(|(provider, service)| (provider, (service, kind)));
    let is_list = match version {
        _ if of.is_none_or(|(provider, _)| !group.ends_with(provider)) => Some(false),
        "v1beta1" => Some(true),
        "v1beta2" => Some(false),
        _ => None,
    };
    let rows = NESTED_FIELDS.iter().filter(move |row| of == Some((row.provider, row.kind)));
    rows.filter_map(move |row| Some((row.path, is_list?)))
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
    use super::super::{CARRIERS, Carrier, fields_besides, tags_of_kind};
    use super::*;

    #[test]
    fn nested_fields_are_on_paths_to_tags() {
        for NestedField { provider, kind: (service, kind), path } in NESTED_FIELDS {
            let group = [service, ".", provider].concat();
            let own = tags_of_kind(&group, kind).and_then(|known| known.tags.field());
            let is_above = |field: &str| field.starts_with(&format!("{path}."));
            assert!(own.into_iter().chain(fields_besides(&group, kind)).any(is_above), "{service} {kind} {path}");
        }
    }

    #[test]
    fn versions_are_known_of_every_kind_with_nested_tags() {
        for provider in CARRIERS {
            for Carrier { service, tags, kinds } in provider.carriers {
                let is_nested = matches!(tags, Map(path) | List(path, _) if path.split('.').count() > 3);
                for kind in *kinds {
                    let is_row = |row: &NestedField| row.provider == provider.group && row.kind == (*service, *kind);
                    assert!(!is_nested || NESTED_FIELDS.iter().any(is_row), "{service} {kind}");
                }
            }
        }
    }
}
