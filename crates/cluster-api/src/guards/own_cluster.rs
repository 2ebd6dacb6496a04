//! The Cluster of the object under review and its owner, and whether they are paused.

use super::Guarded;
use crate::catalog::keys::{CONTROL_PLANE, CONTROL_PLANE_NAME, DEPLOYMENT_NAME, POOL_NAME, SET_NAME};
use crate::catalog::{CORE_GROUP, Place, TEMPLATE_MASKS};
use crate::json::{Json, Malformed, Map};
use crate::parents::{ClusterState, OwnCluster, core};
use crate::subject::has_paused_annotation;
use kubernetes::{LookupCause, ObjectQuery, Stop};

/// Labels by which a control plane or a MachinePool adopts a Machine, whatever its MachineSet does.
const OTHER_OWNERS: &[&str] = &[CONTROL_PLANE, CONTROL_PLANE_NAME, POOL_NAME];

impl<'o> Guarded<'_, 'o> {
    /// The Cluster of the object. It is read once, when a guard would otherwise find something.
    pub(super) fn cluster(&self) -> Result<&OwnCluster<'o>, Malformed> {
        if let Some(cluster) = self.cluster.get() {
            return Ok(cluster);
        }
        let cluster = match self.subject.object.spec.string(&["clusterName"])? {
            None => OwnCluster::Unknown,
            Some(name) => match ClusterState::read(self.lookups, self.subject.namespace(), name) {
                Ok(state) => OwnCluster::Known(state),
                Err(Stop::LookupFailed(failed)) if failed.error.cause == LookupCause::NotFound => OwnCluster::Missing,
                Err(_) => OwnCluster::Unknown,
            },
        };
        Ok(self.cluster.get_or_init(|| cluster))
    }

    /// Whether the Cluster is paused: then changes of its objects are maintenance. A Cluster that cannot be read is
    /// assumed not to be paused.
    pub(super) fn is_cluster_paused(&self) -> Result<bool, Malformed> {
        Ok(matches!(self.cluster()?, OwnCluster::Known(state) if state.is_paused))
    }

    /// Whether the MachineSet or MachineDeployment that would act is paused: the stored controller, else the one that the
    /// object's label names, if it selects the object. One that cannot be read is assumed not to be paused.
    pub(super) fn is_owner_paused(&self) -> Result<bool, Malformed> {
        let (kind, label) = match self.subject.place {
            Some(Place::Machine) => ("MachineSet", SET_NAME),
            Some(Place::MachineSet) => ("MachineDeployment", DEPLOYMENT_NAME),
            _ => return Ok(false),
        };
        let (subject, labels) = (self.subject, &self.subject.object.labels);
        let controller = subject.old()?.and_then(|old| old.controller());
        let query = match (controller, labels.get(label)) {
            (Some(owner), _) if !owner.is(CORE_GROUP, kind) => return Ok(false),
            (Some(owner), _) => ObjectQuery::owner(owner, subject.namespace(), TEMPLATE_MASKS),
            (None, Some(name)) if !OTHER_OWNERS.iter().any(|label| labels.contains_key(label)) => {
                core(kind, subject.namespace(), name, TEMPLATE_MASKS)
            }
            (None, _) => return Ok(false),
        };
        let Ok(owner) = self.lookups.parent(&query) else { return Ok(false) };
        let selects = || selects(owner.object.spec, labels).unwrap_or(false);
        Ok(has_paused_annotation(&owner.object) && (controller.is_some() || selects()))
    }
}

/// Whether the labels that a selector requires are in a map. One with expressions is not evaluated, and selects nothing.
fn selects(spec: Json<'_>, labels: &Map<'_>) -> Result<bool, Malformed> {
    let selector = spec.get("selector")?;
    let required = selector.get("matchLabels")?.as_map()?;
    let has_expressions = selector.get("matchExpressions")?.elements()?.next().is_some();
    let mut pairs = required.iter().peekable();
    Ok(!has_expressions && pairs.peek().is_some() && pairs.all(|(key, value)| labels.get(key) == Some(value)))
}
