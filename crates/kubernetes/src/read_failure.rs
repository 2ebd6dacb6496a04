//! Why an object could not be read.

use crate::cluster::{LookupCause, LookupError};
use crate::decision::not_applicable::NotApplicableReason;
use crate::json::Malformed;

/// Why there is no object for a query.
#[derive(Debug)]
pub enum ReadFailure {
    /// Its kind may not be read; the object by kind and name.
    UnknownKind(String),
    /// The object has another UID than the reference to it; the object by kind, namespace and name.
    AnotherUid(String),
    /// The cluster did not return it, or it is not a Kubernetes object.
    Failed(LookupFailed),
}

/// A read without a usable answer.
#[derive(Debug)]
pub struct LookupFailed {
    /// The object, as it was asked for.
    pub query: String,
    /// What the cluster returned.
    pub error: LookupError,
    /// What is wrong with the object, if it was returned.
    pub problem: Option<Malformed>,
}

impl LookupFailed {
    /// Why nothing is compared.
    pub fn reason(&self) -> NotApplicableReason {
        match self.error.cause {
            LookupCause::NotFound => NotApplicableReason::ParentMissing,
            _ => NotApplicableReason::LookupFailed,
        }
    }
}

impl ReadFailure {
    /// An object whose text does not have the structure of a Kubernetes object.
    pub fn unreadable(object: impl Into<String>, problem: Malformed) -> ReadFailure {
        let error = LookupError { cause: LookupCause::Unreadable, detail: problem.to_string() };
        ReadFailure::Failed(LookupFailed { query: object.into(), error, problem: Some(problem) })
    }

    /// Whether this pass may read nothing more.
    pub fn is_of_too_many_reads(&self) -> bool {
        matches!(self, ReadFailure::Failed(failed) if failed.error.cause == LookupCause::TooManyReads)
    }
}
