//! What an evaluation answers, in one JSON shape for every door.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::finding::Finding;
use crate::lookup::Looked;
use crate::place::MapKind;
use crate::stop::Inert;
use crate::tags::TagReport;

/// The answer to one request.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Why the request is refused, if it is.
    pub rejection: Option<Rejection>,
    /// The object with what was missing; `None` where nothing changes.
    pub object: Option<Box<RawValue>>,
    /// For the person at kubectl: at most 120 characters each, the most important first.
    pub warnings: Vec<String>,
    /// For the operator.
    pub log: Vec<LogLine>,
    /// For the auditor; `None` where no rule was asked.
    pub report: Option<Report>,
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// HTTP status code.
    pub code: u16,
    /// One sentence: lower case, no final stop, input in backticks.
    pub message: String,
}

impl Rejection {
    /// The request cannot be read.
    #[must_use]
    pub fn unreadable(message: impl Into<String>) -> Self {
        Rejection { code: 400, message: message.into() }
    }

    /// The settings say no.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Rejection { code: 403, message: message.into() }
    }

    /// What has to be known could not be read.
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Rejection { code: 503, message: message.into() }
    }
}

/// One structured log line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// How much it matters.
    pub level: Level,
    /// One sentence.
    pub message: String,
    /// Further attributes.
    pub attributes: Vec<(&'static str, String)>,
}

/// One flat object, as the host takes it.
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

/// How much a log line matters, in the host's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Something was done.
    Info,
    /// Somebody should look.
    Warning,
    /// A request was refused.
    Error,
}

/// The whole story of one evaluation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Kind, namespace and name of the object under review.
    pub object: String,
    /// The version of Cluster API whose rules were asked; empty where they were not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cluster_api: String,
    /// The client's own word for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_manager: Option<String>,
    /// Why nothing was compared, if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inert: Option<Inert>,
    /// What was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What differs from the rules and was left as it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Change>,
    /// What the checks found in the object as it would be stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What did not travel.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// The tags of a composite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloud_tags: Option<TagReport>,
    /// What was asked of the cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lookups: Vec<Looked>,
}

/// One entry of one map that differs from the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The map, such as `spec.template.metadata.labels`.
    pub at: String,
    /// The entry's key.
    pub key: String,
    /// What happens to it.
    pub action: Action,
    /// The value in the request; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The value by the rules; absent where there is to be none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What asks for it.
    pub rule: String,
    /// The object it comes from; empty for cloud tags, which come from the object itself, and for the policy's own record.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Path of the map, for writing.
    #[serde(skip)]
    pub(crate) path: Vec<&'static str>,
    /// What the entry is called: `label`, `annotation`, `cloud tag`.
    #[serde(skip)]
    pub(crate) entry: &'static str,
    /// Place and map in the source; `None` for forced labels and the policy's own changes.
    #[serde(skip)]
    pub(crate) place: Option<String>,
}

/// What happens to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It was not there.
    Added,
    /// It had another value.
    Changed,
    /// This request changed or dropped a value that was right.
    Restored,
    /// The policy had added it, and its source dropped it.
    Removed,
    /// The policy's own record of what it added.
    Recorded,
}

/// One entry that did not travel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Skipped {
    /// `labels` or `annotations`.
    #[serde(serialize_with = "as_text")]
    pub map: MapKind,
    /// The entry's key.
    pub key: String,
    /// The object and place it stands at.
    pub from: String,
    /// Why it did not travel.
    pub reason: SkipReason,
    /// The value that lost, where another one stands or may stand under the same key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Why an entry did not travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// Nothing propagates from this place to this kind.
    NotPropagated,
    /// A stronger place has another value.
    Overridden,
    /// Cluster API sets this label itself.
    Forced,
    /// The key is bookkeeping of a controller, a client or this policy.
    ControllerOwned,
    /// The annotation holds back an upgrade of the topology, not of the object.
    UpgradeHold,
    /// The key meets no criterion for Nodes.
    NodeCriteria,
    /// The ClusterClass has patches, which may decide otherwise.
    ClassPatches,
}

fn as_text<S: Serializer>(map: &MapKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(map.field())
}
