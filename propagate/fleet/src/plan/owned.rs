//! A Cluster that Kubernetes' garbage collector deletes, because its owners do not exist.

use std::borrow::Cow;

use metadata_propagation::Effect;
use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;

use super::impact::Sides;
use super::machines::{Part, machines};
use super::path::EditPath;
use super::{PlannedEdit, reason};
use crate::object::ObjectId;
use crate::relations::referenced;

/// The edit that gives a Cluster owners, of which none is among the objects. All other owners of Machines are kept by their
/// Cluster, which controllers make an owner of them.
///
/// Sources: `attemptToDeleteItem` in pkg/controller/garbagecollector/garbagecollector.go of Kubernetes v1.36; the callers of
/// `EnsureOwnerRef` in util/util.go of Cluster API v1.14.
pub(super) fn edit(id: &ObjectId, [was, is]: [&Value; 2], sides: Sides<'_>) -> Option<PlannedEdit> {
    let [former, owners] = [was, is].map(|object| object.pointer(OWNERS).and_then(Value::as_array));
    let owners = owners.filter(|owners| !owners.is_empty() && former != Some(owners))?;
    let is_former = |owner: &Value| former.is_some_and(|former| former.contains(owner));
    let exists = |owner: &Value| is_former(owner) || sides.after.find(&referenced(owner, &id.namespace)).is_some();
    if id.group != CORE_GROUP || id.kind != "Cluster" || owners.iter().any(exists) {
        return None;
    }
    let (at, reason) = (EditPath::parse("metadata.ownerReferences"), Some(Cow::Borrowed(reason::NO_OWNER)));
    let machines = machines(sides.before, id, &Part::Whole);
    Some(PlannedEdit { machines, ..PlannedEdit::new(at, Effect::CannotTell, reason) })
}

const OWNERS: &str = "/metadata/ownerReferences";
