//! The effect of a change on one owner of Machines, and why.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;

use metadata_propagation::Effect;
use serde_json::Value;
use topology::{
    FieldCause, Gap, PartChange, PartRole, TopologyOwner, TopologyRefusal, WORKERS, control_plane_steps, worker_steps,
};

use super::cause::{Causes, EditNumbers};
use super::change::TopologyChange;
use super::changed_part::ChangedPart;
use crate::member::has_managed_replicas;
use crate::object::{ObjectId, group_and_version};
use crate::plan::impact::{Sides, impact};
use crate::plan::initialized::concerns_none;
use crate::plan::machines::{Machines, Part, machines};
use crate::plan::notes::{OwnerRollout, RolloutLimits};
use crate::plan::path::EditPath;
use crate::plan::placeholder::{deciding, is_settled};
use crate::plan::reason::REMEDIATED;
use crate::plan::stopped::StoppedAt;
use crate::plan::waits::Later;
use crate::plan::{provider, remediation};
use crate::relations::text;
use crate::workers::workers;

/// The effect of a change on a control plane, MachineDeployment, MachinePool or the infrastructure of a Cluster.
#[derive(Debug, Clone)]
pub struct PlannedOwner {
    /// The owner; the Cluster itself for its infrastructure, and if Cluster API refuses the change.
    pub id: ObjectId,
    /// The Cluster.
    pub cluster: ObjectId,
    /// What it is in the topology; `None` if Cluster API refuses the change.
    pub part: Option<TopologyOwner>,
    /// The effect on it.
    pub effect: Effect,
    /// If it waits: the effect then.
    pub later: Option<Later>,
    /// Whether Machines are updated in place if an extension accepts it, and replaced otherwise; see
    /// [`Plan::allow_in_place_updates`](crate::Plan::allow_in_place_updates).
    pub is_update_in_place: bool,
    /// Whether the feature gate decides on that.
    pub(super) can_be_in_place: bool,
    /// If its Machines are replaced: how.
    pub(in crate::plan) rollout: OwnerRollout,
    /// Why the effect is not known, what Cluster API refuses, or why Machines are replaced twice.
    pub reason: Option<String>,
    /// The Machines that are replaced.
    pub machines: Machines,
    /// If an upgrade goes through several versions: those at each of which the Machines are replaced.
    pub steps: Vec<String>,
    /// The edits that change it.
    pub edits: Vec<EditRef>,
    /// The fields that differ, those with the most severe effect first.
    pub because: Vec<Because>,
}

/// An edit of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EditRef {
    /// The object.
    pub id: ObjectId,
    /// The path of the edit.
    pub at: EditPath,
}

impl fmt::Display for EditRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id, self.at)
    }
}

/// A field that differs because of edits.
#[derive(Debug, Clone, PartialEq)]
pub struct Because {
    /// The edits.
    pub edits: Vec<EditRef>,
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

/// The effect of some differences on an owner.
pub(super) struct OwnerEffect {
    pub(super) effect: Effect,
    reason: Option<String>,
    pub(super) machines: Machines,
}

impl PlannedOwner {
    fn new(cluster: &ObjectId, effect: Effect, reason: Option<String>, edits: Vec<EditRef>) -> PlannedOwner {
        PlannedOwner {
            id: cluster.clone(),
            cluster: cluster.clone(),
            part: None,
            effect,
            later: None,
            is_update_in_place: false,
            can_be_in_place: false,
            rollout: OwnerRollout::default(),
            reason,
            machines: Machines::default(),
            steps: Vec::new(),
            edits,
            because: Vec::new(),
        }
    }

    /// A change that Cluster API refuses.
    pub(super) fn refused(
        cluster: &ObjectId,
        refusal: &TopologyRefusal,
        at: StoppedAt,
        edits: Vec<EditRef>,
    ) -> PlannedOwner {
        PlannedOwner::new(cluster, Effect::Refused, Some(format!("{refusal}{at}")), edits)
    }

    /// The owners of a topology, with an effect that is not known.
    pub(super) fn not_known(cluster: &ObjectId, gap: &Gap, edits: &[EditRef], around: Sides<'_>) -> Vec<PlannedOwner> {
        let Some(written) = around.after.find(cluster) else { return Vec::new() };
        let entries = WORKERS.into_iter().flat_map(|kind| {
            workers(&written.written, kind.list).map(move |worker| (kind.owner)(worker.name.to_owned()))
        });
        let with_part = |owner: TopologyOwner| Part::of_owner(&owner).map(|part| (owner, part));
        let all = entries.chain([TopologyOwner::ControlPlane]).filter_map(with_part);
        let owner = |(owner, part): (TopologyOwner, Part)| PlannedOwner {
            id: part.child(around.before, cluster).unwrap_or_else(|| cluster.clone()),
            part: Some(owner),
            machines: machines(around.before, cluster, &part),
            ..PlannedOwner::new(cluster, Effect::CannotTell, Some(gap.to_string()), edits.to_vec())
        };
        all.map(owner).collect()
    }

    /// An owner whose parts differ; `None` if nothing becomes of that.
    pub(super) fn of(
        parts: &[ChangedPart],
        causes: &Causes<'_, '_>,
        change: &TopologyChange<'_>,
    ) -> Option<PlannedOwner> {
        let judge = |part| Some((OwnerEffect::of(part, causes, |_| true, change)?, part));
        let mut judged: Vec<(OwnerEffect, &ChangedPart)> = parts.iter().filter_map(judge).collect();
        judged.sort_by_key(|(owner, _)| Reverse(owner.effect));
        let (first, part) = judged.first()?;
        let has_gap = |(owner, part): &&(OwnerEffect, &ChangedPart)| {
            part.difference.gap.is_some() && owner.effect <= Effect::CannotTell
        };
        let known = judged.iter().filter(|it| !has_gap(it));
        let because: Vec<Because> = known.flat_map(|(_, part)| Because::of(part, causes)).collect();
        let whole = judged.iter().filter(|it| has_gap(it) || it.1.difference.happens != PartChange::Changed);
        let mut edits: BTreeSet<EditRef> = whole.flat_map(|(_, part)| causes.references(part, None)).collect();
        edits.extend(because.iter().flat_map(|because| because.edits.iter().cloned()));
        let id = Part::of_owner(part.owner()).and_then(|of| of.child(part.side(change.around), change.cluster));
        let id = id.unwrap_or_else(|| change.cluster.clone());
        let can_be_in_place = can_be_in_place(&id, first.effect, &because);
        let reason = judged.iter().filter(|(it, _)| it.effect == first.effect).find_map(|(it, _)| it.reason.clone());
        let (owner, machines) = (Some(part.owner().clone()), first.machines.clone());
        let steps = if first.effect == Effect::Rollout { steps(part.owner(), &because, change) } else { Vec::new() };
        let alone = |of: &ObjectId| {
            let replaces = |part| {
                let effect = OwnerEffect::of(part, causes, |due| causes.is_of(due, of), change);
                effect.is_some_and(|it| it.effect == Effect::Rollout)
            };
            first.effect == Effect::Rollout && parts.iter().any(replaces)
        };
        let objects: BTreeSet<&ObjectId> = edits.iter().map(|edit| &edit.id).collect();
        let rollout = OwnerRollout {
            is_upgrade: version(&because).is_some(),
            limits: causes.object_after(part.owner()).and_then(|object| RolloutLimits::of(object, &machines)),
            objects: objects.into_iter().filter(|it| alone(it)).cloned().collect(),
        };
        let new = PlannedOwner::new(change.cluster, first.effect, reason, edits.into_iter().collect());
        Some(PlannedOwner { id, part: owner, can_be_in_place, rollout, machines, steps, because, ..new })
    }
}

/// The versions that an upgrade goes through, if there are several.
fn steps(owner: &TopologyOwner, because: &[Because], change: &TopologyChange<'_>) -> Vec<String> {
    let version = version(because).map(|it| [&it.from, &it.to].map(|it| it.as_ref()?.as_str()));
    let Some([Some(from), Some(to)]) = version else { return Vec::new() };
    let steps = match owner {
        TopologyOwner::ControlPlane => control_plane_steps(&change.new.class, from, to),
        _ => worker_steps(&change.new.class, from, to),
    };
    let is_chained = steps.len() > 1;
    steps.into_iter().filter(|_| is_chained).map(str::to_owned).collect()
}

/// The difference of versions, if there is one.
fn version(because: &[Because]) -> Option<&Because> {
    because.iter().find(|it| ["spec.version", "spec.template.spec.version"].contains(&&*it.path))
}

impl Because {
    fn of(part: &ChangedPart, causes: &Causes<'_, '_>) -> Vec<Because> {
        let because = |cause: &FieldCause| Because {
            edits: causes.references(part, Some(cause)),
            kind: part.difference.kind.clone(),
            path: cause.path(),
            from: cause.from.clone(),
            to: cause.to.clone(),
            patch: cause.patch.clone(),
            variable: cause.variables.first().cloned(),
        };
        part.difference.because.iter().filter(|cause| cause.is_stored).map(because).collect()
    }
}

impl OwnerEffect {
    pub(super) const REFUSED: OwnerEffect =
        OwnerEffect { effect: Effect::Refused, reason: None, machines: Machines::NONE };

    /// What all edits together do to an owner.
    pub(super) fn of_owner(owner: &PlannedOwner) -> OwnerEffect {
        OwnerEffect { effect: owner.effect, reason: owner.reason.clone(), machines: owner.machines.clone() }
    }

    /// What those differences of an object do that are due to some edits; `None` if none is. What is not known makes nothing
    /// less severe: fields that no patch changes replace Machines, whatever else a patch does.
    pub(super) fn of(
        part: &ChangedPart,
        causes: &Causes<'_, '_>,
        is_due: impl Fn(&EditNumbers) -> bool,
        change: &TopologyChange<'_>,
    ) -> Option<OwnerEffect> {
        let difference = &part.difference;
        let whole = || is_due(&causes.due(part, None));
        let (effect, reason) = match difference.happens {
            PartChange::Changed => {
                let stored = difference.because.iter().filter(|cause| cause.is_stored);
                let due = stored.filter(|cause| is_due(&causes.due(part, Some(cause))));
                let due: Vec<&FieldCause> = due.collect();
                let known = (!due.is_empty()).then(|| known(part, &due, change.around));
                let gap = difference.gap.as_ref();
                let known = known.filter(|(effect, _)| gap.is_none() || *effect > Effect::CannotTell);
                known.or_else(|| Some((Effect::CannotTell, Some(gap.filter(|_| whole())?.to_string()))))?
            }
            _ if difference.role != PartRole::Workers || !whole() => return None,
            PartChange::Created => (Effect::Scale, None),
            PartChange::Deleted => (Effect::Destructive, None),
        };
        let is_harmless = matches!(effect, Effect::Nothing | Effect::InPlace);
        let of = Part::of_owner(part.owner()).filter(|_| !is_harmless);
        let machines = of.map(|of| machines(part.side(change.around), change.cluster, &of)).unwrap_or_default();
        Some(OwnerEffect { effect, reason, machines })
    }
}

/// The effect of differences; not known if a value that is not in the files decides whether there is one.
fn known(part: &ChangedPart, causes: &[&FieldCause], around: Sides<'_>) -> (Effect, Option<String>) {
    let is_asked = |cause: &&FieldCause| remediation::is_written(&cause.steps, cause.to.as_ref());
    match (effect(part, causes, around), filled_in(causes)) {
        ((Effect::InPlace, _), _) if causes.iter().any(is_asked) => (Effect::CannotTell, Some(REMEDIATED.to_owned())),
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

/// Whether an extension may update the Machines in place: those of a kubeadm control plane or a MachineDeployment, unless
/// a rollout is asked for by its time.
///
/// Source: `EligibleForInPlaceUpdate` in controlplane/kubeadm/pkg/filters.go and in
/// core/reconcilers/machinedeployment/mdutil/util.go of Cluster API v1.14; no in-place update with `OnDelete`.
fn can_be_in_place(id: &ObjectId, effect: Effect, because: &[Because]) -> bool {
    let is_asked_for = |because: &Because| ["spec.rollout.after", "spec.rolloutAfter"].contains(&&*because.path);
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
        PartRole::ControlPlane | PartRole::Workers if is_in_spec => by_policy(part, causes, around),
        _ => (Effect::InPlace, None),
    }
}

/// What the table of the policy says about the control plane or the workers before and after.
fn by_policy(part: &ChangedPart, causes: &[&FieldCause], around: Sides<'_>) -> (Effect, Option<String>) {
    let mut edited = part.object.clone();
    causes.iter().for_each(|cause| cause.apply(&mut edited));
    if is_managed(part)
        && let Some(spec) = edited.get_mut("spec").and_then(Value::as_object_mut)
    {
        spec.insert("replicas".to_owned(), part.object.pointer("/spec/replicas").cloned().unwrap_or_default());
    }
    let (group, version) = group_and_version(text(&part.object, "apiVersion"));
    let metadata = part.object.get("metadata").unwrap_or(&Value::Null);
    let id = ObjectId::new(group, text(&part.object, "kind"), text(metadata, "namespace"), text(metadata, "name"));
    let is = |field: &str| causes.iter().all(|cause| cause.path() == field);
    // Fields that every provider's control plane has.
    if id.kind != "KubeadmControlPlane" && part.difference.role == PartRole::ControlPlane {
        let is_any = |field: &str| causes.iter().any(|cause| cause.path() == field);
        let is_reference = |cause: &&FieldCause| cause.steps.iter().any(|step| step == "infrastructureRef");
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
    let replicas = |object: &Value| object.pointer("/spec/replicas").cloned();
    let is_scale = replicas(&part.object) != replicas(&edited);
    let text = |object: &Value| if is_scale { object.to_string() } else { with_a_machine(object.clone()) };
    let [old, new] = [&part.object, &edited].map(text);
    let Some(edits) = impact(&id, version, [&old, &new], around) else {
        return (Effect::CannotTell, Some(PROVIDER.to_owned()));
    };
    let is_none = |at: &EditPath| concerns_none(at, [&part.object, &edited]);
    let meant = edits.iter().filter(|(at, effect)| *effect != Effect::CannotTell || !is_none(at));
    match meant.max_by_key(|(_, effect)| *effect) {
        Some((_, Effect::Rollout)) if part.is_on_delete => (Effect::ReplacedWhenDeleted, None),
        Some((at, Effect::CannotTell)) => (Effect::CannotTell, Some(crate::plan::reason::reason(&id, at).to_owned())),
        // The object is updated, whatever that does.
        Some((_, Effect::Nothing)) | None => (Effect::InPlace, None),
        Some((_, effect)) => (*effect, None),
    }
}

/// Whether the infrastructure decides about the number of replicas of a pool after all differences.
fn is_managed(part: &ChangedPart) -> bool {
    part.difference.kind == "MachinePool"
        && part.edited().pointer("/metadata/annotations").is_some_and(has_managed_replicas)
}

/// An object that has at least one Machine, as text: what an edit does to Machines does not depend on how many there are.
fn with_a_machine(mut object: Value) -> String {
    if let Some(replicas) = object.pointer_mut("/spec/replicas").filter(|replicas| **replicas == 0) {
        *replicas = 1.into();
    }
    object.to_string()
}
