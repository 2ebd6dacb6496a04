//! What is wrong with settings: `testdata/settings.txt` has settings, and below them what is said of them.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON value answers null for what is absent")]

use anyhow::{Result, anyhow};
use metadata_propagation::{Review, Settings, evaluate};
use serde_json::{Value, json};
use testkit::cluster::ApiServer;
use testkit::generated::change;

#[test]
fn every_problem_is_named_with_its_path() -> Result<()> {
    change("testdata/settings.txt", |text| {
        let mut whole = String::new();
        for line in text.lines().filter(|line| !line.starts_with(' ')) {
            whole += &format!("{line}\n");
            let is_comment = line.is_empty() || line.starts_with('#');
            match Settings::validate(line) {
                _ if is_comment => {}
                Ok(()) => whole += "  valid\n",
                Err(error) => {
                    let problems = error.problems.iter().map(|problem| problem.to_string().replace('\n', "\\n"));
                    problems.for_each(|problem| whole += &format!("  {problem}\n"));
                }
            }
        }
        Ok(whole)
    })
}

/// What the policy writes into a Cluster with metadata, where a key that never propagates is selected.
fn written(selected: &str, metadata: Value) -> Result<Option<Value>> {
    let settings = json!({ "clusterApi": { "optIn": { "clusterToTopology": [selected] } } }).to_string();
    assert!(Settings::validate(&settings).is_err(), "{selected}");
    let settings = Settings::from_json(&settings)?;
    let workers = json!({ "machineDeployments": [{ "name": "md-0", "class": "w" }] });
    let mut object = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "metadata": metadata,
        "spec": { "topology": { "classRef": { "name": "small" }, "version": "v1.33.0", "workers": workers } },
    });
    for (field, value) in [("name", "c1"), ("namespace", "fleet")] {
        object["metadata"][field] = json!(value);
    }
    let request = json!({
        "uid": "never", "operation": "CREATE", "name": "c1", "namespace": "fleet", "userInfo": { "username": "bob" },
        "kind": { "group": "cluster.x-k8s.io", "version": "v1beta2", "kind": "Cluster" }, "object": object,
    })
    .to_string();
    let review = Review::from_json(&request).map_err(|malformed| anyhow!("{malformed}"))?;
    let outcome = evaluate(&review, &settings, &ApiServer::new(Vec::new(), Vec::new())?);
    assert!(outcome.rejection.is_none(), "{selected}");
    Ok(outcome.object.map(|object| serde_json::from_str(&object)).transpose()?)
}

/// Keys that never propagate, in `clusterApi.optIn.clusterToTopology`: a policy that was installed before `Settings::validate`
/// refused them still has them.
#[test]
fn what_is_about_one_object_is_not_copied_into_its_topology() -> Result<()> {
    for key in [
        "cluster.x-k8s.io/paused",
        "kubectl.kubernetes.io/last-applied-configuration",
        "metadata-propagation.plexsphere.com/approve-rollout",
        "metadata-propagation.plexsphere.com/exempt",
    ] {
        assert_eq!(written(key, json!({ "annotations": { key: "x" } }))?, None, "{key}");
    }
    let label = "cluster.x-k8s.io/cluster-name";
    assert_eq!(written(label, json!({ "labels": { label: "c1" } }))?, None);
    Ok(())
}
