//! The number of replicas after an edit.

use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::Value;

use super::machines::Part;
use super::path::{EditPath, EditPlace, EditedPart};
use crate::hierarchy::Hierarchy;
use crate::member::{AUTOSCALER, has_managed_replicas, is_autoscaled};
use crate::object::ObjectId;

/// The replicas before and after an edit at a path, if both are known.
///
/// A number that is taken out of a manifest is taken out of the object as well, and a webhook fills it in: 1, or with
/// cluster-autoscaler's annotations what was there, within its limits.
///
/// Source: `calculateMachineDeploymentReplicas`, `calculateMachineSetReplicas`, `calculateMachinePoolReplicas` in
/// core/webhooks/admission, and `Default` in controlplane/kubeadm/webhooks/admission/kubeadmcontrolplane.go of Cluster API
/// v1.14. Those that a topology makes get no number either, where it has none.
pub(super) fn scale(hierarchy: &Hierarchy, id: &ObjectId, path: &EditPath, values: [&Value; 2]) -> Option<(u64, u64)> {
    let [was, is] = values;
    let from = path.replicas(was)?;
    let to = path.replicas(is).or_else(|| filled_in(hierarchy, id, path, (from, is)))?;
    Some((from, to))
}

fn filled_in(hierarchy: &Hierarchy, id: &ObjectId, path: &EditPath, (from, is): (u64, &Value)) -> Option<u64> {
    if path.place != EditPlace::Replicas || path.value(is).is_some_and(|number| !number.is_null()) {
        return None;
    }
    let is_control_plane = id.kind == "Cluster" && path.part == EditedPart::ControlPlane;
    let is_kubeadm = |kind: &str| kind == "KubeadmControlPlane";
    let is_known = match &*id.kind {
        "Cluster" if is_control_plane => Part::ControlPlane.child(hierarchy, id).is_some_and(|it| is_kubeadm(&it.kind)),
        "Cluster" | "MachineDeployment" | "MachineSet" | "MachinePool" => id.group == CORE_GROUP,
        kind => is_kubeadm(kind),
    };
    let of = if id.kind == "Cluster" { path.holder().value(is)? } else { is };
    let annotations = of.pointer("/metadata/annotations").unwrap_or(&Value::Null);
    if !is_known || has_managed_replicas(annotations) {
        return None;
    }
    if is_control_plane || is_kubeadm(&id.kind) || !is_autoscaled(annotations) {
        return Some(1);
    }
    let [least, most] = AUTOSCALER.map(|key| annotations.get(key)?.as_str()?.parse::<u64>().ok());
    Some(from.min(most?).max(least?))
}
