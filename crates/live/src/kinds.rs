//! Which kinds are listed.

use std::fmt::Write;

/// What an answer needs of each API group. The kinds of composites are in groups of their own, which their definitions name.
#[rustfmt::skip]
pub const KINDS: &[Listed] = &[
    listed(Topic::ClusterApi, "cluster.x-k8s.io",                Some(&["clusterclasses", "clusters", "machinedeployments", "machinepools", "machinesets", "machines"])),
    listed(Topic::ClusterApi, "controlplane.cluster.x-k8s.io",   None),
    listed(Topic::ClusterApi, "bootstrap.cluster.x-k8s.io",      None),
    listed(Topic::ClusterApi, "infrastructure.cluster.x-k8s.io", None),
    listed(Topic::ClusterApi, "",                                Some(&["nodes"])),
    listed(Topic::Crossplane, CROSSPLANE,                        Some(&[DEFINITIONS, "compositions"])),
    listed(Topic::Both,       "labels.plexsphere.com",           Some(&["labelregistries"])),
];

/// The group of Crossplane's definitions.
pub(crate) const CROSSPLANE: &str = "apiextensions.crossplane.io";

/// The definitions, which name the kinds of composites.
pub(crate) const DEFINITIONS: &str = "compositeresourcedefinitions";

/// One group, and what is listed of it.
#[derive(Debug)]
pub struct Listed {
    /// The questions that need it.
    pub topic: Topic,
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The resources; `None` for all that the server has, because each provider brings its own.
    pub resources: Option<&'static [&'static str]>,
}

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Cluster API's objects, and the Nodes.
    ClusterApi,
    /// Crossplane's definitions, Compositions and composites.
    Crossplane,
    /// All of it.
    Both,
}

impl Topic {
    /// Whether what `other` needs is part of this.
    pub(crate) fn has(self, other: Topic) -> bool {
        self == other || self == Topic::Both || other == Topic::Both
    }
}

const fn listed(topic: Topic, group: &'static str, resources: Option<&'static [&'static str]>) -> Listed {
    Listed { topic, group, resources }
}

/// The ClusterRole with which everything is answered, apart from composites.
#[must_use]
pub fn cluster_role() -> String {
    let mut role = "# What `propagate` may ask of a live cluster: `get` and `list`, and nothing else. It writes nothing.
#
# Composites and claims of Crossplane are in groups of their own: add a rule with the groups and resources of yours. Whoever may
# read one namespace only binds this role there with a RoleBinding, and calls `propagate` with `--namespace`; what the role
# cannot grant there (Nodes, definitions and Compositions) is then named as forbidden.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: propagate
rules:
"
    .to_owned();
    for Listed { group, resources, .. } in KINDS {
        let group = if group.is_empty() { "\"\"" } else { group };
        let resources = resources.map_or("\"*\"".to_owned(), |resources| resources.join(", "));
        let _ = write!(role, "  - apiGroups: [{group}]\n    resources: [{resources}]\n    verbs: [get, list]\n");
    }
    role
}
