//! What stored objects lack, and nothing else, is in the patches.

use fleet::{Backfill, Fleet, Means, Source};
use metadata_propagation::Settings;
use serde_json::Value;

fn fleet(text: String) -> Fleet {
    Fleet::read(vec![Source { name: "a.yaml".to_owned(), text }])
}

/// What server-side apply makes of maps and whole lists.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

/// Afterwards nothing is lacking.
#[test]
fn patched_objects_lack_nothing() -> anyhow::Result<()> {
    for (name, settings, refused) in [
        ("examples/fleet.yaml", None, &[][..]),
        ("examples/composites.yaml", Some("examples/composites-settings.yaml"), &["XOpenStackInstance checkout/shop"]),
    ] {
        let read = |name: &str| std::fs::read_to_string(testkit::root().join(name));
        let settings = match settings {
            Some(settings) => serde_saphyr::from_str::<Value>(&read(settings)?)?.to_string(),
            None => "{}".to_owned(),
        };
        let settings = Settings::from_json(&settings)?;
        let before = fleet(read(name)?);
        let backfill = Backfill::of(&before, &settings, Means::Apply);
        let told: Vec<String> = backfill.refused.iter().map(|refused| refused.id.to_string()).collect();
        assert_eq!(told, refused);
        assert!(backfill.steps.len() > 2);
        let mut after = String::new();
        for object in before.objects() {
            let mut value: Value = serde_json::from_str(&object.json)?;
            for patch in backfill.steps.iter().filter(|patch| patch.id == object.id) {
                merge(&mut value, &serde_saphyr::from_str(&patch.text)?);
            }
            after += &format!("---\n{value}\n");
        }
        assert_eq!(Backfill::of(&fleet(after), &settings, Means::Apply).steps, [], "{name}");
    }
    Ok(())
}

const ABOVE: &str = "apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c1, namespace: fleet}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata: {name: ms, namespace: fleet, labels: {cluster.x-k8s.io/cluster-name: c1}}
spec:
  clusterName: c1
  template: {metadata: {labels: {team: red, stage: \"on\", cluster.x-k8s.io/cluster-name: c1}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: m
  namespace: fleet
  labels: {team: red, cluster.x-k8s.io/cluster-name: c1, cluster.x-k8s.io/set-name: ms, own: x, gone: x}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: ms, controller: true}]
";

/// The labels in the patch of the Machine.
fn labels(managed: &str) -> anyhow::Result<Value> {
    let backfill = Backfill::of(
        &fleet(format!("{ABOVE}{managed}spec: {{clusterName: c1}}\n")),
        &Settings::default(),
        Means::Apply,
    );
    let [patch] = &*backfill.steps else { anyhow::bail!("{backfill:?}") };
    let patch: Value = serde_saphyr::from_str(&patch.text)?;
    Ok(patch.pointer("/metadata/labels").cloned().unwrap_or_default())
}

/// `team` is still set on the MachineSet, `gone` is not.
#[test]
fn what_an_earlier_backfill_applied_is_applied_again_as_far_as_the_rules_ask_for_it() -> anyhow::Result<()> {
    let entry = |manager: &str, operation: &str| {
        format!(
            "  managedFields:\n  - {{manager: {manager}, operation: {operation}, fieldsV1: {{\"f:metadata\": {{\"f:labels\": \
             {{\".\": {{}}, \"f:team\": {{}}, \"f:gone\": {{}}}}}}}}}}\n"
        )
    };
    let own = serde_json::json!({ "stage": "on", "team": "red" });
    let lacking = serde_json::json!({ "stage": "on" });
    assert_eq!(labels(&entry("metadata-propagation-backfill", "Apply"))?, own);
    assert_eq!(labels(&entry("metadata-propagation-backfill", "Update"))?, lacking);
    assert_eq!(labels(&entry("kubectl", "Apply"))?, lacking);
    assert_eq!(labels("")?, lacking);
    Ok(())
}

#[test]
fn children_of_a_refused_object_are_not_patched_either() {
    let text = "apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c1, namespace: fleet}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: {name: md, namespace: fleet, labels: {cluster.x-k8s.io/cluster-name: c1}}
spec: {clusterName: c1, template: {metadata: {labels: {team: red}}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata:
  generateName: ms
  namespace: fleet
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, name: md, controller: true}]
spec: {clusterName: c1, template: {metadata: {labels: {team: blue}}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: m
  namespace: fleet
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: ms, controller: true}]
";
    let backfill = Backfill::of(&fleet(text.to_owned()), &Settings::default(), Means::Touch);
    let refused: Vec<(String, String)> =
        backfill.refused.into_iter().map(|refused| (refused.id.to_string(), refused.reason)).collect();
    let expected = [
        ("MachineSet fleet/ms", "it has no `metadata.name` and cannot be patched"),
        ("Machine fleet/m", "there is no command for its owner either"),
    ];
    assert_eq!(refused, expected.map(|(id, reason)| (id.to_owned(), reason.to_owned())));
    assert_eq!(backfill.steps, []);
}

/// Labels of the Machine and what a backfill owns; what of it somebody else owns.
fn machine(labels: &str, own: &str, others: &str) -> Fleet {
    let entry = |manager: &str, operation: &str, labels: &str| {
        let fields: String = labels.split(',').map(|label| format!("\"f:{label}\": {{}}, ")).collect();
        format!(
            "  - {{manager: {manager}, operation: {operation}, apiVersion: cluster.x-k8s.io/v1beta2, fieldsV1: \
             {{\"f:metadata\": {{\"f:labels\": {{{fields}}}}}}}}}\n"
        )
    };
    let managed = entry("metadata-propagation-backfill", "Apply", own) + &entry("capi-machineset", "Apply", others);
    let above =
        ABOVE.replace("{team: red, cluster.x-k8s.io/cluster-name: c1, cluster.x", &format!("{{{labels}, cluster.x"));
    fleet(format!("{above}  managedFields:\n{managed}spec: {{clusterName: c1}}\n"))
}

fn texts(fleet: &Fleet, means: Means) -> (Vec<String>, Vec<String>) {
    let Backfill { steps, refused, .. } = Backfill::of(fleet, &Settings::default(), means);
    (steps.into_iter().map(|step| step.text).collect(), refused.into_iter().map(|refused| refused.reason).collect())
}

const ALL: &str = "team: red, stage: \"on\", cluster.x-k8s.io/cluster-name: c1";
const IDENTITY: &str = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nmetadata:\n";
const NAME: &str = "  name: m\n  namespace: fleet\n";

#[test]
fn a_complete_object_is_touched_no_more() {
    assert_eq!(texts(&machine(ALL, "team", "stage"), Means::Touch), (vec![], vec![]));
    assert_eq!(texts(&machine(ALL, "team", "stage"), Means::Apply), (vec![], vec![]));
}

/// Server-side apply then removes it, unless somebody else owns it.
#[test]
fn what_the_rules_no_longer_ask_for_is_dropped_from_a_complete_object() {
    let dropped = format!("{IDENTITY}  labels:\n    team: red\n{NAME}");
    assert_eq!(texts(&machine(ALL, "team,gone", "stage"), Means::Apply), (vec![dropped], vec![]));
}

#[test]
fn a_backfill_gives_up_what_a_controller_owns_too() {
    let empty = format!("{IDENTITY}{NAME}");
    assert_eq!(texts(&machine(ALL, "team,stage", "stage,team"), Means::Release), (vec![empty], vec![]));
}

#[test]
fn a_backfill_keeps_what_nobody_else_owns() {
    let reason = "`metadata.labels.team` has no other field manager yet: giving it up would remove it".to_owned();
    assert_eq!(texts(&machine(ALL, "team,stage", "stage"), Means::Release), (vec![], vec![reason]));
}

/// The touch is refused nothing and owns nothing; the comment says what the policy then does.
#[test]
fn commands_are_in_the_order_of_propagation() {
    let text = "apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  name: m
  namespace: fleet
  labels: {team: blue}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: ms, controller: true}]
spec: {clusterName: c1}
status: {nodeRef: {name: node-1}}
---
apiVersion: v1
kind: Node
metadata:
  name: node-1
  annotations: {cluster.x-k8s.io/cluster-name: c1, cluster.x-k8s.io/cluster-namespace: fleet, cluster.x-k8s.io/machine: m}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata:
  name: ms
  namespace: fleet
  labels: {cluster.x-k8s.io/cluster-name: c1, cluster.x-k8s.io/deployment-name: md}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, name: md, controller: true}]
spec: {clusterName: c1, template: {metadata: {labels: {cluster.x-k8s.io/cluster-name: c1, cluster.x-k8s.io/deployment-name: md}}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: {name: md, namespace: fleet}
spec:
  clusterName: c1
  template:
    metadata: {labels: {team: red, node.cluster.x-k8s.io/pool: a}}
    spec: {deletion: {nodeDrainTimeoutSeconds: 60}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c1, namespace: fleet}
";
    let expected = [
        "# sets metadata.labels: node.cluster.x-k8s.io/pool, team
# sets spec.template.metadata.labels: node.cluster.x-k8s.io/pool, team
# sets spec.template.spec.deletion: nodeDrainTimeoutSeconds
kubectl patch MachineSet.cluster.x-k8s.io ms -n fleet --type=merge -p '{}'
",
        "# sets metadata.labels: cluster.x-k8s.io/cluster-name, cluster.x-k8s.io/deployment-name, cluster.x-k8s.io/set-name, \
         node.cluster.x-k8s.io/pool, team
# sets spec.deletion: nodeDrainTimeoutSeconds
kubectl patch Machine.cluster.x-k8s.io m -n fleet --type=merge -p '{}'
",
        "# sets metadata.labels: node.cluster.x-k8s.io/pool
kubectl patch Node node-1 --type=merge -p '{}'
",
    ];
    let expected = expected.map(str::to_owned).to_vec();
    assert_eq!(texts(&fleet(text.to_owned()), Means::Touch), (expected, vec![]));
}

#[test]
fn a_name_that_a_shell_would_read_is_refused() {
    let text = ABOVE.replace("name: m\n", "name: m;reboot\n");
    let text = format!("{text}spec: {{clusterName: c1}}\n");
    let reason = "kind, namespace or name is not valid in Kubernetes".to_owned();
    assert_eq!(texts(&fleet(text), Means::Touch), (vec![], vec![reason]));
}
