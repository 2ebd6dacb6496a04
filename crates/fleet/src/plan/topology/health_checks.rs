//! The health checks of a topology, which are not among the objects that are computed of it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::plan::reach::LISTS;
use crate::relations::text;

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
        let entries = |object: &Value| {
            let entries = object.pointer(&format!("/spec/topology/workers/{list}")).and_then(Value::as_array);
            entries
                .into_iter()
                .flatten()
                .map(|it| (text(it, "name").to_owned(), text(it, "class").to_owned()))
                .collect::<BTreeMap<_, _>>()
        };
        let others = entries(other);
        for (name, class_name) in entries(cluster).into_iter().filter(|(name, _)| others.contains_key(name)) {
            let mut classes =
                class.pointer(&format!("/spec/workers/{list}")).and_then(Value::as_array).into_iter().flatten();
            if let Some(workers) = classes.find(|it| text(it, "class") == class_name) {
                found.insert((list, name), of(workers));
            }
        }
    }
    found
}
