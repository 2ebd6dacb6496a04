//! What facts carry: keys, paths, counts and problems, and how each is shortened where a sentence is too long.

use std::fmt;

use crate::cluster::LookupCause;
use crate::json::Malformed;
use crate::settings::PatternError;

/// A key or a path that a fact is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mentioned(pub String);

impl From<&str> for Mentioned {
    fn from(text: &str) -> Mentioned {
        Mentioned(text.to_owned())
    }
}

impl fmt::Display for Mentioned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An entry that a fact is about: ``label `team` ``.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEntry {
    /// `label`, `annotation`, `field` or `cloud tag`.
    pub noun: &'static str,
    pub key: String,
}

impl fmt::Display for NamedEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names are in every sentence about an entry, and `write!` takes longer.
        [self.noun, " `", &self.key, "`"].into_iter().try_for_each(|text| f.write_str(text))
    }
}

/// Data of a fact: the names in it, and what is cut where the sentence is too long for a warning.
pub trait Datum {
    /// The keys and paths that the fact is about.
    fn names(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The name that may be cut in its middle.
    fn name_mut(&mut self) -> Option<&mut String> {
        None
    }

    /// Leaves out a detail. `true` if it is less important than the names: what is still too long is cut at its end then.
    fn gives_way(&mut self) -> bool {
        false
    }
}

impl Datum for Mentioned {
    fn names(&self) -> Vec<&str> {
        vec![&self.0]
    }

    fn name_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.0)
    }
}

impl Datum for NamedEntry {
    fn names(&self) -> Vec<&str> {
        vec![&self.key]
    }

    fn name_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.key)
    }
}

/// What an advice says to type: it is never cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed(pub NamedEntry);

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Datum for Typed {
    fn names(&self) -> Vec<&str> {
        self.0.names()
    }
}

/// Several keys: `` `a`, `b` ``.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionedKeys(pub Vec<String>);

impl MentionedKeys {
    /// The keys, if there are any.
    pub fn some<'k>(keys: impl IntoIterator<Item = &'k str>) -> Option<MentionedKeys> {
        let keys: Vec<String> = keys.into_iter().map(str::to_owned).collect();
        (!keys.is_empty()).then_some(MentionedKeys(keys))
    }
}

impl fmt::Display for MentionedKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted: Vec<String> = self.0.iter().map(|key| format!("`{key}`")).collect();
        f.write_str(&quoted.join(", "))
    }
}

impl Datum for Malformed {
    fn names(&self) -> Vec<&str> {
        vec![&self.path]
    }

    fn name_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.path)
    }
}

impl Datum for MentionedKeys {}
impl Datum for PatternError {}
impl Datum for LookupCause {}
impl Datum for String {}
impl Datum for &str {}
impl Datum for char {}
impl Datum for u64 {}
impl Datum for usize {}
