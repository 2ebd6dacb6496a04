//! A user's own keys on a template that a topology owns.

use super::{Guarded, MetadataEntry, reserved_keys};
use crate::catalog::Place;
use crate::fact::ClusterApiFact;
use crate::json::Malformed;
use crate::misplaced::set_instead;

/// A key on a template of a topology-owned object that the topology does not set.
pub(super) fn find(guarded: &Guarded<'_, '_>, entry: &MetadataEntry<'_>) -> Result<Option<ClusterApiFact>, Malformed> {
    let subject = guarded.subject;
    let below_topology = matches!(
        subject.place,
        Some(Place::ControlPlane | Place::MachineDeployment | Place::MachinePool) if guarded.source_keys.is_some()
    );
    if !below_topology || reserved_keys::reason(entry.map, entry.key).is_some() {
        return Ok(None);
    }
    let instead = set_instead(subject, entry.block.place, entry.map);
    Ok(Some(ClusterApiFact::NotFromTopology { entry: entry.name(), instead }))
}
