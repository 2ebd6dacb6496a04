//! Another template in a section of a class, and another class of a Cluster: both are compared.

mod patched;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use metadata_propagation::Effect;
use metadata_propagation::cluster_api::CONTROL_PLANE_GROUP;
use serde_json::{Value, json};

use self::patched::Patches;
use super::bare::bare;
use super::conversion::in_one_version;
use super::impact::{Sides, impact};
use super::reach::{Machines, Part, machines};
use super::{at, reason};
use crate::made::{class, template};
use crate::object::ObjectId;
use crate::workers::{LISTS, workers};

/// An effect, and why it is not known or refused.
pub(super) type Judged = (Effect, Option<&'static str>);

/// A class before and after an edit, or two classes of which a Cluster changes from one to the other.
pub(super) struct ClassChange<'p> {
    sides: Sides<'p>,
    namespaces: [&'p str; 2],
    classes: [&'p Value; 2],
    patches: Patches,
}

impl<'p> ClassChange<'p> {
    pub(super) fn of(sides: Sides<'p>, namespaces: [&'p str; 2], classes: [&'p Value; 2]) -> ClassChange<'p> {
        ClassChange { sides, namespaces, classes, patches: Patches::of(classes) }
    }

    /// The effect of another template at this path of the class; `None` if the path is no reference to a template, or the
    /// table of the policy decides.
    ///
    /// Sources, in Cluster API v1.14: `ClusterClassesAreCompatible` in internal/topology/check/compatibility.go;
    /// `reconcileReferencedTemplate` and `reconcileControlPlane` in core/reconcilers/topology/cluster/reconcile_state.go.
    pub(super) fn effect(&self, path: &str) -> Option<Judged> {
        if !path.ends_with(".ref") && !path.ends_with(".templateRef") {
            return None;
        }
        let is_defined = self.classes.map(|class| at(class, path).is_some());
        if path.starts_with("spec.controlPlane.machineInfrastructure.") && is_defined != [true; 2] {
            return Some((Effect::Refused, Some(reason::MACHINE_INFRASTRUCTURE)));
        }
        let [old, new] = self.references(path)?;
        let is_bootstrap = path.contains(".bootstrap.");
        let is_pool = path.contains("machinePools");
        if (&old.group, &old.kind) != (&new.group, &new.kind) && !is_bootstrap {
            return Some((Effect::Refused, Some(reason::OTHER_KIND)));
        }
        if path.starts_with("spec.infrastructure.") {
            return None;
        }
        let found = self.sides.before.find(&old).zip(self.sides.after.find(&new));
        let Some((was, is)) = found else { return Some((Effect::CannotTell, Some(reason::NO_TEMPLATE))) };
        let (version, values) = in_one_version(&new, [&was.version, &is.version], [&was.written, &is.written])?;
        let is_comparable = old.kind == new.kind;
        let [a, b] = values.map(|template| bare(&json!({ "spec": template.pointer("/spec") })));
        match () {
            () if is_comparable && a == b => Some((Effect::Nothing, None)),
            () if is_pool => Some((Effect::CannotTell, Some(reason::PROVIDER))),
            () if !is_comparable => Some((Effect::Rollout, None)),
            () => {
                let [a, b] = [a, b].map(Option::unwrap_or_default);
                let effect = |other: &Value| self.between(&new, path, version, [&a, other]);
                let (possible, certain) = (effect(&b), effect(&self.patches.unpatched(&new.kind, &a, &b)));
                match possible {
                    Effect::CannotTell => None,
                    _ if possible == certain => Some((possible, None)),
                    _ => Some((Effect::CannotTell, Some(reason::PATCHED))),
                }
            }
        }
    }

    /// What replacing the contents of one template by those of another does.
    fn between(&self, template: &ObjectId, path: &str, version: &str, [old, new]: [&Value; 2]) -> Effect {
        if !["spec.controlPlane.ref", "spec.controlPlane.templateRef"].contains(&path) {
            return if old == new { Effect::Nothing } else { Effect::Rollout };
        }
        if template.kind != "KubeadmControlPlaneTemplate" {
            return if old == new { Effect::Nothing } else { Effect::CannotTell };
        }
        let kind = "KubeadmControlPlane";
        let id = ObjectId { kind: kind.to_owned(), group: CONTROL_PLANE_GROUP.to_owned(), ..template.clone() };
        let [old, new] = [old, new].map(|template| {
            let spec = template.pointer("/spec/template/spec");
            let metadata = json!({ "name": id.name, "namespace": id.namespace });
            let api_version = format!("{CONTROL_PLANE_GROUP}/{version}");
            json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec }).to_string()
        });
        let edits = impact(&id, version, [&old, &new], self.sides);
        edits.iter().map(|edit| edit.effect).max().unwrap_or(Effect::Nothing)
    }

    /// The templates that the classes name at a path; `None` if one names none.
    fn references(&self, path: &str) -> Option<[ObjectId; 2]> {
        let [old, new] =
            [0, 1].map(|side| Some(template(self.namespaces.get(side)?, at(self.classes.get(side)?, path)?)));
        Some([old?, new?])
    }
}

/// The effects of another class on the Machines of a Cluster: each effect with its Machines, the most severe first.
/// `None` if one of the classes is not among the objects.
pub(super) fn other_class(
    sides: Sides<'_>,
    cluster: &ObjectId,
    [was, is]: [&Value; 2],
) -> Option<Vec<(Judged, Machines)>> {
    let (old, new) = (sides.before.find(&class(was, cluster)?)?, sides.after.find(&class(is, cluster)?)?);
    let values: [&Value; 2] = [&old.written, &new.written];
    let (version, classes) = in_one_version(&old.id, [&old.version, &new.version], values)?;
    let texts = classes.each_ref().map(|class| class.to_string());
    let change =
        ClassChange::of(sides, [&old.id.namespace, &new.id.namespace], classes.each_ref().map(|class| &**class));
    let mut effects: BTreeMap<Reverse<Effect>, (Option<&'static str>, Machines)> = BTreeMap::new();
    let mut add = |(effect, reason): Judged, found: &Machines| {
        let entry = effects.entry(Reverse(effect)).or_insert((reason, Machines::default()));
        if !matches!(effect, Effect::Nothing | Effect::InPlace | Effect::Refused) {
            entry.1.add(found);
        }
    };
    if LISTS.iter().any(|list| lacks(list, is, classes.last().map_or(&new.written, |class| class))) {
        add((Effect::Refused, Some(reason::NO_WORKER_CLASS)), &Machines::default());
    }
    for edit in impact(&old.id, version, texts.each_ref().map(String::as_str), sides) {
        let found = machines(sides.before, cluster, &Part::of(&old.id, &edit.at));
        let judged = change.effect(&edit.at).unwrap_or_else(|| {
            let is_unknown = edit.effect == Effect::CannotTell;
            (edit.effect, is_unknown.then(|| reason::reason(&old.id, &edit.at)))
        });
        if judged.0 == Effect::Refused || found.count() > 0 {
            add(judged, &found);
        }
    }
    effects.entry(Reverse(Effect::Nothing)).or_default();
    if effects.len() > 1 {
        effects.remove(&Reverse(Effect::Nothing));
    }
    Some(effects.into_iter().map(|(Reverse(effect), (reason, machines))| ((effect, reason), machines)).collect())
}

/// Whether a topology has an entry whose class of workers a ClusterClass does not have.
///
/// Source: `MachineDeploymentTopologiesAreValidAndDefinedInClusterClass` in internal/topology/check/compatibility.go.
fn lacks(list: &'static str, cluster: &Value, class: &Value) -> bool {
    let defined: Vec<&str> = workers(class, list).map(|worker| worker.name).collect();
    workers(cluster, list).any(|worker| !defined.contains(&worker.class()))
}
