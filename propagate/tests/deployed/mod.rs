//! The version of Cluster API that the manifests of deploy/ set. It may be older than the newest that the policy knows.

#![expect(clippy::unwrap_used, reason = "what tests are made of may fail like a test")]

use std::fs;
use std::path::Path;

/// Replaces `DEPLOYED` by the value of `clusterApi.version` in deploy/cluster-api.yaml.
pub(crate) fn with_version(text: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/cluster-api.yaml");
    let manifest = fs::read_to_string(path).unwrap();
    let version = manifest.lines().find_map(|line| line.trim().strip_prefix("version: ")).unwrap();
    text.replace("DEPLOYED", version)
}
