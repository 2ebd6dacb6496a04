//! What stored objects lack, and nothing else, is in the patches.

use fleet::{Backfill, Fleet, Source};
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
            Some(settings) => serde_yaml_ng::from_str::<Value>(&read(settings)?)?.to_string(),
            None => "{}".to_owned(),
        };
        let settings = Settings::from_json(&settings)?;
        let before = fleet(read(name)?);
        let backfill = Backfill::of(&before, &settings);
        let told: Vec<String> = backfill.refused.iter().map(|refused| refused.id.to_string()).collect();
        assert_eq!(told, refused);
        assert!(backfill.patches.len() > 2);
        let mut after = String::new();
        for object in before.objects() {
            let mut value: Value = serde_json::from_str(&object.json)?;
            for patch in backfill.patches.iter().filter(|patch| patch.id == object.id) {
                merge(&mut value, &serde_yaml_ng::from_str(&patch.text)?);
            }
            after += &format!("---\n{value}\n");
        }
        assert_eq!(Backfill::of(&fleet(after), &settings).patches, [], "{name}");
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
  labels: {team: red, cluster.x-k8s.io/cluster-name: c1, cluster.x-k8s.io/set-name: ms, own: x}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: ms, controller: true}]
";

/// The labels in the patch of the Machine.
fn labels(managed: &str) -> anyhow::Result<Value> {
    let backfill = Backfill::of(&fleet(format!("{ABOVE}{managed}spec: {{clusterName: c1}}\n")), &Settings::default());
    let [patch] = &*backfill.patches else { anyhow::bail!("{backfill:?}") };
    let patch: Value = serde_yaml_ng::from_str(&patch.text)?;
    Ok(patch.pointer("/metadata/labels").cloned().unwrap_or_default())
}

#[test]
fn what_an_earlier_backfill_applied_is_applied_again() -> anyhow::Result<()> {
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
fn what_stands_below_a_refused_object_is_not_patched_either() {
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
    let backfill = Backfill::of(&fleet(text.to_owned()), &Settings::default());
    let refused: Vec<(String, String)> =
        backfill.refused.into_iter().map(|refused| (refused.id.to_string(), refused.reason)).collect();
    let expected = [
        ("MachineSet fleet/ms", "has no `metadata.name`, and so cannot be patched"),
        ("Machine fleet/m", "there is none for the object above it either"),
    ];
    assert_eq!(refused, expected.map(|(id, reason)| (id.to_owned(), reason.to_owned())));
    assert_eq!(backfill.patches, []);
}
