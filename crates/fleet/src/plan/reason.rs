//! Why the effect of an edit is not known.

use crate::object::ObjectId;

/// By a part of the path, the first match.
const REASONS: &[(&str, &str)] = &[
    ("variables", "patches of the ClusterClass read variables, and the class or its templates are not all known"),
    ("patches", "the Clusters of the class or its templates are not all known"),
    ("ealthCheck", "it decides which Machines are replaced because they are unhealthy"),
    ("strategy", "outdated Machines would be replaced, but the status does not show whether there are any"),
    ("annotations[", "a pending upgrade would continue, but the status does not show whether there is one"),
    ("templateRef", "it depends on how the new template differs from the old one"),
    (".ref", "it depends on how the new template differs from the old one"),
    ("class", "it depends on how the new class differs from the old one"),
    ("clusterNetwork", "patches of the ClusterClass may read it, and the class or its templates are not all known"),
    ("initConfiguration", "it depends on which Machine initialized the control plane"),
];

/// Why the effect of an edit of a path is not known: one sentence, lower case, no final stop.
pub(super) fn reason(id: &ObjectId, at: &str) -> &'static str {
    if matches!(&*id.kind, "MachinePool" | "KubeadmConfig") {
        return "the infrastructure provider decides";
    }
    if id.kind.ends_with("Template") {
        return "patches and the provider of the control plane decide";
    }
    REASONS
        .iter()
        .find(|(part, _)| at.contains(part))
        .map_or("it depends on patches, a provider or a status that is not known", |(_, reason)| reason)
}

/// A template without references to it.
pub(super) const NAMED_BY_NOTHING: &str =
    "no known object refers to this template; if a ClusterClass does, its Machines are replaced";

/// An edit of a class, or of a template that one refers to, if no Cluster of the class is known.
pub(super) const NO_CLUSTER: &str = "no known Cluster uses this class; Clusters that are not among the objects may";

/// A part of a class that is removed while Clusters use it.
pub(super) const STILL_USED: &str = "Clusters use it, so Cluster API rejects the change";
