//! What propagates is written into manifests, and nothing else changes in them.

use fleet::{Applied, Checker, DRIFT, Fleet, FleetObject, Source};
use metadata_propagation::Settings;

fn applied(text: &str) -> (String, Vec<String>) {
    let fleet = Fleet::read(vec![Source { name: "a.yaml".to_owned(), text: text.to_owned() }]);
    let mut applied = Applied::of(&fleet, &Settings::default());
    (applied.texts.remove(0), applied.left.iter().map(|(id, _)| id.to_string()).collect())
}

const ABOVE: &str = "apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c1, namespace: fleet}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata: {name: ms, namespace: fleet}
spec:
  clusterName: c1
  template: {metadata: {labels: {team: red, stage: \"on\"}}}
---
";

const MACHINE: &str = "# the first one
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
  # its name
  name: m # here
LABELS  namespace: fleet
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, name: ms, controller: true}]
spec: {clusterName: c1}
";

#[test]
fn entries_are_written_in_the_style_of_the_document() {
    for (before, after) in [
        (
            "  labels:\n    team: blue # wrong\n    own: x\n",
            "  labels:\n    cluster.x-k8s.io/set-name: ms\n    stage: \"on\"\n    team: red # wrong\n    own: x\n",
        ),
        (
            "  labels: {team: red, own: x}\n",
            "  labels: {team: red, own: x, cluster.x-k8s.io/set-name: ms, stage: \"on\"}\n",
        ),
        ("  labels: {}\n", "  labels: {cluster.x-k8s.io/set-name: ms, stage: \"on\", team: red}\n"),
        ("  labels: null\n", "  labels: {cluster.x-k8s.io/set-name: ms, stage: \"on\", team: red}\n"),
        (
            "  labels:\n    cluster.x-k8s.io/set-name: ms\n    team: red\n    stage: 'on'\n",
            "  labels:\n    cluster.x-k8s.io/set-name: ms\n    team: red\n    stage: 'on'\n",
        ),
    ] {
        let text = |labels: &str| format!("{ABOVE}{}", MACHINE.replace("LABELS", labels));
        assert_eq!(applied(&text(before)), (text(after), Vec::new()), "{before}");
        let on_windows = |labels: &str| text(labels).replace('\n', "\r\n");
        assert_eq!(applied(&on_windows(before)), (on_windows(after), Vec::new()), "{before}");
    }
}

#[test]
fn a_map_that_is_not_there_is_written_above_the_other_fields() {
    let (text, left) = applied(&format!("{ABOVE}{}", MACHINE.replace("LABELS", "")));
    let metadata = "metadata:
  # its name
  labels:
    cluster.x-k8s.io/set-name: ms
    stage: \"on\"
    team: red
  name: m # here
  namespace: fleet
";
    assert!(text.starts_with(ABOVE) && text.contains(metadata), "{text}");
    assert!(left.is_empty());
}

/// An object as an API server has it: what differs is judged for such objects only.
fn stored(object: &FleetObject) -> anyhow::Result<FleetObject> {
    let mut json: serde_json::Value = serde_json::from_str(&object.json)?;
    let metadata = json.get_mut("metadata").and_then(serde_json::Value::as_object_mut);
    metadata.ok_or_else(|| anyhow::anyhow!("no metadata"))?.insert("uid".to_owned(), "5f0c".into());
    Ok(FleetObject { json: json.to_string().into(), ..object.clone() })
}

/// Afterwards nothing differs from the rules, and nothing is left to write.
#[test]
fn the_examples_of_the_repository_are_completed() -> anyhow::Result<()> {
    for (name, settings) in
        [("examples/fleet.yaml", None), ("examples/composites.yaml", Some("examples/composites-settings.yaml"))]
    {
        let read = |name: &str| std::fs::read_to_string(testkit::root().join(name));
        let settings = match settings {
            Some(settings) => serde_saphyr::from_str::<serde_json::Value>(&read(settings)?)?.to_string(),
            None => "{}".to_owned(),
        };
        let settings = Settings::from_json(&settings)?;
        let fleet = |text: String| Fleet::read(vec![Source { name: name.to_owned(), text }]);
        let before = fleet(read(name)?);
        let applied = Applied::of(&before, &settings);
        assert!(applied.left.is_empty(), "{:?}", applied.left);
        let after = fleet(applied.texts.concat());
        let checker = Checker::new(&settings);
        let drift = |fleet: &Fleet| -> anyhow::Result<Vec<String>> {
            let stored = fleet.objects().map(stored).collect::<anyhow::Result<Vec<_>>>()?;
            let found = stored.iter().flat_map(|object| checker.check(object, fleet).findings);
            Ok(found.filter(|finding| finding.check == DRIFT).map(|finding| finding.message).collect())
        };
        assert!(drift(&before)?.len() > 5);
        assert_eq!(drift(&after)?, Vec::<String>::new(), "{name}");
        assert_eq!(Applied::of(&after, &settings).texts.concat(), applied.texts.concat(), "{name}");
    }
    Ok(())
}
