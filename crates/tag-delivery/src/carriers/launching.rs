//! Kinds whose tags stay with the resource itself: what it creates has none of them.

use super::{AWS, AZURE, GCP, kind_of};

/// A kind whose tags stay with the resource itself.
#[derive(Debug)]
pub struct Launching {
    /// Like [`super::ProviderCarriers::group`].
    pub provider: &'static str,
    /// The service and the kind.
    pub kind: (&'static str, &'static str),
    /// What does not get them.
    pub launched: &'static str,
    /// What gives it tags.
    pub unless: TaggedBy,
    /// What to do.
    pub advice: &'static str,
}

/// What gives tags to what a resource creates. Paths are without elements of lists.
#[derive(Debug, Clone, Copy)]
pub enum TaggedBy {
    /// No field of this kind.
    Nothing,
    /// One of these fields.
    Field(&'static [&'static str]),
    /// One of these values of a field.
    Value(&'static str, &'static [&'static str]),
    /// The tags of an element of a list that has a field with this value.
    Element(&'static str, &'static str, &'static str),
    /// This value of a field in every element of a list.
    EveryElement(&'static str, &'static str, &'static str),
}

use TaggedBy::{Element, EveryElement, Field, Nothing, Value};

const SPECIFICATIONS: &str = "spec.forProvider.tagSpecifications";
const BY_TEMPLATE: &str = "set `tagSpecifications` in its launch template";
const TO_SNAPSHOT: (TaggedBy, &str) =
    (Value("spec.forProvider.copyTagsToSnapshot", &["true"]), "set `copyTagsToSnapshot: true`");

/// Every such kind that is known.
///
/// Sources, in this order: Amazon EC2 Auto Scaling user guide, Tag Auto Scaling groups and instances; AWS Batch API
/// reference, ComputeResource: tags, and RegisterJobDefinition: propagateTags; Amazon EC2 API reference, RunInstances:
/// TagSpecification, LaunchTemplateTagSpecificationRequest, SpotFleetLaunchSpecification: TagSpecifications, and
/// RequestSpotInstances; `tables.dynamodb.aws.upbound.io` and `windowsfilesystems.fsx.aws.upbound.io` of
/// provider-upjet-aws, and for snapshots its `clusters` of Neptune and RDS and `instances.rds.aws.upbound.io`; Amazon ECS developer guide, Tagging resources; Amazon EKS user guide, Organize Amazon EKS
/// resources with tags; Azure Kubernetes Service, Use Azure tags; Compute Engine, AttachedDiskInitializeParams: labels.
#[rustfmt::skip]
const LAUNCHING: &[Launching] = &[
    row(AWS, ("autoscaling", "AutoscalingGroup"), "volumes", Nothing, BY_TEMPLATE),
    row(AWS, ("autoscaling", "AutoscalingGroup"), "instances", EveryElement("spec.forProvider.tag", "propagateAtLaunch", "true"), "set `propagateAtLaunch: true` in each `tag`"),
    row(AWS, ("batch", "ComputeEnvironment"), "instances", Field(&["spec.forProvider.computeResources.tags"]), "patch `computeResources.tags` too"),
    row(AWS, ("batch", "JobDefinition"), "tasks", Value("spec.forProvider.propagateTags", &["true"]), "set `propagateTags: true`"),
    row(AWS, ("dynamodb", "Table"), "replicas", EveryElement("spec.forProvider.replica", "propagateTags", "true"), "set `propagateTags: true` in each `replica`"),
    row(AWS, ("ec2", "Fleet"), "instances", Nothing, BY_TEMPLATE),
    row(AWS, ("ec2", "Instance"), "volumes", Field(&["spec.forProvider.volumeTags", "spec.forProvider.rootBlockDevice.tags"]), "patch `volumeTags` or `rootBlockDevice.tags` too"),
    row(AWS, ("ec2", "LaunchTemplate"), "instances", Element(SPECIFICATIONS, "resourceType", "instance"), "patch `tagSpecifications` too"),
    row(AWS, ("ec2", "LaunchTemplate"), "volumes", Element(SPECIFICATIONS, "resourceType", "volume"), "patch `tagSpecifications` too"),
    row(AWS, ("ec2", "SpotFleetRequest"), "instances", Field(&["spec.forProvider.launchSpecification.tags"]), "patch `launchSpecification.tags` too"),
    row(AWS, ("ec2", "SpotInstanceRequest"), "instance", Nothing, "no field of the request tags it"),
    row(AWS, ("ecs", "Service"), "tasks", Value("spec.forProvider.propagateTags", &["SERVICE", "TASK_DEFINITION"]), "set `propagateTags: SERVICE`"),
    row(AWS, ("eks", "NodeGroup"), "instances and volumes", Nothing, BY_TEMPLATE),
    row(AWS, ("fsx", "WindowsFileSystem"), "backups", Value("spec.forProvider.copyTagsToBackups", &["true"]), "set `copyTagsToBackups: true`"),
    row(AWS, ("neptune", "Cluster"), "snapshots", TO_SNAPSHOT.0, TO_SNAPSHOT.1),
    row(AWS, ("rds", "Cluster"), "snapshots", TO_SNAPSHOT.0, TO_SNAPSHOT.1),
    row(AWS, ("rds", "Instance"), "snapshots", TO_SNAPSHOT.0, TO_SNAPSHOT.1),
    row(AZURE, ("containerservice", "KubernetesCluster"), "default node pool", Field(&["spec.forProvider.defaultNodePool.tags"]), "patch `defaultNodePool.tags` too"),
    row(GCP, ("compute", "InstanceTemplate"), "disks", Field(&["spec.forProvider.disk.labels"]), "patch `disk.labels` too"),
    row(GCP, ("compute", "Instance"), "boot disk", Field(&["spec.forProvider.bootDisk.initializeParams.labels"]), "patch `bootDisk.initializeParams.labels` too"),
];

const fn row(
    provider: &'static str,
    kind: (&'static str, &'static str),
    launched: &'static str,
    unless: TaggedBy,
    advice: &'static str,
) -> Launching {
    Launching { provider, kind, launched, unless, advice }
}

/// What a kind creates without its tags.
pub fn launching(group: &str, kind: &str) -> impl Iterator<Item = &'static Launching> {
    let of = kind_of(group).map(|(provider, service)| (provider, (service, kind)));
    LAUNCHING.iter().filter(move |row| of == Some((row.provider, row.kind)))
}

#[cfg(test)]
mod tests {
    use super::super::{Tags, tags_of_kind};
    use super::*;

    #[test]
    fn every_row_is_about_a_kind_with_tags() {
        for Launching { provider, kind: (service, kind), .. } in LAUNCHING {
            let known = tags_of_kind(&format!("{service}.{provider}"), kind).unwrap();
            assert_ne!(known.tags, Tags::Nowhere, "{service} {kind}");
        }
    }
}
