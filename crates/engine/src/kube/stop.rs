//! Why an evaluation ends before anything is compared.

use std::fmt::Display;

use crate::json::Malformed;
use crate::kube::cluster::{LookupCause, LookupError};
use crate::report::not_applicable::{NotApplicable, NotApplicableReason};

/// Why an evaluation ends before anything is compared.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Nothing is to be done here.
    NotApplicable(NotApplicable),
    /// An object above could not be had, or has another shape than Kubernetes gives it.
    LookupFailed(LookupFailed),
    /// The same of the label registry.
    RegistryFailed(LookupFailed),
    /// The object under review has another shape than Kubernetes gives it.
    Malformed(Malformed),
}

/// A question without a usable answer.
#[derive(Debug)]
pub(crate) struct LookupFailed {
    /// What was asked, or the object whose text cannot be read.
    pub(crate) query: String,
    pub(crate) error: LookupError,
}

impl Stop {
    pub(crate) fn not_applicable(reason: NotApplicableReason, because: impl Into<String>) -> Stop {
        Stop::NotApplicable(NotApplicable { reason, because: because.into() })
    }

    /// `object` was found, and is not what Kubernetes makes of it.
    pub(crate) fn unreadable(object: impl Into<String>, problem: &dyn Display) -> Stop {
        let error = LookupError { cause: LookupCause::Unreadable, detail: problem.to_string() };
        Stop::LookupFailed(LookupFailed { query: object.into(), error })
    }

    /// The same, where it was the label registry that was asked for.
    pub(crate) fn of_registry(self) -> Stop {
        match self {
            Stop::LookupFailed(failed) => Stop::RegistryFailed(failed),
            other => other,
        }
    }
}

impl From<Malformed> for Stop {
    fn from(malformed: Malformed) -> Self {
        Stop::Malformed(malformed)
    }
}
