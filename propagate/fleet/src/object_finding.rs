//! What was found in one object.

use metadata_propagation::{TagDelivery, TagFault};
use serde::Serialize;

use crate::refusal::Refusal;

/// One fact about one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectFinding {
    /// How the policy reacts.
    pub level: FindingLevel,
    /// The check: a setting such as `guards.adoption`, a note about a class such as `class.unusedVariable`, or one of
    /// [`DRIFT`], [`MISPLACED`], [`ILLEGAL`], [`REFUSED`] and [`UNREADABLE`].
    pub check: &'static str,
    /// One sentence: lower case, no final stop, input in backticks.
    pub message: String,
    /// Where in the object, such as `spec.template.metadata.labels`.
    pub at: String,
    /// The entries that it is about; its position is that of the first one that is set there.
    pub keys: Vec<String>,
    /// What happens to cloud tags, if it is about a resource of a Composition.
    pub verdict: Option<TagDelivery>,
    /// The name of that resource; empty for all, and if it is about none.
    pub resource: String,
    /// What is wrong, if it is about the tags of a definition or a Composition.
    pub fault: Option<TagFault>,
    /// The code of the fact; empty if it has none.
    pub reason: &'static str,
    /// What to do about it, if that depends on more than its check and code.
    pub help: Option<String>,
}

impl ObjectFinding {
    /// A finding about no entry and no resource of a Composition.
    pub fn new(level: FindingLevel, check: &'static str, at: &str, message: String) -> ObjectFinding {
        ObjectFinding {
            level,
            check,
            message,
            at: at.to_owned(),
            keys: Vec::new(),
            verdict: None,
            resource: String::new(),
            fault: None,
            reason: "",
            help: None,
        }
    }

    /// Whether another finding is about the same fault of the same resource.
    pub(crate) fn is_same_fault(&self, other: &ObjectFinding) -> bool {
        self.fault.is_some() && (&self.fault, &self.resource) == (&other.fault, &other.resource)
    }

    /// The finding that a webhook or the API server refuses an object.
    pub(crate) fn refused(refusal: Refusal) -> ObjectFinding {
        let sentence = refusal.sentence();
        ObjectFinding::new(FindingLevel::Error, REFUSED, &refusal.at.to_string(), sentence)
    }
}

/// How the policy reacts to an [`ObjectFinding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingLevel {
    /// It accepts the object, and warns at most once it is stored.
    Note,
    /// It warns.
    Warning,
    /// It refuses, in verify mode at least.
    Error,
}

/// The object differs from the rules.
pub const DRIFT: &str = "drift";
/// A label or annotation is set at a place from which nothing propagates.
pub const MISPLACED: &str = "misplaced";
/// An object above has an entry that the API server would reject in this one.
pub const ILLEGAL: &str = "illegal";
/// The object does not have the structure of a Kubernetes object, or contains something that cannot be followed.
pub const UNREADABLE: &str = "unreadable";
/// A webhook of Cluster API refuses the object.
pub const REFUSED: &str = "refused";
/// An annotation is almost one of Cluster API or cluster-autoscaler.
pub const MISSPELLED: &str = "misspelled";
/// A selector does not find the Machines that are made for it.
pub const SELECTOR: &str = "selector";
/// A template that a ClusterClass names is not among the files.
pub const MISSING_TEMPLATE: &str = "class.missingTemplate";
/// A label of a composite does not become a cloud tag.
pub const CLOUD_TAGS: &str = "cloudTags";
