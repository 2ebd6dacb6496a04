//! The reviews that `make bench` measures and whose instructions `make test` counts. The writer is a user, not a
//! controller, so that everything is evaluated.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::cluster::ApiServer;
use crate::recorded::{LIFE, play};
use crate::request::request;

/// One review.
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// The admission request.
    pub request: Value,
    /// The policy's settings.
    pub settings: Value,
    /// The cluster that the policy may read.
    pub cluster: ApiServer,
    /// How many entries the policy writes.
    pub changes: usize,
}

impl Scenario {
    /// What the host hands to `validate`.
    pub fn payload(&self) -> String {
        json!({ "request": self.request, "settings": self.settings }).to_string()
    }
}

/// All scenarios but the recorded reviews, in the order of verification/benches/README.md.
pub fn scenarios() -> Result<Vec<Scenario>> {
    let large = recorded_update()?;
    let small = trimmed(&large)?;
    let [small_without, large_without] = [
        without_four_labels("Machine UPDATE of 2 KB, four labels added", &small)?,
        without_four_labels("Machine UPDATE of 14 KB, four labels added", &large)?,
    ];
    Ok(vec![
        small,
        small_without,
        large,
        large_without,
        machine_deployment()?,
        node()?,
        machine("Machine with 10 labels, nothing to change", 10, true)?,
        machine("Machine with 1,000 labels, nothing to change", 1000, true)?,
        machine("Machine, 10 labels added", 10, false)?,
        machine("Machine, 1,000 labels added", 1000, false)?,
        composite("Composite with 10 labels, profile aws", 10),
        composite("Composite with 60 labels, profile aws", 60),
        composite("Composite with 1,000 labels, profile aws", 1000),
    ])
}

/// A Namespace of a Rancher Project with four labels: handled by Kubewarden's `rancher-project-propagate-labels`, and
/// not relevant to this policy.
pub fn namespace() -> Result<Scenario> {
    let labels: Map<String, Value> = ["owner", "team", "tier", "cost-center"]
        .map(|key| (format!("propagate.{key}"), json!("red")))
        .into_iter()
        .collect();
    let project = json!({
        "apiVersion": "management.cattle.io/v3", "kind": "Project",
        "metadata": { "namespace": "local", "name": "p-checkout", "labels": labels },
        "spec": { "clusterName": "local", "description": "", "displayName": "checkout", "enableProjectMonitoring": false },
    });
    let object = json!({
        "apiVersion": "v1", "kind": "Namespace",
        "metadata": { "name": "checkout", "annotations": { "field.cattle.io/projectId": "local:p-checkout" } },
    });
    Ok(Scenario {
        name: "Namespace, four labels of a Rancher Project",
        request: request(json!({ "operation": "CREATE", "username": "alice", "object": object })),
        settings: json!({}),
        cluster: ApiServer::new(vec![project], Vec::new())?,
        changes: 0,
    })
}

/// The first recorded write of a Machine of a MachineSet by a user other than Cluster API's controllers: the simulated
/// infrastructure provider's, which sets fields that no rule covers.
fn recorded_update() -> Result<Scenario> {
    let mut found = None;
    play(LIFE, |_, _, request, cluster| {
        let of_provider = request["userInfo"]["username"] == "system:serviceaccount:capd-system:capd-manager";
        let owner = &request["object"]["metadata"]["ownerReferences"][0]["kind"];
        if found.is_none() && of_provider && request["kind"]["kind"] == "Machine" && owner == "MachineSet" {
            found = Some((request.clone(), cluster.clone()));
        }
        Ok(())
    })?;
    let (request, cluster) = found.context("no such review is recorded")?;
    Ok(Scenario {
        name: "Machine UPDATE of 14 KB, nothing to change",
        request,
        settings: json!({}),
        cluster,
        changes: 0,
    })
}

/// The same write without large parts: status and managed fields of every object, and the Machine's references.
fn trimmed(large: &Scenario) -> Result<Scenario> {
    let trim = |object: &mut Value| {
        drop(object.as_object_mut().and_then(|fields| fields.remove("status")));
        drop(object["metadata"].as_object_mut().and_then(|metadata| metadata.remove("managedFields")));
    };
    let mut request = large.request.clone();
    for object in ["object", "oldObject"] {
        trim(&mut request[object]);
        let spec = request[object]["spec"].as_object_mut().context("a Machine without spec")?;
        spec.retain(|name, _| !["bootstrap", "infrastructureRef"].contains(&name.as_str()));
    }
    let fields = request.as_object_mut().context("a request that is no object")?;
    fields.retain(|name, _| !["requestKind", "requestResource", "options"].contains(&name.as_str()));
    request["userInfo"] = json!({ "username": request["userInfo"]["username"] });
    let mut objects = large.cluster.objects().to_vec();
    objects.iter_mut().for_each(trim);
    let cluster = ApiServer::new(objects, Vec::new())?;
    Ok(Scenario {
        name: "Machine UPDATE of 2 KB, nothing to change",
        request,
        settings: json!({}),
        cluster,
        changes: 0,
    })
}

/// The write of a Machine that lacks the labels that users added to its MachineSet's template.
fn without_four_labels(name: &'static str, complete: &Scenario) -> Result<Scenario> {
    let mut request = complete.request.clone();
    for object in ["object", "oldObject"] {
        let labels = request[object]["metadata"]["labels"].as_object_mut().context("a Machine without labels")?;
        for key in ["class-only", "node.cluster.x-k8s.io/from-class", "owner", "tier"] {
            labels.remove(key).with_context(|| format!("no label {key}"))?;
        }
    }
    let (settings, cluster) = (complete.settings.clone(), complete.cluster.clone());
    Ok(Scenario { name, request, settings, cluster, changes: 4 })
}

/// A MachineDeployment that lacks eight keys in its own metadata and in its template's: five of its class, three of
/// its topology.
fn machine_deployment() -> Result<Scenario> {
    let class = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "ClusterClass",
        "metadata": { "namespace": "fleet", "name": "standard" },
        "spec": { "workers": { "machineDeployments": [{
            "class": "worker",
            "metadata": {
                "labels": { "tier": "standard", "team": "platform", "node.cluster.x-k8s.io/class": "worker" },
                "annotations": { "runbook": "class", "contact": "platform" },
            },
        }] } },
    });
    let owner = json!({ "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "name": "c1", "uid": "uid-c1" });
    let cluster = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster",
        "metadata": { "namespace": "fleet", "name": "c1", "uid": "uid-c1", "labels": { "region": "north" } },
        "spec": { "topology": {
            "classRef": { "name": "standard" },
            "version": "v1.34.2",
            "workers": { "machineDeployments": [{
                "name": "md0",
                "class": "worker",
                "metadata": {
                    "labels": { "cost-centre": "4711", "node.cluster.x-k8s.io/pool": "blue" },
                    "annotations": { "owner": "payments" },
                },
            }] },
        } },
    });
    let forced = json!({
        "cluster.x-k8s.io/cluster-name": "c1",
        "topology.cluster.x-k8s.io/owned": "",
        "topology.cluster.x-k8s.io/deployment-name": "md0",
    });
    let object = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineDeployment",
        "metadata": { "namespace": "fleet", "name": "c1-md0", "labels": forced, "ownerReferences": [owner] },
        "spec": {
            "clusterName": "c1",
            "replicas": 3,
            "selector": { "matchLabels": forced },
            "template": { "metadata": { "labels": forced }, "spec": { "clusterName": "c1", "version": "v1.34.2" } },
        },
    });
    Ok(Scenario {
        name: "MachineDeployment, eight keys in two places",
        request: request(json!({ "operation": "CREATE", "username": "alice", "object": object })),
        settings: json!({}),
        cluster: ApiServer::new(vec![class, cluster], Vec::new())?,
        changes: 16,
    })
}

/// A Node that lacks three keys, two of which an expression of the settings selects. The records of labels and annotations
/// change with them.
fn node() -> Result<Scenario> {
    let read = |path: &str| -> Result<Value> {
        Ok(serde_json::from_str(&std::fs::read_to_string(crate::root().join(path))?)?)
    };
    Ok(Scenario {
        name: "Node, three keys added, three expressions",
        request: request(read("verification/benches/node.json")?),
        settings: json!({ "clusterApi": { "node": {
            "additionalLabels": ["^team\\.example\\.com/", "\\.pool$"],
            "additionalAnnotations": ["^note-[a-z]{1,8}$"],
        } } }),
        cluster: ApiServer::new(vec![read("verification/benches/node-machine.json")?, plain_cluster()], Vec::new())?,
        changes: 5,
    })
}

/// A new Machine of a MachineSet whose template has this number of labels.
fn machine(name: &'static str, labels: usize, complete: bool) -> Result<Scenario> {
    let template = numbered(labels);
    let mut own = json!({ "cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/set-name": "ms" });
    if let (true, Some(own)) = (complete, own.as_object_mut()) {
        own.extend(template.clone());
    }
    let machine_set = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet",
        "metadata": { "namespace": "fleet", "name": "ms", "uid": "uid-ms" },
        "spec": { "clusterName": "c1", "template": { "metadata": { "labels": template } } },
    });
    let owner = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineSet", "name": "ms", "uid": "uid-ms", "controller": true,
    });
    let object = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine",
        "metadata": { "namespace": "fleet", "name": "ms-1", "labels": own, "ownerReferences": [owner] },
        "spec": { "clusterName": "c1" },
    });
    Ok(Scenario {
        name,
        request: request(json!({ "operation": "CREATE", "username": "alice", "object": object })),
        settings: json!({}),
        cluster: ApiServer::new(vec![machine_set, plain_cluster()], Vec::new())?,
        changes: if complete { 0 } else { labels },
    })
}

/// A new composite all of whose labels are opted in; labels over the limit of 50 are skipped and logged.
fn composite(name: &'static str, labels: usize) -> Scenario {
    let all = numbered(labels);
    let definition = json!({ "scope": "project", "cloudTagPropagation": true });
    let definitions: Map<String, Value> = all.keys().map(|key| (key.clone(), definition.clone())).collect();
    let object = json!({
        "apiVersion": "blueprints.plexsphere.com/v1alpha1", "kind": "XAWSEC2Instance",
        "metadata": { "namespace": "team-a", "name": "vm-1", "labels": all },
        "spec": { "parameters": { "provider": "aws", "instanceType": "t3.small" } },
    });
    let composites = json!([{
        "apiGroups": ["blueprints.plexsphere.com"], "provider": { "path": "spec.parameters.provider" },
    }]);
    Scenario {
        name,
        request: request(json!({ "operation": "CREATE", "username": "alice", "object": object })),
        settings: json!({ "cloudTags": { "composites": composites, "definitions": definitions } }),
        cluster: ApiServer::default(),
        changes: labels.min(50),
    }
}

/// A Cluster that is not paused.
fn plain_cluster() -> Value {
    json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster",
        "metadata": { "namespace": "fleet", "name": "c1" }, "spec": {},
    })
}

fn numbered(labels: usize) -> Map<String, Value> {
    (0..labels).map(|number| (format!("team.example.com/label-{number:04}"), json!("a-value"))).collect()
}
