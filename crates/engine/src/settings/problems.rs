//! All that is wrong with settings, each with its path.

use std::fmt;

/// One thing that is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Dotted path, such as `clusterApi.version`; empty for the settings as a whole.
    pub path: String,
    /// What is wrong there.
    pub problem: String,
}

impl Problem {
    pub(crate) fn new(path: impl Into<String>, problem: impl fmt::Display) -> Self {
        Problem { path: path.into(), problem: problem.to_string() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "settings" } else { &self.path };
        write!(f, "{path}: {}", self.problem)
    }
}

/// Settings that cannot be used: all problems, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    /// In the order of the settings.
    pub problems: Vec<Problem>,
}

impl SettingsError {
    pub(crate) fn unless_empty(problems: Vec<Problem>) -> Result<(), SettingsError> {
        if problems.is_empty() { Ok(()) } else { Err(SettingsError { problems }) }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SettingsError {}
