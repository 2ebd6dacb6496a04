//! Admission reviews recorded from Cluster API's real controllers on a real API server, in order.

use std::fs::File;
use std::io::{BufRead, BufReader};

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::cluster::ApiServer;

/// The files of one cluster's lifecycle, in order.
pub const LIFE: &[&str] = &["01-create", "02-add-keys", "03-change-values", "04-remove-keys", "05-inplace-fields"];

/// The files of another cluster's lifecycle, in order: it exists, and users change it.
///
/// `verification/conformance/cluster` recorded it, see its README.md.
pub const PEOPLE: &[&str] = &[
    "11-fleet",
    "12-edit-derived",
    "13-own-keys",
    "14-pause",
    "15-deleting-machine",
    "16-standalone",
    "17-other-control-plane",
    "18-v1beta1-client",
    "19-move",
    "20-delete",
];

/// One review of each sort, in no particular order, including later phases and `clusterctl move`.
pub const SAMPLE: &str = "sample";

/// The requests of one file.
pub fn requests(name: &str) -> Result<Vec<Value>> {
    let path = crate::root().join(format!("testdata/recorded/{name}.jsonl.gz"));
    let file = File::open(&path).with_context(|| path.display().to_string())?;
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines.map(|line| Ok(serde_json::from_str::<Value>(&line?)?["request"].take())).collect()
}

/// Replays a lifecycle through `answer`, which receives each request, its index in its file, and the cluster as a get
/// would have returned it at that moment.
pub fn play(life: &[&str], mut answer: impl FnMut(&str, usize, &Value, &ApiServer) -> Result<()>) -> Result<()> {
    let mut cluster = ApiServer::default();
    for name in life {
        for (number, request) in requests(name)?.into_iter().enumerate() {
            answer(name, number, &request, &cluster).with_context(|| format!("{name} {number}"))?;
            if request["dryRun"] != true && request["object"].is_object() {
                cluster.store(request["object"].clone());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::request::plural;

    #[test]
    fn the_api_server_names_resources_by_the_same_rule() -> Result<()> {
        let mut kinds = BTreeSet::new();
        for name in LIFE.iter().chain(PEOPLE).chain([&SAMPLE]) {
            for review in requests(name)? {
                let kind = review["kind"]["kind"].as_str().unwrap_or_default().to_owned();
                assert_eq!(review["resource"]["resource"], plural(&kind), "{kind}");
                kinds.insert(kind);
            }
        }
        assert!(kinds.contains("ClusterClass"), "{kinds:?}");
        Ok(())
    }
}
