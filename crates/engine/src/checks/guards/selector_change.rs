//! The selector of a MachineDeployment or MachineSet.

use crate::kube::selector::same_selector;

use super::{Found, Guarded};
use crate::catalog::place::Place;
use crate::json::Malformed;

/// A `spec.selector` that this request changes.
pub(super) fn find(guarded: &Guarded<'_, '_>) -> Result<Vec<Found>, Malformed> {
    let subject = guarded.subject;
    let (Some(Place::MachineDeployment | Place::MachineSet), Some(old)) = (subject.place, subject.old()?) else {
        return Ok(Vec::new());
    };
    if same_selector(old, &subject.object)? {
        return Ok(Vec::new());
    }
    let kind = &subject.review.kind.kind;
    let message = format!("`spec.selector` changes: the {kind} loses what it no longer matches and makes it anew");
    Ok(vec![Found { at: "spec.selector".to_owned(), message }])
}
