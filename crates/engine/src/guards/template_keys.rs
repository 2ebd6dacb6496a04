//! Keys of a user's own on a template that a topology owns.

use super::{Found, Guarded, reserved_keys};
use crate::explain::place_for;
use crate::json::Malformed;
use crate::place::{MapKind, Place};

/// Keys that this request adds or changes on a template below a topology, and that the topology does not know.
pub(super) fn find(guarded: &Guarded<'_, '_>) -> Result<Vec<Found>, Malformed> {
    let subject = guarded.subject;
    let below_topology = matches!(
        subject.place,
        Some(Place::ControlPlane | Place::MachineDeployment | Place::MachinePool) if guarded.above.is_some()
    );
    let Some(template) = subject.template().filter(|_| below_topology) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for block in &guarded.blocks()? {
        for map in MapKind::BOTH {
            for (key, _) in guarded.news(block, map).filter(|(key, _)| reserved_keys::reason(map, key).is_none()) {
                let place = place_for(subject, template, map);
                found.push(Found::entry(block, map, key, &["belongs under ", &place, ": nobody reverts it here"]));
            }
        }
    }
    Ok(found)
}
