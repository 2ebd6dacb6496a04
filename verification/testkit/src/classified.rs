//! Vectors about UPDATEs: whether Machines made from the old object are up to date with the new one.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::cluster::ApiServer;
use crate::conformance::Classified;
use crate::deviations::EntryDeviation;
use crate::request::request;
use crate::runner::EntryPoint;

impl Classified {
    /// Where an entry point's prediction differs from Cluster API's decision: at most one difference, named after the
    /// edit.
    pub(crate) fn differences(&self, entry_point: &EntryPoint) -> Result<Vec<EntryDeviation>> {
        let review = json!({ "operation": "UPDATE", "username": "alice", "object": self.new, "oldObject": self.old });
        let answer = entry_point(&request(review), &json!({}), &ApiServer::default())?;
        ensure!(answer.accepted, "refused: {:?}", answer.message);
        let edits = answer.report["rollout"]["edits"].as_array().cloned().unwrap_or_default();
        let replaced = edits
            .iter()
            .any(|edit| ["replaced when deleted", "rollout", "destructive"].map(Value::from).contains(&edit["effect"]));
        let is_unknown = edits.iter().any(|edit| edit["effect"] == "cannot tell");
        if replaced != self.up_to_date || (is_unknown && !replaced) {
            return Ok(Vec::new());
        }
        let told = |replaced: bool| Some(if replaced { "Machines are replaced" } else { "Machines stay" }.to_owned());
        Ok(vec![EntryDeviation {
            map: "rollout".to_owned(),
            key: self.change.clone(),
            expected: told(!self.up_to_date),
            found: told(replaced),
            untouched: true,
            inert: Value::Null,
        }])
    }
}
