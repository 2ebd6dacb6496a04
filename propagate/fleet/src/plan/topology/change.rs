//! One topology before and after a change of what it is made from.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::Settings;
use metadata_propagation::cluster_api::CORE_GROUP;
use serde_json::{Value, json};
use topology::{
    Before, Desired, DesiredPart, Gap, Inputs, Obstacle, PartChange, PartDifference, PartRole, StoredDefaults,
    TopologyOwner, TopologyRefusal, WORKERS, applied, desired, differences, stored_defaults, unevaluated_rule,
    value_refusals,
};

use super::answer::Computed;
use super::changed_part::ChangedPart;
use super::health_checks::health_checks;
use super::placeholder::{Placeholders, set_otherwise};
use super::refusals::{emptied, of_class, refusal};
use crate::hierarchy::Hierarchy;
use crate::made::{class, template, yaml};
use crate::member::Member;
use crate::object::ObjectId;
use crate::plan::conversion::{as_stored, in_newest, in_one_version};
use crate::plan::impact::Sides;
use crate::plan::machines::Part;
use crate::plan::path::EditPath;
use crate::plan::refused::chains;
use crate::plan::stopped::{StoppedAt, StoppedTopology};
use crate::plan::template::DryRun;
use crate::relations::text;
use crate::scope::class_templates;

/// What a topology is made from.
#[derive(Clone)]
pub(super) struct TopologySources<'p> {
    pub(super) cluster: Cow<'p, Value>,
    pub(super) class: Cow<'p, Value>,
    class_id: ObjectId,
    templates: &'p Hierarchy,
    /// The templates that are others than there.
    others: BTreeMap<ObjectId, Value>,
}

/// A topology whose Cluster, class or templates change.
pub(super) struct TopologyChange<'p> {
    pub(super) cluster: &'p ObjectId,
    pub(super) around: Sides<'p>,
    pub(super) old: TopologySources<'p>,
    /// Without the objects that a webhook refuses.
    pub(super) new: TopologySources<'p>,
    /// What it is made from, before and after.
    pub(super) concerned: BTreeSet<ObjectId>,
    stored: StoredDefaults,
    versions: BTreeMap<TopologyOwner, String>,
}

/// The objects that differ, as long as both states can be computed.
pub(super) struct Comparison {
    pub(super) before: Desired,
    pub(super) after: Desired,
    pub(super) parts: Vec<ChangedPart>,
}

impl Comparison {
    /// The objects that the API server or a webhook refuses, and why, in the order in which they are written.
    fn refused(&self, class: &Value, settings: &Settings) -> Vec<(&ChangedPart, TopologyRefusal)> {
        let is_chained = chains(class);
        let refused = self.parts.iter().filter_map(|part| Some((part, refusal(part, is_chained, settings)?)));
        let mut refused: Vec<(&ChangedPart, TopologyRefusal)> = refused.collect();
        refused.sort_by_key(|(part, _)| part.step());
        refused
    }
}

pub(super) fn written<'h>(hierarchy: &'h Hierarchy, id: &ObjectId) -> Option<&'h Value> {
    Some(&hierarchy.find(id)?.written)
}

/// The objects that the topology of a Cluster is made from: itself, its class, and the templates of that.
pub(super) fn concerned(cluster: &ObjectId, side: &Hierarchy) -> BTreeSet<ObjectId> {
    let mut found = BTreeSet::from([cluster.clone()]);
    let Some(id) = written(side, cluster).and_then(|value| class(value, cluster)) else { return found };
    let mut templates = BTreeSet::new();
    written(side, &id).into_iter().for_each(|class| class_templates(class, &mut templates));
    found.extend(templates.into_iter().map(|(group, kind, name)| ObjectId::new(&group, &kind, &id.namespace, &name)));
    found.insert(id);
    found
}

impl<'p> TopologySources<'p> {
    fn of(cluster: &ObjectId, side: &'p Hierarchy) -> Option<TopologySources<'p>> {
        let value = written(side, cluster)?;
        let class_id = class(value, cluster)?;
        let class = Cow::Borrowed(written(side, &class_id)?);
        let (cluster, others) = (Cow::Borrowed(value), BTreeMap::new());
        Some(TopologySources { cluster, class, class_id, templates: side, others })
    }

    /// The same with another value of one object.
    fn with(mut self, cluster: &ObjectId, id: &ObjectId, value: Value) -> TopologySources<'p> {
        if id == cluster {
            self.cluster = Cow::Owned(value);
        } else if *id == self.class_id {
            self.class = Cow::Owned(value);
        } else {
            self.others.insert(id.clone(), value);
        }
        self
    }
}

impl<'p> TopologyChange<'p> {
    /// `None` if there is no topology, or a class is not known.
    pub(super) fn of(
        cluster: &'p ObjectId,
        concerned: BTreeSet<ObjectId>,
        around: Sides<'p>,
    ) -> Option<TopologyChange<'p>> {
        let [old, new] = [around.before, around.after].map(|side| TopologySources::of(cluster, side));
        let (old, new) = (old?, new?);
        let stored = stored_defaults(&old.cluster, &old.class);
        let versions = versions(cluster, around.before);
        Some(TopologyChange { cluster, around, old, new, concerned, stored, versions })
    }

    /// The objects of one state; also those of the state before if only new templates are missing in it.
    fn desired(&self, of: &TopologySources<'_>) -> Result<Desired, Obstacle> {
        let find = |reference: &Value| {
            let id = template(&of.class_id.namespace, reference);
            let found = of.others.get(&id).or_else(|| written(of.templates, &id))?;
            // An edit may remove the last element of a list; one that was empty before cannot have been stored.
            Some(if self.concerned.contains(&id) { applied(found).into_owned() } else { found.clone() })
        };
        let (cluster, class) = (Some(&*self.old.cluster), Some(&*self.old.class));
        let before = Before { cluster, class, versions: Some(&self.versions) };
        let [cluster, class] = as_stored([&of.cluster, &of.class]);
        desired(Inputs { cluster: &cluster, class: &class, templates: &find, stored: &self.stored, before, yaml })
    }

    /// The state with the value that an edit had before it, or before the change with the value that it has after it.
    fn with(
        &self,
        base: &TopologySources<'p>,
        id: &ObjectId,
        at: &EditPath,
        is_after: bool,
    ) -> Option<TopologySources<'p>> {
        let sides = [self.around.before.find(id)?, self.around.after.find(id)?];
        let (_, [was, is]) = in_one_version(id, sides.map(Member::version), sides.map(|side| &*side.written))?;
        let (from, mut to) = if is_after { (is, was.into_owned()) } else { (was, is.into_owned()) };
        at.copy(&from, &mut to);
        Some(base.clone().with(self.cluster, id, to))
    }

    pub(super) fn without(&self, id: &ObjectId, at: &EditPath) -> Option<TopologySources<'p>> {
        self.with(&self.new, id, at, false)
    }

    pub(super) fn with_only(&self, id: &ObjectId, at: &EditPath) -> Option<TopologySources<'p>> {
        self.with(&self.old, id, at, true)
    }

    /// Keeps an object as it was: it is not written.
    pub(super) fn keep(&mut self, id: &ObjectId) {
        let was = written(self.around.before, id).cloned();
        if let Some(was) = was {
            self.new = self.new.clone().with(self.cluster, id, was);
            self.concerned.remove(id);
        }
    }

    /// What the webhooks refuse in one state of Cluster and class.
    pub(super) fn refusals(&self, cluster: &Value, class: &Value) -> Vec<TopologyRefusal> {
        let mut refused = value_refusals(cluster, class, &self.stored);
        refused.extend(of_class(cluster, class));
        let variables = self.old.cluster.pointer("/spec/topology/variables").and_then(Value::as_array);
        let had_variables = variables.is_some_and(|variables| !variables.is_empty());
        refused.extend(emptied(cluster, class).filter(|_| !had_variables));
        refused
    }

    pub(super) fn class(&self) -> &ObjectId {
        &self.new.class_id
    }

    pub(super) fn edits_class(&self) -> bool {
        self.concerned.contains(&self.new.class_id) && self.new.class_id == self.old.class_id
    }

    /// What a state is made of, in the versions of the first one.
    pub(super) fn computed(&self, sources: &TopologySources<'_>, like: &Desired) -> Option<Desired> {
        let mut sides = [self.desired(sources).ok()?];
        let versions = api_versions(sides.iter().chain([like]));
        if has_several(&versions) {
            sides.iter_mut().flat_map(|side| &mut side.parts).for_each(|part| in_newest(&mut part.object));
        }
        let [desired] = sides;
        Some(desired)
    }

    /// The difference of two states.
    ///
    /// # Errors
    /// When one cannot be computed, or Cluster API refuses what it would write.
    pub(super) fn compare(&self, to: &TopologySources<'_>) -> Result<Comparison, Obstacle> {
        let clusters = [&*self.old.cluster, &*to.cluster];
        let placeholders = Placeholders::of(clusters);
        let found = self.difference(to).map_err(|obstacle| placeholders.resolved(obstacle))?;
        if let Some((_, refusal)) = found.refused(&to.class, self.around.settings).into_iter().next() {
            return Err(placeholders.resolved(refusal.into()));
        }
        if self.edits_class() || self.concerned.contains(self.cluster) {
            let states = [(&*self.old.cluster, &*self.old.class), (&*to.cluster, &*to.class)];
            let deciding = placeholders.deciding(states.map(|(_, class)| class), &set_otherwise(clusters));
            if let Some(gap) = unevaluated_rule(states, &self.stored).or(deciding) {
                return Err(gap.into());
            }
        }
        Ok(found)
    }

    /// What the controller refuses in the values of variables, and did not before.
    ///
    /// Source: `DefaultAndValidateVariables`, which core/reconcilers/topology/cluster/cluster_controller.go of Cluster API v1.14
    /// calls before it reads the templates.
    fn value_refusal(&self, to: &TopologySources<'_>) -> Option<TopologyRefusal> {
        let [before, after] = [&self.old, to].map(|state| value_refusals(&state.cluster, &state.class, &self.stored));
        news(&after, &before)
    }

    fn difference(&self, to: &TopologySources<'_>) -> Result<Comparison, Obstacle> {
        if let Some(refusal) = self.value_refusal(to) {
            return Err(refusal.into());
        }
        let before = self.desired(&self.old).or_else(|obstacle| match obstacle {
            // What was refused before is not what is stored.
            Obstacle::Refused(refusal) => Err(Gap::RefusedBefore(Box::new(refusal)).into()),
            Obstacle::Unknown(_) => self.desired(&TopologySources { templates: self.around.after, ..self.old.clone() }),
        });
        let (mut before, mut after) = (before?, self.desired(to)?);
        if has_several(&api_versions([&before, &after])) {
            before.parts.iter_mut().chain(&mut after.parts).for_each(|part| in_newest(&mut part.object));
        }
        let parts = changed_parts(&before, &after);
        Ok(Comparison { before, after, parts })
    }

    /// Where the topology's controller stops with some releases of a provider.
    pub(super) fn may_stop(&self, found: &Comparison) -> Option<StoppedTopology> {
        let release = |part: &ChangedPart| match part.dry_run().0 {
            DryRun::RefusedUpTo(release) => Some((part.step(), part.owner().clone(), release)),
            DryRun::Accepted | DryRun::Refused => None,
        };
        let found: Vec<(StoppedAt, TopologyOwner, &'static str)> = found.parts.iter().filter_map(release).collect();
        let (at, _, up_to) = found.iter().min()?;
        let owners = found.iter().filter(|it| it.0 == *at).filter_map(|it| self.child(&it.1)).collect();
        Some(StoppedTopology { at: *at, owners, up_to: Some(up_to) })
    }

    /// The control plane or the workers.
    fn child(&self, owner: &TopologyOwner) -> Option<ObjectId> {
        Part::of_owner(owner)?.child(self.around.before, self.cluster)
    }

    /// Where the topology's controller stops because it is refused what it writes, and what it writes before.
    pub(super) fn until_refusal(&self) -> (StoppedTopology, Option<Comparison>) {
        let Ok(mut found) = self.difference(&self.new) else { return (StoppedTopology::default(), None) };
        let refused: Vec<(StoppedAt, TopologyOwner)> = found
            .refused(&self.new.class, self.around.settings)
            .iter()
            .map(|(part, _)| (part.step(), part.owner().clone()))
            .collect();
        let Some(at) = refused.iter().map(|(at, _)| *at).min() else { return (StoppedTopology::default(), None) };
        let owners: Vec<TopologyOwner> = refused.into_iter().filter(|it| it.0 == at).map(|it| it.1).collect();
        // Workers of one kind are updated in any order, and deleted last.
        let is_before = |part: &ChangedPart| {
            let is_deleted = part.difference.happens == PartChange::Deleted;
            part.step() < at || part.step() == at && !owners.contains(part.owner()) && !is_deleted
        };
        found.parts.retain(is_before);
        let owners = owners.iter().filter_map(|owner| self.child(owner)).collect();
        (StoppedTopology { at, owners, up_to: None }, Some(found))
    }

    /// Whether the objects show everything that the change does to Machines: all of them are computed, none waits for an
    /// upgrade, and no health check of a class differs.
    pub(super) fn state(&self, found: &Comparison) -> Computed {
        let is_known = |part: &DesiredPart| part.gap().is_none() && !part.is_held;
        if ![&found.before, &found.after].into_iter().flat_map(|desired| &desired.parts).all(is_known) {
            return Computed::Owners;
        }
        let (old, new) = (&self.old, &self.new);
        let was = health_checks(&old.cluster, &old.class, &new.cluster);
        let is = health_checks(&new.cluster, &new.class, &old.cluster);
        if was == is { Computed::Wholly } else { Computed::Unchecked }
    }
}

type ApiVersions<'d> = BTreeMap<(PartRole, &'d TopologyOwner), BTreeSet<&'d str>>;

fn api_versions<'d>(of: impl IntoIterator<Item = &'d Desired>) -> ApiVersions<'d> {
    let mut versions = ApiVersions::new();
    for part in of.into_iter().flat_map(|desired| &desired.parts) {
        versions.entry((part.role, &part.owner)).or_default().insert(text(&part.object, "apiVersion"));
    }
    versions
}

fn has_several(versions: &ApiVersions<'_>) -> bool {
    versions.values().any(|versions| versions.len() > 1)
}

/// The refusals that there were not before.
pub(super) fn news(of: &[TopologyRefusal], than: &[TopologyRefusal]) -> Option<TopologyRefusal> {
    let mut new: Vec<TopologyRefusal> = of.iter().filter(|it| !than.contains(it)).cloned().collect();
    if new.len() > 1 { Some(TopologyRefusal::Several(new)) } else { new.pop() }
}

/// The versions of workers that exist.
fn versions(cluster: &ObjectId, before: &Hierarchy) -> BTreeMap<TopologyOwner, String> {
    let Some(cluster) = before.find(cluster) else { return BTreeMap::new() };
    let children = cluster.children.iter().filter_map(|number| before.member(*number));
    let version = |child: &Member| {
        let kind = WORKERS.into_iter().find(|kind| kind.kind == child.id.kind && child.id.group == CORE_GROUP)?;
        let name = text(child.written.pointer("/metadata/labels")?, kind.label).to_owned();
        let version = child.written.pointer("/spec/template/spec/version")?.as_str()?;
        Some(((kind.owner)(name), version.to_owned()))
    };
    children.filter(|child| child.origin.is_some()).filter_map(version).collect()
}

/// What differs between two states. Owners that wait are left out, and when they replace Machines is as after the change.
fn changed_parts(before: &Desired, after: &Desired) -> Vec<ChangedPart> {
    let held: BTreeSet<&TopologyOwner> =
        after.parts.iter().filter(|part| part.is_held).map(|part| &part.owner).collect();
    let with_object = |difference: PartDifference| {
        let is_it = |part: &&DesiredPart| part.owner == difference.owner && part.role == difference.role;
        let object = before.parts.iter().find(is_it).map(|part| part.object.clone()).unwrap_or_else(|| json!({}));
        let is_on_delete = after.parts.iter().any(|part| {
            let strategies = ["/spec/rollout/strategy/type", "/spec/strategy/type"];
            part.owner == difference.owner
                && part.role == PartRole::Workers
                && strategies.iter().any(|path| part.object.pointer(path).is_some_and(|it| it == "OnDelete"))
        });
        ChangedPart { difference, object, is_on_delete }
    };
    let differing = differences(before, after).into_iter().filter(|it| !held.contains(&it.owner));
    differing.map(with_object).collect()
}
