//! Converts the objects of the world to Kubernetes JSON and back.

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value as Json, json};

use crate::location::{DEPLOYMENT, EntryKey, EntryLocation, FieldManager, ModelKind, ModelValue, Slot};
use crate::server::{ModelObject, Values, value};

/// The group and version of all objects.
pub const API_VERSION: &str = "cluster.x-k8s.io/v1beta2";
/// The namespace of all objects.
pub const NAMESPACE: &str = "fleet";

/// Labels by which Cluster API finds the objects of a topology.
const IDENTITY: [(&str, &str); 3] = [
    ("cluster.x-k8s.io/cluster-name", "c1"),
    ("topology.cluster.x-k8s.io/deployment-name", "workers"),
    ("topology.cluster.x-k8s.io/owned", ""),
];
const HASH: (&str, &str) = ("machine-template-hash", "1-abcde");
/// An annotation of the topology that is always set, so that no map is ever empty.
const STAYS: (&str, &str) = ("stays", "here");
/// What an entry owns that was begun for a manager.
const BEGUN: &str = "/f:metadata/f:name";
/// Holds an object that is deleted.
const FINALIZER: &str = "cluster.x-k8s.io/model";
const DELETED_AT: &str = "2026-11-20T09:00:00Z";
/// Marks objects in the topology controller's dry runs.
pub(crate) const DRY_RUN: &str = "topology.cluster.x-k8s.io/dry-run";

/// The content of a Cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ClusterManifest {
    /// The values of its topology, by key.
    pub topology: [Option<ModelValue>; 2],
    /// `spec.paused`
    pub paused: bool,
}

/// The Cluster.
pub fn cluster(cluster: &ClusterManifest) -> Json {
    let [team, note] = cluster.topology;
    let metadata = metadata(&[], team, note);
    json!({
        "apiVersion": API_VERSION,
        "kind": "Cluster",
        "metadata": { "name": "c1", "namespace": NAMESPACE, "uid": "c1-uid" },
        "spec": {
            "paused": cluster.paused,
            "topology": {
                "classRef": { "name": "small" },
                "version": "v1.36.0",
                "workers": { "machineDeployments": [{ "name": "workers", "class": "worker", "metadata": metadata }] },
            },
        },
    })
}

/// The ClusterClass, which never changes.
pub fn class() -> Json {
    json!({
        "apiVersion": API_VERSION,
        "kind": "ClusterClass",
        "metadata": { "name": "small", "namespace": NAMESPACE, "uid": "small-uid" },
        "spec": { "workers": { "machineDeployments": [{ "class": "worker" }] } },
    })
}

/// An object without field owners, for readers and writers.
pub fn written(kind: ModelKind, values: &Values) -> Json {
    let block = |slot| {
        metadata(&fixed_labels(kind, slot), value(values, slot, EntryKey::Team), value(values, slot, EntryKey::Note))
    };
    let mut object = json!({
        "apiVersion": API_VERSION,
        "kind": kind.text(),
        "metadata": block(Slot::Own),
        "spec": { "clusterName": "c1" },
    });
    object["metadata"]["name"] = json!(kind.name());
    object["metadata"]["namespace"] = json!(NAMESPACE);
    if kind != ModelKind::Deployment {
        object["metadata"]["finalizers"] = json!([FINALIZER]);
    }
    if let Some(owner) = kind.owner() {
        object["metadata"]["ownerReferences"] = json!([{
            "apiVersion": API_VERSION, "kind": owner.text(), "name": owner.name(), "uid": uid(owner),
            "controller": true,
        }]);
    }
    if kind != ModelKind::Machine {
        let hash: &[(&str, &str)] = if kind == ModelKind::Set { &[HASH] } else { &[] };
        object["spec"]["selector"] = json!({ "matchLabels": map(IDENTITY.iter().chain(hash)) });
        object["spec"]["template"] = json!({ "metadata": block(Slot::Template), "spec": { "clusterName": "c1" } });
    }
    object
}

/// An object as it is stored.
pub fn stored(kind: ModelKind, object: &ModelObject) -> Json {
    let mut json = requested(kind, object);
    json["metadata"]["uid"] = json!(uid(kind));
    json
}

/// An object as in a CREATE request: the API server has set its field owners, but it has no uid yet.
pub fn requested(kind: ModelKind, object: &ModelObject) -> Json {
    let mut json = written(kind, &object.values());
    json["metadata"]["managedFields"] = Json::Array(entries(kind, object));
    if object.deleting {
        deleted(&mut json);
    }
    json
}

/// The uid of an object.
pub fn uid(kind: ModelKind) -> String {
    format!("{}-uid", kind.name())
}

/// Marks objects in the topology controller's dry runs.
pub fn compared(object: &mut Json) {
    object["metadata"]["annotations"][DRY_RUN] = json!("");
}

/// Removes the finalizer from an object: null in a merge patch.
pub fn released(object: &mut Json) {
    object["metadata"]["finalizers"] = Json::Null;
}

/// Sets the deletion timestamp of an object.
pub fn deleted(object: &mut Json) {
    object["metadata"]["deletionTimestamp"] = json!(DELETED_AT);
}

/// Removes the deletion timestamp from an object.
pub fn undeleted(object: &mut Json) {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("deletionTimestamp");
    }
}

/// Values only, such as an applier's configuration; in a merge patch, null removes a value.
pub fn configuration(kind: ModelKind, named: impl Iterator<Item = (EntryLocation, Option<ModelValue>)>) -> Json {
    let mut object = json!({
        "apiVersion": API_VERSION,
        "kind": kind.text(),
        "metadata": { "name": kind.name(), "namespace": NAMESPACE },
    });
    for (location, value) in named {
        let block = if location.slot == Slot::Own { &mut object } else { &mut object["spec"]["template"] };
        block["metadata"][location.key.map()][location.key.text()] = json!(value.map(ModelValue::text));
    }
    object
}

/// Reads JSON as an object of the model.
///
/// # Errors
/// When it contains something that no object of the model can contain.
fn read(kind: ModelKind, json: &Json) -> Result<ModelObject> {
    let mut object = ModelObject::default();
    object.deleting = !json["metadata"]["deletionTimestamp"].is_null();
    for EntryLocation { slot, key, .. } in kind.locations() {
        let prefix = if slot == Slot::Own { "" } else { "/spec/template" };
        let text = json.pointer(&format!("{prefix}/metadata/{}/{}", key.map(), key.text())).and_then(Json::as_str);
        let value = text.map(|text| ModelValue::read(text).with_context(|| format!("{} is {text}", key.text())));
        object.at_mut(slot, key).value = value.transpose()?;
    }
    let managed_fields = json.pointer("/metadata/managedFields").and_then(Json::as_array);
    for entry in managed_fields.into_iter().flatten() {
        let manager = FieldManager::OWNERS.into_iter().find(|manager| entry["manager"] == manager.text());
        let manager = manager.with_context(|| format!("an unknown field manager: {entry}"))?;
        for EntryLocation { slot, key, .. } in kind.locations() {
            if entry["fieldsV1"].pointer(&fields_path(slot, key)).is_some() {
                let entry = object.at_mut(slot, key);
                entry.owners = entry.owners.and(manager);
            }
        }
        if !entry["fieldsV1"]["f:spec"]["f:clusterName"].is_null() {
            object.fixed = object.fixed.and(manager);
        }
        if entry["fieldsV1"].pointer(BEGUN).is_some() {
            object.begun = object.begun.and(manager);
        }
    }
    Ok(object)
}

/// The same, but nothing may be in it except what [`stored`] or [`requested`] would write.
///
/// # Errors
/// When it contains anything else.
pub fn read_whole(kind: ModelKind, json: &Json) -> Result<ModelObject> {
    let object = read(kind, json)?;
    let mut again = requested(kind, &object);
    if let Some(uid) = json.pointer("/metadata/uid") {
        again["metadata"]["uid"] = uid.clone();
    }
    let sorted = |json: &Json| {
        let mut json = json.clone();
        let entries = json.pointer_mut("/metadata/managedFields").and_then(Json::as_array_mut);
        entries.into_iter().for_each(|entries| entries.sort_by_key(Json::to_string));
        json
    };
    let (found, expected) = (sorted(json), sorted(&again));
    ensure!(found == expected, "the policy wrote something else than an entry:\n{found}\n{expected}");
    Ok(object)
}

fn fixed_labels(kind: ModelKind, slot: Slot) -> Vec<(&'static str, &'static str)> {
    let more: &[(&str, &str)] = match (kind, slot) {
        (ModelKind::Deployment, _) => &[],
        (ModelKind::Set, Slot::Own) => &[HASH, ("cluster.x-k8s.io/deployment-name", DEPLOYMENT)],
        (ModelKind::Set, Slot::Template) => &[HASH],
        (ModelKind::Machine, _) => {
            &[HASH, ("cluster.x-k8s.io/deployment-name", DEPLOYMENT), ("cluster.x-k8s.io/set-name", "ms")]
        }
    };
    IDENTITY.iter().chain(more).copied().collect()
}

fn metadata(labels: &[(&str, &str)], team: Option<ModelValue>, note: Option<ModelValue>) -> Json {
    let mut metadata = json!({ "labels": map(labels), "annotations": map(&[STAYS]) });
    for (key, value) in [(EntryKey::Team, team), (EntryKey::Note, note)] {
        if let Some(value) = value {
            metadata[key.map()][key.text()] = json!(value.text());
        }
    }
    metadata
}

fn map<'e>(entries: impl IntoIterator<Item = &'e (&'e str, &'e str)>) -> Json {
    Json::Object(entries.into_iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect())
}

/// `metadata.managedFields`, in the order in which the API server lists it.
fn entries(kind: ModelKind, object: &ModelObject) -> Vec<Json> {
    let mut entries = Vec::new();
    for manager in FieldManager::OWNERS {
        let mut set = Json::Object(Map::new());
        for EntryLocation { slot, key, .. } in kind.locations() {
            if object.at(slot, key).owners.has(manager) {
                own(&mut set, &fields_path(slot, key));
            }
        }
        if object.fixed.has(manager) {
            for path in fixed_paths(kind) {
                own(&mut set, &path);
            }
        }
        if object.begun.has(manager) {
            own(&mut set, BEGUN);
        }
        if set.as_object().is_some_and(Map::is_empty) {
            continue;
        }
        let operation = if manager.applies() { "Apply" } else { "Update" };
        entries.push(json!({
            "manager": manager.text(), "operation": operation, "apiVersion": API_VERSION,
            "time": "2026-11-20T08:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": set,
        }));
    }
    let order = |entry: &Json| [entry["operation"].to_string(), entry["manager"].to_string()];
    entries.sort_by_key(order);
    entries
}

fn own(set: &mut Json, path: &str) {
    let mut at = set;
    for step in path.split('/').skip(1) {
        let step = step.replace("~1", "/");
        at = &mut at[step];
        if at.is_null() {
            *at = json!({});
        }
    }
}

/// Where an entry is in a set of fields, as a JSON pointer.
fn fields_path(slot: Slot, key: EntryKey) -> String {
    let prefix = if slot == Slot::Own { "" } else { "/f:spec/f:template" };
    format!("{prefix}/f:metadata/f:{}/f:{}", key.map(), key.text())
}

fn fixed_paths(kind: ModelKind) -> Vec<String> {
    let mut paths = vec!["/f:spec/f:clusterName".to_owned()];
    for slot in kind.slots() {
        let prefix = if *slot == Slot::Own { "" } else { "/f:spec/f:template" };
        let labels = fixed_labels(kind, *slot);
        paths
            .extend(labels.iter().map(|(key, _)| format!("{prefix}/f:metadata/f:labels/f:{}", key.replace('/', "~1"))));
        paths.push(format!("{prefix}/f:metadata/f:annotations/f:{}", STAYS.0));
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for kind in ModelKind::ALL {
            let values =
                [[Some(ModelValue::Red), None], [None, Some(ModelValue::Blue).filter(|_| kind != ModelKind::Machine)]];
            let object = ModelObject::created(kind, kind.controller(), &values);
            let object = object.updated(FieldManager::Alice, Slot::Own, EntryKey::Note, Some(ModelValue::Red));
            assert_eq!(read_whole(kind, &stored(kind, &object)).unwrap(), object.known());
        }
    }

    #[test]
    fn what_the_world_does_not_have_is_noticed() {
        let object = ModelObject::created(ModelKind::Machine, FieldManager::Set, &Values::default());
        let mut json = stored(ModelKind::Machine, &object);
        json["spec"]["providerID"] = json!("x");
        assert!(read_whole(ModelKind::Machine, &json).is_err());
    }
}
