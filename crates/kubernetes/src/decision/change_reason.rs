//! Why an entry is written, removed or left out: a rule, or the object that it comes from.

use std::fmt;

use super::change::{Action, Change};
use super::change_rule::ChangeRule;
use super::datum::Datum;
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

/// An object that entries come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSource {
    object: SourceObject,
    /// A path in the object; `None` if it does not count, or does not fit into a warning.
    path: Option<String>,
}

impl NamedSource {
    /// An object, and a path in it if there is one.
    pub fn new(object: &SourceObject, path: Option<&str>) -> NamedSource {
        NamedSource { object: object.clone(), path: path.map(str::to_owned) }
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
        self.object.fmt(f)?;
        self.path.as_ref().map_or(Ok(()), |path| write!(f, " ({path})"))
    }
}

impl Datum for NamedSource {
    fn gives_way(&mut self) -> bool {
        self.path = None;
        true
    }
}

impl Datum for ChangeReason {
    fn gives_way(&mut self) -> bool {
        match self {
            ChangeReason::Rule(_) => true,
            ChangeReason::SetOn(source)
            | ChangeReason::NoLongerSetOn(source)
            | ChangeReason::SetByClusterApi(source) => source.gives_way(),
        }
    }
}
