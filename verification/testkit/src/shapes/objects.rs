//! Lists and fields of Cluster API's objects.

use serde_json::{Value, json};

use super::maps::{class, classes, cluster, machine, machine_deployment, strict};
use super::{Grown, HOLE, Shape, core, entries, keys, listed, nested, of_group, owner, owns, with};

pub(super) fn shapes() -> Vec<Shape> {
    [owners(), topologies(), classes_and_templates(), lists()].into_iter().flatten().collect()
}

/// Owners of fields, and ownerReferences.
fn owners() -> Vec<Shape> {
    let with_owners = |object: Value, count: usize| {
        let others = listed(count, |number| owner("Owner", &format!("o-{number}"), false));
        let mut owners = object["metadata"]["ownerReferences"].clone();
        owners
            .as_array_mut()
            .into_iter()
            .for_each(|own| own.splice(0..0, others.as_array().cloned().unwrap_or_default()).for_each(drop));
        with(object, "/metadata/ownerReferences", owners)
    };
    let set = |labels: usize| with(machine().1, "/spec/template/metadata/labels", entries("a/", labels, "a"));
    let reads = move |labels| vec![set(labels), core("Cluster", "c1", json!({}))];
    vec![
        Shape::new("entries of managedFields: Machine", move |count| {
            let managers = |value: &str| {
                listed(count, |number| {
                    owns(&format!("{value}-{number}"), "Apply", "labels", ["a/000000".to_owned()].into_iter())
                })
            };
            let object = |value: &str| {
                with(
                    with(machine().0, "/metadata/labels", entries("a/", 1, value)),
                    "/metadata/managedFields",
                    managers(value),
                )
            };
            Grown { old: Some(object("a")), object: object("b"), reads: reads(1), ..Grown::default() }
        }),
        Shape::new("fields in an entry of managedFields: Machine", move |count| {
            let object = |manager: &str, value: &str| {
                let owned = owns(manager, "Apply", "labels", keys("a/", count));
                let object = with(machine().0, "/metadata/labels", entries("a/", 1, value));
                with(object, "/metadata/managedFields", json!([owned]))
            };
            Grown {
                old: Some(object("capi-machineset", "a")),
                object: object("alice", "b"),
                reads: reads(1),
                ..Grown::default()
            }
        }),
        Shape::new("ownerReferences: Machine", move |count| {
            let object = with_owners(machine().0, count);
            Grown {
                old: Some(object.clone()),
                object: with(object, "/metadata/labels", entries("b/", count, "b")),
                reads: reads(9),
                ..Grown::default()
            }
        }),
        Shape::new("ownerReferences, and keys in a template: MachineDeployment", move |count| {
            let (object, source, _) = machine_deployment();
            let object = with_owners(object, count);
            let new = with(object.clone(), "/spec/template/metadata/labels", entries("b/", count, "b"));
            let new = with(new, "/metadata/labels", entries("c/", count, "b"));
            let reads = [vec![source], classes()].concat();
            Grown { old: Some(object), object: new, reads, ..Grown::default() }
        }),
        Shape::new("ownerReferences: DockerMachine", move |count| {
            let object = of_group("infrastructure.cluster.x-k8s.io/v1beta2", "DockerMachine", "ms-1", json!({}));
            let object = with(object, "/metadata/ownerReferences", json!([owner("Machine", "ms-1", true)]));
            Grown {
                object: with_owners(object, count),
                reads: [vec![machine().0], reads(9)].concat(),
                ..Grown::default()
            }
        }),
    ]
}

/// Clusters with topologies.
fn topologies() -> Vec<Shape> {
    let workers = |count: usize, value: &str| {
        let entry = |number| {
            json!({ "name": format!("md-{number}"), "class": "worker", "failureDomain": value, "replicas": 3,
                "metadata": { "labels": { "team": value }, "annotations": { "topology.cluster.x-k8s.io/hold-upgrade-sequence": value } } })
        };
        with(cluster(), "/spec/topology/workers/machineDeployments", listed(count, entry))
    };
    let grown = move |old: Value, object: Value, settings: Value| Grown {
        old: Some(old),
        object,
        settings,
        reads: classes(),
        ..Grown::default()
    };
    let recorded = |object: Value, count: usize| {
        let record = json!({ "labels": keys("r/", count).collect::<Vec<_>>(), "annotations": [], "fields": [] });
        with(
            object,
            "/metadata/annotations",
            json!({ "metadata-propagation.plexsphere.com/managed": record.to_string() }),
        )
    };
    let opt_in = json!({ "clusterApi": { "optIn": { "clusterToTopology": ["team"] } } });
    let opted_in = opt_in.clone();
    vec![
        Shape::new("workers of a topology, changed: Cluster", move |count| {
            grown(workers(count, "a"), workers(count, "b"), strict())
        }),
        Shape::new("workers of a topology, removed: Cluster", move |count| {
            grown(workers(count, "a"), workers(1, "a"), strict())
        }),
        Shape::new("workers of a topology without hold, with many conditions: Cluster", move |count| {
            let conditions = listed(count, |number| json!({ "type": format!("C{number}"), "status": "True" }));
            let old = with(workers(count, "a"), "/status/conditions", conditions);
            let mut new = old.clone();
            for entry in new["spec"]["topology"]["workers"]["machineDeployments"].as_array_mut().into_iter().flatten() {
                entry["metadata"]["annotations"] = json!({});
            }
            grown(old, new, strict())
        }),
        Shape::new("classes of workers, and workers of OnDelete: Cluster", move |count| {
            let workers = |value: &str| {
                let entry = |number| json!({ "name": format!("md-{number}"), "class": format!("w-{number}"), "failureDomain": value, "replicas": 3 });
                with(cluster(), "/spec/topology/workers/machineDeployments", listed(count, entry))
            };
            let entry = |number| json!({ "class": format!("w-{number}"), "strategy": { "type": "OnDelete" } });
            let class = with(class(), "/spec/workers/machineDeployments", listed(count, entry));
            Grown { reads: vec![class], ..grown(workers("a"), workers("b"), json!({})) }
        }),
        Shape::new("workers of a topology that get a label: Cluster", move |count| {
            let object = with(workers(count, "a"), "/metadata/labels", json!({ "team": "b", "x": "y" }));
            let mut object = object;
            for entry in
                object["spec"]["topology"]["workers"]["machineDeployments"].as_array_mut().into_iter().flatten()
            {
                entry["metadata"] = json!({});
            }
            grown(workers(count, "a"), object, opt_in.clone())
        }),
        Shape::new("workers of a topology, and a record: Cluster", move |count| {
            let object = recorded(workers(count, "a"), count);
            grown(object.clone(), object, opted_in.clone())
        }),
        Shape::new("labels of a topology: Cluster", move |count| {
            let new = with(
                cluster(),
                "/spec/topology/workers/machineDeployments/0/metadata/labels",
                entries("node.example.com/a-", count, "a"),
            );
            let new = with(new, "/spec/topology/controlPlane/metadata/annotations", entries("a-", count, "a"));
            grown(cluster(), new, strict())
        }),
        Shape::new("annotations that hold upgrades, removed: Cluster", move |count| {
            let held = |count| {
                with(
                    cluster(),
                    "/metadata/annotations",
                    entries("before-upgrade.hook.cluster.cluster.x-k8s.io/h-", count, "a"),
                )
            };
            grown(held(count), held(0), strict())
        }),
        Shape::new("variables of a topology: Cluster", move |count| {
            let variables =
                |value: &str| listed(count, |number| json!({ "name": format!("v-{number}"), "value": value }));
            grown(
                with(cluster(), "/spec/topology/variables", variables("a")),
                with(cluster(), "/spec/topology/variables", variables("b")),
                json!({}),
            )
        }),
    ]
}

fn classes_and_templates() -> Vec<Shape> {
    let workers = |count: usize, value: &str| {
        let entry = |number| {
            json!({
                "class": format!("w-{number}"), "metadata": { "labels": { "team": value }, "annotations": { value: "x" } },
                "bootstrap": { "templateRef": { "name": value } }, "infrastructure": { "templateRef": { "name": value } },
            })
        };
        with(class(), "/spec/workers/machineDeployments", listed(count, entry))
    };
    let grown = |old: Value, object: Value| Grown { old: Some(old), object, settings: strict(), ..Grown::default() };
    let control_plane = |count: usize, value: &str| {
        let files = listed(count, |number| json!({ "path": format!("/f-{number}"), "content": value }));
        let object = of_group("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane", "cp", json!({}));
        with(object, "/spec/kubeadmConfigSpec", json!({ "files": files, "preKubeadmCommands": files }))
    };
    vec![
        Shape::new("classes of workers, changed: ClusterClass", move |count| {
            grown(workers(count, "a"), workers(count, "b"))
        }),
        Shape::new("patches, changed: ClusterClass", move |count| {
            let patches = |value: &str| {
                listed(
                    count,
                    |number| json!({ "name": format!("p-{number}"), "definitions": [{ "jsonPatches": [{ "path": value }] }] }),
                )
            };
            grown(with(class(), "/spec/patches", patches("/a")), with(class(), "/spec/patches", patches("/b")))
        }),
        Shape::new("fields of its spec, changed: KubeadmControlPlane", move |count| {
            grown(control_plane(count, "a"), control_plane(count, "b"))
        }),
        Shape::new("fields of its spec, changed: DockerMachineTemplate", move |count| {
            let object = |value: &str| {
                let object =
                    of_group("infrastructure.cluster.x-k8s.io/v1beta2", "DockerMachineTemplate", "t", json!({}));
                let object =
                    with(object, "/metadata/ownerReferences", json!([owner("ClusterClass", "standard", false)]));
                with(object, "/spec/template/spec", entries("field", count, value))
            };
            grown(object("a"), object("b"))
        }),
    ]
}

/// Lists of elements, and lists in lists.
fn lists() -> Vec<Shape> {
    let taints = |key: &str, count: usize| {
        listed(
            count,
            |number| json!({ "key": format!("{key}/{number}"), "value": "v", "effect": "NoSchedule", "propagation": "Always" }),
        )
    };
    let gates = |key: &str, count: usize| listed(count, |number| json!({ "conditionType": format!("{key}{number}") }));
    let of = |list: &'static str, old: Value, new: Value, given: Value| {
        let source = with(machine().1, &format!("/spec/template/spec/{list}"), given);
        let at = format!("/spec/{list}");
        let owned = json!([owns("capi-machineset", "Apply", "labels", ["x".to_owned()].into_iter())]);
        let object = |list: Value| with(with(machine().0, &at, list), "/metadata/managedFields", owned.clone());
        let reads = vec![source, core("Cluster", "c1", json!({}))];
        let settings = json!({ "clusterApi": { "taints": true } });
        Grown { old: Some(object(old)), object: object(new), reads, settings, ..Grown::default() }
    };
    let mut shapes = vec![
        Shape::new("taints missing: Machine", move |count| {
            of("taints", taints("b", count), taints("b", count), taints("a", count))
        }),
        Shape::new("taints changed: Machine", move |count| {
            of("taints", taints("a", count), taints("b", count), taints("a", count))
        }),
        Shape::new("taints removed: Machine", move |count| {
            of("taints", taints("a", count), json!([]), taints("a", count))
        }),
        Shape::new("taints in another order: Machine", move |count| {
            let mut reversed = taints("a", count);
            reversed.as_array_mut().into_iter().for_each(|taints| taints.reverse());
            of("taints", reversed.clone(), reversed, taints("a", count))
        }),
        Shape::new("readiness gates missing: Machine", move |count| {
            of("readinessGates", gates("B", count), gates("B", 1), gates("A", count))
        }),
    ];
    for (name, make) in
        [("Machine", machine as fn() -> (Value, Value, &'static str)), ("MachineDeployment", machine_deployment)]
    {
        for is_new in [true, false] {
            let operation = if is_new { "CREATE" } else { "UPDATE" };
            shapes.push(Shape::new(format!("lists in lists, {operation}: {name}"), move |count| {
                let (object, source, _) = make();
                let object = with(object, "/spec/nested", HOLE);
                let filling = [nested(count, "1"), if is_new { String::new() } else { nested(count, "2") }];
                let old = (!is_new).then(|| object.clone());
                let cluster = (source["kind"] == "MachineSet").then(|| core("Cluster", "c1", json!({})));
                let reads = [vec![source], cluster.into_iter().collect(), classes()].concat();
                Grown { old, object, reads, filling: Some(filling), ..Grown::default() }
            }));
        }
    }
    shapes
}
