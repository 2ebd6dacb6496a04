//! Requests that do not change what the policy writes.

use crate::catalog::FIELDS;
use crate::json::Malformed;
use crate::subject::Subject;
use kubernetes::MapKind;

/// Whether an UPDATE changes no map and no field that the rules may write.
pub fn leaves_owned_as_stored(subject: &Subject<'_>) -> Result<bool, Malformed> {
    let (Some(old), Some(place)) = (subject.old()?, subject.place) else { return Ok(false) };
    let object = &subject.object;
    for place in [Some(place), subject.template()].into_iter().flatten() {
        for map in MapKind::BOTH {
            if place.map(object, map, None)? != place.map(old, map, None)? {
                return Ok(false);
            }
        }
    }
    for field in FIELDS {
        if field.read(place, object, None)? != field.read(place, old, None)? {
            return Ok(false);
        }
    }
    Ok(true)
}
