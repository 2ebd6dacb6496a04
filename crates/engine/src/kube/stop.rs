//! Why an evaluation ends before anything is compared.

use crate::report::not_applicable::{NotApplicable, NotApplicableReason};

use crate::json::Malformed;
use crate::kube::cluster::LookupError;

/// Why an evaluation ends before anything is compared.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Nothing is to be done here.
    NotApplicable(NotApplicable),
    /// An object above could not be had: what was asked, and why there is no answer.
    Lookup(String, LookupError),
    /// An object above has another shape than Kubernetes gives it.
    Unreadable { object: String, detail: String },
    /// The object under review has another shape than Kubernetes gives it.
    Malformed(Malformed),
}

impl Stop {
    pub(crate) fn not_applicable(reason: NotApplicableReason, because: impl Into<String>) -> Stop {
        Stop::NotApplicable(NotApplicable { reason, because: because.into() })
    }
}

impl From<Malformed> for Stop {
    fn from(malformed: Malformed) -> Self {
        Stop::Malformed(malformed)
    }
}
