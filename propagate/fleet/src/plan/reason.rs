//! Why the effect of an edit is not known.

use topology::is_newer;

use super::path::{EditPath, EditPlace};
use crate::object::ObjectId;

/// Why the effect of an edit of a path is not known: one sentence, lower case, no final stop.
pub(super) fn reason(id: &ObjectId, at: &EditPath) -> &'static str {
    if matches!(&*id.kind, "MachinePool" | "KubeadmConfig") {
        return PROVIDER;
    }
    if id.is_template() {
        return "patches and the provider of the control plane decide";
    }
    if is_newer(&id.kind, at.path()) {
        return NEWER;
    }
    match at.place {
        EditPlace::Variables => {
            "patches of the ClusterClass read variables, and the class or its templates are not all known"
        }
        EditPlace::Patches => "the Clusters of the class or its templates are not all known",
        EditPlace::Strategy => {
            "outdated Machines would be replaced, but the status does not show whether there are any"
        }
        EditPlace::Pause => "what was changed during the pause takes effect, and the files do not show all of it",
        EditPlace::Annotation => "a pending upgrade would continue, but the status does not show whether there is one",
        EditPlace::TemplateRef(_) => "it depends on how the new template differs from the old one",
        EditPlace::Class => "it depends on how the new class differs from the old one",
        EditPlace::ClusterNetwork => {
            "patches of the ClusterClass may read it, and the class or its templates are not all known"
        }
        EditPlace::Initialization => INITIALIZED,
        _ => "it depends on patches, a provider or a status that is not known",
    }
}

/// An edit of a field of a release that is not evaluated yet.
const NEWER: &str = "this field is of Cluster API v1.15, which is not evaluated yet";

/// An edit of how Machines initialize a control plane, or of how they join one that has one Machine.
pub(super) const INITIALIZED: &str = "it depends on which Machine initialized the control plane";

/// An entry of a topology that another one no longer holds back.
pub(super) const FREED: &str =
    "no entry before it holds its upgrade any more, and the files do not show whether one is pending";

/// An edit of what a MachinePool is created from.
pub(super) const PROVIDER: &str = "the infrastructure provider decides";

/// A lower version, which such a webhook refuses.
pub(super) const LOWER: &str = "the webhook of the provider refuses a lower version";

/// An edit of the infrastructure of a Cluster that the webhook of its provider refuses.
pub(super) const WEBHOOK: &str = "the webhook of the provider does not let this field change";

/// An edit of the infrastructure of a Cluster that the webhook of its provider may refuse.
pub(super) const UNKNOWN_WEBHOOK: &str =
    "Cluster API replaces no Machines; whether the provider accepts this edit is not known";

/// An edit of a control plane that is not Cluster API's own.
pub(super) const PLANE: &str = "the provider of the control plane decides";

/// An edit of a health check.
pub(super) const HEALTH: &str = "Machines that are unhealthy by it are remediated; their state is not in the files";

/// Another selector of an owner of Machines.
pub(super) const SELECTOR: &str =
    "Cluster API reconciles this object only if each expression of its selector is `In` with one value";

/// An annotation that asks for the remediation of Machines.
pub(super) const REMEDIATED: &str = "MachineHealthChecks have Machines with the annotation `cluster.x-k8s.io/remediate-machine` \
                                     replaced, and their replacements, too; whether one selects these is not known";

/// An edit of the replicas of a pool that the infrastructure manages.
pub(super) const MANAGED: &str = "the annotation `cluster.x-k8s.io/replicas-managed-by` leaves the number of Machines to the infrastructure, which undoes it";

/// An edit of how an extension is called.
pub(super) const EXTENSION: &str = "the extension may write what Machines are made from";

/// An edit of an owner of Machines in a version that the table does not have, such as `v1alpha4`.
pub(super) const OLD_VERSION: &str = "only v1beta1 and v1beta2 of this kind can be compared";

/// Another template in a class, if one of the two is not known.
pub(super) const NO_TEMPLATE: &str = "one of the two templates is not among the objects";

/// Another class of a Cluster, if one of the two is not known.
pub(super) const NO_CLASS: &str = "one of the two classes is not among the objects";

/// Another template in a class, if a patch may write every field that differs.
pub(super) const PATCHED: &str = "a patch of the ClusterClass may set what differs between the two templates";

/// A template of another kind in a class.
pub(super) const OTHER_KIND: &str = "the webhook of ClusterClass refuses a template of another kind";

/// Machine infrastructure of the control plane that only one side of a class has.
pub(super) const MACHINE_INFRASTRUCTURE: &str =
    "the machine infrastructure of the control plane in a ClusterClass can be neither added nor removed";

/// Another class without a class of workers that the topology names.
pub(super) const NO_WORKER_CLASS: &str =
    "the webhook of Cluster refuses a class that does not define all classes of its workers";

/// Owners of a Cluster that are not among the objects.
pub(super) const NO_OWNER: &str =
    "Kubernetes deletes an object if none of its owners exists, and none of these is among the objects";

/// A template without references to it.
pub(super) const NAMED_BY_NOTHING: &str =
    "no known object refers to this template; if a ClusterClass does, its Machines are replaced";

/// An edit of a class, or of a template that one refers to, if no Cluster of the class is known.
pub(super) const NO_CLUSTER: &str = "no known Cluster uses this class; Clusters that are not among the objects may";

/// An edit in place of a template whose kind does not accept it.
pub(super) const IMMUTABLE: &str = "this field of a template cannot be edited in place; create a new template and change the \
                                    references to it";

/// An edit in place of a template of an unknown kind.
pub(super) const UNKNOWN_KIND: &str = "it is not known whether templates of this kind can be edited in place";

/// An edit of a template whose API version changes, too.
pub(super) const OTHER_VERSION: &str = "the two API versions of this template cannot be compared";

/// A template of a topology that its controller compares with a dry-run.
pub(super) const DRY_RUN: &str = "the webhook of the provider refuses the dry-run with which the topology's controller compares \
                                  templates, so that it does not replace this one";

/// A part of a class that is removed while Clusters use it.
pub(super) const STILL_USED: &str = "Clusters use it, and the webhook of ClusterClass refuses to remove it";

/// A number of Machines that is not written as a number, such as a variable of a template, or not written at all.
pub(super) const NO_NUMBER: &str = "the number of Machines before or after is not in the files";
