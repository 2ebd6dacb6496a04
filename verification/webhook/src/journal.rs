//! A line for each review, and the reviews themselves.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, Result, anyhow};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::WebhookConfig;
use crate::policy::ModuleResponse;
use crate::reverted;

/// The output files.
pub(crate) struct Journal {
    entries: Mutex<File>,
    recording: Option<Mutex<File>>,
}

/// The parts of an AdmissionRequest that distinguish reviews.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RequestParts {
    pub(crate) uid: String,
    kind: RequestKind,
    sub_resource: String,
    namespace: String,
    name: String,
    operation: String,
    user_info: RequestUser,
    dry_run: bool,
    options: Value,
    object: Value,
    old_object: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RequestKind {
    version: String,
    kind: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RequestUser {
    username: String,
}

/// One line of the journal.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JournalEntry {
    operation: String,
    kind: String,
    version: String,
    sub_resource: String,
    namespace: String,
    name: String,
    user: String,
    field_manager: Value,
    dry_run: bool,
    allowed: bool,
    message: Value,
    /// JSON Patch; empty where the object was left alone.
    patch: Vec<Value>,
    warnings: Value,
    /// Paths at which the patch restores what the write had changed, added or removed.
    reverted: Vec<String>,
    /// Reads of the cluster.
    gets: usize,
    /// Of these the ones past the cache.
    fresh: usize,
    /// Of these the ones without an answer.
    failed: usize,
    /// From the request's text to the policy's answer, reads included.
    microseconds: u128,
}

impl JournalEntry {
    pub(crate) fn new(
        request: RequestParts,
        microseconds: u128,
        verdict: ModuleResponse,
        patch: Vec<Value>,
    ) -> JournalEntry {
        let reverted = reverted::paths(&request.old_object, &request.object, &patch);
        let mut response = verdict.response;
        JournalEntry {
            operation: request.operation,
            kind: request.kind.kind,
            version: request.kind.version,
            sub_resource: request.sub_resource,
            namespace: request.namespace,
            name: request.name,
            user: request.user_info.username,
            field_manager: request.options["fieldManager"].clone(),
            dry_run: request.dry_run,
            allowed: response["accepted"] == json!(true),
            message: response["message"].take(),
            patch,
            warnings: response["warnings"].take(),
            reverted,
            gets: verdict.reads.all,
            fresh: verdict.reads.fresh,
            failed: verdict.reads.failed,
            microseconds,
        }
    }
}

impl Journal {
    pub(crate) fn open(config: &WebhookConfig) -> Result<Journal> {
        let create = |path: &Path| File::create(path).map(Mutex::new).with_context(|| path.display().to_string());
        let recording = config.recording.as_deref().map(create).transpose()?;
        Ok(Journal { entries: create(&config.journal)?, recording })
    }

    pub(crate) fn write(&self, review: &[u8], entry: &JournalEntry) -> Result<()> {
        append(&self.entries, &serde_json::to_vec(entry)?)?;
        match &self.recording {
            Some(recording) => append(recording, review.trim_ascii_end()),
            None => Ok(()),
        }
    }
}

fn append(file: &Mutex<File>, line: &[u8]) -> Result<()> {
    let mut file = file.lock().map_err(|_| anyhow!("a writer of the journal panicked"))?;
    file.write_all(&[line, b"\n"].concat())?;
    Ok(())
}
