//! How an entry and a setting are named in every sentence.
//!
//! Sentences are lower case and have no final stop; user input is in backticks, and an object is named by kind,
//! namespace and name.

use std::fmt;

/// An entry of a map, or a field: ``label `team` ``.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryName<'a> {
    /// `label`, `annotation`, `field` or `cloud tag`.
    pub noun: &'static str,
    /// Its key.
    pub key: &'a str,
}

impl fmt::Display for EntryName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names are in every sentence about an entry, and `write!` takes longer.
        [self.noun, " `", self.key, "`"].into_iter().try_for_each(|text| f.write_str(text))
    }
}

/// The setting that leads to a refusal, and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingValue<'a> {
    /// The path of the setting.
    pub setting: &'a str,
    /// Its value.
    pub value: &'a str,
}

impl fmt::Display for SettingValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is `{}`", self.setting, self.value)
    }
}

/// The last item of a list that is too long to print.
pub fn and_more(count: usize) -> String {
    format!("and {count} more: see the audit annotation `report`")
}

/// A log line about a finding: what was found, and in which object.
pub fn about(object: &str, message: &str) -> String {
    format!("{object}: {message}")
}
