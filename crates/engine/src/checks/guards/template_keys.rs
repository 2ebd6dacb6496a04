//! Keys of a user's own on a template that a topology owns.

use super::{Entry, Guarded, reserved_keys};
use crate::catalog::place::Place;
use crate::checks::misplaced::place_for;
use crate::json::Malformed;

/// A key on a template below a topology that the topology does not know.
pub(super) fn find(guarded: &Guarded<'_, '_>, entry: &Entry<'_>) -> Result<Option<String>, Malformed> {
    let subject = guarded.subject;
    let below_topology = matches!(
        subject.place,
        Some(Place::ControlPlane | Place::MachineDeployment | Place::MachinePool) if guarded.above.is_some()
    );
    if !below_topology || reserved_keys::reason(entry.map, entry.key).is_some() {
        return Ok(None);
    }
    let place = place_for(subject, entry.block.place, entry.map);
    Ok(Some(["belongs under ", &place, ": nobody reverts it here"].concat()))
}
