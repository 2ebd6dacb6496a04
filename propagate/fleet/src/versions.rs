//! Resources of a version that no kind of their provider has.

use metadata_propagation::{CARRIERS, TagDelivery, cloud_of, tags_of_kind};
use serde_json::Value;

use crate::activation::composed_resources;
use crate::object::group_and_version;
use crate::object_finding::{FindingLevel, ObjectFinding};
use crate::relations::text;

/// The versions of a provider's kinds, by the end of their groups; the first row that fits counts. Other providers are not
/// known.
///
/// Source: the CustomResourceDefinitions in package/crds of the releases that the tables of tags name.
#[rustfmt::skip]
const VERSIONS: &[(&str, &[&str])] = &[
    ("mq.aws.upbound.io",           &["v1alpha1", "v1beta1", "v1beta2"]),
    ("mq.aws.m.upbound.io",         &["v1alpha1", "v1beta1"]),
    ("aws.upbound.io",              &["v1beta1", "v1beta2", "v1beta3"]),
    ("aws.m.upbound.io",            &["v1beta1"]),
    ("azure.upbound.io",            &["v1beta1", "v1beta2"]),
    ("azure.m.upbound.io",          &["v1beta1"]),
    ("gcp.upbound.io",              &["v1beta1", "v1beta2", "v1beta3"]),
    ("gcp.m.upbound.io",            &["v1beta1", "v1beta2"]),
    ("alibabacloud.crossplane.io",  &["v1alpha1"]),
    ("digitalocean.crossplane.io",  &["v1alpha1"]),
    ("digitalocean.m.crossplane.io", &["v1alpha1"]),
    ("openstack.crossplane.io",     &["v1alpha1"]),
    ("openstack.m.crossplane.io",   &["v1alpha1"]),
];

/// What is composed of a version that is not known, with paths in the Composition.
pub(crate) fn unknown_versions(composition: &Value) -> Vec<ObjectFinding> {
    let finding = |(at, resource): (String, &Value)| {
        let base = resource.get("base")?;
        let ((group, version), kind) = (group_and_version(text(base, "apiVersion")), text(base, "kind"));
        let is_of =
            |end: &str| group.strip_suffix(end).is_some_and(|service| service.is_empty() || service.ends_with('.'));
        let (_, versions) = VERSIONS.iter().find(|(end, _)| is_of(end))?;
        if tags_of_kind(group, kind).is_none() || versions.contains(&version) {
            return None;
        }
        let release = CARRIERS.iter().find(|provider| cloud_of(provider.group) == cloud_of(group))?.release;
        let name = text(resource, "name");
        let message = format!("resource `{name}`: `{kind}` of `{group}` has no version `{version}` in {release}");
        let found = ObjectFinding::new(FindingLevel::Note, "cloudTags.compositions", &at, message);
        let (resource, verdict) = (name.to_owned(), Some(TagDelivery::CannotTell));
        Some(ObjectFinding { resource, verdict, reason: "tags-unknown-version", ..found })
    };
    composed_resources(composition).into_iter().filter_map(finding).collect()
}
