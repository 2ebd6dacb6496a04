//! Edits of objects for which the policy's table has no rows: those of providers, health checks, and old API versions.

use std::borrow::Cow;
use std::cmp::Reverse;

use metadata_propagation::Effect;
use metadata_propagation::cluster_api::{BOOTSTRAP_GROUP, CONTROL_PLANE_GROUP, CORE_GROUP, INFRASTRUCTURE_GROUP};
use serde_json::Value;

use super::bare::bare;
use super::conversion::with_defaults;
use super::infrastructure::ProviderWebhook;
use super::machines::{Machines, Part, machines};
use super::path::EditPath;
use super::{PlannedEdit, infrastructure, reason};
use crate::hierarchy::Hierarchy;
use crate::object::{ObjectId, group_and_version};
use crate::relations::text;

/// A path below `spec`, and what an edit of it does.
type ProviderRow = (&'static str, Effect);

/// The longest path counts. What no row has is not known.
///
/// Source: `matchesMachineSpec` in pkg/rke2/control_plane.go and the filters in pkg/rke2/machine_filters.go of Cluster API's
/// provider for RKE2, and `ComputeDesiredMachine` in its pkg/desiredstate; its webhook refuses another registration method.
#[rustfmt::skip]
const RKE2: &[ProviderRow] = &[
    ("replicas",                                     Effect::Scale),
    ("version",                                      Effect::Rollout),
    ("agentConfig",                                  Effect::Rollout),
    ("files",                                        Effect::Rollout),
    ("gzipUserData",                                 Effect::Rollout),
    ("infrastructureRef",                            Effect::Rollout),
    ("postRKE2Commands",                             Effect::Rollout),
    ("preRKE2Commands",                              Effect::Rollout),
    ("privateRegistriesConfig",                      Effect::Rollout),
    ("serverConfig",                                 Effect::Rollout),
    ("machineTemplate.infrastructureRef",            Effect::Rollout),
    ("machineTemplate.spec.infrastructureRef",       Effect::Rollout),
    ("machineTemplate.metadata",                     Effect::InPlace),
    ("machineTemplate.nodeDrainTimeout",             Effect::InPlace),
    ("machineTemplate.nodeVolumeDetachTimeout",      Effect::InPlace),
    ("machineTemplate.nodeDeletionTimeout",          Effect::InPlace),
    ("machineTemplate.spec.deletion",                Effect::InPlace),
    ("manifestsConfigMapReference",                  Effect::Nothing),
    ("registrationAddress",                          Effect::Nothing),
    ("registrationMethod",                           Effect::Refused),
    ("remediationStrategy",                          Effect::Nothing),
    ("rolloutStrategy",                              Effect::Nothing),
];

/// The same for K3s: `MachinesNeedingRollout` in pkg/k3s/control_plane.go, the filters in pkg/machinefilters, and
/// `computeDesiredMachine` in controlplane/controllers/scale.go, the same in v0.2.1 to v0.3.1; the conversion of `upgradeAfter`
/// in controlplane/api/v1beta1.
#[rustfmt::skip]
const K3S: &[ProviderRow] = &[
    ("replicas",                                     Effect::Scale),
    ("version",                                      Effect::Rollout),
    ("kthreesConfigSpec",                            Effect::Rollout),
    ("kthreesConfigSpec.version",                    Effect::Nothing),
    ("infrastructureTemplate",                       Effect::Rollout),
    ("machineTemplate.infrastructureRef",            Effect::Rollout),
    ("machineTemplate.metadata",                     Effect::InPlace),
    ("machineTemplate.nodeDrainTimeout",             Effect::InPlace),
    ("machineTemplate.nodeVolumeDetachTimeout",      Effect::InPlace),
    ("machineTemplate.nodeDeletionTimeout",          Effect::InPlace),
    ("nodeDrainTimeout",                             Effect::InPlace),
    ("remediationStrategy",                          Effect::Nothing),
    ("rolloutAfter",                                 Effect::Scheduled),
    ("upgradeAfter",                                 Effect::Scheduled),
];

/// What every control plane with Machines has: the contract of Cluster API for control planes.
const CONTRACT: &[ProviderRow] = &[("replicas", Effect::Scale)];

/// The rows of a control plane whose provider is known.
fn control_plane(kind: &str) -> Option<&'static [ProviderRow]> {
    match kind {
        "RKE2ControlPlane" => Some(RKE2),
        "KThreesControlPlane" => Some(K3S),
        _ => None,
    }
}

/// The most severe effect of an edit of a control plane; `None` if its provider is not known.
pub(super) fn effect_on_control_plane(kind: &str, [was, is]: [&Value; 2]) -> Option<Effect> {
    let rows = control_plane(kind)?;
    let names: Vec<&str> = rows.iter().map(|(row, _)| *row).collect();
    let mut paths = Vec::new();
    differing([was.get("spec"), is.get("spec")], "", &names, &mut paths);
    Some(paths.iter().map(|path| effect(rows, path, [was, is])).max().unwrap_or(Effect::Nothing))
}

/// The effect of an edit of a path below `spec`.
fn effect(rows: &[ProviderRow], path: &str, [was, is]: [&Value; 2]) -> Effect {
    let at = EditPath::parse(path);
    let values @ [stored, new] = [was, is].map(|side| side.get("spec").and_then(|spec| at.value(spec)));
    match longest(rows, path) {
        Some(Effect::Rollout) if is_same_reference(values) => Effect::Nothing,
        // Nothing is scheduled any more.
        Some(Effect::Scheduled) if new.and_then(bare).is_none() => Effect::Nothing,
        // What is refused can be set once.
        Some(Effect::Refused) if stored.and_then(bare).is_none() => Effect::Nothing,
        effect => effect.unwrap_or(Effect::CannotTell),
    }
}

/// What is made of the whole `spec`.
const IN_PLACE: &[ProviderRow] = &[("", Effect::InPlace)];
const UNKNOWN: &[ProviderRow] = &[];

/// What an object without rows in the policy's table is to Machines.
struct ProviderKind {
    rows: &'static [ProviderRow],
    /// Why what no row has is not known.
    reason: &'static str,
    machines: Machines,
}

/// The edits of an object for which the policy's table has no rows, the most severe first.
pub(super) fn edits(
    id: &ObjectId,
    versions: [&str; 2],
    [was, is]: [&Value; 2],
    before: &Hierarchy,
) -> Vec<PlannedEdit> {
    let Some(kind) = ProviderKind::of(id, versions, before) else { return Vec::new() };
    let [old_version, new_version] = versions;
    let (was, is) = (&*with_defaults(id, old_version, was), &*with_defaults(id, new_version, is));
    let of_webhook = infrastructure::rows(id);
    let rows: Vec<&str> = kind.rows.iter().map(|(row, _)| *row).chain(of_webhook.iter().map(|(row, _)| *row)).collect();
    let mut paths = Vec::new();
    differing([was.get("spec"), is.get("spec")], "", &rows, &mut paths);
    let planned = |path: &String| {
        let edit = kind.edit(path, [was, is]);
        // What replaces no Machine is known to be accepted, or it is not.
        let is_judged = kind.rows == IN_PLACE && id.kind != "MachineHealthCheck";
        let webhook = longest(of_webhook, path);
        if is_judged || webhook.is_some() { judged(edit, webhook, [was, is]) } else { edit }
    };
    let mut edits: Vec<PlannedEdit> = paths.iter().map(planned).collect();
    edits.sort_by_key(|planned| Reverse(planned.effect));
    edits
}

/// An edit of what a provider defines, as its webhook sees it.
fn judged(mut planned: PlannedEdit, webhook: Option<ProviderWebhook>, values: [&Value; 2]) -> PlannedEdit {
    let [was, is] = values.map(|value| planned.at.value(value));
    let (effect, reason) = match webhook.and_then(|webhook| webhook.refuses(was, is)) {
        Some(true) if webhook == Some(ProviderWebhook::Raised) => (Effect::Refused, reason::LOWER),
        Some(true) => (Effect::Refused, reason::WEBHOOK),
        None if planned.effect == Effect::InPlace => (Effect::InPlace, reason::UNKNOWN_WEBHOOK),
        _ => return planned,
    };
    (planned.effect, planned.reason) = (effect, Some(Cow::Borrowed(reason)));
    planned
}

/// Whether an object is the infrastructure of a Cluster.
fn is_infrastructure(id: &ObjectId) -> bool {
    id.group.ends_with(INFRASTRUCTURE_GROUP) && (id.kind.ends_with("Cluster") || id.kind.ends_with("ControlPlane"))
}

/// Whether an object of this kind is part of what Machines are made from, so that its deletion does more than remove it.
pub(super) fn has_effect_if_deleted(id: &ObjectId) -> bool {
    let is_host = HOSTS.contains(&&*id.kind);
    id.group.ends_with(INFRASTRUCTURE_GROUP) && !id.is_template() && (is_part(&id.kind) || is_host)
}

/// Hosts and instances for which infrastructure Machines of these providers stand.
///
/// Sources: the types of the providers for Hetzner (api/v1beta1), BYOH, OpenStack (api/v1alpha1) and vSphere (apis/v1beta1).
const HOSTS: [&str; 4] = ["ByoHost", "HetznerBareMetalHost", "OpenStackServer", "VSphereVM"];

/// Whether a kind of an infrastructure provider is one of those in Cluster API's contracts, and not one of its own.
fn is_part(kind: &str) -> bool {
    ["Cluster", "Machine", "MachinePool", "ControlPlane"].iter().any(|end| kind.ends_with(end))
}

impl ProviderKind {
    /// `None` if an edit has no effect on Machines, or the table decides.
    fn of(id: &ObjectId, versions: [&str; 2], before: &Hierarchy) -> Option<ProviderKind> {
        let kind = |rows, reason, machines| Some(ProviderKind { rows, reason, machines });
        let own = || machines(before, id, &Part::Whole);
        let is_template = id.is_template();
        let is_old = versions.iter().any(|version| !["v1beta1", "v1beta2"].contains(version));
        match &*id.group {
            CORE_GROUP if id.kind == "MachineHealthCheck" => kind(IN_PLACE, reason::HEALTH, Machines::default()),
            CORE_GROUP if is_old && OWNERS.contains(&&*id.kind) => kind(UNKNOWN, reason::OLD_VERSION, own()),
            CONTROL_PLANE_GROUP if id.kind == "KubeadmControlPlane" && is_old => {
                kind(UNKNOWN, reason::OLD_VERSION, own())
            }
            CONTROL_PLANE_GROUP if is_template || id.kind == "KubeadmControlPlane" => None,
            CONTROL_PLANE_GROUP if !id.has_machines() => kind(IN_PLACE, reason::PLANE, Machines::default()),
            CONTROL_PLANE_GROUP => kind(control_plane(&id.kind).unwrap_or(CONTRACT), reason::PLANE, own()),
            "runtime.cluster.x-k8s.io" => kind(UNKNOWN, reason::EXTENSION, Machines::default()),
            BOOTSTRAP_GROUP if !is_template => {
                of_pool(id, before).and_then(|pool| kind(UNKNOWN, reason::PROVIDER, pool))
            }
            group if group.ends_with(INFRASTRUCTURE_GROUP) && !is_template && is_part(&id.kind) => match &*id.kind {
                _ if is_infrastructure(id) => kind(IN_PLACE, reason::PROVIDER, Machines::default()),
                part if part.ends_with("Pool") => {
                    kind(UNKNOWN, reason::PROVIDER, of_pool(id, before).unwrap_or_default())
                }
                _ => kind(UNKNOWN, reason::PROVIDER, Machines::default()),
            },
            _ => None,
        }
    }

    fn edit(&self, path: &str, [was, is]: [&Value; 2]) -> PlannedEdit {
        let at = EditPath::parse(&["spec", path].join(if path.is_empty() { "" } else { "." }));
        let effect = effect(self.rows, path, [was, is]);
        let scale = Some((at.replicas(was), at.replicas(is))).filter(|_| effect == Effect::Scale);
        let scale = scale.and_then(|(from, to)| Some((from?, to?)));
        let reason = match effect {
            Effect::CannotTell => Some(self.reason),
            Effect::Scale if scale.is_none() => Some(reason::NO_NUMBER),
            Effect::Refused => Some(reason::WEBHOOK),
            Effect::InPlace if self.reason == reason::HEALTH => Some(reason::HEALTH),
            _ => None,
        };
        let is_known = effect <= Effect::InPlace || effect == Effect::Refused;
        let machines = if is_known { Machines::default() } else { self.machines.clone() };
        PlannedEdit { machines, scale, ..PlannedEdit::new(at, effect, reason.map(Cow::Borrowed)) }
    }
}

/// Whether two references name the same object: their versions may differ.
fn is_same_reference(references: [Option<&Value>; 2]) -> bool {
    let [was, is] = references.map(|reference| {
        let (group, _) = group_and_version(text(reference?, "apiVersion"));
        let [in_group, kind, name] =
            ["apiGroup", "kind", "name"].map(|field| reference.map_or("", |it| text(it, field)));
        Some((group, in_group, kind, name)).filter(|_| !name.is_empty())
    });
    was.is_some() && was == is
}

/// The kinds of the core group that own Machines.
const OWNERS: [&str; 6] = ["Cluster", "ClusterClass", "Machine", "MachineDeployment", "MachinePool", "MachineSet"];

/// The Machines of the pool that an object is the infrastructure or the bootstrap configuration of.
pub(super) fn of_pool(id: &ObjectId, hierarchy: &Hierarchy) -> Option<Machines> {
    let parent = hierarchy.member(hierarchy.find(id)?.parent?)?;
    let is_pool = parent.id.group == CORE_GROUP && parent.id.kind == "MachinePool";
    is_pool.then(|| machines(hierarchy, &parent.id, &Part::Whole))
}

/// Whether a path is this one or below it; everything is below the empty path.
fn is_at(path: &str, row: &str) -> bool {
    row.is_empty() || path.strip_prefix(row).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What the longest row says that a path is at or below.
fn longest<T: Copy>(rows: &[(&str, T)], path: &str) -> Option<T> {
    let row = rows.iter().filter(|(row, _)| is_at(path, row)).max_by_key(|(row, _)| row.len());
    row.map(|(_, value)| *value)
}

/// The paths below `spec` that differ: its fields, and those of fields that rows distinguish.
fn differing([was, is]: [Option<&Value>; 2], path: &str, rows: &[&str], found: &mut Vec<String>) {
    if was.and_then(bare) == is.and_then(bare) {
        return;
    }
    let is_split = path.is_empty() || rows.iter().any(|row| is_at(row, path) && *row != path);
    let is_object = |value: Option<&Value>| value.is_none_or(Value::is_object);
    if !is_split || !is_object(was) || !is_object(is) {
        found.push(path.to_owned());
        return;
    }
    let names = |value: Option<&Value>| {
        value.and_then(Value::as_object).into_iter().flat_map(|fields| fields.keys().cloned()).collect::<Vec<_>>()
    };
    let mut fields: Vec<String> = names(was).into_iter().chain(names(is)).collect();
    fields.sort();
    fields.dedup();
    for field in fields {
        let path = if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
        differing([was, is].map(|value| value.and_then(|value| value.get(&field))), &path, rows, found);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(group: &str, kind: &str, was: Value, is: Value) -> Vec<(String, Effect)> {
        let id = ObjectId::new(group, kind, "fleet", "o");
        let [was, is] = [was, is].map(|spec| json!({ "spec": spec }));
        let edits = edits(&id, ["v1beta1"; 2], [&was, &is], &Hierarchy::default());
        edits.into_iter().map(|planned| (planned.at.to_string(), planned.effect)).collect()
    }

    #[test]
    fn what_a_provider_makes_of_an_edit_is_known_from_its_source_or_not_known() {
        let old = json!({ "replicas": 3, "version": "v1.33.1+rke2r1", "a": 1, "registrationMethod": "address", "machineTemplate": { "nodeDrainTimeout": "1s", "infrastructureRef": { "name": "a" } } });
        let new = json!({ "replicas": 1, "version": "v1.34.1+rke2r1", "a": 2, "machineTemplate": { "nodeDrainTimeout": "2s", "infrastructureRef": { "name": "b" } } });
        let owned =
            |edits: &[(&str, Effect)]| edits.iter().map(|(at, effect)| ((*at).to_owned(), *effect)).collect::<Vec<_>>();
        assert_eq!(
            found(CONTROL_PLANE_GROUP, "RKE2ControlPlane", old.clone(), new.clone()),
            owned(&[
                ("spec.registrationMethod", Effect::Refused),
                ("spec.machineTemplate.infrastructureRef", Effect::Rollout),
                ("spec.version", Effect::Rollout),
                ("spec.a", Effect::CannotTell),
                ("spec.replicas", Effect::Scale),
                ("spec.machineTemplate.nodeDrainTimeout", Effect::InPlace),
            ])
        );
        let unknown = |at: &'static str| (at, Effect::CannotTell);
        assert_eq!(
            found(CONTROL_PLANE_GROUP, "AcmeControlPlane", old, new),
            owned(&[
                unknown("spec.a"),
                unknown("spec.machineTemplate"),
                unknown("spec.registrationMethod"),
                unknown("spec.version"),
                ("spec.replicas", Effect::Scale)
            ])
        );
        let (a, b) = (json!({ "a": 1, "b": null }), json!({ "a": 2, "b": [] }));
        for (group, kind, effect) in [
            (CONTROL_PLANE_GROUP, "AWSManagedControlPlane", Effect::InPlace),
            (INFRASTRUCTURE_GROUP, "AcmeCluster", Effect::InPlace),
            (INFRASTRUCTURE_GROUP, "OpenStackCluster", Effect::Refused),
            (INFRASTRUCTURE_GROUP, "AWSMachinePool", Effect::CannotTell),
            (INFRASTRUCTURE_GROUP, "AWSMachine", Effect::CannotTell),
            (CORE_GROUP, "MachineHealthCheck", Effect::InPlace),
        ] {
            assert_eq!(found(group, kind, a.clone(), b.clone()), owned(&[("spec.a", effect)]), "{kind}");
        }
        assert_eq!(found(CORE_GROUP, "MachineDrainRule", a.clone(), b.clone()), []);
        assert_eq!(found(INFRASTRUCTURE_GROUP, "AWSClusterRoleIdentity", a, b), []);
    }
}
