//! The effect of an edit on one owner of Machines, and why.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use metadata_propagation::cluster_api::CORE_GROUP;
use metadata_propagation::{Effect, Operation, Review, evaluate, has_effects};
use serde_json::Value;
use topology::{FieldCause, Gap, PartChange, PartRole, TopologyOwner, TopologyRefusal};

use super::changed_part::ChangedPart;
use crate::object::{ObjectId, create, group_and_version};
use crate::plan::impact::Sides;
use crate::plan::initialized::concerns_none;
use crate::plan::placeholder::{deciding, is_settled};
use crate::plan::provider;
use crate::plan::reach::{Machines, Part, machines};
use crate::relations::text;
use crate::workers::workers;

/// The effect of an edit on a control plane, MachineDeployment, MachinePool or the infrastructure of a Cluster.
#[derive(Debug, Clone)]
pub struct PlannedOwner {
    /// The owner; the Cluster itself for its infrastructure, and if Cluster API refuses the edit.
    pub id: ObjectId,
    /// What it is in the topology; `None` if Cluster API refuses the edit.
    pub part: Option<TopologyOwner>,
    /// The effect on it.
    pub effect: Effect,
    /// Whether Machines are updated in place if an extension accepts it, and replaced otherwise; see
    /// [`Plan::allow_in_place_updates`](crate::Plan::allow_in_place_updates).
    pub is_update_in_place: bool,
    /// Whether the feature gate decides on that.
    pub(super) can_be_in_place: bool,
    /// Why the effect is not known, what Cluster API refuses, or why Machines are replaced twice.
    pub reason: Option<String>,
    /// The Machines that are replaced.
    pub machines: Machines,
    /// The fields that differ.
    pub because: Vec<Because>,
}

/// A field that differs because of an edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Because {
    /// Such as `AWSMachineTemplate`.
    pub kind: String,
    /// Such as `spec.template.spec.instanceType`.
    pub path: String,
    /// The value before.
    pub from: Option<Value>,
    /// The value after.
    pub to: Option<Value>,
    /// The patch that writes it.
    pub patch: Option<String>,
    /// The variable that the patch reads; if several ones differ, the first.
    pub variable: Option<String>,
}

const PROVIDER: &str = "the provider decides";

/// An edit that Cluster API refuses.
pub(super) fn refused(cluster: &ObjectId, refusal: &TopologyRefusal) -> PlannedOwner {
    PlannedOwner {
        id: cluster.clone(),
        part: None,
        effect: Effect::Refused,
        is_update_in_place: false,
        can_be_in_place: false,
        reason: Some(refusal.to_string()),
        machines: Machines::default(),
        because: Vec::new(),
    }
}

/// The owners of a topology, with an effect that is not known.
pub(super) fn not_known(cluster: &ObjectId, gap: &Gap, around: Sides<'_>) -> Vec<PlannedOwner> {
    let Some(written) = around.after.find(cluster) else {
        return Vec::new();
    };
    let entries = |list: &'static str| workers(&written.written, list).map(|worker| worker.name.to_owned());
    let deployments = entries("machineDeployments").map(TopologyOwner::MachineDeployment);
    let pools = entries("machinePools").map(TopologyOwner::MachinePool);
    let all = deployments.chain(pools).chain([TopologyOwner::ControlPlane]);
    let with_part = |owner: TopologyOwner| Part::of_owner(&owner).map(|part| (owner, part));
    let owner = |(owner, part): (TopologyOwner, Part)| PlannedOwner {
        id: part.child(around.before, cluster).unwrap_or_else(|| cluster.clone()),
        part: Some(owner),
        effect: Effect::CannotTell,
        is_update_in_place: false,
        can_be_in_place: false,
        reason: Some(gap.to_string()),
        machines: machines(around.before, cluster, &part),
        because: Vec::new(),
    };
    all.filter_map(with_part).map(owner).collect()
}

/// The effect of those differences of an object that are due to one edit; `None` if none is. A gap counts for one edit. What
/// is not known makes nothing less severe: fields that no patch changes replace Machines, whatever else a patch does.
pub(super) fn judged(
    part: &ChangedPart,
    is_due: impl Fn(&FieldCause) -> bool,
    (cluster, has_gap): (&ObjectId, bool),
    around: Sides<'_>,
) -> Option<PlannedOwner> {
    let difference = &part.difference;
    let causes: Vec<&FieldCause> = difference.because.iter().filter(|cause| is_due(cause)).collect();
    let known = (!causes.is_empty()).then(|| known(part, &causes, around));
    let known = known.filter(|(effect, _)| difference.gap.is_none() || *effect > Effect::CannotTell);
    let Some((effect, reason)) = known else {
        let gap = difference.gap.as_ref().filter(|_| has_gap)?;
        return Some(planned(part, (Effect::CannotTell, Some(gap.to_string())), cluster, around, Vec::new()));
    };
    let because = |cause: &&FieldCause| Because {
        kind: difference.kind.clone(),
        path: cause.path(),
        from: cause.from.clone(),
        to: cause.to.clone(),
        patch: cause.patch.clone(),
        variable: cause.variables.first().cloned(),
    };
    let because = causes.iter().map(because).collect();
    Some(planned(part, (effect, reason), cluster, around, because))
}

/// The effect of differences; not known if a value that is not in the files decides whether there is one.
fn known(part: &ChangedPart, causes: &[&FieldCause], around: Sides<'_>) -> (Effect, Option<String>) {
    match (effect(part, causes, around), filled_in(causes)) {
        ((effect, _), Some(gap)) if is_settled(effect) => (Effect::CannotTell, Some(gap.to_string())),
        (known, _) => known,
    }
}

/// The value that is not in the files, if all differences may be none.
fn filled_in(causes: &[&FieldCause]) -> Option<Gap> {
    let deciding = |cause: &&FieldCause| deciding(cause.from.as_ref(), cause.to.as_ref()).map(str::to_owned);
    let written: Option<Vec<String>> = causes.iter().map(deciding).collect();
    written?.into_iter().next().map(Gap::Placeholder)
}

/// Workers that are created or deleted.
pub(super) fn whole(part: &ChangedPart, cluster: &ObjectId, around: Sides<'_>) -> Option<PlannedOwner> {
    let effect = match part.difference.happens {
        _ if part.difference.role != PartRole::Workers => return None,
        PartChange::Created => Effect::Scale,
        PartChange::Deleted => Effect::Destructive,
        PartChange::Changed => return None,
    };
    Some(planned(part, (effect, None), cluster, around, Vec::new()))
}

fn planned(
    part: &ChangedPart,
    (effect, reason): (Effect, Option<String>),
    cluster: &ObjectId,
    around: Sides<'_>,
    because: Vec<Because>,
) -> PlannedOwner {
    let difference = &part.difference;
    let of = Part::of_owner(&difference.owner);
    let side = if difference.happens == PartChange::Created { around.after } else { around.before };
    let id = of.as_ref().and_then(|of| of.child(side, cluster)).unwrap_or_else(|| cluster.clone());
    let is_harmless = matches!(effect, Effect::Nothing | Effect::InPlace);
    let machines = of.filter(|_| !is_harmless).map(|of| machines(side, cluster, &of)).unwrap_or_default();
    let (part, is_update_in_place) = (Some(difference.owner.clone()), false);
    let can_be_in_place = can_be_in_place(&id, effect, &because);
    PlannedOwner { id, part, effect, is_update_in_place, can_be_in_place, reason, machines, because }
}

/// Whether an extension may update the Machines in place: those of a kubeadm control plane or a MachineDeployment, unless
/// a rollout is asked for by its time.
///
/// Source: `EligibleForInPlaceUpdate` in controlplane/kubeadm/pkg/filters.go and in
/// core/reconcilers/machinedeployment/mdutil/util.go of Cluster API v1.14; no in-place update with `OnDelete`.
fn can_be_in_place(id: &ObjectId, effect: Effect, because: &[Because]) -> bool {
    let is_asked_for =
        |because: &Because| because.path.ends_with("rollout.after") || because.path.ends_with("rolloutAfter");
    effect == Effect::Rollout
        && ["KubeadmControlPlane", "MachineDeployment"].contains(&&*id.kind)
        && !because.iter().any(is_asked_for)
}

/// What differences of an object do to the Machines of its owner.
///
/// Source: `reconcileReferencedTemplate` in core/reconcilers/topology/cluster/reconcile_state.go of Cluster API: a
/// template whose `spec` differs is replaced by a new one.
fn effect(part: &ChangedPart, causes: &[&FieldCause], around: Sides<'_>) -> (Effect, Option<String>) {
    let is_in_spec = causes.iter().any(|cause| part.difference.differs_in_spec(cause));
    match part.difference.role {
        PartRole::InfrastructureTemplate | PartRole::BootstrapTemplate if is_in_spec && part.is_on_delete => {
            (Effect::ReplacedWhenDeleted, None)
        }
        PartRole::InfrastructureTemplate | PartRole::BootstrapTemplate if is_in_spec => {
            let twice = |patch: &String| {
                format!(
                    "patch `{patch}` writes the name of the template, which is a new one, so Machines are replaced twice"
                )
            };
            (Effect::Rollout, part.difference.named_by.as_ref().map(twice))
        }
        PartRole::PoolBootstrap | PartRole::PoolInfrastructure if is_in_spec => {
            (Effect::CannotTell, Some(PROVIDER.to_owned()))
        }
        PartRole::ControlPlane | PartRole::Workers if is_in_spec => by_table(part, causes, around),
        _ => (Effect::InPlace, None),
    }
}

/// What the table of the policy says about the control plane or the workers before and after.
fn by_table(part: &ChangedPart, causes: &[&FieldCause], around: Sides<'_>) -> (Effect, Option<String>) {
    let mut edited = part.object.clone();
    causes.iter().for_each(|cause| cause.apply(&mut edited));
    let (group, version) = group_and_version(text(&part.object, "apiVersion"));
    let metadata = part.object.get("metadata").unwrap_or(&Value::Null);
    let id = ObjectId::new(group, text(&part.object, "kind"), text(metadata, "namespace"), text(metadata, "name"));
    let is = |field: &str| causes.iter().all(|cause| cause.path() == field);
    // Fields that every provider's control plane has.
    if id.kind != "KubeadmControlPlane" && part.difference.role == PartRole::ControlPlane {
        let is_any = |field: &str| causes.iter().any(|cause| cause.path() == field);
        let is_reference = |cause: &&FieldCause| cause.path().contains("nfrastructureRef.");
        return match provider::effect_on_control_plane(&id.kind, [&part.object, &edited]) {
            // The object is updated, whatever that does.
            Some(Effect::Nothing) => (Effect::InPlace, None),
            Some(Effect::CannotTell) => (Effect::CannotTell, Some(PROVIDER.to_owned())),
            Some(effect) => (effect, None),
            None if is("spec.replicas") => (Effect::Scale, None),
            None if is_any("spec.version") || causes.iter().any(is_reference) => (Effect::Rollout, None),
            None => (Effect::CannotTell, Some(PROVIDER.to_owned())),
        };
    }
    let is_scale = causes.iter().any(|cause| cause.path() == "spec.replicas");
    let is_none = |at: &str| concerns_none(at, [&part.object, &edited]);
    let text = |object: &Value| if is_scale { object.to_string() } else { with_a_machine(object.clone()) };
    let [old, new] = [&part.object, &edited].map(text);
    let review = Review { operation: Operation::Update, old_object: Some(&old), ..create(&id, version, &new) };
    if !has_effects(&review) {
        return (Effect::CannotTell, Some(PROVIDER.to_owned()));
    }
    let report = evaluate(&review, around.settings, around.after).report.unwrap_or_default();
    let edits = report.rollout.map(|impact| impact.edits).unwrap_or_default();
    let meant = edits.iter().filter(|edit| edit.effect != Effect::CannotTell || !is_none(&edit.at));
    let gravest = meant.max_by_key(|edit| edit.effect);
    match gravest.map_or(Effect::InPlace, |edit| edit.effect) {
        Effect::Rollout if part.is_on_delete => (Effect::ReplacedWhenDeleted, None),
        Effect::CannotTell => {
            let at = gravest.map_or("", |edit| &edit.at);
            (Effect::CannotTell, Some(crate::plan::reason::reason(&id, at).to_owned()))
        }
        // The object is updated, whatever that does.
        Effect::Nothing => (Effect::InPlace, None),
        effect => (effect, None),
    }
}

/// An object that has at least one Machine, as text: what an edit does to Machines does not depend on how many there are.
fn with_a_machine(mut object: Value) -> String {
    if let Some(replicas) = object.pointer_mut("/spec/replicas").filter(|replicas| **replicas == 0) {
        *replicas = 1.into();
    }
    object.to_string()
}

/// One entry for each owner, in the order of their names: the most severe effect and all reasons.
pub(super) fn merged(owners: Vec<PlannedOwner>) -> Vec<PlannedOwner> {
    // Owners that are not among the objects have the identity of their Cluster.
    let mut all: BTreeMap<(bool, ObjectId, Option<TopologyOwner>), PlannedOwner> = BTreeMap::new();
    for mut owner in owners {
        let is_of_machines = owner.id.group != CORE_GROUP || owner.id.kind != "Cluster";
        let key = (is_of_machines, owner.id.clone(), owner.part.clone());
        match all.get_mut(&key) {
            Some(known) => {
                known.can_be_in_place = match owner.effect.cmp(&known.effect) {
                    Ordering::Greater => owner.can_be_in_place,
                    Ordering::Equal => owner.can_be_in_place && known.can_be_in_place,
                    Ordering::Less => known.can_be_in_place,
                };
                if owner.effect > known.effect {
                    (known.effect, known.reason) = (owner.effect, owner.reason);
                } else if owner.effect == known.effect {
                    known.reason = known.reason.take().or(owner.reason);
                }
                known.machines.add(&owner.machines);
                known.because.append(&mut owner.because);
            }
            None => _ = all.insert(key, owner),
        }
    }
    all.into_values().collect()
}
