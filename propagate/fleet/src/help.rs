//! What to do about a label or annotation that does not propagate.

use metadata_propagation::cluster_api::{CONTROL_PLANE_GROUP, CORE_GROUP};
use metadata_propagation::{Carried, MapKind, NotApplicable, NotApplicableReason, SkipReason, Skipped};

use crate::object::ObjectId;

/// What to do about an entry that does not propagate to an object: one sentence, lower case, no final stop.
pub fn help_of_skip(skipped: &Skipped) -> String {
    of_reason(skipped.reason, skipped.carried, Some(&skipped.key))
}

/// Like [`help_of_skip`], for all entries with the same reason.
pub fn help_of_skips(skipped: &Skipped) -> String {
    of_reason(skipped.reason, skipped.carried, None)
}

fn of_reason(reason: SkipReason, carried: Carried, key: Option<&str>) -> String {
    let fixed = match reason {
        SkipReason::NodeCriteria if carried == Carried::Map(MapKind::Annotations) => {
            "add the annotation to the manager's flag `--additional-sync-machine-annotations` and to \
             `clusterApi.node.additionalAnnotations`"
        }
        SkipReason::NodeCriteria => {
            let name = key.map_or("…", |key| key.rsplit_once('/').map_or(key, |(_, name)| name));
            return format!(
                "use `node.cluster.x-k8s.io/{name}`, or add the label to the manager's flag \
                 `--additional-sync-machine-labels` and to `clusterApi.node.additionalLabels`"
            );
        }
        SkipReason::NotPropagated => "set it in one of the places that `propagate rules` lists",
        SkipReason::Overridden => "change the source with higher precedence, or remove the key there",
        SkipReason::Forced => "use another key: Cluster API sets this one",
        SkipReason::ControllerOwned => "use another key: this one is reserved",
        SkipReason::UpgradeHold => "leave it: it takes effect where it is set",
        SkipReason::ClassPatches => "read the patches of the ClusterClass: they may set it",
        SkipReason::NoMachineInfrastructure => "add `spec.controlPlane.machineInfrastructure` to the ClusterClass",
        SkipReason::TaintsGate => "set `clusterApi.taints: true` if feature gate `MachineTaintPropagation` is enabled",
        SkipReason::NodeRestriction => "nothing to do: the Machine controller is allowed to set it",
        SkipReason::IllegalKey => "use a key that Kubernetes allows",
        SkipReason::IllegalValue => "use a value that Kubernetes allows for labels",
        SkipReason::TooManyElements => "shorten the list at its source",
        SkipReason::AnnotationsTooLarge => "shorten the annotations at their source",
    };
    fixed.to_owned()
}

/// What to do if it is not known what propagates to an object; `None` if there is nothing to do.
pub fn help_of_unknown(reason: &NotApplicable) -> Option<String> {
    let because = &reason.because;
    Some(match reason.reason {
        NotApplicableReason::ParentMissing => format!("add the manifest of {because}"),
        NotApplicableReason::LookupFailed => format!("correct {because}: `propagate check` says what is wrong"),
        NotApplicableReason::RegistryUnavailable => "add the manifest of the label registry".to_owned(),
        NotApplicableReason::UnknownOwnerKind => {
            let kind = because.object.split(' ').next().filter(|kind| kind.ends_with("ControlPlane"))?;
            format!(
                "add its version to the settings: `lookup.apiVersions: {{ {kind}.{CONTROL_PLANE_GROUP}: VERSION }}`"
            )
        }
        NotApplicableReason::Paused => "nothing propagates until the pause ends".to_owned(),
        NotApplicableReason::TopologyEntryMissing | NotApplicableReason::ClassEntryMissing => {
            "add the entry, or correct the name of the entry in the object that is made from it".to_owned()
        }
        NotApplicableReason::ParentOfAnotherUid => "dump both objects at the same time".to_owned(),
        NotApplicableReason::NoNodeYet | NotApplicableReason::AnotherNode => {
            "add the Machine as it is stored, with `status.nodeRef`".to_owned()
        }
        NotApplicableReason::UnusableAssignments | NotApplicableReason::UnusableTags => {
            "correct the field: `propagate check` says what is wrong".to_owned()
        }
        _ => return None,
    })
}

/// What to do about a label or annotation of a Cluster with a topology or of a ClusterClass itself, which does not
/// propagate.
pub(crate) fn help_of_own(id: &ObjectId, at: &str, has_topology: bool) -> Option<String> {
    let map = at.strip_prefix("metadata.")?;
    let places = match &*id.kind {
        _ if id.group != CORE_GROUP => return None,
        "Cluster" if has_topology => [
            "spec.topology.controlPlane.metadata",
            "spec.topology.workers.machineDeployments[].metadata",
            "spec.topology.workers.machinePools[].metadata",
        ],
        "ClusterClass" => [
            "spec.controlPlane.metadata",
            "spec.workers.machineDeployments[].metadata",
            "spec.workers.machinePools[].metadata",
        ],
        _ => return None,
    };
    let [first, second, third] = places.map(|place| format!("`{place}.{map}`"));
    Some(format!("it does not propagate from here; set it in {first}, {second} or {third}"))
}

#[cfg(test)]
mod tests {
    use metadata_propagation::SourceObject;

    use super::*;

    fn skipped(key: &str, map: MapKind) -> Skipped {
        Skipped {
            carried: Carried::Map(map),
            key: key.to_owned(),
            from: SourceObject::new("MachineSet", &"default/s").into(),
            reason: SkipReason::NodeCriteria,
            value: None,
            instead: None,
        }
    }

    #[test]
    fn a_label_for_nodes_has_a_name_that_propagates() {
        let flag = "or add the label to the manager's flag `--additional-sync-machine-labels` and to \
                    `clusterApi.node.additionalLabels`";
        for (key, name) in [("team", "team"), ("example.com/team", "team")] {
            let expected = format!("use `node.cluster.x-k8s.io/{name}`, {flag}");
            assert_eq!(help_of_skip(&skipped(key, MapKind::Labels)), expected);
        }
        assert_eq!(help_of_skips(&skipped("team", MapKind::Labels)), format!("use `node.cluster.x-k8s.io/…`, {flag}"));
        let annotation = "add the annotation to the manager's flag `--additional-sync-machine-annotations` and to \
                          `clusterApi.node.additionalAnnotations`";
        assert_eq!(help_of_skip(&skipped("team", MapKind::Annotations)), annotation);
    }

    #[test]
    fn a_parent_that_is_missing_is_to_be_added() {
        let of = |reason| help_of_unknown(&NotApplicable { reason, because: "Cluster fleet/c1".into() });
        assert_eq!(of(NotApplicableReason::ParentMissing).as_deref(), Some("add the manifest of Cluster fleet/c1"));
        assert_eq!(of(NotApplicableReason::Deleting), None);
    }

    #[test]
    fn a_label_of_a_cluster_belongs_into_its_topology() {
        let id = |kind: &str| ObjectId::new("cluster.x-k8s.io", kind, "fleet", "c1");
        let expected = "it does not propagate from here; set it in `spec.topology.controlPlane.metadata.labels`, \
                        `spec.topology.workers.machineDeployments[].metadata.labels` or \
                        `spec.topology.workers.machinePools[].metadata.labels`";
        assert_eq!(help_of_own(&id("Cluster"), "metadata.labels", true).as_deref(), Some(expected));
        assert_eq!(help_of_own(&id("Cluster"), "metadata.labels", false), None);
        assert_eq!(help_of_own(&id("Machine"), "metadata.labels", true), None);
    }
}
