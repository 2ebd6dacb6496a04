//! The sort of an object in a picture, and its icon.

use crate::object::ObjectId;
use metadata_propagation::cluster_api::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP};

/// The sort of an object, from the top of a fleet down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Template,
    Cluster,
    ControlPlane,
    Machines,
    Machine,
    Part,
    Node,
    Cloud,
    Other,
}

/// The icon of a sort, in 16 by 16 pixels, and its text in the legend.
#[derive(Debug)]
pub(super) struct SortDrawing {
    pub(super) sort: Sort,
    pub(super) path: &'static str,
    pub(super) words: &'static str,
}

/// In the order of the legend.
pub(super) const LOOKS: &[SortDrawing] = &[
    SortDrawing { sort: Sort::Template, path: "M5 2h9v9H5zM2 5h3M2 5v9h9v-3", words: "class or template" },
    SortDrawing { sort: Sort::Cluster, path: "M8 1l6 3.5v7L8 15l-6-3.5v-7z", words: "Cluster" },
    SortDrawing {
        sort: Sort::ControlPlane,
        path: "M8 2a6 6 0 1 0 .01 0zM8 2v12M2 8h12M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4",
        words: "control plane",
    },
    SortDrawing { sort: Sort::Machines, path: "M2 2h12v4H2zM2 10h12v4H2zM5 6v4M11 6v4", words: "set of Machines" },
    SortDrawing { sort: Sort::Machine, path: "M2 3h12v8H2zM8 11v3M5 14h6", words: "Machine" },
    SortDrawing { sort: Sort::Part, path: "M8 2l6 6-6 6-6-6z", words: "infrastructure or bootstrap configuration" },
    SortDrawing { sort: Sort::Node, path: "M8 1.5a6.5 6.5 0 1 0 .01 0zM8 5.5a2.5 2.5 0 1 0 .01 0z", words: "Node" },
    SortDrawing {
        sort: Sort::Cloud,
        path: "M4.5 13a3 3 0 0 1 0-6 4 4 0 0 1 7.6-.6A3.3 3.3 0 0 1 12 13z",
        words: "resources of a cloud",
    },
    SortDrawing { sort: Sort::Other, path: "M4 4h8v8H4z", words: "other object" },
];

impl Sort {
    /// The sort of an object. A composite with cloud tags, and the infrastructure of a Cluster, represent cloud
    /// resources.
    pub(super) fn of(id: &ObjectId, has_cloud_tags: bool) -> Sort {
        match (&*id.group, &*id.kind) {
            _ if has_cloud_tags => Sort::Cloud,
            ("", "Node") => Sort::Node,
            (CORE_GROUP, "Cluster") => Sort::Cluster,
            (CORE_GROUP, "MachineDeployment" | "MachineSet" | "MachinePool") => Sort::Machines,
            (CORE_GROUP, "Machine") => Sort::Machine,
            (_, kind) if kind.ends_with("Template") || kind == "ClusterClass" => Sort::Template,
            (CONTROL_PLANE_GROUP, _) => Sort::ControlPlane,
            (INFRASTRUCTURE_GROUP, kind) if kind.ends_with("Cluster") => Sort::Cloud,
            (INFRASTRUCTURE_GROUP | BOOTSTRAP_GROUP, _) => Sort::Part,
            _ => Sort::Other,
        }
    }

    /// Whether a key goes no further.
    pub(super) fn is_end(self) -> bool {
        matches!(self, Sort::Node | Sort::Cloud)
    }

    pub(super) fn path(self) -> &'static str {
        LOOKS.iter().find(|look| look.sort == self).map_or("", |look| look.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sort_has_one_look() {
        let sorts = [
            Sort::Template,
            Sort::Cluster,
            Sort::ControlPlane,
            Sort::Machines,
            Sort::Machine,
            Sort::Part,
            Sort::Node,
            Sort::Cloud,
            Sort::Other,
        ];
        assert_eq!(LOOKS.iter().map(|look| look.sort).collect::<Vec<_>>(), sorts);
    }

    #[test]
    fn the_group_and_the_kind_say_what_an_object_is() {
        for (group, kind, expected) in [
            ("", "Node", Sort::Node),
            ("example.com", "Node", Sort::Other),
            ("cluster.x-k8s.io", "ClusterClass", Sort::Template),
            ("controlplane.cluster.x-k8s.io", "KubeadmControlPlaneTemplate", Sort::Template),
            ("controlplane.cluster.x-k8s.io", "RKE2ControlPlane", Sort::ControlPlane),
            ("infrastructure.cluster.x-k8s.io", "AWSCluster", Sort::Cloud),
            ("infrastructure.cluster.x-k8s.io", "AWSMachine", Sort::Part),
            ("bootstrap.cluster.x-k8s.io", "KubeadmConfig", Sort::Part),
        ] {
            let id = ObjectId::new(group, kind, "", "a");
            assert_eq!(Sort::of(&id, false), expected, "{group} {kind}");
        }
    }
}
