//! What facts carry: keys, paths, counts and problems, and how each is shortened where a sentence is too long.

use std::fmt;

use super::messages::EntryName;
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
    /// `label` or `annotation`.
    pub noun: &'static str,
    /// Its key.
    pub key: String,
}

impl From<EntryName<'_>> for NamedEntry {
    fn from(EntryName { noun, key }: EntryName<'_>) -> NamedEntry {
        NamedEntry { noun, key: key.to_owned() }
    }
}

impl fmt::Display for NamedEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        EntryName { noun: self.noun, key: &self.key }.fmt(f)
    }
}

/// Data of a fact: the names in it, and how it is shortened when the sentence is too long. First it becomes less exact,
/// then names are elided, and if that is not enough, it is abbreviated.
pub trait Datum {
    /// The keys and paths that the fact is about.
    fn names(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The keys and paths that may be elided.
    fn names_mut(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    /// Makes it less exact, if that is possible.
    fn generalize(&mut self) -> bool {
        false
    }

    /// Makes it as short as possible, if it is not.
    fn abbreviate(&mut self) -> bool {
        false
    }
}

impl Datum for Mentioned {
    fn names(&self) -> Vec<&str> {
        vec![&self.0]
    }

    fn names_mut(&mut self) -> Vec<&mut String> {
        vec![&mut self.0]
    }
}

impl Datum for NamedEntry {
    fn names(&self) -> Vec<&str> {
        vec![&self.key]
    }

    fn names_mut(&mut self) -> Vec<&mut String> {
        vec![&mut self.key]
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

impl Datum for MentionedKeys {
    /// Of thousands of keys no more than these are visible in a warning.
    fn names_mut(&mut self) -> Vec<&mut String> {
        self.0.iter_mut().take(4).collect()
    }
}

impl Datum for Malformed {
    fn names(&self) -> Vec<&str> {
        vec![&self.path]
    }

    fn names_mut(&mut self) -> Vec<&mut String> {
        vec![&mut self.path]
    }
}

impl Datum for PatternError {
    fn names_mut(&mut self) -> Vec<&mut String> {
        vec![&mut self.expression]
    }
}

impl Datum for LookupCause {}
impl Datum for String {}
impl Datum for &str {}
impl Datum for char {}
impl Datum for u64 {}
impl Datum for usize {}
