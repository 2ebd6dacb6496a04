//! The selector of a MachineDeployment or MachineSet.

use super::{Guarded, Violation};
use crate::catalog::Place;
use crate::fact::ClusterApiFact;
use crate::json::Malformed;
use crate::selector::same_selector;

/// A `spec.selector` that this request changes.
pub(super) fn find(guarded: &Guarded<'_, '_>) -> Result<Vec<Violation>, Malformed> {
    let subject = guarded.subject;
    let (Some(Place::MachineDeployment | Place::MachineSet), Some(old)) = (subject.place, subject.old()?) else {
        return Ok(Vec::new());
    };
    if same_selector(old, &subject.object)? {
        return Ok(Vec::new());
    }
    let at = "spec.selector";
    Ok(vec![Violation { at: at.to_owned(), message: ClusterApiFact::SelectorChanged { path: at.into() } }])
}
