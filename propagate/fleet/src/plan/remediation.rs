//! Edits that have Machines replaced although they change nothing that Machines are made from: an annotation asks for it, or the
//! owner of a Machine no longer selects it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use metadata_propagation::Effect;
use metadata_propagation::cluster_api::{CLUSTER_NAME, CORE_GROUP};
use serde_json::{Map, Value};

use super::class::Judged;
use super::impact::Sides;
use super::machines::Machines;
use super::path::{EditPath, EditPlace};
use super::{PlannedEdit, reason};
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::ObjectId;
use crate::refusal::are_selected;

/// Source: `needsRemediation` in core/reconcilers/machinehealthcheck/machinehealthcheck_targets.go of Cluster API v1.14.
const REMEDIATE: &str = "cluster.x-k8s.io/remediate-machine";

/// Whether annotations that propagate to Machines ask for their remediation from now on.
pub(super) fn is_asked(at: &EditPath, values: [&Value; 2]) -> bool {
    let [was, is] = values.map(|object| at.value(object).is_some_and(asks));
    at.place == EditPlace::Map && at.is_in_spec() && is && !was
}

/// The same of a field of an object that a topology's controller writes.
pub(super) fn is_written(steps: &[String], value: Option<&Value>) -> bool {
    let is_map = |steps: &[String]| steps.last().is_some_and(|step| step == "annotations");
    match steps.split_last() {
        _ if steps.first().is_none_or(|step| step != "spec") => false,
        Some((key, above)) if is_map(above) => key == REMEDIATE && value.is_some(),
        _ => is_map(steps) && value.is_some_and(asks),
    }
}

fn asks(annotations: &Value) -> bool {
    annotations.get(REMEDIATE).is_some()
}

/// What becomes of Machines with the annotation: those that a MachineHealthCheck among the objects selects are replaced.
pub(super) fn effect(machines: &Machines, side: &Hierarchy) -> Judged {
    let checks = side.members().iter().filter(|member| member.id.kind == "MachineHealthCheck").collect::<Vec<_>>();
    let is_checked = |machine: &Member| checks.iter().any(|check| remediates(check, machine));
    let of_owner = |owner: &ObjectId| {
        let below = side.number(owner).into_iter().flat_map(|number| side.downwards(number));
        let mut machines = below.filter(|member| member.id.kind == "Machine").peekable();
        machines.peek().is_some() && machines.all(is_checked)
    };
    let are_named_checked = machines.named.iter().all(|id| side.find(id).is_some_and(is_checked));
    match !machines.is_empty()
        && are_named_checked
        && machines.predicted.keys().chain(&machines.uncounted).all(of_owner)
    {
        true => (Effect::Rollout, None),
        false => (Effect::CannotTell, Some(reason::REMEDIATED)),
    }
}

/// Whether a health check has a Machine replaced by its owner, however many others are unhealthy.
fn remediates(check: &Member, machine: &Member) -> bool {
    const OTHERWISE: [&str; 5] = [
        "/spec/remediation/triggerIf",
        "/spec/remediation/templateRef",
        "/spec/maxUnhealthy",
        "/spec/unhealthyRange",
        "/spec/remediationTemplate",
    ];
    let object = machine.completed();
    let is_of_cluster = check.written.pointer("/spec/clusterName") == object.pointer("/spec/clusterName");
    let selector = check.written.pointer("/spec/selector").unwrap_or(&Value::Null);
    check.id.namespace == machine.id.namespace
        && is_of_cluster
        && are_selected(&labels(&object), selector)
        && OTHERWISE.iter().all(|pointer| check.written.pointer(pointer).is_none())
}

fn labels(object: &Value) -> Map<String, Value> {
    object.pointer("/metadata/labels").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The edits of a Machine that have it replaced.
pub(super) fn of_machine(id: &ObjectId, [was, is]: [&Value; 2], sides: Sides<'_>) -> Vec<PlannedEdit> {
    if id.group != CORE_GROUP || id.kind != "Machine" {
        return Vec::new();
    }
    let machines = Machines { named: BTreeSet::from([id.clone()]), ..Machines::default() };
    let asks = |object: &Value| object.pointer("/metadata/annotations").is_some_and(asks);
    let asked = (asks(is) && !asks(was)).then(|| ("metadata.annotations", effect(&machines, sides.after)));
    let orphaned = is_orphaned(id, [was, is], sides.before).then_some(("metadata.labels", (Effect::Destructive, None)));
    let edit = |(at, (effect, reason)): (&str, Judged)| PlannedEdit {
        machines: machines.clone(),
        ..PlannedEdit::new(EditPath::parse(at), effect, reason.map(Cow::Borrowed))
    };
    asked.into_iter().chain(orphaned).map(edit).collect()
}

/// What another selector of an owner does to Machines with the labels of its template: those that it selects stay.
///
/// Sources, in Cluster API v1.14: `getAndAdoptMachineSetsForDeployment` in
/// core/reconcilers/machinedeployment/machinedeployment_controller.go, which keeps the MachineSets of which it is the controller;
/// `LabelSelectorAsMap`, without which neither that controller nor the one of MachineSets does anything.
pub(super) fn of_selector(id: &ObjectId, at: &EditPath, [was, is]: [&Value; 2]) -> Option<Judged> {
    let own = match &*id.kind {
        "MachineDeployment" => "cluster.x-k8s.io/deployment-name",
        "MachineSet" => "cluster.x-k8s.io/set-name",
        _ => return None,
    };
    let is_selector = id.group == CORE_GROUP && at.path().fields().take(2).eq(["spec", "selector"]);
    let selector = is.pointer("/spec/selector").filter(|_| is_selector)?;
    let is_single = |it: &Value| {
        it.get("operator").is_some_and(|operator| operator == "In")
            && it.get("values").and_then(Value::as_array).is_some_and(|values| values.len() == 1)
    };
    let mut expressions = selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten();
    if !expressions.all(is_single) {
        return Some((Effect::CannotTell, Some(reason::SELECTOR)));
    }
    let template = was.pointer("/spec/template").unwrap_or(&Value::Null);
    let mut labels = labels(template);
    labels.insert(own.to_owned(), id.name.clone().into());
    labels.insert(CLUSTER_NAME.to_owned(), was.pointer("/spec/clusterName").cloned().unwrap_or_default());
    are_selected(&labels, selector).then_some((Effect::InPlace, None))
}

/// Whether its owner selected a Machine by its labels, and no longer does: it creates another one.
///
/// Sources: `getAndAdoptMachinesForMachineSet` in core/reconcilers/machineset/machineset_controller.go and
/// `ControlPlaneSelectorForCluster` in util/collections/machine_filters.go of Cluster API v1.14.
fn is_orphaned(id: &ObjectId, [was, is]: [&Value; 2], before: &Hierarchy) -> bool {
    let Some(owner) = before.find(id).and_then(|machine| before.member(machine.parent?)) else { return false };
    let cluster = was.pointer("/spec/clusterName");
    let is_selected = |object: &Value| {
        let labels = labels(object);
        match &*owner.id.kind {
            "MachineSet" => are_selected(&labels, owner.written.pointer("/spec/selector").unwrap_or(&Value::Null)),
            "KubeadmControlPlane" => {
                labels.contains_key("cluster.x-k8s.io/control-plane") && labels.get(CLUSTER_NAME) == cluster
            }
            _ => true,
        }
    };
    is_selected(was) && !is_selected(is)
}

#[cfg(test)]
mod tests {
    use metadata_propagation::Settings;

    use super::*;
    use crate::fleet::Fleet;
    use crate::plan::Plan;
    use crate::source::Source;

    const FLEET: &str = "
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c, namespace: f}, spec: {controlPlaneEndpoint: {host: h, port: 6443}}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: d, namespace: f}, spec: {clusterName: c, replicas: 3, template: {metadata: {annotations: {OF_TEMPLATE: '1'}}, spec: {clusterName: c}}}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, metadata: {name: s, namespace: f}, spec: {clusterName: c, selector: {matchLabels: {pool: a}}, template: {metadata: {labels: {pool: a}}, spec: {clusterName: c}}}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m, namespace: f, labels: {pool: POOL}, annotations: {OF_MACHINE: '1'}, ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: s, controller: true}]}, spec: {clusterName: c}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineHealthCheck, metadata: {name: h, namespace: f}, spec: {clusterName: CHECKED, selector: {matchLabels: {pool: a}}}}
---
{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, metadata: {name: p, namespace: f}, spec: {replicas: 1, machineTemplate: {spec: {infrastructureRef: {kind: DevMachineTemplate, name: t}}}}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: q, namespace: f, labels: {CONTROL_PLANE: '', cluster.x-k8s.io/cluster-name: c}, ownerReferences: [{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, name: p, controller: true}]}, spec: {clusterName: c}}
";

    /// What an edit of these objects does: its effects, and how many Machines are replaced and orphaned.
    fn of(from: &str, to: &str) -> (Vec<(String, Effect)>, [u64; 2]) {
        let plain = |text: String| {
            let names = [("OF_TEMPLATE", "a"), ("OF_MACHINE", "b"), ("POOL", "a"), ("CHECKED", "c")];
            let text = names.iter().fold(text, |text, (from, to)| text.replace(from, to));
            let text = text.replace("CONTROL_PLANE", "cluster.x-k8s.io/control-plane");
            Fleet::read(vec![Source { name: "fleet.yaml".to_owned(), text }])
        };
        assert!(FLEET.contains(from), "{from}");
        // A health check of another Cluster is no difference.
        let (old, new) = match from {
            "OF_MACHINE" if to.ends_with("other") => {
                let text = FLEET.replace("CHECKED", "other");
                (text.clone(), text.replace(from, REMEDIATE))
            }
            _ => (FLEET.to_owned(), FLEET.replace(from, to)),
        };
        let plan = Plan::of(&plain(old), &plain(new), &Settings::default());
        let edits = plan.objects.iter().flat_map(|object| &object.edits);
        let edits = edits.map(|edit| (edit.at.to_string(), edit.effect));
        (edits.collect(), [plan.verdict.replaces, plan.verdict.orphans])
    }

    #[test]
    fn machines_are_replaced_that_nothing_is_changed_in() {
        for (from, to, at, effect, machines) in [
            ("OF_MACHINE", REMEDIATE, "metadata.annotations", Effect::Rollout, [1, 0]),
            ("OF_MACHINE", "other", "metadata.annotations", Effect::CannotTell, [0, 0]),
            ("OF_TEMPLATE", REMEDIATE, "spec.template.metadata.annotations", Effect::CannotTell, [0, 0]),
            ("POOL", "b", "metadata.labels", Effect::Destructive, [0, 1]),
            ("CONTROL_PLANE", "plane", "metadata.labels", Effect::Destructive, [0, 1]),
        ] {
            assert_eq!(of(from, to), (vec![(at.to_owned(), effect)], machines), "{from} {to}");
        }
    }
}
