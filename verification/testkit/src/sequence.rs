//! The sequence format: writes in order, through the policy into an API server, and the final state.
//!
//! ```yaml
//! # Free text: why this is so.
//! settings: {}            # the policy's settings; the defaults where absent
//! cluster: []             # objects as they are before the first step
//! steps:
//!   - user: alice
//!     create: {}          # a whole object
//!   - user: bob
//!     update: Machine m-1 # kind and name
//!     merge: {}           # RFC 7386, onto the stored object; a no-op update if absent
//!     reads: 1            # the host's cache has the state from this number of steps earlier
//!     refused: true       # the policy refuses it, and nothing is stored
//!   - user: bob
//!     delete: Machine m-1
//! final:                  # whole maps, by kind and name; null for a deleted object
//!   Machine m-1: { labels: {}, annotations: {}, template: { labels: {} } }
//! unsettled: why          # a no-op update of the final state would still change it
//! ```
//!
//! Owners of fields may be in short, and a file has several, each with its name in `case`, as with cases.
//!
//! Replaying a step stores the same object, and unless the file has `unsettled`, a no-op update of any object of
//! `final` changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use cases::FileDocument;
use cases::owners::with_owners;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::case::sorted;
use crate::cluster::ApiServer;
use crate::difference;
use crate::patch::patched;
use crate::request::{managed, request};
use crate::runner::{EntryPoint, Named};

/// One sequence.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sequence {
    #[serde(default)]
    settings: Option<Value>,
    #[serde(default)]
    cluster: Vec<Value>,
    steps: Vec<SequenceStep>,
    #[serde(rename = "final")]
    end: BTreeMap<String, Option<Maps>>,
    #[serde(default)]
    unsettled: Option<String>,
}

/// One write.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SequenceStep {
    user: String,
    #[serde(default)]
    create: Option<Value>,
    #[serde(default)]
    update: Option<String>,
    #[serde(default)]
    delete: Option<String>,
    #[serde(default)]
    merge: Option<Value>,
    #[serde(default)]
    dry_run: bool,
    #[serde(default)]
    reads: usize,
    #[serde(default)]
    refused: bool,
}

/// The maps of an object that matter; those that are absent are not checked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Maps {
    #[serde(default)]
    labels: Option<Value>,
    #[serde(default)]
    annotations: Option<Value>,
    #[serde(default)]
    template: Option<TemplateMaps>,
}

/// The maps of a machine template.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateMaps {
    #[serde(default)]
    labels: Option<Value>,
    #[serde(default)]
    annotations: Option<Value>,
}

/// Every sequence of `testdata/sequences` through an entry point, each to be run as often as it is needed.
pub(crate) fn checks(entry_point: &Arc<EntryPoint>) -> Result<Vec<Named>> {
    let of = |(name, sequence): (String, Sequence)| -> Named {
        let entry_point = Arc::clone(entry_point);
        (name, Box::new(move || sequence.check(&*entry_point)))
    };
    Ok(sequences()?.into_iter().map(of).collect())
}

/// The sequences of all files, by name.
fn sequences() -> Result<Vec<(String, Sequence)>> {
    let mut sequences = Vec::new();
    for file in sorted(&crate::root().join("testdata/sequences"))? {
        for document in FileDocument::read(&fs::read_to_string(&file)?).with_context(|| file.display().to_string())? {
            let name = document.name.context("a sequence without a name")?;
            let sequence = Sequence::read(Value::Object(document.fields)).with_context(|| name.clone())?;
            sequences.push((name, sequence));
        }
    }
    Ok(sequences)
}

impl Sequence {
    fn read(mut value: Value) -> Result<Sequence> {
        with_owners(&mut value)?;
        Ok(serde_json::from_value(value)?)
    }

    fn check(&self, entry_point: &EntryPoint) -> Result<()> {
        let settings = self.settings.clone().unwrap_or_else(|| json!({}));
        let stored = self.cluster.iter().cloned().map(managed).collect();
        let mut states = vec![ApiServer::new(stored, Vec::new())?];
        for (number, step) in self.steps.iter().enumerate() {
            let seen = states.len().checked_sub(1 + step.reads).and_then(|at| states.get(at));
            let seen = seen.with_context(|| format!("step {number} reads before the first"))?;
            let mut stored = states.last().cloned().unwrap_or_default();
            let seen = &stored.cached_as(seen);
            let request = step.request(&stored).with_context(|| format!("step {number}"))?;
            let left = write(&request, &settings, seen, entry_point).with_context(|| format!("step {number}"))?;
            ensure!(left.is_err() == step.refused, "step {number} is answered {left:?}");
            // A client that got no answer sends the request again.
            let again =
                write(&request, &settings, seen, entry_point).with_context(|| format!("step {number}, replayed"))?;
            ensure!(left == again, "step {number}, replayed, leaves\n{}", difference::values(&left, &again));
            if let Ok(Some(object)) = left {
                let mut same = request.clone();
                if request["object"].is_object() {
                    same["object"] = object.clone();
                    let same = write(&same, &settings, seen, entry_point)?;
                    let result = Ok(Some(object.clone()));
                    ensure!(
                        same == result,
                        "step {number}: its own result becomes\n{}",
                        difference::values(&result, &same)
                    );
                }
                if !step.dry_run {
                    stored.store(managed(with_uid(object)));
                }
            } else if let (Ok(None), Some(of)) = (left, &step.delete) {
                stored.remove(of);
            }
            states.push(stored);
        }
        let end = states.last().cloned().unwrap_or_default();
        let mut unsettled = Vec::new();
        for (of, maps) in &self.end {
            let object = end.named(of);
            let (Some(object), Some(maps)) = (object, maps) else {
                ensure!(object.is_none() && maps.is_none(), "at the end {of} is {object:?}");
                continue;
            };
            maps.check(object).with_context(|| of.clone())?;
            let touch = json!({ "operation": "UPDATE", "username": "somebody", "object": object, "oldObject": object });
            let touched = write(&request(touch), &settings, &end, entry_point)?;
            let left = Ok(Some(object.clone()));
            if touched != left {
                unsettled.push(format!("a touch of {of} leaves\n{}", difference::values(&left, &touched)));
            }
        }
        ensure!(unsettled.is_empty() != self.unsettled.is_some(), "{:?}: {}", self.unsettled, unsettled.join("\n"));
        Ok(())
    }
}

/// The result of a request: an object, nothing if it is deleted, or the message of the refusal.
fn write(
    request: &Value,
    settings: &Value,
    cluster: &ApiServer,
    entry_point: &EntryPoint,
) -> Result<Result<Option<Value>, String>> {
    let answer = entry_point(request, settings, cluster)?;
    if !answer.accepted {
        ensure!(answer.patch.is_empty(), "a refusal with a patch");
        return Ok(Err(answer.message.unwrap_or_default()));
    }
    if !request["object"].is_object() {
        ensure!(answer.patch.is_empty(), "a DELETE with a patch");
        return Ok(Ok(None));
    }
    Ok(Ok(Some(patched(&request["object"], &answer.patch)?)))
}

impl SequenceStep {
    fn request(&self, cluster: &ApiServer) -> Result<Value> {
        let stored = |of: &str| cluster.named(of).cloned().with_context(|| format!("no {of} in the cluster"));
        let (operation, object, old) = match (&self.create, &self.update, &self.delete) {
            (Some(object), None, None) => ("CREATE", object.clone(), Value::Null),
            (None, Some(of), None) => {
                let old = stored(of)?;
                let mut object = old.clone();
                json_patch::merge(&mut object, self.merge.as_ref().unwrap_or(&json!({})));
                ("UPDATE", object, old)
            }
            (None, None, Some(of)) => ("DELETE", Value::Null, stored(of)?),
            _ => bail!("a step has one of `create`, `update` and `delete`"),
        };
        Ok(request(json!({
            "operation": operation,
            "username": self.user,
            "object": object,
            "oldObject": old,
            "dryRun": self.dry_run,
        })))
    }
}

impl Maps {
    fn check(&self, object: &Value) -> Result<()> {
        let template = ["/spec/template/metadata", "/spec/machineTemplate/metadata"];
        let template = template.iter().find_map(|path| object.pointer(path));
        let (in_labels, in_annotations) =
            self.template.as_ref().map_or((&None, &None), |block| (&block.labels, &block.annotations));
        let (of_object, of_template) = (object.get("metadata"), template);
        for (name, wanted, metadata, map) in [
            ("labels", &self.labels, of_object, "labels"),
            ("annotations", &self.annotations, of_object, "annotations"),
            ("template.labels", in_labels, of_template, "labels"),
            ("template.annotations", in_annotations, of_template, "annotations"),
        ] {
            let Some(wanted) = wanted else { continue };
            let found = metadata.and_then(|metadata| metadata.get(map)).cloned().unwrap_or_else(|| json!({}));
            ensure!(found == *wanted, "{name} end as\n{}", difference::values(wanted, &found));
        }
        Ok(())
    }
}

/// The API server gives a new object its uid after admission.
fn with_uid(mut object: Value) -> Value {
    if object["metadata"]["uid"].is_null() {
        object["metadata"]["uid"] = json!(format!("{}-uid", object["metadata"]["name"].as_str().unwrap_or_default()));
    }
    object
}
