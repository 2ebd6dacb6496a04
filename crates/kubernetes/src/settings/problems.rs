//! Everything that is wrong with settings, each problem with its path.

use std::fmt;

/// One thing that is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingProblem {
    /// Path, such as `clusterApi.version` or `cloudTags.definitions[platform/env]`; empty for the settings as a whole.
    pub path: String,
    pub problem: String,
}

impl SettingProblem {
    pub fn new(path: impl Into<String>, problem: impl fmt::Display) -> Self {
        SettingProblem { path: path.into(), problem: problem.to_string() }
    }

    /// The same problem in a larger text, in which this one is at `above`.
    pub fn below(self, above: &str) -> Self {
        SettingProblem { path: joined(above, &self.path), problem: self.problem }
    }
}

impl fmt::Display for SettingProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "settings" } else { &self.path };
        write!(f, "{path}: {}", self.problem)
    }
}

/// All problems in one text.
pub fn listed(problems: &[SettingProblem]) -> String {
    problems.iter().map(SettingProblem::to_string).collect::<Vec<_>>().join("; ")
}

/// A path and one below it; either may be empty.
pub fn joined(above: &str, below: &str) -> String {
    let dot = if above.is_empty() || below.is_empty() || below.starts_with('[') { "" } else { "." };
    [above, dot, below].concat()
}

/// Settings that cannot be used: all problems, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    /// First problems of single values, in the order of their paths; then combinations that are not allowed.
    pub problems: Vec<SettingProblem>,
}

impl SettingsError {
    pub fn unless_empty(problems: Vec<SettingProblem>) -> Result<(), SettingsError> {
        if problems.is_empty() { Ok(()) } else { Err(SettingsError { problems }) }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&listed(&self.problems))
    }
}

impl std::error::Error for SettingsError {}
