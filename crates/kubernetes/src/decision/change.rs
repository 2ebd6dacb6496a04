//! Differences from the rules, and what is done about them.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::Serializer;

use crate::object::MapKind;

use super::change_reason::ChangeReason;
use super::change_rule::ChangeRule;
use super::datum::NamedEntry;
use super::source::{SourceObject, SourcePath};
use crate::json::{self, Edit, Embedded, Path, Step, Write};

/// One entry of one map, or one in-place mutable field, that differs from the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The map or object that it is in, such as `spec.template.metadata.labels`.
    pub at: Arc<str>,
    /// The entry's key, or the field's name.
    pub key: String,
    pub action: Action,
    /// The value in the request; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Value>,
    /// The value by the rules; absent if it is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
    pub rule: ChangeRule,
    /// The object it propagates from; absent for cloud tags, whose rule names the label, and for the policy's own
    /// record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceObject>,
    /// Path of the map or object, for writing.
    #[serde(skip)]
    pub path: Arc<Path>,
    #[serde(skip)]
    pub entry: EntryNoun,
    /// Place and map in the source; `None` for forced labels and the policy's own changes.
    #[serde(skip)]
    pub place: Option<SourcePath>,
}

/// What kind of entry a sentence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryNoun {
    Label,
    Annotation,
    Field,
    CloudTag,
}

impl EntryNoun {
    /// The noun in sentences.
    pub fn as_str(self) -> &'static str {
        match self {
            EntryNoun::Label => MapKind::Labels.entry(),
            EntryNoun::Annotation => MapKind::Annotations.entry(),
            EntryNoun::Field => "field",
            EntryNoun::CloudTag => "cloud tag",
        }
    }

    /// The map that such an entry is in; `None` for what is in no map of metadata.
    pub fn map(self) -> Option<MapKind> {
        match self {
            EntryNoun::Label => Some(MapKind::Labels),
            EntryNoun::Annotation => Some(MapKind::Annotations),
            EntryNoun::Field | EntryNoun::CloudTag => None,
        }
    }
}

impl From<MapKind> for EntryNoun {
    fn from(map: MapKind) -> EntryNoun {
        map.of(EntryNoun::Label, EntryNoun::Annotation)
    }
}

/// A value of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string, without quotes and escapes.
    String(String),
    Json(String),
}

impl Value {
    pub fn string(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    /// Another value, as JSON.
    pub fn json(json: impl Into<String>) -> Value {
        let json = json.into();
        match json::string(&json) {
            Some(text) => Value::String(text.into_owned()),
            None => Value::Json(json),
        }
    }

    pub fn as_json(&self) -> Cow<'_, str> {
        match self {
            Value::String(text) => {
                let mut json = String::with_capacity(text.len() + 2);
                json::push_string(&mut json, text);
                Cow::Owned(json)
            }
            Value::Json(json) => Cow::Borrowed(json),
        }
    }

    /// For a reader: a string without quotes and escapes, anything else as JSON.
    pub fn plain(&self) -> &str {
        let (Value::String(text) | Value::Json(text)) = self;
        text
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::String(text) => serializer.serialize_str(text),
            Value::Json(json) => Embedded(json).serialize(serializer),
        }
    }
}

/// What happens to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It was missing.
    Added,
    /// It had another value.
    Changed,
    /// This request changed or removed a correct value.
    Restored,
    /// The policy had added it, and its source dropped it.
    Removed,
    /// The policy's own record of what it added.
    Recorded,
}

/// Objects that can be absent, but not empty: each is removed with the last of its fields.
///
/// Source: api/core/v1beta2, `MachineDeletionSpec`, `MachineDeploymentDeletionSpec`, `MachineSetDeletionSpec`:
/// `MinProperties=1`; the tag page: a composite without tags has no `spec.cloudTags`.
const NEVER_EMPTY: &[&str] = &["cloudTags", "deletion"];

/// A change by no rule except that of the policy's own record.
pub fn own_change(
    path: Path,
    entry: EntryNoun,
    key: &str,
    action: Action,
    from: Option<Value>,
    to: Option<Value>,
) -> Change {
    let rule = match action {
        Action::Removed => ChangeRule::SourceDropped,
        _ => ChangeRule::Record,
    };
    Change {
        at: path.to_string().into(),
        key: key.to_owned(),
        action,
        from,
        to,
        rule,
        source: None,
        path: path.into(),
        entry,
        place: None,
    }
}

impl Change {
    /// What is written into the object.
    pub fn write(&self) -> Write<'_> {
        let holder = self.path.steps().last();
        let is_never_empty =
            holder.is_some_and(|step| matches!(step, Step::Field(name) if NEVER_EMPTY.contains(&&**name)));
        let edit = match &self.to {
            Some(value) => Edit::Set(value.as_json()),
            None if is_never_empty => Edit::RemoveAndPrune,
            None => Edit::Remove,
        };
        Write { object: self.path.steps(), field: &self.key, edit }
    }

    /// The entry, as sentences name it.
    pub fn entry(&self) -> NamedEntry {
        NamedEntry { noun: self.entry.as_str(), key: self.key.clone() }
    }

    /// The entry, its path, its value and the reason, as in a refusal; a long value is truncated.
    pub fn difference(&self) -> String {
        const LONGEST_VALUE: usize = 63;
        let must_be = match self.to.as_ref().map(Value::plain) {
            Some("") => "empty".to_owned(),
            Some(value) if value.chars().count() > LONGEST_VALUE => {
                let beginning: String = value.chars().take(LONGEST_VALUE).collect();
                format!("`{beginning}…`")
            }
            Some(value) => format!("`{value}`"),
            None => "removed".to_owned(),
        };
        format!("{} in `{}` must be {must_be}: {}", self.entry(), self.at, ChangeReason::from(self))
    }
}
