//! The health checks of a topology, which are not among the objects that are computed of it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::workers::{LISTS, workers};

/// The health checks that a class has for the control plane and those workers of a Cluster that another state of it has, too.
///
/// Source: `computeMachineHealthCheck` in exp/topology/desiredstate/desired_state.go of Cluster API v1.14.
pub(super) fn health_checks<'c>(
    cluster: &Value,
    class: &'c Value,
    other: &Value,
) -> BTreeMap<(&'static str, String), [Option<&'c Value>; 2]> {
    let of = |holder: &'c Value| ["healthCheck", "machineHealthCheck"].map(|field| holder.get(field));
    let mut found = BTreeMap::new();
    if let Some(control_plane) = class.pointer("/spec/controlPlane") {
        found.insert(("controlPlane", String::new()), of(control_plane));
    }
    for list in LISTS {
        let is_in_other = |name: &str| workers(other, list).any(|worker| worker.name == name);
        for entry in workers(cluster, list).filter(|entry| is_in_other(entry.name)) {
            if let Some(class) = workers(class, list).find(|class| class.name == entry.class()) {
                found.insert((list, entry.name.to_owned()), of(class.value));
            }
        }
    }
    found
}
