//! The annotation that exempts an object, or one resource of a Composition, from the check.

use super::faults::{FaultSeverity, Faults};
use crate::json::document::Json;
use crate::messages;
use facts::annotations::EXEMPT;

/// Whether the value of the annotation exempts: it must state a reason. In both cases a fault reports the effect.
pub(super) fn exempts<'a>(reason: &str, at: Json<'a>, faults: &mut Faults<'a>) -> bool {
    let exempts = states_reason(reason);
    match exempts {
        true => faults.add(FaultSeverity::Note, at, messages::exempt(reason)),
        false => faults.add(FaultSeverity::Loss, at, messages::exempt_without_reason(EXEMPT)),
    }
    exempts
}

/// Whether the value of the annotation is more than white space.
pub(super) fn states_reason(value: &str) -> bool {
    !value.bytes().all(|byte| byte.is_ascii_whitespace())
}
