//! The policies of deploy/.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

/// The manifests of deploy/, by their paths from the root. The chart below it is none.
pub fn manifests() -> Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(testkit::root().join("deploy"))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            paths.push(format!("deploy/{}", entry.file_name().to_string_lossy()));
        }
    }
    Ok(paths)
}

/// The `spec` of every policy in deploy/, by file name.
pub fn policies() -> Result<BTreeMap<String, Value>> {
    let mut policies = BTreeMap::new();
    for path in manifests()? {
        let name = path.trim_start_matches("deploy/").to_owned();
        let objects = objects(&path)?;
        for policy in objects.into_iter().filter(|object| object["kind"] == "ClusterAdmissionPolicy") {
            policies.insert(name.clone(), policy.get("spec").cloned().unwrap_or_default());
        }
    }
    Ok(policies)
}

/// The objects of a manifest, by its path from the root.
pub fn objects(path: &str) -> Result<Vec<Value>> {
    let text = fs::read_to_string(testkit::root().join(path)).with_context(|| path.to_owned())?;
    serde_saphyr::from_multiple(&text).with_context(|| path.to_owned())
}
