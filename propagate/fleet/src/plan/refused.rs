//! Refusals of webhooks as effects of a plan.

use std::borrow::Cow;
use std::cmp::Reverse;

use metadata_propagation::Effect;
use serde_json::Value;
use topology::{ObjectPath, TopologyRefusal, class_refusals, is_keyed_list};

use super::class::Patches;
use super::deferred::unfinished_upgrade;
use super::impact::Sides;
use super::machines::Machines;
use super::path::EditPath;
use super::topology::of_new_cluster;
use super::{Decided, Planned, PlannedEdit};
use crate::fleet::Fleet;
use crate::hierarchy::Hierarchy;
use crate::made::{class, refusal_of_made, template};
use crate::member::Member;
use crate::object::{FleetObject, ObjectId};
use crate::refusal::{
    Checked, EMPTY, Refusal, etcd, filled_by, of_entries, of_metadata, of_taints, skipped_by_topology,
};

/// Adds what a webhook refuses in a new or changed object. Whether a list is empty that a kustomization patches is not known.
pub(super) fn add(
    planned: &mut Planned,
    new: &FleetObject,
    (was, is): (Option<&Value>, &Value),
    (sides, fleet): (Sides<'_>, &Fleet),
) {
    let (after, settings) = (sides.after, sides.settings);
    let sources = fleet.sources();
    let (old, object) = (was.map(|was| Checked::of(&new.id, was)), Checked::of(&new.id, is));
    let of_all: Vec<Refusal> = object.of_fields().iter().cloned().chain(of_metadata(is)).collect();
    if !of_all.is_empty() {
        refuse(planned, of_all);
        return;
    }
    let (known, mut found) = (old.as_ref().map(Checked::refusals).unwrap_or_default(), object.refusals());
    found.retain(|refusal| was.is_none_or(|was| !vanishes(refusal, [was, is])));
    // What is stored with taints shows that the gate is on.
    if was.is_none_or(|was| of_taints(&new.id, was, settings).is_empty()) {
        found.extend(of_taints(&new.id, is, settings));
    }
    // An empty list that a kustomization patches is not empty where it is stored.
    let remains = |refusal: &&Refusal| filled_by(refusal, new, sources).is_none();
    let of_old = old.as_ref().map_or(&[][..], Checked::of_fields);
    if !found.iter().any(|refusal| remains(&refusal))
        && let Some(Refusal { at, message, .. }) = of_old.iter().chain(known.iter().filter(remains)).next()
    {
        let reason = format!("what is stored is not known, because `{at}` cannot be written: {message}");
        let edit = PlannedEdit::new(EditPath::parse("spec"), Effect::CannotTell, Some(reason.into()));
        planned.edits = vec![PlannedEdit { decided: Decided::ByWebhook, ..edit }];
        return;
    }
    let refusals = match was.zip(old) {
        None => of_creation(new, is, found, (after, fleet)),
        Some((was, old)) => {
            let of_class = of_class(&new.id, was, is, &planned.edits);
            let (still, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|refusal| known.contains(refusal));
            let found = found.into_iter().chain(object.since(&old));
            let still = still.into_iter().filter(|refusal| remains(&refusal));
            found.chain(still).chain(of_topology(new, [was, is], sides)).chain(of_class).collect()
        }
    };
    refusals.into_iter().for_each(|refusal| put(planned, filled_by(&refusal, new, sources), refusal));
    planned.edits.iter_mut().for_each(|planned| gate(planned, is));
    planned.edits.sort_by_key(|planned| Reverse(planned.effect));
}

/// The same for an object of a kind of which only its labels and annotations are known.
pub(super) fn add_entries(planned: &mut Planned, object: &Value) {
    let found = of_entries(object);
    if !found.is_empty() {
        refuse(planned, found);
    }
}

/// Nothing of the object is written.
fn refuse(planned: &mut Planned, refusals: Vec<Refusal>) {
    let refused = |it: Refusal| PlannedEdit::new(EditPath::of(it.at), Effect::Refused, Some(it.message.into()));
    planned.edits = refusals.into_iter().map(refused).collect();
}

/// Whether a list is empty now that server-side apply removes.
fn vanishes(refusal: &Refusal, [was, is]: [&Value; 2]) -> bool {
    let [empty, _] = EMPTY;
    let had_elements = || {
        let list = EditPath::of(refusal.at.clone()).value(was).and_then(Value::as_array);
        list.is_some_and(|elements| !elements.is_empty())
    };
    refusal.message == empty && is_keyed_list(is, &refusal.at) && had_elements()
}

/// What is refused when an object is created.
fn of_creation(
    new: &FleetObject,
    is: &Value,
    found: Vec<Refusal>,
    (after, fleet): (&Hierarchy, &Fleet),
) -> Vec<Refusal> {
    let of_class = of_class(&new.id, &Value::Null, is, &[]);
    let class = (new.id.kind == "Cluster").then(|| find_class(&new.id, is, after)).flatten();
    let mut of_cluster = class.map(|class| of_new_cluster(is, &class.written)).unwrap_or_default();
    if of_cluster.is_empty() && class.is_some() {
        of_cluster.extend(refusal_of_made(fleet, &new.id));
    }
    let of_cluster = of_cluster.into_iter().map(|refusal| Refusal::of_topology(refusal, "Cluster"));
    found.into_iter().chain(even_control_plane(new, is, after)).chain(of_class).chain(of_cluster).collect()
}

/// What is refused in an edit of a Cluster because of its class, or of what its controllers made.
fn of_topology(new: &FleetObject, [was, is]: [&Value; 2], sides: Sides<'_>) -> Vec<Refusal> {
    let chained = || find_class(&new.id, is, sides.after).is_none_or(|class| chains(&class.written));
    let skipped = skipped_by_topology(was, is).filter(|_| !chained());
    let unfinished = unfinished_upgrade(&new.id, [was, is], sides.before);
    let number = |cluster: &Value| cluster.pointer(CONTROL_PLANE_REPLICAS).cloned();
    let even = even_control_plane(new, is, sides.after).filter(|_| number(was) != number(is));
    skipped.into_iter().chain(unfinished).chain(even).collect()
}

/// Marks the edit of a path as refused. Whether it is, is not known if a kustomization patches the path.
fn put(planned: &mut Planned, kustomization: Option<&str>, refusal: Refusal) {
    let Refusal { at, message, .. } = refusal;
    let effect = if kustomization.is_some() { Effect::CannotTell } else { Effect::Refused };
    let reason = kustomization.map_or(message, patched);
    let at = EditPath::of(at);
    let is_refused = |planned: &PlannedEdit| planned.effect == Effect::Refused;
    planned.edits.retain(|planned| planned.at == at || is_refused(planned) || !planned.at.is_within(&at));
    match planned.edits.iter_mut().find(|planned| planned.at == at) {
        Some(PlannedEdit { effect: Effect::Refused, reason: Some(first), .. }) => {
            *first = Cow::Owned(format!("{first}; {reason}"));
        }
        Some(planned) => {
            let at = planned.at.clone();
            *planned = PlannedEdit::new(at, effect, Some(reason.into()));
        }
        None => planned.edits.push(PlannedEdit::new(at, effect, Some(reason.into()))),
    }
}

/// The format of a control plane is Ignition from now on: whether that is accepted is not known.
///
/// Source: `validateIgnition` in bootstrap/kubeadm/webhooks/admission/kubeadmconfig.go of Cluster API v1.14.
fn gate(planned: &mut PlannedEdit, is: &Value) {
    const GATE: &str =
        "it is refused if Cluster API's feature gate KubeadmBootstrapFormatIgnition is off, as it is by default";
    if planned.effect == Effect::Rollout
        && planned.at == EditPath::parse("spec.kubeadmConfigSpec.format")
        && planned.at.value(is).is_some_and(|format| format == "ignition")
    {
        (planned.effect, planned.reason) = (Effect::CannotTell, Some(GATE.into()));
    }
}

/// What is refused is not written at all: no other edit of the object has an effect, and no Machine is created with it.
pub(super) fn keep_only(planned: &mut Planned) {
    if is_refused(planned) {
        planned.edits.retain(|planned| planned.effect == Effect::Refused);
        (planned.effect, planned.machines) = (None, Machines::default());
    }
}

/// Whether a webhook or a schema refuses an object, and not what is made from it.
pub(super) fn is_refused(planned: &Planned) -> bool {
    planned.edits.iter().any(|it| it.effect == Effect::Refused && it.decided == Decided::ByWebhook)
}

/// What the webhook refuses in a class and did not before, at the edit that is why.
fn of_class(id: &ObjectId, was: &Value, is: &Value, edits: &[PlannedEdit]) -> Vec<Refusal> {
    if id.kind != "ClusterClass" {
        return Vec::new();
    }
    let before = class_refusals(was);
    let new = class_refusals(is).into_iter().filter(|refusal| !before.contains(refusal));
    let without = edits.iter().map(|edit| {
        let mut class = is.clone();
        edit.at.copy(was, &mut class);
        (edit.at.path(), class_refusals(&class))
    });
    let without: Vec<(&ObjectPath, Vec<TopologyRefusal>)> = without.collect();
    let refusal = |refusal: TopologyRefusal| {
        let why = without.iter().find(|(_, refusals)| !refusals.contains(&refusal)).map(|(at, _)| (*at).clone());
        let found = Refusal::of_topology(refusal, &id.kind);
        match why {
            Some(at) => Refusal { at, message: found.sentence(), needs_path: false },
            None => found,
        }
    };
    new.map(refusal).collect()
}

fn patched(kustomization: &str) -> String {
    format!("it is empty, and {kustomization} patches this file: `--kustomize` renders it")
}

fn find_class<'h>(cluster: &ObjectId, value: &Value, hierarchy: &'h Hierarchy) -> Option<&'h Member> {
    hierarchy.find(&class(value, cluster)?)
}

const CONTROL_PLANE_REPLICAS: &str = "/spec/topology/controlPlane/replicas";

/// An even number of replicas of a topology's control plane, if its template in the class has no external etcd and no patch
/// may set one: the webhook of KubeadmControlPlane refuses what the topology's controller writes.
fn even_control_plane(cluster: &FleetObject, value: &Value, after: &Hierarchy) -> Option<Refusal> {
    const ETCD: &str = "/spec/template/spec/kubeadmConfigSpec/clusterConfiguration/etcd";
    let replicas = value.pointer(CONTROL_PLANE_REPLICAS)?.as_u64().filter(|replicas| *replicas % 2 == 0)?;
    let class = find_class(&cluster.id, value, after)?;
    let control_plane = class.written.pointer("/spec/controlPlane")?;
    let reference = ["templateRef", "ref"].iter().find_map(|field| control_plane.get(field))?;
    let template = template(&class.id.namespace, reference);
    let template = after.find(&template).filter(|_| template.kind == "KubeadmControlPlaneTemplate")?;
    let spec = template.written.pointer("/spec/template/spec")?;
    let is_external = etcd(&serde_json::json!({ "spec": spec }), "external").is_some();
    let may_patch = Patches::of([&class.written; 2]).may_write(&template.id.kind, ETCD);
    let message = match replicas {
        0 => "the webhook of KubeadmControlPlane refuses a control plane without replicas",
        _ => "the webhook of KubeadmControlPlane refuses an even number of replicas with stacked etcd",
    };
    let at = ObjectPath::parse("spec.topology.controlPlane.replicas");
    (!is_external && !may_patch).then(|| Refusal { at, message: message.to_owned(), needs_path: false })
}

/// Whether a class lets its Clusters upgrade over several minor versions: it lists versions, or an extension plans them.
pub(super) fn chains(class: &Value) -> bool {
    let versions = class.pointer("/spec/kubernetesVersions").and_then(Value::as_array);
    versions.is_some_and(|versions| !versions.is_empty())
        || class.pointer("/spec/upgrade/external/generateUpgradePlanExtension").is_some_and(Value::is_string)
}
