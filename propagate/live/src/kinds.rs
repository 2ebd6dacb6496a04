//! Which kinds are listed.

use fleet::CROSSPLANE_GROUP;
use std::fmt::Write;

/// The kinds of each API group that each question needs. The kinds of composites are in their own groups, which their
/// definitions name.
#[rustfmt::skip]
pub const KINDS: &[Listed] = &[
    listed(Topic::ClusterApi, "cluster.x-k8s.io",                Some(&["clusterclasses", "clusters", "machinedeployments", "machinepools", "machinesets", "machines"])),
    listed(Topic::ClusterApi, "controlplane.cluster.x-k8s.io",   None),
    listed(Topic::ClusterApi, "bootstrap.cluster.x-k8s.io",      None),
    listed(Topic::ClusterApi, "infrastructure.cluster.x-k8s.io", None),
    listed(Topic::ClusterApi, "",                                Some(&["nodes"])),
    listed(Topic::Crossplane, CROSSPLANE_GROUP,                        Some(&[DEFINITIONS, "compositions", ACTIVATION])),
    listed(Topic::Both,       "labels.plexsphere.com",           Some(&["labelregistries"])),
    listed(Topic::Installation, "policies.kubewarden.io",        Some(&["admissionpolicies", "admissionpolicygroups", "clusteradmissionpolicies", "clusteradmissionpolicygroups", "policyservers"])),
    listed(Topic::Installation, "apps",                          Some(&["deployments"])),
    listed(Topic::Installation, "",                              Some(&["serviceaccounts"])),
    listed(Topic::Installation, CROSSPLANE_GROUP,                      Some(&[DEFINITIONS, "compositions", ACTIVATION])),
    listed(Topic::Installation, "rbac.authorization.k8s.io",     Some(&["clusterrolebindings", "clusterroles", "rolebindings", "roles"])),
    Listed { by_name: true, ..listed(Topic::Installation, DEFINED, Some(&[DEFINED_KINDS])) },
];

/// The group of definitions of kinds.
const DEFINED: &str = "apiextensions.k8s.io";

/// The definitions of kinds.
const DEFINED_KINDS: &str = "customresourcedefinitions";

/// The definitions, which name the kinds of composites.
pub(crate) const DEFINITIONS: &str = "compositeresourcedefinitions";

/// The policies that activate kinds of managed resources, since Crossplane 2.
const ACTIVATION: &str = "managedresourceactivationpolicies";

/// One group, and the kinds of it that are listed.
#[derive(Debug)]
pub struct Listed {
    /// The questions that need it.
    pub topic: Topic,
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The resources; `None` for all that the server has, because each provider has its own.
    pub resources: Option<&'static [&'static str]>,
    /// Whether single objects are read instead of a list: of all kinds in a cluster a few are needed, and their
    /// definitions are long.
    pub by_name: bool,
}

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Cluster API's objects, and the Nodes.
    ClusterApi,
    /// Crossplane's definitions, Compositions and composites.
    Crossplane,
    /// Both of these.
    Both,
    /// How the policy is installed: Kubewarden's objects, permissions and managers, and what settings refer to.
    Installation,
}

impl Topic {
    /// Whether the needs of `other` are part of this.
    pub(crate) fn has(self, other: Topic) -> bool {
        match (self, other) {
            (Topic::Installation, of) => matches!(of, Topic::Installation | Topic::Both),
            (_, Topic::Installation) => false,
            (of, other) => of == other || of == Topic::Both || other == Topic::Both,
        }
    }
}

const fn listed(topic: Topic, group: &'static str, resources: Option<&'static [&'static str]>) -> Listed {
    Listed { topic, group, resources, by_name: false }
}

/// The ClusterRole that allows every question, except about composites.
pub fn cluster_role() -> String {
    let mut role = "# Permissions that `propagate` needs in a live cluster: `get` and `list` only; it writes nothing.
#
# Composites and claims of Crossplane have their own groups: add a rule with your groups and resources. For users
# who may read only one namespace, bind this role there with a RoleBinding, and call `propagate` with `--namespace`; what the
# role cannot grant there (Nodes, definitions and Compositions) is then reported as forbidden.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: propagate
rules:
"
    .to_owned();
    let is_granted_before = |number: usize, row: &Listed| {
        let before = KINDS.iter().take(number).filter(|before| before.group == row.group);
        let resources = row.resources.unwrap_or_default();
        before.filter_map(|before| before.resources).any(|before| resources.iter().all(|name| before.contains(name)))
    };
    let rows = KINDS.iter().enumerate().filter(|(number, row)| !is_granted_before(*number, row));
    let mut is_doctor = false;
    for (_, Listed { topic, group, resources, by_name }) in rows {
        let group = if group.is_empty() { "\"\"" } else { group };
        let resources = resources.map_or("\"*\"".to_owned(), |resources| resources.join(", "));
        if *topic == Topic::Installation && !std::mem::replace(&mut is_doctor, true) {
            role += "  # Only `propagate doctor` reads these.\n";
        }
        let verbs = if *by_name { "get" } else { "get, list" };
        let _ = write!(role, "  - apiGroups: [{group}]\n    resources: [{resources}]\n    verbs: [{verbs}]\n");
    }
    role
}
