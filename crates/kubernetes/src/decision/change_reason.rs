//! Why an entry is written, removed or left out: a rule, or the object that it comes from.

use std::fmt;

use super::change::{Action, Change};
use super::change_rule::ChangeRule;
use super::datum::Datum;
use super::messages::Location;
use super::source::SourceObject;

/// Why a change is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeReason {
    /// No other object has the entry.
    Rule(ChangeRule),
    /// An object above has it.
    SetOn(NamedSource),
    /// The object above dropped it.
    NoLongerSetOn(NamedSource),
    /// Cluster API derives it from an object above.
    SetByClusterApi(NamedSource),
}

/// An object that entries come from, named as exactly as there is room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSource {
    object: SourceObject,
    /// A path in the object; `None` if it does not count, or does not fit.
    path: Option<String>,
    /// Whether only the kind is named.
    is_kind: bool,
}

impl NamedSource {
    /// An object, and a path in it if there is one.
    #[must_use]
    pub fn new(object: &SourceObject, path: Option<&str>) -> NamedSource {
        NamedSource { object: object.clone(), path: path.map(str::to_owned), is_kind: false }
    }
}

impl From<&Change> for ChangeReason {
    fn from(change: &Change) -> ChangeReason {
        let Some(object) = &change.source else { return ChangeReason::Rule(change.rule.clone()) };
        let source = NamedSource::new(object, change.place.as_ref().map(|place| place.as_str()));
        match (change.action, &change.place) {
            (Action::Removed, _) => ChangeReason::NoLongerSetOn(source),
            (_, None) => ChangeReason::SetByClusterApi(source),
            (_, Some(_)) => ChangeReason::SetOn(source),
        }
    }
}

impl fmt::Display for ChangeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChangeReason::Rule(rule) => rule.fmt(f),
            ChangeReason::SetOn(source) => write!(f, "set on {source}"),
            ChangeReason::NoLongerSetOn(source) => write!(f, "no longer set on {source}"),
            ChangeReason::SetByClusterApi(source) => write!(f, "set by Cluster API from {source}"),
        }
    }
}

impl fmt::Display for NamedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = self.object.as_str();
        match &self.path {
            Some(path) => Location::InObject { object, path },
            None if self.is_kind => Location::Kind(self.object.kind()),
            None => Location::Object(object),
        }
        .fmt(f)
    }
}

/// The path is omitted first, then the name of the object.
impl Datum for NamedSource {
    fn generalize(&mut self) -> bool {
        self.path.take().is_some() || !std::mem::replace(&mut self.is_kind, true)
    }
}

impl Datum for ChangeReason {
    fn generalize(&mut self) -> bool {
        match self {
            ChangeReason::Rule(_) => false,
            ChangeReason::SetOn(source)
            | ChangeReason::NoLongerSetOn(source)
            | ChangeReason::SetByClusterApi(source) => source.generalize(),
        }
    }
}
