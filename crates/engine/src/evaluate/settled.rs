//! What is done about an object by the rules.

use super::said::Said;
use crate::report::outcome::{LogLevel, MalformedObject, Rejection};
use cloud_tags::report::TagReport;
use cluster_api::propagation::metadata::Above;
use facts::change::Change;
use facts::finding::Finding;
use facts::not_applicable::NotApplicable;
use facts::skipped::Skipped;

/// What is done about an object by the rules, before it is checked.
pub(super) struct Settled<'e> {
    pub(super) settlement: Settlement,
    pub(super) compared: ComparedWith<'e>,
    pub(super) said: Said,
}

/// What is done about an object.
pub(super) enum Settlement {
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
    /// Nothing that is reported.
    Nothing,
    /// Its sources, by Cluster API's rules; what they set, if that is known.
    Sources { skipped: Vec<Skipped>, above: Option<Above<'e>> },
    /// Labels that become tags; the findings are about their assignments.
    Labels { tags: Box<TagReport>, findings: Vec<Finding> },
}

impl Settled<'_> {
    /// Nothing has to be done.
    pub(super) fn accepted(said: Said) -> Self {
        Settled { settlement: Settlement::Accepted { drift: Vec::new() }, compared: ComparedWith::Nothing, said }
    }

    /// The settings refuse what the object is or lacks.
    pub(super) fn refused(message: String, drift: Vec<Change>) -> Self {
        let mut said = Said::default();
        said.log(LogLevel::Error, message.clone(), []);
        let settlement = Settlement::Refused { rejection: Rejection::refused(message), drift };
        Settled { settlement, compared: ComparedWith::Nothing, said }
    }
}

impl<'e> Settled<'e> {
    /// What the sources set, if it is known.
    pub(super) fn above(&self) -> Option<&Above<'e>> {
        match &self.compared {
            ComparedWith::Sources { above, .. } => above.as_ref(),
            ComparedWith::Nothing | ComparedWith::Labels { .. } => None,
        }
    }
}

impl Settlement {
    pub(super) fn is_refused(&self) -> bool {
        match self {
            Settlement::Accepted { .. } | Settlement::Written { .. } => false,
            Settlement::Refused { .. } => true,
            Settlement::Undecided { rejection, .. } => rejection.is_some(),
        }
    }

    /// Why nothing was decided.
    pub(super) fn inert(&self) -> Option<&NotApplicable> {
        match self {
            Settlement::Undecided { inert, .. } => Some(inert),
            _ => None,
        }
    }

    /// The object with what was missing.
    pub(super) fn written(&self) -> Option<&String> {
        match self {
            Settlement::Written { object, .. } => Some(object),
            _ => None,
        }
    }

    /// Differences that are left as they are.
    pub(super) fn drift(&self) -> &[Change] {
        match self {
            Settlement::Accepted { drift } | Settlement::Written { drift, .. } | Settlement::Refused { drift, .. } => {
                drift
            }
            Settlement::Undecided { .. } => &[],
        }
    }

    /// The same, refused by a check: nothing is written. Why nothing was decided is kept.
    pub(super) fn refused_by_check(self, rejection: Rejection) -> Settlement {
        match self {
            Settlement::Accepted { drift } | Settlement::Refused { drift, .. } => {
                Settlement::Refused { rejection, drift }
            }
            Settlement::Written { mut changes, mut drift, .. } => {
                drift.append(&mut changes);
                Settlement::Refused { rejection, drift }
            }
            Settlement::Undecided { inert, malformed, .. } => {
                Settlement::Undecided { inert, rejection: Some(rejection), malformed }
            }
        }
    }
}
