//! The topologies before the change, with the new templates and class only, and after the change.

use std::collections::{BTreeMap, BTreeSet};

use metadata_propagation::cluster_api::{CORE_GROUP, TOPOLOGY_DEPLOYMENT_NAME, TOPOLOGY_POOL_NAME};
use serde_json::{Value, json};
use topology::{
    Before, Desired, DesiredPart, Gap, Inputs, Obstacle, PartDifference, PartRole, TopologyOwner, TopologyRefusal,
    class_refusals, desired, differences, stored_defaults, unevaluated_rule, value_refusals,
};

use super::super::at;
use super::super::conversion::convert;
use super::super::impact::Sides;
use super::super::refused::chains;
use super::changed_part::ChangedPart;
use super::health_checks::health_checks;
use super::placeholder::{Placeholders, set_variables};
use super::refusals::{of_class, refusal};
use crate::each::each;
use crate::fleet::Fleet;
use crate::hierarchy::Hierarchy;
use crate::made::{class, template, yaml};
use crate::member::Member;
use crate::object::{ObjectId, group_and_version};
use crate::relations::text;
use crate::scope::class_templates;

/// What a change of one object does to a topology.
pub(super) enum ObjectChange<'c> {
    /// Nothing is known; why, if an object is defined twice, or Cluster API refuses the topology before the change.
    Unknown(Option<&'c Gap>),
    Refused(&'c TopologyRefusal),
    Parts(&'c [ChangedPart]),
}

/// A topology whose Cluster, class or templates change.
pub(super) struct TopologyChange<'p> {
    cluster: &'p ObjectId,
    /// What changes and concerns it.
    edited: BTreeSet<ObjectId>,
    /// The Cluster before and after.
    clusters: [&'p Value; 2],
    /// Its class before and after, if both are known.
    classes: Option<[&'p Value; 2]>,
    by_template: Result<Vec<ChangedPart>, Obstacle>,
    by_class: Result<Vec<ChangedPart>, Obstacle>,
    by_cluster: Result<Vec<ChangedPart>, Obstacle>,
    /// Whether its objects show everything that the change does to Machines.
    is_complete: bool,
}

impl TopologyChange<'_> {
    pub(super) fn cluster(&self) -> &ObjectId {
        self.cluster
    }

    pub(super) fn concerns(&self, id: &ObjectId) -> bool {
        self.edited.contains(id)
    }

    /// The objects that differ after each step.
    pub(super) fn parts(&self) -> impl Iterator<Item = &ChangedPart> {
        [&self.by_template, &self.by_class, &self.by_cluster].into_iter().flatten().flatten()
    }

    /// Whether an edit of an object may add or remove workers: that of the Cluster, if it is edited.
    pub(super) fn adds_workers(&self, id: &ObjectId) -> bool {
        id == self.cluster || !self.concerns(self.cluster)
    }

    /// Whether its objects show everything that the change does to Machines: all of them are computed, none waits for an
    /// upgrade, and no health check of a class differs.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete && [&self.by_template, &self.by_class, &self.by_cluster].into_iter().all(Result::is_ok)
    }

    /// Whether the value of a variable in the list at a path, or below it, differs.
    pub(super) fn sets(&self, path: &str, name: &str) -> bool {
        let path = path.split_once("variables").map_or(path, |(before, _)| before).to_owned() + "variables";
        let [old, new] = self.clusters.map(|cluster| {
            let list = at(cluster, &path)?;
            let mut values = list.get("overrides").unwrap_or(list).as_array()?.iter();
            values.find(|value| text(value, "name") == name)?.get("value")
        });
        old != new
    }

    /// Whether a patch of the class differs.
    pub(super) fn has_other_patch(&self, name: &str) -> bool {
        self.classes.is_none_or(|classes| {
            let [old, new] = classes.map(|class| {
                let mut patches = class.pointer("/spec/patches").and_then(Value::as_array)?.iter();
                patches.find(|patch| text(patch, "name") == name)
            });
            old != new
        })
    }

    /// Whether a template of the class is edited.
    pub(super) fn has_template(&self) -> bool {
        self.edited.iter().any(|id| id.kind.ends_with("Template"))
    }

    /// What the change of one object does.
    pub(super) fn of(&self, id: &ObjectId) -> ObjectChange<'_> {
        let change = match &*id.kind {
            "Cluster" => &self.by_cluster,
            "ClusterClass" => &self.by_class,
            _ => &self.by_template,
        };
        match change {
            Ok(parts) => ObjectChange::Parts(parts),
            Err(Obstacle::Unknown(gap)) => {
                let is_told = matches!(
                    gap,
                    Gap::DefinedTwice(_) | Gap::RefusedBefore(_) | Gap::Placeholder(_) | Gap::Rule { .. }
                );
                ObjectChange::Unknown(Some(gap).filter(|_| is_told))
            }
            Err(Obstacle::Refused(refusal)) => ObjectChange::Refused(refusal),
        }
    }
}

/// The topologies that the edited objects belong to.
pub(super) fn changes<'p>(
    edited: &[&ObjectId],
    (old, new): (&'p Fleet, &'p Fleet),
    around: Sides<'p>,
) -> Vec<TopologyChange<'p>> {
    let edited: BTreeSet<&ObjectId> = edited.iter().copied().collect();
    let clusters: Vec<&ObjectId> = old
        .objects()
        .map(|object| &object.id)
        .filter(|id| id.group == CORE_GROUP && id.kind == "Cluster" && new.find(id).is_some())
        .collect();
    let twice: BTreeSet<&ObjectId> = old.variants().keys().chain(new.variants().keys()).collect();
    let refused = |id: &&ObjectId| {
        let [old, new] = [around.before, around.after].map(|side| written(side, id).map(class_refusals));
        ((*id).clone(), news(&new.unwrap_or_default(), &old.unwrap_or_default()))
    };
    let classes: BTreeMap<ObjectId, Option<TopologyRefusal>> =
        edited.iter().filter(|id| id.kind == "ClusterClass").map(refused).collect();
    each(&clusters, |cluster| change(cluster, (&edited, &twice, &classes), around)).into_iter().flatten().collect()
}

fn change<'p>(
    cluster: &'p ObjectId,
    (edited, twice, classes): (
        &BTreeSet<&ObjectId>,
        &BTreeSet<&ObjectId>,
        &BTreeMap<ObjectId, Option<TopologyRefusal>>,
    ),
    around: Sides<'p>,
) -> Option<TopologyChange<'p>> {
    let (was, is) = (written(around.before, cluster)?, written(around.after, cluster)?);
    let clusters = [was, is];
    let (old_class, new_class) = (class(was, cluster)?, class(is, cluster)?);
    let mut concerned: BTreeSet<ObjectId> = [cluster, &old_class].into_iter().cloned().collect();
    let (before, after) = (written(around.before, &old_class), written(around.after, &new_class));
    for (id, class) in [(&old_class, before), (&new_class, after)] {
        let mut templates = BTreeSet::new();
        class.iter().for_each(|class| class_templates(class, &mut templates));
        let id = |(group, kind, name): (String, String, String)| ObjectId::new(&group, &kind, &id.namespace, &name);
        concerned.extend(templates.into_iter().map(id));
    }
    let defined_twice = concerned.iter().find(|id| twice.contains(id)).map(|id| Gap::DefinedTwice(id.to_string()));
    concerned.retain(|id| edited.contains(id));
    if concerned.is_empty() {
        return None;
    }
    let unknown = || Err(Obstacle::Unknown(defined_twice.clone().unwrap_or(Gap::NoClass)));
    let (Some(before), Some(after), None) = (before, after, &defined_twice) else {
        let [by_template, by_class, by_cluster] = [unknown(), unknown(), unknown()];
        let (edited, classes, is_complete) = (concerned, None, false);
        return Some(TopologyChange {
            cluster,
            edited,
            clusters,
            classes,
            by_template,
            by_class,
            by_cluster,
            is_complete,
        });
    };
    let stored = stored_defaults(was, before);
    let versions = versions(cluster, around.before);
    let compute = |cluster: &Value, (class, id): (&Value, &ObjectId), templates: &Hierarchy| {
        let find = |reference: &Value| written(templates, &template(&id.namespace, reference)).cloned();
        let before = Before { cluster: Some(was), class: Some(before), versions: Some(&versions) };
        desired(Inputs { cluster, class, templates: &find, stored: &stored, before, yaml })
    };
    // What is not edited is not computed again.
    let is_edited = |is_it: fn(&ObjectId) -> bool| concerned.iter().any(is_it);
    let has_template = is_edited(|id| id.kind.ends_with("Template"));
    let has_class = is_edited(|id| id.kind == "ClusterClass") && old_class == new_class;
    let mut stages = [
        Some(compute(was, (before, &old_class), around.before)),
        has_template.then(|| compute(was, (before, &old_class), around.after)),
        has_class.then(|| compute(was, (after, &new_class), around.after)),
        is_edited(|id| id.kind == "Cluster").then(|| compute(is, (after, &new_class), around.after)),
    ];
    in_one_version(&mut stages);
    let [Some(first), with_templates, with_class, last] = &stages else { return None };
    let with_templates = with_templates.as_ref().unwrap_or(first);
    let with_class = with_class.as_ref().unwrap_or(with_templates);
    let last = last.as_ref().unwrap_or(with_class);
    // If only several edits together can be computed, each may be the reason for everything.
    let known = |step, next| [step, next, last].into_iter().find(|it| Result::is_ok(it)).unwrap_or(step);
    let since = |step| if Result::is_ok(step) { step } else { first };
    // What only an edit alone would break is accepted together with the others.
    let is_chained = chains(after);
    let checks = between(first, last, last, (true, is_chained)).is_err();
    let between = |before, after| between(before, after, last, (checks, is_chained));
    let by_template = between(first, known(with_templates, with_class));
    let mut by_class = between(since(with_templates), known(with_class, last));
    let mut by_cluster = between(since(with_class), last);
    // What was refused before the edit is not reported.
    let refused = [(was, before), (was, after), (is, after)].map(|(cluster, class)| {
        let mut refused = value_refusals(cluster, class, &stored);
        refused.extend(of_class(cluster, class));
        refused
    });
    let [old, classed, new] = &refused;
    if has_class && let Some(refusal) = news(classed, old).or_else(|| classes.get(&new_class).cloned().flatten()) {
        by_class = Err(refusal.into());
    }
    if let Some(refusal) =
        news(new, if has_class { classed } else { old }).filter(|_| is_edited(|id| id.kind == "Cluster"))
    {
        by_cluster = Err(refusal.into());
    }
    // What is known to be refused needs no rule.
    let ruled = |parts: Result<_, Obstacle>, sides| match parts {
        Ok(parts) => unevaluated_rule(sides, &stored).map_or(Ok(parts), |gap| Err(gap.into())),
        obstacle => obstacle,
    };
    if has_class {
        by_class = ruled(by_class, [(was, before), (was, after)]);
    }
    if is_edited(|id| id.kind == "Cluster") {
        by_cluster = ruled(by_cluster, [(was, if has_class { after } else { before }), (is, after)]);
    }
    let placeholders = Placeholders::of(clusters);
    let (by_template, by_class, by_cluster) = {
        let resolved = |parts: Result<_, Obstacle>| parts.map_err(|obstacle| placeholders.resolved(obstacle));
        (resolved(by_template), resolved(by_class), resolved(by_cluster))
    };
    let is_set = |name: &str| is_set_otherwise(clusters, name);
    let deciding = placeholders.deciding([before, after], is_set).map(Obstacle::from);
    let unknown = |parts, is_edited: bool| deciding.clone().filter(|_| is_edited).map_or(parts, Err);
    let by_class = unknown(by_class, has_class);
    let by_cluster = unknown(by_cluster, is_edited(|id| id.kind == "Cluster"));
    let is_complete =
        [first, last].into_iter().all(is_whole) && health_checks(was, before, is) == health_checks(is, after, was);
    let (edited, classes) = (concerned, Some([before, after]));
    Some(TopologyChange { cluster, edited, clusters, classes, by_template, by_class, by_cluster, is_complete })
}

/// Whether all objects of a topology are computed, and none waits for an upgrade.
fn is_whole(desired: &Result<Desired, Obstacle>) -> bool {
    let is_known = |part: &DesiredPart| part.gap().is_none() && !part.is_held;
    desired.as_ref().is_ok_and(|desired| desired.parts.iter().all(is_known))
}

/// Whether a Cluster sets a variable otherwise after the change.
fn is_set_otherwise(clusters: [&Value; 2], name: &str) -> bool {
    let is_it = |variable: &&Value| text(variable, "name") == name;
    let [old, new] = clusters.map(|cluster| set_variables(cluster).into_iter().filter(is_it).collect::<Vec<_>>());
    old != new
}

/// Converts objects of Cluster API to its newest version if the stages do not all have one: it compares them so.
fn in_one_version(stages: &mut [Option<Result<Desired, Obstacle>>; 4]) {
    let parts = || stages.iter().flatten().flatten().flat_map(|desired| &desired.parts);
    let versions: BTreeSet<(&PartRole, &TopologyOwner, &str)> =
        parts().map(|part| (&part.role, &part.owner, text(&part.object, "apiVersion"))).collect();
    let of: BTreeSet<(&PartRole, &TopologyOwner)> = parts().map(|part| (&part.role, &part.owner)).collect();
    if versions.len() == of.len() {
        return;
    }
    for part in stages.iter_mut().flatten().flatten().flat_map(|desired| &mut desired.parts) {
        let (group, version) = group_and_version(text(&part.object, "apiVersion"));
        let (id, version) = (ObjectId::new(group, text(&part.object, "kind"), "", ""), version.to_owned());
        convert(&id, &version, &mut part.object);
    }
}

/// The refusals that there were not before.
fn news(of: &[TopologyRefusal], than: &[TopologyRefusal]) -> Option<TopologyRefusal> {
    let mut new: Vec<TopologyRefusal> = of.iter().filter(|it| !than.contains(it)).cloned().collect();
    if new.len() > 1 { Some(TopologyRefusal::Several(new)) } else { new.pop() }
}

/// The versions of workers that exist.
fn versions(cluster: &ObjectId, before: &Hierarchy) -> BTreeMap<TopologyOwner, String> {
    let Some(cluster) = before.find(cluster) else { return BTreeMap::new() };
    let children = cluster.children.iter().filter_map(|number| before.member(*number));
    let version = |child: &Member| {
        let labels = child.written.pointer("/metadata/labels")?;
        let owner = match &*child.id.kind {
            "MachineDeployment" => TopologyOwner::MachineDeployment(text(labels, TOPOLOGY_DEPLOYMENT_NAME).to_owned()),
            "MachinePool" => TopologyOwner::MachinePool(text(labels, TOPOLOGY_POOL_NAME).to_owned()),
            _ => return None,
        };
        let version = child.written.pointer("/spec/template/spec/version")?.as_str()?;
        Some((owner, version.to_owned()))
    };
    children.filter(|child| child.origin.is_some()).filter_map(version).collect()
}

/// What differs between two steps. Whether owners wait, and when they replace Machines, is as after the last one.
fn between(
    before: &Result<Desired, Obstacle>,
    after: &Result<Desired, Obstacle>,
    last: &Result<Desired, Obstacle>,
    (checks, is_chained): (bool, bool),
) -> Result<Vec<ChangedPart>, Obstacle> {
    let before = before.as_ref().map_err(|obstacle| match obstacle {
        // What was refused before is not what is stored.
        Obstacle::Refused(refusal) => Gap::RefusedBefore(Box::new(refusal.clone())).into(),
        other => other.clone(),
    })?;
    let after = after.as_ref().map_err(Clone::clone)?;
    let last = last.as_ref().unwrap_or(after);
    let held: BTreeSet<&TopologyOwner> =
        last.parts.iter().filter(|part| part.is_held).map(|part| &part.owner).collect();
    let with_object = |difference: PartDifference| {
        let is_it = |part: &&DesiredPart| part.owner == difference.owner && part.role == difference.role;
        let object = before.parts.iter().find(is_it).map(|part| part.object.clone()).unwrap_or_else(|| json!({}));
        let is_on_delete = last.parts.iter().any(|part| {
            let strategies = ["/spec/rollout/strategy/type", "/spec/strategy/type"];
            part.owner == difference.owner
                && part.role == PartRole::Workers
                && strategies.iter().any(|path| part.object.pointer(path).is_some_and(|it| it == "OnDelete"))
        });
        ChangedPart { difference, object, is_on_delete }
    };
    let differing = differences(before, after).into_iter().filter(|it| !held.contains(&it.owner));
    let parts: Vec<ChangedPart> = differing.map(with_object).collect();
    match parts.iter().filter(|_| checks).find_map(|part| refusal(part, is_chained)) {
        Some(refusal) => Err(refusal.into()),
        None => Ok(parts),
    }
}

pub(super) fn written<'h>(hierarchy: &'h Hierarchy, id: &ObjectId) -> Option<&'h Value> {
    Some(&hierarchy.find(id)?.written)
}
