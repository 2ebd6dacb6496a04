//! Labels with which kubelets register their Nodes, as their bootstrap configuration says.

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::cluster_api::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP, is_forbidden_to_kubelets};
use serde::Serialize;
use serde_json::Value;
use topology::{DesiredPart, PartRole, TopologyOwner};

use crate::fleet::Fleet;
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::ObjectId;
use crate::relations::{referenced, text};

/// A label of the kubelet's flag `--node-labels`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegisteredLabel {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
    /// The object with the configuration, and the path of the flag in it.
    pub source: String,
    /// Whether the API server's admission plugin NodeRestriction refuses it from a kubelet.
    pub is_forbidden: bool,
}

/// The labels of the kubelets of all Nodes, by the numbers of the Nodes.
pub fn registered_labels(fleet: &Fleet, hierarchy: &Hierarchy) -> BTreeMap<usize, Vec<RegisteredLabel>> {
    let mut made = BTreeMap::new();
    let nodes = hierarchy.members().iter().enumerate().filter(|(_, member)| member.id.kind == "Node");
    let labels = nodes.map(|(number, _)| (number, of_node(fleet, hierarchy, number, &mut made)));
    labels.filter(|(_, labels)| !labels.is_empty()).collect()
}

/// The objects that are made for Clusters.
type MadeParts = BTreeMap<ObjectId, Vec<DesiredPart>>;

/// The labels of the nearest configuration: of the Machine itself, of what made it, or of what its topology makes.
fn of_node(fleet: &Fleet, hierarchy: &Hierarchy, number: usize, made: &mut MadeParts) -> Vec<RegisteredLabel> {
    let mut line: Vec<&Member> = Vec::new();
    let mut next = hierarchy.member(number).and_then(|node| node.parent);
    while let Some(member) = next.and_then(|number| hierarchy.member(number)) {
        line.push(member);
        next = member.parent;
    }
    for member in &line {
        let own = member.children.iter().filter_map(|child| hierarchy.member(*child));
        let config = own
            .filter(|child| {
                child.origin.is_some() && child.id.group == BOOTSTRAP_GROUP && child.id.kind == "KubeadmConfig"
            })
            .find(|_| member.id.kind == "Machine");
        let found = match (&*member.id.group, &*member.id.kind) {
            _ if let Some(config) = config => labels(&config.written.once(), "spec", &config.id.to_string()),
            (CONTROL_PLANE_GROUP, "KubeadmControlPlane") if member.origin.is_some() => {
                labels(&member.written.once(), "spec.kubeadmConfigSpec", &member.id.to_string())
            }
            (CORE_GROUP, "MachineDeployment" | "MachineSet" | "MachinePool") => of_template(fleet, member),
            (CORE_GROUP, "Cluster") => of_topology(fleet, (member, &line), made),
            _ => BTreeSet::new(),
        };
        if !found.is_empty() {
            return found.into_iter().collect();
        }
    }
    Vec::new()
}

/// Those of the template that an object names.
fn of_template(fleet: &Fleet, member: &Member) -> BTreeSet<RegisteredLabel> {
    let written = member.written.once();
    let Some(reference) = written.pointer("/spec/template/spec/bootstrap/configRef") else { return BTreeSet::new() };
    let id = referenced(reference, &member.id.namespace);
    let template = fleet.find(&id).filter(|_| id.kind == "KubeadmConfigTemplate");
    template.map(|template| labels(&template.value(), "spec.template.spec", &id.to_string())).unwrap_or_default()
}

/// Those of what a topology makes: patches are applied.
fn of_topology(
    fleet: &Fleet,
    (cluster, line): (&Member, &[&Member]),
    made: &mut MadeParts,
) -> BTreeSet<RegisteredLabel> {
    let parts = made.entry(cluster.id.clone()).or_insert_with(|| match fleet.made(&cluster.id) {
        Some(Ok(made)) => made.parts,
        _ => Vec::new(),
    });
    let entries: Vec<(&str, &str)> =
        line.iter().flat_map(|member| &member.topology_entries).map(|(list, name)| (*list, &**name)).collect();
    let is_control_plane = line.iter().any(|member| member.id.is_control_plane());
    let is_meant = |part: &&DesiredPart| match part.role {
        PartRole::BootstrapTemplate => part.owner.entry().is_some_and(|entry| entries.contains(&entry)),
        PartRole::ControlPlane => is_control_plane && part.owner == TopologyOwner::ControlPlane,
        _ => false,
    };
    let of_part = |part: &DesiredPart| {
        let kind = text(&part.object, "kind");
        let at = match kind {
            "KubeadmControlPlane" => "spec.kubeadmConfigSpec",
            "KubeadmConfigTemplate" => "spec.template.spec",
            _ => return BTreeSet::new(),
        };
        labels(&part.object, at, &format!("{kind} of {}", cluster.id))
    };
    parts.iter().filter(is_meant).flat_map(of_part).collect()
}

/// The labels in a configuration of kubeadm: a map of flags in v1beta1, a list of names and values in v1beta2.
fn labels(object: &Value, at: &str, title: &str) -> BTreeSet<RegisteredLabel> {
    const FLAG: &str = "node-labels";
    let config = object.pointer(&format!("/{}", at.replace('.', "/"))).unwrap_or(&Value::Null);
    let mut found = BTreeSet::new();
    // A first Machine and one that joins have the same labels in most configurations.
    for section in ["joinConfiguration", "initConfiguration"] {
        let arguments = config.pointer(&format!("/{section}/nodeRegistration/kubeletExtraArgs"));
        let value = match arguments {
            Some(Value::Array(arguments)) => {
                arguments.iter().rev().find(|argument| text(argument, "name") == FLAG).map(|it| text(it, "value"))
            }
            Some(arguments) => Some(text(arguments, FLAG)),
            None => None,
        };
        let source = format!("{title} ({at}.{section}.nodeRegistration.kubeletExtraArgs)");
        for (key, value) in value.unwrap_or_default().split(',').filter_map(|entry| entry.split_once('=')) {
            let key = key.trim().to_owned();
            let is_known = found.iter().any(|known: &RegisteredLabel| known.key == key && known.value == value.trim());
            if !is_known {
                let is_forbidden = is_forbidden_to_kubelets(&key);
                let (value, source) = (value.trim().to_owned(), source.clone());
                found.insert(RegisteredLabel { key, value, source, is_forbidden });
            }
        }
    }
    found
}
