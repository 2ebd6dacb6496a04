//! What the compiled policy does in each review: its host calls and its answer, for `verification/canned-policy`.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};
use testkit::cluster::{ApiServer, ResourceHost};
use testkit::module::{Module, ModuleCall};

/// What the module did in reviews, each with its settings: where each begins, then its reads, lines of the log and answer.
pub(crate) fn recorded(module: &Path, reviews: &[(Value, Value)], cluster: &ApiServer) -> Result<Vec<u8>> {
    let policy = Module::read(module)?;
    let cluster: Arc<dyn ResourceHost> = Arc::new(cluster.clone());
    let (mut table, mut all) = (Vec::new(), Vec::new());
    for (request, settings) in reviews {
        let payload = json!({ "request": request, "settings": settings }).to_string();
        let call = policy.call("validate", payload.as_bytes(), &cluster)?;
        table.extend(u32::try_from(reviews.len() * 4 + all.len())?.to_le_bytes());
        add(&call, &mut all)?;
    }
    table.extend(all);
    Ok(table)
}

fn add(call: &ModuleCall, to: &mut Vec<u8>) -> Result<()> {
    let log: Vec<String> = call.log.iter().map(Value::to_string).collect();
    let reads: Vec<&[u8]> = call.gets.iter().map(|(payload, _)| payload.as_slice()).collect();
    let log: Vec<&[u8]> = log.iter().map(String::as_bytes).collect();
    for calls in [reads, log] {
        to.extend(u32::try_from(calls.len())?.to_le_bytes());
        for payload in calls {
            write(payload, to)?;
        }
    }
    write(&call.response, to)
}

fn write(bytes: &[u8], to: &mut Vec<u8>) -> Result<()> {
    to.extend(u32::try_from(bytes.len())?.to_le_bytes());
    to.extend(bytes);
    Ok(())
}
