//! Which kind of the table an object is, and its rows.

use super::edits::Pattern;
use crate::admission::request::GroupVersionKind;
use crate::catalog::effects::{EFFECTS, Effect, Kind, joined};
use crate::catalog::groups::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP};
use crate::catalog::keys::TOPOLOGY_OWNED;
use crate::kube::object::Object;
use crate::settings::Stance;

const KINDS: &[(&str, &str, Kind)] = &[
    (CORE_GROUP, "MachineDeployment", Kind::MachineDeployment),
    (CORE_GROUP, "MachineSet", Kind::MachineSet),
    (CORE_GROUP, "MachinePool", Kind::MachinePool),
    (CORE_GROUP, "Cluster", Kind::Cluster),
    (CORE_GROUP, "ClusterClass", Kind::ClusterClass),
    (CONTROL_PLANE_GROUP, "KubeadmControlPlane", Kind::KubeadmControlPlane),
];

/// Templates that a ClusterClass uses, by group and end of the kind; the first that fits.
const TEMPLATES: &[(&str, &str, Kind)] = &[
    (CONTROL_PLANE_GROUP, "Template", Kind::ClassControlPlaneTemplate),
    (BOOTSTRAP_GROUP, "Template", Kind::ClassTemplate),
    (INFRASTRUCTURE_GROUP, "ClusterTemplate", Kind::ClassClusterTemplate),
    (INFRASTRUCTURE_GROUP, "MachinePoolTemplate", Kind::ClassMachinePoolTemplate),
    // Managed control planes live with the infrastructure of some.
    (INFRASTRUCTURE_GROUP, "ControlPlaneTemplate", Kind::ClassControlPlaneTemplate),
    (INFRASTRUCTURE_GROUP, "Template", Kind::ClassTemplate),
];

impl Kind {
    /// The kind of an object, by the object as it is stored, since an edit cannot talk away what uses a template.
    ///
    /// `None` where no row speaks of it.
    pub(crate) fn of(kind: &GroupVersionKind<'_>, stored: Option<&Object<'_>>) -> Option<Kind> {
        let owned = |by: &str| stored.is_some_and(|object| object.owners.iter().any(|owner| owner.is(CORE_GROUP, by)));
        let fits = |row: &&(&str, &str, Kind)| row.0 == kind.group && kind.kind.ends_with(row.1);
        if let Some((.., template)) = TEMPLATES.iter().find(fits) {
            let is_made = || stored.is_some_and(|object| object.labels.contains_key(TOPOLOGY_OWNED));
            return Some(if owned("ClusterClass") || is_made() { *template } else { Kind::Template });
        }
        let found = KINDS.iter().find(|row| row.0 == kind.group && row.1 == kind.kind)?.2;
        if !["v1beta1", "v1beta2"].contains(&&*kind.version) {
            return None;
        }
        Some(if found == Kind::MachineSet && owned("MachineDeployment") { Kind::OwnedMachineSet } else { found })
    }

    /// Every row of this kind in one version.
    pub(super) fn rows(self, version: &str) -> Vec<Pattern> {
        let mut rows = Vec::new();
        for block in EFFECTS.iter().filter(|block| block.kind == self) {
            for row in block.rows {
                let (above, path) =
                    if version == "v1beta1" { (block.v1beta1, row.v1beta1) } else { (block.v1beta2, row.v1beta2) };
                if let Some(path) = path {
                    rows.push(Pattern { path: joined(above, path), effect: row.effect, same: row.same });
                }
            }
        }
        rows
    }

    /// Whose Machines an edit replaces.
    pub(super) fn machines(self) -> &'static str {
        match self {
            Kind::MachineDeployment
            | Kind::MachineSet
            | Kind::OwnedMachineSet
            | Kind::MachinePool
            | Kind::KubeadmControlPlane
            | Kind::Cluster
            | Kind::Template => "Machines",
            Kind::ClusterClass
            | Kind::ClassTemplate
            | Kind::ClassControlPlaneTemplate
            | Kind::ClassClusterTemplate
            | Kind::ClassMachinePoolTemplate => "Machines of every Cluster that uses it",
        }
    }
}

impl Effect {
    /// What is told about it, before a path and between the path and the Machines, and the most that it can lead to;
    /// `None` for nothing.
    pub(super) fn told(self) -> Option<(&'static str, &'static str, Stance)> {
        match self {
            Effect::Nothing | Effect::InPlace | Effect::Scale => None,
            Effect::CannotTell => Some(("cannot tell whether ", "replaces", Stance::Warn)),
            Effect::Scheduled => Some(("", "schedules the replacement of", Stance::Warn)),
            Effect::Rollout => Some(("", "replaces", Stance::Reject)),
            Effect::Destructive => Some(("", "strands and replaces", Stance::Reject)),
        }
    }
}
