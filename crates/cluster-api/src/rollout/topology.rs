//! What the Cluster already sets in an object that its topology owns.

use super::edits::{EditPattern, deciding_row};
use super::same::same;
use crate::catalog::effects::EditedKind;
use crate::catalog::keys::{APPROVE_ROLLOUT, TOPOLOGY_OWNED};
use crate::catalog::topology_values::{From, TOPOLOGY_VALUES};
use crate::catalog::{Place, TOPOLOGY_VALUE_MASKS};
use crate::json::{Json, Malformed};
use crate::propagation::sources;
use crate::rollout::RolloutEdit;
use crate::subject::Subject;
use kubernetes::{Lookups, Object, Parent, Stop};

/// The topology that owns the object under review.
pub(super) struct Topology<'e> {
    cluster: Parent<'e>,
    topology: Json<'e>,
    /// The worker's entry; absent for a control plane.
    entry: Json<'e>,
}

/// Whether a topology owns the stored object.
pub(super) fn is_owned(subject: &Subject<'_>) -> bool {
    let has_label = |object: &Object<'_>| object.labels.contains_key(TOPOLOGY_OWNED);
    matches!(subject.place, Some(Place::ControlPlane | Place::MachineDeployment | Place::MachinePool))
        && subject.old().ok().flatten().is_some_and(has_label)
}

/// The topology that owns the object; `None` if none does, or if it cannot be read. A Cluster with another control
/// plane, or without the worker's entry, sets nothing in the object.
pub(super) fn of<'e>(
    subject: &Subject<'e>,
    old: &Object<'e>,
    lookups: &Lookups<'e>,
) -> Result<Option<Topology<'e>>, Malformed> {
    if !is_owned(subject) {
        return Ok(None);
    }
    Stop::known(read(subject, old, lookups))
}

fn read<'e>(subject: &Subject<'e>, old: &Object<'e>, lookups: &Lookups<'e>) -> Result<Option<Topology<'e>>, Stop> {
    let Some(cluster) = sources::cluster(subject, TOPOLOGY_VALUE_MASKS, lookups)? else { return Ok(None) };
    let topology = cluster.spec(&["topology"])?;
    let worker = subject.place.and_then(Place::worker_list);
    let entry = match worker {
        Some((list, label)) => {
            let name = old.labels.get(label).unwrap_or_default();
            let list = cluster.spec(&["topology", "workers", list])?;
            cluster.readable(list.element("name", name))?
        }
        None => topology.absent(),
    };
    let is_its_own = match worker {
        Some(_) => !entry.is_null(),
        None => cluster.string(&["controlPlaneRef", "name"])? == Some(subject.name()),
    };
    Ok((is_its_own && !topology.is_null()).then_some(Topology { cluster, topology, entry }))
}

impl Topology<'_> {
    /// Marks the edits that set what the Cluster already has.
    pub(super) fn mark(
        &self,
        edits: &mut [RolloutEdit],
        kind: EditedKind,
        subject: &Subject<'_>,
        rows: &[EditPattern],
    ) {
        let in_version = |version: &str| usize::from(version != "v1beta1");
        for edit in edits {
            let row = TOPOLOGY_VALUES.iter().find(|row| {
                row.kind == kind && row.at.get(in_version(subject.object.version)).is_some_and(|at| *at == edit.at)
            });
            let Some((row, pattern)) = row.zip(deciding_row(rows, &edit.at)) else { continue };
            let holder = match row.from {
                From::Topology => self.topology,
                From::Entry => self.entry,
            };
            let path = row.path.get(in_version(self.cluster.object.version)).copied().unwrap_or_default();
            let stored = holder.at(path).ok().and_then(Json::present);
            let steps: Vec<&str> = edit.at.split('.').collect();
            let (Some(stored), Ok(new)) = (stored, subject.object.at(&steps, None)) else { continue };
            if same(pattern.row.same, stored, new) {
                edit.set_on = Some(self.title());
            }
        }
    }

    /// The reason by which the Cluster approves the effects of its topology.
    pub(super) fn approval(&self) -> Option<&str> {
        let reason = self.cluster.object.annotations.get(APPROVE_ROLLOUT).map(str::trim);
        reason.filter(|reason| !reason.is_empty())
    }

    /// Kind, namespace and name of the Cluster.
    pub(super) fn title(&self) -> String {
        self.cluster.name.to_string()
    }
}
