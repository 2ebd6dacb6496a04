//! Labels by which a topology finds its MachineDeployments and MachinePools.

use super::{Guarded, OwnCluster, Violation};
use crate::catalog::keys::TOPOLOGY_OWNED;
use crate::catalog::{Place, TOPOLOGY_ENTRY_MASKS};
use crate::fact::ClusterApiFact;
use crate::json::Malformed;
use crate::parents::core;
use kubernetes::Stop;

/// Letters and digits at the end of a generated name.
const RANDOM_LENGTH: usize = 5;
/// The remaining length of a generated name before them, if it has more than 63 characters.
const MAX_PREFIX_LENGTH: usize = 63 - RANDOM_LENGTH;

/// Labels of a topology that this request adds. A topology lists its objects by these labels, not by ownerReferences:
/// two objects for one entry, or one without the name of an entry, stop its reconciliation, and an object without an
/// entry is deleted.
///
/// A Cluster that cannot be read, has no topology or is being deleted has no effect. A new object with a name like
/// those that the topology controller generates is the entry's own, restored from a backup or created by a topology
/// controller that is not listed. That one's field manager does not count, because every client chooses its own.
///
/// Source: core/reconcilers/topology/cluster/current_state.go, `getCurrentMachineDeploymentState` and
/// `getCurrentMachinePoolState`; reconcile_state.go, `calculateMachineDeploymentDiff`.
pub(super) fn find(guarded: &Guarded<'_, '_>) -> Result<Vec<Violation>, Malformed> {
    let subject = guarded.subject;
    let Some((list, label)) = subject.place.and_then(Place::worker_list) else { return Ok(Vec::new()) };
    let (object, old) = (&subject.object, subject.old()?);
    let name = object.labels.get(label).filter(|name| !name.is_empty());
    let was_owned = old.is_some_and(|old| old.labels.contains_key(TOPOLOGY_OWNED));
    let had_name = old.and_then(|old| old.labels.get(label)).filter(|name| !name.is_empty()) == name;
    // Only the empty value counts.
    let is_owned = object.labels.get(TOPOLOGY_OWNED) == Some("");
    let has_lived_before = guarded.trusts_marks() && guarded.has_lived_before();
    if !is_owned || (was_owned && had_name) || has_lived_before || guarded.is_audit() {
        return Ok(Vec::new());
    }
    let Some(has_entry) = Stop::known(has_entry(guarded, list, name))? else { return Ok(Vec::new()) };
    let cluster_name = object.spec.string(&["clusterName"])?.unwrap_or_default();
    if old.is_none() && has_entry && name.is_some_and(|name| is_generated(subject.name(), cluster_name, name)) {
        return Ok(Vec::new());
    }
    let kind = subject.review.kind.kind.to_string();
    let cluster = [subject.namespace(), "/", cluster_name].concat();
    let (name_label, label) = (label.into(), TOPOLOGY_OWNED.into());
    let message = match name {
        None => ClusterApiFact::TopologyObjectWithoutName { label, name_label, cluster },
        Some(name) if has_entry => ClusterApiFact::SecondOfTopologyEntry { label, kind, entry: name.into(), cluster },
        Some(name) => ClusterApiFact::TopologyEntryMissing { label, kind, entry: name.into(), cluster },
    };
    Ok(vec![Violation { at: "metadata.labels".to_owned(), message }])
}

/// Whether the topology controller generates such a name if the ClusterClass has no naming template.
///
/// Source: exp/topology/desiredstate/desired_state.go, `computeMachineDeployment`; internal/topology/names/names.go.
fn is_generated(name: &str, cluster: &str, entry: &str) -> bool {
    let prefix = [cluster, "-", entry, "-"].concat();
    let prefix = prefix.get(..MAX_PREFIX_LENGTH).unwrap_or(&prefix);
    name.strip_prefix(prefix).is_some_and(|random| random.len() == RANDOM_LENGTH)
}

/// Whether the topology of the object's Cluster has an entry of this name; `None` if no topology would find the object.
fn has_entry(guarded: &Guarded<'_, '_>, list: &str, name: Option<&str>) -> Result<Option<bool>, Stop> {
    let OwnCluster::Known(state) = guarded.cluster()? else { return Ok(None) };
    if state.is_paused {
        return Ok(None);
    }
    let subject = guarded.subject;
    let name_of_cluster = subject.object.spec.string(&["clusterName"])?.unwrap_or_default();
    let query = core("Cluster", subject.namespace(), name_of_cluster, TOPOLOGY_ENTRY_MASKS);
    let cluster = guarded.lookups.parent(&query)?;
    let topology = cluster.spec(&["topology"])?;
    if cluster.object.deleting || topology.is_null() {
        return Ok(None);
    }
    let entry = |name| topology.at(&["workers", list])?.element("name", name);
    let entry = name.map(|name| cluster.readable(entry(name))).transpose()?;
    Ok(Some(entry.is_some_and(|entry| !entry.is_null())))
}
