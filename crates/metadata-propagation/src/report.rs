//! What an evaluation returns, in one JSON structure for every entry point.

pub(crate) mod messages;
pub(crate) mod shortening;

use crate::fact::{Fact, Finding};
use crate::json::{Malformed, NotWritable};
use cloud_tags::TagReport;
use cluster_api::rollout::RolloutImpact;
use cluster_api::skipped::Skipped;
use kubernetes::{Change, LookupRecord, NotApplicable};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The answer to one request.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Why the request is refused, if it is.
    pub rejection: Option<Rejection>,
    /// The object with what was missing, as JSON; `None` where nothing changes.
    pub object: Option<String>,
    /// For the person at kubectl: at most 120 characters each, the most important first.
    pub warnings: Vec<String>,
    /// What the warnings say, except about findings: all, and in full.
    pub notes: Vec<Fact>,
    /// For the operator.
    pub log: Vec<LogLine>,
    /// For the auditor; `None` where no rule was asked.
    pub report: Option<Report>,
    /// The object that could not be read: the one under review, or one above it.
    pub malformed: Option<MalformedObject>,
}

/// An object that does not have the structure of a Kubernetes object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedObject {
    /// Kind, namespace and name.
    pub object: String,
    /// Where, and what is wrong.
    pub problem: Malformed,
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// HTTP status code.
    pub code: u16,
    /// One sentence: lower case, no final stop, input in backticks.
    pub message: String,
    /// The path in the object that it is about, if it is about one.
    pub at: Option<String>,
}

impl Outcome {
    pub(crate) fn and_reads(mut self, reads: Vec<LookupRecord>) -> Outcome {
        if let Some(report) = &mut self.report {
            report.lookups.extend(reads);
        }
        self
    }

    /// This outcome, with the reads of an earlier pass over the same request before its own.
    pub(crate) fn after(mut self, earlier: Outcome) -> Outcome {
        if let (Some(report), Some(earlier)) = (&mut self.report, earlier.report) {
            report.lookups.splice(0..0, earlier.lookups);
        }
        self
    }
}

impl Rejection {
    /// The code of a refusal by the settings.
    pub(crate) const REFUSED: u16 = 403;

    /// The request cannot be read.
    pub fn unreadable(message: impl Into<String>) -> Self {
        Rejection::of(400, message.into())
    }

    /// A value on the path of a write has another type.
    pub(crate) fn unwritable(error: &NotWritable) -> Self {
        let NotWritable::InTheWay(path) = error;
        Rejection::unreadable(messages::requests::unwritable_object(error)).at(path.to_string())
    }

    /// The same, about a path in the object.
    pub(crate) fn at(self, path: impl Into<String>) -> Self {
        Rejection { at: Some(path.into()), ..self }
    }

    /// The settings refuse the request.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Rejection::of(Rejection::REFUSED, message.into())
    }

    /// An object that is needed could not be read.
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Rejection::of(503, message.into())
    }

    /// Values in a sentence may be of other users, and `kubectl` prints it.
    fn of(code: u16, message: String) -> Self {
        Rejection { code, message: without_control_characters(message), at: None }
    }
}

/// A sentence that terminals and the API server take as it is.
pub(crate) fn without_control_characters(sentence: String) -> String {
    // Those above ASCII begin with this byte. Nearly no sentence has one, and bytes are compared faster than characters.
    let may_begin_one = |byte: u8| byte < b' ' || matches!(byte, 0x7f | 0xc2);
    if sentence.bytes().any(may_begin_one) { sentence.replace(char::is_control, "\u{fffd}") } else { sentence }
}

/// One structured log line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// Its level.
    pub level: LogLevel,
    /// One sentence.
    pub message: String,
    /// Further attributes.
    pub attributes: Vec<(&'static str, String)>,
}

/// One flat object, as the host expects it.
impl Serialize for LogLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("level", &self.level)?;
        map.serialize_entry("message", &self.message)?;
        for (name, value) in &self.attributes {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The level of a log line, as the host names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Something was done.
    Info,
    /// Worth a look.
    Warning,
    /// A request was refused.
    Error,
}

/// Everything about one evaluation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Kind, namespace and name of the object under review.
    pub object: String,
    /// The version of Cluster API whose rules were applied; empty if they were not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cluster_api: String,
    /// The name that the client gives itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_manager: Option<String>,
    /// Why nothing was compared, if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inert: Option<NotApplicable>,
    /// Why the guards are off, as the user who exempted the object wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exempt: Option<String>,
    /// What was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Differences from the rules that were left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Change>,
    /// What the checks found in the object as it would be stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The effect of the edit on Machines, if it was classified and has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout: Option<RolloutImpact>,
    /// What was not propagated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// The tags of a composite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloud_tags: Option<TagReport>,
    /// What was read from the cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lookups: Vec<LookupRecord>,
}
