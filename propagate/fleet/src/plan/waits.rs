//! What happens only later: controllers are stopped by a pause, an annotation defers an upgrade, or something else is refused
//! first.
//!
//! Sources, in Cluster API v1.14. Pauses: `EnsurePausedCondition` in util/paused, which the controller of every kind calls with
//! its object and the Cluster; `reconcile` in core/reconcilers/topology/cluster/cluster_controller.go, which also waits for the
//! controller of the class; `spec.paused` in `reconcile` of core/reconcilers/machinedeployment/machinedeployment_controller.go.
//! Deferred upgrades: `updateMachineDeployment` and `updateMachinePool` in
//! core/reconcilers/topology/cluster/reconcile_state.go; hooks: `reconcileControlPlane` and `createMachineDeployment` there,
//! and `computeMachineDeploymentVersion` in exp/topology/desiredstate/desired_state.go; refusals: `reconcileState`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use metadata_propagation::Effect;
use metadata_propagation::cluster_api::CORE_GROUP;
use metadata_propagation::cluster_api::PAUSED;
use serde_json::Value;

use super::machines::{Machines, Part};
use super::path::{EditPath, EditPlace, EditedPart};
use super::stopped::{StoppedAt, StoppedTopologies, StoppedTopology};
use super::topology::PlannedOwner;
use super::{Happens, Planned, PlannedEdit, deferred, template};
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::ObjectId;

/// What happens later, and what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Later {
    /// The effect then.
    pub effect: Effect,
    /// What has to happen first.
    pub waits_for: WaitsFor,
}

/// What has to happen first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitsFor {
    /// The topology is reconciled again, which a refused write of its controller stops.
    Refusal,
    /// The upgrade that an annotation defers.
    Upgrade,
    /// The hook before an upgrade, which an annotation of the Cluster asks for.
    Hook,
    /// The end of a pause.
    Pause,
}

impl WaitsFor {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            WaitsFor::Refusal => "refusal",
            WaitsFor::Upgrade => "upgrade",
            WaitsFor::Hook => "hook",
            WaitsFor::Pause => "pause",
        }
    }
}

/// As the beginning of a sentence.
impl fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WaitsFor::Refusal => "waits until nothing is refused that the topology's controller writes first",
            WaitsFor::Upgrade => "waits for the upgrade that an annotation defers",
            WaitsFor::Hook => {
                "waits until no annotation of the Cluster asks for a hook before upgrades (feature gate RuntimeSDK)"
            }
            WaitsFor::Pause => "waits for the end of the pause",
        })
    }
}

/// What delays the effects of a change.
pub(super) struct Delays<'p> {
    before: &'p Hierarchy,
    pub(super) after: &'p Hierarchy,
    /// Owners of Machines with an upgrade that is deferred.
    held: BTreeSet<&'p ObjectId>,
    /// Clusters whose upgrade a hook holds: nothing but the infrastructure and health checks is written.
    hooked: BTreeSet<&'p ObjectId>,
    /// Clusters whose topologies are not reconciled any more.
    stopped: StoppedTopologies,
}

/// Whether an edit has to wait, the least certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Waiting {
    No,
    MayWait(Doubt),
    Waits(WaitsFor),
}

/// Why it is not known whether an edit waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    /// The same change begins a pause in another object.
    Order,
    /// Up to this release, the webhook of a provider refuses what the topology's controller writes.
    Release(&'static str),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Order => {
                f.write_str("the same change begins a pause in another object, and what is applied first decides")
            }
            Doubt::Release(release) => write!(
                f,
                "up to {release} of the provider, its webhook refuses the dry-run with which the topology's controller \
                 compares a template, and nothing is replaced"
            ),
        }
    }
}

/// How an object stops a controller.
type Stop = fn(&Value) -> bool;

fn is_annotated(object: &Value) -> bool {
    object.pointer("/metadata/annotations").is_some_and(|annotations| annotations.get(PAUSED).is_some())
}

fn is_paused(object: &Value) -> bool {
    object.pointer("/spec/paused").and_then(Value::as_bool) == Some(true)
}

impl<'p> Delays<'p> {
    pub(super) fn of(before: &'p Hierarchy, after: &'p Hierarchy, stopped: StoppedTopologies) -> Delays<'p> {
        let clusters = before.members().iter().filter(|member| is_cluster(&member.id));
        let held = clusters.flat_map(|cluster| {
            let children = || cluster.children.iter().filter_map(|number| before.member(*number));
            let is_older = |entry: &(&'static str, String), version: &Value| {
                let child = children().find(|child| child.origin.is_some() && child.topology_entries.contains(entry));
                let written = child.and_then(|child| child.written.pointer("/spec/template/spec/version"));
                written.is_some_and(|written| written != version)
            };
            let is = after.find(&cluster.id);
            let held = is.map(|is| deferred::held([&cluster.written, &is.written], is_older)).unwrap_or_default();
            let is_held = move |child: &&'p Member| child.topology_entries.iter().any(|entry| held.contains(entry));
            children().filter(is_held).map(|child| &child.id).collect::<Vec<_>>()
        });
        let hooked = before.members().iter().filter(|member| is_cluster(&member.id)).filter(|cluster| {
            let children = cluster.children.iter().filter_map(|number| before.member(*number));
            let version = children.filter(|child| child.id.is_control_plane()).find_map(deferred::made_version);
            let is = after.find(&cluster.id);
            is.is_some_and(|is| deferred::is_hooked([&cluster.written, &is.written], version))
        });
        Delays { before, after, held: held.collect(), hooked: hooked.map(|cluster| &cluster.id).collect(), stopped }
    }

    /// Marks what waits in an object.
    pub(super) fn mark(&self, planned: &mut Planned) {
        let id = planned.id.clone();
        planned.edits.iter_mut().for_each(|edit| self.mark_edit(&id, edit));
        let Some(effect) = planned.effect.filter(|effect| is_about_machines(*effect)) else { return };
        let owners = self.owners(&id, &planned.machines, None);
        if let (true, Waiting::Waits(waits_for)) =
            (planned.happens != Happens::Changed, self.of_all(&[&id], &owners, effect))
        {
            (planned.effect, planned.later) = (Some(Effect::Waits), Some(Later { effect, waits_for }));
        }
    }

    fn mark_edit(&self, id: &ObjectId, edit: &mut PlannedEdit) {
        // Health checks are not deferred, and neither is the deletion of workers.
        if edit.effect == Effect::Refused || edit.at.place == EditPlace::HealthCheck {
            return;
        }
        let effect = edit.effect;
        let owners = self.owners(id, &edit.machines, Some(&edit.at));
        let waiting = self.of_all(&[id], &owners, effect);
        match waiting {
            Waiting::Waits(waits_for) => {
                edit.later = Some(Later { effect, waits_for });
                if is_about_machines(effect) {
                    edit.waiting = std::mem::take(&mut edit.machines);
                    edit.effect = Effect::Waits;
                }
            }
            Waiting::MayWait(doubt) if is_about_machines(effect) => {
                (edit.effect, edit.scale, edit.is_deletion) = (Effect::CannotTell, None, false);
                edit.reason = Some(Cow::Owned(doubt.to_string()));
            }
            Waiting::MayWait(_) | Waiting::No => {
                let some = owners.iter().filter_map(|owner| match self.delay(id, owner, effect) {
                    Waiting::Waits(waits_for) => Some(waits_for),
                    _ => None,
                });
                if let Some(waits_for) = some.max() {
                    edit.waiting = self.waiting(id, &edit.machines, effect);
                    edit.machines.remove(&edit.waiting);
                    edit.later = Some(Later { effect, waits_for });
                }
            }
        }
    }

    /// Marks an owner of a topology, if it waits.
    pub(super) fn mark_owner(&self, owner: &mut PlannedOwner) {
        let edited: Vec<&ObjectId> = match &*owner.edits {
            [] => vec![&owner.cluster],
            edits => edits.iter().map(|edit| &edit.id).collect(),
        };
        let effect = owner.effect;
        match self.of_all(&edited, &[&owner.id], effect) {
            _ if effect == Effect::Refused => {}
            Waiting::Waits(waits_for) => {
                owner.later = Some(Later { effect, waits_for });
                owner.effect = if is_about_machines(effect) { Effect::Waits } else { effect };
            }
            Waiting::MayWait(doubt) if is_about_machines(effect) => {
                (owner.effect, owner.reason) = (Effect::CannotTell, Some(doubt.to_string()));
            }
            Waiting::MayWait(_) | Waiting::No => {}
        }
    }

    /// The number of topologies that are not reconciled any more.
    pub(super) fn stopped(&self) -> u64 {
        self.stopped.values().filter(|topology| topology.up_to.is_none()).map(|_| 1).sum()
    }

    /// Whether what a change writes into the objects below others does not reach an object now.
    pub(super) fn stop_at(&self, id: &ObjectId, changed: &BTreeSet<&ObjectId>) -> bool {
        let Some(member) = self.after.find(id) else { return false };
        let is_stopped = |above: &Member| {
            self.held.contains(&above.id)
                || self.hooked.contains(&above.id)
                || self.stops_before(&above.id).is_some_and(|it| it.up_to.is_none())
        };
        if self.after.upwards(member).any(is_stopped) {
            return true;
        }
        // The policy does not say what propagates below a Cluster that is paused in any way. What was held back from an object
        // in the files reaches it when the pause ends.
        let sides = [Some(self.after), Some(self.before).filter(|_| member.origin.is_none())];
        self.after.upwards(member).skip(1).any(|above| match &*above.id.kind {
            "ClusterClass" if !changed.contains(&above.id) => false,
            "Cluster" => sides
                .into_iter()
                .flatten()
                .filter_map(|side| side.find(&above.id))
                .any(|it| is_annotated(&it.written) || is_paused(&it.written)),
            _ => matches!(self.paused_by(&above.id, is_annotated, false), Waiting::Waits(_)),
        })
    }

    /// The topology that stops before it reaches an owner of Machines.
    fn stops_before(&self, owner: &ObjectId) -> Option<&StoppedTopology> {
        let (side, member) = self.find(owner)?;
        let cluster = side.upwards(member).find(|above| is_cluster(&above.id))?;
        self.stopped.get(&cluster.id).filter(|it| it.at < StoppedAt::of(owner) || it.owners.contains(owner))
    }

    /// The Machines that an edit reaches only later.
    fn waiting(&self, edited: &ObjectId, machines: &Machines, effect: Effect) -> Machines {
        let waits = |id: &ObjectId| matches!(self.delay(edited, self.owner(id), effect), Waiting::Waits(_));
        let mut waiting = machines.clone();
        waiting.named.retain(waits);
        waiting.predicted.retain(|owner, _| waits(owner));
        waiting.uncounted.retain(waits);
        waiting
    }

    /// The owners of Machines; if there are none, what the path of the edit is about.
    fn owners<'i>(&'i self, edited: &'i ObjectId, machines: &'i Machines, at: Option<&EditPath>) -> Vec<&'i ObjectId> {
        let Machines { named, predicted, uncounted } = machines;
        let all: BTreeSet<&ObjectId> =
            named.iter().chain(predicted.keys()).chain(uncounted).map(|id| self.owner(id)).collect();
        if !all.is_empty() {
            return all.into_iter().collect();
        }
        let part = at.filter(|at| at.part != EditedPart::Whole && is_cluster(edited)).map(|at| Part::of(edited, at));
        let child = part.and_then(|part| {
            [self.before, self.after].into_iter().find_map(|side| {
                let child = part.child(side, edited)?;
                side.find(&child).map(|member| &member.id)
            })
        });
        vec![child.unwrap_or(edited)]
    }

    /// The topmost object below the Cluster: its controller decides about the Machine.
    fn owner<'i>(&'i self, id: &'i ObjectId) -> &'i ObjectId {
        let Some((side, member)) = self.find(id) else { return id };
        side.upwards(member).map(|above| &above.id).take_while(|id| !is_cluster(id)).last().unwrap_or(id)
    }

    /// Whether edits of some objects wait before they reach any of some owners of Machines.
    fn of_all(&self, edited: &[&ObjectId], owners: &[&ObjectId], effect: Effect) -> Waiting {
        let all = edited.iter().flat_map(|id| owners.iter().map(|owner| self.delay(id, owner, effect)));
        let all: Vec<Waiting> = all.collect();
        let doubt = all.iter().find(|it| matches!(it, Waiting::MayWait(_)));
        doubt.or_else(|| all.iter().min()).copied().unwrap_or(Waiting::No)
    }

    /// Whether an edit of an object waits before it reaches an owner of Machines.
    fn delay(&self, edited: &ObjectId, owner: &ObjectId, effect: Effect) -> Waiting {
        let cluster = self.find(owner).and_then(|(side, member)| {
            side.upwards(member).find(|member| is_cluster(&member.id)).map(|cluster| &cluster.id)
        });
        let is_template = template::is_template(edited);
        let is_of_topology = is_template
            || edited.group == CORE_GROUP && matches!(&*edited.kind, "Cluster" | "ClusterClass") && owner != edited;
        let is_rollout = matches!(effect, Effect::Rollout | Effect::Scheduled | Effect::ReplacedWhenDeleted);
        let stops: [(Option<&ObjectId>, Stop, bool); 5] = [
            (cluster, is_paused, true),
            (cluster, is_annotated, is_of_topology),
            (Some(edited), is_annotated, !is_template),
            (Some(owner), is_annotated, true),
            (Some(owner), is_paused, is_rollout),
        ];
        let stops = stops.into_iter().filter(|(.., counts)| *counts);
        let found = stops.filter_map(|(holder, stop, _)| Some(self.paused_by(holder?, stop, holder? == edited)));
        let is_update = is_of_topology && effect != Effect::Destructive;
        let is_hooked = is_update && cluster.is_some_and(|it| it != owner && self.hooked.contains(it));
        let is_held = is_update && self.held.contains(owner);
        let stopped = self.stops_before(owner).filter(|_| is_of_topology);
        let of_stop = match stopped.and_then(|it| it.up_to) {
            Some(release) => Waiting::MayWait(Doubt::Release(release)),
            None => Waiting::Waits(WaitsFor::Refusal),
        };
        let others = [
            (is_hooked, Waiting::Waits(WaitsFor::Hook)),
            (is_held, Waiting::Waits(WaitsFor::Upgrade)),
            (stopped.is_some(), of_stop),
        ];
        let others = others.into_iter().filter(|(waits, _)| *waits).map(|(_, waiting)| waiting);
        found.chain(others).max().unwrap_or(Waiting::No)
    }

    /// Whether an object stops a controller after the change; of one that is deleted, before it.
    fn paused_by(&self, holder: &ObjectId, stop: Stop, is_edited: bool) -> Waiting {
        let [before, after] = [self.before, self.after].map(|side| side.find(holder).map(|it| stop(&it.written)));
        match (before, after) {
            (Some(true), None | Some(true)) | (None, Some(true)) => Waiting::Waits(WaitsFor::Pause),
            (_, Some(true)) if is_edited => Waiting::Waits(WaitsFor::Pause),
            (_, Some(true)) => Waiting::MayWait(Doubt::Order),
            _ => Waiting::No,
        }
    }

    fn find(&self, id: &ObjectId) -> Option<(&'p Hierarchy, &'p Member)> {
        [self.after, self.before].into_iter().find_map(|side| Some((side, side.find(id)?)))
    }
}

fn is_cluster(id: &ObjectId) -> bool {
    id.group == CORE_GROUP && id.kind == "Cluster"
}

/// Whether Machines are replaced, created or deleted, or may be.
fn is_about_machines(effect: Effect) -> bool {
    effect > Effect::InPlace && effect != Effect::Refused
}
