//! Why an evaluation ends before the comparison.

use std::fmt::Display;

use crate::cluster::{LookupCause, LookupError};
use crate::lookup::{LookupFailed, ReadFailure};

use super::not_applicable::{InvolvedObject, NotApplicable, NotApplicableReason};
use crate::json::Malformed;

/// Why an evaluation ends before the comparison.
#[derive(Debug)]
pub enum Stop {
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

impl Stop {
    /// Nothing has to be done, for this reason.
    pub fn not_applicable(reason: NotApplicableReason, because: impl Into<InvolvedObject>) -> Stop {
        Stop::NotApplicable(NotApplicable { reason, because: because.into() })
    }

    /// The assignments of another object cannot be used.
    pub fn unusable_assignments(object: String, malformed: Malformed) -> Stop {
        let because = InvolvedObject { object, entry: None, malformed: Some(malformed) };
        Stop::not_applicable(NotApplicableReason::UnusableAssignments, because)
    }

    /// What was read, if it is known and applies.
    ///
    /// # Errors
    /// Only when the object under review is malformed.
    pub fn known<T>(read: Result<Option<T>, Stop>) -> Result<Option<T>, Malformed> {
        match read {
            Err(Stop::Malformed(malformed)) => Err(malformed),
            read => Ok(read.unwrap_or_default()),
        }
    }

    /// An object of the label registry was found and cannot be used.
    pub fn unusable_registry(object: impl Into<String>, problem: &dyn Display) -> Stop {
        let error = LookupError { cause: LookupCause::Unreadable, detail: problem.to_string() };
        Stop::RegistryFailed(LookupFailed { query: object.into(), error, problem: None })
    }

    /// The same for a read of the label registry.
    pub fn of_registry(self) -> Stop {
        match self {
            Stop::LookupFailed(failed) => Stop::RegistryFailed(failed),
            other => other,
        }
    }

    /// The same for a read of an object whose labels become tags.
    pub fn of_source(self) -> Stop {
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

impl From<ReadFailure> for Stop {
    fn from(failure: ReadFailure) -> Self {
        match failure {
            ReadFailure::UnknownKind(object) => Stop::not_applicable(NotApplicableReason::UnknownOwnerKind, object),
            ReadFailure::AnotherUid(object) => Stop::not_applicable(NotApplicableReason::ParentOfAnotherUid, object),
            ReadFailure::Failed(failed) => Stop::LookupFailed(failed),
        }
    }
}
