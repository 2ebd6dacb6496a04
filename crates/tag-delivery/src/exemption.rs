//! The annotation that exempts an object, or one resource of a Composition, from the check.

use super::faults::{FaultSeverity, Faults};
use crate::fault::TagFault;
use crate::json::Json;
use kubernetes::EXEMPT;

/// Whether the value of the annotation exempts: it must state a reason. In both cases a fault reports the effect.
pub(super) fn exempts<'a>(reason: &str, at: Json<'a>, faults: &mut Faults<'a>) -> bool {
    let exempts = states_reason(reason);
    match exempts {
        true => faults.add(FaultSeverity::Note, at, TagFault::Exempt { reason: reason.to_owned() }),
        false => faults.add(FaultSeverity::Loss, at, TagFault::ExemptWithoutReason { annotation: EXEMPT.into() }),
    }
    exempts
}

/// Whether the value of the annotation is more than white space.
pub(super) fn states_reason(value: &str) -> bool {
    !value.bytes().all(|byte| byte.is_ascii_whitespace())
}
