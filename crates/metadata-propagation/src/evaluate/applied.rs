//! What is done about an object by the rules.

use super::notices::Notices;
use crate::fact::Finding;
use crate::report::{LogLevel, MalformedObject, Rejection};
use cloud_tags::TagReport;
use cluster_api::propagation::metadata::SourceKeys;
use cluster_api::skipped::Skipped;
use kubernetes::{Change, NotApplicable};

/// What is done about an object by the rules, before it is checked.
pub(super) struct AppliedDecision<'e> {
    pub(super) admission: Admission,
    pub(super) compared: ComparedWith<'e>,
    pub(super) notices: Notices,
}

/// What is done about an object.
pub(super) enum Admission {
    /// It is stored as it is; the settings leave these differences.
    Accepted { drift: Vec<Change> },
    /// It is stored with `changes`; the settings leave the differences in `drift`.
    Written { object: String, changes: Vec<Change>, drift: Vec<Change> },
    /// The settings refuse what it is or lacks, or it cannot be written.
    Refused { rejection: Rejection, drift: Vec<Change> },
    /// Nothing was decided, and the settings may refuse that. `malformed` is the object above that cannot be read.
    Undecided { inert: NotApplicable, rejection: Option<Rejection>, malformed: Option<MalformedObject> },
}

/// What an object was compared with.
pub(super) enum ComparedWith<'e> {
    Nothing,
    /// Its sources, by Cluster API's rules; what they set, if that is known.
    Sources {
        skipped: Vec<Skipped>,
        source_keys: Option<SourceKeys<'e>>,
    },
    /// Labels that become tags; the findings are about their assignments.
    Labels {
        tags: Box<TagReport>,
        findings: Vec<Finding>,
    },
}

impl AppliedDecision<'_> {
    /// What is done about an object that was compared with nothing.
    pub(super) fn of(admission: Admission, notices: Notices) -> Self {
        AppliedDecision { admission, compared: ComparedWith::Nothing, notices }
    }

    /// Nothing has to be done.
    pub(super) fn accepted(notices: Notices) -> Self {
        AppliedDecision::of(Admission::Accepted { drift: Vec::new() }, notices)
    }

    /// The settings refuse what the object is or lacks.
    pub(super) fn refused(message: String, drift: Vec<Change>) -> Self {
        let mut notices = Notices::default();
        notices.log(LogLevel::Error, message.clone(), []);
        AppliedDecision::of(Admission::Refused { rejection: Rejection::refused(message), drift }, notices)
    }
}

impl<'e> AppliedDecision<'e> {
    /// The findings about labels, which are reported with those of the checks.
    pub(super) fn take_findings(&mut self) -> Vec<Finding> {
        match &mut self.compared {
            ComparedWith::Labels { findings, .. } => std::mem::take(findings),
            ComparedWith::Nothing | ComparedWith::Sources { .. } => Vec::new(),
        }
    }

    /// What the sources set, if it is known.
    pub(super) fn source_keys(&self) -> Option<&SourceKeys<'e>> {
        match &self.compared {
            ComparedWith::Sources { source_keys, .. } => source_keys.as_ref(),
            ComparedWith::Nothing | ComparedWith::Labels { .. } => None,
        }
    }
}

impl Admission {
    pub(super) fn is_refused(&self) -> bool {
        match self {
            Admission::Accepted { .. } | Admission::Written { .. } => false,
            Admission::Refused { .. } => true,
            Admission::Undecided { rejection, .. } => rejection.is_some(),
        }
    }

    /// Why nothing was decided.
    pub(super) fn inert(&self) -> Option<&NotApplicable> {
        match self {
            Admission::Undecided { inert, .. } => Some(inert),
            _ => None,
        }
    }

    /// The object with what was missing.
    pub(super) fn written(&self) -> Option<&String> {
        match self {
            Admission::Written { object, .. } => Some(object),
            _ => None,
        }
    }

    /// Differences that are left as they are.
    pub(super) fn drift(&self) -> &[Change] {
        match self {
            Admission::Accepted { drift } | Admission::Written { drift, .. } | Admission::Refused { drift, .. } => {
                drift
            }
            Admission::Undecided { .. } => &[],
        }
    }

    /// The same, refused by a check: nothing is written. Why nothing was decided is kept.
    pub(super) fn refused_by_check(self, rejection: Rejection) -> Admission {
        match self {
            Admission::Accepted { drift } | Admission::Refused { drift, .. } => Admission::Refused { rejection, drift },
            Admission::Written { mut changes, mut drift, .. } => {
                drift.append(&mut changes);
                Admission::Refused { rejection, drift }
            }
            Admission::Undecided { inert, malformed, .. } => {
                Admission::Undecided { inert, rejection: Some(rejection), malformed }
            }
        }
    }
}
