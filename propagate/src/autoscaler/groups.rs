//! The node groups that may be scaled from zero.

use std::collections::BTreeMap;

use fleet::{Hierarchy, Member, meant_annotation};
use metadata_propagation::Settings;
use serde_json::Value;

use super::bootstrap::{registered, taints};
use super::keys::{CAPACITY, MAX_SIZE, MIN_SIZE, Taint};
use super::templates::Templates;

/// A MachineDeployment, MachineSet or MachinePool that cluster-autoscaler scales.
pub(crate) struct NodeGroup<'w> {
    pub(crate) member: &'w Member,
    /// The object as it is stored after the rules have completed it.
    pub(crate) object: Value,
    pub(crate) annotations: BTreeMap<String, String>,
    /// What its Nodes get, or why that is not known.
    pub(crate) nodes: Result<Nodes, String>,
    /// Whether the template declares the capacity of Nodes; `None` if the template is missing.
    pub(crate) has_capacity: Option<bool>,
}

/// Labels and taints of Nodes, each with what sets it.
#[derive(Default)]
pub(crate) struct Nodes {
    pub(crate) labels: BTreeMap<String, (String, SetBy)>,
    pub(crate) taints: Vec<(Taint, SetBy)>,
    /// Whether everything that kubelets set is known.
    pub(crate) is_whole: bool,
}

/// What sets a label or taint of Nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetBy {
    /// Cluster API, by its rules.
    Rules,
    /// The kubelet, by the bootstrap template.
    Kubelet,
}

/// The node groups with a minimum size of zero, or with annotations for scaling from zero.
pub(crate) fn groups<'w>(hierarchy: &'w Hierarchy, settings: &Settings) -> Vec<NodeGroup<'w>> {
    let templates = Templates::of(hierarchy);
    let members = hierarchy.members().iter().enumerate();
    members.filter_map(|(number, member)| group((hierarchy, &templates), number, member, settings)).collect()
}

fn group<'w>(
    (hierarchy, templates): (&'w Hierarchy, &Templates<'w>),
    number: usize,
    member: &'w Member,
    settings: &Settings,
) -> Option<NodeGroup<'w>> {
    let is_kind = ["MachineDeployment", "MachineSet", "MachinePool"].contains(&&*member.id.kind);
    if !is_kind || member.id.group != "cluster.x-k8s.io" {
        return None;
    }
    let object = member.completed();
    let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array).into_iter().flatten();
    // The autoscaler scales the MachineDeployment of a MachineSet instead.
    if member.id.kind == "MachineSet"
        && owners.into_iter().any(|owner| owner.get("kind").is_some_and(|kind| kind == "MachineDeployment"))
    {
        return None;
    }
    let annotations = object.pointer("/metadata/annotations").and_then(Value::as_object).into_iter().flatten();
    let annotations: BTreeMap<String, String> =
        annotations.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
    let is_scaled = annotations.contains_key(MIN_SIZE) || annotations.contains_key(MAX_SIZE);
    let is_from_zero = annotations.get(MIN_SIZE).is_none_or(|size| size.parse::<i64>().map_or(true, |size| size <= 0));
    let is_read = |key: &str| key.starts_with(CAPACITY) || [MIN_SIZE, MAX_SIZE].contains(&key);
    let has_annotations = annotations
        .keys()
        .any(|key| key.starts_with(CAPACITY) || meant_annotation(key).is_some_and(|meant| is_read(&meant)));
    if !(is_scaled && is_from_zero || has_annotations) {
        return None;
    }
    let nodes = nodes((hierarchy, templates), number, &object, settings);
    let has_capacity = has_capacity(templates, member, &object);
    Some(NodeGroup { member, object, annotations, nodes, has_capacity })
}

/// What the rules set on the Nodes of a group, and what their kubelets set.
fn nodes(
    (hierarchy, templates): (&Hierarchy, &Templates<'_>),
    number: usize,
    object: &Value,
    settings: &Settings,
) -> Result<Nodes, String> {
    let below = below(hierarchy, number);
    let (machine, node) = (first(hierarchy, &below, "Machine"), first(hierarchy, &below, "Node"));
    let unknown = node.and_then(|(number, _)| hierarchy.unknown(number)).or_else(|| hierarchy.unknown(number));
    if let Some((of, reason)) = unknown {
        return Err(format!("{}: {reason}", of.id));
    }
    let Some((_, node)) = node else { return Err("none of its Machines is among the objects".to_owned()) };
    let mut nodes = Nodes::default();
    if let Some(registered) = hierarchy.member(number).and_then(|member| registered(templates, member, object)) {
        nodes.is_whole = true;
        nodes.labels = registered.labels.into_iter().map(|(key, value)| (key, (value, SetBy::Kubelet))).collect();
        nodes.taints = registered.taints.into_iter().map(|taint| (taint, SetBy::Kubelet)).collect();
    }
    let completed = node.completed();
    for entry in node.carried.iter().filter(|entry| entry.at == "metadata.labels") {
        let value = completed.pointer("/metadata/labels").and_then(|labels| labels.get(&entry.key)?.as_str());
        nodes.labels.insert(entry.key.clone(), (value.unwrap_or_default().to_owned(), SetBy::Rules));
    }
    if settings.cluster_api.taints
        && let Some((_, machine)) = machine
    {
        for taint in taints(machine.completed().pointer("/spec/taints")) {
            nodes.taints.retain(|(known, _)| !known.is_same(&taint));
            nodes.taints.push((taint, SetBy::Rules));
        }
    }
    Ok(nodes)
}

/// The numbers of everything that is created from an object.
fn below(hierarchy: &Hierarchy, number: usize) -> Vec<usize> {
    let children = hierarchy.member(number).map_or(&[][..], |member| &member.children);
    children.iter().flat_map(|child| std::iter::once(*child).chain(below(hierarchy, *child))).collect()
}

fn first<'w>(hierarchy: &'w Hierarchy, numbers: &[usize], kind: &str) -> Option<(usize, &'w Member)> {
    let members = numbers.iter().filter_map(|number| Some((*number, hierarchy.member(*number)?)));
    members.into_iter().find(|(_, member)| member.id.kind == kind)
}

/// Whether the infrastructure template has CPU and memory in its status.
fn has_capacity(templates: &Templates<'_>, group: &Member, object: &Value) -> Option<bool> {
    let template = templates.at(group, object, "/spec/template/spec/infrastructureRef")?.completed();
    let capacity = template.pointer("/status/capacity");
    Some(["cpu", "memory"].iter().all(|name| capacity.is_some_and(|capacity| capacity.get(name).is_some())))
}
