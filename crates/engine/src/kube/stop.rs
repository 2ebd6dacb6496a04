//! Why an evaluation ends before the comparison.

use std::fmt::Display;

use crate::json::Malformed;
use crate::kube::cluster::{LookupCause, LookupError};
use crate::report::not_applicable::{NotApplicable, NotApplicableReason};

/// Why an evaluation ends before the comparison.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Nothing has to be done.
    NotApplicable(NotApplicable),
    /// An object above could not be read, or does not have the structure of a Kubernetes object.
    LookupFailed(LookupFailed),
    /// The same for the label registry.
    RegistryFailed(LookupFailed),
    /// The same for an object whose labels become tags.
    SourceFailed(LookupFailed),
    /// The object under review does not have the structure of a Kubernetes object.
    Malformed(Malformed),
}

/// A question without a usable answer.
#[derive(Debug)]
pub(crate) struct LookupFailed {
    /// The question, or the object whose text cannot be read.
    pub(crate) query: String,
    pub(crate) error: LookupError,
    /// What is wrong with the object, if it was found and is not a Kubernetes object.
    pub(crate) problem: Option<Malformed>,
}

impl Stop {
    pub(crate) fn not_applicable(reason: NotApplicableReason, because: impl Into<String>) -> Stop {
        Stop::NotApplicable(NotApplicable { reason, because: because.into() })
    }

    /// `object` was found, and does not have the structure of a Kubernetes object.
    pub(crate) fn unreadable(object: impl Into<String>, problem: Malformed) -> Stop {
        let error = LookupError { cause: LookupCause::Unreadable, detail: problem.to_string() };
        Stop::LookupFailed(LookupFailed { query: object.into(), error, problem: Some(problem) })
    }

    /// An object of the label registry was found and cannot be used.
    pub(crate) fn unusable_registry(object: impl Into<String>, problem: &dyn Display) -> Stop {
        let error = LookupError { cause: LookupCause::Unreadable, detail: problem.to_string() };
        Stop::RegistryFailed(LookupFailed { query: object.into(), error, problem: None })
    }

    /// The same for a read of the label registry.
    pub(crate) fn of_registry(self) -> Stop {
        match self {
            Stop::LookupFailed(failed) => Stop::RegistryFailed(failed),
            other => other,
        }
    }

    /// The same for a read of an object whose labels become tags.
    pub(crate) fn of_source(self) -> Stop {
        match self {
            Stop::LookupFailed(failed) => Stop::SourceFailed(failed),
            other => other,
        }
    }
}

impl From<Malformed> for Stop {
    fn from(malformed: Malformed) -> Self {
        Stop::Malformed(malformed)
    }
}
