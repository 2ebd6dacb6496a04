//! The policies of deploy/.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

/// The `spec` of every policy in deploy/, by file name.
pub(crate) fn policies() -> Result<BTreeMap<String, Value>> {
    let mut policies = BTreeMap::new();
    for entry in fs::read_dir(testkit::root().join("deploy"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let objects = objects(&format!("deploy/{name}"))?;
        for policy in objects.into_iter().filter(|object| object["kind"] == "ClusterAdmissionPolicy") {
            policies.insert(name.clone(), policy.get("spec").cloned().unwrap_or_default());
        }
    }
    Ok(policies)
}

/// The objects of a manifest, by its path from the root.
pub(crate) fn objects(path: &str) -> Result<Vec<Value>> {
    let text = fs::read_to_string(testkit::root().join(path)).with_context(|| path.to_owned())?;
    serde_saphyr::from_multiple(&text).with_context(|| path.to_owned())
}
