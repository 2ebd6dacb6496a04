//! Workers of a topology that do not get a new version yet.

use serde_json::Value;

use super::reach::LISTS;
use crate::object::ObjectId;
use crate::relations::text;

const DEFER: &str = "topology.cluster.x-k8s.io/defer-upgrade";
const HOLD_SEQUENCE: &str = "topology.cluster.x-k8s.io/hold-upgrade-sequence";

/// The entries of a topology, by list and name, whose upgrade an annotation defers: their own, or that of an earlier
/// one in the same list. None if the edit is not about the version.
///
/// Source: exp/topology/desiredstate/desired_state.go, `isMachineDeploymentDeferred`, `isMachinePoolDeferred`.
pub(super) fn entries(id: &ObjectId, at: &str, cluster: &Value) -> Vec<(&'static str, String)> {
    let mut deferred = Vec::new();
    if id.kind != "Cluster" || at != "spec.topology.version" {
        return deferred;
    }
    for list in LISTS {
        let entries = cluster.pointer(&format!("/spec/topology/workers/{list}")).and_then(Value::as_array);
        let mut is_held = false;
        for entry in entries.into_iter().flatten() {
            let has = |key| entry.pointer("/metadata/annotations").is_some_and(|map| map.get(key).is_some());
            is_held |= has(HOLD_SEQUENCE);
            if is_held || has(DEFER) {
                deferred.push((list, text(entry, "name").to_owned()));
            }
        }
    }
    deferred
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_annotation_defers_its_own_entry_or_all_from_there_on() {
        let (group, namespace) = ("cluster.x-k8s.io".to_owned(), "fleet".to_owned());
        let id =
            ObjectId { group, kind: "Cluster".to_owned(), namespace, name: "c1".to_owned(), ..ObjectId::default() };
        let entry = |name: &str, key: &str| json!({ "name": name, "metadata": { "annotations": { key: "" } } });
        let cluster = json!({ "spec": { "topology": { "workers": {
            "machineDeployments": [entry("a", DEFER), entry("b", "other"), entry("c", HOLD_SEQUENCE), entry("d", "other")],
            "machinePools": [entry("p", "other")],
        } } } });
        let expected = ["a", "c", "d"].map(|name| ("machineDeployments", name.to_owned()));
        assert_eq!(entries(&id, "spec.topology.version", &cluster), expected);
        assert_eq!(entries(&id, "spec.topology.classRef.name", &cluster), []);
    }
}
