//! The selector of a MachineDeployment or MachineSet.

use super::{Found, Guarded};
use crate::json::{Json, Malformed, Map};
use crate::keys::CLUSTER_NAME;
use crate::object::Object;
use crate::place::Place;

/// A `spec.selector` that this request changes.
pub(super) fn find(guarded: &Guarded<'_, '_>) -> Result<Vec<Found>, Malformed> {
    let subject = guarded.subject;
    let (Some(Place::MachineDeployment | Place::MachineSet), Some(old)) = (subject.place, subject.old()?) else {
        return Ok(Vec::new());
    };
    if selector(&subject.object)? == selector(old)? {
        return Ok(Vec::new());
    }
    let kind = &subject.review.kind.kind;
    let message = format!("`spec.selector` changes: the {kind} loses what it no longer matches and makes it anew");
    Ok(vec![Found { at: "spec.selector".to_owned(), message }])
}

/// The labels of the selector, and its expressions as they are written.
///
/// The name of the object's own Cluster does not count: defaulting and the MachineSet controller add it.
///
/// Source: core/webhooks/admission/machinedeployment.go and machineset.go, `Default`.
fn selector<'a>(object: &Object<'a>) -> Result<(Map<'a>, Option<&'a str>), Malformed> {
    let expressions = object.spec.at(&["selector", "matchExpressions"], None)?;
    let expressions = expressions.as_ref().map(Json::text).filter(|text| *text != "[]");
    let mut labels = object.spec.map(&["selector", "matchLabels"])?;
    if labels.get(CLUSTER_NAME) == object.spec.string(&["clusterName"])?.as_ref() {
        labels.remove(CLUSTER_NAME);
    }
    Ok((labels, expressions))
}
