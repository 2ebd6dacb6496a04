//! Which kind of the table an object is, and its rows.

use super::edits::EditPattern;
use crate::catalog::effects::table::{EFFECT_KINDS, EFFECT_TEMPLATES, EFFECTS};
use crate::catalog::effects::{EditedKind, Effect};
use crate::catalog::keys::{CONTROL_PLANE_NAME, TOPOLOGY_OWNED};
use crate::catalog::{CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP, Version};
use crate::fact::ClusterApiFact;
use kubernetes::settings::Stance;
use kubernetes::settings::problems::joined;
use kubernetes::{GroupVersionKind, Object};

/// Whose Machines an edit replaces: those below the object.
const MACHINES: &str = "Machines";
/// Whose Machines an edit replaces: those of every Cluster that refers to a class or template.
const MACHINES_OF_EVERY_CLUSTER: &str = "Machines of every Cluster that uses this object";

impl EditedKind {
    /// The kind of an object, determined from the stored object, because an edit must not hide what uses a template.
    ///
    /// `None` if the table has no rows for it.
    pub fn of_object(kind: &GroupVersionKind<'_>, stored: Option<&Object<'_>>) -> Option<EditedKind> {
        let owned_by =
            |group, kind| stored.is_some_and(|object| object.owners.iter().any(|owner| owner.is(group, kind)));
        // A user may add references to other owners than the controller.
        let controlled_by = |group, kind| match stored.and_then(Object::controller) {
            Some(controller) => controller.is(group, kind),
            None => owned_by(group, kind),
        };
        let fits = |row: &&(&str, &str, EditedKind)| row.0 == kind.group && kind.kind.ends_with(row.1);
        if let Some((.., template)) = EFFECT_TEMPLATES.iter().find(fits) {
            let is_of_topology = || stored.is_some_and(|object| object.labels.contains_key(TOPOLOGY_OWNED));
            return Some(if owned_by(CORE_GROUP, "ClusterClass") || is_of_topology() {
                *template
            } else {
                EditedKind::Template
            });
        }
        let is_unknown = stored.is_none();
        // The control plane sets this label, and control planes of other providers do not create KubeadmConfigs.
        let is_labelled = || stored.is_some_and(|object| object.labels.contains_key(CONTROL_PLANE_NAME));
        if kind.group == INFRASTRUCTURE_GROUP {
            return Some(EditedKind::ControlPlaneInfraMachine).filter(|_| is_unknown || is_labelled());
        }
        let found = EFFECT_KINDS.iter().find(|row| row.0 == kind.group && row.1 == kind.kind)?.2;
        if !["v1beta1", "v1beta2"].contains(&&*kind.version) {
            return None;
        }
        match found {
            EditedKind::MachineSet if controlled_by(CORE_GROUP, "MachineDeployment") => {
                Some(EditedKind::OwnedMachineSet)
            }
            EditedKind::ControlPlaneMachine => {
                Some(found).filter(|_| is_unknown || controlled_by(CONTROL_PLANE_GROUP, "KubeadmControlPlane"))
            }
            EditedKind::ControlPlaneKubeadmConfig if controlled_by(CORE_GROUP, "MachinePool") => {
                Some(EditedKind::MachinePoolKubeadmConfig)
            }
            EditedKind::ControlPlaneKubeadmConfig => Some(found).filter(|_| is_unknown || is_labelled()),
            _ => Some(found),
        }
    }

    /// Every row of this kind in one API version that a version of Cluster API has.
    pub(super) fn rows(self, version: &str, cluster_api: Version) -> Vec<EditPattern> {
        let mut rows = Vec::new();
        for block in EFFECTS.iter().filter(|block| block.kind == self) {
            for row in block.rows.iter().filter(|row| row.holds(cluster_api)) {
                let (above, path) =
                    if version == "v1beta1" { (block.v1beta1, row.v1beta1) } else { (block.v1beta2, row.v1beta2) };
                if let Some(path) = path {
                    let keys = row.keys.iter().filter(|key| cluster_api.at_least(key.since)).collect();
                    rows.push(EditPattern { path: joined(above, path), row, given: block.condition(row), keys });
                }
            }
        }
        rows
    }

    /// Whose Machines an edit replaces.
    pub(super) fn machines(self) -> &'static str {
        match self {
            EditedKind::MachineDeployment
            | EditedKind::MachineSet
            | EditedKind::OwnedMachineSet
            | EditedKind::MachinePool
            | EditedKind::KubeadmControlPlane
            | EditedKind::Cluster
            | EditedKind::ControlPlaneMachine
            | EditedKind::ControlPlaneKubeadmConfig
            | EditedKind::ControlPlaneInfraMachine
            | EditedKind::MachinePoolKubeadmConfig
            | EditedKind::Template => MACHINES,
            EditedKind::ClusterClass
            | EditedKind::ClassTemplate
            | EditedKind::ClassControlPlaneTemplate
            | EditedKind::ClassClusterTemplate
            | EditedKind::ClassMachinePoolTemplate => MACHINES_OF_EVERY_CLUSTER,
        }
    }
}

impl Effect {
    /// The fact about a path with this effect and the Machines it is about, and the strictest possible reaction; `None` if
    /// there is no finding.
    pub(super) fn fact(self, path: &str, machines: &'static str) -> Option<(ClusterApiFact, Stance)> {
        let path = path.into();
        Some(match self {
            Effect::Nothing | Effect::InPlace | Effect::Scale | Effect::Waits | Effect::Refused => return None,
            Effect::ReplacedWhenDeleted => (ClusterApiFact::ReplacesWhenDeleted { path, machines }, Stance::Warn),
            Effect::CannotTell => (ClusterApiFact::MayReplace { path, machines }, Stance::Warn),
            Effect::Scheduled => (ClusterApiFact::Schedules { path, machines }, Stance::Warn),
            Effect::Rollout => (ClusterApiFact::Replaces { path, machines }, Stance::Reject),
            Effect::Destructive => (ClusterApiFact::Orphans { path, machines }, Stance::Reject),
        })
    }
}
