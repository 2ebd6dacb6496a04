//! What was drawn, as objects of a cluster and a request about one of them.

use std::collections::BTreeSet;

use metadata_propagation::{Manifests, evaluate};
use serde_json::{Value, json};

use crate::fleet::{Draw, Empty, Fleet, Managed, Maps, Owner, TRACKING};
use crate::fleet_kind::FleetKind;
use crate::unusual_json::written;

impl Draw {
    pub(crate) fn fleet(&self) -> Fleet {
        Fleet { payload: self.payload(&self.request()), cluster: self.cluster(&self.parents()) }
    }

    pub(crate) fn payload(&self, request: &Value) -> String {
        let payload = json!({ "settings": self.settings, "request": request });
        // Nobody writes the fields of a review with escapes; what is inside is anybody's.
        match payload["request"].as_object() {
            None => payload.to_string(),
            Some(fields) => {
                let objects = ["object", "oldObject"];
                let written = fields.iter().map(|(name, value)| {
                    let style = if objects.contains(&name.as_str()) { self.style } else { 0 };
                    format!("{}: {}", json!(name), written(value, style))
                });
                let request: Vec<String> = written.collect();
                format!(r#"{{"request": {{{}}}, "settings": {}}}"#, request.join(", "), self.settings)
            }
        }
    }

    pub(crate) fn cluster(&self, objects: &[Value]) -> Manifests {
        let mut cluster = Manifests::default();
        let kinds = FleetKind::ALL.into_iter().filter(|kind| *kind != FleetKind::Node && Some(*kind) != self.absent);
        for kind in kinds {
            let (group, name, object) = kind.words();
            let index = FleetKind::ALL.iter().position(|known| *known == kind).unwrap();
            let version = format!("{group}/{}", self.parents_version);
            cluster.insert(&version, name, "fleet", object, written(&objects[index], self.style));
        }
        cluster
    }

    /// An object of every kind, as the API server has it.
    pub(crate) fn parents(&self) -> Vec<Value> {
        let owner = |kind| match kind {
            FleetKind::Machine => self.way.1.filter(|owner| *owner != FleetKind::Machine).or(Some(FleetKind::Set)),
            FleetKind::Set => Some(FleetKind::Deployment),
            _ => None,
        };
        FleetKind::ALL.map(|kind| self.object(kind, self.parents_version, owner(kind), Owner::Right)).to_vec()
    }

    fn maps(&self, place: usize) -> &Maps {
        &self.maps[place]
    }

    fn block(&self, place: usize) -> Value {
        let (labels, annotations) = self.maps(place);
        json!({ "labels": labels, "annotations": annotations })
    }

    fn object(&self, kind: FleetKind, version: &str, owner: Option<FleetKind>, how: Owner) -> Value {
        let (group, name, object_name) = kind.words();
        let place = kind as usize;
        let (labels, annotations) = self.maps(place);
        let mut metadata = json!({
            "name": object_name, "namespace": "fleet", "uid": format!("uid-{object_name}"), "finalizers": ["keep/me"],
            "labels": labels, "annotations": annotations, "unknown": ["raw:1.0", { "x": "raw:-0.0e-7" }],
        });
        let mut set = |map: &str, key: &str, value: &str| metadata[map][key] = json!(value);
        let is_of_topology = matches!(
            kind,
            FleetKind::ControlPlane | FleetKind::OtherControlPlane | FleetKind::Deployment | FleetKind::Pool
        );
        if is_of_topology && owner.is_some() {
            set("labels", "topology.cluster.x-k8s.io/owned", "");
            set("labels", "cluster.x-k8s.io/cluster-name", "c1");
            set("labels", "topology.cluster.x-k8s.io/deployment-name", "w");
            set("labels", "topology.cluster.x-k8s.io/pool-name", "w");
        }
        if kind == FleetKind::Node {
            set("annotations", "cluster.x-k8s.io/machine", "machine");
            set("annotations", "cluster.x-k8s.io/cluster-name", "c1");
            set("annotations", "cluster.x-k8s.io/cluster-namespace", "fleet");
        }
        if self.paused == Some(kind) {
            set("annotations", "cluster.x-k8s.io/paused", "");
        }
        if self.deleting == Some(kind) {
            metadata["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        }
        if let Some(owner) = owner.filter(|_| how != Owner::None) {
            let (group, name, object) = owner.words();
            let uid = if how == Owner::OfAnotherUid { "another" } else { object };
            metadata["ownerReferences"] = json!([
                { "apiVersion": "v1", "kind": "Secret", "name": "s", "uid": "1" },
                {
                    "apiVersion": format!("{}{group}/{version}", if how == Owner::Unknown { "x." } else { "" }),
                    "kind": name, "name": object, "uid": format!("uid-{uid}"), "controller": how != Owner::NoController,
                },
            ]);
        }
        let api_version = if group.is_empty() { "v1".to_owned() } else { format!("{group}/{version}") };
        json!({
            "apiVersion": api_version, "kind": name, "metadata": metadata, "spec": self.spec(kind, version),
            "status": { "nodeRef": { "name": FleetKind::Node.words().2 }, "labels": { "a": "b" }, "conditions": ["raw:12345678901234567890123"] },
        })
    }

    fn spec(&self, kind: FleetKind, version: &str) -> Value {
        let selector = json!({ "matchLabels": { "team": "red" }, "matchExpressions": [] });
        let machine = json!({ "clusterName": "c1", "version": "v1.36.0", "taints": [{ "key": "k" }] });
        let of_class = |place| match version {
            "v1beta1" => json!([{ "class": "worker", "template": { "metadata": self.block(place) } }]),
            _ => json!([{ "class": "worker", "metadata": self.block(place) }]),
        };
        let of_topology = |place| json!([{ "name": "w", "class": "worker", "metadata": self.block(place) }]);
        match kind {
            FleetKind::Cluster => json!({
                "paused": self.paused == Some(FleetKind::Cluster) && self.update,
                "topology": {
                    "class": "class", "classRef": { "name": "class" },
                    "controlPlane": { "metadata": self.block(12) },
                    "workers": { "machineDeployments": of_topology(13), "machinePools": of_topology(14) },
                },
            }),
            FleetKind::Class => json!({
                "controlPlane": {
                    "metadata": self.block(15),
                    "machineInfrastructure": {},
                    "ref": template_reference(version), "templateRef": template_reference(version),
                },
                "workers": { "machineDeployments": of_class(16), "machinePools": of_class(17) },
                "patches": if self.patches { patches(version) } else { json!([]) },
            }),
            FleetKind::Template => json!({ "template": {
                "metadata": self.block(18), "spec": { "machineTemplate": { "metadata": self.block(19) } },
            }}),
            FleetKind::ControlPlane | FleetKind::OtherControlPlane => json!({
                "version": "v1.36.0", "rolloutAfter": "2026-01-01T00:00:00Z", "rollout": { "after": "raw:1.0" },
                "machineTemplate": { "metadata": self.block(20 + kind as usize), "infrastructureRef": { "name": "i" } },
            }),
            FleetKind::Deployment | FleetKind::Set | FleetKind::Pool => json!({
                "clusterName": "c1", "replicas": 3, "selector": selector, "rollout": { "after": "raw:1.0" },
                "template": { "metadata": self.block(20 + kind as usize), "spec": machine },
            }),
            FleetKind::Machine => machine,
            FleetKind::Infra | FleetKind::Bootstrap => json!({
                "template": { "metadata": self.block(20) }, "machineTemplate": { "metadata": self.block(21) },
            }),
            FleetKind::Node => json!({ "taints": [{ "key": "k" }] }),
        }
    }

    /// The object as it was, or is to be made.
    fn before(&self) -> Value {
        let (kind, owner) = self.way;
        let mut object = self.object(kind, self.version, owner, self.owner);
        if let Some((labels, annotations)) = &self.record {
            let sorted = |keys: &[String]| keys.iter().cloned().collect::<BTreeSet<String>>();
            let record = json!({ "labels": sorted(labels), "annotations": sorted(annotations), "fields": [] });
            object["metadata"]["annotations"][TRACKING] = json!(record.to_string());
        }
        if let [Some(entries), _] = &self.managed {
            object["metadata"]["managedFields"] = entries.iter().map(|entry| self.managed_entry(entry)).collect();
        }
        if object["metadata"]["labels"] == json!({}) {
            match self.empty {
                Empty::Null => object["metadata"]["labels"] = Value::Null,
                Empty::Absent | Empty::NoTemplate => {
                    object["metadata"].as_object_mut().unwrap().remove("labels");
                }
                Empty::Map => {}
            }
        }
        if let (Some(template), Empty::Null | Empty::NoTemplate) = (kind.template(), self.empty) {
            let (parent, _) = template.rsplit_once('/').unwrap();
            let parent = object.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            match self.empty {
                Empty::Null => parent.insert("metadata".to_owned(), Value::Null),
                _ => parent.remove("metadata"),
            };
        }
        object
    }

    fn managed_entry(&self, (manager, applies, keys): &Managed) -> Value {
        let keys: Value = keys.iter().map(|key| (format!("f:{key}"), json!({}))).collect();
        let metadata = json!({ "f:labels": keys, "f:annotations": keys });
        let fields = json!({
            "f:metadata": metadata,
            "f:spec": { "f:template": { "f:metadata": metadata }, "f:machineTemplate": { "f:metadata": metadata } },
        });
        json!({
            "manager": manager,
            "operation": if *applies { "Apply" } else { "Update" },
            "apiVersion": format!("cluster.x-k8s.io/{}", self.version),
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        })
    }

    fn edited(&self, object: &Value) -> Value {
        let mut object = object.clone();
        if let [_, Some(entries)] = &self.managed {
            object["metadata"]["managedFields"] = entries.iter().map(|entry| self.managed_entry(entry)).collect();
        }
        for (in_template, is_label, key, value) in &self.edits {
            let metadata = match self.way.0.template().filter(|_| *in_template) {
                Some(template) => object.pointer_mut(template),
                None => object.get_mut("metadata"),
            };
            let Some(metadata) = metadata.filter(|metadata| metadata.is_object()) else { continue };
            let (map, key) = match key {
                Some(key) => (if *is_label { "labels" } else { "annotations" }, key.as_str()),
                None => ("annotations", TRACKING),
            };
            match value {
                Some(value) => metadata[map][key] = json!(value),
                None => {
                    metadata[map].as_object_mut().map(|map| map.remove(key));
                }
            }
        }
        object
    }

    pub(crate) fn request(&self) -> Value {
        let (group, kind, name) = self.way.0.words();
        let request = |object: Value, old: Option<Value>| {
            let operation = if old.is_some() { "UPDATE" } else { "CREATE" };
            let version = if group.is_empty() { "v1" } else { self.version };
            let mut request = json!({
                "uid": "1", "operation": operation, "userInfo": { "username": self.user }, "name": name,
                "namespace": if self.way.0 == FleetKind::Node { "" } else { "fleet" },
                "kind": { "group": group, "version": version, "kind": kind }, "object": object,
            });
            if let Some(old) = old {
                request["oldObject"] = old;
            }
            request
        };
        let before = self.before();
        if !self.update {
            return request(before, None);
        }
        let mut stored = before;
        if self.converged {
            // What the policy itself made of it, once: then an edit is an edit of something that was right.
            let made = Draw { style: 0, user: "alice", settings: json!({}), ..self.clone() };
            let fleet =
                Fleet { payload: made.payload(&request(stored.clone(), None)), cluster: self.cluster(&self.parents()) };
            let outcome = fleet.with(|review, settings| evaluate(review, settings, &fleet.cluster));
            if let Some(object) = outcome.object {
                let made: Value = serde_json::from_str(&object).unwrap();
                for metadata in self.way.0.template().into_iter().chain(["/metadata"]) {
                    for map in ["labels", "annotations"] {
                        if let (Some(metadata), Some(made)) =
                            (stored.pointer_mut(metadata), made.pointer(&format!("{metadata}/{map}")))
                        {
                            metadata[map] = made.clone();
                        }
                    }
                }
            }
        }
        request(self.edited(&stored), Some(stored))
    }
}

/// A patch of one label and of all annotations of the control plane.
fn patches(version: &str) -> Value {
    let (group, kind, _) = FleetKind::Template.words();
    let selector = json!({
        "apiVersion": format!("{group}/{version}"), "kind": kind, "matchResources": { "controlPlane": true },
    });
    let add = |path: &str| json!({ "op": "add", "path": format!("/spec/template/metadata/{path}"), "value": {} });
    let definition = json!({ "selector": selector, "jsonPatches": [add("labels/team"), add("annotations")] });
    json!([{ "name": "p", "definitions": [definition] }])
}

fn template_reference(version: &str) -> Value {
    let (group, kind, name) = FleetKind::Template.words();
    json!({ "apiVersion": format!("{group}/{version}"), "kind": kind, "name": name })
}
