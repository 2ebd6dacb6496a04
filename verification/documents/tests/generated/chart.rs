//! The chart contains copies of the manifests of deploy/: Helm reads no files outside a chart.

use anyhow::{Context, Result};
use testkit::generated::check;

use documents::read;

const CHART: &str = "deploy/charts/metadata-propagation-policy";

/// The files that its templates read.
const FILES: [&str; 10] = [
    "cloud-tags",
    "cluster-api",
    "nodes",
    "policy-server",
    "rbac",
    "third-party-touch",
    "verify",
    "verify-cloud-tags",
    "verify-kubeadm",
    "verify-rbac",
];

#[test]
fn the_chart_carries_the_manifests() -> Result<()> {
    for name in FILES {
        check(&format!("{CHART}/files/{name}.yaml"), &read(&format!("deploy/{name}.yaml"))?)?;
    }
    check(&format!("{CHART}/crds/label-registry.yaml"), &read("deploy/label-registry-crd.yaml")?)?;
    let carried = std::fs::read_dir(testkit::root().join(CHART).join("files"))?.count();
    assert_eq!(carried, FILES.len(), "a file of the chart is in no list");
    Ok(())
}

#[test]
fn the_default_values_fit_their_schema() -> Result<()> {
    let values: serde_json::Value = serde_saphyr::from_str(&read(&format!("{CHART}/values.yaml"))?)?;
    let schema: serde_json::Value =
        serde_json::from_str(&read(&format!("{CHART}/values.schema.json"))?).context("values.schema.json")?;
    jsonschema::validate(&schema, &values).map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(())
}
