//! Labels and annotations: of each object that receives them, and what happens to them.

use serde_json::{Value, json};

use super::{Grown, Shape, core, entries, keys, of_group, owner, owns, with};

/// An object that receives entries of a map, and the object that has them.
struct Receiver {
    kind: &'static str,
    /// The object; what it inherits from, and the path of metadata there.
    make: fn() -> (Value, Value, &'static str),
    /// The manager that applies what propagates to it.
    applier: &'static str,
    /// Other objects that are read.
    others: fn() -> Vec<Value>,
    key: &'static str,
}

const KEY: &str = "team.example.com/key-";

const RECEIVERS: [Receiver; 6] = [
    Receiver { kind: "Machine", make: machine, applier: "capi-machineset", others: clusters, key: KEY },
    Receiver { kind: "MachineSet", make: machine_set, applier: "capi-machinedeployment", others: clusters, key: KEY },
    Receiver {
        kind: "MachineDeployment",
        make: machine_deployment,
        applier: "capi-topology",
        others: classes,
        key: KEY,
    },
    Receiver { kind: "KubeadmControlPlane", make: control_plane, applier: "capi-topology", others: classes, key: KEY },
    Receiver {
        kind: "DockerMachine",
        make: part,
        applier: "capi-machineset-metadata",
        others: owners_of_part,
        key: KEY,
    },
    Receiver { kind: "Node", make: node, applier: "", others: clusters, key: "node.cluster.x-k8s.io/key-" },
];

const MAPS: [&str; 2] = ["labels", "annotations"];

pub(super) fn shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for receiver in &RECEIVERS {
        for map in MAPS {
            for (change, make) in CHANGES {
                let name = format!("{map} {change}: {}", receiver.kind);
                shapes.push(Shape::new(name, move |count| make(receiver, map, count)));
            }
        }
    }
    shapes.push(Shape::new("labels changed, verified: Machine", |count| Grown {
        settings: json!({ "mode": "verify" }),
        ..changed(&RECEIVERS[0], "labels", count)
    }));
    shapes.push(Shape::new("labels changed, each owned by another manager: Machine", |count| {
        let managers = |object: &Value, rest: usize| -> Value {
            let applied = keys(KEY, count).enumerate().filter(|(number, _)| number % 2 >= rest);
            let entry = |(number, key): (usize, String)| {
                owns(&format!("applier-{number}"), "Apply", "labels", [key].into_iter())
            };
            let managers: Value = applied.map(entry).collect();
            with(object.clone(), "/metadata/managedFields", managers)
        };
        let grown = changed(&RECEIVERS[0], "labels", count);
        Grown { old: grown.old.map(|old| managers(&old, 0)), object: managers(&grown.object, 1), ..grown }
    }));
    shapes.push(Shape::new("labels of the policy's record that no source has: Machine", |count| {
        let record = json!({ "labels": keys(KEY, count).collect::<Vec<_>>(), "annotations": [], "fields": [] });
        let of_record = json!({ "metadata-propagation.plexsphere.com/managed": record.to_string() });
        let (object, _, _) = machine();
        let object = with(object, "/metadata/labels", entries(KEY, count, "a"));
        let object = with(object, "/metadata/annotations", of_record);
        let (_, source, _) = machine();
        Grown { old: Some(object.clone()), object, reads: [vec![source], clusters()].concat(), ..Grown::default() }
    }));
    shapes.push(Shape::new("labels with illegal values in the policy's record: Machine of RKE2ControlPlane", |count| {
        let record = json!({ "labels": keys(KEY, count).collect::<Vec<_>>(), "annotations": [], "fields": [] });
        let of_record = json!({ "metadata-propagation.plexsphere.com/managed": record.to_string() });
        let (object, _, _) = machine();
        let mut reference = owner("RKE2ControlPlane", "cp", true);
        reference["apiVersion"] = json!("controlplane.cluster.x-k8s.io/v1beta1");
        let object = with(object, "/metadata/ownerReferences", json!([reference]));
        let object = with(with(object, "/metadata/labels", entries(KEY, count, "a")), "/metadata/annotations", of_record);
        let source = of_group("controlplane.cluster.x-k8s.io/v1beta1", "RKE2ControlPlane", "cp", json!({ "clusterName": "c1" }));
        let source = with(source, "/spec/machineTemplate/metadata/labels", entries(KEY, count, "not legal"));
        Grown {
            old: Some(object.clone()),
            object,
            reads: [vec![source], clusters()].concat(),
            settings: json!({ "lookup": { "apiVersions": { "RKE2ControlPlane.controlplane.cluster.x-k8s.io": "v1beta1" } } }),
            ..Grown::default()
        }
    }));
    shapes.push(Shape::new("labels of a selector, changed: Machine", |count| {
        let grown = changed(&RECEIVERS[0], "labels", count);
        let (_, source, at) = machine();
        let source = with(source, &[at, "/labels"].concat(), entries(KEY, count, "a"));
        let source = with(source, "/spec/selector/matchLabels", entries(KEY, count, "a"));
        let settings = json!({ "clusterApi": { "onConflict": "warn" } });
        Grown { reads: [vec![source], clusters()].concat(), settings, ..grown }
    }));
    shapes.push(Shape::new("patches of a class, and labels: KubeadmControlPlane", |count| {
        let grown = added(&RECEIVERS[3], "labels", count);
        let patch = |number: usize| {
            let path = format!("/spec/template/metadata/labels/team.example.com~1other-{number}");
            json!({ "name": format!("p{number}"), "definitions": [{
                "selector": { "apiVersion": "controlplane.cluster.x-k8s.io/v1beta2", "kind": "KubeadmControlPlaneTemplate",
                    "matchResources": { "controlPlane": true } },
                "jsonPatches": [{ "op": "add", "path": path, "value": "x" }],
            }] })
        };
        let patches: Value = (0..count).map(patch).collect();
        let reads = grown.reads.into_iter().map(|read| match &read["kind"] {
            kind if kind == "ClusterClass" => with(read, "/spec/patches", patches.clone()),
            _ => read,
        });
        Grown { reads: reads.collect(), ..grown }
    }));
    shapes
}

/// What happens to the entries of a map.
type Made = fn(&Receiver, &str, usize) -> Grown;

const CHANGES: [(&str, Made); 6] = [
    ("of a new object, complete", complete),
    ("missing from a new object", created),
    ("missing from a stored object", added),
    ("changed", changed),
    ("removed", removed),
    ("of no source, with strict settings", own),
];

impl Receiver {
    /// The object with entries of a map, and everything that is read for it.
    fn grown(&self, map: &str, count: usize, new: Option<&str>, old: Option<Option<&str>>) -> Grown {
        let (object, source, at) = (self.make)();
        let source = with(source, &format!("{at}/{map}"), entries(self.key, count, "a"));
        let state = |value: Option<&str>| {
            let entries = value.map(|value| entries(self.key, count, value)).unwrap_or_default();
            let manager = if value == Some("a") { self.applier } else { "kubectl-edit" };
            let operation = if value == Some("a") { "Apply" } else { "Update" };
            let owned = owns(manager, operation, map, entries.keys().cloned());
            let applied = owns(self.applier, "Apply", map, ["x".to_owned()].into_iter());
            let managers = if manager == self.applier { json!([owned]) } else { json!([applied, owned]) };
            with(with(object.clone(), &format!("/metadata/{map}"), entries), "/metadata/managedFields", managers)
        };
        let reads = [vec![source], (self.others)()].concat();
        Grown { object: state(new), old: old.map(state), reads, ..Grown::default() }
    }
}

fn complete(receiver: &Receiver, map: &str, count: usize) -> Grown {
    receiver.grown(map, count, Some("a"), None)
}

fn created(receiver: &Receiver, map: &str, count: usize) -> Grown {
    receiver.grown(map, count, None, None)
}

fn added(receiver: &Receiver, map: &str, count: usize) -> Grown {
    receiver.grown(map, count, None, Some(None))
}

fn changed(receiver: &Receiver, map: &str, count: usize) -> Grown {
    receiver.grown(map, count, Some("b"), Some(Some("a")))
}

fn removed(receiver: &Receiver, map: &str, count: usize) -> Grown {
    receiver.grown(map, count, None, Some(Some("a")))
}

fn own(receiver: &Receiver, map: &str, count: usize) -> Grown {
    let (object, source, _) = (receiver.make)();
    let object = with(object, &format!("/metadata/{map}"), entries("own.node.cluster.x-k8s.io/key-", count, "b"));
    let object = match receiver.kind {
        "MachineDeployment" | "MachineSet" => {
            with(object, "/spec/template/metadata/labels", entries("my.node.cluster.x-k8s.io/key-", count, "b"))
        }
        _ => object,
    };
    let (old, _, _) = (receiver.make)();
    let reads = [vec![source], (receiver.others)()].concat();
    Grown { old: Some(old), object, reads, settings: strict(), ..Grown::default() }
}

/// Settings that refuse what they can.
fn strict() -> Value {
    json!({
        "clusterApi": { "onConflict": "reject", "rollout": "reject", "taints": true, "optIn": { "poolToMachine": true } },
        "guards": {
            "selectorLabels": "reject", "selectorChange": "reject", "adoption": "reject", "reservedKeys": "reject",
            "templateKeys": "reject", "nodeKeys": "reject",
        },
    })
}

fn machine() -> (Value, Value, &'static str) {
    let object = core("Machine", "ms-1", json!({ "clusterName": "c1" }));
    let object = with(object, "/metadata/ownerReferences", json!([owner("MachineSet", "ms", true)]));
    let source = core(
        "MachineSet",
        "ms",
        json!({ "clusterName": "c1", "template": { "metadata": { "labels": {}, "annotations": {} } } }),
    );
    (object, source, "/spec/template/metadata")
}

fn machine_set() -> (Value, Value, &'static str) {
    let spec = json!({ "clusterName": "c1", "template": { "metadata": { "labels": {} } } });
    let object = core("MachineSet", "ms", spec.clone());
    let object = with(object, "/metadata/ownerReferences", json!([owner("MachineDeployment", "md", true)]));
    (object, core("MachineDeployment", "md", spec), "/spec/template/metadata")
}

fn machine_deployment() -> (Value, Value, &'static str) {
    let spec = json!({ "clusterName": "c1", "template": { "metadata": { "labels": {} } } });
    let object = core("MachineDeployment", "c1-md0", spec);
    let forced = json!({
        "cluster.x-k8s.io/cluster-name": "c1", "topology.cluster.x-k8s.io/owned": "",
        "topology.cluster.x-k8s.io/deployment-name": "md0",
    });
    let object = with(object, "/metadata/labels", forced);
    let object = with(object, "/metadata/ownerReferences", json!([owner("Cluster", "c1", false)]));
    (object, cluster(), "/spec/topology/workers/machineDeployments/0/metadata")
}

fn control_plane() -> (Value, Value, &'static str) {
    let object = of_group("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane", "c1-cp", json!({}));
    let forced = json!({ "cluster.x-k8s.io/cluster-name": "c1", "topology.cluster.x-k8s.io/owned": "" });
    let object = with(object, "/metadata/labels", forced);
    let object = with(object, "/metadata/ownerReferences", json!([owner("Cluster", "c1", true)]));
    (object, cluster(), "/spec/topology/controlPlane/metadata")
}

fn part() -> (Value, Value, &'static str) {
    let object = of_group("infrastructure.cluster.x-k8s.io/v1beta2", "DockerMachine", "ms-1", json!({}));
    let object = with(object, "/metadata/ownerReferences", json!([owner("Machine", "ms-1", true)]));
    (object, machine().1, "/spec/template/metadata")
}

fn node() -> (Value, Value, &'static str) {
    let object = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "n1", "annotations": {
        "cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/cluster-namespace": "fleet", "cluster.x-k8s.io/machine": "ms-1",
    } } });
    let machine = with(core("Machine", "ms-1", json!({ "clusterName": "c1" })), "/status/nodeRef/name", "n1");
    (object, machine, "/metadata")
}

fn cluster() -> Value {
    let metadata = json!({ "labels": {}, "annotations": {} });
    core(
        "Cluster",
        "c1",
        json!({ "topology": {
        "classRef": { "name": "standard" }, "version": "v1.34.2", "controlPlane": { "metadata": metadata },
        "workers": { "machineDeployments": [{ "name": "md0", "class": "worker", "metadata": metadata }] },
    } }),
    )
}

fn clusters() -> Vec<Value> {
    vec![core("Cluster", "c1", json!({}))]
}

fn class() -> Value {
    core(
        "ClusterClass",
        "standard",
        json!({
            "controlPlane": {
                "templateRef": { "apiVersion": "controlplane.cluster.x-k8s.io/v1beta2", "kind": "KubeadmControlPlaneTemplate", "name": "cp" },
                "machineInfrastructure": { "templateRef": { "name": "m" } },
            },
            "workers": { "machineDeployments": [{ "class": "worker" }] },
        }),
    )
}

fn classes() -> Vec<Value> {
    let template = of_group("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlaneTemplate", "cp", json!({}));
    vec![class(), template]
}

fn owners_of_part() -> Vec<Value> {
    [vec![machine().0], clusters()].concat()
}
