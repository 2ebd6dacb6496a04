//! The variable `builtin`.
//!
//! Source: `patches/variables/variables.go` of Cluster API.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::fields::{get, set, set_some, text};

/// Annotations that are not shown to patches.
const HIDDEN: [&str; 2] = ["kubectl.kubernetes.io/last-applied-configuration", "cluster.x-k8s.io/conversion-data"];

/// What is read of the Cluster.
pub(crate) fn cluster(cluster: &Value, namespace: &str) -> Value {
    let topology = get(cluster, &["spec", "topology"]).unwrap_or(&Value::Null);
    let class = ["class", "classRef"].into_iter().find_map(|field| match topology.get(field)? {
        Value::String(name) => Some(name.as_str()),
        reference => Some(text(reference, &["name"])),
    });
    let of = [["classNamespace"].as_slice(), &["classRef", "namespace"]]
        .into_iter()
        .find_map(|path| get(topology, path)?.as_str());
    let (class, of) = (class.unwrap_or_default(), of.unwrap_or(namespace));
    let mut builtin = json!({"cluster": {
        "name": text(cluster, &["metadata", "name"]),
        "namespace": namespace,
        "topology": {"version": version(cluster), "class": class, "classNamespace": of, "classRef": {"name": class, "namespace": of}},
    }});
    set_some(&mut builtin, &["cluster", "uid"], get(cluster, &["metadata", "uid"]));
    metadata(&mut builtin, &["cluster"], cluster);
    // The reconciler sets them on every Cluster with a topology.
    let labels = ["cluster", "metadata", "labels"];
    let name = json!(text(cluster, &["metadata", "name"]));
    set(&mut builtin, &[&labels[..], &["cluster.x-k8s.io/cluster-name"]].concat(), name);
    set(&mut builtin, &[&labels[..], &["topology.cluster.x-k8s.io/owned"]].concat(), json!(""));
    let network = get(cluster, &["spec", "clusterNetwork"]).unwrap_or(&Value::Null);
    set_some(
        &mut builtin,
        &["cluster", "network", "serviceDomain"],
        get(network, &["serviceDomain"]).filter(|it| *it != ""),
    );
    for list in ["services", "pods"] {
        set_some(&mut builtin, &["cluster", "network", list], get(network, &[list, "cidrBlocks"]));
    }
    builtin
}

/// The version of a topology, as the webhook of Clusters stores it.
pub(crate) fn version(cluster: &Value) -> Cow<'_, str> {
    let version = text(cluster, &["spec", "topology", "version"]);
    if version.is_empty() || version.starts_with('v') {
        return Cow::Borrowed(version);
    }
    Cow::Owned(format!("v{version}"))
}

/// What is read of the control plane.
pub(crate) fn control_plane(object: &Value, machines: Option<&Value>) -> Value {
    let mut builtin =
        json!({"name": text(object, &["metadata", "name"]), "version": text(object, &["spec", "version"])});
    set_some(&mut builtin, &["replicas"], get(object, &["spec", "replicas"]));
    metadata(&mut builtin, &[], object);
    let name = machines.and_then(|machines| get(machines, &["metadata", "name"]));
    set_some(&mut builtin, &["machineTemplate", "infrastructureRef", "name"], name);
    builtin
}

/// What is read of a MachineDeployment or MachinePool.
pub(crate) fn workers(object: &Value, entry: &Value, made: &[&Value]) -> Value {
    let mut builtin = json!({
        "version": text(object, &["spec", "template", "spec", "version"]),
        "class": text(entry, &["class"]),
        "name": text(object, &["metadata", "name"]),
        "topologyName": text(entry, &["name"]),
    });
    set_some(&mut builtin, &["replicas"], get(object, &["spec", "replicas"]));
    metadata(&mut builtin, &[], object);
    let name = |number: usize| made.get(number).and_then(|made| get(made, &["metadata", "name"]));
    set_some(&mut builtin, &["bootstrap", "configRef", "name"], name(0));
    set_some(&mut builtin, &["infrastructureRef", "name"], name(1));
    builtin
}

fn metadata(builtin: &mut Value, to: &[&str], object: &Value) {
    for map in ["labels", "annotations"] {
        let Some(Value::Object(entries)) = get(object, &["metadata", map]) else { continue };
        let mut entries = entries.clone();
        entries.retain(|key, _| !HIDDEN.contains(&&**key));
        if !entries.is_empty() {
            set(builtin, &[to, &["metadata", map]].concat(), Value::Object(entries));
        }
    }
}
