//! What a topology is refused for: by the webhooks of Clusters and classes, by its controller, or by the webhooks of what it
//! writes.

use std::collections::BTreeSet;

use metadata_propagation::{Effect, Settings};
use serde_json::Value;
use topology::{
    DEPLOYMENTS, FieldCause, Obstacle, PartRole, StoredDefaults, TopologyRefusal, endpoint_refusal, has_definition,
    health_check_refusals, schema_refusal, value_refusals,
};

use super::changed_part::ChangedPart;
use super::placeholder::Placeholders;
use crate::hierarchy::Hierarchy;
use crate::object::{ObjectId, group_and_version};
use crate::plan::template::DryRun;
use crate::plan::{PlannedEdit, provider, reason};
use crate::refusal::{FIXED_AND_AUTOSCALED, has_variable, of_edit, of_taints};
use crate::relations::text;
use crate::workers::{LISTS, Worker, workers};

/// What the webhooks refuse in a Cluster because of its class, and in a class because of its Cluster, except for variables.
pub(super) fn of_class(cluster: &Value, class: &Value) -> impl Iterator<Item = TopologyRefusal> {
    let others = autoscaled(cluster, class).into_iter().chain(health_check_refusals(cluster, class));
    unlisted(cluster, class).into_iter().chain(undefined_workers(cluster, class)).chain(others)
}

/// Classes of workers that a Cluster uses and its class does not have.
///
/// Source: `MachineDeploymentTopologiesAreValidAndDefinedInClusterClass` in internal/topology/check/compatibility.go of Cluster
/// API v1.14, and `validateRemovedMachineDeploymentClassesAreNotUsed` in core/webhooks/admission/clusterclass.go.
fn undefined_workers(cluster: &Value, class: &Value) -> Vec<TopologyRefusal> {
    let of_list = |list| {
        let defined: Vec<&str> = workers(class, list).map(|worker| worker.name).collect();
        let used: BTreeSet<&str> = workers(cluster, list).map(|entry| entry.class()).collect();
        used.into_iter().filter(move |name| !defined.contains(name) && !has_variable(name))
    };
    LISTS.into_iter().flat_map(of_list).map(|name| TopologyRefusal::NoWorkerClass(name.to_owned())).collect()
}

/// What the webhook refuses in a Cluster that is created: it fits its class, as far as its values are in the files.
pub(crate) fn of_new_cluster(cluster: &Value, class: &Value) -> Vec<TopologyRefusal> {
    let found = value_refusals(cluster, class, &StoredDefaults::default()).into_iter().chain(of_class(cluster, class));
    let found = found.chain(emptied(cluster, class));
    // What is set twice is refused whatever the class is.
    let found = found.filter(|refusal| !matches!(refusal, TopologyRefusal::SetTwice(_)));
    found.filter_map(|refusal| resolved(cluster, refusal.into())).collect()
}

/// The refusal of a Cluster, if no value that is not in the files decides on it.
pub(crate) fn resolved(cluster: &Value, obstacle: Obstacle) -> Option<TopologyRefusal> {
    match Placeholders::of([cluster; 2]).resolved(obstacle) {
        Obstacle::Refused(refusal) => Some(refusal),
        Obstacle::Unknown(_) => None,
    }
}

/// A list of variables without any, which no default fills. If there were some before, server-side apply removes it instead.
///
/// Source: `DefaultVariables` in core/webhooks/admission/cluster.go of Cluster API v1.14; what it leaves empty is in the list as
/// it was written, whose definition in v1beta2 wants at least one.
pub(super) fn emptied(cluster: &Value, class: &Value) -> Option<TopologyRefusal> {
    let is_default = |variable: &Value| variable.pointer("/schema/openAPIV3Schema/default").is_some();
    let variables = class.pointer("/spec/variables").and_then(Value::as_array);
    let is_filled = variables.into_iter().flatten().any(is_default);
    let is_empty = cluster.pointer("/spec/topology/variables").and_then(Value::as_array).is_some_and(Vec::is_empty);
    let is_newest = group_and_version(text(cluster, "apiVersion")).1 == "v1beta2";
    let refusal = || TopologyRefusal::object("Cluster", "spec.topology.variables", "the list must not be empty");
    (is_newest && is_empty && !is_filled).then(refusal)
}

/// The refusal of a version that a class with `kubernetesVersions` does not list.
///
/// Source: `ValidateClusterForClusterClass` in core/webhooks/admission/cluster.go of Cluster API v1.14, and
/// `validateKubernetesVersionsOfClusters` in clusterclass.go.
fn unlisted(cluster: &Value, class: &Value) -> Option<TopologyRefusal> {
    let listed =
        class.pointer("/spec/kubernetesVersions").and_then(Value::as_array).filter(|listed| !listed.is_empty())?;
    let version =
        cluster.pointer("/spec/topology/version").and_then(Value::as_str).filter(|version| !has_variable(version))?;
    // The webhook of Clusters adds the letter.
    let number = version.strip_prefix('v').unwrap_or(version);
    let is_it = |listed: &str| listed.strip_prefix('v') == Some(number) || has_variable(listed);
    let is_listed = listed.iter().filter_map(Value::as_str).any(is_it);
    let reason = format!("`{version}` is not among the `kubernetesVersions` of the ClusterClass");
    (!is_listed).then(|| TopologyRefusal::object("Cluster", "spec.topology.version", reason))
}

/// The numbers of replicas that a Cluster sets although its class leaves them to cluster-autoscaler.
///
/// Source: `validateAutoscalerAnnotationsForCluster` in core/webhooks/admission/cluster.go of Cluster API v1.14.
fn autoscaled(cluster: &Value, class: &Value) -> Vec<TopologyRefusal> {
    let classes: Vec<_> = workers(class, DEPLOYMENTS.list).filter(Worker::is_autoscaled).collect();
    let is_fixed = |entry: &Worker<'_>| entry.has_replicas() && classes.iter().any(|class| class.name == entry.class());
    let refusal = |entry: Worker<'_>| {
        TopologyRefusal::object("Cluster", format!("{}.replicas", entry.at()), FIXED_AND_AUTOSCALED)
    };
    workers(cluster, DEPLOYMENTS.list).filter(is_fixed).map(refusal).collect()
}

/// Why the topology's controller does not write what differs; or why the API server or a webhook refuses it, in a kind of
/// Cluster API's own providers. A chained upgrade reaches the new version in steps that are each admitted.
///
/// Source: `computeControlPlaneVersion` in exp/topology/desiredstate/desired_state.go of Cluster API v1.14.
pub(super) fn refusal(part: &ChangedPart, is_chained: bool, settings: &Settings) -> Option<TopologyRefusal> {
    let difference = &part.difference;
    let refused = |path: String, reason: String| TopologyRefusal::object(&difference.kind, path, reason);
    if let Some(kind) = other_kind(part) {
        let reason = format!("the topology's controller does not replace {kind} by another kind");
        return Some(refused("kind".to_owned(), reason));
    }
    let mut edited = part.object.clone();
    let is_step = |cause: &&FieldCause| is_chained && cause.path() == "spec.version";
    difference.because.iter().filter(|cause| !is_step(cause)).for_each(|cause| cause.apply(&mut edited));
    let (group, version) = group_and_version(text(&part.object, "apiVersion"));
    let id = ObjectId::new(group, &difference.kind, "", "");
    let of_provider = || {
        let edits = provider::edits(&id, [version; 2], [&part.object, &edited], &Hierarchy::default());
        let edit = edits.into_iter().find(|edit: &PlannedEdit| edit.effect == Effect::Refused)?;
        Some(refused(edit.at.to_string(), edit.reason.unwrap_or_default().into_owned()))
    };
    match difference.role {
        PartRole::InfrastructureCluster => return endpoint_refusal(&edited).or_else(of_provider),
        PartRole::InfrastructureTemplate | PartRole::BootstrapTemplate => {
            let (dry_run, path) = part.dry_run();
            if dry_run == DryRun::Refused {
                return Some(refused(path.to_owned(), reason::DRY_RUN.to_owned()));
            }
        }
        _ => {}
    }
    if !has_definition(group, &difference.kind) {
        return of_provider();
    }
    if let Some(refusal) = schema_refusal(&edited).filter(|it| schema_refusal(&part.object).as_ref() != Some(it)) {
        return Some(refusal);
    }
    // What is stored with taints shows that the gate is on.
    let taints = || of_taints(&id, &edited, settings).into_iter().next();
    let taints = if of_taints(&id, &part.object, settings).is_empty() { taints() } else { None };
    let found = of_edit(&id, &part.object, &edited).into_iter().next().or(taints)?;
    Some(refused(found.at.to_string(), found.message))
}

/// The kind before, if a part is another kind after, and the topology's controller keeps kinds: of all parts but the bootstrap
/// templates of MachineDeployments.
///
/// Source: `reconcileReferencedTemplate` and `reconcileReferencedObject` in core/reconcilers/topology/cluster/reconcile_state.go
/// of Cluster API v1.14, with `ObjectsAreCompatible` in internal/topology/check/compatibility.go.
fn other_kind(part: &ChangedPart) -> Option<&str> {
    const SOURCE: [&str; 3] = ["metadata", "annotations", "cluster.x-k8s.io/cloned-from-groupkind"];
    let difference = &part.difference;
    let is_other =
        difference.because.iter().any(|cause| cause.steps == SOURCE && cause.from.is_some() && cause.to.is_some());
    let is_kept = !matches!(difference.role, PartRole::BootstrapTemplate | PartRole::Workers);
    (is_other && is_kept).then(|| text(&part.object, "kind"))
}
