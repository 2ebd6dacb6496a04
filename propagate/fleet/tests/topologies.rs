//! Edits of classes, templates and Clusters in `testdata/topology`: the owners of a plan are compared with what Cluster
//! API's own topology reconciler does (`verification/conformance/functions/topology`).
//!
//! `TOPOLOGY_PAIRS=DIR cargo test -p fleet --test topologies` compares generated ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fleet::{Fleet, Plan, PlannedOwner, Source};
use metadata_propagation::{Effect, Settings};
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn folder() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/topology");
    std::env::var_os("TOPOLOGY_PAIRS").map_or_else(own, PathBuf::from)
}

fn fleet(pair: &Value) -> Fleet {
    let lists = ["templates", "others", "existing"].into_iter().filter_map(|list| pair[list].as_array()).flatten();
    let objects = lists.chain([&pair["class"], &pair["cluster"]]);
    let text = objects.map(Value::to_string).collect::<Vec<_>>().join("\n---\n");
    Fleet::read(vec![Source { name: "fleet.yaml".to_owned(), text }])
}

/// The owners whose Machines are replaced several times, and how often: a patch writes the name of their template, or an
/// upgrade goes through several versions.
fn again(plan: &Plan) -> BTreeMap<String, usize> {
    let is_twice = |owner: &PlannedOwner| owner.reason.as_ref().is_some_and(|it| it.ends_with("replaced twice"));
    let times = |owner: &PlannedOwner| if is_twice(owner) { 2 } else { owner.steps.len() };
    let again = plan.owners.iter().filter(|owner| owner.effect == Effect::Rollout && times(owner) > 1);
    again.filter_map(|owner| Some((owner.part.as_ref()?.to_string(), times(owner)))).collect()
}

/// The effect on each owner, or that Cluster API refuses the edit.
fn planned(plan: &Plan) -> BTreeMap<String, &'static str> {
    let mut owners: BTreeMap<String, Effect> = BTreeMap::new();
    let mut is_refused = plan.objects.iter().flat_map(|object| &object.edits).any(|it| it.effect == Effect::Refused);
    for owner in &plan.owners {
        is_refused |= owner.effect == Effect::Refused;
        let Some(part) = &owner.part else { continue };
        assert_eq!(owners.insert(part.to_string(), owner.effect), None, "{part}: each owner once");
    }
    if is_refused {
        return BTreeMap::from([("refused".to_owned(), "refused")]);
    }
    let words = owners.into_iter().map(|(name, effect)| (name, word(effect)));
    words.filter(|(name, effect)| *effect != "nothing" && name != "infrastructure").collect()
}

fn word(effect: Effect) -> &'static str {
    match effect {
        // What waits does not happen now.
        Effect::Nothing | Effect::Waits => "nothing",
        Effect::InPlace => "inPlace",
        Effect::Scale => "scale",
        Effect::ReplacedWhenDeleted => "replacedWhenDeleted",
        Effect::CannotTell => "provider",
        Effect::Scheduled => "scheduled",
        Effect::Rollout => "rollout",
        Effect::Refused => "refused",
        Effect::Destructive => "deleted",
    }
}

fn answered(answer: &Value) -> BTreeMap<String, &str> {
    if answer.get("refused").is_some() {
        return BTreeMap::from([("refused".to_owned(), "refused")]);
    }
    let owners = answer["owners"].as_array().into_iter().flatten();
    owners
        .filter_map(|owner| match owner["effect"].as_str()? {
            // A new entry is a scale from no Machines.
            "created" => Some((owner["object"].as_str()?.to_owned(), "scale")),
            effect => Some((owner["object"].as_str()?.to_owned(), effect)),
        })
        .collect()
}

/// Whether an owner such as `MachineDeployment md` has no Machines.
fn has_none(cluster: &Value, owner: &str) -> bool {
    let lists = [fleet::WORKERS[0].list, fleet::WORKERS[1].list].into_iter();
    let entries =
        lists.filter_map(|list| cluster.pointer(&format!("/spec/topology/workers/{list}"))?.as_array()).flatten();
    let is_it = |entry: &&Value| entry["name"].as_str().is_some_and(|name| owner.ends_with(&format!(" {name}")));
    entries.into_iter().find(is_it).is_some_and(|entry| entry["replicas"] == json!(0))
}

#[derive(Default)]
struct Count {
    edits: usize,
    owners: usize,
    cannot_tell: usize,
    harmless: usize,
    wrong: Vec<String>,
}

/// Edits for which a plan says something else: a plan has no clock, a function that is not evaluated leaves unknown what its patch
/// writes, and which Machine initialized a control plane is not known.
const DEVIATIONS: [(&str, &str); 4] = [
    ("dropped", "in the control plane, a taint below an empty list that is stored"),
    ("dropped", "in the control plane, an address of the API server"),
    ("small", "a rollout in the past"),
    ("small", "a template that calls a function that is not evaluated"),
];

const REPLACES: [&str; 3] = ["rollout", "scheduled", "replacedWhenDeleted"];

fn compare(
    count: &mut Count,
    (file, title): (&str, &str),
    found: &BTreeMap<String, &str>,
    expected: &BTreeMap<String, &str>,
) {
    count.edits += 1;
    let names: Vec<&String> = found.keys().chain(expected.keys().filter(|name| !found.contains_key(*name))).collect();
    count.owners += names.len().max(1);
    for name in names {
        let [is, must] = [found, expected].map(|map| map.get(name).copied().unwrap_or("nothing"));
        if is == must || DEVIATIONS.contains(&(file, title)) {
            continue;
        }
        count.cannot_tell += usize::from(is == "provider");
        let is_harmless =
            REPLACES.contains(&must) && !REPLACES.contains(&is) && is != "provider" && !found.contains_key("refused");
        count.harmless += usize::from(is_harmless);
        let note = if is_harmless { "HARMLESS " } else { "" };
        count.wrong.push(format!("{note}{file}: {title}: {name}: {is}, not {must}"));
    }
}

fn class(file: &Path, count: &mut Count) -> Outcome {
    let mut pair: Value = serde_saphyr::from_str(&fs::read_to_string(file)?)?;
    if let Some(setup) = pair.get("setup").cloned() {
        json_patch::patch(&mut pair, &serde_json::from_value::<json_patch::Patch>(setup)?)?;
    }
    let answers = pair.get_mut("answers").map(Value::take).unwrap_or_default();
    let answers = answers.as_array().ok_or("no answers")?;
    let before = fleet(&pair);
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let edits = pair.get("edits").and_then(Value::as_array).cloned().unwrap_or_default();
    assert_eq!(edits.len(), answers.len(), "{name}: as many answers as edits");
    for (edit, answer) in edits.iter().zip(answers) {
        let title = edit["title"].as_str().unwrap_or_default();
        assert_eq!(answer["title"], json!(title), "{name}: the answer to another edit");
        let mut edited = pair.clone();
        json_patch::patch(&mut edited, &serde_json::from_value::<json_patch::Patch>(edit["patch"].clone())?)?;
        let mut settings = Settings::default();
        settings.cluster_api.taints =
            pair.pointer("/gates/MachineTaintPropagation").is_none_or(|it| *it == json!(true));
        let plan = Plan::of(&before, &fleet(&edited), &settings);
        // The webhooks of providers refuse edits of templates in place, and of infrastructure. The reconciler knows nothing of them.
        let is_template = |object: &&fleet::Planned| object.id.kind.ends_with("Template");
        let templates = plan.objects.iter().filter(is_template).flat_map(|object| &object.edits);
        let is_immutable = templates.into_iter().any(|edit| edit.effect == Effect::Refused);
        let by_provider = |owner: &PlannedOwner| {
            owner.effect == Effect::Refused
                && owner.reason.as_deref().is_some_and(|it| it.contains("the webhook of the provider"))
        };
        let is_immutable = is_immutable || plan.owners.iter().any(by_provider);
        if is_immutable && answer.get("refused").is_none() {
            continue;
        }
        let known = count.wrong.len();
        let (found, mut expected) = (planned(&plan), answered(answer));
        // The Machines of workers that are scaled to none are deleted, whatever else changes.
        for (owner, effect) in expected.iter_mut().filter(|(owner, _)| found.get(*owner) == Some(&"scale")) {
            let is_none = edited.get("cluster").is_some_and(|cluster| has_none(cluster, owner));
            *effect = if is_none { "scale" } else { effect };
        }
        compare(count, (&name, title), &found, &expected);
        // Why a plan says that something is refused, or not known.
        let of_edits = plan.objects.iter().flat_map(|object| &object.edits).filter_map(|edit| edit.reason.as_deref());
        let why: BTreeSet<&str> =
            of_edits.chain(plan.owners.iter().filter_map(|owner| owner.reason.as_deref())).collect();
        count.wrong.iter_mut().skip(known).for_each(|line| *line = format!("{line} {why:?}"));
        if answer.get("refused").is_some() {
            continue;
        }
        let owners = answer["owners"].as_array().into_iter().flatten();
        let times =
            |owner: &Value| Some((owner["object"].as_str()?.to_owned(), owner["rollouts"].as_u64()?.try_into().ok()?));
        let expected: BTreeMap<String, usize> = owners.filter_map(times).collect();
        let is_chained = pair.pointer("/class/spec/kubernetesVersions").is_some();
        for (owner, times) in again(&plan) {
            // A template that has its own name in it never ends.
            if expected.get(&owner).is_none_or(|it| if is_chained { *it != times } else { *it < times }) {
                count
                    .wrong
                    .push(format!("{name}: {title}: {owner}: replaced {times} times, not {:?}", expected.get(&owner)));
            }
        }
        for (owner, times) in expected.iter().filter(|(owner, _)| is_chained && !again(&plan).contains_key(*owner)) {
            count.wrong.push(format!("{name}: {title}: {owner}: replaced once, not {times} times"));
        }
    }
    Ok(())
}

#[test]
fn owners_are_those_of_cluster_api_s_reconciler() -> Outcome {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder())?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|it| it == "yaml"));
    files.sort();
    let mut wrong = Vec::new();
    for file in &files {
        let mut count = Count::default();
        class(file, &mut count)?;
        let Count { edits, owners, cannot_tell, harmless, .. } = count;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        println!(
            "{name}: {edits} edits, {owners} owners, {} wrong, {cannot_tell} cannot tell, {harmless} called harmless",
            count.wrong.len()
        );
        wrong.extend(count.wrong);
    }
    assert!(!files.is_empty());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

#[test]
fn of_a_template_that_is_defined_twice_no_effect_is_known() -> Outcome {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/topology/small.yaml");
    let before: Value = serde_saphyr::from_str(&fs::read_to_string(file)?)?;
    let mut after = before.clone();
    let mut copy = after["templates"][0].clone();
    copy["metadata"]["labels"] = json!({"of": "the copy"});
    after["templates"].as_array_mut().ok_or("no templates")?.push(copy);
    let id = format!("{} fleet/{}", before["templates"][0]["kind"].as_str().unwrap_or_default(), "small");
    let plan = Plan::of(&fleet(&before), &fleet(&after), &Settings::default());
    let unknown: Vec<String> = plan.unknown.iter().map(|it| format!("{}: {}", it.id, it.reason)).collect();
    let reason = "it is defined twice, and which definition is applied last is not known";
    assert_eq!(unknown, [format!("{id}: {reason}")]);
    after["class"]["spec"]["patches"].as_array_mut().ok_or("no patches")?.pop();
    let plan = Plan::of(&fleet(&before), &fleet(&after), &Settings::default());
    let expected = ["MachineDeployment batch", "MachineDeployment web", "control plane"];
    assert_eq!(planned(&plan), expected.map(|owner| (owner.to_owned(), "provider")).into());
    Ok(())
}

#[test]
fn labels_of_another_template_reach_what_is_created_from_it() {
    const OBJECTS: &str = r#"
{apiVersion: cluster.x-k8s.io/v1beta2, kind: ClusterClass, metadata: {name: c, namespace: fleet}, spec: {
  infrastructure: {templateRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DevClusterTemplate, name: infra}},
  controlPlane: {
    templateRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, name: plane},
    machineInfrastructure: {templateRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DevMachineTemplate, name: NAMED}}}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DevClusterTemplate, metadata: {name: infra, namespace: fleet}, spec: {template: {spec: {}}}}
---
{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, metadata: {name: plane, namespace: fleet}, spec: {template: {spec: {}}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DevMachineTemplate, metadata: {name: machine, namespace: fleet}, spec: {template: {metadata: {labels: {disk: ssd}}, spec: {}}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DevMachineTemplate, metadata: {name: other, namespace: fleet}, spec: {template: {metadata: {labels: {disk: nvme}}, spec: {}}}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c1, namespace: fleet}, spec: {topology: {classRef: {name: c}, version: v1.36.0, controlPlane: {replicas: 1}}}}
---
{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, metadata: {name: c1-abc, namespace: fleet, labels: {cluster.x-k8s.io/cluster-name: c1, topology.cluster.x-k8s.io/owned: ""}, ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, name: c1, uid: u, controller: true}]},
  spec: {replicas: 1, version: v1.36.0, machineTemplate: {spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DevMachineTemplate, name: c1-xyz}}}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DevMachineTemplate, metadata: {name: c1-xyz, namespace: fleet, labels: {cluster.x-k8s.io/cluster-name: c1, topology.cluster.x-k8s.io/owned: ""}}, spec: {template: {metadata: {labels: {disk: ssd}}, spec: {}}}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: c1-abc-1, namespace: fleet, labels: {cluster.x-k8s.io/cluster-name: c1}, ownerReferences: [{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, name: c1-abc, uid: u, controller: true}]}, spec: {clusterName: c1}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DevMachine, metadata: {name: c1-abc-1, namespace: fleet, labels: {disk: ssd}, ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, name: c1-abc-1, uid: u, controller: true}]}, spec: {}}
"#;
    let fleet = |name: &str| {
        let text = OBJECTS.replace("NAMED", name);
        Fleet::read(vec![Source { name: "fleet.yaml".to_owned(), text }])
    };
    let plan = Plan::of(&fleet("machine"), &fleet("other"), &Settings::default());
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let further = plan.further.iter();
    let further: Vec<String> =
        further.map(|it| format!("{} {} {}: {} → {}", it.id, it.at, it.key, text(&it.from), text(&it.to))).collect();
    let expected = [
        "DevMachine fleet/c1-abc-1 metadata.labels disk: ssd → nvme",
        "DevMachineTemplate fleet/c1-xyz spec.template.metadata.labels disk: ssd → nvme",
    ];
    assert_eq!(further, expected);
    assert_eq!(plan.verdict.relabels, 1);
}

/// What an edit of `small.yaml` does, after another change of it that both sides have.
fn edited(both: &Value, edit: &Value) -> Result<Plan, Box<dyn std::error::Error>> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/topology/small.yaml");
    let mut before: Value = serde_saphyr::from_str(&fs::read_to_string(file)?)?;
    json_patch::patch(&mut before, &serde_json::from_value::<json_patch::Patch>(both.clone())?)?;
    let mut after = before.clone();
    json_patch::patch(&mut after, &serde_json::from_value::<json_patch::Patch>(edit.clone())?)?;
    Ok(Plan::of(&fleet(&before), &fleet(&after), &Settings::default()))
}

fn effects(of: [(&str, &'static str); 3]) -> BTreeMap<String, &'static str> {
    of.map(|(owner, effect)| (owner.to_owned(), effect)).into()
}

#[test]
fn an_extension_does_not_change_the_version_of_a_control_plane() -> Outcome {
    let external = json!({"name": "extension", "external": {"generatePatchesExtension": "e"}});
    let external = json!([{"op": "add", "path": "/class/spec/patches/-", "value": external}]);
    let replace = |path: &str, value: Value| json!([{"op": "replace", "path": path, "value": value}]);
    let version = edited(&external, &replace("/cluster/spec/topology/version", json!("v1.36.1")))?;
    let all =
        [("MachineDeployment batch", "rollout"), ("MachineDeployment web", "rollout"), ("control plane", "rollout")];
    assert_eq!(planned(&version), effects(all));
    let replicas = edited(&external, &replace("/cluster/spec/topology/controlPlane/replicas", json!(5)))?;
    let unknown =
        [("MachineDeployment batch", "provider"), ("MachineDeployment web", "provider"), ("control plane", "provider")];
    assert_eq!(planned(&replicas), effects(unknown));
    Ok(())
}

#[test]
fn a_rule_of_a_variable_may_refuse_what_differs() -> Outcome {
    let schema = "/class/spec/variables/1/schema/openAPIV3Schema";
    let rules = json!([{"rule": "self.mirror"}]);
    let ruled = json!([{"op": "add", "path": format!("{schema}/x-kubernetes-validations"), "value": rules}]);
    let value = json!({"mirror": true, "host": "other"});
    let set = json!([{"op": "replace", "path": "/cluster/spec/topology/variables/0/value", "value": value}]);
    let plan = edited(&ruled, &set)?;
    let unknown =
        [("MachineDeployment batch", "provider"), ("MachineDeployment web", "provider"), ("control plane", "provider")];
    assert_eq!(planned(&plan), effects(unknown));
    let reasons: Vec<_> = plan.owners.iter().map(|owner| owner.reason.clone()).collect();
    let reason = "Cluster API may refuse the value of variable `registry`: rule `x-kubernetes-validations` of its schema \
                  is not evaluated";
    assert_eq!(reasons, [Some(reason); 3].map(|reason| reason.map(str::to_owned)));
    let image = json!({"name": "image", "value": "other"});
    let other = edited(&ruled, &json!([{"op": "add", "path": "/cluster/spec/topology/variables/-", "value": image}]))?;
    let all =
        [("MachineDeployment batch", "rollout"), ("MachineDeployment web", "rollout"), ("control plane", "rollout")];
    assert_eq!(planned(&other), effects(all));
    Ok(())
}

#[test]
fn a_new_cluster_fits_its_class() -> Outcome {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/topology/small.yaml");
    let mut pair: Value = serde_saphyr::from_str(&fs::read_to_string(file)?)?;
    let version = pair["cluster"]["spec"]["topology"]["version"].clone();
    for (listed, health_check, expected) in [
        (version, json!({"enabled": false}), vec![]),
        (
            json!("v1.30.0"),
            json!({"enabled": true}),
            vec!["spec.topology.version", "spec.topology.workers.machineDeployments[web].healthCheck"],
        ),
    ] {
        pair["class"]["spec"]["kubernetesVersions"] = json!([listed]);
        pair["cluster"]["spec"]["topology"]["workers"]["machineDeployments"][0]["healthCheck"] = health_check;
        let mut before = pair.clone();
        before["cluster"] = json!({});
        let plan = Plan::of(&fleet(&before), &fleet(&pair), &Settings::default());
        let edits = plan.objects.iter().flat_map(|object| &object.edits);
        let refused = edits.filter(|edit| edit.effect == Effect::Refused).map(|edit| edit.at.to_string());
        assert_eq!(refused.collect::<Vec<_>>(), expected);
    }
    Ok(())
}

/// Which edits each owner changes because of, and the edits that change none.
fn chains(plan: &Plan) -> (Vec<String>, Vec<String>) {
    let owners =
        plan.owners.iter().flat_map(|owner| owner.chains().into_iter().map(move |it| format!("{owner}: {it}")));
    let edits = plan.objects.iter().flat_map(|object| &object.edits);
    let idle = edits.filter(|edit| edit.changes_no_owner).map(|edit| edit.at.to_string());
    (owners.collect(), idle.collect())
}

/// `team` of the Cluster's own labels does nothing, that of the entry of its topology reaches the template that a patch writes.
#[test]
fn of_two_edits_the_one_that_changes_an_owner_is_told() -> Outcome {
    let label = |path: &str, value: &str| json!({"op": "add", "path": path, "value": value});
    let edits = json!([
        {"op": "add", "path": "/cluster/metadata/labels", "value": {"team": "shop"}},
        label("/cluster/spec/topology/workers/machineDeployments/0/metadata/labels/team", "shop"),
    ]);
    let (owners, idle) = chains(&edited(&json!([]), &edits)?);
    assert_eq!(idle, ["metadata.labels"]);
    assert!(!owners.is_empty() && owners.iter().all(|it| it.contains("machineDeployments[web].metadata.labels → ")));
    Ok(())
}
