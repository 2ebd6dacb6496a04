//! The Cluster of the object under review and its owner, and whether they are paused.

use super::Guarded;
use crate::catalog::keys::{CONTROL_PLANE, CONTROL_PLANE_NAME, DEPLOYMENT_NAME, POOL_NAME, SET_NAME};
use crate::catalog::{CORE_GROUP, Place, TEMPLATE_MASKS};
use crate::json::{Json, Malformed, Map};
use crate::parents::{ClusterState, OwnCluster, core};
use crate::subject::has_paused_annotation;
use kubernetes::{LookupCause, ObjectQuery, Parent, Stop};

/// Labels by which a control plane or a MachinePool adopts a Machine, whatever its MachineSet does.
const OTHER_OWNERS: &[&str] = &[CONTROL_PLANE, CONTROL_PLANE_NAME, POOL_NAME];

impl<'o> Guarded<'_, 'o> {
    /// The Cluster of the object, or of what adopts it, which writes its own Cluster's name into the object. It is read once,
    /// when a guard would otherwise find something.
    pub(super) fn cluster(&self) -> Result<&OwnCluster<'o>, Malformed> {
        if let Some(cluster) = self.cluster.get() {
            return Ok(cluster);
        }
        let is_adopted = self.subject.object.controller().is_none();
        let adopting = if is_adopted { self.actor()? } else { None };
        let adopting =
            adopting.filter(|owner| selects(owner.object.spec, &self.subject.object.labels).unwrap_or(false));
        let spec = adopting.map_or(self.subject.object.spec, |owner| owner.object.spec);
        let cluster = match spec.string(&["clusterName"])? {
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

    /// Whether the MachineSet or MachineDeployment that would act is paused. One that cannot be read is assumed not to be
    /// paused.
    pub(super) fn is_owner_paused(&self) -> Result<bool, Malformed> {
        let is_controlled = self.subject.old()?.and_then(|old| old.controller()).is_some();
        let selects = |owner: &Parent<'_>| selects(owner.object.spec, &self.subject.object.labels).unwrap_or(false);
        let is_paused = |owner: Parent<'_>| has_paused_annotation(&owner.object) && (is_controlled || selects(&owner));
        Ok(self.actor()?.is_some_and(is_paused))
    }

    /// The MachineSet or MachineDeployment that would act: the stored controller, else the one that the object's label names,
    /// which adopts what it selects.
    fn actor(&self) -> Result<Option<Parent<'o>>, Malformed> {
        let (kind, label) = match self.subject.place {
            Some(Place::Machine) => ("MachineSet", SET_NAME),
            Some(Place::MachineSet) => ("MachineDeployment", DEPLOYMENT_NAME),
            _ => return Ok(None),
        };
        let (subject, labels) = (self.subject, &self.subject.object.labels);
        let query = match (subject.old()?.and_then(|old| old.controller()), labels.get(label)) {
            (Some(owner), _) if !owner.is(CORE_GROUP, kind) => return Ok(None),
            (Some(owner), _) => ObjectQuery::owner(owner, subject.namespace(), TEMPLATE_MASKS),
            (None, Some(name)) if !OTHER_OWNERS.iter().any(|label| labels.contains_key(label)) => {
                core(kind, subject.namespace(), name, TEMPLATE_MASKS)
            }
            (None, _) => return Ok(None),
        };
        Ok(self.lookups.parent(&query).ok())
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
