//! Another template in a section of a class, and another class of a Cluster: both are compared.

mod patched;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use metadata_propagation::Effect;
use metadata_propagation::cluster_api::CONTROL_PLANE_GROUP;
use serde_json::{Value, json};
use topology::POOLS;

pub(super) use self::patched::Patches;
use super::bare::bare;
use super::conversion::in_one_version;
use super::impact::{Sides, impact};
use super::machines::{Machines, Part, machines};
use super::path::{EditPath, EditPlace, EditedPart, ReferringPart};
use super::reason;
use crate::made::{class, template};
use crate::object::ObjectId;
use crate::workers::all_workers;

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

    /// The effect of another template at this path of the class, and why it is not known or refused; `None` if the path is no
    /// reference to a template, or the table of the policy decides.
    ///
    /// Sources, in Cluster API v1.14: `ClusterClassesAreCompatible` in internal/topology/check/compatibility.go;
    /// `reconcileReferencedTemplate` and `reconcileControlPlane` in core/reconcilers/topology/cluster/reconcile_state.go.
    pub(super) fn effect(&self, path: &EditPath) -> Option<Judged> {
        let EditPlace::TemplateRef(of) = path.place else { return None };
        let [old, new] = self.namespaces;
        let reference = |class, namespace| path.value(class).map(|it| template(namespace, it));
        let references = [reference(self.classes[0], old), reference(self.classes[1], new)];
        if of == ReferringPart::MachineInfrastructure && references.iter().any(Option::is_none) {
            return Some((Effect::Refused, Some(reason::MACHINE_INFRASTRUCTURE)));
        }
        let [Some(old), Some(new)] = references else { return None };
        if (&old.group, &old.kind) != (&new.group, &new.kind) && of != ReferringPart::Bootstrap {
            return Some((Effect::Refused, Some(reason::OTHER_KIND)));
        }
        let found = self.sides.before.find(&old).zip(self.sides.after.find(&new));
        let Some((was, is)) = found else { return Some((Effect::CannotTell, Some(reason::NO_TEMPLATE))) };
        if path.part == EditedPart::Infrastructure {
            return None;
        }
        let (version, values) = in_one_version(&new, [&was.version, &is.version], [&was.written, &is.written])?;
        let is_comparable = old.kind == new.kind;
        let [a, b] = values.map(|template| bare(&json!({ "spec": template.pointer("/spec") })));
        match &path.part {
            _ if is_comparable && a == b => Some((Effect::Nothing, None)),
            EditedPart::Workers(list, _) if *list == POOLS.list => Some((Effect::CannotTell, Some(reason::PROVIDER))),
            _ if !is_comparable => Some((Effect::Rollout, None)),
            part => {
                let [a, b] = [a, b].map(Option::unwrap_or_default);
                let is_control_plane = *part == EditedPart::ControlPlane && of == ReferringPart::Itself;
                let effect = |other: &Value| self.between(&new, is_control_plane, version, [&a, other]);
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
    fn between(&self, template: &ObjectId, is_control_plane: bool, version: &str, [old, new]: [&Value; 2]) -> Effect {
        if !is_control_plane {
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
        let edits = impact(&id, version, [&old, &new], self.sides).unwrap_or_default();
        edits.iter().map(|(_, effect)| *effect).max().unwrap_or(Effect::Nothing)
    }
}

/// The effects of another class on the Machines of a Cluster whose topology cannot be computed: each effect with its
/// Machines, the most severe first. `None` if one of the classes is not among the objects.
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
    let mut effects: ByEffect = BTreeMap::new();
    for (at, effect) in impact(&old.id, version, texts.each_ref().map(String::as_str), sides).unwrap_or_default() {
        let found = machines(sides.before, cluster, &Part::of(&old.id, &at));
        let is_unknown = effect == Effect::CannotTell;
        let judged = change.effect(&at).unwrap_or((effect, is_unknown.then(|| reason::reason(&old.id, &at))));
        if judged.0 == Effect::Refused || found.count() > 0 {
            add(&mut effects, judged, &found);
        }
    }
    // Source: `MachineDeploymentTopologiesAreValidAndDefinedInClusterClass` in internal/topology/check/compatibility.go.
    let is_defined = |name: &str| all_workers(&new.written).any(|worker| worker.name == name);
    if all_workers(is).any(|entry| !is_defined(entry.class())) {
        add(&mut effects, (Effect::Refused, Some(reason::NO_WORKER_CLASS)), &Machines::default());
    }
    if effects.is_empty() {
        add(&mut effects, (Effect::Nothing, None), &Machines::default());
    } else if effects.len() > 1 {
        effects.remove(&Reverse(Effect::Nothing));
    }
    Some(effects.into_iter().map(|(Reverse(effect), (reason, machines))| ((effect, reason), machines)).collect())
}

/// The reason for each effect and the Machines that it reaches, the most severe effect first.
type ByEffect = BTreeMap<Reverse<Effect>, (Option<&'static str>, Machines)>;

fn add(effects: &mut ByEffect, (effect, reason): Judged, found: &Machines) {
    let (_, machines) = effects.entry(Reverse(effect)).or_insert((reason, Machines::default()));
    if !matches!(effect, Effect::Nothing | Effect::InPlace | Effect::Refused) {
        machines.add(found);
    }
}
