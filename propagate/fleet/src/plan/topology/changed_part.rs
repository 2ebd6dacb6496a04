//! An object of a topology that a change makes another one.

use serde_json::Value;
use topology::{PartChange, PartDifference, PartRole, TopologyOwner};

use crate::hierarchy::Hierarchy;
use crate::object::{ObjectId, group_and_version};
use crate::plan::impact::Sides;
use crate::plan::stopped::StoppedAt;
use crate::plan::template::{DryRun, dry_run};
use crate::relations::text;

/// One object of a topology that differs.
pub(super) struct ChangedPart {
    pub(super) difference: PartDifference,
    /// The object before.
    pub(super) object: Value,
    /// Whether its owner replaces Machines only when they are deleted.
    pub(super) is_on_delete: bool,
}

impl ChangedPart {
    pub(super) fn owner(&self) -> &TopologyOwner {
        &self.difference.owner
    }

    /// The object after the change.
    pub(super) fn edited(&self) -> Value {
        let mut edited = self.object.clone();
        self.difference.because.iter().for_each(|cause| cause.apply(&mut edited));
        edited
    }

    /// What becomes of the dry-run of a template, and the path because of which it is not accepted.
    pub(super) fn dry_run(&self) -> (DryRun, &'static str) {
        let is_template =
            matches!(self.difference.role, PartRole::InfrastructureTemplate | PartRole::BootstrapTemplate);
        if !is_template || self.difference.happens != PartChange::Changed {
            return (DryRun::Accepted, "");
        }
        let (group, _) = group_and_version(text(&self.object, "apiVersion"));
        dry_run(&ObjectId::new(group, &self.difference.kind, "", ""), &self.object, &self.edited())
    }

    /// In which step of the topology's controller it is written.
    pub(super) fn step(&self) -> StoppedAt {
        match self.owner() {
            TopologyOwner::ControlPlane => StoppedAt::ControlPlane,
            TopologyOwner::MachineDeployment(_) => StoppedAt::MachineDeployments,
            TopologyOwner::MachinePool(_) => StoppedAt::MachinePools,
            TopologyOwner::Infrastructure => StoppedAt::Infrastructure,
        }
    }

    /// The objects among which its Machines are.
    pub(super) fn side<'p>(&self, around: Sides<'p>) -> &'p Hierarchy {
        if self.difference.happens == PartChange::Created { around.after } else { around.before }
    }
}
