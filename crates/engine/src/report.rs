//! What an evaluation answers, in one JSON shape for every door.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::finding::Finding;
use crate::json;
use crate::lookup::Looked;
use crate::place::MapKind;
use crate::rollout::Foresight;
use crate::splice::Step;
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
    /// Why the guards are silent, in the words of whoever exempted the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exempt: Option<String>,
    /// What was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What differs from the rules and was left as it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<Change>,
    /// What the checks found in the object as it would be stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What the edit does to Machines, if it was looked at and does anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout: Option<Foresight>,
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

/// One entry of one map, or one in-place mutable field, that differs from the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The map or object that it stands in, such as `spec.template.metadata.labels`.
    pub at: String,
    /// The entry's key, the field's name.
    pub key: String,
    /// What happens to it.
    pub action: Action,
    /// The value in the request; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Value>,
    /// The value by the rules; absent where there is to be none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
    /// What asks for it.
    pub rule: String,
    /// The object it comes from; empty for cloud tags, which come from the object itself, and for the policy's own record.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Path of the map or object, for writing.
    #[serde(skip)]
    pub(crate) path: Vec<Step>,
    /// What the entry is called: `label`, `annotation`, `field`, `cloud tag`.
    #[serde(skip)]
    pub(crate) entry: &'static str,
    /// Place and map in the source; `None` for forced labels and the policy's own changes.
    #[serde(skip)]
    pub(crate) place: Option<String>,
}

/// A value as it stands in an object: JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value(String);

impl Value {
    /// A string.
    pub(crate) fn string(text: &str) -> Value {
        Value(serde_json::to_string(text).unwrap_or_default())
    }

    /// A value whose JSON is at hand.
    pub(crate) fn json(text: impl Into<String>) -> Value {
        Value(text.into())
    }

    /// The JSON.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// For a reader: a string without quotes and escapes, anything else as JSON.
    #[must_use]
    pub fn plain(&self) -> Cow<'_, str> {
        json::string(&self.0).unwrap_or(Cow::Borrowed(&self.0))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match RawValue::from_string(self.0.clone()) {
            Ok(json) => json.serialize(serializer),
            // What a request holds is read in passing: it may be less than JSON, and is told as it stands.
            Err(_) => serializer.serialize_str(&self.0),
        }
    }
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
    /// What kind of entry it is.
    #[serde(rename = "map")]
    pub carried: Carried,
    /// The entry's key, the field's name.
    pub key: String,
    /// The object and place it stands at.
    pub from: String,
    /// Why it did not travel.
    pub reason: SkipReason,
    /// The value that lost, where another one stands or may stand under the same key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// What is carried from object to object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carried {
    /// An entry of a map.
    Map(MapKind),
    /// An in-place mutable field.
    Field,
}

impl Carried {
    /// The map it is an entry of.
    pub(crate) fn map(self) -> Option<MapKind> {
        match self {
            Carried::Map(map) => Some(map),
            Carried::Field => None,
        }
    }
}

impl Serialize for Carried {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Carried::Map(map) => map.field(),
            Carried::Field => "fields",
        })
    }
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
    /// The object has no taints yet, and the settings do not say that the cluster's gate for taints is on.
    TaintsGate,
}
