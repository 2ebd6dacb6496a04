//! Kinds whose provider refuses a change of the tags of a resource that exists.

use tag_delivery::carriers::kind_of;

/// Kinds, by the suffix of their provider's group, service and kind.
///
/// A provider that is made with upjet refuses what Terraform would replace the resource for (upjet,
/// pkg/controller/external_tfpluginsdk.go, `assertNoForceNew`): here `tags` or `labels` are `ForceNew` in the schema of
/// the Terraform provider.
#[rustfmt::skip]
const IMMUTABLE_TAGS: &[(&str, &str, &str, &str)] = &[
    ("aws.upbound.io", "ivs", "RecordingConfiguration", "terraform-provider-aws, internal/service/ivs/recording_configuration.go"),
    ("aws.upbound.io", "macie2", "CustomDataIdentifier", "terraform-provider-aws, internal/service/macie2/custom_data_identifier.go"),
    ("aws.upbound.io", "macie2", "Member", "terraform-provider-aws, internal/service/macie2/member.go"),
    ("aws.upbound.io", "ssm", "Activation", "terraform-provider-aws, internal/service/ssm/activation.go"),
    ("gcp.upbound.io", "compute", "InstanceTemplate", "terraform-provider-google, google/services/compute/resource_compute_instance_template.go"),
];

/// Whether the provider refuses a change.
pub(crate) fn is_refused_later(group: &str, kind: &str) -> bool {
    let Some((provider, service)) = kind_of(group) else { return false };
    IMMUTABLE_TAGS.iter().any(|(of, in_service, named, _)| (*of, *in_service, *named) == (provider, service, kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tag_delivery::carriers::{Tags, tags_of_kind};

    #[test]
    fn every_kind_has_tags() {
        for (provider, service, kind, _) in IMMUTABLE_TAGS {
            let group = [service, ".", provider].concat();
            assert!(matches!(tags_of_kind(&group, kind).map(|known| known.tags), Some(Tags::Map(_))), "{group} {kind}");
            assert!(is_refused_later(&group, kind));
        }
        assert!(!is_refused_later("ec2.aws.upbound.io", "Instance"));
    }
}
