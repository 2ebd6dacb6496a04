//! What is said about one step.

use std::collections::BTreeSet;
use std::fmt;

use metadata_propagation::TagDelivery;
use topology::{Dependence, NoOutput};

use crate::templates::example::ExampleOrigin;

/// The message about a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StepFact {
    Evaluated {
        with: Vec<ExampleOrigin>,
        resources: BTreeSet<String>,
    },
    Source(String),
    NoComposite {
        kind: String,
    },
    NoOutput(NoOutput),
    /// With a composite that is made, or without what other functions provide.
    MaybeRefused {
        with: ExampleOrigin,
        reads: Option<String>,
        refusal: String,
    },
    Depends(Dependence),
    Refused(String),
    /// With a composite that has no tags.
    RefusedWithoutTags(String),
    Unquoted {
        resource: String,
        path: String,
    },
    /// The cloud does not accept what is between keys and values.
    Separator {
        resource: String,
        path: String,
        separator: String,
    },
    ListWithoutTags {
        resource: String,
        kind: String,
        path: String,
    },
}

impl StepFact {
    /// What happens to tags.
    pub(crate) fn verdict(&self) -> Option<TagDelivery> {
        match self {
            StepFact::Evaluated { .. } => None,
            StepFact::Source(_)
            | StepFact::NoComposite { .. }
            | StepFact::NoOutput(_)
            | StepFact::MaybeRefused { .. }
            | StepFact::Depends(_) => Some(TagDelivery::CannotTell),
            StepFact::Refused(_)
            | StepFact::RefusedWithoutTags(_)
            | StepFact::Unquoted { .. }
            | StepFact::Separator { .. } => Some(TagDelivery::Fails),
            StepFact::ListWithoutTags { .. } => Some(TagDelivery::Lost),
        }
    }

    /// Its code.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            StepFact::ListWithoutTags { .. } => "template-list-without-tags",
            StepFact::Refused(_) => "template-refused",
            StepFact::RefusedWithoutTags(_) => "template-refused-without-tags",
            StepFact::Separator { .. } => "template-separator",
            StepFact::Unquoted { .. } => "template-unquoted",
            StepFact::Evaluated { .. } => "template-evaluated",
            _ => "template-unknown",
        }
    }

    /// One sentence: lower case, no final stop, input in backticks.
    pub(crate) fn sentence(&self, step: &str) -> String {
        match self.verdict() {
            Some(TagDelivery::CannotTell) => format!("whether step `{step}` sets all tags is unknown: {self}"),
            _ => format!("step `{step}`: {self}"),
        }
    }
}

/// The end of a sentence about a step.
impl fmt::Display for StepFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepFact::Evaluated { with, resources } => {
                let with: Vec<String> = with.iter().map(ToString::to_string).collect();
                let names: Vec<String> = resources.iter().map(|name| format!("`{name}`")).collect();
                let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
                write!(
                    f,
                    "its template, evaluated as at the first reconcile with {}, composes {names}",
                    with.join(", ")
                )
            }
            StepFact::Source(source) => write!(f, "templates of source `{source}` are not read"),
            StepFact::NoComposite { kind } => write!(f, "neither a `{kind}` nor its definition is among the objects"),
            StepFact::NoOutput(reason) => write!(f, "{reason}"),
            StepFact::MaybeRefused { reads: Some(reads), refusal, .. } => {
                write!(f, "without `{reads}` the function refuses its template: {refusal}")
            }
            StepFact::MaybeRefused { with, refusal, .. } => {
                write!(f, "with {with} the function refuses its template: {refusal}")
            }
            StepFact::Depends(Dependence { reads, line, is_of_tags: true }) => {
                write!(f, "tags depend on `{reads}` (line {line} of its template)")
            }
            StepFact::Depends(Dependence { reads, line, .. }) => {
                write!(f, "which resources it composes depends on `{reads}` (line {line} of its template)")
            }
            StepFact::Refused(refusal) => {
                write!(f, "no resource is composed, because the function refuses its template: {refusal}")
            }
            StepFact::RefusedWithoutTags(refusal) => {
                write!(
                    f,
                    "for a composite without tags no resource is composed, because the function refuses its template: {refusal}"
                )
            }
            StepFact::Unquoted { resource, path } => write!(
                f,
                "resource `{resource}`: values of tags in `{path}` are not quoted, so with one that YAML reads as a number or a \
                 boolean, such as `4711` or `yes`, it is not created"
            ),
            StepFact::Separator { resource, path, separator } => {
                write!(
                    f,
                    "resource `{resource}` is not created: its cloud refuses `{separator}` in the strings of `{path}`"
                )
            }
            StepFact::ListWithoutTags { resource, kind, path } => {
                write!(
                    f,
                    "resource `{resource}`: `{kind}` has its tags in the list `{path}`, which lacks `spec.cloudTags`"
                )
            }
        }
    }
}
