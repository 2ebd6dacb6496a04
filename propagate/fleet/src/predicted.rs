//! The objects that controllers create from another one, if there are none: as minimal as the rules allow.

use metadata_propagation::cluster_api::{
    BOOTSTRAP_GROUP, CLUSTER_NAME, CONTROL_PLANE_GROUP, CORE_GROUP, NODE_CLUSTER_NAMESPACE, NODE_MACHINE,
    TOPOLOGY_OWNED,
};
use serde_json::{Value, json};
use topology::{WORKERS, WorkersKind};

use crate::member::{Member, SUFFIX};
use crate::object::{FleetObject, ObjectId, Origin};
use crate::relations::text;
use crate::workers::{Worker, workers};

/// An object that others are created from.
pub(crate) struct Maker<'a> {
    pub(crate) id: &'a ObjectId,
    pub(crate) version: &'a str,
    pub(crate) object: &'a Value,
    /// The class of a Cluster.
    pub(crate) class: Option<&'a Value>,
    /// The name of the Cluster above it; empty if there is none.
    pub(crate) cluster: &'a str,
    /// The objects that are created from it and exist.
    pub(crate) children: &'a [&'a Member],
    /// The objects in its namespace, which include templates.
    pub(crate) find: &'a dyn Fn(&ObjectId) -> Option<&'a Value>,
}

/// A kind of control plane with Machines.
struct ControlPlaneKind {
    kind: &'static str,
    /// The bootstrap configuration that it creates for a Machine: no template has a reference to one.
    bootstrap: &'static str,
    /// The version of that, if it is not the control plane's.
    bootstrap_version: Option<&'static str>,
    /// The reference to the template of the infrastructure, if it is not where the contract has it.
    infrastructure: Option<&'static str>,
}

/// The providers' kinds.
///
/// Source: the types of each control plane, and where it creates a Machine: cluster-api v1.14 controlplane/kubeadm,
/// cluster-api-provider-rke2 v0.25, cluster-api-k3s v0.3.1, k0smotron v2.1, cluster-api-k8s 212a208,
/// cluster-api-control-plane-provider-talos 97b33e7, kairos-capi 0abbf74,
/// cluster-api-provider-openshift-assisted 24cdcec.
const CONTROL_PLANES: &[ControlPlaneKind] = &[
    plane("KubeadmControlPlane", "KubeadmConfig"),
    plane("RKE2ControlPlane", "RKE2Config"),
    plane("KThreesControlPlane", "KThreesConfig"),
    plane("K0sControlPlane", "K0sControllerConfig"),
    plane("CK8sControlPlane", "CK8sConfig").naming("/spec/machineTemplate/infrastructureTemplate"),
    plane("TalosControlPlane", "TalosConfig").naming("/spec/infrastructureTemplate"),
    plane("KairosControlPlane", "KairosConfig"),
    plane("OpenshiftAssistedControlPlane", "OpenshiftAssistedConfig").configured_in("v1alpha2"),
];

const fn plane(kind: &'static str, bootstrap: &'static str) -> ControlPlaneKind {
    ControlPlaneKind { kind, bootstrap, bootstrap_version: None, infrastructure: None }
}

impl ControlPlaneKind {
    const fn naming(self, infrastructure: &'static str) -> ControlPlaneKind {
        ControlPlaneKind { infrastructure: Some(infrastructure), ..self }
    }

    const fn configured_in(self, version: &'static str) -> ControlPlaneKind {
        ControlPlaneKind { bootstrap_version: Some(version), ..self }
    }
}

/// Whether controllers create other objects from those of a kind.
pub(crate) fn makes_others(id: &ObjectId) -> bool {
    match &*id.group {
        CORE_GROUP => matches!(&*id.kind, "Cluster" | "MachineDeployment" | "MachineSet" | "Machine"),
        _ => id.has_machines(),
    }
}

/// The objects that would be created from an object in addition to existing ones.
pub(crate) fn predicted(above: &Maker<'_>) -> Vec<FleetObject> {
    match (&*above.id.group, &*above.id.kind) {
        (CORE_GROUP, "Cluster") => topology(above),
        (CORE_GROUP, "MachineDeployment") => above.one("MachineSet", above.machine("/spec/template/spec")),
        (CORE_GROUP, "MachineSet") => above.one("Machine", above.machine("/spec/template/spec")),
        (CORE_GROUP, "Machine") => machine_parts(above),
        (CONTROL_PLANE_GROUP, kind) if !kind.ends_with("Template") => match control_plane_machine(above, kind) {
            Some(machine) => above.one("Machine", machine),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// What a control plane creates its Machines from; `None` if it has none, as a hosted or managed one.
///
/// Source: Cluster API's book, Contract rules for ControlPlane, "ControlPlane: machines".
fn control_plane_machine(plane: &Maker<'_>, kind: &str) -> Option<Value> {
    let row = CONTROL_PLANES.iter().find(|row| row.kind == kind);
    let own = row.and_then(|row| plane.object.pointer(row.infrastructure?));
    let template = plane.object.pointer("/spec/machineTemplate");
    if template.is_none() && own.is_none() && kind != "KubeadmControlPlane" {
        return None;
    }
    let template = template.map(|template| template.get("spec").unwrap_or(template));
    let infrastructure = own.or_else(|| template?.get("infrastructureRef"));
    let bootstrap = row.map(|row| {
        let version = row.bootstrap_version.unwrap_or(plane.version);
        json!({ "configRef": { "apiVersion": format!("{BOOTSTRAP_GROUP}/{version}"), "kind": row.bootstrap } })
    });
    Some(json!({ "infrastructureRef": infrastructure, "bootstrap": bootstrap }))
}

impl Maker<'_> {
    /// One object of a kind that is created from this one, if there is none, together with what Machines are created
    /// from.
    fn one(&self, kind: &str, machine: Value) -> Vec<FleetObject> {
        if self.children.iter().any(|child| child.id.kind == kind) {
            return Vec::new();
        }
        let references = json!({
            "clusterName": self.cluster_name(),
            "infrastructureRef": machine.get("infrastructureRef"),
            "bootstrap": machine.get("bootstrap"),
        });
        let spec = match kind {
            "Machine" => references,
            _ => json!({ "clusterName": self.cluster_name(), "template": { "spec": references } }),
        };
        let name = format!("{}-{SUFFIX}", self.id.name.trim_end_matches(&format!("-{SUFFIX}")));
        vec![self.object(CORE_GROUP, self.version, kind, &name, json!({}), spec)]
    }

    /// The template that a reference names, if it is in the files.
    fn template(&self, reference: Option<&Value>, group: &str) -> Option<&Value> {
        let reference = reference?;
        let (kind, name) = (text(reference, "kind"), text(reference, "name"));
        (self.find)(&ObjectId::new(group, kind, &self.id.namespace, name))
    }

    /// What Machines are created from.
    fn machine(&self, at: &str) -> Value {
        self.object.pointer(at).cloned().unwrap_or_default()
    }

    fn cluster_name(&self) -> &str {
        let spec = self.object.pointer("/spec/clusterName").and_then(Value::as_str);
        let labels = self.object.pointer("/metadata/labels");
        let label = || labels?.get(CLUSTER_NAME)?.as_str();
        spec.or_else(label).unwrap_or(self.cluster)
    }

    /// An object that this one controls.
    fn object(&self, group: &str, version: &str, kind: &str, name: &str, labels: Value, spec: Value) -> FleetObject {
        let owner = json!({
            "apiVersion": format!("{}/{}", self.id.group, self.version),
            "kind": self.id.kind,
            "name": self.id.name,
            "uid": self.object.pointer("/metadata/uid"),
            "controller": true,
        });
        let json = json!({
            "apiVersion": format!("{group}/{version}"),
            "kind": kind,
            "metadata": { "name": name, "namespace": self.id.namespace, "labels": labels, "ownerReferences": [owner] },
            "spec": spec,
        });
        object(group, version, kind, &self.id.namespace, name, &json)
    }
}

/// The control plane, MachineDeployments and MachinePools of a Cluster's topology.
fn topology(cluster: &Maker<'_>) -> Vec<FleetObject> {
    let Some(topology) = cluster.object.pointer("/spec/topology") else { return Vec::new() };
    let name = &cluster.id.name;
    let labels = |label: Option<(&str, &str)>| {
        let mut labels = json!({ (TOPOLOGY_OWNED): "", (CLUSTER_NAME): name });
        if let (Some((key, value)), Some(labels)) = (label, labels.as_object_mut()) {
            labels.insert(key.to_owned(), json!(value));
        }
        labels
    };
    let class = |path: &str| cluster.class.and_then(|class| class.pointer(path));
    let mut made = Vec::new();
    let template = class("/spec/controlPlane/templateRef").or_else(|| class("/spec/controlPlane/ref"));
    if let Some((group, version, kind)) = template.and_then(|template| made_from(template, cluster.version))
        && !cluster.children.iter().any(|child| child.id.group == group)
    {
        let infrastructure = class("/spec/controlPlane/machineInfrastructure");
        let infrastructure =
            infrastructure.and_then(|it| it.get("templateRef").or_else(|| it.get("ref"))).cloned().unwrap_or_default();
        let machine = match &*version {
            "v1beta1" => json!({ "infrastructureRef": infrastructure }),
            _ => json!({ "spec": { "infrastructureRef": infrastructure } }),
        };
        let spec = json!({ "replicas": topology.pointer("/controlPlane/replicas"), "machineTemplate": machine });
        made.push(cluster.object(&group, &version, &kind, &format!("{name}-{SUFFIX}"), labels(None), spec));
    }
    for WorkersKind { list, kind, label, .. } in WORKERS {
        let classes: Vec<Worker<'_>> = cluster.class.into_iter().flat_map(|class| workers(class, list)).collect();
        for entry in workers(cluster.object, list) {
            let is_there = cluster.children.iter().any(|child| {
                let labels = child.written.pointer("/metadata/labels");
                child.id.kind == kind && labels.and_then(|labels| labels.get(label)) == entry.value.get("name")
            });
            if is_there {
                continue;
            }
            let class = classes.iter().find(|class| class.name == entry.class()).map(|class| class.value);
            // Below `template` in v1beta1.
            let of_class = |part: &str| {
                let part = class?.get(part).or_else(|| class?.pointer(&format!("/template/{part}")))?;
                part.get("templateRef").or_else(|| part.get("ref"))
            };
            let machine = json!({
                "clusterName": name,
                "infrastructureRef": of_class("infrastructure"),
                "bootstrap": { "configRef": of_class("bootstrap") },
            });
            let replicas = entry.value.get("replicas");
            let spec = json!({ "clusterName": name, "replicas": replicas, "template": { "spec": machine } });
            let labels = labels(Some((label, entry.name)));
            let object_name = format!("{name}-{}-{SUFFIX}", entry.name);
            made.push(cluster.object(CORE_GROUP, cluster.version, kind, &object_name, labels, spec));
        }
    }
    made
}

/// Infrastructure, bootstrap configuration and Node of a Machine.
fn machine_parts(machine: &Maker<'_>) -> Vec<FleetObject> {
    let mut made = Vec::new();
    let is_there = |group: &str| machine.children.iter().any(|child| child.id.group == group);
    for path in ["/spec/infrastructureRef", "/spec/bootstrap/configRef"] {
        let reference = machine.object.pointer(path);
        if let Some((group, version, kind)) = reference.and_then(|reference| made_from(reference, machine.version))
            && !is_there(&group)
        {
            let mut object = machine.object(&group, &version, &kind, &machine.id.name, json!({}), json!({}));
            if let Some(metadata) =
                machine.template(reference, &group).and_then(|it| it.pointer("/spec/template/metadata"))
            {
                add_metadata(&mut object, metadata);
            }
            made.push(object);
        }
    }
    if !is_there("") {
        let name = machine.object.pointer("/status/nodeRef/name").and_then(Value::as_str).unwrap_or(&machine.id.name);
        let json = json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": { "name": name, "annotations": {
                (CLUSTER_NAME): machine.cluster_name(),
                (NODE_CLUSTER_NAMESPACE): machine.id.namespace,
                (NODE_MACHINE): machine.id.name,
            } },
        });
        let mut node = object("", "v1", "Node", "", name, &json);
        node.id.cluster = format!("{}/{}", machine.id.namespace, machine.cluster_name());
        made.push(node);
    }
    made
}

/// Adds the labels and annotations of a template to the object created from it.
///
/// Source: Cluster API, controllers/external/util.go, `GenerateTemplate`.
fn add_metadata(object: &mut FleetObject, metadata: &Value) {
    let mut json = object.value();
    for map in ["labels", "annotations"] {
        if let (Some(of_template), Some(made)) =
            (metadata.get(map), json.get_mut("metadata").and_then(Value::as_object_mut))
        {
            made.insert(map.to_owned(), of_template.clone());
        }
    }
    object.json = json.to_string().into();
}

/// Group, version and kind of an object created from a template, or of a referenced object.
fn made_from(reference: &Value, version: &str) -> Option<(String, String, String)> {
    let kind = Some(text(reference, "kind")).filter(|kind| !kind.is_empty())?;
    let kind = kind.strip_suffix("Template").unwrap_or(kind).to_owned();
    let (group, of_reference) = match text(reference, "apiGroup") {
        "" => text(reference, "apiVersion").split_once('/')?,
        group => (group, version),
    };
    Some((group.to_owned(), of_reference.to_owned(), kind))
}

fn object(group: &str, version: &str, kind: &str, namespace: &str, name: &str, json: &Value) -> FleetObject {
    FleetObject {
        id: ObjectId::new(group, kind, namespace, name),
        version: version.to_owned(),
        json: json.to_string().into(),
        origin: Origin { source: 0, document: 0..0, item: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The infrastructure and bootstrap configuration of the Machine that a control plane of a kind creates.
    fn parts(kind: &str, version: &str, spec: Value) -> Option<(Value, Value)> {
        let id = ObjectId::new(CONTROL_PLANE_GROUP, kind, "fleet", "cp");
        let (object, find) = (json!({ "spec": spec }), |_: &ObjectId| None);
        let maker = Maker { id: &id, version, object: &object, class: None, cluster: "c1", children: &[], find: &find };
        let machine: Value = serde_json::from_str(&predicted(&maker).first()?.json).unwrap();
        let at = |path: &str| machine.pointer(path).cloned().unwrap_or_default();
        Some((at("/spec/infrastructureRef/name"), at("/spec/bootstrap/configRef")))
    }

    #[test]
    fn each_provider_names_its_templates_in_its_own_place() {
        let template = json!({ "name": "machines" });
        let of_contract = json!({ "machineTemplate": { "infrastructureRef": template } });
        for (kind, version, spec, bootstrap) in [
            ("KubeadmControlPlane", "v1beta1", of_contract.clone(), "v1beta1/KubeadmConfig"),
            (
                "KubeadmControlPlane",
                "v1beta2",
                json!({ "machineTemplate": { "spec": { "infrastructureRef": template } } }),
                "v1beta2/KubeadmConfig",
            ),
            ("RKE2ControlPlane", "v1beta1", of_contract.clone(), "v1beta1/RKE2Config"),
            ("KThreesControlPlane", "v1beta2", of_contract.clone(), "v1beta2/KThreesConfig"),
            ("K0sControlPlane", "v1beta1", of_contract.clone(), "v1beta1/K0sControllerConfig"),
            (
                "CK8sControlPlane",
                "v1beta2",
                json!({ "machineTemplate": { "infrastructureTemplate": template } }),
                "v1beta2/CK8sConfig",
            ),
            ("TalosControlPlane", "v1alpha3", json!({ "infrastructureTemplate": template }), "v1alpha3/TalosConfig"),
            ("KairosControlPlane", "v1beta2", of_contract.clone(), "v1beta2/KairosConfig"),
            ("OpenshiftAssistedControlPlane", "v1alpha3", of_contract.clone(), "v1alpha2/OpenshiftAssistedConfig"),
        ] {
            let (version_of_bootstrap, config) = bootstrap.split_once('/').unwrap();
            let api_version = format!("{BOOTSTRAP_GROUP}/{version_of_bootstrap}");
            let expected = (json!("machines"), json!({ "apiVersion": api_version, "kind": config }));
            assert_eq!(parts(kind, version, spec), Some(expected), "{kind} {version}");
        }
    }

    #[test]
    fn a_hosted_control_plane_has_no_machines() {
        for kind in ["KamajiControlPlane", "K0smotronControlPlane", "AWSManagedControlPlane"] {
            assert_eq!(parts(kind, "v1beta2", json!({ "version": "v1.34.0" })), None, "{kind}");
        }
    }
}
