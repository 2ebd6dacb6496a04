//! All that is wrong with settings, each with its path.

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

use super::RawSettings;
use scan::Scanner;

use crate::json::{Field, fields};

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

/// Every problem of shape in settings.
///
/// Serde stops at the first problem, does not say where it is, and takes a list for an object. The defaults know which
/// fields there are: each value of the settings is tried alone, in settings that have nothing else.
pub(super) fn of_shape(text: &str) -> Vec<Problem> {
    let mut probe = Probe { problems: Vec::new() };
    let defaults = serde_json::to_string(&RawSettings::default()).unwrap_or_default();
    match serde_json::from_str::<&RawValue>(text) {
        Ok(settings) if settings.get() == "null" => {}
        Ok(settings) => probe.object(&mut Vec::new(), settings.get(), &defaults),
        Err(error) => probe.problems.push(Problem::new("", without_position(&error))),
    }
    probe.problems
}

struct Probe {
    problems: Vec<Problem>,
}

impl Probe {
    fn object<'a>(&mut self, path: &mut Vec<Step<'a>>, value: &'a str, known: &str) {
        let (Some(fields), Some(known)) = (fields(value), fields(known)) else {
            return self.problems.push(Problem::new(joined(path), "expected an object"));
        };
        for Field { key, value } in fields {
            let default = known.iter().find(|field| field.key == key).map(|field| field.value);
            path.push(Step::Field(key));
            match default {
                Some("{}") => self.leaf(path, value),
                Some(default) if default.starts_with('{') => self.object(path, value, default),
                Some(_) => self.leaf(path, value),
                None => {
                    let names: Vec<String> = known.iter().map(|field| format!("`{}`", field.key)).collect();
                    let problem = format!("unknown field, expected one of {}", names.join(", "));
                    self.problems.push(Problem::new(joined(path), problem));
                }
            }
            path.pop();
        }
    }

    /// A list or map of the user's own is tried element by element, so that each is judged for itself.
    fn leaf<'a>(&mut self, path: &mut Vec<Step<'a>>, value: &'a str) {
        let before = self.problems.len();
        let elements = Scanner::new(value).list().unwrap_or_default();
        let elements = elements.into_iter().enumerate().map(|(index, element)| (Step::Element(index), element));
        let entries = fields(value).unwrap_or_default();
        let entries = entries.into_iter().map(|Field { key, value }| (Step::Entry(key), value));
        for (step, value) in elements.chain(entries) {
            path.push(step);
            self.alone(path, value);
            path.pop();
        }
        if self.problems.len() == before {
            self.alone(path, value);
        }
    }

    fn alone(&mut self, path: &[Step<'_>], value: &str) {
        let settings = path.iter().rfold(value.to_owned(), |inner, step| match step {
            Step::Field(name) | Step::Entry(name) => {
                format!("{{{}:{inner}}}", serde_json::to_string(name).unwrap_or_default())
            }
            Step::Element(_) => format!("[{inner}]"),
        });
        if let Err(error) = serde_json::from_str::<RawSettings>(&settings) {
            self.problems.push(Problem::new(joined(path), without_position(&error)));
        }
    }
}

enum Step<'a> {
    Field(Cow<'a, str>),
    Entry(Cow<'a, str>),
    Element(usize),
}

fn joined(path: &[Step<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) if name.is_empty() => text.push_str("[``]"),
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => text.push_str(&format!(".{name}")),
            Step::Entry(key) => text.push_str(&format!("[`{key}`]")),
            Step::Element(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

/// Serde's message; a line and column of settings that a host has re-written would point nowhere.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}
