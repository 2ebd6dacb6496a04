//! Workers of a topology that do not get a new version yet.

use serde_json::Value;
use topology::{ObjectPath, WORKERS};

use super::path::{EditPath, EditPlace, EditedPart};
use crate::hierarchy::Hierarchy;
use crate::member::Member;
use crate::object::ObjectId;
use crate::refusal::{Refusal, checks_version, has_variable, is_pending};
use crate::workers::{LISTS, workers};

const DEFER: &str = "topology.cluster.x-k8s.io/defer-upgrade";
const HOLD_SEQUENCE: &str = "topology.cluster.x-k8s.io/hold-upgrade-sequence";

/// The entries of a topology, by list and name, whose upgrade an annotation defers: their own, or that of an earlier
/// one in the same list. None if the edit is not about the version.
///
/// Source: exp/topology/desiredstate/desired_state.go, `isMachineDeploymentDeferred`, `isMachinePoolDeferred`.
pub(super) fn entries(id: &ObjectId, at: &EditPath, cluster: &Value) -> Vec<(&'static str, String)> {
    let is_version = at.place == EditPlace::Version && at.part == EditedPart::Whole;
    if id.kind == "Cluster" && is_version { of(cluster) } else { Vec::new() }
}

/// The entries whose upgrade is deferred before an edit and no longer after it, because an earlier entry that held them is
/// removed, comes later, or holds nothing any more. None if the version changes: then all are upgraded that are not deferred.
pub(super) fn freed([was, is]: [&Value; 2]) -> Vec<(&'static str, String)> {
    if was.pointer(VERSION) != is.pointer(VERSION) {
        return Vec::new();
    }
    let deferred = of(is);
    let remains = |(list, name): &(&'static str, String)| workers(is, list).any(|worker| worker.name == name);
    of(was).into_iter().filter(|entry| remains(entry) && !deferred.contains(entry)).collect()
}

/// The entries with an upgrade that is deferred: another version is edited in, or that of the workers is another one. Nothing
/// else of them is written before it.
pub(super) fn held(
    [was, is]: [&Value; 2],
    has_other_version: impl Fn(&(&'static str, String), &Value) -> bool,
) -> Vec<(&'static str, String)> {
    let Some(version) = is.pointer(VERSION) else { return Vec::new() };
    let is_upgrade = was.pointer(VERSION).is_some_and(|it| it != version);
    of(is).into_iter().filter(|entry| is_upgrade || has_other_version(entry, version)).collect()
}

/// Whether annotations ask for a hook that holds the upgrade of a Cluster: another version is edited in, or that of the control
/// plane is another one. It is asked for at the beginning of an upgrade only.
///
/// Source: `callBeforeClusterUpgradeHook` in exp/topology/desiredstate/lifecycle_hooks.go of Cluster API v1.14.
pub(super) fn is_hooked([was, is]: [&Value; 2], of_control_plane: Option<&Value>) -> bool {
    let version = is.pointer(VERSION);
    let is_upgrade = was.pointer(VERSION) != version || of_control_plane.is_some_and(|it| Some(it) != version);
    let annotations = is.pointer("/metadata/annotations").and_then(Value::as_object);
    let is_hook = |key: &String| key.starts_with(BEFORE_UPGRADE_HOOK);
    let has_begun = || is_pending(is, "AfterClusterUpgrade");
    version.is_some() && is_upgrade && annotations.is_some_and(|all| all.keys().any(is_hook)) && !has_begun()
}

/// Why the webhook refuses another version: the control plane or workers that exist do not have the last one yet.
///
/// Source: `validateTopologyControlPlaneVersion`, `validateTopologyMachineDeploymentVersions` and
/// `validateTopologyMachinePoolVersions` in core/webhooks/admission/cluster.go of Cluster API v1.14.
pub(super) fn unfinished_upgrade(id: &ObjectId, [was, is]: [&Value; 2], before: &Hierarchy) -> Option<Refusal> {
    let cluster = before.find(id).filter(|_| id.kind == "Cluster" && checks_version(is))?;
    let version = was.pointer(VERSION).and_then(Value::as_str)?;
    let children = cluster.children.iter().filter_map(|number| before.member(*number));
    let mut others = children.filter_map(|child| Some((child, made_version(child)?.as_str()?)));
    let is_other = |other: &str| plain(other) != plain(version) && ![other, version].into_iter().any(has_variable);
    let is_changed = is.pointer(VERSION) != was.pointer(VERSION);
    let (child, other) = others.find(|(_, other)| is_changed && is_other(other))?;
    let message = format!("{} still has {other}: the upgrade to {version} has to be complete first", child.id);
    Some(Refusal { at: ObjectPath::parse("spec.topology.version"), message, needs_path: false })
}

fn plain(version: &str) -> &str {
    version.strip_prefix('v').unwrap_or(version)
}

/// The version of a control plane or of workers that are among the objects.
pub(super) fn made_version(child: &Member) -> Option<&Value> {
    let path = match WORKERS.iter().any(|kind| kind.kind == child.id.kind) {
        true => "/spec/template/spec/version",
        false if child.id.is_control_plane() => "/spec/version",
        false => return None,
    };
    child.written.pointer(path).filter(|_| child.origin.is_some())
}

/// The prefix of the keys of these annotations.
const BEFORE_UPGRADE_HOOK: &str = "before-upgrade.hook.cluster.cluster.x-k8s.io";

const VERSION: &str = "/spec/topology/version";

fn of(cluster: &Value) -> Vec<(&'static str, String)> {
    let mut deferred = Vec::new();
    for list in LISTS {
        let mut is_held = false;
        for worker in workers(cluster, list) {
            let has = |key| worker.value.pointer("/metadata/annotations").is_some_and(|map| map.get(key).is_some());
            is_held |= has(HOLD_SEQUENCE);
            if is_held || has(DEFER) {
                deferred.push((list, worker.name.to_owned()));
            }
        }
    }
    deferred
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_annotation_defers_its_own_entry_or_all_from_there_on() {
        let id = ObjectId::new("cluster.x-k8s.io", "Cluster", "fleet", "c1");
        let entry = |name: &str, key: &str| json!({ "name": name, "metadata": { "annotations": { key: "" } } });
        let cluster = json!({ "spec": { "topology": { "workers": {
            "machineDeployments": [entry("a", DEFER), entry("b", "other"), entry("c", HOLD_SEQUENCE), entry("d", "other")],
            "machinePools": [entry("p", "other")],
        } } } });
        let expected = ["a", "c", "d"].map(|name| ("machineDeployments", name.to_owned()));
        assert_eq!(entries(&id, &EditPath::parse("spec.topology.version"), &cluster), expected);
        assert_eq!(entries(&id, &EditPath::parse("spec.topology.classRef.name"), &cluster), []);
    }

    #[test]
    fn an_entry_is_freed_by_another_order_or_without_the_one_that_held_it() {
        let held = json!({ "name": "a", "metadata": { "annotations": { HOLD_SEQUENCE: "" } } });
        let cluster = |version: &str, entries: Value| json!({ "spec": { "topology": { "version": version, "workers": { "machineDeployments": entries } } } });
        let behind = json!({ "name": "b" });
        let old = cluster("v1.35.0", json!([held, behind]));
        let b = vec![("machineDeployments", "b".to_owned())];
        for (new, expected) in [
            (cluster("v1.35.0", json!([behind, held])), b.clone()),
            (cluster("v1.35.0", json!([behind])), b),
            (cluster("v1.35.0", json!([held])), Vec::new()),
            (cluster("v1.36.0", json!([behind])), Vec::new()),
        ] {
            assert_eq!(freed([&old, &new]), expected, "{new}");
        }
    }
}
