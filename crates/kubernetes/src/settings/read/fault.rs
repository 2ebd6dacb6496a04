//! What is wrong with a value: serde's reasons in our words.

use std::fmt::{self, Display};
use std::ptr;

use serde::de::{Error, Expected, Unexpected};
use serde_json::Value;

use super::node::{SettingNode, SettingStep};
use crate::settings::problems::{SettingProblem, joined};

/// Names of fields before they were renamed: they are read, and not suggested.
const FORMER_NAMES: [&str; 1] = ["nodeUnreachable"];

/// Why a value cannot be read. Its path is added on the way out of the tree.
#[derive(Debug)]
pub(super) struct ReadFault {
    cause: Cause,
    path: String,
    culprit: Option<*const Value>,
}

#[derive(Debug)]
enum Cause {
    /// A sentence that is reported unchanged.
    Told(String),
    /// The expected type; the actual one is reported with it.
    Expected(String),
    /// One field out of these.
    ExpectedOne(&'static [&'static str]),
    /// A required field.
    Missing(&'static str),
    /// A number of elements.
    TooShort(String),
    /// The missing field was there, and was reported as wrong.
    Consequence,
}

impl ReadFault {
    pub(super) fn expected(expected: impl Display) -> Self {
        ReadFault::from(Cause::Expected(expected.to_string()))
    }

    pub(super) fn expected_one(variants: &'static [&'static str]) -> Self {
        ReadFault::from(Cause::ExpectedOne(variants))
    }

    /// The value to remove so that the rest can be read.
    pub(super) fn culprit(&self) -> Option<*const Value> {
        self.culprit
    }

    /// The report about it; none if it follows from what was reported before.
    pub(super) fn into_problem(self) -> Option<SettingProblem> {
        match self.cause {
            Cause::Told(problem) => Some(SettingProblem { path: self.path, problem }),
            _ => None,
        }
    }

    /// The fault as seen from a value on its way out of the tree; the first one is the culprit.
    pub(super) fn at(mut self, node: &SettingNode<'_>) -> ReadFault {
        if self.culprit.is_none() {
            self.culprit = Some(ptr::from_ref(node.value));
            if let Cause::Missing(name) = self.cause {
                self.path = name.to_owned();
            }
            self.cause = self.cause.told_of(node);
        }
        let step = match node.step {
            SettingStep::Root => String::new(),
            SettingStep::Field(name) if !name.is_empty() => name.to_owned(),
            SettingStep::Field(key) | SettingStep::Key(key) => format!("[{key}]"),
            SettingStep::Element(index) => format!("[{index}]"),
        };
        self.path = joined(&step, &self.path);
        self
    }
}

impl Cause {
    fn told_of(self, node: &SettingNode<'_>) -> Cause {
        Cause::Told(match self {
            Cause::Missing(name) if node.has_lost(|key| key == name) => return Cause::Consequence,
            Cause::Missing(_) => "is missing".to_owned(),
            Cause::TooShort(_) if node.has_lost(|_| true) => return Cause::Consequence,
            Cause::TooShort(expected) => format!("expected {expected}"),
            Cause::ExpectedOne(variants) => {
                let is_present = |name: &&&str| node.value.get(name).is_some_and(|value| !value.is_null());
                if variants.iter().filter(is_present).count() < 2 && node.has_lost(|_| true) {
                    return Cause::Consequence;
                }
                format!("expected exactly one of `{}`", variants.join("`, `"))
            }
            Cause::Expected(expected) => format!("expected {expected}, found {}", type_name(node.value)),
            Cause::Told(problem) => problem,
            Cause::Consequence => return Cause::Consequence,
        })
    }
}

/// Names to choose from.
pub(super) fn one_of(names: &[&str]) -> String {
    match names {
        [one] => format!("`{one}`"),
        [one, other] => format!("`{one}` or `{other}`"),
        all => format!("one of `{}`", all.join("`, `")),
    }
}

impl From<Cause> for ReadFault {
    fn from(cause: Cause) -> Self {
        ReadFault { cause, path: String::new(), culprit: None }
    }
}

impl Error for ReadFault {
    fn custom<T: Display>(problem: T) -> Self {
        ReadFault::from(Cause::Told(problem.to_string()))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        ReadFault::expected(expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        ReadFault::expected(expected)
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        ReadFault::from(Cause::TooShort(expected.to_string()))
    }

    fn unknown_variant(variant: &str, variants: &'static [&'static str]) -> Self {
        ReadFault::custom(format!("unknown value `{variant}`, expected {}", one_of(variants)))
    }

    fn unknown_field(_: &str, fields: &'static [&'static str]) -> Self {
        let current: Vec<&str> = fields.iter().copied().filter(|field| !FORMER_NAMES.contains(field)).collect();
        ReadFault::custom(format!("unknown field, expected {}", one_of(&current)))
    }

    fn missing_field(field: &'static str) -> Self {
        ReadFault::from(Cause::Missing(field))
    }
}

impl Display for ReadFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.cause)
    }
}

impl std::error::Error for ReadFault {}

/// What a value is, with its article.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
